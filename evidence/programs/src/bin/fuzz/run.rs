//! Many studies, each from a seed of its own.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::dice::{Dice, seed_of};
use crate::invariants::{Break, Held, Invariant, hold};
use crate::play::attempt;
use crate::said::Said;
use crate::shrink::shrink;
use crate::staged::world::StagedWorld;
use crate::subsets::world::SubsetWorld;
use crate::tally::Tally;
use crate::transcript::Transcript;
use crate::twin::Twin;
use crate::twins::Game;
use crate::view::View;
use crate::world::World;
use crate::world::wrong::Wrong;

/// The share of studies that get a twin.
const TWINS: f64 = 0.35;
/// The share of studies of control sets.
const SUBSETS: f64 = 0.2;
/// The share of studies of runs in stages.
const STAGED: f64 = 0.15;
/// Settings that make no sense, tried with each study.
const WRONGS: usize = 2;
/// How long a failure is made shorter.
const SHRINKING: Duration = Duration::from_secs(60);

/// What did not hold in a study, and how to see it again.
#[derive(Debug, Clone)]
pub struct Failure {
    pub seed: u64,
    pub broken: Break,
    /// The study, what is different in its twin, and the calls that lead there.
    pub story: String,
}

/// A study with everything that is drawn for it.
enum Drawn {
    Study(Box<Case<World>>),
    Subsets(Box<Case<SubsetWorld>>),
    Staged(Box<Case<StagedWorld>>),
}

struct Case<G: Game> {
    game: G,
    calls: Vec<G::Call>,
    twin: Option<Twin>,
}

impl<G: Game> Case<G> {
    fn new(game: G, dice: &mut Dice) -> Self {
        let calls = game.calls(dice);
        let twins = game.twins(&calls);
        let twin = (!twins.is_empty() && dice.chance(TWINS)).then(|| dice.weighed(&twins));
        Self { game, calls, twin }
    }

    fn operations(&self) -> usize {
        self.calls.iter().map(G::operations).sum()
    }

    fn play(&self, calls: &[G::Call], tally: &mut Tally) -> Held<Vec<Said>> {
        let said = self.game.play(&View::PLAIN, calls, tally)?;
        if let Some(twin) = self.twin {
            twin.compare(&self.game, calls, &said, tally)?;
        }
        Ok(said)
    }

    fn run(&self, seed: u64, tally: &mut Tally) -> Result<(), Failure> {
        let Err(broken) = self.play(&self.calls, tally) else { return Ok(()) };
        let again = |calls: &[G::Call]| {
            self.play(calls, &mut Tally::default())
                .err()
                .filter(|other| other.invariant == broken.invariant)
        };
        let calls = shrink(&self.calls, SHRINKING, |calls| again(calls).is_some());
        let broken = again(&calls).unwrap_or(broken);
        let told = self.game.told(self.twin, &calls);
        let story = format!("{} of {} calls:\n{told}", calls.len(), self.calls.len());
        Err(Failure { seed, broken, story })
    }
}

impl Drawn {
    fn new(dice: &mut Dice) -> Self {
        match dice.index(&[SUBSETS, STAGED, 1.0 - SUBSETS - STAGED]) {
            0 => Self::Subsets(Box::new(Case::new(SubsetWorld::draw(dice), dice))),
            1 => Self::Staged(Box::new(Case::new(StagedWorld::draw(dice), dice))),
            _ => Self::Study(Box::new(Case::new(World::draw(dice), dice))),
        }
    }

    fn operations(&self) -> usize {
        match self {
            Self::Study(case) => case.operations(),
            Self::Subsets(case) => case.operations(),
            Self::Staged(case) => case.operations(),
        }
    }
}

/// A study as it was told.
pub fn again(told: Transcript, tally: &mut Tally) -> Result<(), Failure> {
    let Transcript { world, twin, calls } = told;
    tally.studies += 1;
    let seed = world.seed;
    Case { game: world, calls, twin }.run(seed, tally)
}

/// The number of operations of a study by its seed.
pub fn operations(seed: u64) -> usize {
    Drawn::new(&mut Dice::new(seed)).operations()
}

/// One study by its seed, and some settings that must be refused.
pub fn study(seed: u64, tally: &mut Tally) -> Result<(), Failure> {
    let mut dice = Dice::new(seed);
    let drawn = Drawn::new(&mut dice);
    match &drawn {
        Drawn::Study(case) => case.run(seed, tally)?,
        Drawn::Subsets(case) => case.run(seed, tally)?,
        Drawn::Staged(case) => case.run(seed, tally)?,
    }
    tally.studies += 1;
    for _ in 0..WRONGS {
        refused(&mut dice).map_err(|broken| Failure {
            seed,
            story: broken.detail.clone(),
            broken,
        })?;
        tally.refused += 1;
    }
    Ok(())
}

fn refused(dice: &mut Dice) -> Held {
    let Wrong { what, kinds, built } = attempt(|| Wrong::draw(dice))?;
    let kind = built.as_ref().err().map(gittins::Error::kind);
    let words = built.as_ref().err().is_some_and(|error| error.to_string().len() > 10);
    hold(
        kind.is_some_and(|kind| kinds.contains(&kind)) && words,
        Invariant::BadSettingsAreRefused,
        || format!("{what}: {built:?}"),
    )
}

/// What all studies came to.
pub struct Ended {
    pub tally: Tally,
    pub failures: Vec<Failure>,
    /// The seed of the study that took longest, and its seconds.
    pub slowest: (u64, f64),
    pub seconds: f64,
}

/// Studies in which so many operations are planned, on some threads; each study runs on one. With
/// `all` a failure does not end the run. `done` is told how many operations a study had, and what
/// did not hold.
pub fn run(
    seed: u64,
    planned: usize,
    threads: usize,
    all: bool,
    done: impl Fn(usize, Option<&Failure>) + Sync,
) -> Ended {
    let began = Instant::now();
    let mut seeds = Vec::new();
    let mut sum = 0;
    while sum < planned {
        let study = seed_of(seed, seeds.len() as u64);
        sum += operations(study);
        seeds.push(study);
    }
    let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let ended = Mutex::new((Tally::default(), Vec::new(), (0, 0.0)));
    let work = || {
        while let Some(&seed) = seeds
            .get(next.fetch_add(1, Ordering::Relaxed))
            .filter(|_| !over.load(Ordering::Relaxed))
        {
            let (began, mut tally) = (Instant::now(), Tally::default());
            let result = study(seed, &mut tally);
            let took = began.elapsed().as_secs_f64();
            done(tally.operations(), result.as_ref().err());
            let mut ended = ended.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            ended.0.add(&tally);
            if took > ended.2.1 {
                ended.2 = (seed, took);
            }
            if let Err(failure) = result {
                over.store(!all, Ordering::Relaxed);
                ended.1.push(failure);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            // A study's batches stay on its own thread.
            scope.spawn(|| match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
                Ok(pool) => pool.install(work),
                Err(_) => work(),
            });
        }
    });
    let (tally, failures, slowest) =
        ended.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ended { tally, failures, slowest, seconds: began.elapsed().as_secs_f64() }
}
