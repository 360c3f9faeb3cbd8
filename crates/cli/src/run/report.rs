//! What is said before a run and after it.

use gittins::Trial;
use gittins::journal::Journal;
use gittins::study::TrialState;
use serde_json::json;

use super::screen::{Hand, Screen};
use super::state::State;
use crate::code::{Code, DONE};
use crate::console::Console;
use crate::ending::{Ending, FAILED};
use crate::failure::Result;
use crate::file::StudyFile;
use crate::findings;
use crate::opened::lacks;
use crate::ranking;
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
) -> Result<Code> {
    let (mut json, mut found) = findings::findings(journal)?;
    ranking::add(journal, &mut json, &mut found);
    let (tally, code) = (Tally::of(journal.study()), ending.exit_code());
    let [choosing, making] = pace.seconds();
    json["ended"] = json!(ending.name());
    json["stop"] = json!(code == DONE);
    json["verdict"] = json!(ending.words());
    json["counts"] = tally.json();
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
        && let Some(words) = findings::rule(journal)?
    {
        text += &format!("rule         {words}\n");
        json["rule"] = json!(words);
    }
    text += &format!(
        "spent        {} on {}\n",
        show::money(tally.spent, file.unit.as_deref()),
        tally.of_a_run(),
    );
    if tally.all_failed {
        let section = if file.stages.is_some() { "[stages]" } else { "[outcome]" };
        text += &format!(
            "wrong        all trials failed: look at the command, and at {section}, which says where its number stands\n"
        );
    }
    text += &format!("journal      {}", file.journal.display());
    if code != DONE {
        text += "; the same command goes on from here";
    }
    if tally.known() > 0 {
        let failed = |trial: &&Trial| trial.state == TrialState::Failed;
        let failed = journal.study().history().iter().rfind(failed);
        let failed = failed.map(|trial| show::number_of(journal, trial.id));
        text += &format!("\n{}", show::next(&file.path, failed));
    }
    console.print(&json, &text)?;
    Ok(if tally.all_failed { code.max(FAILED) } else { code })
}
