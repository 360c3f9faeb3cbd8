//! Every tolerance of the tests, with its derivation.

/// A coordinate this near to its bound, relative to itself or to 1, lies on it: a step of a line search that ends on a bound rounds twice (2 eps of the
/// larger term), and terms here are below 1e3 times the bound. The table is made with the same number.
pub const LBFGSB_ACTIVE: f64 = 1e-12;

/// The table holds starts moved by 1e-12, some 5,000 eps. Another order of summation moves every iterate by a few eps, so a difference of the
/// same order as theirs is what rounding explains; ten times theirs is allowed, as theirs is the largest of only 40.
pub const LBFGSB_SPREAD: f64 = 10.0;

/// Relative. Points are stored with 10 digits (half a unit of the tenth: 5e-10 at worst); values whose spread happens to be zero still carry the rounding
/// of sums of up to 200 terms.
pub const LBFGSB_STORED: f64 = 5e-10;

/// Where rounding decides how many evaluations are needed, SciPy's own counts over 41 starts span a factor of up to 2.2; one more draw falls outside
/// that span by chance once in 20, and hardly ever by more than a quarter.
pub const LBFGSB_CHANCE: f64 = 1.25;

/// Absolute error of a minimum of about -0.6 to 11, found to a last relative fall of 2.2e-9: some ten times that, as convergence over the last steps
/// is linear.
pub const LBFGSB_BARRIER: f64 = 2.5e-7;

/// Standard deviations of the correlation of independent uniform coordinates, which is `1 / sqrt(n)` for `n` points; six pairs are looked at, and a
/// normal deviate is beyond 4 with probability 6e-5.
pub const SOBOL_CORRELATION: f64 = 4.0;

/// How many times smaller than with random points the error of a mean over 4096 points has to be: a scrambled net's falls like `n^-3/2` up to
/// logarithms against `n^-1/2`, which leaves a factor of tens in six dimensions.
pub const SOBOL_GAIN: f64 = 10.0;
