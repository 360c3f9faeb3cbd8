//! How a space is built: parameters, conditions and constraints, one after another.

use std::sync::Arc;

use crate::data::space::constraint::{Constraint, Predicate};
use crate::data::{Condition, Parameter, ParameterKind, Requirement, Space, Value, Values};

/// A list of names.
fn list<T: Into<Arc<str>>>(names: impl IntoIterator<Item = T>) -> Arc<[Arc<str>]> {
    names.into_iter().map(Into::into).collect()
}

impl Space {
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

    /// Adds a positive whole-number parameter that is searched on a log scale.
    pub fn log_int(self, name: impl Into<String>, low: i64, high: i64) -> Self {
        self.parameter(name, ParameterKind::LogInt { low, high })
    }

    /// Adds a parameter that takes `low`, `low + step` and so on up to `high`.
    pub fn steps(self, name: impl Into<String>, low: f64, high: f64, step: f64) -> Self {
        self.parameter(name, ParameterKind::Steps { low, high, step })
    }

    /// Adds a parameter that takes one of these numbers, which rise. Neighbors in the list are
    /// equally far from each other.
    pub fn numbers<T: Into<f64>>(
        self,
        name: impl Into<String>,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        self.parameter(name, ParameterKind::Numbers { values })
    }

    /// Adds a parameter that takes the powers of two from `low` to `high`.
    pub fn powers_of_two(self, name: impl Into<String>, low: u32, high: u32) -> Self {
        let powers = (0..32).map(|k| 1u32 << k).filter(|power| (low..=high).contains(power));
        self.numbers(name, powers)
    }

    /// Adds a choice among names in an order that matters.
    pub fn ordinal<T: Into<Arc<str>>>(
        self,
        name: impl Into<String>,
        names: impl IntoIterator<Item = T>,
    ) -> Self {
        self.parameter(name, ParameterKind::Ordinal { names: list(names) })
    }

    /// Adds a choice among names in no order.
    pub fn choice<T: Into<Arc<str>>>(
        self,
        name: impl Into<String>,
        names: impl IntoIterator<Item = T>,
    ) -> Self {
        self.parameter(name, ParameterKind::Choice { names: list(names) })
    }

    /// Adds a parameter that is `true` or `false`.
    pub fn flag(self, name: impl Into<String>) -> Self {
        self.parameter(name, ParameterKind::Flag)
    }

    /// Adds a value that does not vary.
    pub fn constant(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.parameter(name, ParameterKind::Constant { value: value.into() })
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
        self.parameters.push(Parameter { name: name.into(), kind, when: Vec::new() });
        self.changed()
    }

    /// The parameter added last exists only if another one, its parent, has one of these values.
    /// All conditions of a parameter must hold. If the parent does not exist, neither does it. The
    /// parent may be added later.
    pub fn when<T: Into<Value>>(
        self,
        parent: impl Into<String>,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        self.condition(parent, Requirement::Is(values))
    }

    /// The parameter added last exists only if its parent is at least this number.
    pub fn when_at_least(self, parent: impl Into<String>, bound: impl Into<f64>) -> Self {
        self.condition(parent, Requirement::AtLeast(bound.into()))
    }

    /// The parameter added last exists only if its parent is at most this number.
    pub fn when_at_most(self, parent: impl Into<String>, bound: impl Into<f64>) -> Self {
        self.condition(parent, Requirement::AtMost(bound.into()))
    }

    fn condition(mut self, parent: impl Into<String>, requirement: Requirement) -> Self {
        // Without a parameter the space is empty, which is an error of its own.
        if let Some(last) = self.parameters.last_mut() {
            last.when.push(Condition { parameter: parent.into(), requirement });
        }
        self.changed()
    }

    /// Allows only points with `sum_i weight_i value_i <= bound`. Parameters are numbers or flags;
    /// one that is absent counts as 0.
    ///
    /// ```
    /// use gittins::Space;
    /// let mixture = Space::new().float("water", 0.0, 1.0).float("salt", 0.0, 0.3).at_most([("water", 1.0), ("salt", 1.0)], 1.0);
    /// assert!(mixture.to_unit(&[0.9, 0.2]).is_err());
    /// ```
    pub fn at_most<T: Into<String>>(
        mut self,
        terms: impl IntoIterator<Item = (T, f64)>,
        bound: f64,
    ) -> Self {
        let terms = terms.into_iter().map(|(name, weight)| (name.into(), weight)).collect();
        self.constraints.push(Constraint::Linear { terms, at_most: bound });
        self.changed()
    }

