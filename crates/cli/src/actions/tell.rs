//! `gittins tell`, `fail` and `withdraw`: the result of a trial that was asked for.

use std::path::PathBuf;

use gittins::study::TrialState;
use gittins::{ErrorKind, Outcome, Trial};
use serde_json::json;

use crate::findings::measured::{self, Aim};
use crate::opened::Opened;
use crate::words::code::Code;
use crate::words::console::Console;
use crate::words::failure::{Failure, Result};
use crate::words::number;
use crate::words::show;
use crate::words::show::WHY;

/// Numbers that were measured beside the outcome.
#[derive(Debug, clap::Args)]
struct Measured {
    /// A number that was measured beside the outcome, if there is a limit on it or it is an objective;
    /// nan if it could not be measured. Once for each number.
    #[arg(long = "measured", value_name = "NAME=NUMBER", value_parser = number::measured)]
    numbers: Vec<(String, f64)>,
}

/// Tell the outcome of a trial.
#[derive(Debug, clap::Args)]
pub struct Tell {
    /// A study.toml or a journal.
    file: PathBuf,
    /// The number of the trial.
    #[arg(value_parser = number::trial, allow_hyphen_values = true)]
    trial: usize,
    /// Its outcome.
    #[arg(value_parser = number::outcome, allow_hyphen_values = true)]
    value: f64,
    /// What it cost. Needed if the cost is learned.
    #[arg(long, value_parser = number::number, allow_hyphen_values = true)]
    cost: Option<f64>,
    #[command(flatten)]
    measured: Measured,
    /// Replace what was told before.
    #[arg(long)]
    correct: bool,
}

/// Tell that a trial failed.
#[derive(Debug, clap::Args)]
pub struct Fail {
    /// A study.toml or a journal.
    file: PathBuf,
    /// The number of the trial.
    #[arg(value_parser = number::trial, allow_hyphen_values = true)]
    trial: usize,
    /// What it cost all the same.
    #[arg(long, value_parser = number::number, allow_hyphen_values = true)]
    cost: Option<f64>,
    #[command(flatten)]
    measured: Measured,
    /// The point is not allowed.
    #[arg(long)]
    infeasible: bool,
    /// Why, kept with the trial.
    #[arg(long)]
    why: Option<String>,
    /// Replace what was told before.
    #[arg(long, conflicts_with = "why")]
    correct: bool,
}

/// Give a trial up: nobody works on it any more. Its point may be asked for again.
#[derive(Debug, clap::Args)]
pub struct Withdraw {
    /// A study.toml or a journal.
    file: PathBuf,
    /// The number of the trial.
    #[arg(value_parser = number::trial, allow_hyphen_values = true)]
    trial: usize,
}

impl Measured {
    /// An outcome with the numbers.
    fn add_to(&self, outcome: Outcome) -> Result<Outcome> {
        let mut names = self.numbers.iter().map(|(name, _)| name);
        while let Some(name) = names.next() {
            if names.clone().any(|other| other == name) {
                return Err(Failure::new(format!("--measured {name} is there twice")));
            }
        }
        let numbers = self.numbers.iter();
        Ok(numbers.fold(outcome, |outcome, (name, number)| outcome.measured(name, *number)))
    }

    /// Checks that a complete trial gets each number, unless what was told of it before
    /// is wrong.
    fn check(&self, opened: &Opened, number: usize, correct: bool) -> Result<()> {
        let study = opened.journal.study();
        let known = study.history().get(opened.trial(number)?.index());
        let is_told = known.is_some_and(|trial| trial.state.is_told());
        // In stages a report before the end has no such numbers.
        let is_before_end = study.stages().is_some() && !is_told;
        if is_before_end || (is_told && !correct) {
            return Ok(());
        }
        let told = |name: &str| {
            let before = known.filter(|_| correct).and_then(|trial| trial.measured.get(name));
            before.is_some() || self.numbers.iter().any(|(known, _)| known == name)
        };
        let Some((name, aim)) = measured::aims(study).find(|(name, _)| !told(name)) else {
            return Ok(());
        };
        let wanted = match aim {
            Aim::Limit(limit) => format!("must be {limit}"),
            Aim::Objective(_) => "is an objective".to_owned(),
        };
        Err(Failure::new(format!(
            "trial {number}: {name} {wanted}, and its number is missing: add --measured {name}=NUMBER, or {name}=nan if it could not be measured"
        )))
    }
}

