//! The files of an experiment, and its summary in the terminal.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use crate::comparison::Cell;
use crate::experiment::{Bars, Claim, Curve, CurvePoint, Digest, Drawing, Experiment, Panel, Size};
use crate::explained::{self, Explanation};
use crate::figure;
use frontend::console::Progress;
use frontend::{Console, Result};

/// An experiment in numbers.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    pub name: String,
    pub title: String,
    pub seeds: u64,
    pub quick: bool,
    /// The number of values with a published one and enough seeds to compare, and the number that
    /// agree.
    pub compared: usize,
    pub agreeing: usize,
    pub panels: Vec<PanelSummary>,
    pub claims: Vec<Claim>,
    pub notes: Vec<String>,
}

/// The comparisons of one panel.
#[derive(Debug, Clone, Serialize)]
pub struct PanelSummary {
    pub title: String,
    /// Each line of a figure at a quarter, a half, three quarters and the end of its axis.
    pub quarters: Vec<Quarter>,
    pub cells: Vec<CellSummary>,
}

/// A line at a part of its axis.
#[derive(Debug, Clone, Serialize)]
pub struct Quarter {
    pub method: String,
    pub part: f64,
    #[serde(flatten)]
    pub point: CurvePoint,
}

/// A comparison, and the reason for a difference if it is known.
#[derive(Debug, Clone, Serialize)]
pub struct CellSummary {
    #[serde(flatten)]
    pub cell: Cell,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<&'static Explanation>,
}

impl PanelSummary {
    fn new(panel: &Panel) -> Self {
        let explain = |cell: &Cell| {
            explained::of(&panel.title, &cell.method, &cell.place)
                .filter(|_| cell.agrees == Some(false))
        };
        let cells = panel
            .cells
            .iter()
            .map(|cell| CellSummary { cell: cell.clone(), explanation: explain(cell) })
            .collect();
        let mut quarters = Vec::new();
        if let Drawing::Curves { curves, .. } = &panel.drawing {
            let places = curves.iter().flat_map(|curve| &curve.points).map(|point| point.x);
            let (start, end) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (x.min(low), x.max(high))
            });
            for (curve, part) in
                curves.iter().flat_map(|curve| [0.25, 0.5, 0.75, 1.0].map(|part| (curve, part)))
            {
                // Places need not be evenly spaced. Evenly spaced ones may miss their part by a
                // rounding.
                let place = start + part * (end - start) + 1e-9 * (end - start);
                let reached = curve.points.partition_point(|point| point.x <= place);
                if let Some(&point) = curve.points.get(reached.saturating_sub(1)) {
                    quarters.push(Quarter { method: curve.name.clone(), part, point });
                }
            }
        }
        Self { title: panel.title.clone(), quarters, cells }
    }
}

/// Writes curves, pictures and `summary.json` into the experiment's folder.
///
/// # Errors
/// Those of the files.
pub fn write(
    experiment: &dyn Experiment,
    digest: &Digest,
    size: &Size,
    out: &Path,
) -> Result<Summary> {
    let summary = summary(experiment, digest, size);
    let part = if size.part.is_whole() { "" } else { "-part" };
    let quick = if size.quick { "-quick" } else { "" };
    let folder = out.join(format!("{}{part}{quick}", experiment.name()));
    fs::create_dir_all(&folder)?;
    for panel in &digest.panels {
        let table = folder.join(format!("{}.csv", panel.name));
        match &panel.drawing {
            Drawing::Curves { curves, .. } => write_curves(&table, curves)?,
            Drawing::Bars { groups, bars, .. } => write_bars(&table, groups, bars)?,
        }
        fs::write(folder.join(format!("{}.svg", panel.name)), figure::draw(panel).svg())?;
    }
    fs::write(folder.join("summary.json"), serde_json::to_string_pretty(&summary)?)?;
    Ok(summary)
}

/// The results in numbers.
pub fn summary(experiment: &dyn Experiment, digest: &Digest, size: &Size) -> Summary {
    let verdicts: Vec<bool> = digest
        .panels
        .iter()
        .flat_map(|panel| &panel.cells)
        .filter_map(|cell| cell.agrees)
        .collect();
    Summary {
        name: experiment.name().to_owned(),
        title: experiment.title(),
        seeds: size.seeds(experiment.seeds()).count() as u64,
        quick: size.quick,
        compared: verdicts.len(),
        agreeing: verdicts.iter().filter(|agrees| **agrees).count(),
        panels: digest.panels.iter().map(PanelSummary::new).collect(),
        claims: digest.claims.clone(),
        notes: digest.notes.clone(),
    }
}

