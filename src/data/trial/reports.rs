//! What a trial in stages reports, and what it is advised to do.

#[cfg(feature = "serde")]
use crate::math::number::one;

/// What a trial in stages said at one progress.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Report {
    /// The progress.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub progress: f64,
    /// The share of the trial that is done.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub share: f64,
    /// The outcome so far, in the user's units; of folds their mean.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub outcome: f64,
    /// The cost since the report before.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub cost: f64,
}

/// What a trial in stages does after a report.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Advice {
    /// It goes on until this progress, and reports there.
    Continue {
        /// The progress of its coming report.
        #[cfg_attr(feature = "serde", serde(with = "one"))]
        until: f64,
    },
    /// It saves what it needs to go on, and ends. It may be resumed.
    Pause,
    /// It ends for good.
    Abandon,
    /// It is at its end.
    Done,
}
