//! Tolerances of trees of fantasies.

/// The value of a tree against numpy, on the posteriors of six points: improvements of 1e-2, made
/// of means and covariances that are off by the condition `6 x 1.3 / 4e-4 = 2e4` times six epsilons
/// of their scale, 0.07 and 0.07^2, or 2e-12 at worst in the direction of the smallest eigenvalue;
/// the trees at hand lie away from it.
pub const VALUE_OF_TREE: f64 = 1e-12;

/// Its gradient: covariances enter by their slopes, over deviations down to a hundredth of the
/// scale and lengthscales of a third, up to 1000 times the error of the value.
pub const GRADIENT_OF_TREE: f64 = 1e-9;

/// A slope among `n` data and nodes that are thirty steps away at least, by the five-point
/// difference quotient with step `h`, noise a hundredth of the variance: the means are sums of `n`
/// numbers, as in [`five_point_slope_of_sums`](super::five_point_slope_of_sums); the improvement
/// has slopes of at most 1 to them, of `phi / 2 sd` to variances, 2 where the deviation is a tenth
/// of the prior's, and of `phi / sd` times itself to `ln c`, 4 there. Four nodes at most stand on a
/// path.
pub fn slope(h: f64, n: usize, slope: f64) -> f64 {
    super::five_point_slope_of_sums(h, n, slope) + 6.0 * super::five_point_slope_of_sums(h, n, 0.0)
}

/// The same tree in other terms: built anew for each fantasy, in another tile, in another unit of
/// money. A factor of `n` data and a path of up to three fantasies errs by
/// [`posterior`](super::posterior) of the prior's scale, which an improvement passes on
/// [seven times](slope) at most.
pub fn by_hand(n: usize, noise: f64) -> f64 {
    7.0 * super::posterior(n + 3, 1.3, noise)
}

/// Of integrals over independent arms, by Simpson's rule with panels of `h = 0.005`: the error is
/// `h^4 / 180` times the difference of the third derivatives at the ends, which for normal
/// densities and powers of `Phi`, times slopes of at most 1, is below 20; what lies beyond 10 is
/// 1e-20.
pub const OF_ARMS: f64 = 1e-10;

/// Of arms of one Gaussian process, relative: they are hundred lengthscales apart, where the kernel
/// is zero in double precision; a deviation `sd` is the root of `1 - rho^2`, of which an epsilon is
/// `eps / sd^2`, at `sd = 1/1024` and with the kernel's exponents off by as much 1e-9.
pub const FAR_APART: f64 = 1e-9;
