//! Named parameters, when they exist, and what must hold for them.

use std::sync::{Arc, OnceLock};

use crate::data::space::allowed::TRIED;
use crate::data::space::constraint::Constraint;
use crate::data::space::embedding::{Embedding, View};
use crate::data::{Condition, Parameter, Value};
use crate::error::{Error, ErrorKind, Result};

/// Named parameters, in the order in which they were added.
///
/// The crate searches the unit cube. A space maps it to the user's values and back. A parameter is
/// a number on a line or on a log scale, a whole number, one of a list of numbers or names, or a
/// flag ([`ParameterKind`](crate::data::ParameterKind)). It may exist only [if](Self::when) others
/// have certain values. Points may have to satisfy [linear inequalities](Self::at_most) and
/// [what a function says](Self::allow).
///
/// ```
/// use gittins::Space;
/// let space = Space::new().log_float("learning_rate", 1e-5, 1e-1).int("depth", 2, 12);
/// space.validate()?;
/// let values = space.numbers_at(&[0.5, 0.99]);
/// assert!((values[0] - 1e-3).abs() < 1e-15);
/// assert_eq!(values[1], 12.0);
///
/// let space = Space::new()
///     .choice("solver", ["adam", "sgd"])
///     .float("momentum", 0.0, 0.99)
///     .when("solver", ["sgd"])
///     .powers_of_two("batch", 16, 512);
/// space.validate()?;
/// let unit = space.to_unit(&["adam".into(), gittins::Value::Absent, 64.into()])?;
/// assert_eq!(space.values_at(&unit)[2], 64.0);
/// # Ok::<(), gittins::Error>(())
/// ```
///
/// With the feature `serde` a space is read from JSON, TOML and the like. The names are those of the
/// methods:
///
#[cfg_attr(feature = "serde", doc = "```")]
#[cfg_attr(not(feature = "serde"), doc = "```ignore")]
/// use gittins::Space;
/// let text = r#"{
///   "parameters": [
///     {"name": "solver", "kind": {"choice": {"names": ["adam", "sgd"]}}},
///     {"name": "momentum", "kind": {"float": {"low": 0, "high": 0.99}}, "when": [{"parameter": "solver", "is": ["sgd"]}]},
///     {"name": "bias", "kind": "flag"},
///     {"name": "a", "kind": {"float": {"low": 0, "high": 1}}},
///     {"name": "b", "kind": {"float": {"low": 0, "high": 1}}}
///   ],
///   "constraints": [{"linear": {"terms": [["a", 1], ["b", 1]], "at_most": 1}}]
/// }"#;
/// let space: Space = serde_json::from_str(text).unwrap();
/// assert_eq!(space, Space::new()
///     .choice("solver", ["adam", "sgd"])
///     .float("momentum", 0.0, 0.99).when("solver", ["sgd"])
///     .flag("bias")
///     .float("a", 0.0, 1.0)
///     .float("b", 0.0, 1.0)
///     .at_most([("a", 1.0), ("b", 1.0)], 1.0));
/// ```
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Space {
    pub(in crate::data) parameters: Vec<Parameter>,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub(in crate::data) constraints: Vec<Constraint>,
    /// Made when it is first needed.
    #[cfg_attr(feature = "serde", serde(skip))]
    embedding: OnceLock<Arc<Embedding>>,
}

impl PartialEq for Space {
    fn eq(&self, other: &Self) -> bool {
        self.parameters == other.parameters && self.constraints == other.constraints
    }
}

/// A space as it is read, not checked yet.
#[cfg(feature = "serde")]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[serde(deny_unknown_fields)]
pub(crate) struct Unchecked {
    parameters: Vec<Parameter>,
    #[serde(default)]
    constraints: Vec<Constraint>,
}

