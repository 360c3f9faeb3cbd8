//! A study of runs in stages that is there, by its study.toml or by its journal.

use std::path::{Path, PathBuf};

use gittins::Trial;
use gittins::journal::Journal;
use gittins::study::TrialState;
use serde_json::{Value as Json, json};

use super::folder::{Folders, Process};
use super::lost::{number_of, run_of};
use super::report::{Tally, best, run_json};
use crate::code::{Code, DONE};
use crate::console::Console;
use crate::ending::{Ending, reached};
use crate::failure::{At, Failure, Result};
use crate::file::{self, Limits, StudyFile};
use crate::run::witness;
use crate::show;

/// A study of runs in stages that is there.
pub struct Opened {
    /// Its journal.
    pub journal: Journal,
    /// The folders of its trials.
    pub folders: Folders,
    /// The journal's file.
    pub path: PathBuf,
    file: Option<StudyFile>,
}

/// Whether a path names a study of runs in stages.
///
/// # Errors
/// A study.toml that is wrong.
pub fn is_staged(path: &Path) -> Result<bool> {
    match file::is_study_file(path)? {
        true => Ok(StudyFile::read(path)?.stages.is_some()),
        // What is no journal is for its reader to say.
        false => Ok(Journal::resume(path).is_ok_and(|journal| journal.study().stages().is_some())),
    }
}

impl Opened {
    /// Opens a study of runs in stages; none for one of trials.
    ///
    /// # Errors
    /// A study.toml that is wrong, or whose journal does not exist yet; those of the journal.
    pub fn there(path: &Path) -> Result<Option<Self>> {
        if !is_staged(path)? {
            return Ok(None);
        }
        let (journal, path, file) = match file::is_study_file(path)? {
            true => {
                let file = StudyFile::read(path)?;
                if !file.journal.exists() {
                    return Err(file.not_there()).at(path.display());
                }
                (file.open()?, file.journal.clone(), Some(file))
            }
            false => (Journal::resume(path)?, path.to_owned(), None),
        };
        let folders = Folders::of(&journal);
        Ok(Some(Self { journal, folders, path, file }))
    }

    /// The unit of cost.
    pub fn unit(&self) -> Option<&str> {
        self.file.as_ref()?.unit.as_deref()
    }

    /// How many runs are in which state.
    pub fn tally(&self) -> Tally {
        Tally::of(self.journal.study())
    }

    /// The number of a run in the journal.
    pub fn number(&self, run: &Trial) -> usize {
        number_of(&self.journal, run.id)
    }

