//! Backends, which evaluate a batch of points. The call is the same on every device.
//!
//! A [`Job`] is plain data and names no device: posterior, cost, acquisition, incumbent, whether
//! gradients are wanted, how many points to keep. A [`Backend`] fills [`Scores`] for it, in memory
//! of the caller. The scores say which backend and device made them.

#[allow(clippy::module_inception, reason = "a type lives in the file of its name")]
pub(crate) mod backend;
pub(crate) mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(not(feature = "gpu"))]
#[path = "gpu_absent.rs"]
mod gpu;
pub(crate) mod job;
mod open;
pub(crate) mod options;
mod precision;
mod provenance;
pub(crate) mod scores;
#[doc(hidden)]
pub mod search;
pub(crate) mod top_k;
mod trees;

pub(crate) use backend::Backend;
pub(crate) use cpu::Cpu;
pub(crate) use job::{Job, JobCost};
pub(crate) use options::BackendOptions;
pub use options::Choice;
pub use precision::Precision;
pub use provenance::{Fallback, Provenance};
pub(crate) use scores::Scores;
pub(crate) use top_k::{best_first, top_k};
