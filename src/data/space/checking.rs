//! What a space refuses: conditions and constraints that make no sense.

use crate::data::space::constraint::Constraint;
use crate::data::{Condition, Parameter, ParameterKind, Requirement, Space};
use crate::error::{Error, ErrorKind, Result};

impl Space {
    pub(in crate::data) fn check_condition(&self, condition: &Condition) -> Result<()> {
        let parent = &self.parameters[self.index_of(&condition.parameter)?];
        let invalid = |why: String| Err(Error::new(ErrorKind::InvalidSetting, why));
        let numeric = |code: f64| parent.kind.value(code).number().is_some();
        match &condition.requirement {
            Requirement::Is(values) | Requirement::IsIfPresent(values) if values.is_empty() => {
                invalid(format!("the condition on {:?} has no values", parent.name))
            }
            Requirement::Is(values) | Requirement::IsIfPresent(values) => {
                values.iter().try_for_each(|value| {
                    parent
                        .kind
                        .code(value)
                        .map(drop)
                        .map_err(|error| error.at(format!("the condition on {:?}", parent.name)))
                })
            }
            Requirement::AtLeast(_) | Requirement::AtMost(_) if !numeric(0.0) => {
                invalid(format!("{condition}: the parent is {}", parent.kind))
            }
            Requirement::AtLeast(bound) | Requirement::AtMost(bound) if !bound.is_finite() => {
                invalid(format!("{condition}: expected a finite bound"))
            }
            Requirement::AtLeast(_) | Requirement::AtMost(_) => Ok(()),
        }
    }

    pub(in crate::data) fn check_constraint(&self, constraint: &Constraint) -> Result<()> {
        if let Constraint::Cardinality { parts, at_most, least } = constraint {
            return self.check_cardinality(parts, *at_most, *least);
        }
        let Some((terms, bound, is_equal)) = constraint.linear() else { return Ok(()) };
        if !bound.is_finite() || terms.iter().any(|(_, weight)| !weight.is_finite()) {
            return Err(Error::new(ErrorKind::NonFinite, "weights and bound must be finite"));
        }
        for (name, _) in terms {
            let index = self.index_of(name)?;
            let parameter = &self.parameters[index];
            check_size(name, &parameter.kind)?;
            if is_equal && !self.view().is_summed(index) {
                return Err(not_summed(parameter));
            }
        }
        Ok(())
    }

    fn check_cardinality(&self, parts: &[String], at_most: usize, least: f64) -> Result<()> {
        let invalid = |why: String| Err(Error::new(ErrorKind::InvalidSetting, why));
        if at_most == 0 || parts.is_empty() {
            return invalid("expected at least one of at least one part".to_owned());
        }
        if !(0.0..f64::INFINITY).contains(&least) {
            return invalid(format!("the least of a part: expected 0 or more, got {least}"));
        }
        let is_counted = |other: &Constraint, name: &String| match other {
            Constraint::Cardinality { parts, .. } => {
                parts.iter().filter(|one| *one == name).count()
            }
            _ => 0,
        };
        for name in parts {
            let parameter = &self.parameters[self.index_of(name)?];
            let why = match parameter.kind {
                ParameterKind::Float { low, .. } if low != 0.0 => format!("begins at {low}"),
                ParameterKind::Float { high, .. } if high < least => {
                    format!("is never more than {high}, which is less than {least}")
                }
                ParameterKind::Float { .. } if !parameter.when.is_empty() => CONDITIONAL.to_owned(),
                ParameterKind::Float { .. } => {
                    match self.constraints.iter().map(|one| is_counted(one, name)).sum::<usize>() {
                        1 => continue,
                        times => format!("is counted {times} times"),
                    }
                }
                _ => format!("is {}", parameter.kind),
            };
            return invalid(format!(
                "parts are floats on a linear scale that begin at 0, always exist and are counted once, and {name:?} {why}"
            ));
        }
        Ok(())
    }
}

/// Checks that a parameter is a number or a flag, which have a size.
pub(in crate::data) fn check_size(name: &str, kind: &ParameterKind) -> Result<()> {
    if kind.value(0.0).number().is_some() {
        return Ok(());
    }
    let message = format!("{name:?} is {kind}, which has no size");
    Err(Error::new(ErrorKind::InvalidSetting, message))
}

const CONDITIONAL: &str = "exists only under conditions";

/// The error of a parameter that cannot be part of a sum that is equal to something.
fn not_summed(Parameter { name, kind, when }: &Parameter) -> Error {
    let why = match kind {
        ParameterKind::LogFloat { .. } => "is on a log scale".to_owned(),
        ParameterKind::Float { .. } if !when.is_empty() => CONDITIONAL.to_owned(),
        _ => format!("is {kind}"),
    };
    let message = format!(
        "a sum that is equal to a number is one of floats on a linear scale that always exist, and {name:?} {why}"
    );
    Error::new(ErrorKind::InvalidSetting, message)
}
