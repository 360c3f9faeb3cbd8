//! A run that asks, tells, fails, pays late, corrects and takes back, by a study in memory or in a
//! file.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use gittins::journal::Journal;
use gittins::study::{AskTell, StudyBuilder};
use gittins::{Ask, Outcome, Result, Study, TrialId, Value, Verdict};

/// A path that no other test uses. The file is removed when it is dropped.
pub struct Place(PathBuf);

impl Place {
    pub fn new(name: &str) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("gittins-{name}-{}-{number}.log", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A study in memory or in a file.
pub type Player = Box<dyn AskTell>;

/// What a run said: all that must be the same to the bit.
#[derive(Debug, PartialEq, Default)]
pub struct Said {
    pub asked: Vec<(TrialId, Vec<u64>)>,
    pub verdicts: Vec<Verdict>,
    pub recommended: Vec<Option<(TrialId, u64)>>,
    pub spent: Vec<u64>,
}

/// What a run does.
#[derive(Clone, Copy)]
pub struct Script {
    pub trials: usize,
    /// Costs are learned, and are to be told.
    pub costs: bool,
    /// Failures, corrections and the like.
    pub accidents: bool,
    /// A verdict at each so many trials; none for 0.
    pub verdicts: usize,
}

/// Plays a script. After each call, `next` may put another player in the place of the last.
pub fn play(
    mut player: Player,
    script: Script,
    mut next: impl FnMut(usize, Player) -> Player,
) -> Result<(Said, Player)> {
    let mut said = Said::default();
    let mut call = 0;
    let mut then = |player: &mut Player| {
        call += 1;
        replace(player, |player| next(call, player));
    };
    let mut waiting: Vec<(Ask, f64)> = Vec::new();
    let mut late: Vec<(TrialId, f64)> = Vec::new();
    let bits = |value: f64| value.to_bits();
    for trial in 0..script.trials {
        let ask = player.ask()?;
        then(&mut player);
        said.asked.push((ask.id(), ask.numbers().iter().copied().map(bits).collect()));
        let x = ask.numbers().to_vec();
        let sum: f64 = x.iter().map(|x| if x.is_nan() { 0.5 } else { *x }).sum();
        let value = (3.0 * sum).sin() + 0.3 * (x[0] - 0.4).powi(2) + 0.05 * (17.0 * sum).cos();
        let cost = 1.0 + sum.abs();
        let priced = |outcome: Outcome| if script.costs { outcome.cost(cost) } else { outcome };
        let accident = if script.accidents { trial % 13 } else { 0 };
        match accident {
            2 => player.tell(ask.id(), priced(Outcome::failed()))?,
            // It comes after the next one.
            4 | 9 => {
                waiting.push((ask, value));
                continue;
            }
            5 if script.costs => {
                player.tell(ask.id(), Outcome::new(value).cost_later())?;
                late.push((ask.id(), cost));
            }
            6 => {
                player.tell_cost(ask.id(), cost)?;
                then(&mut player);
                player.tell(ask.id(), Outcome::new(value))?;
            }
            7 => player.withdraw(ask.id())?,
            8 => {
                player.tell(ask.id(), priced(Outcome::new(1e3)))?;
                then(&mut player);
                player.correct(ask.id(), Outcome::new(value))?;
            }
            10 => player.tell(ask.id(), priced(Outcome::infeasible()))?,
            11 => {
                player.tell(ask.id(), priced(Outcome::new(value)))?;
                then(&mut player);
                player.withdraw(ask.id())?;
                then(&mut player);
                player.tell(ask.id(), priced(Outcome::new(value + 0.1)))?;
            }
            12 => {
                player.tell(ask.id(), priced(Outcome::new(value)))?;
                then(&mut player);
                let moved: Vec<Value> = ask.values().to_vec();
                player.import(&moved, priced(Outcome::new(value + 0.01)))?;
            }
            _ => player.tell(ask.id(), priced(Outcome::new(value)))?,
        }
        then(&mut player);
        if let Some((ask, value)) = waiting.pop() {
            player.tell(ask.id(), priced(Outcome::new(value)))?;
            then(&mut player);
        }
        if trial % 4 == 3
            && let Some((id, cost)) = late.pop()
        {
            player.tell_cost(id, cost)?;
            then(&mut player);
        }
        if script.verdicts > 0 && trial % script.verdicts == 0 {
            said.verdicts.push(player.verdict()?);
            then(&mut player);
        }
        if trial % 5 == 4 {
            let found = player.recommendation()?;
            said.recommended.push(found.map(|found| (found.trial, bits(found.mean))));
            then(&mut player);
        }
        said.spent.push(bits(player.study().spent()));
    }
    Ok((said, player))
}

fn replace(player: &mut Player, by: impl FnOnce(Player) -> Player) {
    let study = Study::minimize(gittins::Space::new().float("x", 0.0, 1.0)).build().unwrap();
    let before = std::mem::replace(player, Box::new(study));
    *player = by(before);
}

/// A player in memory.
pub fn memory(builder: StudyBuilder) -> Player {
    Box::new(builder.build().unwrap())
}

/// A player in a file.
pub fn file(place: &Place, builder: StudyBuilder) -> Player {
    Box::new(Journal::open(place.path(), builder).unwrap())
}
