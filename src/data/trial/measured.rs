//! Numbers that are measured beside the outcome.

use std::collections::BTreeMap;

#[cfg(feature = "serde")]
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[cfg(feature = "serde")]
use crate::math::number::Number;

/// Numbers that were measured in a trial, by their names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measured(BTreeMap<String, f64>);

impl Measured {
    /// Adds a number. One of the same name is replaced.
    pub(crate) fn set(&mut self, name: impl Into<String>, number: f64) {
        self.0.insert(name.into(), number);
    }

    /// The number of a name, if it was told; NaN if it was told that it could not be measured.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// Names and numbers, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, number)| (name.as_str(), *number))
    }

    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(feature = "serde")]
impl Serialize for Measured {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.iter().map(|(name, number)| (name, Number(number))))
    }
}

#[cfg(feature = "serde")]
impl<'de> Deserialize<'de> for Measured {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let numbers = BTreeMap::<String, Number>::deserialize(from)?;
        Ok(Self(numbers.into_iter().map(|(name, number)| (name, number.0)).collect()))
    }
}
