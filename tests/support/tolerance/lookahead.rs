//! Tolerances of trees of fantasies.

/// Error of the value of a tree against numpy, on the posteriors of six points. Improvements are
/// 1e-2. They are made from means and covariances that are off by the condition
/// `6 x 1.3 / 4e-4 = 2e4` times six epsilons of their scale, 0.07 and 0.07^2. This is 2e-12 at
/// worst, in the direction of the smallest eigenvalue. The trees here lie away from that direction.
pub const VALUE_OF_TREE: f64 = 1e-12;

/// Error of its gradient. Covariances enter by their slopes, over deviations down to a hundredth of
/// the scale and lengthscales of a third: up to 1000 times the error of the value.
pub const GRADIENT_OF_TREE: f64 = 1e-9;

/// Error of a slope among `n` data and nodes that are at least thirty steps away, by the five-point
/// difference quotient with step `h`, with noise of a hundredth of the variance. The means are sums
/// of `n` numbers, as in [`five_point_slope_of_sums`](super::five_point_slope_of_sums). The
/// improvement has slopes of at most 1 to the means, of `phi / 2 sd` to variances (2 if the
/// deviation is a tenth of the prior's), and of `phi / sd` times itself to `ln c` (4 there). At
/// most four nodes stand on a path.
pub fn slope(h: f64, n: usize, slope: f64) -> f64 {
    super::five_point_slope_of_sums(h, n, slope) + 6.0 * super::five_point_slope_of_sums(h, n, 0.0)
}

/// Error of the same tree in other terms: built anew for each fantasy, in another tile, in another
/// unit of money. A factor of `n` data and a path of up to three fantasies errs by
/// [`posterior`](super::posterior) of the prior's scale. An improvement passes that on at most
/// [seven times](slope).
pub fn by_hand(n: usize, noise: f64) -> f64 {
    7.0 * super::posterior(n + 3, 1.3, noise)
}

/// Error of integrals over independent arms, by Simpson's rule with panels of `h = 0.005`:
/// `h^4 / 180` times the difference of the third derivatives at the ends. For normal densities and
/// powers of `Phi`, times slopes of at most 1, that difference is below 20. The part beyond 10 is
/// 1e-20.
pub const OF_ARMS: f64 = 1e-10;

/// Relative error of arms of one Gaussian process. They are a hundred lengthscales apart, where the
/// kernel is zero in double precision. A deviation `sd` is the root of `1 - rho^2`, and an epsilon
/// of that is `eps / sd^2`. At `sd = 1/1024`, with the kernel's exponents off by as much, this is
/// 1e-9.
pub const FAR_APART: f64 = 1e-9;
