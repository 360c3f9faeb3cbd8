//! One trial of a study of control sets.

use gittins::TrialId;
#[cfg(feature = "serde")]
use gittins::internals::number::{list, maybe};
use gittins::study::{Origin, TrialState};

/// One trial: a set with its values, and its result.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SubsetTrial {
    /// Its identifier.
    pub id: TrialId,
    /// The set that was played. None for a trial that was imported.
    pub set: Option<usize>,
    /// The values that were asked for, of the controlled variables in their order, in the user's
    /// units.
    #[cfg_attr(feature = "serde", serde(with = "list"))]
    pub chosen: Vec<f64>,
    /// The values in the unit cube.
    #[cfg_attr(feature = "serde", serde(with = "list"))]
    pub query: Vec<f64>,
    /// The full point that happened, in the user's units. None until it was told.
    pub values: Option<Vec<f64>>,
    /// How far the trial has come.
    pub state: TrialState,
    /// The outcome, in the user's units.
    #[cfg_attr(feature = "serde", serde(default, with = "maybe"))]
    pub outcome: Option<f64>,
    /// The cost: as told, else the price of its set. None for a trial that was imported without a
    /// cost.
    #[cfg_attr(feature = "serde", serde(default, with = "maybe"))]
    pub cost: Option<f64>,
    /// Where it came from.
    pub origin: Origin,
}

impl SubsetTrial {
    /// A trial that was not asked for, without values and outcome.
    pub(in crate::control) fn imported(id: TrialId, state: TrialState) -> Self {
        Self {
            id,
            set: None,
            chosen: Vec::new(),
            query: Vec::new(),
            values: None,
            state,
            outcome: None,
            cost: None,
            origin: Origin::Imported,
        }
    }

    /// A trial that plays a set, and is pending.
    pub(in crate::control) fn played(
        id: TrialId,
        set: usize,
        chosen: Vec<f64>,
        query: Vec<f64>,
        origin: Origin,
    ) -> Self {
        let state = TrialState::Pending;
        Self { set: Some(set), chosen, query, origin, ..Self::imported(id, state) }
    }
}