#[cfg(feature = "serde")]
impl Unchecked {
    /// The space, which nobody has checked.
    pub fn space(self) -> Space {
        let Self { parameters, constraints } = self;
        Space { parameters, constraints, embedding: OnceLock::new() }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for Space {
    type Error = Error;

    fn try_from(read: Unchecked) -> Result<Self> {
        let space = read.space();
        space.validate()?;
        Ok(space)
    }
}

impl Space {
    /// A space without parameters yet.
    pub fn new() -> Self {
        Self::default()
    }

    pub(in crate::data) fn changed(mut self) -> Self {
        self.embedding = OnceLock::new();
        self
    }

    /// The same space with another embedding.
    pub(in crate::data) fn with_embedding(&self, embedding: Arc<Embedding>) -> Self {
        Self { embedding: OnceLock::from(embedding), ..self.clone() }
    }

    pub(in crate::data) fn embedding(&self) -> &Embedding {
        self.embedding.get_or_init(|| Arc::new(Embedding::new(&self.parameters, &self.constraints)))
    }

    /// What the columns of the unit cube mean.
    #[doc(hidden)]
    pub fn view(&self) -> View<'_> {
        View::of(self.embedding(), &self.parameters, &self.constraints)
    }

    /// Whether each parameter is a float or a whole number that always exists, without constraints:
    /// one column each.
    #[doc(hidden)]
    pub fn is_plain(&self) -> bool {
        self.embedding().is_plain()
    }

    /// Whether it is plain, and whole numbers have so many values that a search may climb along them
    /// as if they were real ones, and round in the end.
    pub(crate) fn is_relaxed(&self) -> bool {
        self.embedding().is_relaxed()
    }

    /// Checks parameters, conditions and constraints. The builder methods do not check, so every
    /// function that takes a space calls this first.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] without a parameter that varies, or if next to no point satisfies the
    /// constraints: those over floats that contradict each other or the bounds are named, and the
    /// point if they leave one; [`ErrorKind::UnknownParameter`] if two share a name, and for a
    /// condition or a constraint on a parameter that there is not; [`ErrorKind::NonFinite`] for a
    /// bound that is not finite; [`ErrorKind::InvalidSetting`] for an empty name, for `low > high`,
    /// for a bound on a log scale that is not positive, for bounds beyond what an `f64` resolves, for
    /// conditions that form a circle, and for one without values or on the size of a name, and if a
    /// sum with [`equal_to`](Self::equal_to) has other terms than floats;
    /// [`ErrorKind::OutOfBounds`] for a condition on a value that its parent cannot have. The message
    /// names the parameter.
    pub fn validate(&self) -> Result<()> {
        check_names(self.names())?;
        for parameter in &self.parameters {
            let place = || format!("parameter {:?}", parameter.name);
            parameter.kind.validate().map_err(|error| error.at(place()))?;
            for condition in &parameter.when {
                self.check_condition(condition).map_err(|error| error.at(place()))?;
            }
        }
        if let Some(circle) = self.embedding().circle() {
            let names: Vec<String> = circle
                .iter()
                .chain(&circle[..1])
                .map(|&index| format!("{:?}", self.parameters[index].name))
                .collect();
            let message = format!(
                "the conditions form a circle: {}, each on the one before",
                names.join(" -> ")
            );
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        if self.dim() == 0 {
            return Err(Error::new(ErrorKind::Empty, "all parameters are constants"));
        }
        for constraint in &self.constraints {
            self.check_constraint(constraint)
                .map_err(|error| error.at(format!("constraint {constraint}")))?;
        }
        if let Some(flaw) = &self.embedding().flaw {
            return Err(flaw.error());
        }
        match self.embedding().allowed() {
            Some(found) if found < 2 => {
                let constraints: Vec<String> =
                    self.constraints.iter().map(Constraint::to_string).collect();
                let message = format!(
                    "{TRIED} points were tried, and {found} of them could be moved to satisfy {}",
                    constraints.join(" and ")
                );
                Err(Error::new(ErrorKind::Empty, message))
            }
            _ => Ok(()),
        }
    }

    /// The number of columns of the unit cube: one for each number, ordered choice and flag, `m` for
    /// a choice of `m > 2` names, none for what has one value.
    pub fn dim(&self) -> usize {
        self.embedding().width()
    }

    /// The parameters in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The constraints in the order in which they were added.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// The names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().map(Parameter::name)
    }

    /// The index of a parameter.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownParameter`]; the message lists the names.
    #[doc(hidden)]
    pub fn index_of(&self, name: &str) -> Result<usize> {
        self.names().position(|other| other == name).ok_or_else(|| unknown(name, self.names()))
    }

    /// The values as the space has them: whole numbers, names and flags where it does.
    ///
    /// # Errors
    /// Those of [`to_unit`](Self::to_unit).
    pub fn typed<V: Into<Value> + Clone>(&self, values: &[V]) -> Result<Vec<Value>> {
        Ok(self.view().values(&self.codes(values)?))
    }

    /// The user's values, one for each parameter, as a point of the unit cube. What does not exist
    /// is [`Value::Absent`].
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] for another number of values, [`ErrorKind::NonFinite`] for a value
    /// that is not finite, [`ErrorKind::OutOfBounds`] for a value outside its bounds or of another
    /// kind, for one that is absent and exists or the other way round, and for values that break a
    /// constraint. The message names the parameter, its bounds and the value.
    pub fn to_unit<V: Into<Value> + Clone>(&self, values: &[V]) -> Result<Vec<f64>> {
        self.unit_of(&self.codes(values)?)
    }

