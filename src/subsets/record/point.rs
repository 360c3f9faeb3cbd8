//! The point of a row: the set that was played, and what happened.

use crate::error::{Error, ErrorKind, Result};
#[cfg(feature = "serde")]
use crate::math::number::{list, maybe};
use crate::study::cells::Pass;
#[cfg(feature = "serde")]
use crate::study::named;
use crate::study::{Origin, RowPoint, TrialState};

/// The point of a [`SubsetRow`](crate::subsets::SubsetRow): the set that was played with its
/// values, and the point that happened. Values are in the user's units.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SubsetPoint {
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
}

impl RowPoint for SubsetPoint {
    const NAMED: &str = "variables";
    const PAID_APART: bool = false;

    fn blank(names: &[&str], _: bool) -> Self {
        Self {
            set: None,
            price: None,
            chosen: Vec::new(),
            query: Vec::new(),
            values: names.iter().map(|name| (name.to_string(), None)).collect(),
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|(name, _)| name.as_str())
    }

    fn is_single(&self) -> bool {
        true
    }

    fn check(&self, _: &Self, origin: Origin, state: TrialState) -> Result<()> {
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidSetting, message));
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
        let is_played = origin != Origin::Imported;
        if [self.set.is_some(), self.price.is_some(), !self.chosen.is_empty()] != [is_played; 3] {
            let set = self.set.as_ref().map_or("no set".to_owned(), |set| format!("set {set:?}"));
            let price = self.price.map_or("no price".to_owned(), |price| format!("price {price}"));
            return invalid(format!(
                "it is {origin}, with {set}, {price} and {} controlled variables",
                self.chosen.len()
            ));
        }
        let values = self.values.iter().filter(|(_, value)| value.is_some()).count();
        if values != if state.is_told() { self.values.len() } else { 0 } {
            return invalid(format!(
                "it is {state}, with values of {values} of {} variables",
                self.values.len()
            ));
        }
        Ok(())
    }

    /// A controlled variable has a pair of columns, empty if the set leaves it to nature.
    fn go_over(&mut self, names: &[&str], pass: &mut impl Pass) -> Result<()> {
        pass.maybe("set", &mut self.set)?;
        pass.maybe("price", &mut self.price)?;
        let of = |name: &&str| {
            let place = self.chosen.iter().position(|(chosen, _)| chosen == name);
            place.map_or([None; 2], |k| [Some(self.chosen[k].1), Some(self.query[k])])
        };
        let mut all: Vec<[Option<f64>; 2]> = names.iter().map(of).collect();
        for (name, [chosen, query]) in names.iter().zip(&mut all) {
            pass.maybe(&format!("chosen.{name}"), chosen)?;
            pass.maybe(&format!("query.{name}"), query)?;
        }
        let chosen = names.iter().zip(&all);
        self.chosen =
            chosen.filter_map(|(name, [value, _])| Some((name.to_string(), (*value)?))).collect();
        self.query = all.iter().filter_map(|[_, u]| *u).collect();
        for (name, value) in &mut self.values {
            pass.maybe(&format!("value.{name}"), value)?;
        }
        Ok(())
    }
}
