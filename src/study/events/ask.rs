//! A point to evaluate, and why.

use std::fmt;
use std::sync::Arc;

use crate::data::{FromValue, TrialId, Value, Values};
use crate::error::Result;
use crate::math::decimal::decimal;
use crate::suggest::Suggestion;

/// A point to evaluate.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    pub(in crate::study) id: TrialId,
    pub(in crate::study) names: Arc<[String]>,
    pub(in crate::study) values: Vec<Value>,
    pub(in crate::study) numbers: Vec<f64>,
    pub(in crate::study) row: Option<usize>,
    pub(in crate::study) why: Why,
    pub(in crate::study) resume: Option<f64>,
    pub(in crate::study) until: f64,
}

impl Ask {
    /// The identifier to tell the outcome by.
    pub fn id(&self) -> TrialId {
        self.id
    }

    /// This question under another identifier.
    #[cfg(feature = "journal")]
    pub(crate) fn with_id(self, id: TrialId) -> Self {
        Self { id, ..self }
    }

    /// The values in the order of the parameters.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The values as numbers, in the order of the parameters: a flag is 0 or 1, a name counts by
    /// its index, and NaN stands for what is absent. It is all there is to know in a space of
    /// numbers.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// The value of a parameter, as what is asked for: `f64`, `i64` and other whole numbers, `bool`,
    /// `String`, or an `Option` of these for a parameter that may be absent.
    ///
    /// # Errors
    /// `UnknownParameter`; the message lists the names. `InvalidSetting` for a value of another
    /// kind, naming the parameter.
    pub fn get<T: FromValue>(&self, name: &str) -> Result<T> {
        self.by_name().get(name)
    }

    /// The name that a choice or an ordinal parameter has.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    pub fn choice(&self, name: &str) -> Result<&str> {
        self.by_name().choice(name)
    }

    /// Names and values of the parameters in their order.
    pub fn named(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.by_name().iter()
    }

    fn by_name(&self) -> Values<'_> {
        Values::new(&self.names, &self.values)
    }

    /// The row, in a table.
    pub fn row(&self) -> Option<usize> {
        self.row
    }

    /// Why this point was chosen.
    pub fn why(&self) -> &Why {
        &self.why
    }

    /// In stages, the progress from which a trial that was left goes on; none for one that begins.
    pub fn resume(&self) -> Option<f64> {
        self.resume
    }

    /// In stages, the progress at which it reports. Otherwise 1, its end.
    pub fn until(&self) -> f64 {
        self.until
    }
}

/// Why a point was chosen. It prints itself in plain words.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Why {
    /// It belongs to the initial design.
    Initial {
        /// Its number, the first being 1.
        number: usize,
        /// How many points the design has.
        of: usize,
    },
    /// The initial design was asked for and no outcome is known yet, or all are equal: one more quasi-random
    /// point.
    Exploring,
    /// The last suggestions did no more than tie with the best outcome, as happens if outcomes have
    /// steps: a quasi-random point, to find out whether there is better elsewhere.
    Plateau {
        /// What such a trial is expected to gain, in outcome units.
        gain: f64,
    },
    /// The policy suggested it.
    Suggested(Box<Suggestion>),
    /// In stages: what is paid for next, in words, with its price and what it may bring.
    Stage(String),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Initial { number, of } => write!(f, "initial design, point {number} of {of}"),
            Self::Exploring => {
                f.write_str("quasi-random, since no outcome is known yet that differs from another")
            }
            Self::Plateau { gain } => write!(
                f,
                "quasi-random, since the last suggestions only tie with the best outcome; expected to gain {}",
                decimal(*gain, 2)
            ),
            Self::Suggested(suggestion) => suggestion.fmt(f),
            Self::Stage(words) => f.write_str(words),
        }
    }
}
