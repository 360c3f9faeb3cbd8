//! What is said before a run in stages and after it, and how such a study stands.

use gittins::journal::Journal;
use gittins::study::TrialState;
use gittins::{Study, Trial};
use serde_json::{Map, Value as Json, json};

use super::folder::Folders;
use super::lost::{Settled, number_of};
use super::screen::Screen;
use crate::console::Console;
use crate::ending::Ending;
use crate::failure::Result;
use crate::file::StudyFile;
use crate::show;

/// How many runs are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// At their end.
    pub complete: usize,
    /// Left, and may be resumed.
    pub paused: usize,
    /// Left for good.
    pub abandoned: usize,
    /// Broken.
    pub failed: usize,
    /// Pending.
    pub pending: usize,
}

impl Tally {
    /// Counts the runs of a study.
    pub fn of(study: &Study) -> Self {
        let mut tally = Self::default();
        for run in study.history() {
            *match run.state {
                TrialState::Complete => &mut tally.complete,
                TrialState::Paused => &mut tally.paused,
                TrialState::Failed => &mut tally.failed,
                TrialState::Pending => &mut tally.pending,
                _ => &mut tally.abandoned,
            } += 1;
        }
        tally
    }

    /// In words.
    pub fn words(&self) -> String {
        let Self { complete, paused, abandoned, failed, pending } = self;
        format!(
            "{complete} complete, {paused} paused, {abandoned} abandoned, {failed} failed, {pending} pending"
        )
    }

    /// As an object.
    pub fn json(&self) -> Json {
        json!({
            "complete": self.complete, "paused": self.paused, "abandoned": self.abandoned,
            "failed": self.failed, "pending": self.pending,
        })
    }
}

/// What a run begins with.
pub fn begin(screen: &mut Screen, file: &StudyFile, journal: &Journal, settled: &[Settled]) {
    let study = journal.study();
    screen.knows(study.best_report().map(|report| report.outcome), study.total_cost());
    let place = file.journal.display();
    screen.say(&match study.history().len() {
        0 => format!("{}: begins in {place}", journal.name()),
        count => format!(
            "{}: goes on after {count} trials in {place}, {} spent",
            journal.name(),
            show::money(study.total_cost(), file.unit.as_deref())
        ),
    });
    for Settled { trial, reports } in settled {
        screen.say(&match reports {
            0 => format!("{trial:>5}  was left by a run that is gone"),
            1 => format!("{trial:>5}  was left by a run that is gone; its last report is told"),
            count => {
                format!(
                    "{trial:>5}  was left by a run that is gone; its last {count} reports are told"
                )
            }
        });
    }
}

/// A run as an object.
pub fn run_json(journal: &Journal, folders: &Folders, run: &Trial) -> Json {
    let number = number_of(journal, run.id);
    let names = journal.study().names().iter().map(String::as_str);
    let reports: Vec<Json> = run
        .reports
        .iter()
        .map(|report| {
            json!({ "progress": report.progress, "outcome": report.outcome, "cost": report.cost })
        })
        .collect();
    let mut object = json!({
        "trial": number, "state": run.state.name(),
        "values": show::values_json(names.zip(&run.values)), "cost": run.cost.unwrap_or(0.0), "reports": reports,
    });
    if let Some(why) = why(journal, folders, run) {
        object["why"] = json!(why);
    }
    object
}

/// Why a run failed, or why its last process broke after the report at which it was left.
pub fn why(journal: &Journal, folders: &Folders, run: &Trial) -> Option<String> {
    let is_over = matches!(run.state, TrialState::Complete | TrialState::Pending);
    folders.trial(number_of(journal, run.id)).why().filter(|_| !is_over)
}

/// The best run, for a program and for a person.
pub fn best(journal: &Journal, folders: &Folders) -> (Map<String, Json>, String) {
    let study = journal.study();
    let mut json = Map::new();
    let Some((run, report)) = study.best().zip(study.best_report()) else {
        json.insert("best".to_owned(), Json::Null);
        return (json, String::new());
    };
    let number = number_of(journal, run.id);
    let mut object = run_json(journal, folders, run);
    object["outcome"] = json!(report.outcome);
    object["progress"] = json!(report.progress);
    json.insert("best".to_owned(), object);
    let names = study.names().iter().map(String::as_str);
    let text = format!(
        "best         trial {number}: {}\n             outcome {} at {}",
        show::values(names.zip(&run.values)),
        show::number(report.outcome),
        show::number(report.progress),
    );
    (json, text)
}

/// What a run ends with.
pub fn end(
    journal: &Journal,
    file: &StudyFile,
    folders: &Folders,
    ending: &Ending,
    console: Console,
) -> Result<()> {
    let study = journal.study();
    let (mut json, found) = best(journal, folders);
    let tally = Tally::of(study);
    json.extend([
        ("ended".to_owned(), json!(ending.name())),
        ("words".to_owned(), json!(ending.words())),
        ("trials".to_owned(), tally.json()),
        ("spent".to_owned(), json!(study.total_cost())),
        ("unit".to_owned(), json!(file.unit)),
        ("journal".to_owned(), json!(file.journal)),
    ]);
    let mut text = format!("\n{}\n\n", ending.words());
    if !found.is_empty() {
        text += &format!("{found}\n");
    }
    text += &format!(
        "spent        {} on {} trials: {}\n",
        show::money(study.total_cost(), file.unit.as_deref()),
        study.history().len(),
        tally.words(),
    );
    text += &format!("journal      {}", file.journal.display());
    if matches!(ending, Ending::Interrupted | Ending::Failing(_)) {
        text += "; the same command goes on from here";
    }
    if !study.history().is_empty() {
        let failed = study.history().iter().rfind(|run| run.state == TrialState::Failed);
        let failed = failed.map(|run| number_of(journal, run.id));
        text += &format!("\n{}", show::next(&file.path, failed));
    }
    console.print(&json.into(), &text)
}
