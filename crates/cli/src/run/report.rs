//! What is said before a run and after it.

use gittins::{Space, TrialId};
use serde_json::json;

use super::progress::Progress;
use crate::console::Console;
use crate::ending::Ending;
use crate::failure::Result;
use crate::file::StudyFile;
use crate::show;
use crate::tally::Tally;
use gittins::journal::Journal;

/// What a run begins with.
pub fn begin(progress: &Progress, file: &StudyFile, journal: &Journal, lost: &[TrialId]) {
    let study = journal.study();
    let tally = Tally::of(study);
    let journal_name = file.journal.display();
    progress.say(&match tally.told() {
        0 => format!("{}: begins in {journal_name}", journal.name()),
        told => format!(
            "{}: goes on after {told} trials in {journal_name}, {} spent",
            journal.name(),
            show::money(tally.spent, file.unit.as_deref())
        ),
    });
    if !lost.is_empty() {
        let numbers: Vec<String> =
            lost.iter().map(|id| show::number_of(journal, *id).to_string()).collect();
        progress.say(&format!(
            "given up, because the run that made them is gone: trial {}",
            numbers.join(", ")
        ));
    }
}

/// What a run ends with.
pub fn end(
    journal: &mut Journal,
    file: &StudyFile,
    ending: &Ending,
    console: Console,
) -> Result<()> {
    let recommendation = journal.recommendation()?;
    let study = journal.study();
    let tally = Tally::of(study);
    let names: Vec<String> = Space::names(&file.space).map(str::to_owned).collect();
    let best = study.best();
    let json = json!({
        "ended": ending.name(), "words": ending.words(),
        "best": best.map(|best| show::trial_json(journal, best, &names)),
        "recommendation": recommendation.as_ref().map(|of| show::recommendation_json(journal, of)),
        "trials": tally.json(), "spent": tally.spent, "unit": file.unit, "journal": file.journal,
    });
    let mut text = format!("\n{}\n\n", ending.words());
    if let Some(best) = best {
        let named = names.iter().map(String::as_str).zip(&best.values);
        text += &format!(
            "best         trial {}: {}\n             outcome {}\n",
            show::number_of(journal, best.id),
            show::values(named),
            show::number(best.outcome.unwrap_or(f64::NAN))
        );
    }
    if let Some(of) = &recommendation {
        text += &format!("recommended  {}\n", show::recommendation(journal, of));
    }
    text += &format!(
        "spent        {} on {} trials, {} of them without an outcome\n",
        show::money(tally.spent, file.unit.as_deref()),
        tally.told(),
        tally.without_outcome(),
    );
    text += &format!("journal      {}", file.journal.display());
    if matches!(ending, Ending::Interrupted | Ending::Failing(_)) {
        text += "; the same command goes on from here";
    }
    console.print(&json, &text)
}
