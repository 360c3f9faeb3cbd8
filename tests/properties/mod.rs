//! Invariants, gradients, and appending that equals building anew.

mod acquisition;
pub mod backend;
mod cholesky;
mod constants;
mod cost;
mod estimation;
mod extremes;
mod fantasies;
mod fit;
mod front_improvement;
mod front;
mod knowledge_gradient;
mod likelihood;
mod limits;
mod lookahead;
mod maximize;
mod mixed_spaces;
mod observations;
mod pathwise;
mod pending;
pub mod posterior;
#[cfg(feature = "serde")]
mod serde;
mod space;
pub mod spherical;
mod stop_scaling;
mod study;
pub mod success;
mod table;
mod top_k;
mod two_phases;
