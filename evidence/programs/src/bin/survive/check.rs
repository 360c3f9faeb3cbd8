//! What must hold after a run.

use std::io::{Error, Result as IoResult};
use std::path::Path;

use frontend::Result;
use gittins::journal::Journal;

use crate::worker::{outcome, settings, told, under_way};

/// What was counted over all runs.
#[derive(Default)]
pub struct Tally {
    pub runs: usize,
    pub kills: usize,
    pub told: usize,
    pub mended: usize,
}

pub fn expect(holds: bool, what: impl FnOnce() -> String) -> IoResult<()> {
    if holds { Ok(()) } else { Err(Error::other(what())) }
}

/// Checks the file of a run, whose processes said which trials they had told.
pub fn check(
    file: &Path,
    said: &[String],
    (trials, processes, seed): (usize, usize, u64),
    tally: &mut Tally,
) -> Result<()> {
    let place = |what: &str| format!("{} (seed {seed}): {what}", file.display());
    let mut journal = Journal::open(file, settings(seed))?;
    // A process that was killed right after it asked said nothing of its trial.
    for (id, point) in under_way(&journal, None) {
        journal.tell(id, outcome(&point))?;
    }
    let study = journal.study();
    expect(told(study) >= trials, || place("the run did not end"))?;
    tally.mended +=
        std::fs::read_to_string(file)?.lines().filter(|line| line.starts_with(' ')).count();
    for number in said {
        let id = number.parse().ok().and_then(|number| journal.trial(number));
        let trial = id.and_then(|id| study.history().get(id.index()));
        let trial = trial.ok_or_else(|| Error::other(place(&format!("trial {number} is lost"))))?;
        let expected = outcome(&trial.numbers());
        expect(trial.state.is_told(), || place(&format!("what trial {number} told is lost")))?;
        let mut alone = settings(seed).build()?;
        let values = trial.values.clone();
        let again = alone.import(&values, expected)?;
        let again = &alone.history()[again.index()];
        expect((again.outcome, again.cost) == (trial.outcome, trial.cost), || {
            place(&format!("trial {number} has other numbers than it was told with"))
        })?;
        tally.told += 1;
    }
    // A point may be asked for again after it was told, if outcomes have noise.
    let record = study.record();
    for (index, row) in record.rows().iter().enumerate() {
        let twin = record.rows()[..index].iter().find(|other| {
            other.point.unit == row.point.unit && other.told.is_none_or(|told| told >= row.seen)
        });
        expect(twin.is_none(), || place(&format!("trials {index} and {twin:?} have one point")))?;
    }
    if processes == 1 {
        let mut whole = settings(seed).build()?;
        while told(&whole) < trials {
            whole.verdict()?;
            let ask = whole.ask()?;
            whole.tell(ask.id(), outcome(ask.numbers()))?;
        }
        for (mine, theirs) in study.history().iter().zip(whole.history()) {
            expect(mine == theirs, || {
                place(&format!("{mine:?} in the file, {theirs:?} in a run without kills"))
            })?;
        }
        expect(study.history().len() == whole.history().len(), || place("a trial too many"))?;
        let verdicts = (journal.verdict()?, whole.verdict()?);
        expect(verdicts.0 == verdicts.1, || place(&format!("two verdicts: {verdicts:?}")))?;
    }
    Ok(())
}
