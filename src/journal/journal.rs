//! A study that lives in a file.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use serde_json::{Map, Value as Json};

use crate::data::{TrialId, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::give_up::GiveUp;
use crate::journal::lock::{Lock, is_random_name};
use crate::journal::log_file::LogFile;
use crate::journal::operation::STUDY_SYSTEM_ATTR;
use crate::journal::options::JournalOptions;
use crate::journal::record_writer::RecordWriter;
use crate::journal::replayer::Replayer;
use crate::journal::said::{SETTINGS, json_of};
use crate::study::{Described, Study, StudyBuilder};

/// A study that lives in a file, and survives every end of its process.
///
/// Each call writes what it was told or found before it answers, and waits until it is on the disk.
/// A process that opens the file goes on with the study: on one machine it asks for the very points,
/// and gives the very verdicts, that a process would that was never interrupted (with the backend
/// [`Cpu`](crate::Cpu), without a time limit; a rule that compares with the model before needs one
/// more check). Any number of processes and threads may have the file open at once, each with a
/// `Journal` of its own. No two of them are given the same trial.
///
/// The file is a journal of Optuna: lines of JSON. Optuna and its dashboard read it, also while it
/// is written, and may write to it. See the [module](crate::journal) for what stands where.
///
#[doc = "```"]
/// use gittins::journal::Journal;
/// use gittins::{Outcome, Space, Study};
///
/// # let path = std::env::temp_dir().join(format!("gittins-doc-{}.log", std::process::id()));
/// # let train = |rate: f64| (rate - 0.1).powi(2);
/// let settings = || Study::minimize(Space::new().log_float("rate", 1e-4, 1.0)).seed(7);
/// let mut journal = Journal::open(&path, settings())?;
/// let ask = journal.ask()?;
/// journal.tell(ask.id(), Outcome::new(train(ask.get("rate")?)))?;
/// drop(journal); // or a crash
///
/// let mut journal = Journal::open(&path, settings())?;
/// assert_eq!(journal.study().history().len(), 1);
/// let ask = journal.ask()?;
/// journal.tell(ask.id(), Outcome::new(train(ask.get("rate")?)))?;
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), gittins::Error>(())
#[doc = "```"]
#[derive(Debug)]
pub struct Journal {
    pub(super) log: LogFile,
    pub(super) fold: Replayer,
    pub(super) settings: Described,
    pub(super) give_up: GiveUp,
    pub(super) worker: String,
    /// Whether the study has to be read from the start: it has something that the file has not.
    pub(super) stale: bool,
    /// The cost so far of trials as it was noted, by their numbers in the file.
    pub(super) running: BTreeMap<usize, f64>,
}

impl Journal {
    /// Opens the file and continues its study, or creates both. Space, columns of a table, direction
    /// and the total of the stages must be those of the file. A table may have other rows than before;
    /// while the row of a trial is gone, that trial is [left out](Self::left_out) and asks say so. Every
    /// other setting is taken as it is here, from now on. A policy with a state begins anew if it is not
    /// that of the file, and so does a rule. Of several processes with other settings each goes by its
    /// own.
    ///
    /// If the file has no study yet, it gets one that is named after the file;
    /// [`JournalOptions`] can name another.
    ///
    /// # Errors
    /// `Storage` for a file that cannot be read or created, naming it; `Data` for one that is no
    /// journal, naming the line, and for one with several studies, naming them; `InvalidSetting` for
    /// settings that contradict those of the file; those of [`StudyBuilder::build`].
    pub fn open(path: impl AsRef<Path>, builder: StudyBuilder) -> Result<Self> {
        JournalOptions::new().open(path, builder)
    }

    /// Opens a file that is there and continues its study by the settings that it has. A study that
    /// Optuna made gets a space of all distributions that its trials have, and default settings.
    ///
    /// A stopping rule that was set is code, and not in the file: [`verdict`](Self::verdict) then
    /// repeats the last one, or is an error.
    ///
    /// # Errors
    /// Those of [`open`](Self::open); `InvalidSetting` if the cost is a known function, the domain a
    /// table, or a constraint a function: these are not in the file.
    pub fn resume(path: impl AsRef<Path>) -> Result<Self> {
        JournalOptions::new().resume(path)
    }

    pub(super) fn start(
        log: LogFile,
        fold: Replayer,
        settings: Described,
        give_up: GiveUp,
        worker: String,
    ) -> Self {
        Self { log, fold, settings, give_up, worker, stale: false, running: BTreeMap::new() }
    }

    /// The study as it was after the last call: everything that reads.
    pub fn study(&self) -> &Study {
        &self.fold.study
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.log.path()
    }

    /// The name of the study in the file.
    pub fn name(&self) -> &str {
        let study = self.fold.archive.studies.get(self.fold.study_index);
        study.map_or("", |study| &study.name)
    }

    /// The number of a trial in the file, as Optuna's dashboard shows it. It is the
    /// [index](TrialId::index) of the identifier, unless others wrote to the file too.
    ///
    /// # Errors
    /// `UnknownTrial`.
    pub fn number(&self, id: impl Into<TrialId>) -> Result<usize> {
        let id = id.into();
        self.fold.number(id).ok_or_else(|| unknown(id))
    }

