//! What is said before a run and after it.

use std::fs;
use std::thread;

use gittins::Trial;
use gittins::journal::Journal;
use gittins::study::TrialState;
use serde_json::json;

use super::screen::{Hand, Screen};
use super::state::State;
use crate::file::StudyFile;
use crate::findings::ending::{Ending, FAILED};
use crate::findings::findings;
use crate::findings::ranking;
use crate::findings::tally::Tally;
use crate::opened::lacks;
use crate::words::code::{Code, DONE};
use crate::words::console::Console;
use crate::words::failure::Result;
use crate::words::show;

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
    for words in lost {
        screen.say(words);
    }
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
    let tally = Tally::of(journal.study());
    let code = ending.exit_code();
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
    if matches!(ending, Ending::Verdict(_)) && file.is_priced_by_the_clock() {
        text += &busy().unwrap_or_default();
    }
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

/// A line on costs by the clock if more wants to compute than there are processors. Only Linux says
/// it.
fn busy() -> Option<String> {
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    words_on(&load, thread::available_parallelism().ok()?.get())
}

/// What a load, as Linux writes it, says of costs on so many processors.
fn words_on(load: &str, processors: usize) -> Option<String> {
    let load: f64 = load.split_whitespace().next()?.parse().ok()?;
    (load > processors as f64).then(|| {
        let load = show::number(load);
        format!(
            "costs        are by the clock, and the machine is busy (load {load}, processors {processors}): if others use it, [cost] from = \"cpu_time\" counts what a trial used\n"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::words_on;

    #[test]
    fn a_busy_machine_is_one_with_more_load_than_processors() {
        let said = words_on("5.20 3.55 4.05 3/512 30843\n", 2).unwrap();
        assert!(said.contains("(load 5.2, processors 2)"), "{said}");
        for (load, processors) in [("2.00 9.00 9.00 1/9 9", 2), ("", 1), ("much", 1)] {
            assert_eq!(words_on(load, processors), None, "{load}");
        }
    }
}
