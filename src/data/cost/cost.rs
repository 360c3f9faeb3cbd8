//! The cost of an evaluation: the same everywhere, a given function of the point, or to be learned.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::data::space::checking::check_size;
use crate::data::space::space::unknown;
use crate::data::trial::observation::check_cost;
use crate::data::{self, Domain, ParameterKind};
use crate::error::{Error, ErrorKind, Result, check_positive};
use crate::math::decimal::decimal;
use crate::math::order::ends;

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
    /// A known function of the parameters' values. Only a [linear](Self::linear) one is data.
    #[cfg_attr(feature = "serde", serde(rename = "linear", serialize_with = "written"))]
    Known(KnownCost),
    /// Nothing is known: a Gaussian process of its own models `ln c`, from the costs that are told.
    Learned,
}

/// A linear cost as data. A function cannot be written.
#[cfg(feature = "serde")]
fn written<S: serde::Serializer>(
    known: &KnownCost,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    match &known.form {
        Form::Linear(linear) => serde::Serialize::serialize(linear, serializer),
        Form::Given(_) => Err(serde::ser::Error::custom(
            "a cost that is given as a function cannot be serialized",
        )),
    }
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
        Self::Known(KnownCost { form: Form::Given(Function::Value(Arc::new(function))) })
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
        Self::Known(KnownCost { form: Form::Given(Function::WithGradient(Arc::new(function))) })
    }

    /// What amounts cost: the fixed cost, and for each parameter the cost per unit times the value.
    /// A number or a flag has a cost per unit, a choice one for [each of its names](PerUnit). What
    /// is absent counts as 0. Such a cost is data: a `StudySpec` and a journal have it as
    /// `{"linear": {"terms": [["resin", 40], ["model", {"small": 1, "large": 20}]], "fixed": 5}}`.
    ///
    /// ```
    /// use gittins::{Cost, Space, Study};
    /// let space = Space::new().float("resin", 0.0, 3.0).float("water", 0.0, 50.0);
    /// let cost = Cost::linear([("resin", 40.0), ("water", 0.1)], 5.0);
    /// let mut study = Study::minimize(space).cost(cost).cost_unit("EUR").build()?;
    /// study.import(&[2.0, 10.0], gittins::Outcome::new(0.3))?;
    /// assert_eq!(study.total_cost(), 86.0);
    /// # Ok::<(), gittins::Error>(())
    /// ```
    pub fn linear<T: Into<String>, P: Into<PerUnit>>(
        terms: impl IntoIterator<Item = (T, P)>,
        fixed: f64,
    ) -> Self {
        let terms = terms.into_iter().map(|(name, cost)| (name.into(), cost.into())).collect();
        Self::Known(LinearCost { terms, fixed }.into())
    }

    /// A cost to be learned from the costs that are told.
    pub fn learned() -> Self {
        Self::Learned
    }

    /// Checks a floor, and what is known of the cost before a point is: a uniform cost, and a linear
    /// one over all points of the domain.
    ///
    /// # Errors
    /// [`NonFinite`](crate::ErrorKind::NonFinite) or
    /// [`NonPositiveCost`](crate::ErrorKind::NonPositiveCost) for the cost, which says of a linear one
    /// from where to where it goes; [`InvalidSetting`](crate::ErrorKind::InvalidSetting) for a floor
    /// that is not positive and finite, and for a cost per unit of a name;
    /// [`UnknownParameter`](crate::ErrorKind::UnknownParameter) for one of no parameter.
    pub fn validate(&self, domain: &Domain, floor: Option<f64>) -> Result<()> {
        floor.map_or(Ok(()), |floor| check_positive("the cost floor", floor))?;
        match self {
            Self::Uniform(cost) => {
                check_cost(*cost, floor).map_err(|error| error.at("uniform cost"))
            }
            Self::Known(KnownCost { form: Form::Linear(linear) }) => {
                linear.check(domain, floor).map_err(|error| error.at("linear cost"))
            }
            Self::Known(_) | Self::Learned => Ok(()),
        }
    }
}