    /// The point of the unit cube of values, and the values as the space has them.
    ///
    /// # Errors
    /// Those of [`to_unit`](Self::to_unit).
    pub(crate) fn read<V: Into<Value> + Clone>(
        &self,
        values: &[V],
    ) -> Result<(Vec<f64>, Vec<Value>)> {
        let codes = self.codes(values)?;
        Ok((self.unit_of(&codes)?, self.view().values(&codes)))
    }

    fn unit_of(&self, codes: &[f64]) -> Result<Vec<f64>> {
        if self.is_plain() {
            let unit = |(parameter, &code): (&Parameter, &f64)| parameter.kind.to_unit(code);
            return self.parameters.iter().zip(codes).map(unit).collect();
        }
        Ok(self.view().express(&self.view().places_of_codes(codes)))
    }

    /// The numbers that stand for values: names by their index, flags as 0 and 1, NaN for what is
    /// absent.
    fn codes<V: Into<Value> + Clone>(&self, values: &[V]) -> Result<Vec<f64>> {
        check_dim(values.len(), self.parameters.len())?;
        let place = |parameter: &Parameter| format!("parameter {:?}", parameter.name);
        let mut codes = Vec::with_capacity(values.len());
        for (parameter, value) in self.parameters.iter().zip(values) {
            let code = match value.clone().into() {
                Value::Absent => f64::NAN,
                value => parameter.kind.code(&value).map_err(|error| error.at(place(parameter)))?,
            };
            codes.push(code);
        }
        let view = self.view();
        for (index, parameter) in self.parameters.iter().enumerate() {
            let why = match (view.exists(index, &codes), codes[index].is_nan()) {
                (true, true) => format!("expected {}, it is absent", parameter.kind),
                (false, false) => {
                    let conditions: Vec<String> =
                        parameter.when.iter().map(Condition::to_string).collect();
                    format!("it is given, and exists only if {}", conditions.join(" and "))
                }
                _ => continue,
            };
            return Err(Error::new(ErrorKind::OutOfBounds, why).at(place(parameter)));
        }
        match view.broken(&codes) {
            None => Ok(codes),
            Some(constraint) => {
                let values = describe(self.names(), &view.values(&codes));
                let why = view.why_broken(constraint, &codes);
                let message = format!("the constraint {constraint} does not hold at {values}{why}");
                Err(Error::new(ErrorKind::OutOfBounds, message))
            }
        }
    }

    /// The values at a point of the unit cube. They always lie within the bounds, and are whole
    /// where they must be. A coordinate outside the unit interval counts as the nearer end.
    ///
    /// # Panics
    /// If the point has another dimension than the space.
    pub fn values_at(&self, unit: &[f64]) -> Vec<Value> {
        self.view().values(&self.numbers_at(unit))
    }

