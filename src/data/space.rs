//! A box of named parameters.

use crate::data::{Parameter, ParameterKind};
use crate::error::{Error, ErrorKind, Result};

/// A box of named parameters, in the order in which they were added.
///
/// The crate searches the unit cube. A space maps it to the user's values and back.
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Space {
    parameters: Vec<Parameter>,
}

/// A space as it is read, not checked yet.
#[cfg(feature = "serde")]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
struct Unchecked {
    parameters: Vec<Parameter>,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for Space {
    type Error = Error;

    fn try_from(Unchecked { parameters }: Unchecked) -> Result<Self> {
        let space = Self { parameters };
        space.validate()?;
        Ok(space)
    }
}

impl Space {
    /// A space without parameters yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a real parameter.
    pub fn float(self, name: impl Into<String>, low: f64, high: f64) -> Self {
        self.parameter(name, ParameterKind::Float { low, high })
    }

    /// Adds a positive real parameter that is searched on a log scale.
    pub fn log_float(self, name: impl Into<String>, low: f64, high: f64) -> Self {
        self.parameter(name, ParameterKind::LogFloat { low, high })
    }

    /// Adds a whole-number parameter.
    pub fn int(self, name: impl Into<String>, low: i64, high: i64) -> Self {
        self.parameter(name, ParameterKind::Int { low, high })
    }

    /// Adds a parameter of a given kind. A program that builds a space from data needs it.
    ///
    /// ```
    /// use gittins::Space;
    /// use gittins::data::ParameterKind;
    /// let kinds = [("rate", ParameterKind::LogFloat { low: 1e-5, high: 0.1 }), ("depth", ParameterKind::Int { low: 2, high: 12 })];
    /// let space = kinds.into_iter().fold(Space::new(), |space, (name, kind)| space.parameter(name, kind));
    /// assert_eq!(space, Space::new().log_float("rate", 1e-5, 0.1).int("depth", 2, 12));
    /// ```
    pub fn parameter(mut self, name: impl Into<String>, kind: ParameterKind) -> Self {
        self.parameters.push(Parameter { name: name.into(), kind });
        self
    }

    /// Checks all parameters. The builder methods do not check, so every function that takes a
    /// space calls this first.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] without a parameter, [`ErrorKind::UnknownParameter`] if two share a
    /// name, [`ErrorKind::NonFinite`] for a bound that is not finite, [`ErrorKind::InvalidSetting`]
    /// for an empty name, for `low >= high` (a parameter of a single value is a constant), for a
    /// bound on a log scale that is not positive, and for bounds beyond what an `f64` resolves.
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

    /// The index of a parameter.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownParameter`]; the message lists the names.
    pub fn index_of(&self, name: &str) -> Result<usize> {
        self.names().position(|other| other == name).ok_or_else(|| unknown(name, self.names()))
    }

    /// The user's `d` values as a point of the unit cube.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] for another number of values, [`ErrorKind::NonFinite`] for a value
    /// that is not finite, [`ErrorKind::OutOfBounds`] for a value outside its bounds and for a
    /// fraction of a whole-number parameter. The message names the parameter, its bounds and the
    /// value.
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

    /// A point of the unit cube as the user's values. They always lie within the bounds, and are
    /// whole where they must be. A coordinate outside the unit interval counts as the nearer end.
    ///
    /// # Panics
    /// If the point has another dimension than the space.
    pub fn from_unit(&self, unit: &[f64]) -> Vec<f64> {
        assert_eq!(unit.len(), self.dim(), "a point of the space's dimension");
        self.parameters.iter().zip(unit).map(|(parameter, &u)| parameter.kind.to_value(u)).collect()
    }

    /// Moves the coordinates of whole-number parameters to the centers of their cells. The others
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
    /// `high - low`, or `value ln(high / low)` on a log scale, or `k` for a whole number that is
    /// treated as continuous.
    ///
    /// # Panics
    /// If the point has another dimension than the space.
    pub fn derivative(&self, unit: &[f64]) -> Vec<f64> {
        assert_eq!(unit.len(), self.dim(), "a point of the space's dimension");
        self.parameters
            .iter()
            .zip(unit)
            .map(|(parameter, &u)| parameter.kind.derivative(u))
            .collect()
    }
}

/// Checks that there are names, that none is empty, and that all differ.
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

/// Checks that a point has one value per parameter.
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

/// The error for a name that no parameter has.
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
