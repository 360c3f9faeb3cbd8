//! study.toml: what varies, what is wanted, what a trial runs, and when the run ends.

mod document;
pub mod keys;
pub mod parameters;
mod policies;
mod results;
pub mod schema;
mod time;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gittins::data::Direction;
use gittins::stop::{StallRule, any};
use gittins::study::StudyBuilder;
use gittins::{Cost, GittinsRule, Policy, Space, StopRule, Study};

use crate::command::{Command, Reading};
use crate::failure::{At, Failure, Result};
use crate::finder::Finder;
use crate::tally::Tally;
use document::{Document, Item, Section};
use gittins::journal::{GiveUp, Journal, JournalOptions};
use policies::Money;
pub use results::CostSource;

/// How long a trial has to end by itself.
const GRACE: Duration = Duration::from_secs(5);

/// How much longer than its limit a trial is waited for: a machine may be busy.
const SPARE: Duration = Duration::from_secs(60);

/// The failures before the first success that end a run.
const FAILURES: usize = 5;

/// A file that was read and checked.
#[derive(Debug, Clone)]
pub struct StudyFile {
    /// The study's name in the journal, if the file says one.
    pub name: Option<String>,
    /// What varies.
    pub space: Space,
    /// Which outcomes are better.
    pub direction: Direction,
    /// The journal's file.
    pub journal: PathBuf,
    /// The command, if the file has one.
    pub command: Option<Vec<String>>,
    /// How the command is read.
    pub reading: Reading,
    /// Where it runs; the current directory if none.
    pub directory: Option<PathBuf>,
    /// How many trials run at once.
    pub workers: usize,
    /// How long a trial may take.
    pub time_limit: Option<Duration>,
    /// How long a trial has to end by itself.
    pub grace: Duration,
    /// After which time a trial is given up whose worker does not come back.
    pub give_up: Option<Duration>,
    /// Where the outcome is found.
    pub outcome: Finder,
    /// The exit code of a point that is not allowed.
    pub infeasible_exit_code: Option<i32>,
    /// Where the cost comes from.
    pub cost: CostSource,
    /// The unit of cost in reports.
    pub unit: Option<String>,
    /// The smallest cost that still matters.
    pub floor: Option<f64>,
    /// What ends the run besides its verdict.
    pub limits: Limits,
    policy: Option<Policy>,
    /// The price at which the run stops.
    price: Option<f64>,
    /// The money that the run may spend.
    budget: Option<f64>,
    stall: Option<usize>,
    seed: u64,
    initial: Option<usize>,
}

/// What ends a run besides its verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The most trials.
    pub trials: Option<usize>,
    /// The most that they may cost together.
    pub cost: Option<f64>,
    /// The outcome that is good enough.
    pub target: Option<f64>,
    /// Whether larger outcomes are better.
    pub maximizes: bool,
    /// The failures before the first success that end a run.
    pub failures: usize,
}

impl Limits {
    /// No limits.
    pub fn none() -> Self {
        Self { trials: None, cost: None, target: None, maximizes: false, failures: FAILURES }
    }
}

