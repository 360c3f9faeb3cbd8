//! The identities of posteriors, by which a device knows them again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The identity of a posterior, and those of the posteriors from which it grew by appending. A
/// device that holds one of them needs only the new rows.
#[derive(Debug, Clone)]
pub(crate) struct Lineage {
    /// Shared by the clones of one posterior. When the last clone is gone, the device may drop or
    /// reuse what it holds.
    pub identity: Arc<Identity>,
    /// The numbers of the posteriors before, the latest last, at most [`ANCESTORS`].
    pub ancestors: Vec<u64>,
}

/// A number that no other posterior of this process has.
#[derive(Debug)]
pub(crate) struct Identity(pub u64);

impl Identity {
    /// The next number.
    pub fn next() -> Self {
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Beyond this number of appended rows it is cheaper to send all rows.
const ANCESTORS: usize = 64;

static NEXT: AtomicU64 = AtomicU64::new(0);

impl Lineage {
    pub fn new() -> Self {
        Self { identity: Arc::new(Identity::next()), ancestors: Vec::new() }
    }

    /// Whether it is that posterior, or grew from it.
    #[cfg(feature = "gpu")]
    pub fn descends_from(&self, id: u64) -> bool {
        self.identity.0 == id || self.ancestors.contains(&id)
    }

    /// The lineage after a row was appended.
    pub fn appended(&mut self) {
        if self.ancestors.len() == ANCESTORS {
            self.ancestors.remove(0);
        }
        self.ancestors.push(self.identity.0);
        self.identity = Arc::new(Identity::next());
    }
}
