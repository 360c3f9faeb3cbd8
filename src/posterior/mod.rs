//! The posterior of a Gaussian process with fixed hyper-parameters.

pub mod gp;
pub(crate) mod look_ahead;
pub mod moments;

pub use gp::Posterior;
pub use moments::{Joint, Moments};
