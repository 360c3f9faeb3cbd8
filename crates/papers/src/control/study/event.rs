//! What happens in a study of control sets, one after another: the only way in which it changes.

use gittins::internals::Kept;
#[cfg(feature = "serde")]
use gittins::internals::number::list;
use gittins::study::Origin;
use gittins::{Outcome, TrialId};

use crate::control::study::chosen::Chosen;

/// Something that happened in a study of control sets: all that one on the same settings needs to
/// become the same ([`SubsetStudyBuilder::resume`](crate::control::SubsetStudyBuilder::resume)). With
/// the feature `serde` it can be written in any format that has names.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum SubsetEvent {
    /// A trial was asked for.
    #[non_exhaustive]
    Asked {
        /// The trial.
        trial: TrialId,
        /// Its set and its values, and what was thought of them.
        asked: SubsetAsked,
    },
    /// A trial was told that was never asked for.
    #[non_exhaustive]
    Imported {
        /// The full point.
        #[cfg_attr(feature = "serde", serde(with = "list"))]
        values: Vec<f64>,
        /// Its result.
        outcome: Outcome,
    },
    /// A trial was told.
    #[non_exhaustive]
    Told {
        /// The trial.
        trial: TrialId,
        /// The full point that happened.
        #[cfg_attr(feature = "serde", serde(with = "list"))]
        values: Vec<f64>,
        /// Its result.
        outcome: Outcome,
    },
    /// What was told of a trial was replaced.
    #[non_exhaustive]
    Corrected {
        /// The trial.
        trial: TrialId,
        /// Its result.
        outcome: Outcome,
    },
    /// A trial was given up, or what was told of it was taken back.
    #[non_exhaustive]
    Withdrawn {
        /// The trial.
        trial: TrialId,
    },
    /// A model was fitted.
    #[non_exhaustive]
    Fitted {
        /// The fit.
        fit: Box<SubsetFit>,
    },
    /// A verdict was given, about the next trial.
    #[non_exhaustive]
    Judged {
        /// How often what was told had changed.
        revision: usize,
        /// The next trial.
        next: Box<SubsetAsked>,
    },
}

/// A fit, and the revision of the observations that it was made with.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SubsetFit {
    pub(in crate::control) revision: usize,
    pub(in crate::control) fit: Kept,
}

/// A trial of a study of control sets that was asked for, or is decided to be the next.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SubsetAsked {
    /// The initial design or a suggestion.
    pub(in crate::control) origin: Origin,
    /// The place of its set.
    pub(in crate::control) set: usize,
    #[cfg_attr(feature = "serde", serde(with = "list"))]
    pub(in crate::control) query: Vec<f64>,
    /// None for a quasi-random query.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(in crate::control) suggestion: Option<Box<Chosen>>,
}