fn with_cost(outcome: Outcome, cost: Option<f64>) -> Outcome {
    cost.into_iter().fold(outcome, Outcome::cost)
}

fn tell(
    opened: &mut Opened,
    number: usize,
    outcome: Outcome,
    correct: bool,
    console: Console,
) -> Result<Code> {
    let id = opened.trial(number)?;
    let told_before =
        |trial: &Trial| format!("it was told before: {}; --correct replaces that", came(trial));
    // Before anything else is wrong with it.
    let known = opened.journal.study().history().get(id.index());
    if let Some(trial) = known.filter(|trial| trial.state.is_told() && !correct) {
        return Err(Failure::new(format!("trial {number}: {}", told_before(trial))));
    }
    let told = if correct {
        opened.journal.correct(id, outcome)
    } else {
        opened.journal.tell(id, outcome)
    };
    told.map_err(|error| {
        let words = match (error.kind(), opened.journal.study().history().get(id.index())) {
            (ErrorKind::DuplicateTrial, Some(trial)) if trial.state.is_told() => told_before(trial),
            (ErrorKind::InvalidSetting, Some(trial)) if correct && !trial.state.is_told() => {
                "nothing was told of it that --correct could replace; tell it without".to_owned()
            }
            (ErrorKind::MissingCost, _) => {
                "costs are learned, and its cost is missing: add --cost COST".to_owned()
            }
            _ => return error.into(),
        };
        Failure::new(format!("trial {number}: {words}"))
    })?;
    console.print(&json!({ "told": number }), &format!("trial {number} was told"))
}

/// The result of a trial, in words.
fn came(trial: &Trial) -> String {
    let cost = trial.cost.map_or_else(String::new, |cost| format!(", cost {}", show::exact(cost)));
    match trial.outcome {
        Some(outcome) => format!("outcome {}{cost}", show::exact(outcome)),
        None => format!("{}{cost}", trial.state.name()),
    }
}

impl Tell {
    /// Tells.
    pub fn run(&self, console: Console) -> Result<Code> {
        let mut opened =
            if self.correct { Opened::there(&self.file)? } else { Opened::to_tell(&self.file)? };
        self.measured.check(&opened, self.trial, self.correct)?;
        let outcome = self.measured.add_to(with_cost(Outcome::new(self.value), self.cost))?;
        tell(&mut opened, self.trial, outcome, self.correct, console)
    }
}

impl Fail {
    /// Tells.
    pub fn run(&self, console: Console) -> Result<Code> {
        let mut opened = Opened::to_tell(&self.file)?;
        let outcome = if self.infeasible { Outcome::infeasible() } else { Outcome::failed() };
        let outcome = self.measured.add_to(outcome)?;
        if let Some(why) = &self.why {
            let id = opened.trial(self.trial)?;
            opened.journal.note(id, WHY, why)?;
        }
        tell(&mut opened, self.trial, with_cost(outcome, self.cost), self.correct, console)
    }
}

impl Withdraw {
    /// Gives the trial up.
    pub fn run(&self, console: Console) -> Result<Code> {
        let mut opened = Opened::there(&self.file)?;
        let id = opened.trial(self.trial)?;
        let study = opened.journal.study();
        let state = study.history()[id.index()].state;
        if study.stages().is_some() && state != TrialState::Pending {
            let words = format!("trial {}: it is {}, and not pending", self.trial, state.name());
            return Err(Failure::new(words));
        }
        opened.journal.withdraw(id)?;
        let text = format!("trial {} was given up", self.trial);
        console.print(&json!({ "withdrawn": self.trial }), &text)
    }
}
