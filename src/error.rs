//! The crate's one error type: what was expected, what came, and where.

use std::fmt;

/// A result with the crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of thing went wrong; match on it to act, print the [`Error`] to learn where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A point, a slice or a matrix has another length than the space, the model or its neighbor
    /// asks for.
    Dimension,
    /// A number that must be finite is NaN or infinite.
    NonFinite,
    /// A cost is negative, or zero where no floor was set; a cost is a price, and its logarithm is
    /// modeled.
    NonPositiveCost,
    /// A complete trial was told without its cost and without saying that it comes later, though
    /// costs are to be learned.
    MissingCost,
    /// A value lies outside its parameter's bounds, or an integer parameter got a fraction.
    OutOfBounds,
    /// No parameter has this name, or two have it.
    UnknownParameter,
    /// No trial has this identifier.
    UnknownTrial,
    /// The trial was told before, or its cost was, and what was told first stands; or it was
    /// withdrawn before.
    DuplicateTrial,
    /// What was told is not what was asked for: a controlled variable has another value.
    Contradiction,
    /// There is nothing to work on: no parameter, no observation, no candidate.
    Empty,
    /// A setting makes no sense: bounds the wrong way round, a price of zero, a budget already
    /// spent.
    InvalidSetting,
    /// Every candidate of a finite table was evaluated or is being evaluated.
    Exhausted,
    /// A covariance matrix lost a pivot that even the largest jitter could not restore.
    NotPositiveDefinite,
    /// A file of published data is missing, cannot be read, or holds something else than its format
    /// says.
    Data,
    /// There is no adapter as it was asked for, or it lacks what the shaders need, or answers
    /// wrongly.
    Device,
}

/// An error that names its culprit.
///
/// ```
/// use gittins::{ErrorKind, Space};
/// let error = Space::new().float("rate", 1.0, 0.0).validate().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidSetting);
/// assert!(error.to_string().contains("rate"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    /// Makes an error; the message says what was expected, what came, and where.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// The kind, to match on.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The same error with the place it came from put before it: `place: message`.
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// A setting that must be positive and finite.
pub(crate) fn check_positive(name: impl fmt::Display, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::InvalidSetting,
        format!("{name} must be positive and finite, got {value}"),
    ))
}
