//! The probability of success in scores of several points.

use crate::backend::Job;
use crate::backend::scores::Scores;
use crate::data::Points;
use crate::error::Result;
use crate::posterior::log_success;

/// Multiplies positive scores of rows by the probability that a trial at their first point
/// succeeds. Other scores say that the row is worth nothing, and stay. So a climb from such a row does not
/// seek failure.
pub(in crate::backend) fn weigh(job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
    let Some(latent) = job.latent() else { return Ok(()) };
    let (d, width) = (job.posterior.dim(), points.dim());
    let roots: Vec<f64> = points.rows().flat_map(|row| row[..d].iter().copied()).collect();
    let roots = Points::from_rows(d, roots)?;
    let moments = if job.gradient {
        latent.moments_with_gradients(&roots)?
    } else {
        latent.moments(&roots)?
    };
    for row in 0..points.len() {
        if scores.value[row] <= 0.0 {
            continue;
        }
        let (log_p, by_mean, by_variance) = log_success(moments.mean[row], moments.variance[row]);
        let p = log_p.exp();
        scores.value[row] *= p;
        if !job.gradient {
            continue;
        }
        let gradient = &mut scores.gradient[row * width..(row + 1) * width];
        gradient.iter_mut().for_each(|slope| *slope *= p);
        for (k, slope) in gradient[..d].iter_mut().enumerate() {
            let at = row * d + k;
            *slope += scores.value[row]
                * (by_mean * moments.mean_gradient[at]
                    + by_variance * moments.variance_gradient[at]);
        }
    }
    Ok(())
}
