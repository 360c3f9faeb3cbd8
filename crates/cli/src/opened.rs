//! A study that is there, by its study.toml or by its journal.

use std::path::{Path, PathBuf};

use crate::file::{self, Limits, StudyFile};
use crate::findings::ending::ending;
use crate::words::console;
use crate::words::failure::{At, Failure, Result};
use crate::words::show::{no_trial, number_of};
use gittins::journal::Journal;

/// A study that is there.
pub struct Opened {
    /// Its journal.
    pub journal: Journal,
    /// The journal's file.
    pub path: PathBuf,
    /// Its file, if it was opened by that.
    pub file: Option<StudyFile>,
}

impl Opened {
    /// Opens a study that has a journal. What the journal has and the study has not is said.
    ///
    /// # Errors
    /// A study.toml whose journal does not exist yet.
    pub fn there(path: &Path) -> Result<Self> {
        Self::to_show(path).inspect(Self::say_what_it_lacks)
    }

    /// Opens a study that has a journal, to tell all of it.
    ///
    /// # Errors
    /// A study.toml whose journal does not exist yet.
    pub fn to_show(path: &Path) -> Result<Self> {
        let file = read(path)?;
        if let Some(file) = file.as_ref().filter(|file| !file.journal.exists()) {
            return Err(file.not_there()).at(path.display());
        }
        Self::open(path, file)
    }

    /// Opens a study that has a journal, to tell it the result of a whole trial.
    ///
    /// # Errors
    /// Those of [`there`](Self::there); trials that run in stages.
    pub fn to_tell(path: &Path) -> Result<Self> {
        let opened = Self::there(path)?;
        let in_stages = opened.journal.study().stages().is_some();
        check_whole(in_stages, path).map(|()| opened)
    }

    /// Opens a study of whole trials. A study.toml gets its journal if it has none yet. What the
    /// journal has and the study has not is said.
    ///
    /// # Errors
    /// Trials that run in stages.
    pub fn or_new(path: &Path) -> Result<Self> {
        let file = read(path)?;
        check_whole(file.as_ref().is_some_and(|file| file.stages.is_some()), path)?;
        let opened = Self::open(path, file)?;
        check_whole(opened.journal.study().stages().is_some(), path)?;
        opened.say_what_it_lacks();
        Ok(opened)
    }

    fn say_what_it_lacks(&self) {
        lacks(&self.journal).for_each(console::say);
    }

    /// Whether a path is a study.toml whose journal does not exist yet.
    pub fn is_fresh(path: &Path) -> Result<bool> {
        Ok(read(path)?.is_some_and(|file| !file.journal.exists()))
    }

    fn open(path: &Path, file: Option<StudyFile>) -> Result<Self> {
        Ok(match file {
            Some(file) => {
                Self { journal: file.open()?, path: file.journal.clone(), file: Some(file) }
            }
            None => Self { journal: Journal::resume(path)?, path: path.to_owned(), file },
        })
    }

    /// Whether to stop, and the words for it. A journal whose rule is not known has none.
    pub fn judged(&mut self) -> Result<(bool, String)> {
        let limits = self.file.as_ref().map_or_else(Limits::none, |file| file.limits);
        let unit = self.file.as_ref().and_then(|file| file.unit.as_deref());
        Ok(match ending(&mut self.journal, &limits, unit)? {
            Ok(ending) => (true, ending.words()),
            Err(verdict) => (false, verdict.reason().to_string()),
        })
    }

    /// The unit of cost.
    pub fn unit(&self) -> Option<&str> {
        let of_file = self.file.as_ref().and_then(|file| file.unit.as_deref());
        of_file.or_else(|| self.journal.study().cost_unit())
    }

    /// The trial of a number.
    pub fn trial(&self, number: usize) -> Result<gittins::TrialId> {
        let journal = &self.journal;
        let known = journal.study().history().iter().map(|trial| number_of(journal, trial.id));
        journal.trial(number).ok_or_else(|| no_trial(&self.path, number, known))
    }
}

/// The study.toml at a path; none if a journal is there.
fn read(path: &Path) -> Result<Option<StudyFile>> {
    file::is_study_file(path)?.then(|| StudyFile::read(path)).transpose()
}

/// Checks that the trials of a study are whole ones.
fn check_whole(in_stages: bool, path: &Path) -> Result<()> {
    let why = "its trials are runs in stages, which have no single outcome to ask for, to tell or to import: gittins run works on them, and a loop of your own uses the library, Python or serve";
    if in_stages { Err(Failure::new(why)).at(path.display()) } else { Ok(()) }
}

/// What a journal has that its study has not, and what it has lost.
pub fn lacks(journal: &Journal) -> impl Iterator<Item = String> {
    let left_out = journal.left_out().iter();
    // What was withdrawn is no result.
    let left_out = left_out.filter(|(_, why)| why.as_str() != "it was withdrawn");
    let (pruned, others): (Vec<_>, Vec<_>) =
        left_out.partition(|(_, why)| why.as_str() == "it was pruned");
    let first = others.first().map(|(number, why)| {
        let more = others.len() - 1;
        let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
        format!("trial {number} ({why}){rest}")
    });
    let pruned = (!pruned.is_empty()).then(|| format!("{} that were pruned", pruned.len()));
    let parts: Vec<String> = first.into_iter().chain(pruned).collect();
    let words = (!parts.is_empty()).then(|| {
        format!("left out of the study: {}; gittins status names them all", parts.join("; "))
    });
    words.into_iter().chain(journal.missing())
}
