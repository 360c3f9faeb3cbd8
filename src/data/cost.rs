//! The cost of an evaluation: the same everywhere, a given function of the point, or to be learned.

use std::fmt;
use std::sync::Arc;

use crate::data::observation::check_cost;
use crate::error::{Result, check_positive};

/// A positive cost at each point of the unit cube, with its gradient. A
/// [`Job`](crate::backend::Job) carries one.
pub trait PointCost: Send + Sync {
    /// The cost at a point of the unit cube. Fills the gradient with respect to the unit
    /// coordinates if there is one to fill.
    ///
    /// # Errors
    /// `NonFinite` or `NonPositiveCost`, naming the point.
    fn cost(&self, unit: &[f64], gradient: Option<&mut [f64]>) -> Result<f64>;
}

/// What is known of the cost of an evaluation, in the user's units. Costs are finite and positive;
/// with a floor they may also be zero.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Cost {
    /// The same everywhere.
    Uniform(f64),
    /// A known function of the parameters' values.
    #[cfg_attr(feature = "serde", serde(skip_deserializing, serialize_with = "refuse"))]
    Known(KnownCost),
    /// Nothing is known: a Gaussian process of its own models `ln c`, from the costs that are told.
    Learned,
}

/// A function cannot be written as data.
#[cfg(feature = "serde")]
fn refuse<S: serde::Serializer>(_: &KnownCost, _: S) -> std::result::Result<S::Ok, S::Error> {
    Err(serde::ser::Error::custom("a cost that is given as a function cannot be serialized"))
}

impl Default for Cost {
    /// Each evaluation costs 1.
    fn default() -> Self {
        Self::Uniform(1.0)
    }
}

impl Cost {
    /// The same cost everywhere.
    pub fn uniform(cost: f64) -> Self {
        Self::Uniform(cost)
    }

    /// A function of the values as numbers, in the order of the parameters: a flag is 0 or 1, a name
    /// counts by its index, and NaN stands for what is absent. Finite differences give its
    /// gradient ([`BoundCost`](crate::data::BoundCost)).
    ///
    /// ```
    /// use gittins::Cost;
    /// let cost = Cost::known(|values: &[f64]| 1.0 + 0.5 * values[0]);
    /// ```
    pub fn known(function: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self::Known(KnownCost { function: Function::Value(Arc::new(function)) })
    }

    /// A function of the `d` values that also fills its gradient with respect to them: `d` numbers
    /// that are zeros at first. The entries of whole-number parameters are not read, because the
    /// function is never called between whole numbers.
    ///
    /// ```
    /// use gittins::Cost;
    /// let cost = Cost::known_with_gradient(|values: &[f64], gradient: &mut [f64]| {
    ///     gradient[0] = 0.5;
    ///     1.0 + 0.5 * values[0]
    /// });
    /// ```
    pub fn known_with_gradient(
        function: impl Fn(&[f64], &mut [f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self::Known(KnownCost { function: Function::WithGradient(Arc::new(function)) })
    }

    /// A cost to be learned from the costs that are told.
    pub fn learned() -> Self {
        Self::Learned
    }

    /// Checks a uniform cost and a floor. Nothing else can be checked before a point is known.
    ///
    /// # Errors
    /// [`NonFinite`](crate::ErrorKind::NonFinite) or
    /// [`NonPositiveCost`](crate::ErrorKind::NonPositiveCost) for the cost,
    /// [`InvalidSetting`](crate::ErrorKind::InvalidSetting) for a floor that is not positive and
    /// finite.
    pub fn validate(&self, floor: Option<f64>) -> Result<()> {
        floor.map_or(Ok(()), |floor| check_positive("the cost floor", floor))?;
        match self {
            Self::Uniform(cost) => {
                check_cost(*cost, floor).map_err(|error| error.at("uniform cost"))
            }
            Self::Known(_) | Self::Learned => Ok(()),
        }
    }
}

/// A cost that is a function of the parameters' values. [`Cost::known`] and
/// [`Cost::known_with_gradient`] make it.
#[derive(Debug, Clone)]
pub struct KnownCost {
    pub(super) function: Function,
}

pub(super) type Value = dyn Fn(&[f64]) -> f64 + Send + Sync;
pub(super) type WithGradient = dyn Fn(&[f64], &mut [f64]) -> f64 + Send + Sync;

#[derive(Clone)]
pub(super) enum Function {
    Value(Arc<Value>),
    WithGradient(Arc<WithGradient>),
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value(_) => "a function",
            Self::WithGradient(_) => "a function with its gradient",
        })
    }
}
