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
    /// The posterior standard deviation of that average. Of a mean of items two of them cover as they
    /// should. Of whole trials they do not while there are few: a fit to some noisy outcomes believes too
    /// often that there is no noise (`evidence/coverage/results.md`).
    pub sd: f64,
    /// Whether the deviation covers, by what was measured.
    pub(crate) covers: bool,
}

impl Recommendation {
    /// The values as numbers: a flag is 0 or 1, NaN stands for a name and for what is absent.
    pub fn numbers(&self) -> Vec<f64> {
        numbers(&self.values)
    }

    /// The posterior mean in words, with its deviation where that covers: "expected 0.94 +- 0.01", or
    /// "posterior mean 0.251".
    pub fn expected(&self) -> String {
        let mean = decimal(self.mean, 6);
        if self.covers {
            format!("expected {mean} +- {}", decimal(self.sd, 2))
        } else {
            format!("posterior mean {mean}")
        }
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
        let expected = self.expected();
        let outcome = decimal(self.outcome, 6);
        write!(f, "{}: {expected}, was {outcome} in {}", named.join(", "), self.trial)?;
        self.measured
            .iter()
            .try_for_each(|(name, number)| write!(f, ", {name} {}", decimal(number, 4)))
    }
}
