//! Which set is played with which values, and why.

use std::fmt;

use gittins::internals::decimal;

use crate::control::policy::SetScore;

/// Which set to play with which values, and why.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Decision {
    /// The set.
    pub set: usize,
    /// The controlled coordinates, in the unit cube.
    pub query: Vec<f64>,
    /// For each set the score of its best query, in the user's outcome units. An expected bound or
    /// an expected path is turned back to the user's direction. None for a set that was no
    /// candidate: it is another group's turn, or the set cannot be better than one that controls
    /// everything.
    pub values: Vec<Option<f64>>,
    /// While cheap sets are explored: the price of the sets whose turn it is, and how many plays
    /// they have left, this one included.
    pub exploring: Option<(f64, usize)>,
    pub(super) score: SetScore,
}

impl Decision {
    /// The score of the query chosen, in the user's outcome units.
    pub fn value(&self) -> f64 {
        self.values[self.set].unwrap_or(f64::NAN)
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let score = self.score.name();
        if let Some((cost, plays)) = self.exploring {
            write!(f, "exploring sets of price {} ({plays} plays left); ", decimal(cost, 3))?;
        }
        let candidates = self.values.iter().flatten().count();
        write!(f, "{score} {}", decimal(self.value(), 6))?;
        if candidates > 1 { write!(f, ", chosen among {candidates} sets") } else { Ok(()) }
    }
}
