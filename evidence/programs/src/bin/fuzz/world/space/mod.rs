//! Spaces of every kind of parameters, with conditions and constraints, and what a possible point
//! of them is: found without the library.

pub mod drawing;

use std::collections::HashSet;

use gittins::data::Requirement;
use gittins::{Space, Value};
use serde::{Deserialize, Serialize};

use crate::world::kind::{self, COUNTED, Kind, SLACK, Scale, scaled};
use crate::world::region::Region;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpaceSpec {
    pub items: Vec<Item>,
    pub limits: Vec<Limit>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub name: String,
    pub kind: Kind,
    when: Vec<When>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct When {
    parent: usize,
    test: Requirement,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Limit {
    Linear(Vec<(usize, f64)>, f64),
    /// Of floats that always exist.
    Equation(Vec<(usize, f64)>, f64),
    /// At most so many of these floats from 0 are more than 0, with at least so much of each.
    Cardinality(Vec<usize>, usize, f64),
    Predicate(Region),
}

fn holds(test: &Requirement, kind: &Kind, code: f64) -> bool {
    match test {
        Requirement::Is(values) => values.iter().any(|one| kind::code(kind, one) == Some(code)),
        Requirement::AtLeast(bound) => code >= *bound,
        Requirement::AtMost(bound) => code <= *bound,
        _ => false,
    }
}

impl SpaceSpec {
    /// Leaves as many parts as may be there, those with the largest draws.
    fn thin_out(&self, draw: &[f64], codes: &mut [f64]) {
        for limit in &self.limits {
            let Limit::Cardinality(parts, at_most, least) = limit else { continue };
            let mut order = parts.clone();
            order.sort_by(|a, b| draw[*b].total_cmp(&draw[*a]));
            for (rank, index) in order.into_iter().enumerate() {
                codes[index] = if rank < *at_most { codes[index].max(*least) } else { 0.0 };
            }
        }
    }

    /// The last part of each equation as the others leave it, if it can be that.
    fn balance(&self, codes: &mut [f64]) {
        for limit in &self.limits {
            let Limit::Equation(terms, total) = limit else { continue };
            let Some((&(last, weight), others)) = terms.split_last() else { continue };
            let sum: f64 = others.iter().map(|&(index, weight)| weight * codes[index]).sum();
            let code = (total - sum) / weight;
            if kind::contains(&self.items[last].kind, code) {
                codes[last] = code;
            }
        }
    }

    pub fn dim(&self) -> usize {
        self.items.iter().map(|item| kind::columns(&item.kind)).sum()
    }

    pub fn varied(&self) -> usize {
        self.items.iter().filter(|item| kind::columns(&item.kind) > 0).count()
    }

    pub fn is_conditional(&self) -> bool {
        self.items.iter().any(|item| !item.when.is_empty())
    }

    pub fn scales(&self) -> Vec<Scale> {
        self.items.iter().map(|item| kind::scale(&item.kind)).collect()
    }

    pub fn build(&self) -> Space {
        let space = self.items.iter().fold(Space::new(), |space, item| {
            let space = space.parameter(&item.name, item.kind.clone());
            item.when.iter().fold(space, |space, When { parent, test }| {
                let parent = &self.items[*parent].name;
                match test {
                    Requirement::AtLeast(bound) => space.when_at_least(parent, *bound),
                    Requirement::AtMost(bound) => space.when_at_most(parent, *bound),
                    Requirement::Is(values) => space.when(parent, values),
                    _ => space,
                }
            })
        });
        let name = |index: &usize| self.items[*index].name.clone();
        let named = |terms: &[(usize, f64)]| {
            terms.iter().map(|(index, weight)| (name(index), *weight)).collect::<Vec<_>>()
        };
        self.limits.iter().fold(space, |space, limit| match limit {
            Limit::Linear(terms, bound) => space.at_most(named(terms), *bound),
            Limit::Equation(terms, total) => space.equal_to(named(terms), *total),
            Limit::Cardinality(parts, at_most, least) => {
                space.at_most_of(parts.iter().map(name), *at_most, *least)
            }
            Limit::Predicate(region) => {
                let (own, region) = (self.clone(), region.clone());
                space.allow("a region", move |values| {
                    let values: Vec<Value> =
                        values.iter().map(|(_, value)| value.clone()).collect();
                    region.contains(&scaled(&own.scales(), &own.codes(&values)))
                })
            }
        })
    }

    pub fn codes(&self, values: &[Value]) -> Vec<f64> {
        let code =
            |(item, value): (&Item, &Value)| kind::code(&item.kind, value).unwrap_or(f64::NAN);
        self.items.iter().zip(values).map(code).collect()
    }

    fn expects(&self, index: usize, codes: &[f64]) -> bool {
        self.items[index].when.iter().all(|When { parent, test }| {
            !codes[*parent].is_nan() && holds(test, &self.items[*parent].kind, codes[*parent])
        })
    }

    /// The codes of values drawn for all parameters: those that do not exist become NaN.
    fn existing(&self, drawn: &[f64]) -> Vec<f64> {
        let mut codes = drawn.to_vec();
        // A child of a child is two levels down, and each round settles one level.
        for _ in 0..3 {
            let before = codes.clone();
            for (index, code) in codes.iter_mut().enumerate() {
                if !self.expects(index, &before) {
                    *code = f64::NAN;
                }
            }
        }
        codes
    }

    fn codes_of_draw(&self, draw: &[f64]) -> Vec<f64> {
        let mut drawn: Vec<f64> =
            self.items.iter().zip(draw).map(|(item, u)| kind::code_at(&item.kind, *u)).collect();
        self.thin_out(draw, &mut drawn);
        self.balance(&mut drawn);
        self.existing(&drawn)
    }

    fn admits(&self, codes: &[f64], slack: f64) -> bool {
        self.limits.iter().all(|limit| match limit {
            Limit::Linear(terms, bound) | Limit::Equation(terms, bound) => {
                let (mut sum, mut size) = (0.0, bound.abs());
                for &(index, weight) in terms.iter().filter(|(index, _)| !codes[*index].is_nan()) {
                    sum += weight * codes[index];
                    size += (weight * codes[index]).abs();
                }
                let above = match limit {
                    Limit::Equation(..) => (sum - bound).abs(),
                    _ => sum - bound,
                };
                above <= slack * size
            }
            Limit::Cardinality(parts, at_most, least) => {
                let there = || parts.iter().map(|index| codes[*index]).filter(|code| *code != 0.0);
                there().count() <= *at_most && there().all(|code| code >= least * (1.0 - slack))
            }
            Limit::Predicate(region) => region.contains(&scaled(&self.scales(), codes)),
        })
    }

    /// The values as the space has them; none if they are no possible point: one is outside or of
    /// another kind, absent or there where it must not be, or a constraint does not hold.
    pub fn typed(&self, values: &[Value]) -> Option<Vec<Value>> {
        if values.len() != self.items.len() {
            return None;
        }
        let codes = self.codes(values);
        let possible = (0..codes.len()).all(|index| {
            let absent = values[index] == Value::Absent;
            self.expects(index, &codes) != absent && codes[index].is_nan() == absent
        });
        let typed = |(item, code): (&Item, &f64)| {
            if code.is_nan() { Value::Absent } else { kind::value(&item.kind, *code) }
        };
        (possible && self.admits(&codes, SLACK))
            .then(|| self.items.iter().zip(&codes).map(typed).collect())
    }

    /// The values of a draw; impossible ones where constraints are broken. Half of them are typed
    /// less strictly than the space has them.
    pub fn values(&self, draw: &[f64]) -> Vec<Value> {
        let codes = self.codes_of_draw(draw);
        let value = |((item, code), draw): ((&Item, &f64), &f64)| {
            if code.is_nan() {
                return Value::Absent;
            }
            match kind::value(&item.kind, *code) {
                Value::Int(whole) if *draw > 0.5 => Value::Float(whole as f64),
                value => value,
            }
        };
        self.items.iter().zip(&codes).zip(draw).map(value).collect()
    }

    /// By how much each column of a point may differ from that of its values.
    pub fn rounding(&self) -> Vec<f64> {
        self.items.iter().flat_map(|item| kind::rounding(&item.kind)).collect()
    }

    /// The codes of all possible points, where there are few enough.
    pub fn points(&self) -> Option<HashSet<Vec<u64>>> {
        let codes: Vec<Vec<f64>> =
            self.items.iter().map(|item| kind::codes(&item.kind)).collect::<Option<_>>()?;
        let count = codes.iter().try_fold(1_usize, |count, codes| {
            count.checked_mul(codes.len()).filter(|count| *count <= COUNTED)
        })?;
        let mut points = HashSet::new();
        for index in 0..count {
            let mut rest = index;
            let drawn: Vec<f64> = codes
                .iter()
                .map(|codes| {
                    let code = codes[rest % codes.len()];
                    rest /= codes.len();
                    code
                })
                .collect();
            let codes = self.existing(&drawn);
            if self.admits(&codes, SLACK) {
                points.insert(codes.iter().map(|code| (code + 0.0).to_bits()).collect());
            }
        }
        Some(points)
    }
}
