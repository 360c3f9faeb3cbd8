//! The stand-in for the GPU backend if the crate is built without the feature `gpu`.

use std::sync::Arc;

use super::{Backend, BackendOptions, Cpu, Fallback};

/// Returns that there is no GPU backend.
pub(super) fn open(_options: &BackendOptions) -> Result<Arc<dyn Backend>, Fallback> {
    Err(Fallback::NotBuilt)
}

/// Returns the CPU.
pub(super) fn auto(_options: &BackendOptions) -> Arc<dyn Backend> {
    Arc::new(Cpu)
}
