//! Errors in the form in which a person reads them when `main` returns one.

use std::error::Error;
use std::fmt;

/// Any error. `main` prints its message alone, and the process ends with status 1.
pub struct Failure(Box<dyn Error>);

/// What the programs return.
pub type Result<T> = std::result::Result<T, Failure>;

impl<E: Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

/// The message and its causes. `main` prints the debug form.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}
