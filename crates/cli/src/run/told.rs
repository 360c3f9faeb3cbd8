//! What a trial that has ended says: its outcome, its cost, and why it failed.

use std::fs;
use std::io::ErrorKind::{NotFound, PermissionDenied};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, SystemTime};

use gittins::{Outcome, Value};

use crate::file::{CostSource, Measure, StudyFile};
use crate::findings::measured::Measured;
use crate::process::{Captured, End, Finished};
use crate::program::finder::{Finder, Search};
use crate::words::failure::Failure;
use crate::words::show;

/// The most that is read of a file with a result, in bytes.
const LARGEST_FILE: u64 = 1 << 24;

/// What a trial says.
#[derive(Debug)]
pub struct Told {
    /// For the study.
    pub outcome: Outcome,
    /// The number, if there is one.
    pub value: Option<f64>,
    /// The cost, if there is one.
    pub cost: Option<f64>,
    /// What was measured beside it, of a trial that did not fail.
    pub measured: Vec<Measured>,
    /// Why numbers were not measured, by their names, of a trial that is complete.
    pub unmeasured: Vec<(String, String)>,
    /// Why there is no number.
    pub why: Option<String>,
    /// Whether that is a failure, and not a point that is not allowed.
    pub failed: bool,
}

impl Told {
    /// What the trial lacks to be of use: its outcome, or a number beside it.
    pub fn lack(&self) -> Option<String> {
        let (name, why) = match &self.why {
            Some(why) => return Some(why.clone()),
            None => self.unmeasured.first()?,
        };
        Some(format!("{name} was not measured: {why}"))
    }
}

/// The files in which a trial leaves numbers, as they are before it begins.
pub struct Files {
    outcome: Option<Before>,
    cost: Option<Before>,
    measures: Vec<Option<Before>>,
}

struct Before {
    path: PathBuf,
    seen: Option<(Option<SystemTime>, u64)>,
}

impl Before {
    fn of(
        finder: &Finder,
        directory: Option<&Path>,
        trial: usize,
        value: &dyn Fn(&str) -> Value,
    ) -> Option<Self> {
        let name = finder.file.as_ref()?.fill(trial, value).unwrap_or_default();
        let path = directory.unwrap_or(Path::new("")).join(name);
        let seen = seen(&path);
        Some(Self { path, seen })
    }

    /// The number that was written.
    fn read(&self, finder: &Finder) -> Result<f64, String> {
        let place = self.path.display();
        let now = seen(&self.path).ok_or_else(|| format!("{place} was not written"))?;
        if self.seen == Some(now) {
            return Err(format!("{place} was there before, and was not written"));
        }
        let mut bytes = Vec::new();
        fs::File::open(&self.path)
            .and_then(|file| file.take(LARGEST_FILE).read_to_end(&mut bytes))
            .map_err(|error| format!("{place}: {error}"))?;
        let mut search = Search::new(&finder.form);
        search.text(&String::from_utf8_lossy(&bytes));
        search.result().map_err(|why| format!("{place}: {why}"))
    }
}

fn seen(path: &Path) -> Option<(Option<SystemTime>, u64)> {
    let data = fs::metadata(path).ok()?;
    Some((data.modified().ok(), data.len()))
}

impl Files {
    /// Looks at the files before a trial begins.
    pub fn before(file: &StudyFile, trial: usize, value: &dyn Fn(&str) -> Value) -> Self {
        let directory = file.directory.as_deref();
        let cost = match &file.cost {
            CostSource::Output(finder) => Before::of(finder, directory, trial, value),
            _ => None,
        };
        let before = |finder: &Finder| Before::of(finder, directory, trial, value);
        let measures = file.measures.iter().map(|measure| before(&measure.finder)).collect();
        Self { outcome: before(&file.outcome), cost, measures }
    }
}

/// What is looked for in the output of a trial.
pub fn capture(file: &StudyFile) -> Captured {
    let in_output = |finder: &Finder| finder.file.is_none().then(|| Search::new(&finder.form));
    let cost = match &file.cost {
        CostSource::Output(finder) => in_output(finder),
        _ => None,
    };
    let measures = file.measures.iter().filter_map(|measure| in_output(&measure.finder));
    Captured::searching(in_output(&file.outcome).into_iter().chain(cost).chain(measures).collect())
}

