//! A study of runs in stages that lives in a file.

use std::path::Path;

use jiff::Timestamp;

use super::file::EventFile;
use super::staged::builder_of;
use crate::data::TrialId;
use crate::error::Result;
use crate::journal::options::JournalOptions;
use crate::staged::{
    Advice, AskReport, Run, RunState, StagedAsk, StagedEvent, StagedStudy, StagedStudyBuilder,
    reports_by_its_own,
};
use crate::stop::Verdict;

/// A study of [runs in stages](crate::staged) that lives in a file, and survives every end of its
/// process.
///
/// Each call writes what it was told or decided before it answers, and waits until it is on the disk.
/// A process that opens the file goes on to the bit as if it had never been interrupted. Any number
/// of processes may have the file open at once, each with a `StagedJournal` of its own; no two of
/// them are given the same run.
///
/// The file is a journal of Optuna. Its dashboard shows runs as trials with intermediate values. A
/// run that was left and may be resumed is one that runs, there; an abandoned one is pruned.
///
/// A worker that keeps checkpoints writes them *before* it reports. Once it is told to pause, another
/// one may be asked to go on with the run.
///
#[doc = "```"]
/// use gittins::Space;
/// use gittins::journal::StagedJournal;
/// use gittins::staged::{Stages, StagedStudy};
///
/// # let path = std::env::temp_dir().join(format!("gittins-stages-{}.log", std::process::id()));
/// let settings = || StagedStudy::minimize(Space::new().float("x", 0.0, 1.0), Stages::epochs(9));
/// let mut journal = StagedJournal::open(&path, settings())?;
/// let ask = journal.ask()?;
/// journal.report(ask.id(), ask.until(), 0.4, 12.5)?;
/// drop(journal); // or a crash
///
/// let journal = StagedJournal::open(&path, settings())?;
/// assert_eq!(journal.study().runs()[0].reports.len(), 1);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), gittins::Error>(())
#[doc = "```"]
#[derive(Debug)]
pub struct StagedJournal {
    file: EventFile<StagedStudy>,
}

impl StagedJournal {
    /// Opens the file and continues its study, or creates both. Direction, domain and the total of
    /// the stages must be those of the file. Every other setting is taken as it is here, from now on.
    ///
    /// # Errors
    /// `Storage` for a file that cannot be read or created, naming it; `Data` for one that is no
    /// journal, naming the line, and for one with several studies, naming them; `InvalidSetting` for
    /// a study of another kind, and for settings that contradict those of the file; those of
    /// [`StagedStudyBuilder::build`].
    pub fn open(path: impl AsRef<Path>, builder: StagedStudyBuilder) -> Result<Self> {
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

    /// The study as it was after the last call: everything that reads.
    pub fn study(&self) -> &StagedStudy {
        &self.file.study
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The name of the study in the file.
    pub fn name(&self) -> &str {
        self.file.name()
    }

    /// What the file must have had and lacks, if lines of it are gone: which, and what to do. None if
    /// nothing tells of any.
    pub fn missing(&self) -> Option<String> {
        self.file.missing()
    }

    /// The number of a run's trial in the file, as Optuna's dashboard shows it.
    pub fn number(&self, run: impl Into<TrialId>) -> Option<usize> {
        self.file.number(run.into().index())
    }

    /// Takes what other processes wrote since.
    ///
    /// # Errors
    /// `Storage` and `Data`, also for a study that was deleted, naming it.
    pub fn sync(&mut self) -> Result<()> {
        self.file.sync()
    }

    /// What to begin or to resume, as [`StagedStudy::ask`] says, after what all processes told. Runs
    /// whose workers must have died are [withdrawn](Self::withdraw) first, as
    /// [`JournalOptions::give_up`] says. While one process decides, the others wait.
    ///
    /// # Errors
    /// Those of [`StagedStudy::ask`]; `Storage` if it cannot be written; it is then not assigned.
    pub fn ask(&mut self) -> Result<StagedAsk> {
        let turn = self.file.asking();
        self.file.sync()?;
        while let Some(run) = self.overdue() {
            log::warn!("{run} is given up: nothing was heard of it for too long");
            // It may report just now, which is taken whatever it is.
            self.file.change(|study| match study.runs()[run.index()].state {
                RunState::Running { .. } => study.withdraw(run),
                _ => Ok(()),
            })?;
        }
        self.file.decide(&turn, StagedStudy::ask)
    }

    /// Takes what a run says at a progress, as [`StagedStudy::report`] does. The report is on the disk
    /// before it is decided what the run does.
    ///
    /// # Errors
    /// Those of [`StagedStudy::report`]; `Storage` if it cannot be written: the run then stays as it
    /// was, and can report again.
    pub fn report(
        &mut self,
        run: impl Into<TrialId>,
        progress: f64,
        outcome: f64,
        cost: f64,
    ) -> Result<Advice> {
        let run = run.into();
        let turn = self.file.asking();
        let reported = StagedEvent::Reported { run, progress, outcome, cost };
        self.file.change(|study| study.happens(reported))?;
        self.file.decide(&turn, |study| study.decide_on(run))
    }

    /// Takes that a run broke, as [`StagedStudy::fail`] does.
    ///
    /// # Errors
    /// Those of [`StagedStudy::fail`]; `Storage`.
    pub fn fail(&mut self, run: impl Into<TrialId>, cost: f64) -> Result<()> {
        let run = run.into();
        self.file.change(|study| study.fail(run, cost))
    }

    /// Takes that a run was lost with its worker, as [`StagedStudy::withdraw`] does.
    ///
    /// # Errors
    /// Those of [`StagedStudy::withdraw`]; `Storage`.
    pub fn withdraw(&mut self, run: impl Into<TrialId>) -> Result<()> {
        let run = run.into();
        self.file.change(|study| study.withdraw(run))
    }

    /// Whether anything is still worth its price, as [`StagedStudy::verdict`] says.
    ///
    /// # Errors
    /// Those of [`StagedStudy::verdict`]; `Storage`.
    pub fn verdict(&mut self) -> Result<Verdict> {
        self.file.find(StagedStudy::verdict)
    }

    /// A pending run of which nothing was heard for too long.
    fn overdue(&self) -> Option<TrialId> {
        let (study, now) = (self.study(), Timestamp::now());
        let mut heard: Vec<Option<Timestamp>> = Vec::new();
        for (event, at) in self.file.moments() {
            match event.run() {
                Some(run) => heard[run.index()] = at,
                None if matches!(event, StagedEvent::Began { .. }) => heard.push(at),
                None => {}
            }
        }
        let is_overdue = |run: &&Run| {
            let RunState::Running { until } = run.state else { return false };
            let expected = study.expected_cost(run, until);
            let limit = self.file.give_up.limit(expected, study.cost_unit());
            limit.zip(heard[run.id.index()]).is_some_and(|(limit, since)| {
                now.duration_since(since).as_secs_f64() > limit.as_secs_f64()
            })
        };
        study.runs().iter().find(is_overdue).map(|run| run.id)
    }
}

reports_by_its_own!(StagedJournal {
    fn study(&self) -> &StagedStudy {
        Self::study(self)
    }

    fn sync(&mut self) -> Result<()> {
        Self::sync(self)
    }
});

impl JournalOptions {
    /// Opens the file and continues its study of runs in stages, or creates both.
    ///
    /// # Errors
    /// Those of [`StagedJournal::open`].
    pub fn open_staged(
        self,
        path: impl AsRef<Path>,
        builder: StagedStudyBuilder,
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
