//! What an experiment leaves in its folder, and what is said of it in the terminal.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use crate::comparison::Cell;
use crate::experiment::{Claim, Curve, Digest, Drawing, Experiment, Panel, Size};
use crate::support::console::Progress;
use crate::support::{Console, Result};

/// An experiment in numbers.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    pub name: String,
    pub title: String,
    pub seeds: u64,
    pub quick: bool,
    /// Numbers that have a published one beside them and seeds enough to compare, and those that agree.
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
    pub cells: Vec<Cell>,
}

/// Writes curves, pictures and `summary.json` into the experiment's folder.
///
/// # Errors
/// Those of the files.
pub fn write(experiment: &dyn Experiment, digest: &Digest, size: &Size, out: &Path) -> Result<Summary> {
    let summary = summary(experiment, digest, size);
    let folder = out.join(if size.quick { format!("{}-quick", experiment.name()) } else { experiment.name().to_owned() });
    fs::create_dir_all(&folder)?;
    for panel in &digest.panels {
        if let Drawing::Curves { curves, .. } = &panel.drawing {
            write_curves(&folder.join(format!("{}.csv", panel.name)), curves)?;
        }
    }
    fs::write(folder.join("summary.json"), serde_json::to_string_pretty(&summary)?)?;
    Ok(summary)
}

/// What the results say, in numbers.
pub fn summary(experiment: &dyn Experiment, digest: &Digest, size: &Size) -> Summary {
    let panels: Vec<PanelSummary> =
        digest.panels.iter().map(|Panel { title, cells, .. }| PanelSummary { title: title.clone(), cells: cells.clone() }).collect();
    let verdicts: Vec<bool> = panels.iter().flat_map(|panel| &panel.cells).filter_map(|cell| cell.agrees).collect();
    Summary {
        name: experiment.name().to_owned(),
        title: experiment.title(),
        seeds: size.seeds(experiment.seeds()).end,
        quick: size.quick,
        compared: verdicts.len(),
        agreeing: verdicts.iter().filter(|agrees| **agrees).count(),
        panels,
        claims: digest.claims.clone(),
        notes: digest.notes.clone(),
    }
}

fn write_curves(path: &Path, curves: &[Curve]) -> Result<()> {
    let mut writer = csv::Writer::from_path(path)?;
    writer.write_record(["method", "seeds", "x", "median", "lower_quartile", "upper_quartile", "mean", "two_standard_errors"])?;
    for curve in curves {
        for point in &curve.points {
            let error = point.two_standard_errors.map_or(String::new(), |error| error.to_string());
            let numbers = [point.x, point.median, point.lower_quartile, point.upper_quartile, point.mean].map(|number| number.to_string());
            let mut record = vec![curve.name.clone(), curve.seeds.to_string()];
            record.extend(numbers);
            record.push(error);
            writer.write_record(record)?;
        }
    }
    writer.flush()?;
    Ok(())
}

/// Says in the terminal what came out.
pub fn print(summaries: &[Summary], out: &Path, console: &Console, progress: Progress) {
    let mut text = String::new();
    for summary in summaries {
        let _ = writeln!(text, "\n{}: {}, {} seeds", summary.name, summary.title, summary.seeds);
        for panel in summary.panels.iter().filter(|panel| !panel.cells.is_empty()) {
            let _ = writeln!(text, "  {}", panel.title);
            let _ = writeln!(text, "    {:<24}{:>10}{:>14}{:>14}{:>8}", "", "at", "here", "published", "z");
            for cell in &panel.cells {
                let verdict = match cell.agrees {
                    Some(true) => "",
                    Some(false) => "  differs",
                    None => "  too few seeds",
                };
                let (here, there) = (cell.ours.value, cell.published.value);
                let _ = writeln!(text, "    {:<24}{:>10}{here:>14.5}{there:>14.5}{:>8.2}{verdict}", cell.method, cell.place, cell.z);
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
            let _ = writeln!(text, "  {} of {} published numbers agree ({share:.0} %)", summary.agreeing, summary.compared);
        }
    }
    let _ = write!(text, "\ncurves, pictures and summaries in {}", out.display());
    console.result(progress, &json!({ "experiments": summaries }), text);
}
