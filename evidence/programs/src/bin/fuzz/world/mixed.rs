//! Spaces of every kind of parameters, with conditions and constraints, and what a possible point
//! of them is: found without the library.
//!
//! A code stands for a value: the number itself, 0 or 1 for a flag, the index of a name, NaN for
//! what is absent.

use std::collections::HashSet;

use gittins::{Space, Value};
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::world::axis::{Axis, Scale, axis, name, scaled, small_int};
use crate::world::kind::{COUNTED, Kind, SLACK};
use crate::world::region::Region;

/// A space, written down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mixed {
    pub items: Vec<Item>,
    pub limits: Vec<Limit>,
}

/// A parameter and when it exists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub name: String,
    pub kind: Kind,
    when: Vec<When>,
}

/// A condition on another parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct When {
    parent: usize,
    test: Test,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Test {
    Is(Vec<Value>),
    AtLeast(f64),
    AtMost(f64),
}

/// A constraint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Limit {
    Linear(Vec<(usize, f64)>, f64),
    /// Of floats that always exist.
    Equation(Vec<(usize, f64)>, f64),
    /// At most so many of these floats from 0 are more than 0, with at least so much of each.
    Cardinality(Vec<usize>, usize, f64),
    Predicate(Region),
}

impl Test {
    /// A condition that holds at some values of a parameter and not at others.
    fn draw(kind: &Kind, dice: &mut Dice) -> Self {
        let middle = || kind.code_at(0.5);
        match kind.codes() {
            Some(codes) if !kind.has_size() || dice.chance(0.6) => {
                let first = dice.whole(0, codes.len() - 1);
                let count = dice.whole(1, codes.len().div_ceil(2).min(3));
                let codes = (0..count).map(|k| codes[(first + k) % codes.len()]);
                Self::Is(codes.map(|code| kind.value(code)).collect())
            }
            _ if dice.chance(0.5) => Self::AtLeast(middle()),
            _ => Self::AtMost(middle()),
        }
    }

    fn holds(&self, kind: &Kind, code: f64) -> bool {
        match self {
            Self::Is(values) => values.iter().any(|value| kind.code(value) == Some(code)),
            Self::AtLeast(bound) => code >= *bound,
            Self::AtMost(bound) => code <= *bound,
        }
    }
}

impl From<Vec<(String, Axis)>> for Mixed {
    fn from(axes: Vec<(String, Axis)>) -> Self {
        let item = |(name, axis)| Item { name, kind: Kind::Number(axis), when: Vec::new() };
        Self { items: axes.into_iter().map(item).collect(), limits: Vec::new() }
    }
}

impl Mixed {
    pub fn draw(dice: &mut Dice) -> Self {
        let finite = dice.chance(0.3);
        let count =
            dice.weighed(&[(0.15, 1), (0.2, 2), (0.25, 3), (0.2, 5), (0.15, 7), (0.05, 14)]);
        let mut items: Vec<Item> = Vec::with_capacity(count);
        let mut depths: Vec<usize> = Vec::with_capacity(count);
        for index in 0..count {
            let mut kind = Kind::draw(dice, finite);
            while index == 0 && kind.columns() == 0 {
                kind = Kind::draw(dice, finite);
            }
            let parents: Vec<usize> = (0..index)
                .filter(|&parent| depths[parent] < 2 && items[parent].kind.columns() > 0)
                .collect();
            let conditions = if parents.is_empty() {
                0
            } else {
                dice.weighed(&[(0.6, 0), (0.33, 1), (0.07, 2)])
            };
            let when: Vec<When> = (0..conditions)
                .map(|_| {
                    let parent = dice.pick(&parents);
                    When { parent, test: Test::draw(&items[parent].kind, dice) }
                })
                .collect();
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
    pub fn numbers(dim: usize, dice: &mut Dice) -> Vec<(String, Axis)> {
        let grid = dim <= 4 && dice.chance(0.2);
        let axis = |dice: &mut Dice| if grid { small_int(dice) } else { axis(dice) };
        (0..dim).map(|index| (name(index, dice), axis(dice))).collect()
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
            if !item.kind.has_size() || dice.chance(0.3) {
                continue;
            }
            let (middle, (low, high, log)) = (item.kind.code_at(0.5), item.kind.scale());
            let size = if log { middle } else { 0.5 * high - 0.5 * low };
            // What is absent counts as 0, which must not break the constraint by itself.
            let sign = match (item.when.is_empty(), dice.chance(0.7)) {
                (false, _) => f64::from(u8::from(middle >= 0.0)) * 2.0 - 1.0,
                (true, up) => f64::from(u8::from(up)) * 2.0 - 1.0,
            };
            let weight = sign * dice.between(0.2, 1.0) / size;
            bound += weight * middle;
            terms.push((index, weight));
        }
        bound += dice.pick(&[0.0, 0.1, 0.5]);
        (terms.len() > 1).then_some(Limit::Linear(terms, bound))
    }

    /// Floats that always exist.
    fn parts(&self) -> Vec<usize> {
        let is_part = |item: &Item| {
            let is_float = matches!(item.kind, Kind::Number(Axis::Float(..)));
            is_float && item.kind.is_real() && item.when.is_empty()
        };
        (0..self.items.len()).filter(|&index| is_part(&self.items[index])).collect()
    }

    /// Lets some floats begin at 0, and only so many be there.
    fn cardinality(&mut self, dice: &mut Dice) -> Option<Limit> {
        let is_parent = |index: usize| {
            self.items.iter().flat_map(|item| &item.when).any(|one| one.parent == index)
        };
        let high = |index: usize| self.items[index].kind.scale().1;
        let is_free = |index: &usize| !is_parent(*index) && (1e-6..1e6).contains(&high(*index));
        let parts: Vec<usize> = self.parts().into_iter().filter(is_free).collect();
        if parts.len() < 2 || dice.chance(0.4) {
            return None;
        }
        let lowest = parts.iter().map(|&index| high(index)).fold(f64::INFINITY, f64::min);
        let kinds: Vec<_> = parts.iter().map(|&index| Axis::Float(0.0, high(index))).collect();
        for (&index, kind) in parts.iter().zip(kinds) {
            self.items[index].kind = Kind::Number(kind);
        }
        let at_most = dice.whole(1, parts.len());
        Some(Limit::Cardinality(parts, at_most, lowest * dice.pick(&[0.0, 0.0, 0.05, 0.5])))
    }

    fn equation(&self, dice: &mut Dice) -> Option<Limit> {
        let parts = self.parts();
        let (mut terms, mut total) = (Vec::new(), 0.0);
        for index in parts {
            let kind = &self.items[index].kind;
            let (low, high, _) = kind.scale();
            let weight = dice.pick(&[1.0, 1.0, -0.5, 0.3]) / (0.5 * high - 0.5 * low);
            total += weight * kind.code_at(dice.between(0.3, 0.7));
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
            let (code, (low, high, _)) = ((total - sum) / weight, self.items[last].kind.scale());
            if (low..=high).contains(&code) {
                codes[last] = code;
            }
        }
    }

    /// Whether hardly any point is possible.
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
        self.items.iter().map(|item| item.kind.columns()).sum()
    }

