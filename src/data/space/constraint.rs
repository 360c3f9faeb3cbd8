//! What must hold at every point, and is known beforehand.

use std::fmt;
use std::sync::Arc;

use crate::data::Values;

/// A constraint that is known beforehand. No search leaves it.
#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Constraint {
    /// `sum_i weight_i value_i <= at_most` over parameters that are numbers or flags. One that is
    /// absent counts as 0.
    Linear {
        /// Names and weights.
        terms: Vec<(String, f64)>,
        /// The bound.
        at_most: f64,
    },
    /// `sum_i weight_i value_i = equal_to` over [floats](crate::data::ParameterKind::Float) that always
    /// exist.
    Equation {
        /// Names and weights.
        terms: Vec<(String, f64)>,
        /// What the sum is.
        equal_to: f64,
    },
    /// At most so many of these [floats](crate::data::ParameterKind::Float) from 0 are more than 0, and
    /// each that is there is at least `least`.
    Cardinality {
        /// The names.
        parts: Vec<String>,
        /// How many may be there.
        at_most: usize,
        /// The least of what is there; 0 unless given.
        #[cfg_attr(feature = "serde", serde(default))]
        least: f64,
    },
    /// A function that says which points are allowed. It cannot be written as data.
    #[cfg_attr(feature = "serde", serde(skip))]
    Predicate(Predicate),
}

/// A function that says which points are allowed, and what it is called in messages.
#[derive(Clone)]
pub struct Predicate {
    pub(in crate::data) name: String,
    pub(in crate::data) function: Arc<Allows>,
}

type Allows = dyn Fn(&Values<'_>) -> bool + Send + Sync;

impl Predicate {
    pub(in crate::data) fn new(
        name: String,
        function: impl Fn(&Values<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { name, function: Arc::new(function) }
    }
}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Predicate({:?})", self.name)
    }
}

/// Two predicates are equal if they are the same function under the same name.
impl PartialEq for Predicate {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.function, &other.function)
    }
}

/// Names with weights, what their sum is compared with, and whether it is to be equal to it.
type Sum<'c> = (&'c [(String, f64)], f64, bool);

impl Constraint {
    /// The terms of a linear constraint, its bound, and whether the sum is equal to that.
    pub(in crate::data) fn linear(&self) -> Option<Sum<'_>> {
        match self {
            Self::Linear { terms, at_most } => Some((terms, *at_most, false)),
            Self::Equation { terms, equal_to } => Some((terms, *equal_to, true)),
            Self::Cardinality { .. } | Self::Predicate(_) => None,
        }
    }
}

impl PartialEq for Constraint {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Predicate(one), Self::Predicate(other)) => one == other,
            (
                Self::Cardinality { parts, at_most, least },
                Self::Cardinality { parts: others, at_most: most, least: lowest },
            ) => parts == others && at_most == most && least == lowest,
            _ => self.linear().is_some() && self.linear() == other.linear(),
        }
    }
}

impl fmt::Debug for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (terms, bound, is_equal) = match self {
            Self::Predicate(predicate) => return write!(f, "{:?}", predicate.name),
            Self::Cardinality { parts, at_most, least } => {
                write!(f, "at most {at_most} of {}", parts.join(", "))?;
                return if *least > 0.0 { write!(f, " with {least} or more each") } else { Ok(()) };
            }
            _ => self.linear().unwrap_or_default(),
        };
        let sign = if is_equal { "=" } else { "<=" };
        let terms: Vec<String> =
            terms.iter().map(|(name, weight)| format!("{weight} {name}")).collect();
        write!(f, "{} {sign} {bound}", terms.join(" + "))
    }
}

/// The rounding of a linear constraint, relative to the sizes of its terms.
pub(in crate::data) const ROUNDING: f64 = 1e-9;

/// A linear constraint by indices.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::data) struct Linear {
    pub terms: Vec<(usize, f64)>,
    pub bound: f64,
    pub is_equal: bool,
}

impl Linear {
    /// A constraint by the indices of its parameters; `None` if it is not linear.
    pub fn of(constraint: &Constraint, index_of: impl Fn(&str) -> Option<usize>) -> Option<Self> {
        let (terms, bound, is_equal) = constraint.linear()?;
        let resolve = |(name, weight): &(String, f64)| Some((index_of(name)?, *weight));
        Some(Self { terms: terms.iter().filter_map(resolve).collect(), bound, is_equal })
    }

    /// The sum, and the sizes of its terms and of the bound. What is absent counts as 0.
    pub fn sum(&self, codes: &[f64]) -> (f64, f64) {
        let there = self.terms.iter().filter(|(index, _)| !codes[*index].is_nan());
        let terms = there.map(|&(index, weight)| weight * codes[index]);
        terms.fold((0.0, self.bound.abs()), |(sum, size), term| (sum + term, size + term.abs()))
    }

    /// By how much it is broken; at most 0 if it holds.
    pub fn excess(&self, codes: &[f64]) -> f64 {
        let (sum, size) = self.sum(codes);
        let above = sum - self.bound;
        (if self.is_equal { above.abs() } else { above }) - ROUNDING * size
    }
}
