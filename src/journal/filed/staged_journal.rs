//! A study in stages that lives in a file.

use std::path::Path;

use jiff::Timestamp;

use super::file::EventFile;
use super::in_a_file;
use super::staged::builder_of;
use crate::data::trial::{Trial, TrialState};
use crate::data::{TrialId, Value};
use crate::error::Result;
use crate::journal::options::JournalOptions;
use crate::stop::Verdict;
use crate::study::{
    Advice, Ask, AskTell, Changing, Choice, Event, Forecast, Outcome, Recommendation, Request,
    Study, StudyBuilder, decide_on,
};
use crate::suggest::Policy;

/// A study [in stages](crate::study::StudyBuilder::stages) that lives in a file, and survives every end of its
/// process.
///
/// Each call writes what it was told or decided before it answers, and waits until it is on the disk.
/// A process that opens the file goes on to the bit as if it had never been interrupted. Any number
/// of processes may have the file open at once, each with a `StagedJournal` of its own; no two of
/// them are given the same trial.
///
/// The file is a journal of Optuna. Its dashboard shows runs as trials with intermediate values. A
/// run that was left and may be resumed is one that runs, there; an abandoned one is pruned.
///
/// A worker that keeps checkpoints writes them *before* it reports. Once it is told to pause, another
/// one may be asked to go on with the run.
///
#[doc = "```"]
/// use gittins::journal::StagedJournal;
/// use gittins::study::Stages;
/// use gittins::{Space, Study};
///
/// # let path = std::env::temp_dir().join(format!("gittins-stages-{}.log", std::process::id()));
/// let space = Space::new().float("x", 0.0, 1.0);
/// let settings = || Study::minimize(space.clone()).stages(Stages::epochs(9));
/// let mut journal = StagedJournal::open(&path, settings())?;
/// let ask = journal.ask()?;
/// journal.report(ask.id(), ask.until(), 0.4, 12.5)?;
/// drop(journal); // or a crash
///
/// let journal = StagedJournal::open(&path, settings())?;
/// assert_eq!(journal.study().history()[0].reports.len(), 1);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), gittins::Error>(())
#[doc = "```"]
#[derive(Debug)]
pub struct StagedJournal {
    file: EventFile<Study>,
}

impl StagedJournal {
    /// Opens the file and continues its study, or creates both. Direction, domain and the total of
    /// the stages must be those of the file. Every other setting is taken as it is here, from now on.
    ///
    /// # Errors
    /// `Storage` for a file that cannot be read or created, naming it; `Data` for one that is no
    /// journal, naming the line, and for one with several studies, naming them; `InvalidSetting` for
    /// a study of another kind, and for settings that contradict those of the file; those of
    /// [`StudyBuilder::build`].
    pub fn open(path: impl AsRef<Path>, builder: StudyBuilder) -> Result<Self> {
        JournalOptions::new().open_staged(path, builder)
    }

    /// Opens a file that is there and continues its study by the settings that it has.
    ///
    /// # Errors
    /// Those of [`open`](Self::open); `InvalidSetting` if the domain is a table, or a constraint a
    /// function: these are not in the file.
    pub fn resume(path: impl AsRef<Path>) -> Result<Self> {
        JournalOptions::new().resume_staged(path)
    }

    /// What to begin or to resume, as [`Study::ask`] says, after what all processes told. Runs
    /// whose workers must have died are [withdrawn](Self::withdraw) first, as
    /// [`JournalOptions::give_up`] says. While one process decides, the others wait.
    ///
    /// # Errors
    /// Those of [`Study::ask`]; `Storage` if it cannot be written; it is then not assigned.
    pub fn ask(&mut self) -> Result<Ask> {
        let turn = self.file.asking();
        self.file.sync()?;
        while let Some(id) = self.overdue() {
            log::warn!("{id} is given up: nothing was heard of it for too long");
            // It may report just now, which is taken whatever it is.
            self.file.change(|study| match study.history()[id.index()].state {
                TrialState::Pending => study.withdraw(id),
                _ => Ok(()),
            })?;
        }
        self.file.decide(&turn, Study::ask)
    }

    /// Takes what a trial says at a progress, as [`Study::report`] does. The report is on the disk
    /// before it is decided what the trial does.
    ///
    /// # Errors
    /// Those of [`Study::report`]; `Storage` if it cannot be written: the trial then stays as it was,
    /// and can report again.
    pub fn report(
        &mut self,
        id: impl Into<TrialId>,
        progress: f64,
        outcome: f64,
        cost: f64,
    ) -> Result<Advice> {
        let trial = id.into();
        let turn = self.file.asking();
        let reported = Event::Reported { trial, progress, outcome, cost };
        self.file.change(|study| study.happens(reported))?;
        self.file.decide(&turn, |study| decide_on(study, trial))
    }