    pub fn varied(&self) -> usize {
        self.items.iter().filter(|item| item.kind.columns() > 0).count()
    }

    pub fn is_conditional(&self) -> bool {
        self.items.iter().any(|item| !item.when.is_empty())
    }

    pub fn scales(&self) -> Vec<Scale> {
        self.items.iter().map(|item| item.kind.scale()).collect()
    }

    pub fn build(&self) -> Space {
        let mut space = self.items.iter().fold(Space::new(), |space, item| {
            let space = item.kind.add(space, &item.name);
            item.when.iter().fold(space, |space, When { parent, test }| {
                let parent = self.items[*parent].name.clone();
                match test {
                    Test::Is(values) => space.when(parent, values),
                    Test::AtLeast(bound) => space.when_at_least(parent, *bound),
                    Test::AtMost(bound) => space.when_at_most(parent, *bound),
                }
            })
        });
        for limit in &self.limits {
            space = match limit {
                Limit::Linear(terms, bound) => {
                    let named =
                        |(index, weight): &(usize, f64)| (self.items[*index].name.clone(), *weight);
                    space.at_most(terms.iter().map(named), *bound)
                }
                Limit::Equation(terms, total) => {
                    let named =
                        |(index, weight): &(usize, f64)| (self.items[*index].name.clone(), *weight);
                    space.equal_to(terms.iter().map(named), *total)
                }
                Limit::Cardinality(parts, at_most, least) => {
                    let named = parts.iter().map(|index| self.items[*index].name.clone());
                    space.at_most_of(named, *at_most, *least)
                }
                Limit::Predicate(region) => {
                    let (own, region) = (self.clone(), region.clone());
                    space.allow("a region", move |values| {
                        let values: Vec<Value> =
                            values.iter().map(|(_, value)| value.clone()).collect();
                        region.contains(&scaled(&own.scales(), &own.codes(&values)))
                    })
                }
            };
        }
        space
    }

    /// Values as codes, NaN for what is absent or no value of its parameter.
    pub fn codes(&self, values: &[Value]) -> Vec<f64> {
        let code = |(item, value): (&Item, &Value)| item.kind.code(value).unwrap_or(f64::NAN);
        self.items.iter().zip(values).map(code).collect()
    }

    /// Whether a parameter exists beside these codes.
    fn expects(&self, index: usize, codes: &[f64]) -> bool {
        self.items[index].when.iter().all(|When { parent, test }| {
            !codes[*parent].is_nan() && test.holds(&self.items[*parent].kind, codes[*parent])
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
            self.items.iter().zip(draw).map(|(item, u)| item.kind.code_at(*u)).collect();
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
        let typed = |(item, code): (&Item, &f64)| match code.is_nan() {
            true => Value::Absent,
            false => item.kind.value(*code),
        };
        (possible && self.admits(&codes, SLACK))
            .then(|| self.items.iter().zip(&codes).map(typed).collect())
    }

    /// The values of a draw; impossible ones where constraints are broken. Half of them are typed
    /// less strictly than the space has them.
    pub fn values(&self, draw: &[f64]) -> Vec<Value> {
        let codes = self.codes_of_draw(draw);
        let value = |((item, code), draw): ((&Item, &f64), &f64)| match item.kind.value(*code) {
            _ if code.is_nan() => Value::Absent,
            Value::Int(whole) if *draw > 0.5 => Value::Float(whole as f64),
            value => value,
        };
        self.items.iter().zip(&codes).zip(draw).map(value).collect()
    }

    /// By how much each column of a point may differ from that of its values.
    pub fn rounding(&self) -> Vec<f64> {
        let each = |item: &Item| match &item.kind {
            Kind::Number(axis) if item.kind.is_real() => vec![axis.rounding()],
            kind => vec![0.0; kind.columns()],
        };
        self.items.iter().flat_map(each).collect()
    }

    /// The codes of all possible points, where there are few enough.
    pub fn points(&self) -> Option<HashSet<Vec<u64>>> {
        let codes: Vec<Vec<f64>> =
            self.items.iter().map(|item| item.kind.codes()).collect::<Option<_>>()?;
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
