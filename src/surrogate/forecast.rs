//! What pending trials will cost, and what it means that one is still running.

use crate::data::Points;
use crate::error::Result;
use crate::math::log_normal::LogNormal;
use crate::posterior::LEAST_MISSING;
use crate::surrogate::surrogate::Surrogate;

impl Surrogate {
    /// The costs of trials at these points, noise included; none unless costs are learned and one
    /// was told.
    ///
    /// # Errors
    /// Those of [`Posterior::moments`](crate::Posterior::moments).
    pub(crate) fn costs_of_trials(&self, points: &Points) -> Result<Option<Vec<LogNormal>>> {
        let Some(posterior) = self.log_cost() else { return Ok(None) };
        let noise = posterior.hyperparameters().noise;
        let moments = posterior.moments(points)?;
        let costs = moments.mean.iter().zip(&moments.variance);
        Ok(Some(
            costs.map(|(&mean, variance)| LogNormal { mean, variance: variance + noise }).collect(),
        ))
    }
}

/// The chance that a worker is dead whose trial is still running at this cost. Of all workers 1/64
/// die. One that lives is still running with probability `P(c > a)`:
///
/// ```text
/// P(dead | still running at a) = p / (p + (1 - p) P(c > a))      p = 1/64
/// ```
pub(crate) fn chance_dead(cost: &LogNormal, so_far: f64) -> f64 {
    let lives = (1.0 - LEAST_MISSING) * cost.log_chance_above(so_far).exp();
    LEAST_MISSING / (LEAST_MISSING + lives)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_given_less_and_less_of_a_chance() {
        let cost = LogNormal { mean: 1.0, variance: 0.3 };
        assert_eq!(chance_dead(&cost, 0.0), LEAST_MISSING);
        let mut before = 0.0;
        for step in 0..400 {
            let dead = chance_dead(&cost, 0.1 * f64::from(step));
            assert!(dead >= before && dead <= 1.0, "{step}: {dead}");
            // The slope of P(c > a) is at most 1.12 here, and the quotient has at most p^-1 of it.
            assert!(dead - before < 0.12, "{step}: {dead} after {before}");
            before = dead;
        }
        assert!(before > 0.999);
        // At the median half of the living are done.
        let median = chance_dead(&cost, cost.quantile(0.5));
        assert!((median - 2.0 / 65.0).abs() < 1e-15, "{median}");
    }
}
