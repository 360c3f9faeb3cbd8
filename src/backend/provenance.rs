//! Which backend made scores, and why another one than was asked.

use std::fmt;
use std::sync::Arc;

/// Which backend and device made the scores.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// `"cpu"`, or the name of another backend.
    pub backend: &'static str,
    /// The adapter's name; `None` for the CPU.
    pub adapter: Option<Arc<str>>,
    /// `"f64"` or `"f32"`.
    pub precision: &'static str,
    /// Why another backend than the requested one answered; `None` if the requested one did.
    pub fallback: Option<Fallback>,
}

/// Why another backend than the requested one answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Fallback {
    /// The crate was built without its feature `gpu`.
    NotBuilt,
    /// At the start no adapter matched the request: no hardware, no driver, or none with the given
    /// name.
    NoAdapter,
    /// At the start the device's scores for a job with a known result differed from the host's by
    /// more than its precision explains.
    SelfTest,
    /// The device was lost during a batch: unplugged, reset by its driver, or taken back by the
    /// system. It is not used again.
    DeviceLost,
    /// The batch, or the posterior itself, needs more memory than the device gives.
    OutOfMemory,
    /// The device's interface rejected a shader, a buffer or a command.
    Validation,
    /// Single precision is too coarse for this posterior, because its covariance is nearly
    /// singular. The device has no double precision.
    Unfit,
    /// A number of the job or of its scores is outside the range of the device's floating point.
    Overflow,
    /// The acquisition is evaluated on the host only, or with limits on measured numbers.
    HostOnly,
}

impl Provenance {
    /// Whether the numbers were made in double precision on the host: no adapter and `"f64"`.
    #[doc(hidden)]
    pub fn is_host_double(&self) -> bool {
        self.adapter.is_none() && self.precision == "f64"
    }
}

impl fmt::Display for Provenance {
    /// `cpu (f64)`, or with an adapter `gpu (f32, its name)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}", self.backend, self.precision)?;
        if let Some(adapter) = &self.adapter {
            write!(f, ", {adapter}")?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotBuilt => "the crate was built without its feature gpu",
            Self::NoAdapter => "no suitable adapter was found",
            Self::SelfTest => "the device failed its self-test",
            Self::DeviceLost => "the device was lost",
            Self::OutOfMemory => "the device was out of memory",
            Self::Validation => "the device refused the work",
            Self::Unfit => "single precision does not suffice for this posterior and the device has no double precision",
            Self::Overflow => "a number left the device's range",
            Self::HostOnly => "the acquisition, or a limit on measured numbers, is evaluated on the host only",
        })
    }
}
