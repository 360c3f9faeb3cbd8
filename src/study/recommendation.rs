//! What to use once the run ends.

use std::fmt;

use crate::data::value::numbers;
use crate::data::{Measured, TrialId, Value};
use crate::math::decimal::decimal;

/// The trial to use once the run ends, and what to expect of it, in the user's units.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Recommendation {
    /// The trial.
    pub trial: TrialId,
    /// The names of the parameters.
    pub names: Vec<String>,
    /// Their values.
    pub values: Vec<Value>,
    /// The point in the unit cube.
    pub unit: Vec<f64>,
    /// Its row, in a table.
    pub row: Option<usize>,
    /// The outcome that was told, luck included.
    pub outcome: f64,
    /// The numbers that were measured beside it.
    pub measured: Measured,
    /// The posterior mean there: what the next outcomes there are expected to be on average.
    pub mean: f64,
    /// The posterior standard deviation of that average.
    pub sd: f64,
}

impl Recommendation {
    /// The values as numbers: a flag is 0 or 1, NaN stands for a name and for what is absent.
    pub fn numbers(&self) -> Vec<f64> {
        numbers(&self.values)
    }

    /// Names and values of the parameters in their order.
    pub fn named(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.names.iter().map(String::as_str).zip(&self.values)
    }
}

impl fmt::Display for Recommendation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |value: &Value| match value {
            Value::Float(number) => decimal(*number, 4),
            other => other.to_string(),
        };
        let there = self.named().filter(|(_, value)| **value != Value::Absent);
        let named: Vec<String> =
            there.map(|(name, value)| format!("{name} = {}", text(value))).collect();
        let [mean, outcome] = [self.mean, self.outcome].map(|value| decimal(value, 6));
        write!(
            f,
            "{}: expected outcome {mean} +- {}, was {outcome} in {}",
            named.join(", "),
            decimal(self.sd, 2),
            self.trial
        )?;
        self.measured
            .iter()
            .try_for_each(|(name, number)| write!(f, ", {name} {}", decimal(number, 4)))
    }
}
