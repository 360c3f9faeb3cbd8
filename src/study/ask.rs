//! A point to evaluate, and why.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::study::trial::TrialId;
use crate::suggest::Suggestion;

/// A point to evaluate.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    pub(super) id: TrialId,
    pub(super) names: Arc<[String]>,
    pub(super) values: Vec<f64>,
    pub(super) row: Option<usize>,
    pub(super) why: Why,
}

impl Ask {
    /// The identifier to tell the outcome by.
    pub fn id(&self) -> TrialId {
        self.id
    }

    /// The parameters' values in their order.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The value of a parameter.
    ///
    /// # Errors
    /// `UnknownParameter`, listing the names there are.
    pub fn get(&self, name: &str) -> Result<f64> {
        value_of(self.named(), name).ok_or_else(|| {
            Error::new(
                ErrorKind::UnknownParameter,
                format!("no parameter is named {name:?}; there are {:?}", self.names),
            )
        })
    }

    /// The value of a parameter of whole numbers, as an integer.
    ///
    /// ```
    /// use gittins::{Space, Study};
    /// let space = Space::new().log_float("rate", 1e-5, 1e-1).int("depth", 2, 12);
    /// let mut study = Study::minimize(space).build()?;
    /// let ask = study.ask()?;
    /// let depth: i64 = ask.get_int("depth")?;
    /// assert_eq!(depth as f64, ask.get("depth")?);
    /// assert!(ask.get_int("rate").is_err());
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`get`](Self::get); `InvalidSetting` for a value that is not a whole number of 64 bits.
    pub fn get_int(&self, name: &str) -> Result<i64> {
        whole(name, self.get(name)?)
    }

    /// The parameters' names and values in their order.
    pub fn named(&self) -> impl Iterator<Item = (&str, f64)> {
        pairs(&self.names, &self.values)
    }

    /// The row, in a table.
    pub fn row(&self) -> Option<usize> {
        self.row
    }

    /// Why this point was chosen.
    pub fn why(&self) -> &Why {
        &self.why
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
    /// The initial design was asked for and no outcome is known yet: one more quasi-random point.
    Exploring,
    /// A [trust region](crate::study::TrustRegion) begins: a quasi-random point for it. It has more
    /// of them as long as none of its trials is complete.
    Region {
        /// Its number, the first being 1.
        number: usize,
        /// How many points the region begins with.
        of: usize,
    },
    /// The policy suggested it.
    Suggested(Box<Suggestion>),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Initial { number, of } => write!(f, "initial design, point {number} of {of}"),
            Self::Exploring => f.write_str("quasi-random, since no outcome is known yet"),
            Self::Region { number, of } => {
                write!(f, "new trust region, point {number} of {of}")
            }
            Self::Suggested(suggestion) => suggestion.fmt(f),
        }
    }
}

/// Names and values in their order.
pub(crate) fn pairs<'a>(
    names: &'a [String],
    values: &'a [f64],
) -> impl Iterator<Item = (&'a str, f64)> {
    names.iter().map(String::as_str).zip(values.iter().copied())
}

/// The value under a name, if there is one.
pub(crate) fn value_of<'a>(
    mut named: impl Iterator<Item = (&'a str, f64)>,
    name: &str,
) -> Option<f64> {
    named.find(|(known, _)| *known == name).map(|(_, value)| value)
}

/// A whole number as an integer.
pub(crate) fn whole(name: &str, value: f64) -> Result<i64> {
    // Every whole number of this range is an integer of 64 bits; 2^63 itself is not.
    if value.fract() == 0.0 && (-(2.0_f64.powi(63))..2.0_f64.powi(63)).contains(&value) {
        return Ok(value as i64);
    }
    let message = format!("{name:?} is {value}, which is not a whole number of 64 bits");
    Err(Error::new(ErrorKind::InvalidSetting, message))
}
