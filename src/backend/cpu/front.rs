//! The expected improvement of a front: one posterior for each objective.

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use crate::acquisition::foreseen;
use crate::acquisition::front::{FrontImprovement, FrontScore, FrontScratch, MOST_OBJECTIVES};
use crate::backend::Job;
use crate::backend::scores::Scores;
use crate::data::Points;
use crate::error::Result;
use crate::math::share;
use crate::posterior::{LogUsable, Moments};

/// About the time of one box of a front, in nanoseconds: its logarithms.
const BOX: f64 = 100.0;

/// Fills the scores of a front's improvement: `ln EHVI`, less `ln E[c]` if it is per cost, and with
/// `ln P` if a trial may be of no use.
pub(super) fn improvement(
    job: &Job<'_>,
    front: &FrontImprovement,
    points: &Points,
    scores: &mut Scores,
) -> Result<()> {
    let d = points.dim();
    let mut beliefs = vec![(job.posterior.batch(points, job.gradient)?, job.noise)];
    for (posterior, noise) in &front.others {
        let noise = if job.noise > 0.0 { *noise } else { 0.0 };
        beliefs.push((posterior.batch(points, job.gradient)?, noise));
    }
    let cost = front.per_cost.then(|| job.cost.log_expected(points, job.gradient)).transpose()?;
    let usable = match job.use_counts() {
        Some(usable) => {
            let mut log = LogUsable::default();
            usable.log_probabilities(points, job.gradient, &mut log)?;
            Some(log)
        }
        None => None,
    };
    let scored: Vec<(FrontScore, [f64; MOST_OBJECTIVES])> = (0..points.len())
        .into_par_iter()
        .with_min_len(share::least(BOX * front.cells.boxes().len() as f64))
        .map_init(FrontScratch::default, |scratch, j| score(front, &beliefs, j, scratch))
        .collect();
    for (j, (score, d_variance)) in scored.iter().enumerate() {
        let logs = [cost.as_ref().map(|(cost, _)| -cost[j]), usable.as_ref().map(|u| u.value[j])];
        scores.value[j] = score.value + front.log_unit + logs.into_iter().flatten().sum::<f64>();
        if !job.gradient {
            continue;
        }
        for at in j * d..(j + 1) * d {
            let of = |(k, (moments, _)): (usize, &(Moments, f64))| {
                score.d_mean[k] * moments.mean_gradient[at]
                    + d_variance[k] * moments.variance_gradient[at]
            };
            let mut slope = beliefs.iter().enumerate().map(of).sum::<f64>();
            slope -= cost.as_ref().map_or(0.0, |(_, slopes)| slopes[at]);
            slope += usable.as_ref().map_or(0.0, |usable| usable.gradient[at]);
            scores.gradient[at] = slope;
        }
    }
    let (outcome, _) = beliefs.swap_remove(0);
    scores.floored = outcome.floored;
    scores.mean = outcome.mean;
    scores.variance = outcome.variance;
    Ok(())
}

/// The score of point `j`, and its derivatives by the variances.
fn score(
    front: &FrontImprovement,
    beliefs: &[(Moments, f64)],
    j: usize,
    scratch: &mut FrontScratch,
) -> (FrontScore, [f64; MOST_OBJECTIVES]) {
    let [mut mean, mut sd, mut by_variance] = [[0.0; MOST_OBJECTIVES]; 3];
    for (k, (moments, noise)) in beliefs.iter().enumerate() {
        mean[k] = moments.mean[j];
        (sd[k], by_variance[k]) = foreseen(moments.variance[j], *noise);
    }
    let count = beliefs.len();
    let score = front.cells.log_expected_improvement(&mean[..count], &sd[..count], scratch);
    by_variance.iter_mut().zip(score.d_sd).for_each(|(slope, by_sd)| *slope *= by_sd);
    (score, by_variance)
}
