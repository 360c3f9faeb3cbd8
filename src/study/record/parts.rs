//! The parts of a row: what was said of a suggestion, who made its numbers, what the stopping rule
//! said, and how long all that took.

use crate::backend::{Fallback, Provenance};
#[cfg(feature = "serde")]
use crate::math::number::{maybe, one};
use crate::model::Hyperparameters;
use crate::stop::{Verdict, Worth};

/// A suggestion, as the record has it.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Suggested {
    /// The acquisition's name.
    pub acquisition: String,
    /// Its price of a unit of cost, if it has one.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub lambda: Option<f64>,
    /// Its value, an index or a bound in the user's direction.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub value: f64,
    /// The expected outcome.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub mean: f64,
    /// The standard deviation of the outcome.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub sd: f64,
    /// What the study's first model foresaw of the outcome, noise included: one deviation below and
    /// above, without pending trials, before deviations are widened. They are widened by the errors of
    /// such forecasts. None once something that it was fitted to was corrected or taken back.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub foreseen: Option<[f64; 2]>,
    /// The expected cost. None while costs are learned and none is known.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub cost: Option<f64>,
    /// The model of the (standardized) outcome. None once something that it was fitted to was
    /// corrected or taken back, like the next.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub outcome_model: Option<Hyperparameters>,
    /// The model of the standardized `ln c`, if the cost is learned.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub cost_model: Option<Hyperparameters>,
    /// The expected gain of a random trial, if the suggestions before expected and brought less
    /// and this one is by a model without a warp.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub random_restart: Option<f64>,
    /// Who found the basins.
    pub basins: Made,
    /// Who made the numbers.
    pub provenance: Made,
    /// Where else the search ended, best first: hints for the next search. None in a table.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub runners_up: Vec<Vec<f64>>,
}

/// The verdict of a stopping rule.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Judged {
    /// The rule's name.
    pub rule: String,
    /// Its statistic.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub statistic: f64,
    /// The value at or below which it fires.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub threshold: f64,
    /// Whether it fired.
    pub fired: bool,
    /// What the next trial would have brought and cost, if the rule weighs the two.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub worth: Option<Worth>,
}

/// Seconds by the clock.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Seconds {
    /// Of the fits made after this trial was told and before the next one was; 0 if there was none.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub fit: f64,
    /// Of the search that suggested it; 0 if it was not suggested.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub search: f64,
    /// Of the last verdict asked for after it was told, fits not included; 0 if none was.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub verdict: f64,
}

/// Who made numbers: a [`Provenance`] to keep.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Made {
    /// `"cpu"`, or what another backend calls itself.
    pub backend: String,
    /// The adapter's name, none for the CPU.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub adapter: Option<String>,
    /// `"f64"` or `"f32"`.
    pub precision: String,
    /// Why another backend than the one asked answered.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub fallback: Option<Fallback>,
}

impl Suggested {
    /// Forgets the models behind it: they were fitted to something that was wrong.
    pub(in crate::study) fn forget_models(&mut self) {
        self.outcome_model = None;
        self.cost_model = None;
        self.foreseen = None;
    }
}

impl From<&Provenance> for Made {
    fn from(provenance: &Provenance) -> Self {
        Self {
            backend: provenance.backend.to_owned(),
            adapter: provenance.adapter.as_deref().map(str::to_owned),
            precision: provenance.precision.to_owned(),
            fallback: provenance.fallback,
        }
    }
}

impl From<&Verdict> for Judged {
    fn from(verdict: &Verdict) -> Self {
        let reason = verdict.reason();
        Self {
            rule: reason.rule.clone(),
            statistic: reason.statistic,
            threshold: reason.threshold,
            fired: verdict.is_stop(),
            worth: reason.worth,
        }
    }
}
