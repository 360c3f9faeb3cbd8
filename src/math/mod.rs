//! Numerics that know nothing of models: special functions, factors, quasi-random points, bounded
//! quasi-Newton.
//!
//! `lbfgsb` stands here and not beside the maximizer, because the fit of a model climbs with it
//! too.

pub(crate) mod cholesky;
pub(crate) mod clock;
pub(crate) mod decimal;
mod dense;
pub(crate) mod few;
pub(crate) mod gauss_kronrod;
pub(crate) mod gauss_legendre;
pub(crate) mod lbfgsb;
pub(crate) mod log_normal;
pub(crate) mod mills;
pub(crate) mod normal;
#[cfg(feature = "serde")]
#[doc(hidden)]
pub(crate) mod number;
pub(crate) mod order;
pub(crate) mod saturating;
pub(crate) mod share;
pub(crate) mod simd;
pub(crate) mod points;
pub(crate) mod polytope;
pub(crate) mod student;
pub(crate) mod sobol;
pub(crate) mod truncated;
pub(crate) mod wgsl;

pub use sobol::Sobol;
