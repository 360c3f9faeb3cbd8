//! `[stages]`: trials that are runs in stages.

use gittins::internals::reaches;
use gittins::study::Stages;
use regex::Regex;
use serde_json::Value as Json;

use super::arguments::arguments;
use super::document::{Item, Section};
use super::measures::Measure;
use super::results::regex;
use super::{keys, settings};
use crate::program::finder::{Finder, Form, keys_of};
use crate::stages::bill::{Bill, Meter};
use crate::stages::course::{Course, Kind};
use crate::stages::line::LineForm;
use crate::words::failure::Result;

/// What the file says of runs in stages.
#[derive(Debug, Clone)]
pub struct StagesFile {
    /// How a line is a report.
    pub form: LineForm,
    /// What a stage costs.
    pub bill: Bill,
    /// The unit of cost in reports.
    pub unit: Option<String>,
    /// What is added to the command of a run that is resumed, if the file says it.
    pub resume: Option<Vec<String>>,
    /// The numbers with limits, as they are at the end of a run.
    pub measures: Vec<Measure>,
    /// The progress at each report, the end of a run included.
    pub(super) reports: Vec<f64>,
    /// How long a run is, and when it reports.
    pub(super) spec: Stages,
}

/// Keys of the file that mean nothing for runs in stages.
const FOREIGN: [&str; 4] = ["engine", "model", "cost_model", "overdue"];

/// Keys of `[cost]` that mean nothing for runs in stages.
const FOREIGN_COSTS: [&str; 3] = ["file", "key", "pattern"];

/// What the file says of stages; none if it has no such table.
pub fn stages(study: &Section<'_>) -> Result<Option<StagesFile>> {
    let Some(item) = study.get("stages") else { return Ok(None) };
    check_others(study)?;
    let section = item.section(keys::STAGES)?;
    let spec = Json::Object(settings::of_library(&section, Stages::KEYS, study)?);
    let spec: Stages =
        serde_json::from_value(spec).map_err(|error| section.problem(error.to_string()))?;
    let reports = spec.progress().map_err(|error| section.problem(error.to_string()))?;
    let (form, has_cost) = form(&section, spec.are_items())?;
    let shell = study.read("shell", Item::flag)?.unwrap_or(false);
    let resume = section.read("resume", |item| extra(item, shell))?;
    let bill = match bill(study, has_cost)? {
        Bill::Share if spec.do_repeat() => Bill::Anew,
        bill => bill,
    };
    let unit = match study.get("cost") {
        Some(item) => item.section(keys::COST)?.read("unit", Item::word)?.map(str::to_owned),
        None => None,
    };
    let unit = unit.or_else(|| (bill == Bill::WallTime).then(|| "s".to_owned()));
    Ok(Some(StagesFile { form, bill, unit, resume, measures: Vec::new(), reports, spec }))
}

/// Checks that nothing stands in the file that runs in stages do not have.
fn check_others(study: &Section<'_>) -> Result<()> {
    if let Some(item) = study.get("outcome") {
        return Err(item.problem(
            "with [stages] each report has the outcome: stages.outcome, or the group outcome of stages.pattern",
        ));
    }
    for (_, item) in study.read("limits", Item::entries)?.unwrap_or_default() {
        if let Some(file) = item.section(keys::LIMIT)?.get("file") {
            return Err(file.problem(
                "with [stages] a number stands in the output: print it before the last report, or in it",
            ));
        }
    }
    if let Some(item) = study.get("objectives") {
        return Err(item.problem(
            "runs in stages have the outcome as their only objective: leave [objectives] or [stages] out",
        ));
    }
    let no = |item: Item<'_>| Err(item.problem("runs in stages have no such setting"));
    if let Some(item) = FOREIGN.iter().find_map(|key| study.get(key)) {
        return no(item);
    }
    if let Some(item) = study.get("policy") {
        let name = if item.is_table() { item.peek("name")? } else { Some(item.clone()) };
        if name.is_some_and(|name| name.text().is_ok_and(|name| name != "gittins")) {
            return Err(item.problem(
                "runs in stages are compared by their index alone: leave the policy out, or set \"gittins\" with a price",
            ));
        }
    }
    if let Some(stop) = study.get("stop")
        && let Some(item) = stop.section(keys::STOP)?.get("price")
    {
        return Err(item.problem("trials in stages stop at the price of their policy: set price"));
    }
    Ok(())
}

