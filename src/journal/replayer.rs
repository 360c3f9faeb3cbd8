//! From a journal to its study: each operation does to the study what the call did that wrote it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::value::RawValue;

use crate::data::TrialId;
use crate::error::{Error, ErrorKind, Result};
use crate::journal::archive::{Archive, Entry, Meaning, REMEDY, moment};
use crate::journal::distribution::Distribution;
use crate::journal::operation::{CREATE_TRIAL, Operation, STUDY_SYSTEM_ATTR};
use crate::journal::said::{
    ASK, EVENT, FIT, FITS, Judged, PAID, POLICY, SECOND, SETTINGS, Told, VERDICT, Written, read,
};
use crate::study::{Described, Event, Fits, Study, TrialState};
use crate::suggest::Policy;

/// A study and the journal that it follows.
#[derive(Debug)]
pub(super) struct Replayer {
    pub study: Study,
    pub archive: Archive,
    /// The study's number in the file.
    pub study_index: usize,
    pub distributions: Vec<Arc<Distribution>>,
    /// The trials of the study by their numbers in the file; none for one that it does not have.
    pub(super) ids: Vec<Option<TrialId>>,
    /// Their numbers in the file; none for one whose line is gone.
    numbers: Vec<Option<usize>>,
    /// When an event was last heard of each trial.
    heard: BTreeMap<TrialId, Timestamp>,
    /// How many events the file has, and whether others stood before one of them.
    pub(super) events: usize,
    gap: Option<String>,
    /// Trials of others, by their numbers among all trials of the file, that were not over when they
    /// were last looked at, and have no place in the study yet.
    pub(super) open: Vec<usize>,
    /// Trials of others that are no trials of the study, and why.
    pub left_out: BTreeMap<usize, String>,
    /// Trials of ours, by their numbers, whose rows the table of candidates does not have any more.
    pub(super) gone: BTreeSet<usize>,
    /// What differs from the settings of the file and is likely not meant, in words.
    pub unmeant: Option<String>,
    /// The settings that the file has.
    pub settings: Option<Described>,
    /// The first trial that was asked for when more had been told than the lines before it say, and
    /// how much more.
    pub untold: Option<(usize, usize)>,
    /// Whether something told was taken back, or settings were changed.
    pub(super) was_revised: bool,
}

impl Replayer {
    pub fn new(study: Study, study_index: usize) -> Self {
        let distributions = Distribution::of_domain(study.domain());
        Self {
            distributions: distributions.into_iter().map(Arc::new).collect(),
            study,
            archive: Archive::default(),
            study_index,
            ids: Vec::new(),
            numbers: Vec::new(),
            heard: BTreeMap::new(),
            events: 0,
            gap: None,
            open: Vec::new(),
            left_out: BTreeMap::new(),
            gone: BTreeSet::new(),
            unmeant: None,
            settings: None,
            untold: None,
            was_revised: false,
        }
    }

    /// What the file must have had and lacks, if lines of it are gone; or what differs from its settings.
    pub fn missing(&self) -> Option<String> {
        if let Some(words) = self.archive.missing().or(self.gap.clone()) {
            return Some(words);
        }
        if let Some((number, count)) = self.untold {
            let lines = if count == 1 { "a line is" } else { "lines are" };
            return Some(format!(
                "{lines} gone before the line of trial {number}: when it was asked for, {count} more had been told; {REMEDY}"
            ));
        }
        let is_ours =
            |entry: &&Entry| entry.study == self.study_index && entry.own.contains_key(ASK);
        let asked = self.archive.trials.iter().filter(is_ours).count();
        let settings_are_gone = (asked > 0 && self.settings.is_none()).then(|| {
            format!("the line with the settings is gone, by which {asked} trials were asked for; {REMEDY}")
        });
        settings_are_gone.or_else(|| self.unmeant.clone())
    }

    /// Forgets everything that was read.
    pub fn restart(&mut self, settings: &Described) -> Result<()> {
        self.study.restart(settings)?;
        self.archive = Archive::default();
        self.ids = Vec::new();
        self.numbers = Vec::new();
        self.events = 0;
        self.gap = None;
        self.heard.clear();
        self.open.clear();
        self.left_out.clear();
        self.gone.clear();
        self.settings = None;
        self.untold = None;
        self.was_revised = false;
        Ok(())
    }

    /// The number in the file of a trial of the study.
    pub fn number(&self, id: TrialId) -> Option<usize> {
        self.numbers.get(id.index()).copied().flatten()
    }