/// A cost that is a function of the parameters' values. [`Cost::known`],
/// [`Cost::known_with_gradient`] and [`Cost::linear`] make it.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "LinearCost"))]
pub struct KnownCost {
    form: Form,
}

#[derive(Debug, Clone)]
enum Form {
    Given(Function),
    Linear(LinearCost),
}

impl From<LinearCost> for KnownCost {
    fn from(linear: LinearCost) -> Self {
        Self { form: Form::Linear(linear) }
    }
}

impl KnownCost {
    /// The function over the values of a domain.
    pub(in crate::data) fn function(&self, domain: &Domain) -> Function {
        match &self.form {
            Form::Given(function) => function.clone(),
            Form::Linear(linear) => linear.function(domain),
        }
    }
}

/// What a parameter costs, as a term of [`Cost::linear`].
///
/// ```
/// use gittins::{Cost, PerUnit, Space, Study, Value};
/// let space = Space::new().choice("model", ["small", "large"]).float("hours", 1.0, 8.0);
/// let model = PerUnit::from([("small", 2.0), ("large", 30.0)]);
/// let cost = Cost::linear([("model", model), ("hours", 4.0.into())], 0.0);
/// let mut study = Study::minimize(space).cost(cost).build()?;
/// study.import(&[Value::from("large"), 2.0.into()], gittins::Outcome::new(0.3))?;
/// assert_eq!(study.total_cost(), 38.0);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
#[non_exhaustive]
pub enum PerUnit {
    /// The cost of a unit of a number or a flag.
    Value(f64),
    /// The cost of each name of a choice.
    Names(BTreeMap<String, f64>),
}

impl From<f64> for PerUnit {
    fn from(cost: f64) -> Self {
        Self::Value(cost)
    }
}

impl<S: Into<String>, const N: usize> From<[(S, f64); N]> for PerUnit {
    fn from(names: [(S, f64); N]) -> Self {
        Self::Names(names.into_iter().map(|(name, cost)| (name.into(), cost)).collect())
    }
}

impl PerUnit {
    /// The costs, each with what it is for.
    fn costs(&self, parameter: &str) -> Vec<(String, f64)> {
        match self {
            Self::Value(cost) => vec![(format!("a unit of {parameter:?}"), *cost)],
            Self::Names(names) => names
                .iter()
                .map(|(name, cost)| (format!("{parameter:?} {name:?}"), *cost))
                .collect(),
        }
    }
}

/// `fixed + sum_i cost_i(value_i)`, as data.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct LinearCost {
    /// Parameters, and what each costs.
    terms: Vec<(String, PerUnit)>,
    #[cfg_attr(feature = "serde", serde(default))]
    fixed: f64,
}

/// A linear cost over the values of a domain.
struct Bill {
    /// What a unit of each parameter costs.
    weights: Vec<f64>,
    /// Choices, and what each of their names costs.
    listed: Vec<(usize, Vec<f64>)>,
}

impl Bill {
    /// A number and what a point costs. What is absent counts as 0.
    fn add_to(&self, fixed: f64, values: &[f64]) -> f64 {
        let there = self.listed.iter().filter(|(at, _)| !values[*at].is_nan());
        let names = there.map(|(at, costs)| costs[values[*at] as usize]);
        let there = self.weights.iter().zip(values).filter(|(_, value)| !value.is_nan());
        there.map(|(weight, value)| weight * value).chain(names).fold(fixed, |sum, cost| sum + cost)
    }

    /// The least and the largest cost of a point, if they are known beforehand.
    fn ends(&self, fixed: f64, domain: &Domain) -> Option<[f64; 2]> {
        let space = match domain {
            Domain::Space(space) => space,
            Domain::Table(table) => {
                return Some(ends((0..table.len()).map(|row| self.add_to(fixed, table.row(row)))));
            }
        };
        let mut sum = space.view().ends_of_sum(&self.weights)?.map(|sum| fixed + sum);
        for (at, costs) in &self.listed {
            let absent = (!space.parameters()[*at].when.is_empty()).then_some(0.0);
            let own = ends(costs.iter().copied().chain(absent));
            sum = [sum[0] + own[0], sum[1] + own[1]];
        }
        Some(sum)
    }
}

