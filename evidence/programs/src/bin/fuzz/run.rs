//! Many studies, each from a seed of its own.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::calls::Call;
use crate::dice::{Dice, seed_of};
use crate::invariants::{Break, Held};
use crate::play::play;
use crate::shrink::shrink;
use crate::spoiled;
use crate::tally::Tally;
use crate::twin::Twin;
use crate::view::View;
use crate::world::World;

const TWINS: f64 = 0.35;
/// Settings of which something is spoiled, tried with each study.
const SPOILED: usize = 2;
const SHRINKING: Duration = Duration::from_secs(60);

/// What did not hold in a study, and how to see it again.
#[derive(Debug, Clone)]
pub struct Failure {
    pub seed: u64,
    pub broken: Break,
    /// The study, what is different in its twin, and the calls that lead there.
    pub story: String,
}

/// A study with everything that is drawn for it: what a failure tells, and what is played again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Case {
    world: World,
    twin: Option<Twin>,
    calls: Vec<Call>,
}

impl Case {
    fn draw(dice: &mut Dice) -> Self {
        let world = World::draw(dice);
        let calls = Call::draw_all(&world, dice);
        let twins = Twin::of(&world, &calls);
        let twin = (!twins.is_empty() && dice.chance(TWINS)).then(|| dice.weighed(&twins));
        Self { world, twin, calls }
    }

    /// One that a failure told, from a file.
    pub fn read(path: &Path) -> frontend::Result<Self> {
        Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
    }

    /// As data, with a line for each call.
    fn text(&self) -> String {
        let line = |call| serde_json::to_string(call).unwrap_or_default();
        let calls = Vec::from_iter(self.calls.iter().map(line)).join(",\n  ");
        let bare = Self { calls: Vec::new(), ..self.clone() };
        let text = serde_json::to_string(&bare).unwrap_or_else(|error| error.to_string());
        text.replace("\"calls\":[]", &format!("\"calls\":[\n  {calls}]"))
    }

    fn play(&self, calls: &[Call], tally: &mut Tally) -> Held {
        let said = play(&self.world, &View::PLAIN, calls, tally)?;
        let Some(twin) = self.twin else { return Ok(()) };
        twin.compare(&self.world, calls, &said, tally)
    }

    /// Plays it; what does not hold is made short.
    fn run(self, seed: u64, tally: &mut Tally) -> Result<(), Failure> {
        tally.studies += 1;
        let Err(broken) = self.play(&self.calls, tally) else { return Ok(()) };
        let again = |calls: &[Call]| {
            let other = self.play(calls, &mut Tally::default()).err();
            other.filter(|other| other.invariant == broken.invariant)
        };
        let calls = shrink(&self.calls, SHRINKING, |calls| again(calls).is_some());
        let broken = again(&calls).unwrap_or(broken);
        let all = self.calls.len();
        let short = Self { calls, ..self };
        let story = format!("{} of {all} calls:\n{}", short.calls.len(), short.text());
        Err(Failure { seed, broken, story })
    }

    /// A study as it was told.
    pub fn again(self, tally: &mut Tally) -> Result<(), Failure> {
        let seed = self.world.seed;
        self.run(seed, tally)
    }
}

/// One study by its seed, and settings of which something is spoiled.
pub fn study(seed: u64, tally: &mut Tally) -> Result<(), Failure> {
    let mut dice = Dice::new(seed);
    Case::draw(&mut dice).run(seed, tally)?;
    for _ in 0..SPOILED {
        let refused = spoiled::try_settings(&World::draw(&mut dice), &mut dice);
        let told = |broken: Break| Failure { seed, story: broken.detail.clone(), broken };
        tally.refused += usize::from(refused.map_err(told)?);
    }
    Ok(())
}

#[derive(Default)]
pub struct Ended {
    pub tally: Tally,
    pub failures: Vec<Failure>,
    pub slowest: Slowest,
    pub seconds: f64,
}

#[derive(Default)]
pub struct Slowest {
    pub seed: u64,
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
        let calls = Case::draw(&mut Dice::new(study)).calls;
        sum += calls.iter().map(Call::operations).sum::<usize>();
        seeds.push(study);
    }
    let next = AtomicUsize::new(0);
    let over = AtomicBool::new(false);
    let ended = Mutex::new(Ended::default());
    let work = || {
        while let Some(&seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed))
            && !over.load(Ordering::Relaxed)
        {
            let (began, mut tally) = (Instant::now(), Tally::default());
            let result = study(seed, &mut tally);
            let seconds = began.elapsed().as_secs_f64();
            done(tally.operations(), result.as_ref().err());
            let mut ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
            ended.tally.add(&tally);
            if seconds > ended.slowest.seconds {
                ended.slowest = Slowest { seed, seconds };
            }
            if let Err(failure) = result {
                over.store(!all, Ordering::Relaxed);
                ended.failures.push(failure);
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
    let ended = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ended { seconds: began.elapsed().as_secs_f64(), ..ended }
}