/// How a line is a report, and whether it has the cost. Items are counted and have no progress.
fn form(section: &Section<'_>, items: bool) -> Result<(LineForm, bool)> {
    let keys = ["progress", "outcome", "cost"];
    if let (true, Some(item)) = (items, section.get("progress")) {
        return Err(item.problem("items are counted by their lines: leave progress out"));
    }
    let Some(item) = section.get("pattern") else {
        let path = |name: &'static str| -> Result<Option<Vec<String>>> {
            section.read(name, |item| Ok(keys_of(item.word()?)))
        };
        let [progress, outcome, cost] = keys.map(path);
        let usual = |name: &str| vec![name.to_owned()];
        let progress = progress?;
        let outcome = outcome?;
        let cost = cost?;
        let has_cost = cost.is_some();
        let progress = (!items).then(|| progress.unwrap_or_else(|| usual("progress")));
        let outcome = outcome.unwrap_or_else(|| usual("outcome"));
        return Ok((LineForm::Keys { progress, outcome, cost }, has_cost));
    };
    if let Some(other) = keys.iter().find_map(|key| section.get(key)) {
        return Err(other.problem("expected either pattern or keys of JSON lines, got both"));
    }
    let pattern: Regex = regex(&item)?;
    let has = |name: &str| pattern.capture_names().flatten().any(|known| known == name);
    if items && has("progress") {
        return Err(item.problem("items are counted by their lines: leave the group progress out"));
    }
    let needed = if items { &["outcome"][..] } else { &["progress", "outcome"] };
    if let Some(missing) = needed.iter().find(|name| !has(name)) {
        return Err(item.problem(format!(
            "the pattern needs the group {missing}, written (?<{missing}>...), as in 'epoch (?<progress>\\d+) loss (?<outcome>\\S+)'"
        )));
    }
    let has_cost = has("cost");
    Ok((LineForm::Pattern(pattern), has_cost))
}

/// What a stage costs.
fn bill(study: &Section<'_>, has_cost: bool) -> Result<Bill> {
    let Some(item) = study.get("cost") else {
        return Ok(if has_cost { Bill::Output } else { Bill::WallTime });
    };
    let section = item.section(keys::COST)?;
    if let Some(item) = FOREIGN_COSTS.iter().find_map(|key| section.get(key)) {
        return Err(item.problem(
            "runs in stages have no such setting: a cost that is printed stands at stages.cost, or in the group cost of stages.pattern",
        ));
    }
    let Some(from) = section.get("from") else {
        return Ok(if has_cost { Bill::Output } else { Bill::WallTime });
    };
    match (from.one_of(keys::COSTS)?, has_cost) {
        ("output", true) => Ok(Bill::Output),
        ("output", false) => Err(from.problem(
            "a cost from the output needs stages.cost, or the group cost in stages.pattern",
        )),
        (name, true) => Err(from.problem(format!(
            "expected \"output\", since each report has its cost, got {name:?}"
        ))),
        ("cpu_time", false) => Err(from.problem(
            "the computing time of a process is known at its end, and not at a report: set \"wall_time\", or print the cost",
        )),
        ("parameters", false) => Err(from.problem(
            "each report has the cost of its stage: set \"wall_time\" or \"none\", or print the cost; per_unit alone is a list of what is expected",
        )),
        ("none", false) => Ok(Bill::Share),
        _ => Ok(Bill::WallTime),
    }
}

/// What is added to a command. It may be nothing.
fn extra(item: &Item<'_>, shell: bool) -> Result<Vec<String>> {
    if shell && item.is_text() { Ok(vec![item.text()?.to_owned()]) } else { arguments(item, shell) }
}

impl StagesFile {
    /// The progress at the end of a run.
    pub fn total(&self) -> f64 {
        self.reports.last().copied().unwrap_or(0.0)
    }

    /// Whether a run is the mean of items, a batch of which each process has.
    pub fn are_items(&self) -> bool {
        self.spec.are_items()
    }

    /// The course of a process that begins or goes on from the progress that was told, until the next
    /// stage.
    pub fn course(&self, told_until: (f64, f64), meter: Meter) -> Course {
        let kind = match (self.spec.are_folds(), self.are_items()) {
            (true, _) => Kind::Folds,
            (_, true) => Kind::Items,
            _ => Kind::Curve,
        };
        Course::new(self.total(), kind, told_until, meter)
    }

    /// The numbers of the items from one progress to another, with commas; none without items.
    pub fn batch(&self, from: f64, until: f64) -> Option<String> {
        let order = self.spec.order();
        let batch = order.get(from as usize..until as usize)?;
        let numbers: Vec<String> = batch.iter().map(u32::to_string).collect();
        (!numbers.is_empty()).then(|| numbers.join(","))
    }

    /// Where the outcome of a run stands, for what stands beside it.
    pub fn finder(&self) -> Finder {
        let form = match &self.form {
            LineForm::Keys { outcome, .. } => Form::Key(outcome.clone()),
            LineForm::Pattern(pattern) => Form::Pattern(pattern.clone()),
        };
        Finder { file: None, form }
    }

    /// The progress of the stage that comes after a progress.
    pub fn next(&self, progress: f64) -> f64 {
        let next = self.reports.iter().copied().find(|&report| !reaches(progress, report));
        next.unwrap_or(self.total())
    }
}
