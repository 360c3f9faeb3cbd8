//! `[outcome]` and `[cost]`: what is taken from a trial.

use gittins::{Cost, PerUnit, Space};
use regex::Regex;

use super::document::{Item, Section};
use super::keys;
use super::parameters::terms;
use crate::program::candidates::Searched;
use crate::program::finder::{Finder, Form, keys_of};
use crate::program::template::Template;
use crate::words::failure::Result;

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
    /// What the values of the parameters come to.
    Parameters(Cost),
    /// Each trial costs 1.
    None,
}

impl CostSource {
    /// Whether a cost is told with each trial. If not, the study knows it.
    pub fn is_told(&self) -> bool {
        !matches!(self, Self::Parameters(_) | Self::None)
    }

    /// What a study knows of it.
    pub fn cost(&self) -> Option<Cost> {
        match self {
            Self::Parameters(cost) => Some(cost.clone()),
            Self::None => None,
            _ => Some(Cost::learned()),
        }
    }
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
    searched: Searched<'_>,
) -> Result<(CostSource, Option<String>, Option<f64>)> {
    let Some(item) = study.get("cost") else {
        return Ok((CostSource::WallTime, Some("s".to_owned()), Some(TICK)));
    };
    let section = item.section(keys::COST)?;
    let from = section.read("from", |item| item.one_of(keys::COSTS))?.unwrap_or(keys::COSTS[0]);
    let place = ["file", "key", "pattern"].iter().find_map(|key| section.get(key));
    let amounts = ["per_unit", "fixed"].iter().find_map(|key| section.get(key));
    for (item, owner) in [(&place, "output"), (&amounts, "parameters")] {
        if let Some(item) = item.as_ref().filter(|_| from != owner) {
            let message = format!("this key belongs to from = {owner:?}, not to {from:?}");
            return Err(item.problem(message));
        }
    }
    let floor = section.read("floor", Item::positive)?;
    let source = match from {
        "output" if place.is_none() => {
            return Err(section.problem("a cost from the output needs key, pattern or file"));
        }
        "output" => CostSource::Output(finder(&section, &searched.told())?),
        "parameters" => CostSource::Parameters(of_parameters(&section, searched, floor)?),
        "cpu_time" => CostSource::CpuTime,
        "none" => CostSource::None,
        _ => CostSource::WallTime,
    };
    let times = matches!(source, CostSource::WallTime | CostSource::CpuTime);
    let unit = section.read("unit", Item::word)?.map(str::to_owned);
    Ok((
        source,
        unit.or_else(|| times.then(|| "s".to_owned())),
        floor.or_else(|| times.then_some(TICK)),
    ))
}

/// What a run in stages is expected to cost by a price list, and the floor, if the file has them.
pub fn listed(study: &Section<'_>, searched: Searched<'_>) -> Result<(Option<Cost>, Option<f64>)> {
    let Some(item) = study.get("cost") else { return Ok((None, None)) };
    let section = item.section(keys::COST)?;
    let floor = section.read("floor", Item::positive)?;
    let has_list = ["per_unit", "fixed"].iter().any(|key| section.get(key).is_some());
    let listed = has_list.then(|| of_parameters(&section, searched, floor)).transpose()?;
    Ok((listed, floor))
}

/// The cost that the values of the parameters come to.
fn of_parameters(
    section: &Section<'_>,
    searched: Searched<'_>,
    floor: Option<f64>,
) -> Result<Cost> {
    let Some(item) = section.get("per_unit") else {
        return Err(section.problem("a cost from the parameters needs per_unit"));
    };
    let others = searched.candidates.map_or(&[][..], |candidates| &candidates.others);
    for (name, price) in item.entries()? {
        if others.iter().any(|other| other == name) {
            return Err(price.problem(format!(
                "the column {name:?} is not modeled, and prices are of what is: add it to table.columns"
            )));
        }
    }
    let terms = terms(&item, &Vec::from_iter(searched.space.names()), per_unit)?;
    let fixed = section.read("fixed", Item::finite)?.unwrap_or(0.0);
    let cost = Cost::linear(terms, fixed);
    let checked = cost.validate(&searched.domain(), floor);
    checked.map_err(|error| section.problem(error.to_string()))?;
    Ok(cost)
}

/// What a unit of a parameter costs, or each name of a choice.
fn per_unit(item: &Item<'_>) -> Result<PerUnit> {
    if !item.is_table() {
        return Ok(item.finite()?.into());
    }
    let costs = item.entries()?.into_iter();
    let costs = costs.map(|(name, cost)| Ok((name.to_owned(), cost.finite()?)));
    Ok(PerUnit::Names(costs.collect::<Result<_>>()?))
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
