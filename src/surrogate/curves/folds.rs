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
//!
//! Items of 0 and 1 have a variance that is [known](super::answers): an answer of the run `x` has the
//! deviation `q(x)`, of which `b^2`, `r^2` and `n^2` are the shares alone. And the level `v^2` of all runs
//! is between 0 and 1, however near each other they are. With `j` and `l` items
//!
//! ```text
//! k((x, j), (x', l)) = v^2 + s^2 kx(x, x') + [same run] w^2
//!                      + q(x) q(x')/max(j, l) (b^2 + r^2 kx(x, x') + [same run] n^2)/(b^2 + r^2 + n^2)
//! ```

/// The deviation of a mean about its folds: none, but for the factor of the covariances. The means of
/// `k - 1` and of `k` folds differ by `n/k`, far more than this.
const EXACT: f64 = 1e-3;

/// Two runs, one of which may be the other.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// `kx` of their settings.
    pub settings: f64,
    pub same_run: bool,
    /// The product of the deviations of an item of each, where these are known; otherwise 1.
    pub items: f64,
}

/// The variances of the kernel: squares of deviations, whose logarithms are the parameters after the
/// lengthscales, in this order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Folds {
    /// The share of a run at its first fold; of items whose variance is known at the first item.
    first: f64,
    /// The variance of what all runs have in common.
    level: f64,
    surface: f64,
    /// What varies from part to part: what it likes of settings, how hard it is, the rest.
    parts: [f64; 3],
    own: f64,
    /// Whether parts are shares of a known variance.
    shares: bool,
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

/// The deviation of the prior of what is hard for all. Of items whose variance is known the two share it,
/// and what is hard for all cannot take all: it is held as the rest is.
const HARDNESS: f64 = 1.0;

/// Whether a first report of this share of a run is of items: of less than a fold.
pub fn are_items(first: f64) -> bool {
    first < FOLD
}

/// The means and deviations of their normal priors, for a first report of this share of a run. What
/// varies from part to part has a deviation that falls with the root of their number.
pub fn priors(first: f64, answers: bool) -> [[f64; 2]; AFTER] {
    let smaller = (FOLD / first).max(1.0).sqrt();
    let [rest, sd] = if are_items(first) || answers { REST_OF_ITEMS } else { REST_OF_FOLDS };
    let hardness = if answers { sd } else { HARDNESS };
    [
        [0.0, 0.5],
        [0.3f64.ln(), 0.7],
        [(0.5 * smaller).ln(), hardness],
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
        let parts = [1, 2, 4].map(variance);
        Self { first, level: 1.0, surface: variance(0), parts, own: variance(3), shares: false }
    }

    /// The same of so many items whose variance is known, where all runs have a level of this variance.
    pub fn of_answers(items: f64, level: f64, after: &[f64]) -> Self {
        let folds = Self::new(1.0 / items, after);
        let all: f64 = folds.parts.iter().sum();
        Self { parts: folds.parts.map(|part| part / all), shares: true, level, ..folds }
    }

    /// `1/max(j, l)` of the means at two shares of a run.
    fn shared(&self, share: f64, other: f64) -> f64 {
        self.first / share.max(other)
    }

    /// The covariance of the means at two shares of two runs.
    pub fn covariance(&self, pair: &Pair, share: f64, other: f64) -> f64 {
        let shared = pair.items * self.shared(share, other);
        let [likes, hardness, rest] = self.parts.map(|part| part * shared);
        let own = if pair.same_run { self.own + rest } else { 0.0 };
        self.level + hardness + (self.surface + likes) * pair.settings + own
    }

    /// Adds `weight` times the derivatives of a covariance by the parameters, and returns that by `kx`.
    pub fn add_slopes(
        &self,
        pair: &Pair,
        [share, other]: [f64; 2],
        weight: f64,
        slopes: &mut [f64],
    ) -> f64 {
        let run = if pair.same_run { 1.0 } else { 0.0 };
        let settings = pair.settings;
        let shared = pair.items * self.shared(share, other);
        let of = [settings, 1.0, run];
        // A share that grows takes from the others.
        let mean: f64 = self.parts.iter().zip(of).map(|(part, of)| part * of).sum();
        let taken = if self.shares { mean } else { 0.0 };
        let [likes, hardness, rest] =
            std::array::from_fn(|k| self.parts[k] * shared * (of[k] - taken));
        let all = [self.surface * settings, likes, hardness, self.own * run, rest];
        for (slope, part) in slopes.iter_mut().zip(all) {
            *slope += weight * 2.0 * part;
        }
        self.surface + self.parts[0] * shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mean of answers has the variance of an answer over their number, and what two runs share of
    /// it is less than that of either.
    #[test]
    fn answers_have_their_own_variance() {
        let kernel = Folds::of_answers(400.0, 5.0, &[1.1f64, 0.4, 2.2, 0.25, 1.9].map(f64::ln));
        let varied = |pair: &Pair, share| {
            kernel.covariance(pair, share, share) - kernel.covariance(pair, f64::MAX, f64::MAX)
        };
        for count in [1.0, 7.0, 400.0] {
            let own = Pair { settings: 1.0, same_run: true, items: 0.3 * 0.3 };
            let expected = 0.3 * 0.3 / count;
            // Two sums near seven.
            assert!((varied(&own, count / 400.0) - expected).abs() < 4e-15, "{count}");
            let other = Pair { same_run: false, items: 0.3 * 0.2, ..own };
            let both = varied(&other, count / 400.0);
            assert!(both > 0.0 && both < 0.3 * 0.2 / count);
        }
    }

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
                    let pair = Pair { settings, same_run, items: 1.0 };
                    let got = kernel.covariance(&pair, share(j), share(l));
                    // Sums of 25 terms near three.
                    assert!((got - expected).abs() < 1e-14 * 25.0, "{j} {l}: {got} {expected}");
                }
            }
        }
    }
}
