//! study.toml: what varies, what is wanted, what a trial runs, and when the run ends.

mod arguments;
mod commands;
mod document;
pub mod keys;
pub mod measures;
mod objectives;
pub mod parameters;
mod results;
pub mod schema;
mod settings;
mod stages;
mod stop;
mod table;
mod time;
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gittins::study::{StudyBuilder, StudySpec};
use gittins::{Space, Study};

use crate::findings::measured::Aim;
use crate::findings::tally::Tally;
use crate::program::candidates::{Candidates, Searched};
use crate::program::command::{Command, Reading};
use crate::program::finder::Finder;
use crate::words::failure::{At, Failure, Result};
use arguments::arguments;
pub use commands::Commands;
use document::{Document, Item, Section};
use gittins::journal::{GiveUp, Journal, JournalOptions};
pub use measures::Measure;
pub use results::CostSource;
pub use stages::StagesFile;
pub use stop::Limits;

/// How long a trial has to end by itself.
const GRACE: Duration = Duration::from_secs(5);

/// How much longer than its limit a trial is waited for: a machine may be busy.
const SPARE: Duration = Duration::from_secs(60);

/// A file that was read and checked.
#[derive(Debug, Clone)]
pub struct StudyFile {
    /// Where it is.
    pub path: PathBuf,
    /// The study's name in the journal, if the file says one.
    pub name: Option<String>,
    /// What varies; of a table the columns that are modeled.
    pub space: Space,
    /// The table whose rows are tried, if there is one.
    pub candidates: Option<Arc<Candidates>>,
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
    /// The numbers beside it: those with limits, then objectives, each sorted by name.
    pub measures: Vec<Measure>,
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
    /// What trials are that are runs in stages.
    pub stages: Option<StagesFile>,
    /// The study itself, without its space.
    spec: StudySpec,
    /// The price at which the run stops.
    price: Option<f64>,
}

impl StudyFile {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it, with line and key.
    pub fn read(path: &Path) -> Result<Self> {
        if !is_study_file(path)? && path.metadata().is_ok_and(|data| data.len() > 0) {
            return Err(Failure::new("expected a study.toml, and this is a journal or other JSON"))
                .at(path.display());
        }
        let text = fs::read_to_string(path).map_err(|error| unreadable(path, error))?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Self::parse(path, &name.unwrap_or_default(), &text)
    }

    /// Reads the text of the file at a path. Its name stands in messages.
    fn parse(path: &Path, name: &str, text: &str) -> Result<Self> {
        let document = Document { name, text };
        let table = document.parse()?;
        let study = Section::new(&document, "", 0..0, table.get_ref(), keys::STUDY)?;
        let beside = |file: &str| path.parent().unwrap_or(Path::new("")).join(file);

        study.need("direction")?.one_of(keys::DIRECTIONS)?;
        let (space, candidates) = table::searched(&study, &beside)?;
        let searched = Searched { space: &space, candidates: candidates.as_ref() };
        let told = searched.told();
        let mut stages = stages::stages(&study)?;
        let mut spec = settings::settings(&study)?;
        let (limits, price) = stop::ends(&study, &mut spec)?;
        spec.expected_trials = limits.trials;
        let (outcome, infeasible_exit_code) = match &stages {
            Some(stages) => (stages.finder(), None),
            None => results::outcome(&study, &told)?,
        };
        let mut measures = measures::limits(&study, searched, &outcome)?;
        measures.extend(objectives::objectives(&study, searched, &outcome)?);
        spec.reference = objectives::reference(&study)?;
        wanted(&measures, &mut spec);
        if let Some(stages) = &mut stages {
            stages.measures.clone_from(&measures);
        }
        objectives::check(&study, searched, &spec)?;
        let (cost, unit, floor) = match &stages {
            Some(stages) => {
                let (listed, floor) = results::listed(&study, searched)?;
                spec.cost = listed;
                (CostSource::None, stages.unit.clone(), floor)
            }
            None => {
                let of_trials = results::cost(&study, searched)?;
                spec.cost = of_trials.0.cost();
                of_trials
            }
        };
        spec.cost_unit.clone_from(&unit);
        spec.cost_floor = floor;
        let shell = study.read("shell", Item::flag)?.unwrap_or(false);
        let environment = study.read("environment", Item::flag)?.unwrap_or(false);
        let items = stages.as_ref().is_some_and(StagesFile::are_items);
        let reading = Reading { shell, environment, stages: stages.is_some(), items };
        let journal = study.read("journal", Item::word)?;
        let file = Self {
            path: path.to_owned(),
            name: study.read("name", Item::word)?.map(str::to_owned),
            journal: journal.map_or_else(|| path.with_extension("journal"), beside),
            command: study.read("command", |item| arguments(item, shell))?,
            reading,
            directory: study.read("directory", Item::word)?.map(beside),
            workers: study.read("workers", |item| item.count(1))?.unwrap_or(1) as usize,
            time_limit: study.read("time_limit", time::time)?,
            grace: study.read("grace", time::time)?.unwrap_or(GRACE),
            give_up: study.read("give_up", time::time)?,
            space,
            candidates,
            outcome,
            measures,
            infeasible_exit_code,
            cost,
            unit,
            floor,
            limits,
            stages,
            spec,
            price,
        };
        file.check(&study)?;
        Ok(file)
    }

