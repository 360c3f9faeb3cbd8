//! Medians over seeds as lines between quartiles as bands, or means with one or two standard errors
//! or 95 % intervals; published values as circles.

use chart::{Along, Frame, Key, Panel, Plan, Scale, Sign, steps};

use super::palette::looks;
use crate::experiment::{Axes, Curve, CurvePoint, Statistic};

pub fn draw(title: &str, axes: &Axes, curves: &[Curve]) -> Panel {
    let names: Vec<&str> = curves.iter().map(|curve| &*curve.name).collect();
    let looks = looks(&names);
    let mut keys: Vec<Key> = names
        .iter()
        .zip(&looks)
        .map(|(name, look)| Key::line(&format!("line {look}"), *name))
        .collect();
    let [lower, middle, upper] = numbers(axes.statistic);
    if curves.iter().flat_map(|curve| &curve.points).any(|point| lower(point) < upper(point)) {
        let meaning = match axes.statistic {
            Statistic::Median => "quartiles",
            Statistic::Mean => "2 std. errors",
            Statistic::StandardError => "std. error",
            Statistic::Interval => "95 % interval",
        };
        keys.push(Key::area("band ink", meaning));
    }
    if curves.iter().any(|curve| !curve.published.is_empty()) {
        keys.push(Key::mark(Sign::Circle, "ink", "published"));
    }
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let published = || curves.iter().flat_map(|curve| &curve.published);
    let places =
        points().map(|point| point.x).chain(published().map(|(x, _)| *x)).filter(|x| x.is_finite());
    let (low, high) =
        places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let x = if low <= high { Scale::exact(low, high) } else { Scale::exact(0.0, 1.0) };
    let numbers = points().flat_map(|point| [lower(point), middle(point), upper(point)]);
    let y = Scale::around(axes.logarithmic, numbers.chain(published().map(|(_, y)| *y)));
    let seeds = curves.iter().map(|curve| curve.seeds).max().unwrap_or(0);
    let title =
        if seeds == 1 { format!("{title}, 1 seed") } else { format!("{title}, {seeds} seeds") };
    let plan = Plan::new(&title, (&axes.x, Along::Numbers(x)), (&axes.y, Along::Numbers(y)));
    let mut frame = Frame::new(Plan { size: (560.0, 380.0), keys, ..plan });
    let along = |curve: &Curve, number: fn(&CurvePoint) -> f64| {
        let finite = curve.points.iter().filter(|point| point.x.is_finite());
        steps(finite.map(|point| (point.x, number(point))))
    };
    for (curve, look) in curves.iter().zip(&looks) {
        frame.band(&format!("band {look}"), along(curve, lower), along(curve, upper));
    }
    for (curve, look) in curves.iter().zip(&looks) {
        frame.curve(&format!("line {look}"), along(curve, middle));
    }
    for (curve, look) in curves.iter().zip(&looks) {
        for point in &curve.published {
            frame.mark(Sign::Circle, look, *point, "published");
        }
    }
    frame.close()
}

/// The lower end of the band, the line, and the upper end at a point.
fn numbers(statistic: Statistic) -> [fn(&CurvePoint) -> f64; 3] {
    match statistic {
        Statistic::Median => {
            [|point| point.lower_quartile, |point| point.median, |point| point.upper_quartile]
        }
        Statistic::Mean => [
            |point| point.mean - point.two_standard_errors.unwrap_or(0.0),
            |point| point.mean,
            |point| point.mean + point.two_standard_errors.unwrap_or(0.0),
        ],
        Statistic::StandardError => [
            |point| point.mean - 0.5 * point.two_standard_errors.unwrap_or(0.0),
            |point| point.mean,
            |point| point.mean + 0.5 * point.two_standard_errors.unwrap_or(0.0),
        ],
        Statistic::Interval => [
            |point| point.mean - point.half_interval.unwrap_or(0.0),
            |point| point.mean,
            |point| point.mean + point.half_interval.unwrap_or(0.0),
        ],
    }
}
