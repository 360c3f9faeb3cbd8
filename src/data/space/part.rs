//! A part of a space: the points at which conditions on single parameters hold.

use std::sync::Arc;
use std::{fmt, ptr};

use crate::data::space::span::Span;
use crate::data::{Condition, Requirement, Space};
use crate::error::{Error, ErrorKind, Result};

/// What a parameter must be: by a condition that is asked for, or so that the parameter of one
/// exists.
#[derive(Clone, Copy)]
struct Demand<'a> {
    condition: &'a Condition,
    asked: &'a Condition,
}

impl fmt::Display for Demand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if ptr::eq(self.condition, self.asked) {
            write!(f, "{}", self.condition)
        } else {
            write!(f, "{} (or it cannot be that {})", self.condition, self.asked)
        }
    }
}

impl Space {
    /// The part of the space in which these conditions hold. A value implies that its parameter
    /// exists, and so all that this needs; a bound holds as far as its parameter exists. The points
    /// of the part have the same columns.
    ///
    /// # Errors
    /// `UnknownParameter`; `InvalidSetting` and `OutOfBounds` for a condition that no value can
    /// meet, or which names a value that the parameter does not have; `OutOfBounds` for conditions
    /// that contradict each other. All name the parameter. `Exhausted` if next to no point of the part
    /// satisfies the constraints.
    pub(crate) fn part(&self, conditions: &[Condition]) -> Result<Self> {
        for condition in conditions {
            self.index_of(&condition.parameter)?;
            self.check_condition(condition)?;
        }
        let mut spans = vec![None; self.parameters.len()];
        let demands = self.demands(conditions)?;
        for (at, (index, demand)) in demands.iter().enumerate() {
            let kind = &self.parameters[*index].kind;
            let place = || format!("parameter {:?}", demand.condition.parameter);
            let refused = || {
                let same = demands[..=at].iter().filter(|(other, _)| other == index);
                let all: Vec<String> = same.map(|(_, demand)| demand.to_string()).collect();
                let leaves = if all.len() == 1 { "leaves" } else { "leave" };
                let message =
                    format!("expected {kind}, and {} {leaves} no value", all.join(" and "));
                Err(Error::new(ErrorKind::OutOfBounds, message).at(place()))
            };
            let requirement = &demand.condition.requirement;
            if kind.columns() == 0 {
                // It has one value. If it is asked for by the value, that was checked.
                let code = kind.code_of_cell(0.0);
                match requirement {
                    Requirement::AtLeast(bound) if code < *bound => return refused(),
                    Requirement::AtMost(bound) if code > *bound => return refused(),
                    _ => continue,
                }
            }
            let span = spans[*index].take().unwrap_or_else(|| Span::all(kind));
            let span = span.required(kind, requirement).map_err(|error| error.at(place()))?;
            if span.is_empty() {
                return refused();
            }
            spans[*index] = Some(span);
        }
        let embedding = self.embedding().confined(&self.parameters, &self.constraints, spans);
        if embedding.allowed() == Some(0) {
            let all: Vec<String> = conditions.iter().map(ToString::to_string).collect();
            let message = format!(
                "the constraints leave next to no point, and none was found, where {}{}",
                all.join(" and "),
                embedding.flaw.as_ref().map_or(String::new(), |flaw| format!(": {}", flaw.words())),
            );
            return Err(Error::new(ErrorKind::Exhausted, message));
        }
        Ok(self.with_embedding(Arc::new(embedding)))
    }

