//! What each process does: it asks, evaluates and tells until enough was told.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use frontend::Result;
use gittins::journal::Journal;
use gittins::study::{StudyBuilder, TrialState};
use gittins::{Acquisition, Cost, Cpu, Outcome, Space, Study, TrialId};

/// The settings of a run.
pub fn settings(seed: u64) -> StudyBuilder {
    let space = Space::new().log_float("rate", 1e-4, 1.0).float("x", -1.0, 1.0).int("n", 1, 9);
    Study::minimize(space)
        .cost(Cost::learned())
        .policy(Acquisition::gittins(1e-6))
        .backend(Arc::new(Cpu))
        .seed(seed)
}

/// The outcome and the cost at a point; every seventh evaluation or so fails.
pub fn outcome(point: &[f64]) -> Outcome {
    let [rate, x, n] = [point[0].ln(), point[1], point[2]];
    let value = (rate + 4.0).powi(2) / 30.0 + (3.0 * x).sin() + 0.1 * (n - 5.0).abs();
    let cost = 1.0 + 0.2 * n + x.abs();
    if (rate * 13.7).sin() > 0.9 {
        Outcome::failed().cost(cost)
    } else {
        Outcome::new(value).cost(cost)
    }
}

/// Trials that were told.
pub fn told(study: &Study) -> usize {
    study.history().iter().filter(|trial| trial.state.is_told()).count()
}

/// Tells a trial, and says so.
fn tell(journal: &mut Journal, id: TrialId, point: &[f64]) -> Result<()> {
    journal.tell(id, outcome(point))?;
    // Whoever reads this may rely on it.
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", journal.number(id)?)?;
    out.flush()?;
    Ok(())
}

/// The pending trials that are of this process, or all of them, and their points.
pub fn under_way(journal: &Journal, slot: Option<usize>) -> Vec<(TrialId, Vec<f64>)> {
    let slot = slot.map(|slot| slot.to_string());
    let mine = |id: TrialId| slot.is_none() || journal.notes(id).get("slot") == slot.as_ref();
    let under_way = journal.study().history().iter();
    under_way
        .filter(|trial| trial.state == TrialState::Pending && mine(trial.id))
        .map(|trial| (trial.id, trial.numbers()))
        .collect()
}

/// Works until `trials` trials are told.
pub fn work(file: &Path, slot: usize, processes: usize, trials: usize, seed: u64) -> Result<()> {
    let alone = processes == 1;
    let mut journal = Journal::open(file, settings(seed))?;
    for (id, point) in under_way(&journal, Some(slot).filter(|_| !alone)) {
        tell(&mut journal, id, &point)?;
    }
    while told(journal.study()) < trials {
        journal.verdict()?;
        let ask = journal.ask()?;
        if !alone {
            journal.note(ask.id(), "slot", &slot.to_string())?;
        }
        tell(&mut journal, ask.id(), ask.numbers())?;
    }
    Ok(())
}
