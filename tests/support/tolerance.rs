//! Every tolerance of the tests, with its derivation.

pub const LBFGSB_EVALUATIONS: f64 = 0.25;
pub const LBFGSB_POINT: f64 = 1e-3;
pub const LBFGSB_VALUE: f64 = 1e-6;