impl LinearCost {
    /// The function over the values of a domain. A name that the domain does not have makes it NaN.
    fn function(&self, domain: &Domain) -> Function {
        let bill = self.bill(domain);
        let nowhere =
            |_| Bill { weights: vec![f64::NAN; domain.names().len()], listed: Vec::new() };
        let bill = bill.unwrap_or_else(nowhere);
        let fixed = self.fixed;
        Function::WithGradient(Arc::new(move |values, gradient| {
            gradient.copy_from_slice(&bill.weights);
            bill.add_to(fixed, values)
        }))
    }

    /// What each parameter costs, in their order.
    fn bill(&self, domain: &Domain) -> Result<Bill> {
        let names = domain.names();
        let mut bill = Bill { weights: vec![0.0; names.len()], listed: Vec::new() };
        for (name, cost) in &self.terms {
            let index = names.iter().position(|known| known == name);
            let index = index.ok_or_else(|| unknown(name, names.iter().copied()))?;
            let kind = match domain {
                Domain::Space(space) => Some(space.parameters()[index].kind()),
                Domain::Table(table) => table.kind(index),
            };
            match cost {
                PerUnit::Value(cost) => {
                    kind.map_or(Ok(()), |kind| check_size(name, kind))?;
                    bill.weights[index] += cost;
                }
                PerUnit::Names(costs) => bill.listed.push((index, listed(name, kind, costs)?)),
            }
        }
        Ok(bill)
    }

    fn check(&self, domain: &Domain, floor: Option<f64>) -> Result<()> {
        let numbers = self.terms.iter().flat_map(|(name, cost)| cost.costs(name));
        for (what, number) in numbers.chain([("the fixed part".to_owned(), self.fixed)]) {
            if !number.is_finite() {
                let message = format!("expected a finite cost of {what}, got {number}");
                return Err(Error::new(ErrorKind::NonFinite, message));
            }
        }
        let Some(ends) = self.bill(domain)?.ends(self.fixed, domain) else { return Ok(()) };
        let [least, most] = ends.map(|end| decimal(end, 6));
        let place = || format!("from {least} to {most} over all points");
        ends.iter().try_for_each(|end| check_cost(*end, floor).map_err(|error| error.at(place())))
    }
}

/// What each name of a choice costs, in the order of the names.
///
/// # Errors
/// `InvalidSetting` for a parameter that is no choice, and for names that are not its own or have no
/// cost.
fn listed(
    parameter: &str,
    kind: Option<&ParameterKind>,
    costs: &BTreeMap<String, f64>,
) -> Result<Vec<f64>> {
    let invalid = |message| Error::new(ErrorKind::InvalidSetting, message);
    let names: Vec<&str> = match kind {
        Some(ParameterKind::Choice { names } | ParameterKind::Ordinal { names }) => {
            names.iter().map(|name| &**name).collect()
        }
        Some(ParameterKind::Constant { value: data::Value::Name(name) }) => vec![name],
        _ => {
            let what = kind.map_or_else(|| "a number".to_owned(), |kind| format!("{kind}"));
            return Err(invalid(format!("{parameter:?} is {what}: expected one cost per unit")));
        }
    };
    if let Some(name) = costs.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(invalid(format!("{parameter:?} has no {name:?}; there are {names:?}")));
    }
    let cost = |name: &&str| {
        let missing = || invalid(format!("{parameter:?}: expected a cost of {name:?}, got none"));
        costs.get(*name).copied().ok_or_else(missing)
    };
    names.iter().map(cost).collect()
}

pub(in crate::data) type Value = dyn Fn(&[f64]) -> f64 + Send + Sync;
pub(in crate::data) type WithGradient = dyn Fn(&[f64], &mut [f64]) -> f64 + Send + Sync;

#[derive(Clone)]
pub(in crate::data) enum Function {
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