    /// When something was last heard of a trial.
    pub fn heard(&self, id: TrialId) -> Option<Timestamp> {
        let started = || self.entry(id).and_then(|(_, entry)| entry.started);
        self.heard.get(&id).copied().or_else(started)
    }

    /// The trial of the study with this number in the file.
    pub fn id(&self, number: usize) -> Option<TrialId> {
        self.ids.get(number).copied().flatten()
    }

    /// The file's entry of a trial of the study.
    pub fn entry(&self, id: TrialId) -> Option<(usize, &Entry)> {
        let number = self.number(id)?;
        let trial = *self.archive.studies.get(self.study_index)?.trials.get(number)?;
        Some((trial, self.archive.trials.get(trial)?))
    }

    /// Takes operations of the file. Returns false if a fit is among them that was made with fewer
    /// observations than the study has by now: it then has to be read from the start.
    ///
    /// # Errors
    /// `Data` for what cannot be understood.
    pub fn take(&mut self, operations: Vec<Operation>) -> Result<bool> {
        let fits = last_fits(&operations, self.study_index)?;
        self.study.apply(&Event::Fitted { fits: Box::new(fits) })?;
        for operation in operations {
            let line = operation.line;
            let place = |error: Error| error.at(format_args!("line {line}"));
            if let Some(meaning) =
                self.archive.take(operation, Some(self.study_index)).map_err(place)?
            {
                self.follow(meaning).map_err(place)?;
            }
        }
        Ok(self.study.log.awaited.is_empty())
    }

