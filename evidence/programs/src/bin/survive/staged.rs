//! Runs in stages in a file, whose processes are killed.

use std::io::{Error, Write};
use std::path::Path;
use std::time::Duration;

use frontend::Result;
use gittins::journal::{GiveUp, Journal, JournalOptions};
use gittins::study::{AskTell, Stages, StudyBuilder, TrialState};
use gittins::{ErrorKind, Space, Study, Trial, TrialId, Value};

use crate::check::{Tally, expect};

/// After this time without a word a run is given up: its process was killed. Evaluations take no
/// time here.
const SILENCE: Duration = Duration::from_millis(500);

/// The settings of a study.
pub fn settings(seed: u64) -> StudyBuilder {
    let space = Space::new().log_float("rate", 1e-4, 1.0).float("x", -1.0, 1.0);
    Study::minimize(space).stages(Stages::epochs(27)).seed(seed)
}

fn open(file: &Path, seed: u64) -> gittins::Result<Journal> {
    JournalOptions::new().give_up(GiveUp::after(SILENCE)).open(file, settings(seed))
}

/// The outcome of a setting after some epochs, and what an epoch costs.
pub fn outcome(values: &[Value], epochs: f64) -> (f64, f64) {
    let [rate, x] = [0, 1].map(|place| values[place].number().unwrap_or(f64::NAN));
    let end = (rate.ln() + 4.0).powi(2) / 30.0 + (3.0 * x).sin();
    (end + (-epochs * (0.1 + x.abs())).exp(), 1.0 + x.abs())
}

/// How many reports a study has.
fn told(study: &Study) -> usize {
    study.history().iter().map(|run| run.reports.len()).sum()
}

/// Follows a run that is pending until it is left; `said` hears of each report that was taken.
fn follow(
    study: &mut dyn AskTell,
    run: TrialId,
    mut said: impl FnMut(TrialId, f64) -> Result<()>,
) -> Result<()> {
    loop {
        let known = &study.study().history()[run.index()];
        let (TrialState::Pending, Some(until)) = (known.state, known.until) else {
            return Ok(());
        };
        let (value, epoch) = outcome(&known.values, until);
        let cost = epoch * (until - known.progress());
        match study.report(run, until, value, cost) {
            Ok(_) => said(run, until)?,
            // This process was too slow: the run was given up, and another one went on with it.
            Err(error) if error.kind() == ErrorKind::InvalidSetting => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Works until there are so many reports.
pub fn work(file: &Path, processes: usize, reports: usize, seed: u64) -> Result<()> {
    let mut journal = open(file, seed)?;
    // Whoever reads this may rely on it.
    let said = |run: TrialId, until: f64| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{} {until}", run.index())?;
        out.flush()?;
        Ok(())
    };
    if processes == 1 {
        let is_left = |run: &&Trial| run.state == TrialState::Pending;
        let left: Vec<TrialId> =
            journal.study().history().iter().filter(is_left).map(|run| run.id).collect();
        left.into_iter().try_for_each(|run| follow(&mut journal, run, said))?;
    }
    while told(journal.study()) < reports {
        let run = journal.ask()?.id();
        follow(&mut journal, run, said)?;
    }
    Ok(())
}

/// Checks the file of a study, whose processes said which reports they had made.
pub fn check(
    file: &Path,
    said: &[String],
    (reports, processes, seed): (usize, usize, u64),
    tally: &mut Tally,
) -> Result<()> {
    let place = |what: &str| format!("{} (seed {seed}): {what}", file.display());
    let journal = open(file, seed)?;
    let study = journal.study();
    expect(told(study) >= reports, || place("the study did not end"))?;
    tally.mended +=
        std::fs::read_to_string(file)?.lines().filter(|line| line.starts_with(' ')).count();
    for line in said {
        let lost = || Error::other(place(&format!("the report {line:?} is lost")));
        let (run, until) = line.split_once(' ').ok_or_else(lost)?;
        let run: usize = run.parse().map_err(|_| lost())?;
        let until: f64 = until.parse().map_err(|_| lost())?;
        let run = study.history().get(run).ok_or_else(lost)?;
        let mut found = run.reports.iter().filter(|report| report.progress == until);
        let report = found.next().ok_or_else(lost)?;
        let right = report.outcome == outcome(&run.values, until).0 && found.next().is_none();
        expect(right, || place(&format!("the report {line:?} is another one in the file")))?;
        tally.told += 1;
    }
    for run in study.history() {
        let grows = run.reports.windows(2).all(|pair| pair[0].progress < pair[1].progress);
        expect(grows, || place(&format!("{:?} was begun anew", run.id)))?;
    }
    if processes == 1 {
        let mut whole = settings(seed).build()?;
        while told(&whole) < told(study) {
            let run = whole.ask()?.id();
            follow(&mut whole, run, |_, _| Ok(()))?;
        }
        for (mine, theirs) in study.history().iter().zip(whole.history()) {
            // One that was killed after the last report did not hear that its run goes on.
            let same = mine.values == theirs.values && theirs.reports.starts_with(&mine.reports);
            expect(same, || {
                place(&format!("{mine:?} in the file, {theirs:?} in a study without kills"))
            })?;
        }
    }
    Ok(())
}