    /// The trial of this number in the file. None for one that is not a trial of the study: one
    /// that others made and that has no point in its space, was pruned or waits.
    pub fn trial(&self, number: usize) -> Option<TrialId> {
        self.fold.id(number)
    }

    /// The trials of others, by their numbers in the file, that are no trials of the study, and why.
    pub fn left_out(&self) -> &BTreeMap<usize, String> {
        &self.fold.left_out
    }

    /// What the file must have had and lacks, if lines of it are gone: which, and what to do. Or what
    /// is likely not meant of the settings here: another cost or other rows of a table than those by
    /// which the file was last written, a price or a budget that it had. None if nothing tells of any,
    /// though an outcome may be gone without a trace.
    pub fn missing(&self) -> Option<String> {
        self.fold.missing()
    }

    /// The process that asked for a trial: its number on the machine on which it runs or ran. None for
    /// a trial of Optuna.
    pub fn process(&self, id: impl Into<TrialId>) -> Option<u32> {
        let (_, entry) = self.fold.entry(id.into())?;
        let (name, process) = entry.worker.rsplit_once('-')?;
        process.parse().ok().filter(|_| is_random_name(name))
    }

    /// When a trial was asked for and when it ended, in seconds since 1970, as far as it is known.
    pub fn times(&self, id: impl Into<TrialId>) -> (Option<f64>, Option<f64>) {
        let seconds =
            |moment: Option<Timestamp>| moment.map(|moment| moment.as_microsecond() as f64 / 1e6);
        let entry = self.fold.entry(id.into()).map(|(_, entry)| entry);
        entry.map_or((None, None), |entry| (seconds(entry.started), seconds(entry.ended)))
    }

    /// The notes that are kept with a trial: Optuna's user attributes. One that is no text is given
    /// as JSON.
    pub fn notes(&self, id: impl Into<TrialId>) -> BTreeMap<String, String> {
        let text = |value: &Json| match value {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        let entry = self.fold.entry(id.into()).map(|(_, entry)| entry);
        let notes = entry.into_iter().flat_map(|entry| &entry.user);
        notes.map(|(key, value)| (key.clone(), text(value))).collect()
    }

    /// Takes what other processes wrote since.
    ///
    /// # Errors
    /// `Storage` and `Data`, also for a study that was deleted, naming it. A file that became shorter
    /// is an error once; the next call reads it anew.
    pub fn sync(&mut self) -> Result<()> {
        if !self.stale {
            // Whatever goes wrong, the next call reads from the start.
            self.stale = true;
            let operations = self.log.read()?;
            if operations.is_empty() {
                self.stale = false;
                return self.check_standing();
            }
            self.stale = !self.fold.take(operations)?;
        }
        if self.stale {
            self.log.rewind();
            self.fold.restart(&self.settings)?;
            loop {
                let operations = self.log.read()?;
                if operations.is_empty() {
                    break;
                }
                self.fold.take(operations)?;
            }
            self.fold.await_nothing();
            self.stale = false;
        }
        // Another process may have other settings. Here these count.
        self.fold.go_on_by(&self.settings);
        self.check_standing()
    }

    fn check_standing(&self) -> Result<()> {
        let standing = self.fold.archive.check_standing(self.fold.study_index);
        standing.map_err(|error| error.at(self.path().display()))
    }

    /// The lock, with everything read that was written before.
    pub(super) fn lock(&mut self) -> Result<Lock> {
        let lock = self.log.lock()?;
        self.sync()?;
        self.log.heal(&lock)?;
        self.sync()?;
        Ok(lock)
    }

    /// Writes operations, with the settings in front if these are new. Call it after everything was
    /// read. If nothing was written, the study is again what the file has.
    pub(super) fn write(&mut self, lock: &Lock, operations: Vec<String>) -> Result<()> {
        self.stale = true;
        let mut all = Vec::new();
        if self.fold.settings.as_ref() != Some(&self.settings) {
            all.push(self.pen().of_study(STUDY_SYSTEM_ATTR, SETTINGS, json_of(&self.settings)?));
        }
        all.extend(operations);
        if let Err(error) = self.log.append(lock, &all.concat()) {
            // If this fails too, the next call says so.
            let _ = self.sync();
            return Err(error);
        }
        let written = self.log.read()?;
        // Somebody may write without the lock.
        let whole = written.len() == all.len();
        self.fold.note(written)?;
        self.stale = !whole;
        Ok(())
    }

    pub(super) fn pen(&self) -> RecordWriter<'_> {
        RecordWriter { worker: &self.worker, study_index: self.fold.study_index }
    }

    pub(super) fn made(
        &self,
        values: &[Value],
        state: u64,
        value: Option<f64>,
        user: Map<String, Json>,
        own: Map<String, Json>,
    ) -> String {
        self.pen().made(self.fold.placed(values), state, value, user, own)
    }

    /// The numbers of a trial within its study and in the file.
    pub(super) fn place(&self, id: TrialId) -> Result<(usize, usize)> {
        let place = self.fold.entry(id).map(|(trial, entry)| (entry.number, trial));
        place.ok_or_else(|| unknown(id))
    }
}

pub(super) fn unknown(id: TrialId) -> Error {
    Error::new(ErrorKind::UnknownTrial, format!("{id} is not in the journal"))
}
