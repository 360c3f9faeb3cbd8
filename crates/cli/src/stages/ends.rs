//! The report at the end of a run, with the numbers that it printed beside its outcome.

use std::path::Path;

use gittins::internals::reaches;
use gittins::journal::Journal;
use gittins::study::Advice;
use gittins::{Outcome, TrialId};

use super::course::Due;
use super::follower::Follower;
use crate::file::StagesFile;
use crate::findings::measured::Measured;
use crate::program::finder::Search;
use crate::run::told::{measured, with_measured};
use crate::words::failure::Result;

/// What a run measured beside its outcome.
#[derive(Debug, Default)]
pub struct Beside {
    /// Each number.
    pub measured: Vec<Measured>,
    /// Why numbers were not measured, by their names.
    pub unmeasured: Vec<(String, String)>,
}

/// Tells a report. At the end of a run the numbers with limits are looked for in all that it printed,
/// in any of its processes.
///
/// # Errors
/// Those of the journal, and of the output.
pub fn tell(
    journal: &mut Journal,
    stages: &StagesFile,
    run: TrialId,
    due: &Due,
    output: &Path,
) -> Result<(Advice, Beside)> {
    if stages.measures.is_empty() || !reaches(due.progress, stages.total()) {
        let advice = journal.report(run, due.progress, due.outcome, due.cost)?;
        return Ok((advice, Beside::default()));
    }
    let measures = &stages.measures;
    let mut searches: Vec<Search> =
        measures.iter().map(|measure| Search::new(&measure.finder.form)).collect();
    let mut follower = Follower::new(output, 0)?;
    follower.read_all(|line| searches.iter_mut().for_each(|search| search.line(line)))?;
    // The last line may be the report, without an end.
    if searches.iter().any(|search| search.clone().result().is_err()) {
        follower.end(|line| searches.iter_mut().for_each(|search| search.line(line)));
    }
    let found = searches.into_iter().map(Search::result).collect();
    let (measured, unmeasured) = measured(measures, found);
    let outcome = Outcome::new(due.outcome).cost(due.cost);
    journal.tell(run, with_measured(outcome, &measured))?;
    Ok((Advice::Done, Beside { measured, unmeasured }))
}
