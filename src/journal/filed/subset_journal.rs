//! A study of control sets that lives in a file.

use std::path::Path;

use super::file::EventFile;
use super::in_a_file;
use crate::data::TrialId;
use crate::error::Result;
use crate::journal::options::JournalOptions;
use crate::stop::Verdict;
use crate::study::Outcome;
use crate::subsets::study::SubsetStudy;
use crate::subsets::{SubsetAsk, SubsetRecommendation, SubsetStudyBuilder};

/// A study of [control sets](crate::subsets) that lives in a file, and survives every end of its
/// process.
///
/// Each call writes what it was told or found before it answers, and waits until it is on the disk. A
/// process that opens the file goes on to the bit as if it had never been interrupted (with the
/// backend [`Cpu`](crate::Cpu)). Any number of processes may have the file open at once, each with a
/// `SubsetJournal` of its own; no two of them are given the same trial.
///
/// The file is a journal of Optuna: its dashboard shows the trials. A policy, its relaxation and laws
/// may be code, so a study is opened with its settings.
///
#[doc = "```"]
/// use gittins::journal::SubsetJournal;
/// use gittins::{ControlSets, Law, Outcome, Space, SubsetStudy};
///
/// # let path = std::env::temp_dir().join(format!("gittins-sets-{}.log", std::process::id()));
/// let settings = || {
///     let space = Space::new().float("lime", 0.0, 4.0).float("rain", 200.0, 900.0);
///     let sets = ControlSets::new().set("field", ["lime"], 1.0).law("rain", Law::Uniform);
///     SubsetStudy::maximize(space, sets)
/// };
/// let mut journal = SubsetJournal::open(&path, settings())?;
/// let ask = journal.ask()?;
/// journal.tell(ask.id(), &[ask.get("lime")?, 640.0], Outcome::new(0.3))?;
/// drop(journal); // or a crash
///
/// let journal = SubsetJournal::open(&path, settings())?;
/// assert_eq!(journal.study().history().len(), 1);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), gittins::Error>(())
#[doc = "```"]
#[derive(Debug)]
pub struct SubsetJournal {
    file: EventFile<SubsetStudy>,
}

impl SubsetJournal {
    /// Opens the file and continues its study, or creates both. Direction, space, control sets and
    /// laws must be those of the file. Every other setting is taken as it is here, from now on.
    ///
    /// # Errors
    /// `Storage` for a file that cannot be read or created, naming it; `Data` for one that is no
    /// journal, naming the line, and for one with several studies, naming them; `InvalidSetting` for
    /// a study of another kind, and for settings that contradict those of the file; those of
    /// [`SubsetStudyBuilder::build`].
    pub fn open(path: impl AsRef<Path>, builder: SubsetStudyBuilder) -> Result<Self> {
        JournalOptions::new().open_subsets(path, builder)
    }

    /// The next set and its values, as [`SubsetStudy::ask`] says, after what all processes told. While
    /// one process looks for them, the others wait; to tell is possible all the time.
    ///
    /// # Errors
    /// Those of [`SubsetStudy::ask`]; `Storage` if it cannot be written; it is then not assigned.
    pub fn ask(&mut self) -> Result<SubsetAsk> {
        let turn = self.file.asking();
        self.file.decide(&turn, SubsetStudy::ask)
    }

    /// Takes the result of a trial, as [`SubsetStudy::tell`] does.
    ///
    /// # Errors
    /// Those of [`SubsetStudy::tell`]; `Storage` if it cannot be written: the trial then stays as it
    /// was, and can be told again.
    pub fn tell(&mut self, id: impl Into<TrialId>, values: &[f64], outcome: Outcome) -> Result<()> {
        let id = id.into();
        self.file.change(|study| study.tell(id, values, outcome))
    }

    /// Takes an observation that was never asked for, as [`SubsetStudy::import`] does.
    ///
    /// # Errors
    /// Those of [`SubsetStudy::import`]; `Storage`.
    pub fn import(&mut self, values: &[f64], outcome: Outcome) -> Result<TrialId> {
        self.file.change(|study| study.import(values, outcome))
    }

    /// Gives a trial up, or takes back what was told of it, as [`SubsetStudy::withdraw`] does.
    ///
    /// # Errors
    /// Those of [`SubsetStudy::withdraw`]; `Storage`.
    pub fn withdraw(&mut self, id: impl Into<TrialId>) -> Result<()> {
        let id = id.into();
        self.file.change(|study| study.withdraw(id))
    }

    /// Replaces what was told of a trial, as [`SubsetStudy::correct`] does. Optuna keeps what was told
    /// first.
    ///
    /// # Errors
    /// Those of [`SubsetStudy::correct`]; `Storage`.
    pub fn correct(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        self.file.change(|study| study.correct(id, outcome))
    }

    /// Whether the budget has room for the next trial, as [`SubsetStudy::verdict`] says.
    ///
    /// # Errors
    /// Those of [`SubsetStudy::verdict`]; `Storage`.
    pub fn verdict(&mut self) -> Result<Verdict> {
        self.file.find(SubsetStudy::verdict)
    }

    /// The set and its values with the best expected outcome, as [`SubsetStudy::recommendation`] says.
    ///
    /// # Errors
    /// Those of [`SubsetStudy::recommendation`]; `Storage`.
    pub fn recommendation(&mut self) -> Result<Option<SubsetRecommendation>> {
        self.file.find(SubsetStudy::recommendation)
    }

    /// The best values of each set, as [`SubsetStudy::recommendations`] says.
    ///
    /// # Errors
    /// Those of [`SubsetStudy::recommendations`]; `Storage`.
    pub fn recommendations(&mut self) -> Result<Vec<SubsetRecommendation>> {
        self.file.find(SubsetStudy::recommendations)
    }
}

in_a_file!(SubsetJournal: SubsetStudy);

impl JournalOptions {
    /// Opens the file and continues its study of control sets, or creates both. When trials are
    /// [given up](Self::give_up) does not count: a trial of control sets waits.
    ///
    /// # Errors
    /// Those of [`SubsetJournal::open`].
    pub fn open_subsets(
        self,
        path: impl AsRef<Path>,
        builder: SubsetStudyBuilder,
    ) -> Result<SubsetJournal> {
        EventFile::open(self, path.as_ref(), builder).map(|file| SubsetJournal { file })
    }
}
