//! The file of a study's events, and the study that follows it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Filed, Page};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::archive::{Archive, Meaning, moment};
use crate::journal::distribution::Distribution;
use crate::journal::give_up::GiveUp;
use crate::journal::lock::{Lock, random_name};
use crate::journal::log_file::{Asking, LogFile};
use crate::journal::operation::{Operation, STUDY_SYSTEM_ATTR};
use crate::journal::options::JournalOptions;
use crate::journal::pen::{Pen, now};
use crate::journal::said::{EVENT, RUN, json_of, read};
use crate::study::check_continued;

/// How long a decision waits for those of other processes.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often a decision is made again because others wrote in the meantime. After that others wait.
const ATTEMPTS: usize = 8;

/// An event as it is written.
#[derive(Serialize, Deserialize)]
struct Written<E> {
    at: String,
    event: E,
}

/// An event as an earlier version wrote it, if it is one.
fn earlier<S: Filed>(written: &str) -> Option<Written<S::Event>> {
    let Written { at, event } = serde_json::from_str::<Written<Json>>(written).ok()?;
    Some(Written { at, event: S::earlier(event).ok()? })
}

/// A file with the events of a study.
#[derive(Debug)]
pub(in crate::journal) struct EventFile<S: Filed> {
    log: LogFile,
    archive: Archive,
    chapter: usize,
    worker: String,
    pub give_up: GiveUp,
    builder: S::Builder,
    settings: Json,
    /// The settings that the file has.
    filed: Option<Json>,
    distributions: Vec<Distribution>,
    pub study: S,
    /// How many events of the study the file has, and when each was written.
    times: Vec<Option<Timestamp>>,
    /// The trials of the file, by the numbers that they have in the study.
    trials: BTreeMap<usize, usize>,
    /// Whether the study has to be read from the start: it has something that the file has not.
    stale: bool,
}

impl<S: Filed> EventFile<S> {
    /// Opens the file and continues its study, or creates both.
    ///
    /// # Errors
    /// `Storage` and `Data` for the file; `InvalidSetting` for a study of another kind, and for
    /// settings that contradict those of the file; those of the builder.
    pub fn open(options: JournalOptions, path: &Path, builder: S::Builder) -> Result<Self> {
        let study = S::resumed(&builder, Vec::new())?;
        let settings = S::settings(&builder)?;
        let first = (S::SETTINGS, &settings);
        let (log, chapter, operations) = options.found_or_made(path, study.direction(), first)?;
        let mut file = Self {
            log,
            archive: Archive::default(),
            chapter,
            worker: format!("{}-{}", random_name(), std::process::id()),
            give_up: options.patience(),
            builder,
            settings,
            filed: None,
            distributions: Distribution::of_domain(study.domain()),
            study,
            times: Vec::new(),
            trials: BTreeMap::new(),
            stale: true,
        };
        let events = file.take(operations)?;
        let Some(before) = &file.filed else {
            let message = format!("the study {:?} is not one of {}", file.name(), S::OF);
            return Err(file.of_file(Error::new(ErrorKind::InvalidSetting, message)));
        };
        check_continued(before, &file.settings).map_err(|error| file.of_file(error))?;
        file.begin(events)?;
        Ok(file)
    }

    /// Opens a file that is there and continues its study by the settings that it has.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), and those of reading the settings.
    pub fn resume(
        options: JournalOptions,
        path: &Path,
        builder: impl FnOnce(Json) -> Result<S::Builder>,
    ) -> Result<Self> {
        let place = |error: Error| error.at(path.display());
        let (_, chapter, operations) = options.found(path)?;
        let own = |operation: &&Operation| operation.study_id == Some(chapter);
        let mut attributes = operations.iter().rev().filter(own).filter_map(|operation| {
            let attributes = operation.system_attr.as_ref()?;
            attributes.get(S::SETTINGS)
        });
        let Some(settings) = attributes.next() else {
            let message = format!("the study is not one of {}", S::OF);
            return Err(place(Error::new(ErrorKind::InvalidSetting, message)));
        };
        let settings = read(S::SETTINGS, settings).map_err(place)?;
        Self::open(options, path, builder(settings).map_err(place)?)
    }

    pub fn path(&self) -> &Path {
        self.log.path()
    }

    pub fn name(&self) -> &str {
        self.archive.studies.get(self.chapter).map_or("", |study| &study.name)
    }

    /// What the file must have had and lacks, if lines of it are gone.
    pub fn missing(&self) -> Option<String> {
        self.archive.missing()
    }

    /// The number in its study of the file's trial for a trial of the study.
    pub fn number(&self, index: usize) -> Option<usize> {
        let trial = *self.trials.get(&index)?;
        self.archive.trials.get(trial).map(|entry| entry.number)
    }

    /// The events with the moments at which they were written.
    pub fn moments(&self) -> impl DoubleEndedIterator<Item = (&S::Event, Option<Timestamp>)> {
        self.study.events().iter().zip(self.times.iter().copied())
    }

    /// Takes what other processes wrote since.
    ///
    /// # Errors
    /// `Storage` and `Data`, also for a study that was deleted, naming it. A file that became
    /// shorter is an error once; the next call reads it anew.
    pub fn sync(&mut self) -> Result<()> {
        if !self.stale {
            // Whatever goes wrong, the next call reads from the start.
            self.stale = true;
            let operations = self.log.read()?;
            if operations.is_empty() {
                self.stale = false;
                return self.check_standing();
            }
            for event in self.take(operations)? {
                self.follow(event)?;
            }
            self.stale = false;
            return self.check_standing();
        }
        self.log.rewind();
        (self.archive, self.filed) = (Archive::default(), None);
        self.trials.clear();
        self.times.clear();
        let mut events = Vec::new();
        loop {
            let operations = self.log.read()?;
            if operations.is_empty() {
                break;
            }
            events.extend(self.take(operations)?);
        }
        self.begin(events)
    }

