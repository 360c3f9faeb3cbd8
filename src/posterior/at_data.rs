//! The largest posterior `mean + z sd` at the data, found by looking at few of them.

use std::time::Instant;

use crate::error::Result;
use crate::math::clock::{Deadline, Pace};
use crate::posterior::Posterior;

/// The number of data in the first batch between two looks at the clock.
const FIRST: usize = 32;

/// The largest `mean + z sd` over data, as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct LargestAtData {
    /// The largest value among the data that were looked at.
    pub value: f64,
    /// The rows of these data, beginning with the largest mean.
    pub rows: Vec<usize>,
    /// A bound on all other data. It is minus infinity or at most `value`, unless the time was up.
    pub rest: f64,
}

impl Posterior {
    /// The means at the inputs, in `O(n)`. With `s` the noise and the jitter,
    /// `(K + s I) alpha = y - m` gives the means `m + K alpha = y - s alpha`. If the data were
    /// compressed, they have no weights of their own, and it takes `O(n d^2)`.
    pub(crate) fn means_at_data(&self) -> Vec<f64> {
        if self.compressed.is_some() {
            return self.means(self.inputs());
        }
        let noise = self.noise_at_data();
        self.outcomes()
            .iter()
            .zip(&self.alpha)
            .map(|(outcome, alpha)| outcome - noise * alpha)
            .collect()
    }

    /// An upper bound on the variance at an input, which is `s - s^2 [(K + s I)^-1]_ii`.
    fn noise_at_data(&self) -> f64 {
        self.hyperparameters().noise + self.jitter()
    }

    /// The largest `mean + z sd` over the first `count` inputs. It looks at the largest means
    /// first, until the rest cannot be larger. It looks at the first few even if the time is up.
    #[doc(hidden)]
    pub fn largest_at_data(
        &self,
        z: f64,
        count: usize,
        deadline: Deadline,
    ) -> Result<LargestAtData> {
        let means = self.means_at_data();
        let mut order: Vec<usize> = (0..count.min(means.len())).collect();
        order.sort_by(|&a, &b| means[b].total_cmp(&means[a]));
        // Rounding, and a variance that was lifted to its floor, may add to a bound. That does not
        // matter to the callers.
        let bound = |at: usize| {
            order.get(at).map_or(f64::NEG_INFINITY, |&row| {
                means[row] + z.max(0.0) * self.noise_at_data().sqrt()
            })
        };
        let mut pace = Pace::new(FIRST);
        let mut done = 0;
        let mut value = f64::NEG_INFINITY;
        while bound(done) > value {
            let room = pace.next(deadline.left().unwrap_or(f64::INFINITY)).max(if done == 0 {
                FIRST
            } else {
                0
            });
            if room == 0 {
                break;
            }
            let next = &order[done..order.len().min(done.saturating_add(room))];
            let began = Instant::now();
            let moments = self.moments(&self.inputs().select(next.iter().copied()))?;
            pace.took(next.len(), began.elapsed().as_secs_f64());
            value = moments
                .mean
                .iter()
                .zip(&moments.variance)
                .map(|(mean, variance)| mean + z * variance.sqrt())
                .fold(value, f64::max);
            done += next.len();
        }
        let rest = bound(done);
        order.truncate(done);
        Ok(LargestAtData { value, rows: order, rest })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::data::Points;
    use crate::math::sobol::Sobol;
    use crate::model::{Hyperparameters, KernelFamily};

    fn posterior(noise: f64) -> Posterior {
        let inputs = Sobol::new(2, 3).points(0, 300);
        let outcomes: Vec<f64> = inputs
            .rows()
            .enumerate()
            .map(|(i, x)| (7.0 * x[0] + x[1]).sin() + 0.3 * (i as f64).cos())
            .collect();
        let hyperparameters =
            Hyperparameters { lengthscales: vec![0.3, 0.5], outputscale: 1.0, noise, mean: 0.1 };
        Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &outcomes).unwrap()
    }

    /// The largest value over all of them.
    fn whole(posterior: &Posterior, z: f64, count: usize) -> f64 {
        let moments = posterior.moments(&posterior.inputs().select(0..count)).unwrap();
        moments
            .mean
            .iter()
            .zip(&moments.variance)
            .map(|(mean, variance)| mean + z * variance.sqrt())
            .fold(f64::NEG_INFINITY, f64::max)
    }

    #[test]
    fn the_largest_of_all_is_found_among_few() {
        for noise in [1e-4, 0.1] {
            let posterior = posterior(noise);
            for (z, count) in [(5.0, 300), (-2.0, 300), (0.0, 200), (1.0, 40)] {
                let found = posterior.largest_at_data(z, count, Deadline::NEVER).unwrap();
                let expected = whole(&posterior, z, count);
                let tolerance = 1e-9;
                assert!(
                    (found.value - expected).abs() < tolerance,
                    "noise {noise}, z {z}: {} of {expected}",
                    found.value
                );
                assert!(found.rest <= found.value + tolerance && found.rows.len() <= count);
            }
        }
        // With a small noise the bound is sharp, and the largest means decide.
        let rows = posterior(1e-4).largest_at_data(5.0, 300, Deadline::NEVER).unwrap().rows;
        assert!(rows.len() < 150, "{}", rows.len());
    }

    #[test]
    fn without_time_the_bound_holds_for_the_rest() {
        let posterior = posterior(0.1);
        let late =
            posterior.largest_at_data(50.0, 300, Deadline::after(Some(Duration::ZERO))).unwrap();
        assert_eq!(late.rows.len(), FIRST);
        let expected = whole(&posterior, 50.0, 300);
        assert!(
            late.value <= expected && expected <= late.value.max(late.rest),
            "{late:?} of {expected}"
        );
        let none = posterior.largest_at_data(1.0, 0, Deadline::NEVER).unwrap();
        assert_eq!((none.value, none.rows.len()), (f64::NEG_INFINITY, 0));
    }

    #[test]
    fn means_at_the_data_come_from_the_weights() {
        let posterior = posterior(0.01);
        let means = posterior.moments(posterior.inputs()).unwrap();
        // Both are sums of 300 numbers of size alpha, which is below a hundred here.
        let off = posterior
            .means_at_data()
            .iter()
            .zip(&means.mean)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        assert!(off < 1e-10, "{off}");
        assert!(
            means
                .variance
                .iter()
                .all(|variance| *variance <= posterior.noise_at_data() * (1.0 + 1e-9))
        );
        let one = Posterior::new(
            KernelFamily::Rbf,
            &Hyperparameters { lengthscales: vec![1.0], outputscale: 2.0, noise: 0.5, mean: 0.0 },
            &Points::from_rows(1, vec![0.3]).unwrap(),
            &[1.0],
        );
        // 2 / (2 + 1/2) of the outcome.
        assert!((one.unwrap().means_at_data()[0] - 0.8).abs() < 1e-15);
    }
}