fn write_curves(path: &Path, curves: &[Curve]) -> Result<()> {
    let mut writer = csv::Writer::from_path(path)?;
    writer.write_record([
        "method",
        "seeds",
        "x",
        "median",
        "lower_quartile",
        "upper_quartile",
        "mean",
        "two_standard_errors",
        "half_interval",
    ])?;
    for curve in curves {
        for point in &curve.points {
            let errors = [point.two_standard_errors, point.half_interval]
                .map(|error| error.map_or(String::new(), |error| error.to_string()));
            let numbers =
                [point.x, point.median, point.lower_quartile, point.upper_quartile, point.mean]
                    .map(|number| number.to_string());
            let mut record = vec![curve.name.clone(), curve.seeds.to_string()];
            record.extend(numbers);
            record.extend(errors);
            writer.write_record(record)?;
        }
    }
    writer.flush()?;
    Ok(())
}

fn write_bars(path: &Path, groups: &[String], bars: &[Bars]) -> Result<()> {
    let mut writer = csv::Writer::from_path(path)?;
    writer.write_record(["group", "name", "bound", "value", "two_standard_errors", "published"])?;
    for (place, group) in groups.iter().enumerate() {
        for kind in bars {
            let Some((value, error)) = kind.values.get(place) else { continue };
            let error = if error.is_finite() { error.to_string() } else { String::new() };
            let published = kind
                .published
                .get(place)
                .copied()
                .flatten()
                .map_or(String::new(), |published| published.to_string());
            writer.write_record([
                group.clone(),
                kind.name.clone(),
                kind.bound.to_string(),
                value.to_string(),
                error,
                published,
            ])?;
        }
    }
    writer.flush()?;
    Ok(())
}

/// Prints the results.
pub fn print(summaries: &[Summary], out: &Path, console: &Console, progress: Progress) {
    let mut text = String::new();
    for summary in summaries {
        let _ = writeln!(text, "\n{}: {}, {} seeds", summary.name, summary.title, summary.seeds);
        for panel in summary.panels.iter().filter(|panel| !panel.cells.is_empty()) {
            let _ = writeln!(text, "  {}", panel.title);
            let _ = writeln!(
                text,
                "    {:<24}{:>10}{:>14}{:>14}{:>8}",
                "", "at", "here", "published", "z"
            );
            for CellSummary { cell, .. } in &panel.cells {
                let verdict = match cell.agrees {
                    Some(true) => "",
                    Some(false) => "  differs",
                    None => "  too few seeds",
                };
                let (here, there) = (cell.ours.value, cell.published.value);
                let _ = writeln!(
                    text,
                    "    {:<24}{:>10}{here:>14.5}{there:>14.5}{:>8.2}{verdict}",
                    cell.method, cell.place, cell.z
                );
            }
        }
        for claim in &summary.claims {
            let verdict = match claim.holds {
                Some(true) => "holds",
                Some(false) => "does not hold",
                None => "too few seeds",
            };
            let _ = writeln!(text, "  {}: {verdict}\n    {}", claim.text, claim.evidence);
        }
        if summary.compared > 0 {
            let share = 100.0 * summary.agreeing as f64 / summary.compared as f64;
            let _ = writeln!(
                text,
                "  {} of {} published numbers agree ({share:.0} %)",
                summary.agreeing, summary.compared
            );
        }
    }
    let _ = write!(text, "\ncurves, pictures and summaries in {}", out.display());
    console.result(progress, &json!({ "experiments": summaries }), text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::curve_point;
    use crate::experiment::{Axes, Statistic};

    /// Quarters are those of the panel's axis, wherever the places of a curve are. A quarter has
    /// the value that holds there, or the first value if the curve begins later.
    #[test]
    fn quarters_are_those_of_the_axis() {
        let curve = |name: &str, places: &[f64]| {
            let points = places.iter().map(|&x| curve_point(x, &[x]).unwrap()).collect();
            Curve { name: name.to_owned(), seeds: 1, points, published: Vec::new() }
        };
        let even: Vec<f64> = (0..=100).map(|step| 0.2 + 0.8 * f64::from(step) / 100.0).collect();
        let curves = vec![
            curve("even", &even),
            curve("uneven", &[0.3, 0.31, 0.32, 0.9, 1.0]),
            curve("late", &[0.7, 1.0]),
        ];
        let axes = Axes {
            x: String::new(),
            y: String::new(),
            logarithmic: false,
            statistic: Statistic::Mean,
        };
        let drawing = Drawing::Curves { axes, curves };
        let summary = PanelSummary::new(&Panel {
            name: String::new(),
            title: String::new(),
            drawing,
            cells: Vec::new(),
        });
        let found = |name: &str| -> Vec<f64> {
            summary
                .quarters
                .iter()
                .filter(|quarter| quarter.method == name)
                .map(|quarter| quarter.point.x)
                .collect()
        };
        assert_eq!(found("even"), [25, 50, 75, 100].map(|step| even[step]));
        assert_eq!(found("uneven"), [0.32, 0.32, 0.32, 1.0]);
        assert_eq!(found("late"), [0.7, 0.7, 0.7, 1.0]);
    }
}
