//! One trial of the record of a run with control sets.

use crate::data::Direction;
use crate::error::{Error, ErrorKind, Result};
#[cfg(feature = "serde")]
use crate::math::number::{list, maybe};
#[cfg(feature = "serde")]
use crate::study::named;
use crate::study::order::Telling;
use crate::study::{Judged, Origin, Seconds, TrialState};
use crate::subsets::record::chosen::Chosen;

/// One trial of a [`SubsetRecord`](crate::subsets::SubsetRecord). Values, outcomes and costs are in
/// the user's units.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SubsetRow {
    /// The trial's number.
    pub trial: usize,
    /// Which outcomes are better.
    pub direction: Direction,
    /// Where the trial came from.
    pub origin: Origin,
    /// How far it has come.
    pub state: TrialState,
    /// The name of the set that was played. None for a trial that was imported.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub set: Option<String>,
    /// The price of the set.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub price: Option<f64>,
    /// The controlled variables and the values that were asked for, in the order of the space.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "named", skip_serializing_if = "Vec::is_empty")
    )]
    pub chosen: Vec<(String, f64)>,
    /// The values in the unit cube.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "list", skip_serializing_if = "Vec::is_empty")
    )]
    pub query: Vec<f64>,
    /// All variables in their order, and the point that happened. No values until it was told.
    #[cfg_attr(feature = "serde", serde(with = "named"))]
    pub values: Vec<(String, Option<f64>)>,
    /// How much had been told when it was asked for or imported.
    #[cfg_attr(feature = "serde", serde(default))]
    pub seen: usize,
    /// Its place in the order of what was told, from 0. None while it is under way, or once it
    /// was withdrawn. A trial that was told and taken back has no place. A trial that was corrected
    /// has its first place.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub told: Option<usize>,
    /// The outcome.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub outcome: Option<f64>,
    /// The cost: as told, else the price of its set. None for a trial that was imported without a
    /// cost.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub cost: Option<f64>,
    /// The cost of the trials that were asked for at the moment at which this one was told, its own
    /// cost included, and those under way at the prices of their sets. None for a trial that was
    /// not told.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub spent: Option<f64>,
    /// The best outcome up to that moment, its own included. None while no trial is complete.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub best: Option<f64>,
    /// The suggestion, if the policy chose it.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub suggestion: Option<Chosen>,
    /// The last verdict asked for between the telling of this trial and of the next. None once
    /// something that it knew was corrected or taken back.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub verdict: Option<Judged>,
    /// How long the study took.
    #[cfg_attr(feature = "serde", serde(default))]
    pub seconds: Seconds,
}

impl SubsetRow {
    /// The names of the variables in their order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|(name, _)| name.as_str())
    }

    /// When it was asked for, and when it was told.
    pub(super) fn telling(&self) -> Telling {
        let Self { trial, state, seen, told, .. } = *self;
        Telling { trial, state, seen, told, paid: None }
    }

    /// The full point, if all of it is there.
    pub(crate) fn point(&self) -> Option<Vec<f64>> {
        self.values.iter().map(|(_, value)| *value).collect()
    }

    /// Checks the row at `index` against the first one. Its place in the order of telling is
    /// checked apart.
    pub(super) fn check(&self, index: usize, first: &SubsetRow) -> Result<()> {
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidSetting, message));
        self.telling().check_number(index)?;
        if self.direction != first.direction {
            return invalid(format!(
                "to {}, while trial 0 is to {}",
                self.direction, first.direction
            ));
        }
        if !self.names().eq(first.names()) {
            let [own, known] =
                [self, first].map(|row| row.names().map(str::to_owned).collect::<Vec<_>>());
            let message = format!("its variables {own:?} are not those of trial 0, {known:?}");
            return Err(Error::new(ErrorKind::UnknownParameter, message));
        }
        let mut names = self.names();
        if let Some((name, _)) =
            self.chosen.iter().find(|(name, _)| !names.any(|known| known == name))
        {
            let message = format!("{name:?} is set, and is no variable, or not in its place");
            return Err(Error::new(ErrorKind::UnknownParameter, message));
        }
        if self.query.len() != self.chosen.len() {
            let message = format!(
                "a query of {} coordinates for {} controlled variables",
                self.query.len(),
                self.chosen.len()
            );
            return Err(Error::new(ErrorKind::Dimension, message));
        }
        let is_played = self.origin != Origin::Imported;
        if [self.set.is_some(), self.price.is_some(), !self.chosen.is_empty()] != [is_played; 3] {
            let set = self.set.as_ref().map_or("no set".to_owned(), |set| format!("set {set:?}"));
            let price = self.price.map_or("no price".to_owned(), |price| format!("price {price}"));
            return invalid(format!(
                "it is {}, with {set}, {price} and {} controlled variables",
                self.origin,
                self.chosen.len()
            ));
        }
        let values = self.values.iter().filter(|(_, value)| value.is_some()).count();
        if values != if self.state.is_told() { self.values.len() } else { 0 } {
            return invalid(format!(
                "it is {}, with values of {values} of {} variables",
                self.state,
                self.values.len()
            ));
        }
        Ok(())
    }
}
