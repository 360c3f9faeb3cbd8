//! Opens the backend that a program asks for.

use std::sync::Arc;

use super::options::{BackendOptions, Choice};
use super::{Backend, Cpu, Fallback, Job, Scores, gpu};
use crate::data::Points;
use crate::error::Result;
#[cfg(feature = "serde")]
use crate::error::{Error, ErrorKind};

impl BackendOptions {
    /// The backend. It never fails. If there is no device, the CPU evaluates, and its scores say
    /// that another backend was requested.
    ///
    /// A device is opened once per process and shared. `auto` opens one beside the search, from the
    /// first batch on that is large enough for it.
    pub fn open(&self) -> Arc<dyn Backend> {
        match self.choice {
            Choice::Cpu => Arc::new(Cpu),
            Choice::Auto => gpu::auto(self),
            Choice::Gpu => gpu::open(self).unwrap_or_else(|fallback| Arc::new(Instead(fallback))),
        }
    }

    /// The backend of somebody who wants a device and nothing in its place.
    ///
    /// # Errors
    /// `InvalidSetting`: a device is wanted, and there is none.
    #[cfg(feature = "serde")]
    #[doc(hidden)]
    pub fn open_wanted(&self) -> Result<Arc<dyn Backend>> {
        match self.choice {
            Choice::Gpu => gpu::open(self).map_err(|fallback| {
                let message =
                    format!("{fallback}; with \"auto\" the CPU computes where there is none");
                Error::new(ErrorKind::InvalidSetting, message)
            }),
            Choice::Auto | Choice::Cpu => Ok(self.open()),
        }
    }
}

/// The CPU in place of another backend, and the reason.
struct Instead(Fallback);

impl Backend for Instead {
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
        Cpu.evaluate(job, points, scores)?;
        scores.provenance.fallback = Some(self.0);
        Ok(())
    }
}
