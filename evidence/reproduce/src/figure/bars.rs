//! Groups of bars with two standard errors, bounds as lines across a group, published values as
//! circles.

use chart::{Along, Frame, Key, Panel, Plan, Scale, Sign, Spot};

use super::palette::looks;
use crate::experiment::{Axes, Bars};

/// Between groups, in widths of a bar.
const GAP: f64 = 1.2;
/// How far the line of a bound goes beyond the bars of its group, in widths of a bar.
const BEYOND: f64 = 0.3;

pub fn draw(title: &str, axes: &Axes, groups: &[String], bars: &[Bars]) -> Panel {
    let names: Vec<&str> = bars.iter().map(|bars| &*bars.name).collect();
    let looks = looks(&names);
    let mut keys: Vec<Key> = bars
        .iter()
        .zip(&looks)
        .map(|(kind, look)| {
            if kind.bound {
                Key::line(&format!("line {look}"), &*kind.name)
            } else {
                Key::area(&format!("bar {look}"), &*kind.name)
            }
        })
        .collect();
    let values = || bars.iter().flat_map(|kind| kind.values.iter().copied());
    let published = || bars.iter().flat_map(|kind| kind.published.iter().copied().flatten());
    if values().any(|(_, error)| error > 0.0) {
        keys.push(Key::error("two standard errors"));
    }
    if published().next().is_some() {
        keys.push(Key::mark(Sign::Circle, "ink", "published"));
    }
    let y = upright(axes.logarithmic, values().chain(published().map(|value| (value, 0.0))));
    let standing: Vec<usize> = (0..bars.len()).filter(|kind| !bars[*kind].bound).collect();
    let period = standing.len().max(1) as f64 + GAP;
    let full = (80.0 + 20.0 * period * groups.len() as f64).clamp(560.0, 1100.0);
    let plan =
        Plan::new(title, (&axes.x, Along::Names(groups.to_vec())), (&axes.y, Along::Numbers(y)));
    let mut frame = Frame::new(Plan { size: (full, 400.0), keys, ..plan });
    for group in 0..groups.len() {
        let [left, right] = frame.x.strip_of(group);
        // From widths of a bar, counted from the first bar of the group, to pixels.
        let wide = (right - left) / period;
        let across = |bars: f64| left + (0.5 * GAP + bars) * wide;
        for (place, &kind) in standing.iter().enumerate() {
            let Some(&(value, error)) = bars[kind].values.get(group) else { continue };
            let place = place as f64;
            let sides = [place + 0.08, place + 0.92].map(across);
            frame.bar(&format!("bar {}", looks[kind]), sides, value);
            // A single seed has none.
            if error.is_finite() && error > 0.0 {
                frame.error(across(place + 0.5), [value - error, value + error]);
            }
        }
        let ends = [-BEYOND, standing.len() as f64 + BEYOND];
        for (kind, look) in bars.iter().zip(&looks).filter(|(kind, _)| kind.bound) {
            let Some(&(value, _)) = kind.values.get(group) else { continue };
            if let Some(y) = frame.y(value).map(Spot::place) {
                let [from, to] = ends.map(|end| (across(end), y));
                frame.push(&chart::svg::line(&format!("line {look}"), from, to));
            }
        }
        for (kind, (bars, look)) in bars.iter().zip(&looks).enumerate() {
            let published = bars.published.get(group).copied().flatten();
            let Some(spot) = published.and_then(|value| frame.y(value)) else { continue };
            // That of a bound is at the right end of its line.
            let place = standing
                .iter()
                .position(|standing| *standing == kind)
                .map_or(ends[1], |place| place as f64 + 0.5);
            let ring = if bars.bound { look } else { "ink" };
            let at = (across(place), spot.place());
            frame.push(&Sign::Circle.element(ring, at, "published"));
        }
    }
    frame.close()
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
            let svg = draw("Matern 5/2", &axes, &groups, &bars).inline();
            // One for each published value, one in the legend.
            assert_eq!(svg.matches("<circle").count(), 4, "{svg}");
            assert!(!svg.contains("NaN") && !svg.contains("< 0.01"), "{svg}");
            // The frame, four bars, two signs of bars.
            assert_eq!(svg.matches("<rect").count(), 7, "{svg}");
        }
    }
}
