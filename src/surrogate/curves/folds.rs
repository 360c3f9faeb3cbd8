//! The kernel of folds: what the mean of the first folds of one run says of another.
//!
//! A fold is a measurement of one mean, and no fold comes before another: there is no curve. Fold `j`
//! of a run at the settings `x` has the value
//!
//! ```text
//! f(x) + o_run + d_j + g_j(x) + e_(run, j)
//! ```
//!
//! with the surface `f` of deviation `s`, what is the run's own `o` (`w`), how hard the fold is for
//! all (`b`), what it likes of settings `g_j` (`r`), and the rest `e` (`n`). A run has the mean of its
//! folds so far. That of the first `j` and that of the first `l` share `min(j, l)` folds, so that all
//! that belongs to a fold has the covariance `min(j, l)/(j l) = 1/max(j, l)`:
//!
//! ```text
//! k((x, j), (x', l)) = 1 + b^2/max(j, l) + (s^2 + r^2/max(j, l)) kx(x, x')
//!                      + [same run] (w^2 + n^2/max(j, l))
//! ```
//!
//! A fold that two runs have is compared within itself: how hard it is cancels. A mean is exact once
//! its folds are known, and so is the end of a run.

/// The deviation of a mean about its folds: none, but for the factor of the covariances. The means of
/// `k - 1` and of `k` folds differ by `n/k`, far more than this.
const EXACT: f64 = 1e-3;

/// The variances of the kernel: squares of deviations, whose logarithms are the parameters after the
/// lengthscales, in this order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Folds {
    /// The share of a run at its first fold.
    first: f64,
    surface: f64,
    likes: f64,
    hardness: f64,
    own: f64,
    rest: f64,
}

/// How many parameters there are.
pub const AFTER: usize = 5;

/// The share of a run at which the priors of what varies from part to part are meant.
const FOLD: f64 = 0.1;

/// The prior of the rest of a fold: a median and a deviation of the logarithm.
const REST_OF_FOLDS: [f64; 2] = [0.2, 1.0];

/// That of items. Of models, solvers and learners on items the rest is 0.6 to 1.5 times what is hard
/// for all. It is held there: two that answer alike would have the rest vanish, and the first few
/// items would decide about all others.
const REST_OF_ITEMS: [f64; 2] = [0.45, 0.35];

/// Whether a first report of this share of a run is of items: of less than a fold.
pub fn are_items(first: f64) -> bool {
    first < FOLD
}

/// The means and deviations of their normal priors, for a first report of this share of a run. What
/// varies from part to part has a deviation that falls with the root of their number.
pub fn priors(first: f64) -> [[f64; 2]; AFTER] {
    let smaller = (FOLD / first).max(1.0).sqrt();
    let [rest, sd] = if are_items(first) { REST_OF_ITEMS } else { REST_OF_FOLDS };
    [
        [0.0, 0.5],
        [0.3f64.ln(), 0.7],
        [(0.5 * smaller).ln(), 1.0],
        [0.25f64.ln(), 0.6],
        [(rest * smaller).ln(), sd],
    ]
}

/// The variance of a report about its mean.
pub fn noise() -> f64 {
    EXACT * EXACT
}

impl Folds {
    /// The kernel of runs whose first fold is this share of them, with [`AFTER`] parameters.
    pub fn new(first: f64, after: &[f64]) -> Self {
        let variance = |parameter: usize| (2.0 * after[parameter]).exp();
        Self {
            first,
            surface: variance(0),
            likes: variance(1),
            hardness: variance(2),
            own: variance(3),
            rest: variance(4),
        }
    }

    /// `1/max(j, l)` of the means at two shares of a run.
    fn shared(&self, share: f64, other: f64) -> f64 {
        self.first / share.max(other)
    }

    /// The covariance of the means at two shares of runs, of settings with this `kx`.
    pub fn covariance(&self, settings: f64, same_run: bool, share: f64, other: f64) -> f64 {
        let shared = self.shared(share, other);
        let own = if same_run { self.own + self.rest * shared } else { 0.0 };
        1.0 + self.hardness * shared + self.between(shared) * settings + own
    }

    /// What settings have to do with it.
    fn between(&self, shared: f64) -> f64 {
        self.surface + self.likes * shared
    }

    /// Adds `weight` times the derivatives of a covariance by the parameters, and returns that by `kx`.
    pub fn add_slopes(
        &self,
        settings: f64,
        same_run: bool,
        [share, other]: [f64; 2],
        weight: f64,
        slopes: &mut [f64],
    ) -> f64 {
        let shared = self.shared(share, other);
        let run = if same_run { 1.0 } else { 0.0 };
        let parts = [
            self.surface * settings,
            self.likes * shared * settings,
            self.hardness * shared,
            self.own * run,
            self.rest * shared * run,
        ];
        for (slope, part) in slopes.iter_mut().zip(parts) {
            *slope += weight * 2.0 * part;
        }
        self.between(shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The covariance of means is that of their folds, averaged.
    #[test]
    fn means_have_the_covariance_of_their_folds() {
        let kernel = Folds::new(0.2, &[1.1f64, 0.4, 0.7, 0.25, 0.3].map(f64::ln));
        let [surface, likes, hardness, own, rest] = [1.1f64, 0.4, 0.7, 0.25, 0.3].map(|s| s * s);
        let count = 5;
        for (settings, same_run) in [(1.0, true), (1.0, false), (0.3, false), (0.0, false)] {
            let fold = |i: usize, j: usize| {
                let same_fold = f64::from(u8::from(i == j));
                let run = f64::from(u8::from(same_run));
                1.0 + hardness * same_fold
                    + (surface + likes * same_fold) * settings
                    + run * (own + rest * same_fold)
            };
            for j in 1..=count {
                for l in 1..=count {
                    let sum: f64 = (0..j)
                        .flat_map(|i| (0..l).map(move |m| (i, m)))
                        .map(|(i, m)| fold(i, m))
                        .sum();
                    let expected = sum / (j * l) as f64;
                    let share = |folds: usize| folds as f64 / count as f64;
                    let got = kernel.covariance(settings, same_run, share(j), share(l));
                    // Sums of 25 terms near three.
                    assert!((got - expected).abs() < 1e-14 * 25.0, "{j} {l}: {got} {expected}");
                }
            }
        }
    }
}
