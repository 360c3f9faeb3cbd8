//! The posterior of a Gaussian process with fixed hyper-parameters.

pub(crate) mod at_data;
pub(crate) mod basis;
pub(crate) mod branches;
pub(crate) mod compressed;
pub(crate) mod features;
pub(crate) mod gp;
pub(crate) mod knowledge_gradient;
pub(crate) mod lineage;
pub(crate) mod moments;
pub(crate) mod pathwise;
pub(crate) mod pending;
pub(crate) mod success;

pub(crate) use gp::Posterior;
pub use moments::{JointMoments, Moments};
pub use pathwise::{Path, Paths};
pub use pending::Pending;
pub(crate) use pending::{Each, FANTASIES, LEAST_MISSING, PendingTile};
pub use success::Success;
pub(crate) use success::log_success;