    /// Allows only points with `sum_i weight_i value_i >= bound`.
    pub fn at_least<T: Into<String>>(
        self,
        terms: impl IntoIterator<Item = (T, f64)>,
        bound: f64,
    ) -> Self {
        self.at_most(terms.into_iter().map(|(name, weight)| (name, -weight)), -bound)
    }

    /// Allows only points with `sum_i weight_i value_i = total`, over floats on a linear scale that
    /// always exist.
    ///
    /// ```
    /// use gittins::Space;
    /// let space = Space::new().float("a", 0.0, 8.0).float("b", 0.0, 8.0).equal_to([("a", 2.0), ("b", -1.0)], 3.0);
    /// assert!(space.to_unit(&[2.0, 1.0]).is_ok() && space.to_unit(&[2.0, 2.0]).is_err());
    /// ```
    pub fn equal_to<T, I>(mut self, terms: I, total: f64) -> Self
    where
        T: Into<String>,
        I: IntoIterator<Item = (T, f64)>,
    {
        let terms = terms.into_iter().map(|(name, weight)| (name.into(), weight)).collect();
        self.constraints.push(Constraint::Equation { terms, equal_to: total });
        self.changed()
    }

    /// Allows only points at which these parts sum to a total: a mixture. It is
    /// [`equal_to`](Self::equal_to) with weights of 1.
    ///
    /// ```
    /// use gittins::Space;
    /// let parts = ["resin", "hardener", "filler"];
    /// let space = parts.iter().fold(Space::new(), |space, part| space.float(*part, 0.0, 1.0));
    /// let mixture = space.sum_to(parts, 1.0);
    /// assert!(mixture.to_unit(&[0.6, 0.3, 0.1]).is_ok());
    /// ```
    pub fn sum_to<T: Into<String>>(self, parts: impl IntoIterator<Item = T>, total: f64) -> Self {
        self.equal_to(parts.into_iter().map(|part| (part, 1.0)), total)
    }

    /// Allows only points at which at most so many of these parts are more than 0, and each of those is
    /// at least `least`: four of twenty ingredients, with 2 % or more of each. The parts are floats on a
    /// linear scale that begin at 0 and always exist.
    ///
    /// ```
    /// use gittins::Space;
    /// let parts = ["resin", "hardener", "filler"];
    /// let space = parts.iter().fold(Space::new(), |space, part| space.float(*part, 0.0, 1.0));
    /// let mixture = space.sum_to(parts, 1.0).at_most_of(parts, 2, 0.05);
    /// assert!(mixture.to_unit(&[0.6, 0.0, 0.4]).is_ok());
    /// assert!(mixture.to_unit(&[0.6, 0.3, 0.1]).is_err() && mixture.to_unit(&[0.99, 0.01, 0.0]).is_err());
    /// ```
    pub fn at_most_of<T: Into<String>>(
        mut self,
        parts: impl IntoIterator<Item = T>,
        at_most: usize,
        least: f64,
    ) -> Self {
        let parts = parts.into_iter().map(Into::into).collect();
        self.constraints.push(Constraint::Cardinality { parts, at_most, least });
        self.changed()
    }

    /// Allows only points of which a function says so. The name stands in messages. The function is
    /// called often, and should be quick.
    ///
    /// ```
    /// use gittins::Space;
    /// let space = Space::new().int("width", 1, 64).int("depth", 1, 64).allow("fits into memory", |point| {
    ///     let size = |name| point.get::<i64>(name).unwrap_or(1);
    ///     size("width") * size("depth") <= 512
    /// });
    /// assert!(space.to_unit(&[64, 64]).unwrap_err().to_string().contains("fits into memory"));
    /// ```
    pub fn allow(
        mut self,
        name: impl Into<String>,
        function: impl Fn(&Values<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.constraints.push(Constraint::Predicate(Predicate::new(name.into(), function)));
        self.changed()
    }
}

#[cfg(test)]
mod tests {
    use super::Space;
    use crate::error::ErrorKind;

    #[test]
    fn names_are_found() {
        let space = Space::new().float("rate", 0.0, 1.0).int("depth", 1, 3);
        assert_eq!(space.index_of("depth").unwrap(), 1);
        assert_eq!(space.names().collect::<Vec<_>>(), ["rate", "depth"]);
        assert!(space.has_cells() && !Space::new().float("rate", 0.0, 1.0).has_cells());
        let error = space.index_of("dept").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownParameter);
        assert!(
            error.to_string().contains("dept") && error.to_string().contains("rate"),
            "{error}"
        );
    }
}