    /// What no single key can tell.
    fn check(&self, study: &Section<'_>) -> Result<()> {
        if let (Some(command), Some(item)) = (&self.command, study.get("command")) {
            Command::new(command, self.searched(), self.reading)
                .map_err(|error| item.problem(error.to_string()))?;
        }
        self.check_workers().map_err(|error| study.problem(error.to_string()))?;
        if let Some(stages) = &self.stages {
            stages.check(self, study)?;
        }
        let built = self.builder(true).and_then(StudyBuilder::build);
        built.map(drop).map_err(|error| {
            let text = error.to_string();
            // What the library says of a setting stands where that is set.
            let of_key = text.split_once(": ").and_then(|(key, why)| {
                let known = keys::STUDY.iter().find(|known| known.name == key)?;
                Some((study.get(known.name)?, why))
            });
            match of_key.or_else(|| Some((study.get("stages")?, &text))) {
                Some((item, why)) => item.problem(why),
                None => study.problem(text),
            }
        })
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
        let measures = self.measures.iter().map(|measure| measure.finder.file.as_ref());
        let shared = [self.outcome.file.as_ref(), cost]
            .into_iter()
            .chain(measures)
            .flatten()
            .any(|template| !template.has_trial());
        if self.workers > 1 && shared {
            Err(Failure::new(
                "with several workers each trial needs a file of its own: put {trial} into the file's name",
            ))
        } else {
            Ok(())
        }
    }

    /// What is searched.
    pub fn searched(&self) -> Searched<'_> {
        Searched { space: &self.space, candidates: self.candidates.as_ref() }
    }

    /// The study that the file describes, with trials that can be resumed in stages or not.
    fn builder(&self, resumable: bool) -> gittins::Result<StudyBuilder> {
        let mut spec = self.spec.clone();
        self.searched().set(&mut spec);
        spec.stages = self.stages.as_ref().map(|stages| stages.spec(resumable));
        spec.builder()
    }

    /// Opens the study's journal, or creates it. In stages the command says whether trials can be
    /// resumed; the journal does if the command is not in the file.
    ///
    /// # Errors
    /// Those of the journal, and of the command.
    pub fn open(&self) -> Result<Journal> {
        match &self.stages {
            None => self.open_for(false),
            Some(stages) => match stages.is_resumable(self)? {
                Some(resumable) => self.open_for(resumable),
                None if self.candidates.is_some() => Err(Failure::new(
                    "a journal does not keep a table: add the key command, or stages.resumable, which says whether a trial can be resumed",
                ))
                .at(self.path.display()),
                None => Ok(self.options().resume(&self.journal)?),
            },
        }
    }

    /// Opens the study's journal, or creates it, for trials that can be resumed in stages or not.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn open_for(&self, resumable: bool) -> Result<Journal> {
        Ok(self.options().open(&self.journal, self.builder(resumable)?)?)
    }

    /// The error that nothing was asked for yet.
    pub fn not_there(&self) -> Failure {
        Failure::new(format!(
            "{} does not exist yet: no trial was asked for",
            self.journal.display()
        ))
    }

    /// How the journal is opened.
    pub fn options(&self) -> JournalOptions {
        // With a limit of time a trial beyond it has no worker any more.
        let limit = self.time_limit.map(|limit| limit + self.grace + SPARE);
        let options = match &self.name {
            Some(name) => JournalOptions::new().name(name),
            None => JournalOptions::new(),
        };
        match self.give_up.or(limit) {
            Some(time) => options.give_up(GiveUp::after(time)),
            None => options,
        }
    }

    /// Whether the budget is spent.
    pub fn is_spent(&self, study: &Study) -> bool {
        self.spec.budget.is_some_and(|budget| Tally::of(study).spent >= budget)
    }

    /// Whether the run stops at a price for what the clock says of its trials.
    pub fn is_priced_by_the_clock(&self) -> bool {
        self.price.is_some() && matches!(self.cost, CostSource::WallTime)
    }

    /// Whether anything ever ends a run.
    pub fn ends(&self) -> bool {
        let Limits { trials, cost, target, .. } = self.limits;
        self.price.is_some()
            || self.spec.budget.is_some()
            || self.spec.stop.is_some()
            || trials.is_some()
            || cost.is_some()
            || target.is_some()
    }
}

/// Sets what is wanted of measured numbers.
fn wanted(measures: &[Measure], spec: &mut StudySpec) {
    let (mut limits, mut objectives) = (BTreeMap::new(), BTreeMap::new());
    for measure in measures {
        let name = measure.name.clone();
        match measure.aim {
            Aim::Limit(limit) => drop(limits.insert(name, limit)),
            Aim::Objective(objective) => drop(objectives.insert(name, objective)),
        }
    }
    spec.limits = Some(limits);
    spec.objectives = Some(objectives);
}

/// Whether a path names a file of ours, and not a journal: by its ending, or by its first letter.
pub fn is_study_file(path: &Path) -> Result<bool> {
    let ending = path.extension().unwrap_or_default();
    if ending == "toml" || ending == "journal" {
        return Ok(ending == "toml");
    }
    let start = fs::File::open(path).and_then(|mut file| {
        let mut start = [0; 64];
        let count = io::Read::read(&mut file, &mut start)?;
        Ok(start[..count].iter().copied().find(|byte| !byte.is_ascii_whitespace()))
    });
    match start {
        Ok(first) => Ok(first.is_some_and(|byte| byte != b'{')),
        Err(error) => Err(unreadable(path, error)),
    }
}

/// Why a study cannot be read, and what to do.
fn unreadable(path: &Path, error: io::Error) -> Failure {
    Failure::new(match error.kind() {
        ErrorKind::NotFound => "No such file; gittins init writes a study to fill in".to_owned(),
        ErrorKind::IsADirectory => "it is a folder; expected a study.toml or a journal".to_owned(),
        ErrorKind::InvalidData => "expected text in UTF-8".to_owned(),
        _ => error.to_string(),
    })
    .at(path.display())
}

#[cfg(test)]
mod tests;
