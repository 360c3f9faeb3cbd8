//! How a journal is opened.

use std::path::Path;
use std::time::Duration;

use serde_json::Value as Json;

use crate::data::Direction;
use crate::error::{Error, ErrorKind, Result};
use crate::journal::archive::{Archive, find, studies};
use crate::journal::branches::space_of;
use crate::journal::give_up::GiveUp;
use crate::journal::journal::Journal;
use crate::journal::lock::{GRACE, random_name};
use crate::journal::log_file::LogFile;
use crate::journal::operation::{Operation, STUDY_SYSTEM_ATTR};
use crate::journal::record_writer::RecordWriter;
use crate::journal::replayer::{Replayer, no_study};
use crate::journal::said::{POLICY, SETTINGS, json_of, read};
use crate::study::{Described, Study, StudyBuilder};

/// How a [`Journal`] is opened.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalOptions {
    name: Option<String>,
    give_up: GiveUp,
    grace: Duration,
}

impl Default for JournalOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl JournalOptions {
    /// The only study of the file, or a new one that is named after the file.
    pub fn new() -> Self {
        Self { name: None, give_up: GiveUp::default(), grace: GRACE }
    }

    /// The study of this name.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// When a trial whose worker does not come back is given up.
    pub fn give_up(mut self, give_up: GiveUp) -> Self {
        self.give_up = give_up;
        self
    }

    /// How long the lock of the file may stand unchanged before it is taken over: 30 seconds unless
    /// set. A lock is held for the time of one write.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Opens the file and continues its study, or creates both.
    ///
    /// # Errors
    /// Those of [`Journal::open`].
    pub fn open(self, path: impl AsRef<Path>, builder: StudyBuilder) -> Result<Journal> {
        let path = path.as_ref();
        let settings = builder.described();
        let study = builder.build()?;
        let direction = settings.options.direction;
        let written = json_of(&settings)?;
        let (log, study_index, operations) =
            self.found_or_made(path, direction, (SETTINGS, &written))?;
        self.follow(log, operations, study_index, study, settings)
    }

    /// Opens a file that is there and continues its study by the settings that it has.
    ///
    /// # Errors
    /// Those of [`Journal::resume`].
    pub fn resume(self, path: impl AsRef<Path>) -> Result<Journal> {
        let path = path.as_ref();
        let place = |error: Error| error.at(format_args!("{}", path.display()));
        let (mut log, study_index, operations) = self.found(path)?;
        let settings = match last_settings(&operations, study_index).map_err(place)? {
            Some(settings) => settings,
            None => foreign(&mut log, study_index).map_err(place)?,
        };
        let study = settings.clone().builder().map_err(place)?.build().map_err(place)?;
        self.follow(log, operations, study_index, study, settings)
    }

    fn follow(
        self,
        log: LogFile,
        operations: Vec<Operation>,
        study_index: usize,
        study: Study,
        settings: Described,
    ) -> Result<Journal> {
        let place = |error: Error| error.at(format_args!("{}", log.path().display()));
        let mut fold = Replayer::new(study, study_index);
        if let Some(before) = last_settings(&operations, study_index).map_err(place)? {
            before.check_continued_by(&settings).map_err(place)?;
            fold.unmeant = before.unmeant(&settings);
        }
        fold.take(operations).map_err(place)?;
        fold.await_nothing();
        fold.go_on_by(&settings);
        let direction = fold.archive.direction(study_index).map_err(place)?;
        if direction != settings.options.direction {
            let message = format!(
                "the study is to {direction} in the journal, and to {} here",
                settings.options.direction
            );
            return Err(place(Error::new(ErrorKind::InvalidSetting, message)));
        }
        let worker = format!("{}-{}", random_name(), std::process::id());
        Ok(Journal::start(log, fold, settings, self.give_up, worker))
    }

    /// Opens the file, and finds the study in it or makes it, with its settings as an attribute.
    /// Returns what was read, too.
    ///
    /// # Errors
    /// `Storage` and `Data`, naming the file.
    fn found_or_made(
        &self,
        path: &Path,
        direction: Direction,
        settings: (&str, &Json),
    ) -> Result<(LogFile, usize, Vec<Operation>)> {
        self.give_up.validate()?;
        let mut log = LogFile::open(path, true)?.with_grace(self.grace);
        let mut operations = read_all(&mut log)?;
        let found = |operations: &[Operation]| {
            find(operations, self.name.as_deref())
                .map_err(|error| error.at(format_args!("{}", path.display())))
        };
        if let Some(study_index) = found(&operations)? {
            return Ok((log, study_index, operations));
        }
        let lock = log.lock()?;
        operations.extend(log.rest(&lock)?);
        // Another process may have been quicker.
        if found(&operations)?.is_none() {
            let stem = || path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let name = self.name.clone().or_else(stem).unwrap_or_default();
            let pen =
                RecordWriter { worker: &random_name(), study_index: studies(&operations).len() };
            log.append(&lock, &pen.new_study(&name, direction, settings).concat())?;
            operations.extend(read_all(&mut log)?);
        }
        let study_index = found(&operations)?.ok_or_else(|| no_study(self.name.as_deref()))?;
        Ok((log, study_index, operations))
    }

    /// Opens a file that is there, and finds the study in it.
    ///
    /// # Errors
    /// `Storage` and `Data`, naming the file.
    fn found(&self, path: &Path) -> Result<(LogFile, usize, Vec<Operation>)> {
        let place = |error: Error| error.at(format_args!("{}", path.display()));
        self.give_up.validate()?;
        let mut log = LogFile::open(path, false)?.with_grace(self.grace);
        let operations = read_all(&mut log)?;
        let study_index = find(&operations, self.name.as_deref()).map_err(place)?;
        let study_index = study_index.ok_or_else(|| place(no_study(self.name.as_deref())))?;
        Ok((log, study_index, operations))
    }
}

/// All operations that can be read.
fn read_all(log: &mut LogFile) -> Result<Vec<Operation>> {
    let mut all = Vec::new();
    loop {
        let operations = log.read()?;
        if operations.is_empty() {
            return Ok(all);
        }
        all.extend(operations);
    }
}

/// The last settings of a study that we said, with the policy that was changed to since.
fn last_settings(operations: &[Operation], study_index: usize) -> Result<Option<Described>> {
    let said = operations.iter().rev().filter(|operation| {
        operation.op_code == STUDY_SYSTEM_ATTR && operation.study_id == Some(study_index)
    });
    let mut policy = None;
    for attributes in said.filter_map(|operation| operation.system_attr.as_ref()) {
        if let Some(settings) = attributes.get(SETTINGS) {
            let settings: Described = read(SETTINGS, settings)?;
            return Ok(Some(Described { policy: policy.unwrap_or(settings.policy), ..settings }));
        }
        if let (None, Some(changed)) = (&policy, attributes.get(POLICY)) {
            policy = Some(read(POLICY, changed)?);
        }
    }
    Ok(None)
}

/// The settings of a study that others made.
fn foreign(log: &mut LogFile, study_index: usize) -> Result<Described> {
    log.rewind();
    let mut archive = Archive::default();
    for operation in read_all(log)? {
        archive.take(operation, None)?;
    }
    let trials = archive.trials.iter().filter(|trial| trial.study == study_index);
    let space = space_of(&trials.collect::<Vec<_>>())?;
    let builder = match archive.direction(study_index)? {
        Direction::Minimize => Study::minimize(space),
        Direction::Maximize => Study::maximize(space),
    };
    Ok(builder.described())
}