    /// Whether to stop, and the words for it.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn judged(&mut self) -> Result<(bool, String)> {
        let limits = self.file.as_ref().map_or_else(Limits::none, |file| file.limits);
        let study = self.journal.study();
        let in_hand = study.best_report().map(|report| report.outcome);
        let made = (study.history().len(), study.total_cost());
        if let Some(ending) = reached(&limits, in_hand, made, self.unit()) {
            return Ok((true, ending.words()));
        }
        let verdict = self.journal.verdict()?;
        let words = verdict.reason().to_string();
        Ok(match verdict.is_stop() {
            true => (true, Ending::Verdict(words).words()),
            false => (false, words),
        })
    }

    /// `gittins best`; false if there is none yet.
    ///
    /// # Errors
    /// Those of the console.
    pub fn best(&self, console: Console) -> Result<bool> {
        let (json, text) = best(&self.journal, &self.folders);
        let none = text.is_empty();
        let words = "no trial came to its end yet";
        console.print(&json.into(), if none { words } else { &text })?;
        Ok(!none)
    }

    /// `gittins status`.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn status(&mut self, console: Console) -> Result<Code> {
        let verdict = self.judged();
        let words = match &verdict {
            Ok((_, words)) => words.clone(),
            Err(error) => error.to_string(),
        };
        let (mut json, found) = best(&self.journal, &self.folders);
        let study = self.journal.study();
        let tally = Tally::of(study);
        let mut text = format!(
            "study        {} in {}\ntrials       {} begun: {}\nspent        {}\n",
            self.journal.name(),
            self.path.display(),
            study.history().len(),
            tally.words(),
            show::money(study.total_cost(), self.unit()),
        );
        if !found.is_empty() {
            text += &format!("{found}\n");
        }
        text += &format!("verdict      {words}\n");
        let missing = self.journal.missing();
        text += &missing.iter().map(|words| format!("missing      {words}\n")).collect::<String>();
        json.insert("missing".to_owned(), json!(missing));
        let mut running = Vec::new();
        for run in study.history() {
            if run.state != TrialState::Pending {
                continue;
            }
            let who = self.who(run);
            let forecast = study.forecast_end(run.id)?;
            let mut object = run_json(&self.journal, &self.folders, run);
            object["who"] = json!(who);
            object["expected_outcome"] = json!(forecast.as_ref().map(|of| of.mean));
            object["expected_cost"] = json!(forecast.as_ref().map(|of| of.cost));
            running.push(object);
            let names = study.names().iter().map(String::as_str);
            text += &format!(
                "running      trial {} at {}{}, {who}: {}\n",
                self.number(run),
                show::number(run.progress()),
                forecast.map_or_else(String::new, |of| format!(", {of}")),
                show::values(names.zip(&run.values)),
            );
        }
        json.extend([
            ("study".to_owned(), json!(self.journal.name())),
            ("journal".to_owned(), json!(self.path)),
            ("trials".to_owned(), tally.json()),
            ("spent".to_owned(), json!(study.total_cost())),
            ("unit".to_owned(), json!(self.unit())),
            ("stop".to_owned(), json!(verdict.as_ref().ok().map(|(stop, _)| stop))),
            ("verdict".to_owned(), json!(words)),
            ("running".to_owned(), running.into()),
        ]);
        console.print(&json.into(), &text)?;
        Ok(DONE)
    }

    /// Who works on a run, in words.
    pub(super) fn who(&self, run: &Trial) -> String {
        let processes = self.folders.trial(self.number(run)).processes();
        match processes.last().filter(|process| !process.has_ended()) {
            Some(process) => witness::words_of(&process.note),
            None => "not by this command".to_owned(),
        }
    }

    /// The trials whose runner was killed, and those that others work on, each in words.
    pub fn under_way(&self) -> Vec<(bool, String)> {
        let runs = self.journal.study().history().iter();
        let running = runs.filter(|run| run.state == TrialState::Pending);
        running
            .map(|run| {
                let number = self.number(run);
                let lost = self.folders.trial(number).processes().iter().any(Process::is_lost);
                let words = match lost {
                    true => "is waited for, and the run that made it is gone: run again".to_owned(),
                    false => self.who(run),
                };
                (!lost, format!("{number}: {words}"))
            })
            .collect()
    }

    /// `gittins withdraw`.
    ///
    /// # Errors
    /// A number of no trial; a trial that is not under way; those of the journal.
    pub fn withdraw(&mut self, trial: usize) -> Result<()> {
        let run = run_of(&self.journal, trial).ok_or_else(|| self.unknown(trial))?;
        let state = self.journal.study().history()[run.index()].state;
        if state != TrialState::Pending {
            let words = format!("trial {trial}: it is {}, and not under way", state.name());
            return Err(Failure::new(words));
        }
        Ok(self.journal.withdraw(run)?)
    }

    /// That there is no trial of a number.
    pub(super) fn unknown(&self, trial: usize) -> Failure {
        let known = self.journal.study().history().iter().map(|run| self.number(run));
        show::no_trial(&self.path, trial, known)
    }

    /// All trials as objects.
    pub fn trials(&self) -> Vec<Json> {
        let runs = self.journal.study().history().iter();
        runs.map(|run| run_json(&self.journal, &self.folders, run)).collect()
    }
}
