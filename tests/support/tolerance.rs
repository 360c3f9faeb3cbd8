//! Every tolerance of the tests, with its derivation.

pub const LBFGSB_EVALUATIONS: f64 = 0.25;
pub const LBFGSB_POINT: f64 = 1e-3;
pub const LBFGSB_VALUE: f64 = 1e-6;

/// Suggestions after all outcomes were multiplied by 10. Rounding of the standardized outcomes (eps) moves the fitted hyper-parameters by what the
/// fit's tolerance lets through (a relative change of the likelihood of some 1e-9 leaves its argument undetermined to the root, 3e-5), and
/// the argmax of the acquisition moves in proportion.
pub const RESCALED_SUGGESTION: f64 = 1e-3;

/// The expected supremum against 50 digits: sums of at most 32 terms whose logarithms are below some 300, hence `32 * 300 * eps` at worst.
pub const EXPECTED_SUPREMUM: f64 = 2e-12;
