//! A set to play with values for its variables, and why.

use std::fmt;
use std::sync::Arc;

use gittins::{Error, ErrorKind, Result, TrialId};

use crate::control::decision::Decision;

/// A set to play, with values for its variables; the others are left to nature.
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetAsk {
    pub(in crate::control) id: TrialId,
    pub(in crate::control) set: usize,
    pub(in crate::control) name: Arc<str>,
    pub(in crate::control) cost: f64,
    pub(in crate::control) names: Arc<[String]>,
    pub(in crate::control) controlled: Vec<usize>,
    pub(in crate::control) values: Vec<f64>,
    pub(in crate::control) why: SubsetWhy,
}

impl SubsetAsk {
    /// The identifier to tell the outcome by.
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
    /// `UnknownParameter` for a variable that this set does not control, listing those that it
    /// does.
    pub fn get(&self, name: &str) -> Result<f64> {
        let known = || self.named().map(|(name, _)| name).collect::<Vec<_>>();
        self.named().find(|(other, _)| *other == name).map(|(_, value)| value).ok_or_else(|| {
            Error::new(
                ErrorKind::UnknownParameter,
                format!("control set {:?} does not set {name:?}; it sets {:?}", self.name, known()),
            )
        })
    }

    /// The full point: the values of the controlled variables, and what nature made of the others.
    /// `nature` is in the order of the space, and is not looked at for controlled variables.
    ///
    /// ```
    /// # use gittins_papers::control::{ControlSets, Law, SubsetStudy};
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

    /// Why this set and these values were chosen.
    pub fn why(&self) -> &SubsetWhy {
        &self.why
    }
}

/// Why a set and its values were chosen. It prints itself in plain words.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
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
