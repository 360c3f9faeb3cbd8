//! What any thread may call, one after another.

use std::ops::DerefMut;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use gittins::{Error, ErrorKind, Result};
use pyo3::prelude::*;

use crate::errors::raised;
use crate::pool::{Waits, compute};

/// A study that any thread may call; calls wait for each other.
pub struct Guarded<T> {
    inner: Mutex<T>,
    waits: Waits,
    /// The process that called it last.
    process: AtomicU32,
}

impl<T: DerefMut<Target: Send> + Send> Guarded<T> {
    pub fn new(inner: T, waits: Waits) -> Self {
        Self { inner: Mutex::new(inner), waits, process: AtomicU32::new(process::id()) }
    }

    /// Waits until no other thread uses the study. What another thread was doing when this process
    /// was forked never ends.
    fn lock(&self) -> Result<MutexGuard<'_, T>> {
        let here = process::id();
        if self.process.load(Ordering::Acquire) == here {
            return Ok(self.inner.lock().unwrap_or_else(PoisonError::into_inner));
        }
        match self.inner.try_lock() {
            Ok(inner) => {
                self.process.store(here, Ordering::Release);
                Ok(inner)
            }
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(Error::new(
                ErrorKind::InvalidSetting,
                "this process was forked while another thread used the study, of which it therefore has no copy: make the study anew",
            )),
        }
    }

    /// Does something with the study, while other threads of Python go on.
    pub fn with<A: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut T) -> Result<A> + Send,
    ) -> PyResult<A> {
        compute(py, self.waits, || self.lock(), work)?.map_err(|error| raised(py, &error))
    }
}

/// Nothing that has to be waited for.
pub fn nothing() -> Result<Box<()>> {
    Ok(Box::new(()))
}
