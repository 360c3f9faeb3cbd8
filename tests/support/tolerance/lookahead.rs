//! Tolerances of trees of fantasies.

/// The value of a tree against numpy, on the posteriors of six points: improvements of 1e-2, made of means and covariances that are off by the condition
/// `6 x 1.3 / 4e-4 = 2e4` times six epsilons of their scale, 0.07 and 0.07^2, or 2e-12 at worst in the direction of the smallest eigenvalue; the trees at hand
/// lie away from it.
pub const VALUE_OF_TREE: f64 = 1e-12;

/// Its gradient: covariances enter by their slopes, over deviations down to a hundredth of the scale and lengthscales of a third, up to 1000 times the
/// error of the value.
pub const GRADIENT_OF_TREE: f64 = 1e-9;