    /// Takes operations that did to the study already what they say.
    pub fn note(&mut self, operations: Vec<Operation>) -> Result<()> {
        let is_made = |operation: &&Operation| operation.op_code == CREATE_TRIAL;
        let made = operations.iter().filter(is_made).count();
        let trials = self.study.history().len();
        let mut next = trials.saturating_sub(made)..trials;
        for operation in operations {
            match self.archive.take(operation, Some(self.study_index))? {
                Some(Meaning::Made(trial)) => {
                    let number = self.archive.trials[trial].number;
                    // Trials that the study got since were entered in this order.
                    next.next().into_iter().for_each(|id| self.known(number, TrialId::from(id)));
                }
                Some(Meaning::Said(key, value)) if key == EVENT => {
                    let Written { at, event, .. } = read(&key, &value)?;
                    self.events += 1;
                    let id = event.trial().and_then(|trial| self.id(trial.index()));
                    self.heard.extend(id.zip(moment(&at)));
                }
                Some(Meaning::Said(key, value)) if key == POLICY => {
                    let policy = read(&key, &value)?;
                    self.settings
                        .iter_mut()
                        .for_each(|settings| settings.policy.clone_from(&policy));
                }
                Some(Meaning::Said(key, value)) if key == SETTINGS => {
                    self.take_settings(read(&key, &value)?);
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn known(&mut self, number: usize, id: TrialId) {
        self.ids.resize(self.ids.len().max(number + 1), None);
        self.ids[number] = Some(id);
        self.numbers.resize(self.numbers.len().max(id.index() + 1), None);
        self.numbers[id.index()] = Some(number);
    }

    /// Gives up waiting for fits that no moment of the study belongs to.
    pub fn await_nothing(&mut self) {
        self.study.log.awaited = Fits::default();
    }

    fn follow(&mut self, meaning: Meaning) -> Result<()> {
        match meaning {
            Meaning::Made(trial) => self.made(trial),
            Meaning::Noted(trial, key) if key == PAID => {
                let entry = &self.archive.trials[trial];
                let (Some(id), Some(cost)) = (self.id(entry.number), entry.own.get(PAID)) else {
                    return Ok(());
                };
                let cost = read(PAID, cost)?;
                self.study.apply(&Event::Paid { trial: id, cost })
            }
            Meaning::Noted(..) => Ok(()),
            Meaning::Ended(trial) => self.ended(trial),
            Meaning::Said(key, value) => self.said(&key, &value),
        }
    }

    /// Goes on by other settings than the last ones of the file: with their policy, without what
    /// another rule kept, and without a verdict.
    pub fn go_on_by(&mut self, settings: &Described) {
        let before = self.settings.as_ref();
        if before == Some(settings) {
            return;
        }
        let policy = before.map(|before| &before.policy);
        let rule = before.map(|before| &before.rule);
        if policy != Some(&settings.policy) {
            self.study.take_policy(&settings.policy);
        }
        if rule != Some(&settings.rule) {
            self.study.log.known.rule.clear();
            self.study.judge.restore(&[]);
        }
        self.study.judge.verdict = None;
    }

    fn said(&mut self, key: &str, value: &RawValue) -> Result<()> {
        let event = match key {
            SETTINGS => {
                let settings = read(key, value)?;
                self.go_on_by(&settings);
                self.take_settings(settings);
                return Ok(());
            }
            EVENT => return self.happened(value),
            POLICY => {
                let policy: Policy = read(key, value)?;
                self.settings.iter_mut().for_each(|settings| settings.policy.clone_from(&policy));
                Event::Changed { policy }
            }
            VERDICT => {
                let Judged { judgment, .. } = read(key, value)?;
                Event::Judged { judgment }
            }
            _ => return Ok(()),
        };
        self.study.apply(&event).map_err(|error| error.at(format_args!("the attribute {key}")))
    }

    /// The file has these settings from here on.
    fn take_settings(&mut self, settings: Described) {
        self.was_revised |= self.settings.is_some();
        self.settings = Some(settings);
    }

    /// Takes an event that no operation of Optuna says.
    fn happened(&mut self, value: &RawValue) -> Result<()> {
        let Some((at, event)) = self.in_turn(read(EVENT, value)?) else { return Ok(()) };
        self.was_revised |= matches!(event, Event::Withdrawn { .. } | Event::Corrected { .. });
        self.study.apply(&event).map_err(|error| match &self.gap {
            Some(gap) => error.at(gap),
            None => error.at(format_args!("the attribute {EVENT}")),
        })?;
        self.heard.extend(event.trial().zip(moment(&at)));
        Ok(())
    }

    /// An event with its trial of the study, by the settings here. None for one that was copied into
    /// the file, or is of a trial that the study does not have.
    fn in_turn(&mut self, written: Written) -> Option<(String, Event)> {
        let Written { at, after, mut event } = written;
        if after < self.events {
            return None;
        }
        let before = std::mem::replace(&mut self.events, after + 1);
        if after > before {
            let gone = format!("{} of {after} events before that of {at} are gone", after - before);
            self.gap.get_or_insert(format!("{gone}; {REMEDY}"));
        }
        if before == 0 && after > 0 {
            return None;
        }
        if let Some(trial) = event.about_mut() {
            *trial = self.id(trial.index())?;
        }
        Some((at, self.by_costs(event)?))
    }

    /// What was told of a trial that had ended, by the settings for costs here and now.
    fn by_costs(&self, mut event: Event) -> Option<Event> {
        if let Event::Told { trial, outcome, .. } | Event::Corrected { trial, outcome } = &mut event
            && self.study.stages.is_none()
        {
            let told = Told::from(&*outcome);
            let known = self.study.history()[trial.index()].cost;
            *outcome = Told { cost_later: self.comes_later(&told, known), ..told }.outcome()?;
        }
        Some(event)
    }

    /// The pending trials.
    pub fn pending_trials(&self) -> impl Iterator<Item = TrialId> {
        let trials = self.study.history().iter();
        trials.filter(|trial| trial.state == TrialState::Pending).map(|trial| trial.id)
    }
}

/// The last fits of a study among operations.
fn last_fits(operations: &[Operation], study_index: usize) -> Result<Fits> {
    let mut fits = Fits::default();
    let own = |operation: &&Operation| operation.study_id == Some(study_index);
    for operation in operations.iter().rev().filter(own) {
        let found: Fits = match operation.op_code {
            CREATE_TRIAL => {
                let own = |key: &str| operation.system_attrs.as_ref()?.get(key);
                let fit = |key: &str, wanted: bool| match own(key).filter(|_| wanted) {
                    Some(value) => read(key, value).map(Some),
                    None => Ok(None),
                };
                Fits {
                    first: fit(FIT, fits.first.is_none())?,
                    second: fit(SECOND, fits.second.is_none())?,
                    curves: None,
                }
            }
            STUDY_SYSTEM_ATTR => {
                let attribute = operation.system_attr.as_ref().and_then(|all| all.iter().next());
                match attribute {
                    Some((key, value)) if key == VERDICT || key == FITS => {
                        read::<Fits>(key, value)?
                    }
                    _ => continue,
                }
            }
            _ => continue,
        };
        fits.first = fits.first.or(found.first);
        fits.second = fits.second.or(found.second);
        if fits.first.is_some() && fits.second.is_some() {
            break;
        }
    }
    Ok(fits)
}

/// The error of a journal without a study.
pub(super) fn no_study(name: Option<&str>) -> Error {
    let message = match name {
        Some(name) => format!("no study is named {name:?}"),
        None => "it has no study yet".to_owned(),
    };
    Error::new(ErrorKind::Data, message)
}
