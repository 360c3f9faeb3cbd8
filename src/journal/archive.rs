//! What a journal says of its studies and trials, operation by operation.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::Arc;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use crate::data::Direction;
use crate::error::{Error, ErrorKind, Result};
use crate::journal::distribution::Distribution;
use crate::journal::operation::{
    COMPLETE, CREATE_STUDY, CREATE_TRIAL, DELETE_STUDY, FAIL, MAXIMIZE, MINIMIZE, Operation,
    PRUNED, RUNNING, STUDY_SYSTEM_ATTR, STUDY_USER_ATTR, TRIAL_PARAM, TRIAL_STATE,
    TRIAL_SYSTEM_ATTR, TRIAL_USER_ATTR, incomplete,
};

/// The parameters of a trial in the order of the file: their names, the numbers that stand for
/// their values, and their distributions.
pub(super) type Parameters = Vec<(String, f64, Arc<Distribution>)>;

/// A study of a journal.
#[derive(Debug)]
pub(super) struct Chapter {
    pub name: String,
    pub directions: Vec<u64>,
    pub deleted: bool,
    /// Its trials, by their numbers in the file.
    pub trials: Vec<usize>,
    /// For each parameter the number of the first trial that has it, and its distribution there.
    /// Optuna takes no other kind of distribution from then on.
    pub first: HashMap<String, (usize, Arc<Distribution>)>,
}

impl Chapter {
    /// Notes a parameter of the trial of this number. Returns false for one that Optuna refuses.
    fn has(&mut self, number: usize, name: &str, distribution: &Arc<Distribution>) -> bool {
        match self.first.get_mut(name) {
            None => {
                self.first.insert(name.to_owned(), (number, distribution.clone()));
                true
            }
            Some((first, known)) => {
                let fits = known.is_like(distribution);
                if fits && number <= *first {
                    *first = number;
                    *known = distribution.clone();
                }
                fits
            }
        }
    }
}

/// A trial of a journal.
#[derive(Debug)]
pub(super) struct Entry {
    pub study: usize,
    /// Its number within its study.
    pub number: usize,
    pub state: u64,
    pub values: Vec<f64>,
    pub parameters: Parameters,
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    /// Who made it.
    pub worker: String,
    pub user: BTreeMap<String, Json>,
    /// Attributes that are ours.
    pub own: HashMap<String, Box<RawValue>>,
}

/// The meaning of an operation for the study that is followed.
#[derive(Debug)]
pub(super) enum Meaning {
    /// A trial was made.
    Made(usize),
    /// A trial ended.
    Ended(usize),
    /// An attribute of ours was set for a trial.
    Noted(usize, String),
    /// An attribute of ours was set for the study.
    Said(String, Box<RawValue>),
}

/// The names of the studies that operations make, and whether they were deleted.
pub(super) fn studies(operations: &[Operation]) -> Vec<(&str, bool)> {
    let mut studies: Vec<(&str, bool)> = Vec::new();
    for operation in operations {
        match (operation.op_code, &operation.study_name, operation.study_id) {
            (CREATE_STUDY, Some(name), _) if !studies.contains(&(name, false)) => {
                studies.push((name, false));
            }
            (DELETE_STUDY, _, Some(id)) if id < studies.len() => studies[id].1 = true,
            _ => {}
        }
    }
    studies
}

/// The study of this name that was not deleted; without a name the only one. None if there is none.
///
/// # Errors
/// `Data` for several studies and no name, listing the names, and for operations of a study that no
/// line makes if no study is found.
pub(super) fn find(operations: &[Operation], name: Option<&str>) -> Result<Option<usize>> {
    let found = find_made(operations, name)?;
    let count = studies(operations).len();
    let is_stray = |operation: &&Operation| operation.study_id.is_some_and(|id| id >= count);
    match operations.iter().find(is_stray).filter(|_| found.is_none()) {
        None => Ok(found),
        Some(stray) => {
            let message = format!(
                "line {} is of a study that no line makes: the line that did, the first of a journal, is gone; {REMEDY}",
                stray.line
            );
            Err(Error::new(ErrorKind::Data, message))
        }
    }
}

/// What to do about a journal of which lines are gone.
pub(super) const REMEDY: &str =
    "put back a copy of the file, or import the trials that are right into a new study";

fn find_made(operations: &[Operation], name: Option<&str>) -> Result<Option<usize>> {
    let studies = studies(operations);
    let mut standing = studies.iter().enumerate().filter(|(_, (_, deleted))| !deleted);
    if let Some(name) = name {
        return Ok(standing.find(|(_, (known, _))| *known == name).map(|(id, _)| id));
    }
    let found = standing.next();
    if standing.next().is_some() {
        let standing = studies.iter().filter(|(_, deleted)| !deleted);
        let names: Vec<&str> = standing.map(|(name, _)| *name).collect();
        let message =
            format!("it has several studies, so set name to one of them: {}", names.join(", "));
        return Err(Error::new(ErrorKind::Data, message));
    }
    Ok(found.map(|(id, _)| id))
}

