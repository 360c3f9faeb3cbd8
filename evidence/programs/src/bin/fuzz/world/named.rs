//! Policies and rules of the library's tables of names, with random numbers.

use gittins::named::{Entry, Key, Named, Shape};

use crate::dice::Dice;

/// An entry of a table with numbers that fit; `unit` is about how far outcomes spread.
pub fn named<T>(entries: &'static [Entry<T>], unit: f64, dice: &mut Dice) -> Named {
    let weights = Vec::from_iter(entries.iter().map(|entry| weight(entry.name)));
    let entry = &entries[dice.index(&weights)];
    let mut numbers = Vec::new();
    for key in entry.keys {
        // What says how much is computed is not left to its default, nor is a difference of
        // outcomes, which has a unit.
        let given = ["fantasies", "points", "samples", "steps", "gap"].contains(&key.name);
        if key.needed || given || dice.chance(0.6) {
            numbers.push((key.name, number(key, unit, dice)));
        }
    }
    Named::new(entry.name, &numbers)
}

/// How often a name is drawn: what is at the heart of the library more often, what takes long less.
fn weight(name: &str) -> f64 {
    match name {
        "gittins" => 10.0,
        "multi_step_lookahead" | "budgeted_lookahead" | "knowledge_gradient" => 0.3,
        "regret_probability" | "regret_frequency" => 0.01,
        _ => 2.0,
    }
}

fn number(key: &Key, unit: f64, dice: &mut Dice) -> f64 {
    match (key.name, key.shape) {
        ("price", _) => dice.magnitude(1e-6, 10.0) * unit,
        ("limit", _) if dice.chance(0.1) => 0.0,
        ("budget" | "limit", _) => dice.magnitude(0.5, 100.0),
        ("gap" | "epsilon" | "threshold", Shape::Above(_) | Shape::AtLeast(_)) => {
            unit * dice.magnitude(1e-6, 1.0)
        }
        ("points", _) => dice.pick(&[1.0, 32.0, 128.0]),
        ("steps", _) => dice.pick(&[1.0, 2.0, 3.0]),
        ("trials", _) => dice.whole(0, 20) as f64,
        (_, Shape::Above(bound)) => bound + dice.pick(&[0.01, 0.5, 1.0, 1e6]),
        (_, Shape::AtLeast(bound)) => bound + dice.pick(&[0.0, 0.5, 1.0, 2.0]),
        // A smaller one is never shown by the usual number of samples.
        ("risk", _) => dice.magnitude(0.05, 0.9),
        (_, Shape::Share) => dice.magnitude(1e-6, 0.9),
        (_, Shape::Count(least)) => f64::from(least) + dice.whole(0, 4) as f64,
        (name, shape) => unreachable!("a number {name} of {shape:?}"),
    }
}

/// A number of an entry, the usual one unless it is given.
pub fn given<T>(named: &Named, entries: &'static [Entry<T>], key: &str) -> Option<f64> {
    let own = named.numbers.iter().find(|(name, _)| name == key).map(|(_, number)| *number);
    let entry = entries.iter().find(|entry| entry.name == named.name)?;
    own.or(entry.keys.iter().find(|known| known.name == key)?.usual)
}
