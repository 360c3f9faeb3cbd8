//! What is said before a run and after it.

use gittins::Trial;
use gittins::journal::Journal;
use gittins::study::TrialState;
use serde_json::json;

use super::screen::{Hand, Screen};
use super::state::State;
use crate::console::Console;
use crate::ending::Ending;
use crate::failure::Result;
use crate::file::StudyFile;
use crate::findings;
use crate::opened::lacks;
use crate::show;
use crate::tally::Tally;

/// What a run begins with. What runs that are gone left is said in words.
pub fn begin(screen: &mut Screen, file: &StudyFile, journal: &Journal, lost: &[String]) {
    let tally = Tally::of(journal.study());
    screen.knows(Hand::of(journal.study(), None), tally.spent);
    let place = file.journal.display();
    screen.say(&match tally.known() {
        0 => format!("{}: begins in {place}", journal.name()),
        known => format!(
            "{}: goes on after {known} trials in {place}, {} spent",
            journal.name(),
            show::money(tally.spent, file.unit.as_deref())
        ),
    });
    lacks(journal).for_each(|words| screen.say(&words));
    lost.iter().for_each(|words| screen.say(words));
}

/// What a run ends with.
pub fn end(
    State { journal, pace, .. }: &mut State,
    file: &StudyFile,
    ending: &Ending,
    console: Console,
) -> Result<()> {
    let (mut json, found) = findings::findings(journal)?;
    let tally = Tally::of(journal.study());
    let [choosing, making] = pace.seconds();
    json["ended"] = json!(ending.name());
    json["words"] = json!(ending.words());
    json["trials"] = tally.json();
    json["spent"] = json!(tally.spent);
    json["unit"] = json!(file.unit);
    json["choosing_seconds"] = json!(choosing);
    json["trial_seconds"] = json!(making);
    json["choosing_is_slow"] = json!(pace.is_slow());
    json["journal"] = json!(file.journal);
    let mut text = format!("\n{}\n\n", ending.words());
    if !found.is_empty() {
        text += &format!("{found}\n");
    }
    // A verdict that ended the run was said already.
    if !matches!(ending, Ending::Verdict(_))
        && let Some(words) = findings::verdict(journal)?
    {
        text += &format!("verdict      {words}\n");
        json["verdict"] = json!(words);
    }
    text += &format!(
        "spent        {} on {}\n",
        show::money(tally.spent, file.unit.as_deref()),
        tally.of_a_run(),
    );
    text += &format!("journal      {}", file.journal.display());
    if matches!(ending, Ending::Interrupted | Ending::Failing(_)) {
        text += "; the same command goes on from here";
    }
    if tally.known() > 0 {
        let failed = |trial: &&Trial| trial.state == TrialState::Failed;
        let failed = journal.study().history().iter().rfind(failed);
        let failed = failed.map(|trial| show::number_of(journal, trial.id));
        text += &format!("\n{}", show::next(&file.path, failed));
    }
    console.print(&json, &text)
}
