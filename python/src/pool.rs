//! The threads that compute, which no process has from its parent.

use std::ops::DerefMut;
use std::process;
use std::sync::OnceLock;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads of a process, and those of processes that were forked from it.
struct Pool {
    process: u32,
    threads: ThreadPool,
    next: OnceLock<Box<Pool>>,
}

/// The first process that computed. A forked process finds the pools of its parents here, whose
/// threads it does not have, and adds its own.
static FIRST: OnceLock<Box<Pool>> = OnceLock::new();

/// The threads of this process.
fn threads() -> PyResult<&'static ThreadPool> {
    let process = process::id();
    let mut place = &FIRST;
    loop {
        if let Some(pool) = place.get() {
            if pool.process == process {
                return Ok(&pool.threads);
            }
            place = &pool.next;
            continue;
        }
        let threads = ThreadPoolBuilder::new()
            .thread_name(|number| format!("gittins-{number}"))
            .build()
            .map_err(|error| PyRuntimeError::new_err(format!("no threads to compute: {error}")))?;
        // If another thread was quicker, its pool stands.
        let _ = place.set(Box::new(Pool { process, threads, next: OnceLock::new() }));
    }
}

/// Leaves the interpreter to others, waits until `take` has what is to be worked on, and works on it
/// on the threads of this process.
///
/// The caller waits, and not one of the threads: a thread that waits for a part of its work takes up
/// other work meanwhile. If that waited for what the thread itself has taken, it would wait for good.
pub fn compute<G, T: Send, E: Send>(
    py: Python<'_>,
    take: impl FnOnce() -> Result<G, E> + Send,
    work: impl FnOnce(&mut G::Target) -> Result<T, E> + Send,
) -> PyResult<Result<T, E>>
where
    G: DerefMut,
    G::Target: Send,
{
    let threads = threads()?;
    Ok(py.detach(|| {
        let mut taken = take()?;
        let target = &mut *taken;
        threads.install(|| work(target))
    }))
}
