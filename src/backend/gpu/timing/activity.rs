//! What the process does besides while a device is measured: other work on the CPU disturbs times.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The batches that `auto` has begun on the CPU, and those that it has finished there.
static BEGUN: AtomicUsize = AtomicUsize::new(0);
static FINISHED: AtomicUsize = AtomicUsize::new(0);

/// Threads that open a device for `auto` and have not ended.
static OPENING: AtomicUsize = AtomicUsize::new(0);

/// Evaluates a batch on the CPU. What is measured meanwhile counts as disturbed.
pub fn on_cpu<T>(evaluate: impl FnOnce() -> T) -> T {
    BEGUN.fetch_add(1, Ordering::SeqCst);
    let done = evaluate();
    FINISHED.fetch_add(1, Ordering::SeqCst);
    done
}

/// The number of batches on the CPU so far; `None` while there is one.
fn batches() -> Option<usize> {
    // In this order a batch that ends between the two reads counts as one that goes on.
    let finished = FINISHED.load(Ordering::SeqCst);
    (BEGUN.load(Ordering::SeqCst) == finished).then_some(finished)
}

/// What `measure` returns, and whether no batch on the CPU disturbed it.
pub fn undisturbed<T>(measure: impl FnOnce() -> T) -> (T, bool) {
    let before = batches();
    let measured = measure();
    (measured, before.is_some() && before == batches())
}

/// Whether a thread opens or measures a device for `auto`.
pub fn is_opening() -> bool {
    OPENING.load(Ordering::SeqCst) > 0
}

/// A thread that opens a device, as long as it lives.
pub struct OpeningThread(());

impl OpeningThread {
    /// One more.
    pub fn begin() -> Self {
        OPENING.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for OpeningThread {
    fn drop(&mut self) {
        OPENING.fetch_sub(1, Ordering::SeqCst);
    }
}
