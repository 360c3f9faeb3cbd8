//! The probability that a trial may be used, in scores of several points.

use crate::backend::Job;
use crate::backend::scores::Scores;
use crate::data::Points;
use crate::error::Result;
use crate::posterior::LogUsable;

/// Multiplies positive scores of rows by the probability that a trial at their first point may be
/// used. Other scores say that the row is worth nothing, and stay. So a climb from such a row does not
/// seek failure.
pub(in crate::backend) fn weigh(job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
    let Some(usable) = job.use_counts() else { return Ok(()) };
    let (d, width) = (job.posterior.dim(), points.dim());
    let roots: Vec<f64> = points.rows().flat_map(|row| row[..d].iter().copied()).collect();
    let mut log = LogUsable::default();
    usable.log_probabilities(&Points::from_rows(d, roots)?, job.gradient, &mut log)?;
    for row in 0..points.len() {
        if scores.value[row] <= 0.0 {
            continue;
        }
        let p = log.value[row].exp();
        scores.value[row] *= p;
        if !job.gradient {
            continue;
        }
        let gradient = &mut scores.gradient[row * width..(row + 1) * width];
        for slope in gradient.iter_mut() {
            *slope *= p;
        }
        for (slope, of_log) in gradient.iter_mut().zip(&log.gradient[row * d..(row + 1) * d]) {
            *slope += scores.value[row] * of_log;
        }
    }
    Ok(())
}
