//! Settings of which something is spoiled: they are refused with words, or make a study that works.

use gittins::study::StudySpec;
use gittins::{Outcome, Study};
use serde_json::{Value, from_value, json, to_value};

use crate::dice::Dice;
use crate::invariants::{Held, must};
use crate::play::attempt;
use crate::view::View;
use crate::world::World;

/// Something of the settings becomes what it should not be. Whether they were refused.
pub fn try_settings(world: &World, dice: &mut Dice) -> Held<bool> {
    let written = attempt(|| to_value(world.settings_as_data(&View::PLAIN)))?;
    // A constraint by code cannot be written.
    let Ok(mut settings) = written else { return Ok(false) };
    let is_named = dice.chance(0.3);
    let what =
        if is_named { add_key(&mut settings, dice) } else { spoil(&mut settings, &[], dice) };
    let read = attempt(|| from_value::<StudySpec>(settings).map_err(|error| error.to_string()))?;
    let built = attempt(|| read.and_then(|spec| build(spec).map_err(|error| error.to_string())))?;
    match built {
        Ok(mut study) => {
            must!(!is_named, BadSettingsAreRefused, "{what}: {study:?}")?;
            (0..3).try_for_each(|_| attempt(|| try_trial(&mut study).is_ok()).map(drop))?;
            Ok(false)
        }
        Err(words) => {
            must!(words.len() > 10, BadSettingsAreRefused, "{what}: {words:?}")?;
            Ok(true)
        }
    }
}

fn build(spec: StudySpec) -> gittins::Result<Study> {
    spec.builder()?.build()
}

/// One trial, whatever comes of it.
fn try_trial(study: &mut Study) -> gittins::Result<()> {
    let ask = study.ask()?;
    study.tell(ask.id(), Outcome::new(1.0 + ask.id().index() as f64).cost(1.0))?;
    study.verdict().map(drop)
}

/// A key that nobody knows. What was spoiled, in words.
fn add_key(settings: &mut Value, dice: &mut Dice) -> String {
    let place = dice.pick(&["policy", "stop", "search", "stages", "cost_unit"]);
    let object = if settings[place].is_object() { &mut settings[place] } else { settings };
    object["nobody"] = json!(1);
    format!("a key that nobody knows: {object}")
}

/// One number, name or flag becomes something else, of usual kinds or of others. What it was, in words.
pub fn spoil(data: &mut Value, others: &[Value], dice: &mut Dice) -> String {
    let usual = [json!(0), json!(-1), json!(0.5), json!("nobody"), json!(true), json!([])];
    let mut leaves = Vec::new();
    find_leaves(data, &mut leaves);
    let wrong = dice.pick(&[&usual, others, &[Value::Null]].concat());
    let place = dice.whole(0, leaves.len() - 1);
    let before = std::mem::replace(leaves[place], wrong);
    format!("{} in place of {before}", leaves[place])
}

fn find_leaves<'v>(value: &'v mut Value, leaves: &mut Vec<&'v mut Value>) {
    match value {
        Value::Object(map) => map.values_mut().for_each(|value| find_leaves(value, leaves)),
        Value::Array(list) => list.iter_mut().for_each(|value| find_leaves(value, leaves)),
        leaf => leaves.push(leaf),
    }
}
