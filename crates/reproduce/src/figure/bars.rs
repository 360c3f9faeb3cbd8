//! Groups of bars with two standard errors, bounds as lines across a group, published values as
//! circles.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::legend::{Legend, Sign};
use super::palette::looks;
use super::paper::{Area, CIRCLE, Chart, LABEL, chart, paper};
use super::scale::Scale;
use crate::experiment::{Axes, Bars};
use frontend::ink::{INK, Result, text};

/// Between groups, in widths of a bar.
const GAP: f64 = 1.2;

pub fn draw(
    svg: &mut String,
    title: &str,
    axes: &Axes,
    groups: &[String],
    bars: &[Bars],
) -> Result<()> {
    let names: Vec<&str> = bars.iter().map(|bars| &*bars.name).collect();
    let looks = looks(&names);
    let mut legend = Legend::default();
    for (kind, look) in bars.iter().zip(&looks) {
        legend.add(if kind.bound { Sign::Line(*look) } else { Sign::Bar(*look) }, &*kind.name);
    }
    let values = || bars.iter().flat_map(|kind| kind.values.iter().copied());
    let published = || bars.iter().flat_map(|kind| kind.published.iter().copied().flatten());
    if values().any(|(_, error)| error > 0.0) {
        legend.add(Sign::Error, "two standard errors");
    }
    if published().next().is_some() {
        legend.add(Sign::Circle, "published");
    }
    let y = upright(axes.logarithmic, values().chain(published().map(|value| (value, 0.0))));
    let standing: Vec<usize> = (0..bars.len()).filter(|kind| !bars[*kind].bound).collect();
    let period = standing.len().max(1) as f64 + GAP;
    let x = Scale::silent(0.0..period * groups.len().max(1) as f64);
    let width = (100 + (24.0 * period * groups.len() as f64) as u32).clamp(560, 1300);
    let room = (f64::from(width) - 92.0) / groups.len().max(1) as f64;
    let labels: Vec<Vec<String>> = groups.iter().map(|group| wrapped(group, room)).collect();
    let lines = labels.iter().map(Vec::len).max().unwrap_or(1) as u32;
    let (left, right) = paper(svg, (width, 440), legend.size())?;
    let mut chart = chart(&left, title, axes, &x, &y, 18 * lines)?;
    for (group, label) in labels.iter().enumerate() {
        let start = period * group as f64 + 0.5 * GAP;
        for (place, &kind) in standing.iter().enumerate() {
            let Some(&(value, error)) = bars[kind].values.get(group) else { continue };
            bar(
                &mut chart,
                &y,
                start + place as f64,
                (value, error),
                looks[kind].color.mix(if looks[kind].second { 0.45 } else { 1.0 }),
            )?;
        }
        for (kind, look) in bars.iter().zip(&looks).filter(|(kind, _)| kind.bound) {
            let Some(place) = kind.values.get(group).and_then(|(value, _)| y.place(*value)) else {
                continue;
            };
            let ends = [start - 0.3, start + standing.len() as f64 + 0.3].map(|x| (x, place));
            chart.draw_series([PathElement::new(ends, look.color.stroke_width(3))])?;
        }
        for (kind, (bars, look)) in bars.iter().zip(&looks).enumerate() {
            let Some(place) =
                bars.published.get(group).copied().flatten().and_then(|value| y.place(value))
            else {
                continue;
            };
            // That of a bound is at the right end of its line.
            let across = standing
                .iter()
                .position(|standing| *standing == kind)
                .map_or(standing.len() as f64 + 0.3, |place| place as f64 + 0.5);
            chart.draw_series([Circle::new((start + across, place), CIRCLE, WHITE.filled())])?;
            let ring = if bars.bound { look.color } else { INK };
            chart.draw_series([Circle::new(
                (start + across, place),
                CIRCLE,
                ring.stroke_width(2),
            )])?;
        }
        let (across, down) = chart.backend_coord(&(period * (group as f64 + 0.5), y.start()));
        write(&left, label, (across, down + 8))?;
    }
    legend.draw(&right)?;
    left.present()?;
    Ok(())
}

