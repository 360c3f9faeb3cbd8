//! A study that lives in a file.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};

use crate::data::Value;
use crate::error::{Error, ErrorKind, Result};
use crate::journal::fold::Fold;
use crate::journal::give_up::GiveUp;
use crate::journal::lock::Lock;
use crate::journal::log_file::LogFile;
use crate::journal::operation::{
    COMPLETE, CREATE_TRIAL, FAIL, Operation, RUNNING, STUDY_SYSTEM_ATTR, STUDY_USER_ATTR,
    TRIAL_STATE, TRIAL_SYSTEM_ATTR, TRIAL_USER_ATTR, line_of,
};
use crate::journal::options::JournalOptions;
use crate::journal::said::{
    ASK, CORRECTED, COST, Change, End, FIT, FITS, Judgment, OUTCOME, PAID, PAID_LATER, POLICY,
    SECOND, SETTINGS, TOLD, Told, VERDICT, WITHDRAWN, WORDS, WrittenFits, json_of, key_of,
    words_of,
};
use crate::stop::Verdict;
use crate::study::{
    Ask, Described, Fits, Outcome, Recommendation, Study, StudyBuilder, TrialId, TrialState,
};
use crate::suggest::Policy;

/// How long an ask waits for the asks of other processes. A process that was stopped may hold them
/// up; beyond this time two may look for a point at once, and the slower one looks again.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often an ask looks again because others asked in the meantime. After that it takes what it
/// found, next to what others have.
const ATTEMPTS: usize = 8;

/// A study that lives in a file, and survives every end of its process.
///
/// Each call writes what it was told or found before it answers, and waits until it is on the disk.
/// A process that opens the file goes on with the study: on one machine it asks for the very points,
/// and gives the very verdicts, that a process would that was never interrupted (with the backend
/// [`Cpu`](crate::Cpu), without a time limit, as long as no
/// [trust region](crate::study::TrustRegion) has begun; [`RegretGapRule`](crate::stop::RegretGapRule)
/// needs one more check). Any number of processes and threads may have the file open at once, each
/// with a `Journal` of its own. No two of them are given the same trial.
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
    log: LogFile,
    fold: Fold,
    settings: Described,
    give_up: GiveUp,
    worker: String,
    /// Whether the study has to be read from the start: it has something that the file has not.
    stale: bool,
}

