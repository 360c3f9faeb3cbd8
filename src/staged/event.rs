//! What happens in a study of runs in stages: the only way in which it changes.

use crate::data::TrialId;
#[cfg(feature = "serde")]
use crate::math::number::{list, one};
use crate::surrogate::curves::StagedFit;

/// Something that happened in a study of runs in stages. A study on the same settings that takes the
/// same events in the same order is the same study, to the bit.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum StagedEvent {
    /// A run began.
    #[non_exhaustive]
    Began {
        /// Where, in the unit cube.
        #[cfg_attr(feature = "serde", serde(with = "list"))]
        unit: Vec<f64>,
        /// Its row, in a table.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        row: Option<usize>,
        /// The progress of its first report.
        #[cfg_attr(feature = "serde", serde(with = "one"))]
        until: f64,
    },
    /// A run that was left goes on.
    #[non_exhaustive]
    Resumed {
        /// The run.
        run: TrialId,
        /// The progress of its coming report.
        #[cfg_attr(feature = "serde", serde(with = "one"))]
        until: f64,
    },
    /// A run reported.
    #[non_exhaustive]
    Reported {
        /// The run.
        run: TrialId,
        /// How far it is.
        #[cfg_attr(feature = "serde", serde(with = "one"))]
        progress: f64,
        /// Its outcome so far.
        #[cfg_attr(feature = "serde", serde(with = "one"))]
        outcome: f64,
        /// What it cost since the report before.
        #[cfg_attr(feature = "serde", serde(with = "one"))]
        cost: f64,
    },
    /// A run goes on after a report, or is left.
    #[non_exhaustive]
    Advised {
        /// The run.
        run: TrialId,
        /// What it was told.
        advice: Advice,
    },
    /// A run broke.
    #[non_exhaustive]
    Failed {
        /// The run.
        run: TrialId,
        /// What it cost since its last report.
        #[cfg_attr(feature = "serde", serde(with = "one"))]
        cost: f64,
    },
    /// A run that was lost may be resumed from its last report.
    #[non_exhaustive]
    Lost {
        /// The run.
        run: TrialId,
    },
    /// Models were fitted to all reports so far.
    #[non_exhaustive]
    Fitted {
        /// What was found.
        fit: Box<StagedFit>,
    },
    /// The price fell by half this many times in all, or another run is to be taken to its end.
    #[non_exhaustive]
    Turned {
        /// How often the price was halved.
        halvings: u32,
        /// The run that is to be taken to its end.
        anchor: Option<TrialId>,
    },
}

#[cfg(feature = "journal")]
impl StagedEvent {
    /// The run of which it was heard; none for one that begins.
    pub(crate) fn run(&self) -> Option<TrialId> {
        match self {
            Self::Resumed { run, .. }
            | Self::Reported { run, .. }
            | Self::Advised { run, .. }
            | Self::Failed { run, .. }
            | Self::Lost { run } => Some(*run),
            Self::Began { .. } | Self::Fitted { .. } | Self::Turned { .. } => None,
        }
    }
}

/// What a run does after a report.
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
