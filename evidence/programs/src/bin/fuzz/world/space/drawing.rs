//! Random spaces.

use gittins::data::Requirement;

use super::{Item, Limit, SpaceSpec, When};
use crate::dice::Dice;
use crate::world::kind::{self, Kind, SLACK, Scale};
use crate::world::region::Region;

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
            let middle = kind::code_at(&item.kind, 0.5);
            let scale = kind::scale(&item.kind);
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
}