    /// The study in which all of this happened.
    fn begin(&mut self, events: Vec<S::Event>) -> Result<()> {
        let study = S::resumed(&self.builder, events);
        self.study = study.map_err(|error| self.of_file(error))?;
        self.stale = false;
        self.check_standing()
    }

    /// Takes operations of the file; returns the events among them.
    fn take(&mut self, operations: Vec<Operation>) -> Result<Vec<S::Event>> {
        let mut events = Vec::new();
        for operation in operations {
            match self.archive.take(operation, Some(self.chapter))? {
                Some(Meaning::Said(key, value)) if key == EVENT => {
                    let written: Result<Written<S::Event>> = read(&key, &value);
                    let Written { at, event } = written
                        .or_else(|error| earlier::<S>(value.get()).ok_or(error))
                        .map_err(|error| self.of_file(error))?;
                    self.times.push(moment(&at));
                    events.push(event);
                }
                Some(Meaning::Said(key, value)) if key == S::SETTINGS => {
                    self.filed = Some(read(&key, &value).map_err(|error| self.of_file(error))?);
                }
                Some(Meaning::Made(trial)) => {
                    let number = self.archive.trials[trial].own.get(RUN);
                    let number: Option<usize> =
                        number.and_then(|number| serde_json::from_str(number.get()).ok());
                    if let Some(number) = number {
                        // Others may have copied it.
                        self.trials.entry(number).or_insert(trial);
                    }
                }
                _ => {}
            }
        }
        Ok(events)
    }

    fn follow(&mut self, event: S::Event) -> Result<()> {
        self.study.follow(event).map_err(|error| self.of_file(error))
    }

    fn of_file(&self, error: Error) -> Error {
        error.at(self.log.path().display())
    }

    fn check_standing(&self) -> Result<()> {
        self.archive.check_standing(self.chapter).map_err(|error| self.of_file(error))
    }

    /// Waits until no other process decides.
    pub fn asking(&self) -> Asking {
        self.log.asking(PATIENCE)
    }

    /// Changes the study by what is told, and writes what happened, also before an error. If it
    /// cannot be written, the study is again what the file has.
    ///
    /// # Errors
    /// Those of the change; `Storage` and `Data`.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut S) -> Result<T>) -> Result<T> {
        let lock = self.log.lock()?;
        self.sync()?;
        self.log.heal(&lock)?;
        self.sync()?;
        let changed = change(&mut self.study);
        self.write(&lock)?;
        changed
    }

    /// Changes the study by what is decided, which takes time: others may tell something in the
    /// meantime. It is then decided again.
    ///
    /// # Errors
    /// Those of the decision; `Storage` and `Data`.
    pub fn decide<T>(
        &mut self,
        _turn: &Asking,
        mut decide: impl FnMut(&mut S) -> Result<T>,
    ) -> Result<T> {
        for _ in 1..ATTEMPTS {
            self.sync()?;
            let decided = decide(&mut self.study);
            if self.study.events().len() == self.times.len() {
                return decided;
            }
            // Until it is written, the study has something that the file has not.
            self.stale = true;
            let lock = self.log.lock()?;
            if self.log.rest(&lock)?.is_empty() {
                self.write(&lock)?;
                return decided;
            }
        }
        self.change(decide)
    }

    /// As [`decide`](Self::decide), in a file that may be read only: what was found then stays with
    /// this process.
    ///
    /// # Errors
    /// Those of the decision; `Storage` and `Data`.
    pub fn find<T>(&mut self, mut find: impl FnMut(&mut S) -> Result<T>) -> Result<T> {
        if self.log.is_writable() {
            let turn = self.asking();
            return self.decide(&turn, find);
        }
        self.sync()?;
        let found = find(&mut self.study);
        self.stale |= self.study.events().len() != self.times.len();
        found
    }

    /// Writes the events that the file does not have, with the settings in front if these are new.
    /// Call it after everything was read.
    fn write(&mut self, lock: &Lock) -> Result<()> {
        let known = self.times.len();
        let events = &self.study.events()[known..];
        if events.is_empty() {
            return Ok(());
        }
        self.stale = true;
        let pen = Pen { worker: &self.worker, chapter: self.chapter };
        let mut page = Page {
            pen,
            archive: &self.archive,
            trials: &self.trials,
            next: self.study.count() - events.iter().filter(|event| S::enters(event)).count(),
            distributions: &self.distributions,
            names: self.study.names(),
            domain: self.study.domain(),
            lines: Vec::new(),
        };
        if self.filed.as_ref() != Some(&self.settings) {
            page.lines.push(pen.of_study(STUDY_SYSTEM_ATTR, S::SETTINGS, self.settings.clone()));
        }
        for event in events {
            // The event stands first: what others see of it can be made from it, and not the other
            // way around.
            let written = json_of(&Written { at: now(), event })?;
            page.lines.push(pen.of_study(STUDY_SYSTEM_ATTR, EVENT, written));
            self.study.seen(event, &mut page)?;
        }
        let lines = page.lines;
        if let Err(error) = self.log.append(lock, &lines.concat()) {
            // If this fails too, the next call says so.
            let _ = self.sync();
            return Err(error);
        }
        let written = self.log.read()?;
        // Somebody may write without the lock.
        let whole = written.len() == lines.len();
        self.take(written)?;
        self.stale = !whole;
        Ok(())
    }
}
