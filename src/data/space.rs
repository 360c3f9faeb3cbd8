//! Named parameters with bounds, and their map onto the unit cube.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};

/// The largest magnitude of a whole-number bound: within it the center of every cell is told from
/// its edges in an `f64`, so that each value comes back from the unit interval as itself.
const LARGEST_WHOLE: i64 = 1 << 49;

/// How a parameter varies; bounds are inclusive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParameterKind {
    /// A real number: `value = low + u (high - low)`.
    Float {
        /// Lower bound.
        low: f64,
        /// Upper bound.
        high: f64,
    },
    /// A positive real number whose order of magnitude matters:
    /// `ln value = ln low + u (ln high - ln low)`.
    LogFloat {
        /// Lower bound, positive.
        low: f64,
        /// Upper bound.
        high: f64,
    },
    /// A whole number; its `k = high - low + 1` values own equal cells of the unit interval:
    /// `value = low + floor(u k)`, and `(value - low + 1/2) / k` is the center of its cell.
    Int {
        /// Lower bound.
        low: i64,
        /// Upper bound.
        high: i64,
    },
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Float { low, high } => write!(f, "a number in [{low}, {high}]"),
            Self::LogFloat { low, high } => write!(f, "a number in [{low}, {high}] (log scale)"),
            Self::Int { low, high } => write!(f, "a whole number in [{low}, {high}]"),
        }
    }
}

impl ParameterKind {
    fn validate(&self) -> Result<()> {
        let invalid =
            |why: &str| Err(Error::new(ErrorKind::InvalidSetting, format!("{why}, got {self}")));
        match *self {
            Self::Float { low, high } | Self::LogFloat { low, high } => {
                if !low.is_finite() || !high.is_finite() {
                    return Err(Error::new(
                        ErrorKind::NonFinite,
                        format!("bounds must be finite, got [{low}, {high}]"),
                    ));
                }
                if low >= high {
                    return invalid("the lower bound must be below the upper one");
                }
                if matches!(self, Self::LogFloat { .. }) && low <= 0.0 {
                    return invalid("the lower bound must be positive on a log scale");
                }
                if !(high - low).is_finite() {
                    return invalid(
                        "the bounds must not be so far apart that their difference overflows",
                    );
                }
            }
            Self::Int { low, high } => {
                if low >= high {
                    return invalid("the lower bound must be below the upper one");
                }
                if low < -LARGEST_WHOLE || high > LARGEST_WHOLE {
                    return invalid(
                        "the bounds must lie within 2^49 of zero, so that an f64 resolves the values",
                    );
                }
            }
        }
        Ok(())
    }

    /// How many values a whole-number parameter has.
    pub(crate) fn cells(low: i64, high: i64) -> f64 {
        high as f64 - low as f64 + 1.0
    }

    pub(crate) fn to_unit(self, value: f64) -> Result<f64> {
        if !value.is_finite() {
            return Err(Error::new(ErrorKind::NonFinite, format!("expected {self}, got {value}")));
        }
        let (inside, unit) = match self {
            Self::Float { low, high } => {
                ((low..=high).contains(&value), (value - low) / (high - low))
            }
            // The logarithm of the quotient, not the difference of logarithms: near a bound the
            // difference cancels.
            Self::LogFloat { low, high } => {
                ((low..=high).contains(&value), log_ratio(value, low) / log_ratio(high, low))
            }
            Self::Int { low, high } => {
                let inside = value.fract() == 0.0 && (low as f64..=high as f64).contains(&value);
                (inside, (value - low as f64 + 0.5) / Self::cells(low, high))
            }
        };
        if inside {
            Ok(unit.clamp(0.0, 1.0))
        } else {
            Err(Error::new(ErrorKind::OutOfBounds, format!("expected {self}, got {value}")))
        }
    }

    pub(super) fn to_value(self, unit: f64) -> f64 {
        match self {
            Self::Float { low, high } => between(unit, low, high, || low + unit * (high - low)),
            Self::LogFloat { low, high } => {
                between(unit, low, high, || (low.ln() + unit * log_ratio(high, low)).exp())
            }
            Self::Int { low, high } => low as f64 + Self::cell(unit, low, high),
        }
    }

