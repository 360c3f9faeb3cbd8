//! The threads that compute, which no process has from its parent.

use std::ops::DerefMut;
use std::process;
use std::sync::{Mutex, OnceLock, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads of a process, and those of processes that were forked from it.
struct Pool {
    process: u32,
    threads: ThreadPool,
    /// Held by the work that may wait for a file.
    turn: Mutex<()>,
    next: OnceLock<Box<Pool>>,
}

/// The first process that computed. A forked process finds the pools of its parents here, whose
/// threads it does not have, and adds its own.
static FIRST: OnceLock<Box<Pool>> = OnceLock::new();

/// The pool of this process.
fn pool() -> PyResult<&'static Pool> {
    let process = process::id();
    let mut place = &FIRST;
    loop {
        if let Some(pool) = place.get() {
            if pool.process == process {
                return Ok(pool);
            }
            place = &pool.next;
            continue;
        }
        let threads = ThreadPoolBuilder::new()
            .thread_name(|number| format!("gittins-{number}"))
            .build()
            .map_err(|error| PyRuntimeError::new_err(format!("no threads to compute: {error}")))?;
        // If another thread was quicker, its pool stands.
        let turn = Mutex::new(());
        let next = OnceLock::new();
        let _ = place.set(Box::new(Pool { process, threads, turn, next }));
    }
}

/// What work may have to wait for while it is on the threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waits {
    /// Nothing that other work has.
    ForNothing,
    /// A file that others have locked.
    ForFiles,
}

/// Leaves the interpreter to others, waits until `take` has what is to be worked on, and works on it
/// on the threads of this process.
///
/// The caller waits, and not one of the threads: a thread that waits for a part of its work takes up
/// other work meanwhile. If that waited for what the thread itself has taken, it would wait for good.
/// For the same reason one work at a time may wait for a file.
pub fn compute<G, T: Send, E: Send>(
    py: Python<'_>,
    waits: Waits,
    take: impl FnOnce() -> Result<G, E> + Send,
    work: impl FnOnce(&mut G::Target) -> Result<T, E> + Send,
) -> PyResult<Result<T, E>>
where
    G: DerefMut,
    G::Target: Send,
{
    let pool = pool()?;
    Ok(py.detach(|| {
        let turn = || pool.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let _turn = (waits == Waits::ForFiles).then(turn);
        let mut taken = take()?;
        let target = &mut *taken;
        pool.threads.install(|| work(target))
    }))
}