/// All studies and trials of a journal.
#[derive(Debug, Default)]
pub(super) struct Archive {
    pub studies: Vec<Chapter>,
    pub trials: Vec<Entry>,
    distributions: HashMap<String, Arc<Distribution>>,
    /// The first operation of the study that is followed, or of a trial, which no line before it
    /// makes: its line, and what is missing.
    pub stray: Option<(usize, String)>,
}

/// Attributes with this beginning are ours.
pub(super) const OURS: &str = "gittins:";

/// A moment as Optuna writes it: with its distance from UTC, or without one in local time, as old
/// files have it.
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    let aware = text.parse::<Timestamp>().ok();
    aware.or_else(|| {
        let local: DateTime = text.parse().ok()?;
        local.to_zoned(TimeZone::system()).ok().map(|zoned: Zoned| zoned.timestamp())
    })
}

impl Archive {
    /// The direction of a study.
    ///
    /// # Errors
    /// `Data` for a study of several objectives, or of none.
    pub fn direction(&self, study: usize) -> Result<Direction> {
        match self.studies[study].directions.as_slice() {
            [MINIMIZE] => Ok(Direction::Minimize),
            [MAXIMIZE] => Ok(Direction::Maximize),
            [_] => Err(Error::new(ErrorKind::Data, "the study has no direction yet")),
            several => {
                let message = format!("the study has {} objectives, expected one", several.len());
                Err(Error::new(ErrorKind::Data, message))
            }
        }
    }

    /// Checks that a study is there.
    ///
    /// # Errors
    /// `Data` for one that was deleted, naming it.
    pub fn check_standing(&self, study: usize) -> Result<()> {
        let what = match self.studies.get(study) {
            Some(study) if !study.deleted => return Ok(()),
            Some(study) => format!("the study {:?} was deleted", study.name),
            None => "the study is gone".to_owned(),
        };
        Err(Error::new(ErrorKind::Data, what))
    }

    /// Takes an operation, and says what it means for a study. What Optuna would not do is left
    /// undone: nothing changes in a trial that ended.
    ///
    /// # Errors
    /// `Data` for an operation that lacks something.
    pub fn take(
        &mut self,
        operation: Operation,
        followed: Option<usize>,
    ) -> Result<Option<Meaning>> {
        self.look_for_stray(&operation);
        match operation.op_code {
            CREATE_STUDY => self.create_study(operation).map(|()| None),
            DELETE_STUDY => {
                let id = operation.study_id.ok_or_else(|| incomplete("study_id"))?;
                if let Some(study) = self.studies.get_mut(id) {
                    study.deleted = true;
                }
                Ok(None)
            }
            STUDY_USER_ATTR | STUDY_SYSTEM_ATTR => {
                let ours = operation.study_id.filter(|id| Some(*id) == followed);
                let attribute =
                    operation.system_attr.and_then(|mut attribute| attribute.pop_first());
                Ok(ours
                    .and(attribute)
                    .filter(|(key, _)| key.starts_with(OURS))
                    .map(|(key, value)| Meaning::Said(key, value)))
            }
            CREATE_TRIAL => self.create_trial(operation, followed),
            TRIAL_PARAM | TRIAL_STATE | TRIAL_USER_ATTR | TRIAL_SYSTEM_ATTR => {
                self.change_trial(operation, followed)
            }
            // Intermediate values, and what later versions write.
            _ => Ok(None),
        }
    }

    /// What the file must have had and lacks, if lines of it are gone.
    pub fn missing(&self) -> Option<String> {
        let (line, why) = self.stray.as_ref()?;
        Some(format!(
            "a line before line {line} is gone: {why}; outcomes may be those of other trials; {REMEDY}"
        ))
    }

    /// Notes an operation of what was never made. A line is gone then, and the numbers of trials that
    /// follow from their order are no longer those of their writers.
    fn look_for_stray(&mut self, operation: &Operation) {
        if self.stray.is_some() {
            return;
        }
        let lacks = |(what, number, known): (&str, Option<usize>, usize)| {
            let number = number.filter(|number| *number >= known)?;
            Some(format!("it is of {what} {number}, which no line before it makes"))
        };
        let places = [
            ("study", operation.study_id, self.studies.len()),
            ("trial", operation.trial_id, self.trials.len()),
        ];
        self.stray = places.into_iter().find_map(lacks).map(|why| (operation.line, why));
    }

    fn create_study(&mut self, operation: Operation) -> Result<()> {
        let name = operation.study_name.ok_or_else(|| incomplete("study_name"))?;
        // The name of a study that stands is taken.
        if self.studies.iter().any(|study| !study.deleted && study.name == name) {
            return Ok(());
        }
        let directions = operation.directions.unwrap_or_default();
        self.studies.push(Chapter {
            name,
            directions,
            deleted: false,
            trials: Vec::new(),
            first: HashMap::new(),
        });
        Ok(())
    }

