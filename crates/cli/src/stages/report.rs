//! What is said before a run in stages and after it, and how such a study stands.

use gittins::journal::Journal;
use gittins::study::TrialState;
use serde_json::json;

use super::lost::Settled;
use super::screen::Screen;
use crate::console::Console;
use crate::ending::Ending;
use crate::failure::Result;
use crate::file::StudyFile;
use crate::findings::findings;
use crate::show::{self, number_of};
use crate::tally::Tally;

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

/// What a run ends with.
pub fn end(
    journal: &mut Journal,
    file: &StudyFile,
    ending: &Ending,
    console: Console,
) -> Result<()> {
    let (mut json, found) = findings(journal)?;
    let study = journal.study();
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
        "spent        {} on {}\n",
        show::money(study.total_cost(), file.unit.as_deref()),
        tally.of_a_run(),
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
