//! Ways to spend the same money on trainings.

use frontend::Result;
use gittins::study::{Advice, Stages};
use gittins::{Cost, Outcome, Space, Study};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::account::{Account, Ending, Stage};
use crate::training::{EPOCHS, REPORTS, Setting};

/// Of so many runs at a report, successive halving takes one further.
const ETA: usize = 3;

/// A way to spend money.
#[derive(Clone, Copy)]
pub enum Way {
    Staged,
    Whole,
    Halving,
    Random,
}

impl Way {
    pub const ALL: [Self; 4] = [Self::Staged, Self::Whole, Self::Halving, Self::Random];

    pub fn name(self) -> &'static str {
        match self {
            Self::Staged => "runs in stages",
            Self::Whole => "whole runs",
            Self::Halving => "ASHA",
            Self::Random => "random whole runs",
        }
    }

    /// Spends the money.
    pub fn spend(self, account: &mut Account<'_>, seed: u64) -> Result<()> {
        match self {
            Self::Staged => staged(account, seed),
            Self::Whole => whole(account, seed),
            Self::Halving => {
                halving(account, seed);
                Ok(())
            }
            Self::Random => {
                let mut drawn = Drawn::new(seed);
                while !account.is_out() {
                    let run = account.begin(drawn.setting());
                    account.train(run, EPOCHS);
                }
                Ok(())
            }
        }
    }
}

/// Random settings.
pub struct Drawn {
    space: Space,
    random: Pcg64,
}

impl Drawn {
    pub fn new(seed: u64) -> Self {
        Self { space: Setting::space(), random: Pcg64::seed_from_u64(seed) }
    }

    pub fn setting(&mut self) -> Setting {
        let unit = (0..self.space.dim()).map(|_| self.random.random_range(0.0..1.0));
        let unit: Vec<f64> = unit.collect();
        Setting::of(&self.space.values_at(&unit))
    }
}

/// The library's study of runs in stages. Weights of runs that were left stay in memory.
fn staged(account: &mut Account<'_>, seed: u64) -> Result<()> {
    let stages = Stages::epochs(EPOCHS).reports(REPORTS.map(f64::from));
    let study = Study::minimize(Setting::space()).stages(stages).budget(account.budget);
    let mut study = study.seed(seed).cost_unit("s").build()?;
    while !study.verdict()?.is_stop() {
        let ask = study.ask()?;
        let run = match ask.resume() {
            None => account.begin(Setting::of(ask.values())),
            // Both number runs in the order in which they began.
            Some(_) => ask.id().index(),
        };
        let mut until = ask.until();
        loop {
            match account.train(run, until as u32) {
                Stage::Loss(loss, seconds) => {
                    match study.report(ask.id(), until, loss, seconds)? {
                        Advice::Continue { until: next } => until = next,
                        _ => break,
                    }
                }
                Stage::Broke(seconds) => {
                    study.tell(ask.id(), Outcome::failed().cost(seconds))?;
                    break;
                }
                Stage::Out => return Ok(()),
            }
        }
    }
    Ok(())
}

/// The library's study of whole runs, which learns what they cost.
fn whole(account: &mut Account<'_>, seed: u64) -> Result<()> {
    let study = Study::minimize(Setting::space()).cost(Cost::learned()).budget(account.budget);
    let mut study = study.seed(seed).build()?;
    while !study.verdict()?.is_stop() {
        let ask = study.ask()?;
        let run = account.begin(Setting::of(ask.values()));
        let outcome = match account.train(run, EPOCHS) {
            Stage::Loss(loss, seconds) => Outcome::new(loss).cost(seconds),
            Stage::Broke(seconds) => Outcome::failed().cost(seconds),
            Stage::Out => return Ok(()),
        };
        study.tell(ask.id(), outcome)?;
    }
    Ok(())
}

/// Asynchronous successive halving (Li et al. 2020) with one worker: the best third of those that
/// came to a report goes on to the next one, the furthest first; otherwise a random run begins.
fn halving(account: &mut Account<'_>, seed: u64) {
    let mut drawn = Drawn::new(seed);
    while !account.is_out() {
        let (run, report) =
            promoted(account).unwrap_or_else(|| (account.begin(drawn.setting()), 0));
        account.train(run, REPORTS[report]);
    }
}

/// The run that goes on, and to which report.
fn promoted(account: &Account<'_>) -> Option<(usize, usize)> {
    (1..REPORTS.len()).rev().find_map(|report| {
        let runs = account.runs.iter().enumerate();
        let mut came: Vec<(f64, usize)> =
            runs.filter_map(|(at, run)| Some((run.reports.get(report - 1)?.1, at))).collect();
        came.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        came.truncate(came.len() / ETA);
        let waits = |&&(_, at): &&(f64, usize)| {
            account.runs[at].reports.len() == report && account.runs[at].ending == Ending::Left
        };
        came.iter().find(waits).map(|&(_, at)| (at, report))
    })
}