    /// The conditions that are asked for, and after them those under which the parameters exist
    /// that are to have a value, each with the index of its parameter.
    fn demands<'a>(&'a self, conditions: &'a [Condition]) -> Result<Vec<(usize, Demand<'a>)>> {
        let mut demands = Vec::with_capacity(conditions.len());
        for condition in conditions {
            let index = self.index_of(&condition.parameter)?;
            demands.push((index, Demand { condition, asked: condition }));
        }
        let mut is_needed = vec![false; self.parameters.len()];
        let mut at = 0;
        while let Some(&(index, Demand { condition, asked })) = demands.get(at) {
            at += 1;
            let is_asked = ptr::eq(condition, asked);
            let implies = !is_asked || matches!(condition.requirement, Requirement::Is(_));
            if !implies || is_needed[index] {
                continue;
            }
            is_needed[index] = true;
            for condition in &self.parameters[index].when {
                demands.push((self.index_of(&condition.parameter)?, Demand { condition, asked }));
            }
        }
        Ok(demands)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Value;

    fn at_least(name: &str, bound: f64) -> Condition {
        Condition { parameter: name.to_owned(), requirement: Requirement::AtLeast(bound) }
    }

    fn at_most(name: &str, bound: f64) -> Condition {
        Condition { parameter: name.to_owned(), requirement: Requirement::AtMost(bound) }
    }

    fn is(name: &str, values: &[Value]) -> Condition {
        Condition { parameter: name.to_owned(), requirement: Requirement::Is(values.to_vec()) }
    }

    fn space() -> Space {
        Space::new()
            .float("x", -1.0, 3.0)
            .log_float("rate", 1e-4, 1.0)
            .int("depth", 2, 12)
            .log_int("width", 1, 1000)
            .steps("share", 0.1, 0.9, 0.2)
            .choice("solver", ["adam", "sgd", "lion"])
            .flag("bias")
            .float("momentum", 0.0, 1.0)
            .when("solver", ["sgd"])
    }

    /// A point that the constraints do not allow is no draw of a part.
    #[test]
    fn a_part_of_which_constraints_leave_nothing_is_refused() {
        let space = Space::new()
            .float("x", 0.0, 1.0)
            .float("y", 0.0, 1.0)
            .at_most([("x", 1.0), ("y", 1.0)], 0.9)
            .allow("a part of the rest", |values| values.get::<f64>("x").is_ok_and(|x| x < 0.7));
        space.part(&[at_least("x", 0.5)]).unwrap();
        let error = space.part(&[at_least("x", 0.8)]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Exhausted);
        assert!(error.to_string().contains("\"x\" is at least 0.8"), "{error}");
    }

    #[test]
    fn draws_of_a_part_have_all_its_values_and_no_others() {
        let conditions = [
            at_least("x", 0.0),
            at_most("x", 1.0),
            at_most("rate", 1e-2),
            at_least("depth", 3.5),
            at_most("depth", 6.0),
            at_least("width", 10.0),
            at_most("width", 30.0),
            at_least("share", 0.45),
            is("solver", &["sgd".into(), "lion".into()]),
            is("bias", &[true.into()]),
            is("momentum", &[0.25.into()]),
        ];
        let part = space().part(&conditions).unwrap();
        let view = part.view();
        let draws = crate::math::sobol::Sobol::new(view.draws(), 3).points(0, 512);
        let mut seen = vec![std::collections::BTreeSet::new(); 8];
        for draw in draws.rows() {
            let unit = view.at_draw(draw);
            assert!(part.admits(&unit));
            let values = space().values_at(&unit);
            for (values, value) in seen.iter_mut().zip(&values) {
                values.insert(value.to_string());
            }
            let number = |index: usize| values[index].number().unwrap();
            assert!((0.0..=1.0).contains(&number(0)) && number(1) <= 1e-2 * (1.0 + 1e-12));
            assert!((10.0..=30.0).contains(&number(3)));
        }
        let words = |index: usize| seen[index].iter().map(String::as_str).collect::<Vec<_>>();
        assert_eq!(words(2), ["4", "5", "6"]);
        assert_eq!(seen[3].len(), 21);
        assert_eq!(seen[4].len(), 3);
        // A value of the momentum is one of the branch that has it.
        assert_eq!(words(5), ["sgd"]);
        assert_eq!(words(6), ["true"]);
        assert_eq!(words(7), ["0.25"]);
    }

    #[test]
    fn points_outside_move_to_the_part_and_neighbors_stay_in_it() {
        let part = space()
            .part(&[at_least("depth", 4.0), at_most("depth", 5.0), is("solver", &["sgd".into()])])
            .unwrap();
        let outside: Vec<Value> = vec![
            0.5.into(),
            0.1.into(),
            11.into(),
            3.into(),
            0.5.into(),
            "adam".into(),
            true.into(),
            Value::Absent,
        ];
        let unit = space().to_unit(&outside).unwrap();
        assert!(!part.admits(&unit));
        let view = part.view();
        let moved = view.express(&view.admitted(view.places_at(&unit)));
        assert!(part.admits(&moved));
        let values = space().values_at(&moved);
        assert_eq!((&values[2], &values[5]), (&Value::Int(5), &Value::from("sgd")));
        assert_eq!(values[0], outside[0]);
        let mut random = <rand_pcg::Pcg64 as rand::SeedableRng>::seed_from_u64(1);
        let mut near = crate::math::points::Points::new(part.dim());
        view.neighbors(&moved, &mut random, &mut near);
        assert!(near.len() > 5 && near.rows().all(|point| part.admits(point)));
    }

    #[test]
    fn what_no_value_can_meet_is_an_error_that_names_the_parameter() {
        for (condition, kind) in [
            (at_least("x", 3.5), ErrorKind::OutOfBounds),
            (at_most("depth", 1.0), ErrorKind::OutOfBounds),
            (is("solver", &["adagrad".into()]), ErrorKind::OutOfBounds),
            (is("x", &[0.0.into(), 1.0.into()]), ErrorKind::InvalidSetting),
            (at_least("solver", 1.0), ErrorKind::InvalidSetting),
            (is("other", &[1.into()]), ErrorKind::UnknownParameter),
        ] {
            let name = condition.parameter.clone();
            let error = space().part(&[condition]).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(&name), "{error}");
        }
    }
}