    /// The index of the cell a unit coordinate lies in.
    fn cell(unit: f64, low: i64, high: i64) -> f64 {
        (unit * Self::cells(low, high)).floor().min(high as f64 - low as f64).max(0.0)
    }
}

/// `ln (a / b)` for positive numbers, also where the quotient overflows or vanishes.
fn log_ratio(a: f64, b: f64) -> f64 {
    let ratio = a / b;
    if ratio.is_normal() { ratio.ln() } else { a.ln() - b.ln() }
}

/// A value strictly by its formula inside the unit interval, and exactly a bound at its ends and
/// beyond.
fn between(unit: f64, low: f64, high: f64, value: impl Fn() -> f64) -> f64 {
    if unit <= 0.0 {
        low
    } else if unit >= 1.0 {
        high
    } else {
        value().max(low).min(high)
    }
}

/// One parameter of a [`Space`].
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    name: String,
    kind: ParameterKind,
}

impl Parameter {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it varies, and its bounds.
    pub fn kind(&self) -> ParameterKind {
        self.kind
    }
}

/// A box of named parameters, in the order in which they were added.
///
/// The crate searches the unit cube; a space maps it to the user's values and back.
///
/// ```
/// use gittins::Space;
/// let space = Space::new().log_float("learning_rate", 1e-5, 1e-1).int("depth", 2, 12);
/// space.validate()?;
/// let values = space.from_unit(&[0.5, 0.99]);
/// assert!((values[0] - 1e-3).abs() < 1e-15);
/// assert_eq!(values[1], 12.0);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Space {
    parameters: Vec<Parameter>,
}

impl Space {
    /// A space without parameters yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a real parameter.
    pub fn float(self, name: impl Into<String>, low: f64, high: f64) -> Self {
        self.with(name, ParameterKind::Float { low, high })
    }

    /// Adds a positive real parameter searched on a log scale.
    pub fn log_float(self, name: impl Into<String>, low: f64, high: f64) -> Self {
        self.with(name, ParameterKind::LogFloat { low, high })
    }

    /// Adds a whole-number parameter.
    pub fn int(self, name: impl Into<String>, low: i64, high: i64) -> Self {
        self.with(name, ParameterKind::Int { low, high })
    }

    fn with(mut self, name: impl Into<String>, kind: ParameterKind) -> Self {
        self.parameters.push(Parameter { name: name.into(), kind });
        self
    }

    /// Checks what the builder methods took unchecked; whoever accepts a space calls it first.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] without a parameter, [`ErrorKind::UnknownParameter`] where two share a
    /// name, [`ErrorKind::NonFinite`] for a bound that is not finite, [`ErrorKind::InvalidSetting`]
    /// for an empty name, for `low >= high` (a parameter of a single value is a constant, not a
    /// parameter), for a bound on a log scale that is not positive, and for bounds beyond what an
    /// `f64` resolves.
    pub fn validate(&self) -> Result<()> {
        check_names(self.names())?;
        for parameter in &self.parameters {
            parameter
                .kind
                .validate()
                .map_err(|error| error.at(format!("parameter {:?}", parameter.name)))?;
        }
        Ok(())
    }

    /// The number of parameters `d`.
    pub fn dim(&self) -> usize {
        self.parameters.len()
    }

