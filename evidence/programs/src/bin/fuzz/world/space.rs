//! Spaces of every kind of parameters, with conditions and constraints, and what a possible point
//! of them is: found without the library.

use std::collections::HashSet;

use gittins::data::Requirement;
use gittins::{Space, Value};
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
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

/// A condition that holds at some values of a parameter and not at others.
fn draw_test(kind: &Kind, dice: &mut Dice) -> Requirement {
    match kind::codes(kind) {
        Some(codes) if !kind::has_size(kind) || dice.chance(0.6) => {
            let first = dice.whole(0, codes.len() - 1);
            let count = dice.whole(1, codes.len().div_ceil(2).min(3));
            let codes = (0..count).map(|k| codes[(first + k) % codes.len()]);
            Requirement::Is(codes.map(|code| kind::value(kind, code)).collect())
        }
        _ if dice.chance(0.5) => Requirement::AtLeast(kind::code_at(kind, 0.5)),
        _ => Requirement::AtMost(kind::code_at(kind, 0.5)),
    }
}

fn holds(test: &Requirement, kind: &Kind, code: f64) -> bool {
    match test {
        Requirement::Is(values) => values.iter().any(|one| kind::code(kind, one) == Some(code)),
        Requirement::AtLeast(bound) => code >= *bound,
        Requirement::AtMost(bound) => code <= *bound,
        _ => false,
    }
}

/// Names that a reader of CSV or JSON may stumble over.
const NAMES: [&str; 10] =
    ["x", "rate, of learning", "depth", "value.x", "Größe", "a\"b", "unit", "x;y", " ", "7"];

pub fn name(index: usize, dice: &mut Dice) -> String {
    let odd = NAMES.get(index).filter(|_| dice.chance(0.3));
    odd.map_or_else(|| format!("p{index}"), |name| (*name).to_owned())
}

impl SpaceSpec {
    pub fn draw(dice: &mut Dice) -> Self {
        let finite = dice.chance(0.3);
        let count =
            dice.weighed(&[(0.15, 1), (0.2, 2), (0.25, 3), (0.2, 5), (0.15, 7), (0.05, 14)]);
        let mut items: Vec<Item> = Vec::with_capacity(count);
        let mut depths: Vec<usize> = Vec::with_capacity(count);
        for index in 0..count {
            let mut kind = kind::draw(dice, finite);
            while index == 0 && kind::columns(&kind) == 0 {
                kind = kind::draw(dice, finite);
            }
            let is_parent =
                |parent: &usize| depths[*parent] < 2 && kind::columns(&items[*parent].kind) > 0;
            let parents: Vec<usize> = (0..index).filter(is_parent).collect();
            let conditions = dice.weighed(&[(0.6, 0), (0.33, 1), (0.07, 2)]);
            let conditions = if parents.is_empty() { 0 } else { conditions };
            let when = |_| {
                let parent = dice.pick(&parents);
                When { parent, test: draw_test(&items[parent].kind, dice) }
            };
            let when: Vec<When> = (0..conditions).map(when).collect();
            depths.push(when.iter().map(|when| depths[when.parent] + 1).max().unwrap_or(0));
            items.push(Item { name: name(index, dice), kind, when });
        }
        // A parent may come later.
        if dice.chance(0.3) {
            items.reverse();
            let conditions = items.iter_mut().flat_map(|item| &mut item.when);
            conditions.for_each(|when| when.parent = count - 1 - when.parent);
        }
        let mut space = Self { items, limits: Vec::new() };
        space.drop_contradictions(dice);
        if dice.chance(0.4) {
            let cardinality = space.cardinality(dice);
            space.limits = (0..dice.whole(1, 2)).filter_map(|_| space.limit(dice)).collect();
            space.limits.extend(cardinality);
            space.limits.extend(space.equation(dice));
            if space.is_nearly_empty(dice) {
                space.limits.clear();
            }
        }
        space
    }

    /// Numbers alone; whole ones now and then, which make a grid that is scored whole.
    pub fn numbers(dim: usize, dice: &mut Dice) -> Self {
        let number = if dim <= 4 && dice.chance(0.2) { kind::small_int } else { kind::number };
        let item = |index| Item { name: name(index, dice), kind: number(dice), when: Vec::new() };
        Self { items: (0..dim).map(item).collect(), limits: Vec::new() }
    }

