//! Why a job did not finish on the device.

use crate::backend::Fallback;
use crate::error::{Error, ErrorKind};

/// Why a job did not finish on the device.
#[derive(Debug)]
pub enum Failure {
    /// The job itself is at fault.
    Job(Error),
    /// The device is at fault, and is not asked again.
    Device(Fallback, String),
    /// The device does not suit these posteriors. It may suit others.
    Posterior(Fallback, String),
}

impl Failure {
    /// The error for a caller that asked for the device itself.
    pub fn into_error(self) -> Error {
        match self {
            Self::Job(error) => error,
            Self::Device(fallback, message) | Self::Posterior(fallback, message) => {
                Error::new(ErrorKind::Device, format!("{fallback}: {message}"))
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Job(error)
    }
}