    /// The parameters in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().map(Parameter::name)
    }

    /// The place of a parameter.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownParameter`], listing the names there are.
    pub fn index_of(&self, name: &str) -> Result<usize> {
        self.names().position(|other| other == name).ok_or_else(|| unknown(name, self.names()))
    }

    /// The user's `d` values as a point of the unit cube.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] for another number of values, [`ErrorKind::NonFinite`] for one that
    /// is not finite, [`ErrorKind::OutOfBounds`] for one outside its bounds and for a fraction
    /// given to a whole-number parameter; naming the parameter, what it takes and what came.
    pub fn to_unit(&self, values: &[f64]) -> Result<Vec<f64>> {
        check_dim(values.len(), self.dim())?;
        let unit = |(parameter, &value): (&Parameter, &f64)| {
            parameter
                .kind
                .to_unit(value)
                .map_err(|error| error.at(format!("parameter {:?}", parameter.name)))
        };
        self.parameters.iter().zip(values).map(unit).collect()
    }

    /// A point of the unit cube as the user's values: inside the bounds always, whole where they
    /// must be. Coordinates outside the unit interval count as its nearer end.
    ///
    /// # Panics
    /// If the point has another dimension than the space.
    pub fn from_unit(&self, unit: &[f64]) -> Vec<f64> {
        assert_eq!(unit.len(), self.dim(), "a point of the space's dimension");
        self.parameters.iter().zip(unit).map(|(parameter, &u)| parameter.kind.to_value(u)).collect()
    }

    /// Moves the coordinates of whole-number parameters to the centers of their cells; the others
    /// stay as they are.
    ///
    /// # Panics
    /// If the point has another dimension than the space.
    pub fn snap(&self, unit: &mut [f64]) {
        assert_eq!(unit.len(), self.dim(), "a point of the space's dimension");
        for (parameter, u) in self.parameters.iter().zip(unit) {
            if let ParameterKind::Int { low, high } = parameter.kind {
                *u = (ParameterKind::cell(*u, low, high) + 0.5) / ParameterKind::cells(low, high);
            }
        }
    }

    /// Whether a parameter takes whole numbers only.
    pub fn has_ints(&self) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter.kind, ParameterKind::Int { .. }))
    }

    /// Whether all parameters take whole numbers only.
    pub fn is_finite(&self) -> bool {
        self.parameters.iter().all(|parameter| matches!(parameter.kind, ParameterKind::Int { .. }))
    }

    /// The derivative of each value with respect to its own unit coordinate, for the chain rule:
    /// `high - low`, or `value ln(high / low)` on a log scale, or `k` for a whole number treated as
    /// if it varied continuously.
    ///
    /// # Panics
    /// If the point has another dimension than the space.
    pub fn derivative(&self, unit: &[f64]) -> Vec<f64> {
        assert_eq!(unit.len(), self.dim(), "a point of the space's dimension");
        let slope = |(parameter, &u): (&Parameter, &f64)| match parameter.kind {
            ParameterKind::Float { low, high } => high - low,
            ParameterKind::LogFloat { low, high } => {
                parameter.kind.to_value(u) * log_ratio(high, low)
            }
            ParameterKind::Int { low, high } => ParameterKind::cells(low, high),
        };
        self.parameters.iter().zip(unit).map(slope).collect()
    }
}

/// Names are there, not empty, and all different.
pub(super) fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    for (index, name) in names.enumerate() {
        if name.is_empty() {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                format!("parameter {index}: the name is empty"),
            ));
        }
        if !seen.insert(name) {
            return Err(Error::new(
                ErrorKind::UnknownParameter,
                format!("parameter {index}: another one is named {name:?} already"),
            ));
        }
    }
    if seen.is_empty() {
        Err(Error::new(ErrorKind::Empty, "expected at least one parameter, got none"))
    } else {
        Ok(())
    }
}

/// A point has as many values as there are parameters.
pub(super) fn check_dim(got: usize, expected: usize) -> Result<()> {
    if got == expected {
        Ok(())
    } else {
        Err(Error::new(
            ErrorKind::Dimension,
            format!("expected {expected} values, one per parameter, got {got}"),
        ))
    }
}

/// The error for a name that nothing bears.
pub(super) fn unknown<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Error {
    let names: Vec<_> = names.collect();
    Error::new(
        ErrorKind::UnknownParameter,
        format!("no parameter is named {name:?}; there are {names:?}"),
    )
}

/// `name = value` pairs for messages.
pub(super) fn describe<'a>(names: impl Iterator<Item = &'a str>, values: &[f64]) -> String {
    let pairs: Vec<_> =
        names.zip(values).map(|(name, value)| format!("{name} = {value}")).collect();
    pairs.join(", ")
}