    /// The values at a point of the unit cube as numbers: a flag is 0 or 1, a name counts by its
    /// index, and NaN stands for what is absent.
    ///
    /// # Panics
    /// If the point has another dimension than the space.
    pub fn numbers_at(&self, unit: &[f64]) -> Vec<f64> {
        assert_eq!(unit.len(), self.dim(), "a point of the space's dimension");
        if self.is_plain() {
            let value = |(parameter, &u): (&Parameter, &f64)| parameter.kind.to_value(u);
            return self.parameters.iter().zip(unit).map(value).collect();
        }
        self.view().codes_at(unit)
    }

    /// Moves a point to where an evaluation is possible: whole numbers, names and flags to the
    /// centers of their cells, what does not exist to its fixed place. Real numbers stay as they
    /// are. Constraints are not looked at.
    ///
    /// # Panics
    /// If the point has another dimension than the space.
    pub fn snap(&self, unit: &mut [f64]) {
        assert_eq!(unit.len(), self.dim(), "a point of the space's dimension");
        if self.is_plain() {
            for (parameter, u) in self.parameters.iter().zip(unit) {
                if !parameter.kind.is_real() {
                    *u = parameter.kind.center(parameter.kind.cell(*u));
                }
            }
            return;
        }
        let view = self.view();
        unit.copy_from_slice(&view.express(&view.places_at(unit)));
    }

    /// Whether the constraints hold at a point of the unit cube.
    ///
    /// # Panics
    /// If the point has another dimension than the space.
    pub fn admits(&self, unit: &[f64]) -> bool {
        (self.constraints.is_empty() && !self.embedding().is_part())
            || self.view().admits(&self.numbers_at(unit))
    }

    /// Whether some point of the unit cube is no possible evaluation, so that points are
    /// [snapped](Self::snap).
    #[doc(hidden)]
    pub fn has_cells(&self) -> bool {
        !self.is_plain() || self.parameters.iter().any(|parameter| !parameter.kind.is_real())
    }

    /// Whether it has finitely many points: no real number varies, or constraints leave few points.
    pub fn is_finite(&self) -> bool {
        let mut reals = (0..self.parameters.len()).filter(|at| self.parameters[*at].kind.is_real());
        // What is plain has neither spans nor constraints.
        reals.clone().next().is_none()
            || (!self.is_plain() && reals.all(|at| self.view().has_few_places(at)))
    }

    /// The derivative of each value with respect to its own unit coordinate, for the chain rule:
    /// `high - low`, or `value ln(high / low)` on a log scale, or `k` for a whole number that is
    /// treated as continuous. Zero for all others.
    ///
    /// # Panics
    /// If the point has another dimension than the space.
    #[doc(hidden)]
    pub fn derivative(&self, unit: &[f64]) -> Vec<f64> {
        assert_eq!(unit.len(), self.dim(), "a point of the space's dimension");
        let mut derivative = vec![0.0; unit.len()];
        for (index, parameter) in self.parameters.iter().enumerate() {
            let columns = self.embedding().columns_of(index);
            if columns.len() == 1 {
                derivative[columns.start] = parameter.kind.derivative(unit[columns.start]);
            }
        }
        derivative
    }
}

/// Checks that there are names, that none is empty, and that all differ.
pub(in crate::data) fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<()> {
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
pub(in crate::data) fn check_dim(got: usize, expected: usize) -> Result<()> {
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
pub(crate) fn unknown<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Error {
    let names: Vec<_> = names.collect();
    Error::new(
        ErrorKind::UnknownParameter,
        format!("no parameter is named {name:?}; there are {names:?}"),
    )
}

/// `name = value` pairs for messages.
pub(in crate::data) fn describe<'a>(
    names: impl Iterator<Item = &'a str>,
    values: &[impl std::fmt::Display],
) -> String {
    let pairs: Vec<_> =
        names.zip(values).map(|(name, value)| format!("{name} = {value}")).collect();
    pairs.join(", ")
}
