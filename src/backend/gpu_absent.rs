//! What stands for the GPU backend where the crate is built without its feature `gpu`.

use std::sync::Arc;

use super::{Backend, BackendOptions, Cpu, Fallback};

/// There is none.
pub(super) fn open(_options: &BackendOptions) -> Result<Arc<dyn Backend>, Fallback> {
    Err(Fallback::NotBuilt)
}

/// The CPU.
pub(super) fn auto(_options: &BackendOptions) -> Arc<dyn Backend> {
    Arc::new(Cpu)
}
