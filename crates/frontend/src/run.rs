//! What is told and drawn of a run that stops when nothing is worth its price.

use std::ops::Range;

use gittins::study::Why;
use plotters::prelude::*;

use crate::chart::{Area, BLUE, RED, Result, axes, key, labels, span};

/// The cost that the study expects of a trial; none in the initial design.
pub fn expected_cost(why: &Why) -> Option<f64> {
    match why {
        Why::Suggested(suggestion) => Some(suggestion.cost),
        _ => None,
    }
}

/// Draws the stopping rule's statistic against money spent, with its threshold of 0. The statistic
/// is the least error less the best remaining index.
pub fn draw_stop(
    area: &Area<'_>,
    statistic: &[(f64, f64)],
    spent: Range<f64>,
    lambda: f64,
) -> Result<()> {
    let title = format!(
        "When to stop: the best index left against the best error, at {lambda} of error per second"
    );
    let threshold = [(spent.start, 0.0), (spent.end, 0.0)];
    let mut chart = axes(
        area,
        &title,
        ["seconds spent on trials", "best error - best index"],
        spent,
        span(statistic.iter().copied().chain(threshold)),
    )?;
    chart
        .draw_series(LineSeries::new(statistic.iter().copied(), RED.stroke_width(2)).point_size(2))?
        .label("statistic")
        .legend(|at| key(at, RED));
    chart
        .draw_series(LineSeries::new(threshold, BLUE.stroke_width(2)))?
        .label("stop at or below")
        .legend(|at| key(at, BLUE));
    labels(&mut chart)
}