/// Bars stand on zero, or on a logarithmic axis below the smallest value. The lower end of an error
/// says nothing there: it may be close to zero.
fn upright(logarithmic: bool, values: impl Iterator<Item = (f64, f64)> + Clone) -> Scale {
    let error = |error: f64| if error.is_finite() { error } else { 0.0 };
    let tops = values.clone().map(move |(value, e)| value + error(e));
    if logarithmic && values.clone().any(|(value, _)| value > 0.0 && value.is_finite()) {
        return Scale::around(true, tops.chain(values.map(|(value, _)| value))).lowered(0.6);
    }
    let feet = values.map(move |(value, e)| value - error(e));
    if feet.clone().any(|foot| foot < 0.0) {
        return Scale::around(false, tops.chain(feet).chain([0.0]));
    }
    Scale::exact(0.0, 1.04 * tops.filter(|top| top.is_finite()).fold(0.0, f64::max))
}

/// A bar, and its error if it has one: a single seed has none.
fn bar(
    chart: &mut Chart<'_, '_>,
    y: &Scale,
    x: f64,
    (value, error): (f64, f64),
    color: RGBAColor,
) -> Result<()> {
    let Some(top) = y.place(value) else { return Ok(()) };
    let foot = y.start().max(if y.is_logarithmic() { f64::NEG_INFINITY } else { 0.0 });
    chart.draw_series([Rectangle::new([(x + 0.08, foot), (x + 0.92, top)], color.filled())])?;
    if error.is_finite() && error > 0.0 {
        let ends =
            [value - error, value + error].map(|end| y.place(end).unwrap_or(top).max(y.start()));
        chart
            .draw_series([PathElement::new(ends.map(|end| (x + 0.5, end)), INK.stroke_width(1))])?;
        for end in ends.into_iter().filter(|end| *end > y.start()) {
            chart.draw_series([PathElement::new(
                [(x + 0.32, end), (x + 0.68, end)],
                INK.stroke_width(1),
            )])?;
        }
    }
    Ok(())
}

/// A name in lines that fit into so many pixels.
fn wrapped(name: &str, room: f64) -> Vec<String> {
    let letters = (room / (0.56 * f64::from(LABEL))) as usize;
    let mut lines: Vec<String> = Vec::new();
    for word in name.split_whitespace() {
        match lines
            .last_mut()
            .filter(|line| line.chars().count() + 1 + word.chars().count() <= letters)
        {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

fn write(area: &Area<'_>, lines: &[String], (x, y): (i32, i32)) -> Result<()> {
    for (row, line) in lines.iter().enumerate() {
        area.draw_text(
            line,
            &text(LABEL).pos(Pos::new(HPos::Center, VPos::Top)),
            (x, y + 18 * row as i32),
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Statistic;

    /// A regret of zero, an error that reaches below zero, a seed alone: all have a place on a
    /// logarithmic axis, and none is lost.
    #[test]
    fn every_bar_and_every_published_value_is_drawn() {
        let kind = |name: &str, values: &[(f64, f64)], published: &[Option<f64>], bound| Bars {
            name: name.to_owned(),
            values: values.to_vec(),
            published: published.to_vec(),
            bound,
        };
        let bars = [
            kind("PBGI", &[(0.02, 0.005), (0.3, 0.4)], &[Some(0.021), None], false),
            kind("Convergence < 0.01", &[(0.0, 0.0), (0.08, f64::NAN)], &[None, Some(0.1)], false),
            kind("hindsight", &[(0.01, 0.0), (0.05, 0.0)], &[Some(0.012), None], true),
        ];
        let groups = ["LogEI per unit of cost".to_owned(), "Thompson".to_owned()];
        for logarithmic in [true, false] {
            let axes = Axes {
                x: String::new(),
                y: "cost-adjusted regret".to_owned(),
                logarithmic,
                statistic: Statistic::Mean,
            };
            let mut svg = String::new();
            draw(&mut svg, "Matern 5/2", &axes, &groups, &bars).unwrap();
            // Two for each published value, one in the legend.
            assert_eq!(svg.matches("<circle").count(), 7, "{svg}");
            assert!(!svg.contains("NaN") && !svg.contains("< 0.01"), "{svg}");
            // The paper, four bars, two signs of bars with their edges.
            assert_eq!(svg.matches("<rect").count(), 9, "{svg}");
        }
    }
}