impl Journal {
    /// Opens the file and continues its study, or creates both. Space or table and direction must be
    /// those of the file. Every other setting is taken as it is here, from now on.
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
        fold: Fold,
        settings: Described,
        give_up: GiveUp,
        worker: String,
    ) -> Self {
        Self { log, fold, settings, give_up, worker, stale: false }
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
        let study = self.fold.archive.studies.get(self.fold.chapter);
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
    /// `Storage` and `Data`, also for a study that was deleted, naming it.
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
        let what = match self.fold.archive.studies.get(self.fold.chapter) {
            Some(study) if !study.deleted => return Ok(()),
            Some(study) => format!("the study {:?} was deleted", study.name),
            None => "the study is gone".to_owned(),
        };
        Err(Error::new(ErrorKind::Data, what).at(self.path().display()))
    }

    /// The lock, with everything read that was written before.
    fn lock(&mut self) -> Result<Lock> {
        let lock = self.log.lock()?;
        self.sync()?;
        self.log.heal(&lock)?;
        self.sync()?;
        Ok(lock)
    }

    /// Changes the study. Until it is written, the study has something that the file has not.
    fn change<T>(&mut self, change: impl FnOnce(&mut Study) -> Result<T>) -> Result<T> {
        let changed = change(&mut self.fold.study)?;
        self.stale = true;
        Ok(changed)
    }

    /// Writes operations, with the settings in front if these are new. Call it after everything was
    /// read. If nothing was written, the study is again what the file has.
    fn write(&mut self, lock: &Lock, operations: Vec<String>) -> Result<()> {
        self.stale = true;
        let mut all = Vec::new();
        if self.fold.settings.as_ref() != Some(&self.settings) {
            all.push(self.of_study(STUDY_SYSTEM_ATTR, SETTINGS, json_of(&self.settings)?));
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

    fn of_study(&self, code: u64, key: &str, value: Json) -> String {
        let kind = if code == STUDY_USER_ATTR { "user_attr" } else { "system_attr" };
        self.line(code, json!({"study_id": self.fold.chapter, kind: {key: value}}))
    }

    fn of_trial(&self, code: u64, trial: usize, key: &str, value: Json) -> String {
        let kind = if code == TRIAL_USER_ATTR { "user_attr" } else { "system_attr" };
        self.line(code, json!({"trial_id": trial, kind: {key: value}}))
    }

    fn line(&self, code: u64, rest: Json) -> String {
        line_of(code, &self.worker, rest.as_object().unwrap_or(&Map::new()))
    }

    fn end_of(&self, trial: usize, state: u64, value: Option<f64>) -> String {
        let values = value.map(|value| vec![value]);
        let rest = json!({"trial_id": trial, "state": state, "values": values, "datetime_complete": now()});
        self.line(TRIAL_STATE, rest)
    }

    /// The next point to evaluate, as [`Study::ask`] gives it, after what all processes told. Trials
    /// whose workers must have died are [given up](GiveUp) first. While one process looks for a
    /// point, the others wait; to tell is possible all the time.
    ///
    /// # Errors
    /// Those of [`Study::ask`]; `Storage` if the trial cannot be written: nobody has it then.
    pub fn ask(&mut self) -> Result<Ask> {
        for attempt in 1.. {
            let asking = self.log.asking(PATIENCE);
            self.sync()?;
            self.give_up_overdue()?;
            let before = self.fold.study.policy().clone();
            // Until it is written, the study has something that the file has not.
            self.stale = true;
            self.fold.reserve_others(None);
            let ask = self.fold.study.ask()?;
            let (operation, fits) = self.asked(&ask, &before)?;
            let lock = self.log.lock()?;
            let mut others = self.log.read()?;
            self.log.heal(&lock)?;
            others.extend(self.log.read()?);
            let asked = |operation: &Operation| {
                operation.op_code == CREATE_TRIAL && operation.study_id == Some(self.fold.chapter)
            };
            if attempt < ATTEMPTS && others.iter().any(asked) {
                continue;
            }
            self.write(&lock, vec![operation])?;
            self.fold.recorded.update(&fits);
            drop((lock, asking));
            if others.is_empty() && !self.stale {
                return Ok(ask);
            }
            self.stale = true;
            self.sync()?;
            let own =
                self.fold.archive.trials.iter().rev().find(|trial| trial.worker == self.worker);
            let id = own.and_then(|trial| self.fold.id(trial.number));
            return id.map(|id| ask.with_id(id)).ok_or_else(|| unknown(self.fold.study.next_id()));
        }
        Err(Error::new(ErrorKind::Exhausted, "no attempt to ask succeeded"))
    }

    /// What is written of a trial that was asked for.
    fn asked(&self, ask: &Ask, before: &Policy) -> Result<(String, Fits)> {
        let study = &self.fold.study;
        let fits = study.fits().since(&self.fold.recorded);
        let mut own = Map::new();
        own.insert(ASK.to_owned(), json_of(&study.asked(ask))?);
        if let Some(fit) = &fits.first {
            own.insert(FIT.to_owned(), json_of(fit)?);
        }
        if let Some(fit) = &fits.second {
            own.insert(SECOND.to_owned(), json_of(fit)?);
        }
        if study.policy() != before {
            own.insert(POLICY.to_owned(), json_of(study.policy())?);
        }
        let operation = self.made(ask.values(), RUNNING, None, Map::new(), own);
        Ok((operation, fits))
    }

    fn made(
        &self,
        values: &[Value],
        state: u64,
        value: Option<f64>,
        user: Map<String, Json>,
        own: Map<String, Json>,
    ) -> String {
        let (parameters, distributions) = self.fold.parameters(values);
        let mut rest = json!({"study_id": self.fold.chapter, "datetime_start": now(),
            "state": state, "value": value, "values": null, "params": parameters,
            "distributions": distributions, "user_attrs": user, "system_attrs": own,
            "intermediate_values": {}});
        if state != RUNNING {
            rest["datetime_complete"] = json!(now());
        }
        self.line(CREATE_TRIAL, rest)
    }

    fn give_up_overdue(&mut self) -> Result<()> {
        if self.overdue().is_empty() {
            return Ok(());
        }
        let lock = self.lock()?;
        // Their workers may have told them just now.
        let mut operations = Vec::new();
        for id in self.overdue() {
            log::warn!("{id} is given up: nothing was heard of it for too long");
            let (_, trial) = self.place(id)?;
            self.change(|study| study.withdraw(id))?;
            operations.extend(self.end(trial, Told::WITHDRAWN)?);
        }
        if operations.is_empty() { Ok(()) } else { self.write(&lock, operations) }
    }

    /// The trials under way that are to be given up.
    fn overdue(&self) -> Vec<TrialId> {
        let (study, now) = (&self.fold.study, Timestamp::now());
        let dearest = study.history().iter().filter_map(|trial| trial.cost).reduce(f64::max);
        let is_overdue = |id: &TrialId| {
            let expected = study.expected_cost(*id).or(dearest);
            let limit = self.give_up.limit(expected, study.cost_unit());
            let started = self.fold.entry(*id).and_then(|(_, entry)| entry.started);
            limit.zip(started).is_some_and(|(limit, started)| {
                now.duration_since(started).as_secs_f64() > limit.as_secs_f64()
            })
        };
        self.fold.under_way().filter(is_overdue).collect()
    }

    /// Takes what came of a trial, as [`Study::tell`] does.
    ///
    /// # Errors
    /// Those of [`Study::tell`]; `Storage` if it cannot be written: the trial then stays as it was,
    /// and can be told again.
    pub fn tell(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        let lock = self.lock()?;
        let was_under_way = self.is_under_way(id);
        self.change(|study| study.tell(id, outcome))?;
        let told = Told::from(&outcome);
        let (number, trial) = self.place(id)?;
        let operations = if was_under_way {
            self.end(trial, told)?
        } else {
            vec![self.of_study(STUDY_SYSTEM_ATTR, &key_of(TOLD, number), json_of(&told)?)]
        };
        self.write(&lock, operations)
    }

    /// The end of a trial under way: its cost, what its state does not say, and the state. The last
    /// one counts, if a process dies in between.
    fn end(&self, trial: usize, told: Told) -> Result<Vec<String>> {
        let mut operations = Vec::new();
        let entry = &self.fold.archive.trials[trial];
        // The file may have a cost that this telling has not: a process died in the midst of
        // another one, or somebody else noted it.
        let is_else = entry.user.contains_key(COST) && !entry.own.contains_key(PAID);
        if told.cost.is_some() || (is_else && told.end != End::Withdrawn) {
            operations.push(self.of_trial(TRIAL_USER_ATTR, trial, COST, json!(told.cost)));
        }
        if told.end != End::Complete || told.cost_later {
            let own = Told { value: None, cost: None, ..told };
            operations.push(self.of_trial(TRIAL_SYSTEM_ATTR, trial, OUTCOME, json_of(&own)?));
        }
        let state = if told.end == End::Complete { COMPLETE } else { FAIL };
        operations.push(self.end_of(trial, state, told.value));
        Ok(operations)
    }

    /// Takes what a trial cost, apart from its outcome, as [`Study::tell_cost`] does.
    ///
    /// # Errors
    /// Those of [`Study::tell_cost`]; `Storage`.
    pub fn tell_cost(&mut self, id: impl Into<TrialId>, cost: f64) -> Result<()> {
        let id = id.into();
        let lock = self.lock()?;
        let is_under_way = self.is_under_way(id);
        self.change(|study| study.tell_cost(id, cost))?;
        let (number, trial) = self.place(id)?;
        let operations = if is_under_way {
            vec![
                self.of_trial(TRIAL_USER_ATTR, trial, COST, json!(cost)),
                self.of_trial(TRIAL_SYSTEM_ATTR, trial, PAID, json!(cost)),
            ]
        } else {
            vec![self.of_study(STUDY_SYSTEM_ATTR, &key_of(PAID_LATER, number), json!(cost))]
        };
        self.write(&lock, operations)
    }

    /// Replaces what was told of a trial, as [`Study::correct`] does. Optuna keeps what was told
    /// first.
    ///
    /// # Errors
    /// Those of [`Study::correct`]; `Storage`.
    pub fn correct(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        let lock = self.lock()?;
        self.change(|study| study.correct(id, outcome))?;
        let (number, _) = self.place(id)?;
        let told = json_of(&Told::from(&outcome))?;
        let operation = self.of_study(STUDY_SYSTEM_ATTR, &key_of(CORRECTED, number), told);
        self.write(&lock, vec![operation])
    }

    /// Gives a trial up, or takes back what was told of it, as [`Study::withdraw`] does. To Optuna a
    /// trial that was given up has failed.
    ///
    /// # Errors
    /// Those of [`Study::withdraw`]; `Storage`.
    pub fn withdraw(&mut self, id: impl Into<TrialId>) -> Result<()> {
        let id = id.into();
        let lock = self.lock()?;
        let was_under_way = self.is_under_way(id);
        self.change(|study| study.withdraw(id))?;
        let (number, trial) = self.place(id)?;
        let operations = if was_under_way {
            self.end(trial, Told::WITHDRAWN)?
        } else {
            vec![self.of_study(STUDY_SYSTEM_ATTR, &key_of(WITHDRAWN, number), json!(true))]
        };
        self.write(&lock, operations)
    }

    /// Takes an evaluation that was never asked for, as [`Study::import`] does.
    ///
    /// # Errors
    /// Those of [`Study::import`]; `Storage`.
    pub fn import<V: Into<Value> + Clone>(
        &mut self,
        values: &[V],
        outcome: Outcome,
    ) -> Result<TrialId> {
        let lock = self.lock()?;
        let id = self.change(|study| study.import(values, outcome))?;
        let told = Told::from(&outcome);
        let (mut user, mut own) = (Map::new(), Map::new());
        if let Some(cost) = told.cost {
            user.insert(COST.to_owned(), json!(cost));
        }
        let end = Told { value: None, cost: None, ..told };
        own.insert(OUTCOME.to_owned(), json_of(&end)?);
        let state = if told.end == End::Complete { COMPLETE } else { FAIL };
        let values = self.fold.study.history()[id.index()].values.clone();
        let operation = self.made(&values, state, told.value, user, own);
        self.write(&lock, vec![operation])?;
        Ok(id)
    }

    /// Keeps a text with a trial under way, as a user attribute of Optuna: the tail of its output, a
    /// machine, a version.
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a trial that has ended, and for the name `cost`, which
    /// is taken; `Storage`.
    pub fn note(&mut self, id: impl Into<TrialId>, key: &str, text: &str) -> Result<()> {
        let id = id.into();
        let invalid = |why: &str| Err(Error::new(ErrorKind::InvalidSetting, why).at(id));
        if key == COST {
            return invalid("the note \"cost\" is the trial's cost, which `tell` takes");
        }
        let lock = self.lock()?;
        let (_, trial) = self.place(id)?;
        if self.fold.archive.trials[trial].has_ended() {
            return invalid("it has ended, and takes no note any more");
        }
        let operation = self.of_trial(TRIAL_USER_ATTR, trial, key, json!(text));
        self.write(&lock, vec![operation])
    }

    /// Whether to stop, after what all processes told, as [`Study::verdict`] says. It is written, for
    /// other processes and for people who look at the study with other programs. One that is known
    /// already is not computed again.
    ///
    /// # Errors
    /// Those of [`Study::verdict`]; `InvalidSetting` if the study was [resumed](Self::resume) without
    /// its rule; `Storage`.
    pub fn verdict(&mut self) -> Result<Verdict> {
        self.sync()?;
        if let Some(verdict) = self.fold.study.known_verdict() {
            return Ok(verdict.clone());
        }
        if let (Some(rule), None) = (&self.settings.rule, self.fold.study.name_of_rule()) {
            let message = format!("the study stops by the rule {rule:?}: open it with the rule");
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        let verdict = self.fold.study.verdict()?;
        let state = self.fold.study.state_of_rule();
        let fits = self.fold.study.fits().since(&self.fold.recorded);
        let judgment = Judgment {
            verdict: verdict.clone(),
            revision: self.fold.study.revision(),
            seconds: self.fold.study.seconds_of_verdict(),
            rule: Change::between(&self.fold.rule, &state),
            fits: fits.clone().into(),
        };
        let operations = vec![
            self.of_study(STUDY_SYSTEM_ATTR, VERDICT, json_of(&judgment)?),
            self.of_study(STUDY_USER_ATTR, WORDS, words_of(&verdict)),
        ];
        if self.write_found(operations, &fits)? {
            self.fold.rule = state;
        }
        Ok(verdict)
    }

    /// The trial to use once the run ends, as [`Study::recommendation`] says.
    ///
    /// # Errors
    /// Those of [`Study::recommendation`]; `Storage`.
    pub fn recommendation(&mut self) -> Result<Option<Recommendation>> {
        self.sync()?;
        let recommendation = self.fold.study.recommendation()?;
        let fits = self.fold.study.fits().since(&self.fold.recorded);
        if !fits.is_empty() {
            let written = json_of(&WrittenFits::from(fits.clone()))?;
            self.write_found(vec![self.of_study(STUDY_SYSTEM_ATTR, FITS, written)], &fits)?;
        }
        Ok(recommendation)
    }

    /// Writes what was found in what was read, if the file may be written, and returns whether it
    /// may. Others may have told something in the meantime: the study is then read again.
    fn write_found(&mut self, operations: Vec<String>, fits: &Fits) -> Result<bool> {
        if !self.log.is_writable() {
            return Ok(false);
        }
        self.stale = true;
        let lock = self.log.lock()?;
        let mut others = self.log.read()?;
        self.log.heal(&lock)?;
        others.extend(self.log.read()?);
        self.write(&lock, operations)?;
        self.fold.recorded.update(fits);
        self.stale |= !others.is_empty();
        Ok(true)
    }

    fn is_under_way(&self, id: TrialId) -> bool {
        let trial = self.fold.study.history().get(id.index());
        trial.is_some_and(|trial| trial.state == TrialState::Pending)
    }

    /// The numbers of a trial within its study and in the file.
    fn place(&self, id: TrialId) -> Result<(usize, usize)> {
        let place = self.fold.entry(id).map(|(trial, entry)| (entry.number, trial));
        place.ok_or_else(|| unknown(id))
    }
}

fn unknown(id: TrialId) -> Error {
    Error::new(ErrorKind::UnknownTrial, format!("{id} is not in the journal"))
}

/// The present moment as Optuna writes it.
pub(super) fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string()
}

impl Study {
    /// Continues the study of a file by the settings that it has: [`Journal::resume`].
    ///
    /// # Errors
    /// Those of [`Journal::resume`].
    pub fn resume(path: impl AsRef<Path>) -> Result<Journal> {
        Journal::resume(path)
    }
}
