//! Medians over seeds as lines between quartiles as bands, or means with one or two standard errors
//! or 95 % intervals; published values as circles.

use plotters::prelude::*;

use super::legend::{Legend, Sign};
use super::palette::{Look, looks};
use super::paper::{CIRCLE, Chart, chart, paper};
use super::scale::Scale;
use crate::experiment::{Axes, Curve, CurvePoint, Statistic};
use frontend::ink::Result;

/// The opacity of a band. The lines of eight methods stay visible through their bands.
const BAND: f64 = 0.1;

pub fn draw(svg: &mut String, title: &str, axes: &Axes, curves: &[Curve]) -> Result<()> {
    let names: Vec<&str> = curves.iter().map(|curve| &*curve.name).collect();
    let looks = looks(&names);
    let mut legend = Legend::default();
    for (name, look) in names.iter().zip(&looks) {
        legend.add(Sign::Line(*look), *name);
    }
    let [lower, middle, upper] = numbers(axes.statistic);
    if curves.iter().flat_map(|curve| &curve.points).any(|point| lower(point) < upper(point)) {
        let meaning = match axes.statistic {
            Statistic::Median => "quartiles",
            Statistic::Mean => "2 std. errors",
            Statistic::StandardError => "std. error",
            Statistic::Interval => "95 % interval",
        };
        legend.add(Sign::Band, meaning);
    }
    if curves.iter().any(|curve| !curve.published.is_empty()) {
        legend.add(Sign::Circle, "published");
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
    let (left, right) = paper(svg, (660, 440), legend.size())?;
    let mut chart = chart(&left, &title, axes, &x, &y, 14)?;
    for (curve, look) in curves.iter().zip(&looks) {
        let mut band = along(curve, &y, upper);
        band.extend(along(curve, &y, lower).into_iter().rev());
        chart.draw_series([Polygon::new(band, look.color.mix(BAND).filled())])?;
    }
    for (curve, look) in curves.iter().zip(&looks) {
        line(&mut chart, along(curve, &y, middle), *look)?;
    }
    for (curve, look) in curves.iter().zip(&looks) {
        let places: Vec<(f64, f64)> = curve
            .published
            .iter()
            .filter_map(|(x, number)| Some((*x, y.place(*number)?)))
            .collect();
        // White inside, so that a circle on a line is visible.
        chart.draw_series(
            places.iter().map(|place| Circle::new(*place, CIRCLE, WHITE.mix(0.8).filled())),
        )?;
        chart.draw_series(
            places.iter().map(|place| Circle::new(*place, CIRCLE, look.color.stroke_width(2))),
        )?;
    }
    legend.draw(&right)?;
    left.present()?;
    Ok(())
}

fn line(chart: &mut Chart<'_, '_>, places: Vec<(f64, f64)>, look: Look) -> Result<()> {
    let style = look.color.stroke_width(2);
    if look.second {
        chart.draw_series(DashedLineSeries::new(places, 7, 4, style))?;
    } else {
        chart.draw_series(LineSeries::new(places, style))?;
    }
    Ok(())
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

/// The points as steps: a value holds until the next one replaces it, as the best value does until
/// a better one is bought.
fn along(curve: &Curve, y: &Scale, number: impl Fn(&CurvePoint) -> f64) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = Vec::new();
    for point in &curve.points {
        let Some(place) = y.place(number(point)).filter(|_| point.x.is_finite()) else { continue };
        if let Some(&(_, before)) = line.last() {
            // One long step is enough if nothing changes.
            if before == place && line.len() >= 2 && line[line.len() - 2].1 == place {
                line.pop();
            } else {
                line.push((point.x, before));
            }
        }
        line.push((point.x, place));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, median: f64) -> CurvePoint {
        CurvePoint {
            x,
            lower_quartile: median,
            median,
            upper_quartile: median,
            mean: median,
            two_standard_errors: None,
            half_interval: None,
        }
    }

    #[test]
    fn a_value_holds_until_the_next_one_replaces_it() {
        let medians = [5.0, 5.0, 5.0, 3.0, f64::NAN, 3.0, 2.0];
        let points = medians.iter().enumerate().map(|(k, y)| point(k as f64, *y)).collect();
        let curve = Curve { name: "PBGI".to_owned(), seeds: 5, points, published: Vec::new() };
        let scale = Scale::around(false, medians.into_iter());
        let line = along(&curve, &scale, |point| point.median);
        assert_eq!(line.first(), Some(&(0.0, 5.0)));
        assert_eq!(line.last(), Some(&(6.0, 2.0)));
        for corner in [(3.0, 5.0), (3.0, 3.0), (6.0, 3.0)] {
            assert!(line.contains(&corner), "{corner:?} of {line:?}");
        }
        assert!(
            line.windows(2).all(|pair| pair[0].0 == pair[1].0 || pair[0].1 == pair[1].1),
            "{line:?}"
        );
    }
}
