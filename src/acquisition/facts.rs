//! What searches, reports and shaders must know about an acquisition besides its value.
//!
//! The tables are [`Pointwise::facts`](super::Pointwise) and [`Joint::facts`](super::Joint): one
//! exhaustive match each.

use crate::data::OutcomeScale;
use crate::error::{Error, ErrorKind, Result};

/// What an acquisition's value measures, and so how it follows the units of the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Quantity {
    /// An outcome: the value scales with the outcome's unit and moves with its origin.
    Level,
    /// A difference of outcomes: the value scales with the outcome's unit.
    Gain,
    /// The logarithm of a difference of outcomes.
    LogGain,
    /// A number without a unit, such as a probability or an information.
    Number,
}

impl Quantity {
    /// A value of standardized outcomes, in units of the outcomes themselves.
    pub(crate) fn undo(self, scale: &OutcomeScale, value: f64) -> f64 {
        match self {
            Self::Level => scale.undo(value),
            Self::Gain => scale.undo_difference(value),
            Self::LogGain => value + scale.scaling().sd.ln(),
            Self::Number => value,
        }
    }

    /// `(offset, factor)`: if the outcomes are `mean + deviation z`, then a value is `offset`
    /// plus `factor` times the value of `z`.
    #[cfg(feature = "gpu")]
    pub(crate) fn of_unit(self, mean: f64, deviation: f64) -> (f64, f64) {
        match self {
            Self::Level => (mean, deviation),
            Self::Gain => (0.0, deviation),
            Self::LogGain => (deviation.ln(), 1.0),
            Self::Number => (0.0, 1.0),
        }
    }
}

/// How likely a scored point is to become the start of a climb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartWeights {
    /// `exp(z)` with standardized scores `z`.
    Standardized,
    /// `exp(score / max - 1)` over the scores above `1e-4 max`. This is usual for scores that are
    /// never negative and zero over most of the space late in a run: improvements, probabilities
    /// and informations.
    Shares,
}

/// How the probability that a trial may be used enters a score: that it succeeds and holds all
/// limits. A trial pays only if it may be used, and costs in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UsableForm {
    /// Not at all: the score measures no gain that would be lost.
    None,
    /// It divides the price.
    Price,
    /// It is a factor of the score.
    Factor,
    /// Its logarithm is added to the score.
    Log,
}

/// One row of the table of acquisitions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    /// The name in reports.
    pub name: &'static str,
    /// What the value measures.
    pub quantity: Quantity,
    /// How climbs choose their starts.
    pub starts: StartWeights,
    /// Whether the value depends on the cost.
    pub cost: bool,
    /// Whether the value depends on the incumbent.
    pub incumbent: bool,
    /// Whether noise keeps one outcome from showing the whole improvement.
    pub foresees_noise: bool,
    /// How the probability that a trial may be used enters.
    pub usable: UsableForm,
}

impl Facts {
    /// A row for an acquisition that uses only the posterior.
    pub fn new(name: &'static str, quantity: Quantity, starts: StartWeights) -> Self {
        let (cost, incumbent, foresees_noise) = (false, false, false);
        let usable = UsableForm::None;
        Self { name, quantity, starts, cost, incumbent, foresees_noise, usable }
    }

    /// Marks that the value depends on the incumbent.
    pub fn incumbent(self) -> Self {
        Self { incumbent: true, ..self }
    }

    /// Marks that noise keeps one outcome from showing the whole improvement.
    pub fn foresees_noise(self) -> Self {
        Self { foresees_noise: true, ..self }
    }

    /// Says how the probability that a trial may be used enters.
    pub fn usable(self, usable: UsableForm) -> Self {
        Self { usable, ..self }
    }

    /// Says whether the value depends on the cost.
    pub fn cost(self, uses: bool) -> Self {
        Self { cost: uses, ..self }
    }

    /// Checks that a setting is finite and at least 0.
    ///
    /// # Errors
    /// As for [`check`](Self::check).
    pub fn check_at_least_zero(&self, setting: &str, value: f64) -> Result<()> {
        self.check(setting, value, value >= 0.0, "a finite number of at least 0")
    }

    /// Checks a setting.
    ///
    /// # Errors
    /// [`ErrorKind::NonFinite`] if the value is NaN or infinite. [`ErrorKind::InvalidSetting`] if
    /// it is not `valid`.
    pub fn check(&self, setting: &str, value: f64, valid: bool, expected: &str) -> Result<()> {
        let kind = match value.is_finite() {
            true if valid => return Ok(()),
            true => ErrorKind::InvalidSetting,
            false => ErrorKind::NonFinite,
        };
        let name = self.name;
        Err(Error::new(
            kind,
            format!("acquisition {name}: expected {setting} to be {expected}, got {value}"),
        ))
    }

    /// Checks that a list is not empty and that its numbers are finite.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] if the list is empty. [`ErrorKind::NonFinite`] if a number is not
    /// finite.
    pub fn check_list(&self, one: &str, each: &str, values: &[f64]) -> Result<()> {
        if values.is_empty() {
            let name = self.name;
            return Err(Error::new(
                ErrorKind::Empty,
                format!("acquisition {name}: expected at least one {one}, got none"),
            ));
        }
        values.iter().try_for_each(|&value| self.check(each, value, true, "a finite number"))
    }
}
