//! Numerics that know nothing of models: special functions, factors, quasi-random points, bounded quasi-Newton.

pub mod cholesky;
pub mod lbfgsb;
pub mod normal;
pub mod simd;
pub mod points;
pub mod sobol;
