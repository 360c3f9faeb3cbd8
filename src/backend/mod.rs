//! Backends, which evaluate a batch of points. The call is the same on every device.
//!
//! A [`Job`] is plain data and names no device: posterior, cost, acquisition, incumbent, whether
//! gradients are wanted, how many points to keep. A [`Backend`] fills [`Scores`] for it, in memory
//! of the caller. The scores say which backend and device made them.

mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(not(feature = "gpu"))]
#[path = "gpu_absent.rs"]
mod gpu;
mod job;
mod open;
mod options;
mod precision;
mod provenance;
mod scores;
mod top_k;
mod trees;

use crate::data::Points;
use crate::error::Result;

pub use cpu::Cpu;
pub use job::{Job, JobCost};
pub use options::{BackendOptions, Choice};
pub use precision::Precision;
pub use provenance::{Fallback, Provenance};
pub use scores::Scores;
pub(crate) use top_k::best_first;
pub use top_k::top_k;

/// Evaluates a job at a batch of points.
pub trait Backend: Send + Sync {
    /// Fills `scores` for all `b x d` points of the unit cube, or for the best of them if the job
    /// says how many to keep. The memory is reused from call to call.
    ///
    /// # Errors
    /// Those of [`Job::validate`]. [`ErrorKind::Dimension`] and [`ErrorKind::NonFinite`] for the
    /// points. The error of a known cost at the first point, in order, without a price. After an
    /// error `scores` are meaningless.
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()>;
}