    /// Leaves out the conditions of parameters that hardly ever exist.
    fn drop_contradictions(&mut self, dice: &mut Dice) {
        for index in 0..self.items.len() {
            let exists = |space: &Self, dice: &mut Dice| {
                let draw: Vec<f64> = space.items.iter().map(|_| dice.unit()).collect();
                !space.codes_of_draw(&draw)[index].is_nan()
            };
            if (0..200).filter(|_| exists(self, dice)).count() < 5 {
                self.items[index].when.clear();
            }
        }
    }

    fn limit(&self, dice: &mut Dice) -> Option<Limit> {
        if dice.chance(0.5) {
            return Some(Limit::Predicate(Region::draw(self.items.len(), dice)));
        }
        let mut bound = 0.0;
        let mut terms = Vec::new();
        for (index, item) in self.items.iter().enumerate() {
            if !kind::has_size(&item.kind) || dice.chance(0.3) {
                continue;
            }
            let (middle, scale) = (kind::code_at(&item.kind, 0.5), kind::scale(&item.kind));
            let size = if scale.is_log { middle } else { 0.5 * scale.high - 0.5 * scale.low };
            // What is absent counts as 0, which must not break the constraint by itself.
            let up = dice.chance(0.7);
            let up = if item.when.is_empty() { up } else { middle >= 0.0 };
            let sign = if up { 1.0 } else { -1.0 };
            let weight = sign * dice.between(0.2, 1.0) / size;
            bound += weight * middle;
            terms.push((index, weight));
        }
        bound += dice.pick(&[0.0, 0.1, 0.5]);
        (terms.len() > 1).then_some(Limit::Linear(terms, bound))
    }

    fn parts(&self) -> Vec<usize> {
        let is_part = |item: &Item| {
            let is_float = matches!(item.kind, Kind::Float { .. });
            is_float && kind::is_real(&item.kind) && item.when.is_empty()
        };
        (0..self.items.len()).filter(|&index| is_part(&self.items[index])).collect()
    }

    /// Lets some floats begin at 0, and only so many be there.
    fn cardinality(&mut self, dice: &mut Dice) -> Option<Limit> {
        let is_parent = |index: usize| {
            self.items.iter().flat_map(|item| &item.when).any(|one| one.parent == index)
        };
        let high = |index: usize| kind::scale(&self.items[index].kind).high;
        let is_free = |index: &usize| !is_parent(*index) && (1e-6..1e6).contains(&high(*index));
        let parts: Vec<usize> = self.parts().into_iter().filter(is_free).collect();
        if parts.len() < 2 || dice.chance(0.4) {
            return None;
        }
        let lowest = parts.iter().map(|&index| high(index)).fold(f64::INFINITY, f64::min);
        for &index in &parts {
            let high = kind::scale(&self.items[index].kind).high;
            self.items[index].kind = Kind::Float { low: 0.0, high };
        }
        let at_most = dice.whole(1, parts.len());
        Some(Limit::Cardinality(parts, at_most, lowest * dice.pick(&[0.0, 0.0, 0.05, 0.5])))
    }

    fn equation(&self, dice: &mut Dice) -> Option<Limit> {
        let parts = self.parts();
        let (mut terms, mut total) = (Vec::new(), 0.0);
        for index in parts {
            let kind = &self.items[index].kind;
            let Scale { low, high, .. } = kind::scale(kind);
            let weight = dice.pick(&[1.0, 1.0, -0.5, 0.3]) / (0.5 * high - 0.5 * low);
            total += weight * kind::code_at(kind, dice.between(0.3, 0.7));
            terms.push((index, weight));
        }
        (terms.len() > 1 && dice.chance(0.7)).then_some(Limit::Equation(terms, total))
    }

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

    fn is_nearly_empty(&self, dice: &mut Dice) -> bool {
        let mut found: Vec<Vec<u64>> = Vec::new();
        let mut allowed = 0;
        for _ in 0..400 {
            let draw: Vec<f64> = self.items.iter().map(|_| dice.unit()).collect();
            let codes = self.codes_of_draw(&draw);
            if self.admits(&codes, SLACK) {
                allowed += 1;
                let bits: Vec<u64> = codes.iter().map(|code| code.to_bits()).collect();
                if found.len() < 4 && !found.contains(&bits) {
                    found.push(bits);
                }
            }
        }
        allowed < 40 || found.len() < 4
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
