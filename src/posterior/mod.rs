//! The posterior of a Gaussian process with fixed hyper-parameters.

mod at_data;
mod basis;
pub(crate) mod branches;
mod compressed;
pub(crate) mod features;
pub(crate) mod gp;
pub(crate) mod knowledge_gradient;
pub(crate) mod lineage;
pub(crate) mod moments;
pub(crate) mod pathwise;
mod pending;
mod success;
mod tile_gradient;
mod usable;

pub(crate) use gp::Posterior;
pub use moments::{JointMoments, Moments};
pub use pathwise::{Path, Paths};
pub use pending::Pending;
pub(crate) use pending::{Each, FANTASIES, LEAST_MISSING, PendingTile};
pub use success::Success;
pub(crate) use usable::LogUsable;
pub use usable::Usable;
