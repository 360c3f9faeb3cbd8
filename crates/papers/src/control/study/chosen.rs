//! What was said when a policy chose a set and its values.

use gittins::Hyperparameters;
#[cfg(feature = "serde")]
use gittins::internals::number::one;

/// The suggestion of a set and its values, as an event has it.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Chosen {
    /// The score's name.
    pub score: String,
    /// The score of the query chosen, in the user's outcome units.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub value: f64,
    /// For each set of the study the score of its best query. None for a set that was no candidate.
    #[cfg_attr(feature = "serde", serde(with = "scores"))]
    pub values: Vec<Option<f64>>,
    /// While cheap sets were explored: the price of the sets whose turn it was, and how many plays
    /// they had left, this one included.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub exploring: Option<(f64, usize)>,
    /// The model of the (standardized) outcome. None once something that it was fitted to was
    /// corrected or taken back.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub outcome_model: Option<Hyperparameters>,
    /// For each set the end of its last search, in the unit cube: a hint for the next search. Empty
    /// for a set that was not searched yet.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub ends: Vec<Vec<f64>>,
}

/// Numbers, or none in their places.
#[cfg(feature = "serde")]
mod scores {
    use serde::{Deserialize, Deserializer, Serializer};

    use gittins::internals::number::Number;

    pub fn serialize<S: Serializer>(
        values: &[Option<f64>],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|value| value.map(Number)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Option<f64>>, D::Error> {
        let read = Vec::<Option<Number>>::deserialize(deserializer)?;
        Ok(read.into_iter().map(|value| value.map(|number| number.0)).collect())
    }
}