impl StudyFile {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it, with line and key.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).at(path.display())?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Self::parse(path, &name.unwrap_or_default(), &text)
    }

    /// Reads the text of the file at a path. Its name stands in messages.
    fn parse(path: &Path, name: &str, text: &str) -> Result<Self> {
        let document = Document { name, text };
        let table = document.parse()?;
        let study = Section::new(&document, "", 0..0, table.get_ref(), keys::STUDY)?;
        let beside = |file: &str| path.parent().unwrap_or(Path::new("")).join(file);

        let direction = match study.need("direction")?.one_of(keys::DIRECTIONS)? {
            "minimize" => Direction::Minimize,
            _ => Direction::Maximize,
        };
        let space =
            parameters::space(&study.need("parameters")?, study.get("constraints").as_ref())?;
        let price = study.read("price", Item::positive)?;
        let budget = study.read("budget", Item::positive)?;
        let policy = policies::policy(&study, Money { price, budget })?;
        let (limits, stop_price, stall) = limits(&study, direction)?;
        let (outcome, infeasible_exit_code) = results::outcome(&study, &space)?;
        let (cost, unit, floor) = results::cost(&study, &space)?;
        let shell = study.read("shell", Item::flag)?.unwrap_or(false);
        let reading =
            Reading { shell, environment: study.read("environment", Item::flag)?.unwrap_or(false) };
        let journal = study.read("journal", Item::word)?;
        let file = Self {
            name: study.read("name", Item::word)?.map(str::to_owned),
            journal: journal.map_or_else(|| path.with_extension("journal"), beside),
            command: study.read("command", |item| arguments(item, shell))?,
            reading,
            directory: study.read("directory", Item::word)?.map(beside),
            workers: study.read("workers", |item| item.count(1))?.unwrap_or(1) as usize,
            time_limit: study.read("time_limit", time::time)?,
            grace: study.read("grace", time::time)?.unwrap_or(GRACE),
            give_up: study.read("give_up", time::time)?,
            seed: study.read("seed", |item| item.count(0))?.unwrap_or(0).into(),
            initial: study.read("initial", |item| item.count(1))?.map(|count| count as usize),
            price: stop_price.or(price),
            budget,
            space,
            direction,
            outcome,
            infeasible_exit_code,
            cost,
            unit,
            floor,
            limits,
            policy,
            stall,
        };
        file.check(&study)?;
        Ok(file)
    }

    /// What no single key can tell.
    fn check(&self, study: &Section<'_>) -> Result<()> {
        if let (Some(command), Some(item)) = (&self.command, study.get("command")) {
            Command::new(command, &self.space, self.reading)
                .map_err(|error| item.problem(error.to_string()))?;
        }
        self.check_workers().map_err(|error| study.problem(error.to_string()))?;
        self.builder().build().map(drop).map_err(|error| study.problem(error.to_string()))
    }

    /// Sets the number of trials that run at once.
    ///
    /// # Errors
    /// Several trials would write one file.
    pub fn set_workers(&mut self, workers: usize) -> Result<()> {
        self.workers = workers;
        self.check_workers()
    }

    fn check_workers(&self) -> Result<()> {
        let cost = match &self.cost {
            CostSource::Output(finder) => finder.file.as_ref(),
            _ => None,
        };
        let shared = [self.outcome.file.as_ref(), cost]
            .into_iter()
            .flatten()
            .any(|template| !template.has_trial());
        match self.workers > 1 && shared {
            true => Err(Failure::new(
                "with several workers each trial needs a file of its own: put {trial} into the file's name",
            )),
            false => Ok(()),
        }
    }

    /// The study that the file describes.
    pub fn builder(&self) -> StudyBuilder {
        let mut builder = match self.direction {
            Direction::Maximize => Study::maximize(self.space.clone()),
            _ => Study::minimize(self.space.clone()),
        };
        builder = builder.seed(self.seed);
        if !matches!(self.cost, CostSource::None) {
            builder = builder.cost(Cost::learned());
        }
        if let Some(policy) = &self.policy {
            builder = builder.policy(policy.clone());
        }
        let mut rules: Vec<Box<dyn StopRule>> = Vec::new();
        let own = self.policy.as_ref().and_then(Policy::price);
        // A study stops at the price of its policy by itself, and a journal knows that rule.
        let price = self.price.filter(|_| self.price != own || self.stall.is_some());
        rules.extend(price.map(|price| Box::new(GittinsRule::priced(price)) as _));
        rules.extend(self.stall.map(|trials| Box::new(StallRule::new().window(trials)) as _));
        if !rules.is_empty() {
            builder = builder.stop(any(rules));
        }
        if let Some(budget) = self.budget {
            builder = builder.budget(budget);
        }
        if let Some(floor) = self.floor {
            builder = builder.cost_floor(floor);
        }
        if let Some(unit) = &self.unit {
            builder = builder.cost_unit(unit.clone());
        }
        if let Some(points) = self.initial {
            builder = builder.initial(points);
        }
        if let Some(trials) = self.limits.trials {
            builder = builder.expected_trials(trials);
        }
        builder
    }

    /// Opens the study's journal, or creates it.
    pub fn open(&self) -> Result<Journal> {
        // With a limit of time a trial beyond it has no worker any more.
        let limit = self.time_limit.map(|limit| limit + self.grace + SPARE);
        let options = match &self.name {
            Some(name) => JournalOptions::new().name(name),
            None => JournalOptions::new(),
        };
        let options = match self.give_up.or(limit) {
            Some(time) => options.give_up(GiveUp::after(time)),
            None => options,
        };
        Ok(options.open(&self.journal, self.builder())?)
    }

    /// Whether the budget is spent.
    pub fn is_spent(&self, study: &Study) -> bool {
        self.budget.is_some_and(|budget| Tally::of(study).spent >= budget)
    }

    /// Whether anything ever ends a run.
    pub fn ends(&self) -> bool {
        let Limits { trials, cost, target, .. } = self.limits;
        self.price.is_some()
            || self.budget.is_some()
            || self.stall.is_some()
            || trials.is_some()
            || cost.is_some()
            || target.is_some()
    }
}

fn arguments(item: &Item<'_>, shell: bool) -> Result<Vec<String>> {
    match (item.is_text(), shell) {
        (true, true) => Ok(vec![item.word()?.to_owned()]),
        (true, false) => Err(item.problem(
            "expected a list of arguments such as [\"python\", \"train.py\"]; a text needs shell = true",
        )),
        (false, true) => Err(item.problem("with shell = true the command is one text")),
        (false, false) => {
            item.list()?.iter().map(|argument| Ok(argument.text()?.to_owned())).collect()
        }
    }
}

fn limits(
    study: &Section<'_>,
    direction: Direction,
) -> Result<(Limits, Option<f64>, Option<usize>)> {
    let maximizes = direction == Direction::Maximize;
    let mut limits = Limits { maximizes, ..Limits::none() };
    let Some(item) = study.get("stop") else { return Ok((limits, None, None)) };
    let stop = item.section(keys::STOP)?;
    limits.trials = stop.read("trials", |item| item.count(1))?.map(|count| count as usize);
    limits.cost = stop.read("cost", Item::positive)?;
    limits.target = stop.read("target", Item::finite)?;
    if let Some(failures) = stop.read("failures", |item| item.count(0))? {
        limits.failures = failures as usize;
    }
    let stall = stop.read("stall", |item| item.count(1))?.map(|count| count as usize);
    Ok((limits, stop.read("price", Item::positive)?, stall))
}

/// Whether a path names a file of ours, and not a journal: by its ending, or by its first letter.
pub fn is_study_file(path: &Path) -> Result<bool> {
    if path.extension().is_some_and(|ending| ending == "toml") {
        return Ok(true);
    }
    let start = fs::File::open(path).and_then(|mut file| {
        let mut start = [0; 64];
        let count = std::io::Read::read(&mut file, &mut start)?;
        Ok(start[..count].iter().copied().find(|byte| !byte.is_ascii_whitespace()))
    });
    match start {
        Ok(first) => Ok(first.is_some_and(|byte| byte != b'{')),
        Err(error) => Err(Failure::from(error)).at(path.display()),
    }
}

#[cfg(test)]
mod tests;
