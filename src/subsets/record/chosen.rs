//! What was said when a policy chose a set and its values.

use crate::error::Result;
#[cfg(feature = "serde")]
use crate::math::number::one;
use crate::model::Hyperparameters;
use crate::study::RowSuggestion;
use crate::study::cells::{self, Pass};

/// The suggestion of a set and its values, as the record has it.
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

impl RowSuggestion for Chosen {
    const MARKER: &str = "suggestion.score";

    fn go_over(&mut self, names: Option<&[&str]>, pass: &mut impl Pass) -> Result<()> {
        pass.field("suggestion.score", &mut self.score)?;
        pass.field("suggestion.value", &mut self.value)?;
        pass.field("suggestion.values", &mut self.values)?;
        let price = "suggestion.exploring.price";
        pass.part(price, &mut self.exploring, Default::default, |pass, exploring| {
            pass.field(price, &mut exploring.0)?;
            pass.field("suggestion.exploring.plays", &mut exploring.1)
        })?;
        cells::model(pass, "outcome_model", names, &mut self.outcome_model)?;
        pass.field("suggestion.ends", &mut self.ends)
    }

    fn forget_models(&mut self) {
        self.outcome_model = None;
    }
}

/// Numbers, or none in their places.
#[cfg(feature = "serde")]
mod scores {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::math::number::Number;

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
