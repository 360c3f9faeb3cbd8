//! Backends, which evaluate a batch of points. The call is the same on every device.
//!
//! A [`Job`] is plain data and names no device: posterior, cost, acquisition, incumbent, whether
//! gradients are wanted, how many points to keep. A [`Backend`] fills [`Scores`] for it, in memory
//! of the caller. The scores say which backend and device made them.

#[allow(clippy::module_inception, reason = "a type lives in the file of its name")]
mod backend;
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

pub use backend::Backend;
pub use cpu::Cpu;
pub use job::{Job, JobCost};
pub use options::{BackendOptions, Choice};
pub use precision::Precision;
pub use provenance::{Fallback, Provenance};
pub use scores::Scores;
pub(crate) use top_k::best_first;
pub use top_k::top_k;
