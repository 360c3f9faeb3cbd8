//! How long an evaluation of the likelihood takes, and whether another one fits into the time left.

use std::time::Instant;

use crate::math::clock::Deadline;
use crate::model::KernelFamily;

/// Seconds of a unit of work before anything was measured. On the machine where the constants below
/// were found, a unit takes half of it.
const UNIT: f64 = 2e-11;

/// The work of an evaluation, some `n^2 (n + 800 + 8 d)` units: a third of the products of its
/// cubic part, blocks of a quadratic part (kernel values, solves, memory), and the products with
/// the inputs. From 64 to 1000 observations in 2 to 32 dimensions it is right to within a factor of
/// two.
///
/// With a kernel of rank `m` below `n` it is `n m (16 m + 500)` units: two products with the
/// features, and what is done for each of these.
fn work(family: KernelFamily, n: usize, d: usize) -> f64 {
    let rank = family.rank(d).filter(|&rank| rank < n);
    let n = n as f64;
    match rank.map(|rank| rank as f64) {
        None => n * n * (n + 800.0 + 8.0 * d as f64),
        Some(m) => n * m * (16.0 * m + 500.0),
    }
}

/// The share of a factor and its covariance in an evaluation with gradient.
const FACTOR: f64 = 0.3;

/// The seconds that a posterior of `n` observations in `d` dimensions is expected to take.
pub(crate) fn seconds_of_factor(family: KernelFamily, n: usize, d: usize) -> f64 {
    FACTOR * UNIT * work(family, n, d)
}

/// Looks at the clock between evaluations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Watch {
    deadline: Deadline,
    family: KernelFamily,
    /// Seconds of a unit of work in the last evaluation; none before the first.
    last: Option<f64>,
    /// The smaller of the last two. Other work on the machine slows an evaluation now and then, and
    /// so do the first pages of memory.
    unit: f64,
}

impl Watch {
    pub fn new(deadline: Deadline, family: KernelFamily) -> Self {
        Self { deadline, family, last: None, unit: UNIT }
    }

    /// A watch that knows how many seconds an evaluation of this size takes.
    #[cfg(test)]
    pub fn paced(deadline: Deadline, seconds: f64, n: usize, d: usize) -> Self {
        let family = KernelFamily::default();
        Self { deadline, family, last: None, unit: seconds / work(family, n, d) }
    }

    /// A watch with the same pace, for a share of the time left.
    pub fn part(self, share: f64) -> Self {
        Self { deadline: self.deadline.part(share), ..self }
    }

    /// Whether there is a deadline.
    pub fn is_set(&self) -> bool {
        self.deadline.is_set()
    }

    /// Whether this many evaluations are expected to fit.
    pub fn fits(&self, evaluations: usize, n: usize, d: usize) -> bool {
        self.deadline.left().is_none_or(|left| self.fits_into(left, evaluations, n, d))
    }

    fn fits_into(&self, left: f64, evaluations: usize, n: usize, d: usize) -> bool {
        left > 0.0 && evaluations as f64 * self.unit * work(self.family, n, d) <= left
    }

    /// The largest number of observations, at most `n`, of which this many evaluations are expected
    /// to fit.
    pub fn most(&self, evaluations: usize, n: usize, d: usize) -> usize {
        let Some(left) = self.deadline.left() else { return n };
        let mut fits = 0;
        let mut too_many = n + 1;
        while too_many - fits > 1 {
            let middle = fits + (too_many - fits) / 2;
            if self.fits_into(left, evaluations, middle, d) {
                fits = middle;
            } else {
                too_many = middle;
            }
        }
        fits
    }

    fn learn(&mut self, unit: f64) {
        self.unit = self.last.map_or(unit, |last| last.min(unit));
        self.last = Some(unit);
    }

    /// Evaluates, and learns from the time it took. Without a deadline it does not look at the
    /// clock.
    pub fn time<T>(&mut self, n: usize, d: usize, evaluate: impl FnOnce() -> T) -> T {
        let began = self.deadline.is_set().then(Instant::now);
        let result = evaluate();
        if let Some(began) = began {
            self.learn(began.elapsed().as_secs_f64() / work(self.family, n, d));
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_fits_grows_with_the_time_and_falls_with_the_work() {
        let watch = Watch::new(Deadline::NEVER, KernelFamily::Matern52);
        assert!(watch.fits(usize::MAX, 1_000_000, 1000));
        assert_eq!(watch.most(6, 5000, 8), 5000);
        // One evaluation of 1000 observations in 8 dimensions: 1000^2 (1000 + 864) units of 2e-11
        // seconds.
        let one = 1e6 * 1864.0 * UNIT;
        assert!(
            watch.fits_into(1.001 * one, 1, 1000, 8) && !watch.fits_into(0.999 * one, 1, 1000, 8)
        );
        assert!(
            !watch.fits_into(1.001 * one, 2, 1000, 8) && !watch.fits_into(1.001 * one, 1, 1001, 8)
        );
        assert!(!watch.fits_into(0.0, 0, 1, 1));
    }

    #[test]
    fn the_largest_part_that_fits_is_found() {
        let never = Watch::new(Deadline::after(Some(Duration::ZERO)), KernelFamily::Matern52);
        assert_eq!((never.most(1, 100, 2), never.fits(1, 1, 1)), (0, false));
        // An hour is enough for six evaluations of these. The seconds that pass meanwhile change
        // nothing.
        let an_hour = Deadline::after(Some(Duration::from_secs(3600)));
        let hour = Watch::new(an_hour, KernelFamily::Matern52);
        assert_eq!(hour.most(6, 2000, 8), 2000);
        let all = Watch::new(an_hour, KernelFamily::SphericalLinear).most(6, 1_000_000, 8);
        assert_eq!(all, 1_000_000, "a kernel of low rank has time for all");
        let many = hour.most(6, 1_000_000, 8);
        assert!(
            hour.fits_into(3600.0, 6, many, 8) && !hour.fits_into(3000.0, 6, many + many / 10, 8),
            "{many}"
        );
    }

    #[test]
    fn the_pace_is_that_of_the_quicker_of_the_last_two() {
        let mut watch = Watch::new(Deadline::NEVER, KernelFamily::Matern52);
        let units: Vec<f64> = [3e-11, 1e-11, 9e-11, 8e-11]
            .into_iter()
            .map(|unit| {
                watch.learn(unit);
                watch.unit
            })
            .collect();
        assert_eq!(units, [3e-11, 1e-11, 1e-11, 8e-11]);
        // Without a deadline nothing is measured.
        assert_eq!((watch.time(10, 1, || 5), watch.unit), (5, 8e-11));
    }
}
