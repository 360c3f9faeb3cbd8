//! The crate's one error type. It says what was expected, what came, and where.

use std::fmt;
use std::sync::Arc;

/// A result with the crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of an error. Match on the kind to act; print the [`Error`] to learn where it happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A point, a slice or a matrix has a length that the space, the model or another argument does
    /// not expect.
    Dimension,
    /// A number that must be finite is NaN or infinite.
    NonFinite,
    /// A cost is negative, or zero without a floor. A cost is a price, and its logarithm is
    /// modeled.
    NonPositiveCost,
    /// Costs are to be learned, and a complete trial was told without its cost. The call did not
    /// say that the cost comes later.
    MissingCost,
    /// A value lies outside its parameter's bounds, or an integer parameter got a fraction.
    OutOfBounds,
    /// No parameter has this name, or two have it.
    UnknownParameter,
    /// No trial has this identifier.
    UnknownTrial,
    /// The trial was told or withdrawn before, or its cost was told before. What was told first
    /// stands.
    DuplicateTrial,
    /// What was told contradicts what was asked for: a controlled variable has another value.
    Contradiction,
    /// There is nothing to work on: no parameter, no observation, no candidate.
    Empty,
    /// A setting makes no sense: crossed bounds, a price of zero, a budget that is already spent.
    InvalidSetting,
    /// All candidates of a table, or all settings of a finite space, were evaluated or are being
    /// evaluated.
    Exhausted,
    /// A covariance matrix lost a pivot, and the largest jitter could not restore it.
    NotPositiveDefinite,
    /// A file of published data is missing, cannot be read, or does not have the expected format.
    Data,
    /// A file that a study lives in cannot be read or written: a full disk, no permission, a lock
    /// that cannot be had.
    Storage,
    /// No adapter matches the request, or the adapter lacks what the shaders need, or it gives
    /// wrong answers.
    Device,
}

impl ErrorKind {
    /// All kinds.
    pub const ALL: [Self; 16] = [
        Self::Dimension,
        Self::NonFinite,
        Self::NonPositiveCost,
        Self::MissingCost,
        Self::OutOfBounds,
        Self::UnknownParameter,
        Self::UnknownTrial,
        Self::DuplicateTrial,
        Self::Contradiction,
        Self::Empty,
        Self::InvalidSetting,
        Self::Exhausted,
        Self::NotPositiveDefinite,
        Self::Data,
        Self::Storage,
        Self::Device,
    ];
}

/// An error that names its culprit.
///
/// If another error caused this one (of a file, of a device), [`source`](std::error::Error::source)
/// returns it. Two errors are equal if their kinds and their messages are equal.
///
/// ```
/// use gittins::{ErrorKind, Space};
/// let error = Space::new().float("rate", 1.0, 0.0).validate().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidSetting);
/// assert!(error.to_string().contains("rate"));
/// ```
#[derive(Debug, Clone)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, &self.message) == (other.kind, &other.message)
    }
}

impl Eq for Error {}

impl Error {
    /// Makes an error. The message says what was expected, what came, and where.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// The same error with the error that caused it.
    ///
    /// ```
    /// use std::error::Error as _;
    /// use gittins::{Error, ErrorKind};
    /// let cause = std::fs::read("no such file").unwrap_err();
    /// let error = Error::new(ErrorKind::Data, format!("no such file: {cause}")).with_source(cause);
    /// assert!(error.source().unwrap().is::<std::io::Error>());
    /// ```
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(Arc::from(source.into()));
        self
    }

    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The same error with a place in front of its message: `place: message`.
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

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}

/// Checks that a setting is positive and finite.
pub fn check_positive(name: impl fmt::Display, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::InvalidSetting,
        format!("{name} must be positive and finite, got {value}"),
    ))
}
