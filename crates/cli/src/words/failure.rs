//! What goes wrong, in words for a person.

use std::fmt;

/// An error. Its message says what was expected, what came, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(String);

/// A result with a [`Failure`].
pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        let mut message = message.into();
        // The system's number of an error says nothing beside its words.
        if let Some(at) = message.rfind(" (os error ").filter(|_| message.ends_with(')')) {
            message.truncate(at);
        }
        Self(message)
    }

    /// The same error with a place in front of it: `place: message`.
    pub fn at(self, place: impl fmt::Display) -> Self {
        Self(format!("{place}: {}", self.0))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}

/// Names the place of an error.
pub trait At<T> {
    /// The same result, its error with a place in front.
    fn at(self, place: impl fmt::Display) -> Result<T>;
}

impl<T, E: Into<Failure>> At<T> for Result<T, E> {
    fn at(self, place: impl fmt::Display) -> Result<T> {
        self.map_err(|error| error.into().at(place))
    }
}