/// What a trial says that was not interrupted.
pub fn told(file: &StudyFile, files: &Files, finished: &mut Finished) -> Told {
    let mut searches = std::mem::take(&mut finished.output.searches).into_iter();
    let mut number = |finder: &Finder, before: &Option<Before>| match before {
        Some(before) => before.read(finder),
        None => {
            searches.next().map_or_else(|| Err("nothing was written".to_owned()), Search::result)
        }
    };
    let value = number(&file.outcome, &files.outcome);
    let cost = match &file.cost {
        CostSource::WallTime => Ok(Some(seconds(finished.wall))),
        CostSource::CpuTime => Ok(Some(seconds(finished.cpu))),
        CostSource::Output(finder) => number(finder, &files.cost).map(Some),
        CostSource::Parameters(_) | CostSource::None => Ok(None),
    };
    // In the order in which they are looked for.
    let found: Vec<Result<f64, String>> = (file.measures.iter().zip(&files.measures))
        .map(|(measure, before)| number(&measure.finder, before))
        .collect();
    let cost = cost.and_then(|cost| check_cost(cost, file.floor));
    let paid = |outcome: Outcome, cost: Option<f64>| match cost {
        Some(cost) => outcome.cost(cost),
        None => outcome,
    };
    let known = cost.clone().ok().flatten();
    let without = |outcome: Outcome, why: String, failed: bool| Told {
        outcome: paid(outcome, known),
        value: None,
        cost: known,
        measured: Vec::new(),
        unmeasured: Vec::new(),
        why: Some(why),
        failed,
    };
    if let End::Itself(status) = finished.end
        && status.code().is_some()
        && status.code() == file.infeasible_exit_code
    {
        // A number that is told before a long training says which limit is broken.
        let (mut measured, _) = measured(&file.measures, found);
        measured.retain(|one| one.number.is_some());
        let outcome = with_measured(Outcome::infeasible(), &measured);
        let told = without(outcome, "not allowed, says its exit code".to_owned(), false);
        return Told { measured, ..told };
    }
    let failed = |why: String| without(Outcome::failed(), why, true);
    match (unsuccessful(finished.end, file.time_limit), value, cost) {
        (Some(why), ..) => failed(finished.errors.explains(&why)),
        (None, Err(why), _) => failed(format!("no outcome: {why}")),
        (None, Ok(_), Err(why)) => failed(format!("no cost: {why}")),
        (None, Ok(value), Ok(cost)) => {
            let (measured, unmeasured) = measured(&file.measures, found);
            Told {
                outcome: with_measured(paid(Outcome::new(value), cost), &measured),
                value: Some(value),
                cost,
                measured,
                unmeasured,
                why: None,
                failed: false,
            }
        }
    }
}

/// The numbers that were looked for beside the outcome, and why some were not measured, by name.
pub fn measured(
    measures: &[Measure],
    found: Vec<Result<f64, String>>,
) -> (Vec<Measured>, Vec<(String, String)>) {
    let mut unmeasured = Vec::new();
    let of = |(measure, found): (&Measure, Result<f64, String>)| {
        let why = |why| unmeasured.push((measure.name.clone(), why));
        let number = found.map_err(why).ok();
        Measured { name: measure.name.clone(), aim: measure.aim, number }
    };
    let measured = measures.iter().zip(found).map(of).collect();
    (measured, unmeasured)
}

/// Adds numbers to an outcome.
pub fn with_measured(outcome: Outcome, measured: &[Measured]) -> Outcome {
    measured.iter().fold(outcome, |outcome, one| one.tell(outcome))
}

/// A time as a cost. A clock may tick too slowly for a short trial.
fn seconds(time: Duration) -> f64 {
    time.as_secs_f64().max(1e-9)
}

fn check_cost(cost: Option<f64>, floor: Option<f64>) -> Result<Option<f64>, String> {
    match cost {
        Some(cost) if cost < 0.0 || (cost == 0.0 && floor.is_none()) => {
            Err(format!("{} is not a positive number", show::number(cost)))
        }
        cost => Ok(cost),
    }
}

/// That a process cannot be started.
pub fn cannot_start(process: &Command, error: io::Error) -> Failure {
    let program = process.get_program().to_string_lossy();
    let folder = process.get_current_dir().unwrap_or(Path::new(""));
    let is_here = folder.join(&*program).exists();
    let hint = match (error.kind(), is_here) {
        (NotFound, true) if !program.contains('/') => "; it is here: write ./ before it",
        (NotFound, true) => "; its first line names a program that is not there",
        (NotFound, false) if program.contains(' ') => "; each argument stands for itself",
        (PermissionDenied, true) => "; chmod +x lets it run",
        (_, true) => "; the first line of a script names its program, as #!/bin/sh does",
        _ => "",
    };
    Failure::new(format!("{}{hint}", Failure::from(error)))
        .at(format_args!("cannot start {program:?}"))
}

/// Why a trial did not succeed, if it did not.
pub fn unsuccessful(end: End, limit: Option<Duration>) -> Option<String> {
    match end {
        End::TimedOut => Some(format!(
            "longer than its limit of {} s",
            show::number(limit.unwrap_or_default().as_secs_f64())
        )),
        End::Asked => Some("interrupted".to_owned()),
        End::Itself(status) if status.success() => None,
        End::Itself(status) => Some(words(status)),
    }
}

fn words(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("ended by signal {signal}");
    }
    let code = status.code().map(|code| format!("exit code {code}"));
    code.unwrap_or_else(|| "ended without an exit code".to_owned())
}
