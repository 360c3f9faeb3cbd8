//! Which trial of a study.

use std::fmt;

/// The identifier of a trial within its study. Trials are numbered from 0 in the order in which
/// they are asked for or imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct TrialId(usize);

impl TrialId {
    /// The number: the trial's place in [`Study::history`](crate::Study::history).
    pub fn index(self) -> usize {
        self.0
    }
}

impl From<usize> for TrialId {
    fn from(index: usize) -> Self {
        Self(index)
    }
}

impl fmt::Display for TrialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "trial {}", self.0)
    }
}