    /// Takes the end of a trial or that it broke, as [`Study::tell`] does.
    ///
    /// # Errors
    /// Those of [`Study::tell`]; `Storage`.
    pub fn tell(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        self.file.change(|study| study.tell(id, outcome))
    }

    /// Takes that a trial was lost with its worker, as [`Study::withdraw`] does.
    ///
    /// # Errors
    /// Those of [`Study::withdraw`]; `Storage`.
    pub fn withdraw(&mut self, id: impl Into<TrialId>) -> Result<()> {
        let id = id.into();
        self.file.change(|study| study.withdraw(id))
    }

    /// Whether anything is still worth its price, as [`Study::verdict`] says.
    ///
    /// # Errors
    /// Those of [`Study::verdict`]; `Storage`.
    pub fn verdict(&mut self) -> Result<Verdict> {
        self.file.find(Study::verdict)
    }

    /// A pending trial of which nothing was heard for too long.
    fn overdue(&self) -> Option<TrialId> {
        let (study, now) = (self.study(), Timestamp::now());
        let mut heard: Vec<Option<Timestamp>> = Vec::new();
        for (event, at) in self.file.moments() {
            match event.trial() {
                Some(trial) => heard[trial.index()] = at,
                None if event.enters() => heard.push(at),
                None => {}
            }
        }
        let stages = study.stages.as_ref()?;
        let is_overdue = |trial: &&Trial| {
            let (TrialState::Pending, Some(until)) = (trial.state, trial.until) else {
                return false;
            };
            let expected = stages.expected_cost(study.history(), trial, until);
            let limit = self.file.give_up.limit(expected, study.cost_unit());
            limit.zip(heard[trial.id.index()]).is_some_and(|(limit, since)| {
                now.duration_since(since).as_secs_f64() > limit.as_secs_f64()
            })
        };
        study.history().iter().find(is_overdue).map(|trial| trial.id)
    }
}

/// Calls of the study: those that tell it something, and those that find something out.
macro_rules! of_the_study {
    ($how:ident: $($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        $(fn $name(&mut self, $($argument: $type),*) -> Result<$answer> {
            self.file.$how(|study| study.$name($($argument.clone()),*))
        })*
    };
}

impl AskTell for StagedJournal {
    fn study(&self) -> &Study {
        Self::study(self)
    }

    fn sync(&mut self) -> Result<()> {
        Self::sync(self)
    }

    fn missing(&self) -> Option<String> {
        Self::missing(self)
    }

    fn ask(&mut self) -> Result<Ask> {
        Self::ask(self)
    }

    fn ask_for(&mut self, request: &Request) -> Result<Vec<Ask>> {
        let turn = self.file.asking();
        self.file.decide(&turn, |study| study.ask_for(request))
    }

    fn report(&mut self, id: TrialId, progress: f64, outcome: f64, cost: f64) -> Result<Advice> {
        Self::report(self, id, progress, outcome, cost)
    }

    of_the_study! { change:
        tell(id: TrialId, outcome: Outcome) -> ();
        tell_cost(id: TrialId, cost: f64) -> ();
        correct(id: TrialId, outcome: Outcome) -> ();
        withdraw(id: TrialId) -> ();
        import(values: &[Value], outcome: Outcome) -> TrialId;
        announce(values: &[Value]) -> TrialId;
        note_choice(id: TrialId, choice: Choice) -> ();
        note_running(id: TrialId, cost_so_far: f64) -> ();
        note_report(id: TrialId, progress: f64, outcome: f64, cost: f64) -> ();
        change_policy(policy: Policy) -> ();
    }

    of_the_study! { find:
        advise(id: TrialId) -> Advice;
        forecast(id: TrialId) -> Option<Forecast>;
        verdict() -> Verdict;
        verdict_on_another() -> Verdict;
        recommendation() -> Option<Recommendation>;
        front() -> Vec<Trial>;
        lambda_from_budget(budget: f64) -> f64;
    }
}

in_a_file!(StagedJournal: Study);

impl JournalOptions {
    /// Opens the file and continues its study of runs in stages, or creates both.
    ///
    /// # Errors
    /// Those of [`StagedJournal::open`].
    pub fn open_staged(
        self,
        path: impl AsRef<Path>,
        builder: StudyBuilder,
    ) -> Result<StagedJournal> {
        EventFile::open(self, path.as_ref(), builder).map(|file| StagedJournal { file })
    }

    /// Opens a file that is there and continues its study of runs in stages by the settings that it
    /// has.
    ///
    /// # Errors
    /// Those of [`StagedJournal::resume`].
    pub fn resume_staged(self, path: impl AsRef<Path>) -> Result<StagedJournal> {
        EventFile::resume(self, path.as_ref(), builder_of).map(|file| StagedJournal { file })
    }
}
