use std::error::Error;
use std::fmt;

/// What is wrong with a file: in which line if that is known, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The line, from 1 on.
    pub line: Option<usize>,
    /// What was expected, and what came.
    pub words: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.words),
            None => f.write_str(&self.words),
        }
    }
}

impl Error for Wrong {}
