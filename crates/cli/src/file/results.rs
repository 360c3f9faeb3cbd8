//! `[outcome]` and `[cost]`: what is taken from a trial.

use gittins::Space;
use regex::Regex;

use super::document::{Item, Section};
use super::keys;
use crate::failure::Result;
use crate::finder::{Finder, Form, keys_of};
use crate::template::Template;

/// The smallest time that still matters, in seconds: starting a process takes as long.
pub const TICK: f64 = 1e-3;

/// Where the cost of a trial comes from.
#[derive(Debug, Clone)]
pub enum CostSource {
    /// The seconds from start to end.
    WallTime,
    /// The seconds of computing, of the process and of those that it waited for.
    CpuTime,
    /// A number that the trial writes.
    Output(Finder),
    /// Each trial costs 1.
    None,
}

/// Where the outcome is found, and the exit code of a point that is not allowed.
pub fn outcome(study: &Section<'_>, space: &Space) -> Result<(Finder, Option<i32>)> {
    let Some(item) = study.get("outcome") else {
        return Ok((Finder { file: None, form: Form::LastLine }, None));
    };
    let section = item.section(keys::OUTCOME)?;
    let code = section.read("infeasible_exit_code", |item| {
        let code = item.count(1)?;
        i32::try_from(code)
            .ok()
            .filter(|code| *code < 256)
            .ok_or_else(|| item.problem(format!("an exit code is at most 255, got {code}")))
    })?;
    Ok((finder(&section, space)?, code))
}

/// Where the cost comes from, its unit, and its floor.
pub fn cost(
    study: &Section<'_>,
    space: &Space,
) -> Result<(CostSource, Option<String>, Option<f64>)> {
    let Some(item) = study.get("cost") else {
        return Ok((CostSource::WallTime, Some("s".to_owned()), Some(TICK)));
    };
    let section = item.section(keys::COST)?;
    let from = section.read("from", |item| item.one_of(keys::COSTS))?.unwrap_or(keys::COSTS[0]);
    let places = ["file", "key", "pattern"].map(|key| section.get(key));
    let place = places.iter().flatten().next();
    let source = match (from, place) {
        ("output", Some(_)) => CostSource::Output(finder(&section, space)?),
        ("output", None) => {
            return Err(section.problem("a cost from the output needs key, pattern or file"));
        }
        (from, Some(place)) => {
            return Err(
                place.problem(format!("this key belongs to from = \"output\", not to {from:?}"))
            );
        }
        ("cpu_time", None) => CostSource::CpuTime,
        ("none", None) => CostSource::None,
        _ => CostSource::WallTime,
    };
    let times = matches!(source, CostSource::WallTime | CostSource::CpuTime);
    let unit = section.read("unit", Item::word)?.map(str::to_owned);
    let floor = section.read("floor", Item::positive)?;
    Ok((
        source,
        unit.or_else(|| times.then(|| "s".to_owned())),
        floor.or_else(|| times.then_some(TICK)),
    ))
}

fn finder(section: &Section<'_>, space: &Space) -> Result<Finder> {
    let (file, form) = place(section, space)?;
    Ok(Finder { file, form: form.unwrap_or(Form::LastLine) })
}

/// The file that has a number, and what the number looks like, as far as a section says it.
pub fn place(section: &Section<'_>, space: &Space) -> Result<(Option<Template>, Option<Form>)> {
    let file = section.read("file", |item| {
        Template::parse(item.word()?, space).map_err(|error| item.problem(error.to_string()))
    })?;
    let form = match (section.get("key"), section.get("pattern")) {
        (Some(_), Some(pattern)) => {
            return Err(pattern.problem("expected either key or pattern, got both"));
        }
        (Some(key), None) => Some(Form::Key(keys_of(key.word()?))),
        (None, Some(pattern)) => Some(Form::Pattern(one_group(&pattern)?)),
        (None, None) => None,
    };
    Ok((file, form))
}

/// A regular expression.
pub fn regex(item: &Item<'_>) -> Result<Regex> {
    Regex::new(item.word()?).map_err(|error| {
        let text = error.to_string();
        let last = text.lines().last().unwrap_or_default();
        item.problem(last.strip_prefix("error: ").unwrap_or(last))
    })
}

fn one_group(item: &Item<'_>) -> Result<Regex> {
    let pattern = regex(item)?;
    match pattern.captures_len() {
        2 => Ok(pattern),
        groups => Err(item.problem(format!(
            "expected a pattern with one group in parentheses, got {}; (?:...) is no group",
            groups - 1
        ))),
    }
}
