//! Which outcomes are better: the one place where minimize becomes maximize.

use std::fmt;

/// Which outcomes are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Direction {
    /// Smaller outcomes.
    Minimize,
    /// Larger outcomes.
    Maximize,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Minimize => "minimize",
            Self::Maximize => "maximize",
        })
    }
}

impl Direction {
    /// The factor -1 or 1. It turns an outcome so that larger is better, and turns it back.
    pub fn sign(self) -> f64 {
        match self {
            Self::Minimize => -1.0,
            Self::Maximize => 1.0,
        }
    }

    /// The better of two outcomes; the first if they are equal.
    pub fn better(self, first: Option<f64>, second: Option<f64>) -> Option<f64> {
        match (first, second) {
            (Some(a), Some(b)) if self.sign() * b > self.sign() * a => Some(b),
            (Some(a), _) => Some(a),
            (None, second) => second,
        }
    }
}
