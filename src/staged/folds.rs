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

/// The parameters after the lengthscales: logarithms of deviations, in this order.
#[derive(Clone, Copy)]
enum After {
    Surface,
    Likes,
    Hardness,
    Own,
    Rest,
}

/// How many there are.
pub(super) const AFTER: usize = 5;

/// The means and deviations of the normal priors of the parameters.
pub(super) fn priors() -> [[f64; 2]; AFTER] {
    [[0.0, 0.5], [0.3f64.ln(), 0.7], [0.5f64.ln(), 1.0], [0.25f64.ln(), 0.6], [0.2f64.ln(), 1.0]]
}

/// The variance of a report about its mean.
pub(super) fn noise() -> f64 {
    EXACT * EXACT
}

/// `1/max(j, l)` of two shares of a run whose first fold is this share of it.
pub(super) fn shared(first: f64, share: f64, other: f64) -> f64 {
    first / share.max(other)
}

fn variance(after: &[f64], parameter: After) -> f64 {
    (2.0 * after[parameter as usize]).exp()
}

/// The covariance of means that [share](shared) so much, of settings with this `kx`.
pub(super) fn covariance(after: &[f64], shared: f64, settings: f64, same_run: bool) -> f64 {
    let of = |parameter| variance(after, parameter);
    let own = if same_run { of(After::Own) + of(After::Rest) * shared } else { 0.0 };
    1.0 + of(After::Hardness) * shared
        + (of(After::Surface) + of(After::Likes) * shared) * settings
        + own
}

/// Adds `weight` times the derivatives of a covariance by the parameters after the lengthscales, and
/// returns that by `kx`.
pub(super) fn add_slopes(
    after: &[f64],
    shared: f64,
    (settings, same_run): (f64, bool),
    weight: f64,
    slopes: &mut [f64],
) -> f64 {
    let mut add = |parameter: After, share: f64| {
        slopes[parameter as usize] += weight * 2.0 * variance(after, parameter) * share;
    };
    add(After::Hardness, shared);
    add(After::Surface, settings);
    add(After::Likes, shared * settings);
    if same_run {
        add(After::Own, 1.0);
        add(After::Rest, shared);
    }
    variance(after, After::Surface) + variance(after, After::Likes) * shared
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The covariance of means is that of their folds, averaged.
    #[test]
    fn means_have_the_covariance_of_their_folds() {
        let after: Vec<f64> = [1.1f64, 0.4, 0.7, 0.25, 0.3].map(f64::ln).to_vec();
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
                    let shared = shared(share(1), share(j), share(l));
                    let got = covariance(&after, shared, settings, same_run);
                    // Sums of 25 terms near three.
                    assert!((got - expected).abs() < 1e-14 * 25.0, "{j} {l}: {got} {expected}");
                }
            }
        }
    }
}