    fn create_trial(
        &mut self,
        operation: Operation,
        followed: Option<usize>,
    ) -> Result<Option<Meaning>> {
        let study = operation.study_id.ok_or_else(|| incomplete("study_id"))?;
        let trial = self.trials.len();
        let mut parameters = Parameters::new();
        let distributions = operation.distributions.unwrap_or_default();
        for (name, value) in operation.params.map_or_else(Vec::new, |params| params.0) {
            let distribution =
                distributions.get(&name).ok_or_else(|| incomplete("a distribution"))?;
            let distribution = self.distribution(distribution)?;
            parameters.push((name, value.0, distribution));
        }
        let Some(known) = self.studies.get_mut(study).filter(|study| !study.deleted) else {
            return Ok(None);
        };
        let values = match (operation.values, operation.value) {
            (Some(values), _) => values.into_iter().map(|value| value.0).collect(),
            (None, Some(value)) => vec![value.0],
            (None, None) => Vec::new(),
        };
        let number = known.trials.len();
        known.trials.push(trial);
        for (name, _, distribution) in &parameters {
            // Optuna does not compare those of a trial that is created with them.
            known.has(number, name, distribution);
        }
        let mut entry = Entry {
            study,
            number,
            state: operation.state.unwrap_or(RUNNING),
            values,
            parameters,
            started: operation.datetime_start.as_deref().and_then(moment),
            ended: operation.datetime_complete.as_deref().and_then(moment),
            worker: operation.worker_id,
            user: BTreeMap::new(),
            own: HashMap::new(),
        };
        for (key, value) in operation.user_attrs.unwrap_or_default() {
            entry.set(key, value, false);
        }
        for (key, value) in operation.system_attrs.unwrap_or_default() {
            entry.set(key, value, true);
        }
        self.trials.push(entry);
        Ok((Some(study) == followed).then_some(Meaning::Made(trial)))
    }

    fn change_trial(
        &mut self,
        operation: Operation,
        followed: Option<usize>,
    ) -> Result<Option<Meaning>> {
        let id = operation.trial_id.ok_or_else(|| incomplete("trial_id"))?;
        let distribution = match &operation.distribution {
            Some(text) => Some(self.distribution(text)?),
            None => None,
        };
        let Some(trial) = self.trials.get_mut(id).filter(|trial| !trial.has_ended()) else {
            return Ok(None);
        };
        let event = match operation.op_code {
            TRIAL_PARAM => {
                let name = operation.param_name.ok_or_else(|| incomplete("param_name"))?;
                let value = operation
                    .param_value_internal
                    .ok_or_else(|| incomplete("param_value_internal"))?;
                let distribution = distribution.ok_or_else(|| incomplete("a distribution"))?;
                if self.studies[trial.study].has(trial.number, &name, &distribution) {
                    trial.parameters.retain(|(known, ..)| *known != name);
                    trial.parameters.push((name, value.0, distribution));
                }
                None
            }
            TRIAL_STATE => {
                let state = operation.state.ok_or_else(|| incomplete("state"))?;
                if (state, trial.state) == (RUNNING, RUNNING) {
                    // Somebody else runs it already.
                    return Ok(None);
                }
                trial.state = state;
                if let Some(values) = operation.values {
                    trial.values = values.into_iter().map(|value| value.0).collect();
                }
                let moment = |text: &Option<String>| text.as_deref().and_then(moment);
                if state == RUNNING {
                    trial.started = moment(&operation.datetime_start);
                }
                if trial.has_ended() {
                    trial.ended = moment(&operation.datetime_complete);
                }
                trial.has_ended().then_some(Meaning::Ended(id))
            }
            _ => {
                let (attribute, system) = match operation.system_attr {
                    Some(attribute) => (Some(attribute), true),
                    None => (operation.user_attr, false),
                };
                let (key, value) = attribute
                    .and_then(|mut attribute| attribute.pop_first())
                    .ok_or_else(|| incomplete("an attribute"))?;
                trial.set(key.clone(), value, system);
                (system && key.starts_with(OURS)).then_some(Meaning::Noted(id, key))
            }
        };
        Ok(event.filter(|_| Some(trial.study) == followed))
    }

    fn distribution(&mut self, text: &str) -> Result<Arc<Distribution>> {
        if let Some(known) = self.distributions.get(text) {
            return Ok(known.clone());
        }
        let read = Arc::new(Distribution::read(text)?);
        self.distributions.insert(text.to_owned(), read.clone());
        Ok(read)
    }
}

impl Entry {
    /// Whether nothing changes any more.
    pub fn has_ended(&self) -> bool {
        matches!(self.state, COMPLETE | PRUNED | FAIL)
    }

    fn set(&mut self, key: String, value: Box<RawValue>, system: bool) {
        if system && key.starts_with(OURS) {
            self.own.insert(key, value);
        } else if !system && let Ok(value) = serde_json::from_str(value.get()) {
            self.user.insert(key, value);
        }
    }
}
