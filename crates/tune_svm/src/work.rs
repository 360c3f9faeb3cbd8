//! One run: workers that share a study.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use frontend::run::expected_cost;
use gittins::{Ask, Cost, Outcome, Policy, Space, Study, TrialId, Verdict};
use linfa_svm::SvmError;
use wine::Folds;

use crate::clock::cpu_time;
use crate::machine;

/// How long a worker waits before it looks again: those that run may be overdue by then.
const PATIENCE: Duration = Duration::from_secs(5);

/// How a run is made.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// How much less error a second of training must buy.
    pub lambda: f64,
    /// How many threads train at once.
    pub workers: usize,
    /// The most trials.
    pub max_trials: usize,
    /// Fixes every suggestion.
    pub seed: u64,
}

/// What came of a trial.
#[derive(Debug, Clone)]
pub struct Made {
    /// The penalty and the kernel's parameter.
    pub setting: [f64; 2],
    /// The share of wines in the wrong class.
    pub error: f64,
    /// The least error so far.
    pub best: f64,
    /// CPU seconds.
    pub seconds: f64,
    /// What it was expected to cost.
    pub expected: Option<f64>,
    /// The money spent, this trial included.
    pub spent: f64,
    /// Seconds from the start of the run to the end of the trial.
    pub ended: f64,
    /// The stopping rule's statistic after it.
    pub promise: Option<f64>,
}

/// What came of a run.
pub struct Course {
    /// The study.
    pub study: Study,
    /// Its trials in the order in which they ended.
    pub made: Vec<Made>,
    /// The last verdict.
    pub verdict: Verdict,
    /// Seconds from start to end.
    pub wall: f64,
    /// Seconds of choosing points and judging when to stop.
    pub thinking: f64,
}

/// What goes wrong in a run.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

struct State<'a> {
    study: Study,
    made: Vec<Made>,
    running: Vec<(TrialId, Instant)>,
    asked: usize,
    verdict: Option<Verdict>,
    over: bool,
    thinking: f64,
    say: &'a mut (dyn FnMut(&Made) + Send),
}

struct Shared<'a> {
    settings: Settings,
    folds: &'a Folds,
    began: Instant,
    state: Mutex<State<'a>>,
    changed: Condvar,
}

/// Runs trials until another one is not worth its price, or until there are enough. `say` hears of
/// each as it ends.
///
/// # Errors
/// Those of the study and of the machine.
pub fn run(
    folds: &Folds,
    settings: Settings,
    say: &mut (dyn FnMut(&Made) + Send),
) -> Result<Course> {
    let space = Space::new().log_float("C", 1e-2, 1e3).log_float("gamma", 1e-3, 10.0);
    let study = Study::minimize(space)
        .cost(Cost::learned())
        .policy(Policy::gittins(settings.lambda))
        .cost_unit("s")
        .seed(settings.seed)
        .build()?;
    let (made, running) = (Vec::new(), Vec::new());
    let state =
        State { study, made, running, asked: 0, verdict: None, over: false, thinking: 0.0, say };
    let shared = Shared {
        settings,
        folds,
        began: Instant::now(),
        state: Mutex::new(state),
        changed: Condvar::new(),
    };
    thread::scope(|scope| {
        let worker = || shared.work();
        let workers: Vec<_> = (0..settings.workers).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker that returns"))
    })?;
    let wall = shared.began.elapsed().as_secs_f64();
    let mut state = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let verdict = match state.verdict {
        Some(verdict) => verdict,
        None => state.study.verdict()?,
    };
    Ok(Course { study: state.study, made: state.made, verdict, wall, thinking: state.thinking })
}

impl<'a> Shared<'a> {
    /// What each worker does. An error ends the run of all.
    fn work(&self) -> Result<()> {
        let done = self.make_trials();
        if done.is_err() {
            self.lock().over = true;
        }
        self.changed.notify_all();
        done
    }

    fn make_trials(&self) -> Result<()> {
        while let Some(ask) = self.next()? {
            // No lock is held while a machine is trained.
            let (c, gamma) = (ask.get("C")?, ask.get("gamma")?);
            let before = cpu_time();
            let judged: std::result::Result<(f64, f64), SvmError> =
                machine::judged(self.folds, None, c, gamma);
            let seconds = (cpu_time() - before).as_secs_f64();
            let (error, _) = judged?;
            self.tell(&ask, error, seconds)?;
            self.changed.notify_all();
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next trial; none once the run is over. Waits while none is worth its price beside those
    /// that run: what they bring may change that.
    fn next(&self) -> Result<Option<Ask>> {
        let mut state = self.lock();
        loop {
            if state.over || state.asked == self.settings.max_trials {
                return Ok(None);
            }
            let clock = Instant::now();
            let ask = state.decide()?;
            state.thinking += clock.elapsed().as_secs_f64();
            match ask {
                Some(ask) => return Ok(Some(ask)),
                None if state.over => return Ok(None),
                None => {
                    let waited = self.changed.wait_timeout(state, PATIENCE);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    fn tell(&self, ask: &Ask, error: f64, seconds: f64) -> Result<()> {
        let mut state = self.lock();
        let state = &mut *state;
        state.running.retain(|(id, _)| *id != ask.id());
        state.study.tell(ask.id(), Outcome::new(error).cost(seconds))?;
        let clock = Instant::now();
        let verdict = state.study.verdict()?;
        state.thinking += clock.elapsed().as_secs_f64();
        let statistic = verdict.reason().statistic;
        let made = Made {
            setting: [ask.get("C")?, ask.get("gamma")?],
            error,
            best: state.made.last().map_or(error, |last| last.best.min(error)),
            seconds,
            expected: expected_cost(ask.why()),
            spent: state.study.total_cost(),
            ended: self.began.elapsed().as_secs_f64(),
            promise: statistic.is_finite().then_some(statistic),
        };
        // A verdict to stop that comes while others run may be taken back by what they bring.
        state.over |= verdict.is_stop() && state.running.is_empty();
        state.verdict = Some(verdict);
        (state.say)(&made);
        state.made.push(made);
        Ok(())
    }
}

impl State<'_> {
    /// A trial, if one is worth its price beside those that run. Without any that run it is the
    /// verdict that says whether the run is over.
    fn decide(&mut self) -> Result<Option<Ask>> {
        for (id, began) in &self.running {
            // The CPU time of a thread is known to itself alone. Unless there are more threads than
            // cores, it is about the time that has passed.
            self.study.note_running(*id, began.elapsed().as_secs_f64())?;
        }
        let verdict = self.study.verdict_on_another()?;
        if verdict.is_stop() {
            self.over |= self.running.is_empty();
            return Ok(None);
        }
        let ask = self.study.ask()?;
        self.asked += 1;
        self.running.push((ask.id(), Instant::now()));
        Ok(Some(ask))
    }
}
