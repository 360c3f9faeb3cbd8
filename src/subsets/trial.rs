//! One trial of a study of control sets.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::study::{Origin, TrialId, TrialState};
use crate::subsets::decision::Decision;

/// One trial: a set with its values, and what came of them.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SubsetTrial {
    /// The set that was played; none for one that was imported.
    pub set: Option<usize>,
    /// The values that were asked for, of the controlled variables in their order, in the user's
    /// units.
    pub chosen: Vec<f64>,
    /// The full point that happened, in the user's units; none until it was told.
    pub values: Option<Vec<f64>>,
    /// How far the trial has come.
    pub state: TrialState,
    /// What came out, in the user's units.
    pub outcome: Option<f64>,
    /// What it cost: as told, else the price of its set; none for one that was imported without.
    pub cost: Option<f64>,
    /// Where it came from.
    pub origin: Origin,
    /// The controlled coordinates in the unit cube.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) query: Vec<f64>,
}

/// A set to play, with values for its variables; the others are left to nature.
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetAsk {
    pub(super) id: TrialId,
    pub(super) set: usize,
    pub(super) name: Arc<str>,
    pub(super) cost: f64,
    pub(super) names: Arc<[String]>,
    pub(super) controlled: Vec<usize>,
    pub(super) values: Vec<f64>,
    pub(super) why: SubsetWhy,
}

impl SubsetTrial {
    /// Whether an outcome or a failure was told of it, and stands.
    pub(super) fn is_told(&self) -> bool {
        !matches!(self.state, TrialState::Pending | TrialState::Withdrawn)
    }
}

impl SubsetAsk {
    /// What to tell the outcome by.
    pub fn id(&self) -> TrialId {
        self.id
    }

    /// The name of the set.
    pub fn set(&self) -> &str {
        &self.name
    }

    /// The place of the set among those of the study.
    pub fn set_index(&self) -> usize {
        self.set
    }

    /// The price of the set.
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// The values of the controlled variables, in the order of the space.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Names and values of the controlled variables.
    pub fn named(&self) -> impl Iterator<Item = (&str, f64)> {
        self.controlled.iter().map(|&k| self.names[k].as_str()).zip(self.values.iter().copied())
    }

    /// The value of a controlled variable.
    ///
    /// # Errors
    /// `UnknownParameter` for one that this set does not control, listing those that it does.
    pub fn get(&self, name: &str) -> Result<f64> {
        let found = self.named().find(|(known, _)| *known == name);
        let known = || self.named().map(|(name, _)| name).collect::<Vec<_>>();
        let missing = || {
            Error::new(
                ErrorKind::UnknownParameter,
                format!("control set {:?} does not set {name:?}; it sets {:?}", self.name, known()),
            )
        };
        found.map(|(_, value)| value).ok_or_else(missing)
    }

    /// The full point, from what nature made of each variable in the order of the space: the
    /// controlled ones take their values from here.
    ///
    /// ```
    /// # use gittins::subsets::{ControlSets, Law, SubsetStudy};
    /// # let space = gittins::Space::new().float("lime", 0.0, 4.0).float("rain", 200.0, 900.0);
    /// # let sets = ControlSets::new().set("soil", ["lime"], 1.0).law("rain", Law::normal(600.0, 120.0));
    /// let mut study = SubsetStudy::maximize(space, sets).build()?;
    /// let ask = study.ask()?;
    /// let seen = [f64::NAN, 640.0];
    /// assert_eq!(ask.completed(&seen), [ask.get("lime")?, 640.0]);
    /// # Ok::<(), gittins::Error>(())
    /// ```
    pub fn completed(&self, nature: &[f64]) -> Vec<f64> {
        let mut point = nature.to_vec();
        for (&k, value) in self.controlled.iter().zip(&self.values) {
            if let Some(coordinate) = point.get_mut(k) {
                *coordinate = *value;
            }
        }
        point
    }

    /// Why this set and these values.
    pub fn why(&self) -> &SubsetWhy {
        &self.why
    }
}

/// Why a set and its values were chosen; prints itself in plain words.
#[derive(Debug, Clone, PartialEq)]
pub enum SubsetWhy {
    /// It belongs to the initial design, which plays the cheapest sets in turn.
    Initial {
        /// Its number, the first being 1.
        number: usize,
        /// How many trials the design has.
        of: usize,
    },
    /// The initial design was asked for and no outcome is known yet: one more quasi-random query.
    Exploring,
    /// The policy chose it.
    Chosen(Box<Decision>),
}

impl fmt::Display for SubsetWhy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Initial { number, of } => write!(f, "initial design, trial {number} of {of}"),
            Self::Exploring => f.write_str("quasi-random, since no outcome is known yet"),
            Self::Chosen(decision) => decision.fmt(f),
        }
    }
}
