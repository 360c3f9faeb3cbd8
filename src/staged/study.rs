//! A study of runs in stages: asked for what to begin or resume, told what runs report.

use std::fmt;
use std::sync::Arc;

use super::ask::StagedAsk;
use super::builder::StagedStudyBuilder;
use super::event::{Advice, StagedEvent};
use crate::data::reports::{Run, RunState};
use crate::data::stages::{Stages, reaches};
use crate::data::{Direction, Domain, TrialId};
use crate::error::Result;
use crate::model::GaussianProcess;
use crate::suggest::policy::stages::decision::{Choice, Decision, exhausted};
use crate::surrogate::curves::StagedFit;
use crate::surrogate::curves::belief::Belief;
use crate::surrogate::curves::costs::{Paid, Rates};
use crate::surrogate::curves::kernel::Shape;
use crate::surrogate::curves::scale::Entry;

/// A study of runs that are paid for in stages: at every report a run goes on, is left, or is
/// abandoned, by what the rest of it costs and what it may still bring.
///
/// [`ask`](Self::ask) gives a run to begin or to resume, and the progress at which it reports.
/// [`report`](Self::report) takes what it says there, and says whether it goes on.
/// [`verdict`](Self::verdict) says whether anything is still worth its price. Any number of runs may
/// be under way.
///
/// ```
/// use gittins::staged::{Advice, Stages, StagedStudy};
/// use gittins::Space;
/// # fn train(rate: f64, from: f64, until: f64) -> (f64, f64) {
/// #     ((rate - 0.3f64).powi(2) + 1.0 / until, until - from)
/// # }
///
/// let space = Space::new().float("rate", 0.0, 1.0);
/// let mut study = StagedStudy::minimize(space, Stages::epochs(20)).budget(100.0).build()?;
/// while !study.verdict()?.is_stop() {
///     let ask = study.ask()?;
///     let rate = ask.get("rate")?.number().unwrap();
///     let (mut from, mut until) = (ask.resume().unwrap_or(0.0), ask.until());
///     loop {
///         let (loss, seconds) = train(rate, from, until);
///         match study.report(ask.id(), until, loss, seconds)? {
///             Advice::Continue { until: next } => (from, until) = (until, next),
///             _ => break, // a checkpoint is worth keeping after Advice::Pause
///         }
///     }
/// }
/// let best = study.best().expect("a run came to its end");
/// assert!(best.outcome().unwrap() < 0.2);
/// # Ok::<(), gittins::Error>(())
/// ```
pub struct StagedStudy {
    pub(super) domain: Domain,
    pub(super) names: Arc<[String]>,
    pub(super) stages: Stages,
    pub(super) progress: Vec<f64>,
    pub(super) shares: Vec<f64>,
    pub(super) shape: Shape,
    pub(super) rate_model: GaussianProcess,
    pub(super) direction: Direction,
    pub(super) lambda: Option<f64>,
    pub(super) budget: Option<f64>,
    pub(super) initial: usize,
    pub(super) seed: u64,
    pub(super) cost_unit: Option<String>,
    pub(super) runs: Vec<Run>,
    pub(super) log: Vec<Entry>,
    pub(super) spent: f64,
    pub(super) fit: Option<StagedFit>,
    pub(super) halvings: u32,
    pub(super) anchor: Option<TrialId>,
    pub(super) events: Vec<StagedEvent>,
    /// What is believed of the reports so far, and of costs; none if it is to be built.
    pub(super) belief: Option<(Belief, Rates)>,
    /// What was decided after the last event.
    pub(super) decided: Option<Decision>,
}

impl StagedStudy {
    /// A study of outcomes. Smaller ones are better.
    pub fn minimize(domain: impl Into<Domain>, stages: Stages) -> StagedStudyBuilder {
        StagedStudyBuilder::new(domain.into(), stages, Direction::Minimize)
    }

    /// A study of outcomes. Larger ones are better.
    pub fn maximize(domain: impl Into<Domain>, stages: Stages) -> StagedStudyBuilder {
        StagedStudyBuilder::new(domain.into(), stages, Direction::Maximize)
    }

    pub(super) fn start(parts: StagedStudyBuilder, progress: Vec<f64>, initial: usize) -> Self {
        let StagedStudyBuilder {
            domain, stages, direction, lambda, budget, seed, cost_unit, ..
        } = parts;
        let total = stages.total();
        let shares: Vec<f64> = progress.iter().map(|progress| progress / total).collect();
        let groups = domain.groups();
        Self {
            names: domain.names().into_iter().map(str::to_owned).collect(),
            shape: Shape { groups: groups.clone(), first: shares[0], folds: stages.are_folds() },
            rate_model: GaussianProcess::new().tied(&groups, &domain.are_names()).restarts(1),
            domain,
            stages,
            progress,
            shares,
            direction,
            lambda,
            budget,
            initial,
            seed,
            cost_unit,
            runs: Vec::new(),
            log: Vec::new(),
            spent: 0.0,
            fit: None,
            halvings: 0,
            anchor: None,
            events: Vec::new(),
            belief: None,
            decided: None,
        }
    }

    /// What to begin or to resume, and how far it is to go before it reports: first the runs of the
    /// design, then what has the largest index. It answers after a verdict to stop too.
    ///
    /// # Errors
    /// `Exhausted` if no other setting is left and no run waits to be resumed. Those of the model.
    pub fn ask(&mut self) -> Result<StagedAsk> {
        if self.is_designing() {
            let drawn = self.draw();
            let (unit, row) = drawn.ok_or_else(exhausted)?;
            return self.begin(unit, row, "initial design".to_owned());
        }
        let decision = self.decide()?;
        let offer = decision.chosen.clone().ok_or_else(exhausted)?;
        let words = self.words(&offer);
        match offer.what {
            Choice::Fresh { unit, row } => self.begin(unit, row, words),
            Choice::Resume(run) => {
                let from = self.runs[run].progress();
                let until = self.next_progress(from);
                self.happens(StagedEvent::Resumed { run: TrialId::from(run), until })?;
                Ok(self.asked(run, Some(from), until, words))
            }
        }
    }

    fn begin(&mut self, unit: Vec<f64>, row: Option<usize>, words: String) -> Result<StagedAsk> {
        let until = self.progress[0];
        self.happens(StagedEvent::Began { unit, row, until })?;
        Ok(self.asked(self.runs.len() - 1, None, until, words))
    }

    fn asked(&self, run: usize, resume: Option<f64>, until: f64, words: String) -> StagedAsk {
        let Run { id, values, .. } = &self.runs[run];
        let (names, values) = (self.names.clone(), values.clone());
        StagedAsk { id: *id, names, values, resume, until, words }
    }

    /// Takes what a run says at a progress: its outcome so far, and its cost since its last report.
    /// The progress may be any that is larger than that of the last report. A run that was left may
    /// report too: its worker may not have heard of it.
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a run that has ended or broke, and for a progress that does
    /// not grow or exceeds the total; `NonFinite` for an outcome or a cost; `NonPositiveCost` for a
    /// negative cost. All name the run, which stays as it was. Those of the model, after which the
    /// report stands and the run is left.
    pub fn report(
        &mut self,
        run: impl Into<TrialId>,
        progress: f64,
        outcome: f64,
        cost: f64,
    ) -> Result<Advice> {
        let id = run.into();
        self.happens(StagedEvent::Reported { run: id, progress, outcome, cost })?;
        self.decide_on(id)
    }

    /// What a run does that reported just now.
    ///
    /// # Errors
    /// Those of the model.
    pub(crate) fn decide_on(&mut self, id: TrialId) -> Result<Advice> {
        let run = id.index();
        let progress = match self.runs[run].state {
            RunState::Paused => self.runs[run].progress(),
            RunState::Finished => return Ok(Advice::Done),
            RunState::Abandoned => return Ok(Advice::Abandon),
            // Somebody else resumed it in the meantime.
            _ => return Ok(Advice::Pause),
        };
        let until = self.next_progress(progress);
        let goes_on = match self.stages.is_resumable() {
            true if self.is_designing() => false,
            _ if self.knows_little() => !self.stages.is_resumable(),
            _ => {
                let chosen = self.decide()?.chosen.as_ref().map(|offer| &offer.what);
                chosen == Some(&Choice::Resume(run))
            }
        };
        let advice = match (goes_on, self.stages.is_resumable()) {
            (true, _) => Advice::Continue { until },
            (false, true) => Advice::Pause,
            (false, false) => Advice::Abandon,
        };
        if advice != Advice::Pause {
            self.happens(StagedEvent::Advised { run: id, advice })?;
        }
        Ok(advice)
    }

    /// Takes that a run broke, and what it cost since its last report. It is worth nothing, and runs
    /// near it are thought to be worse.
    ///
    /// # Errors
    /// Those of [`report`](Self::report) for the run and the cost.
    pub fn fail(&mut self, run: impl Into<TrialId>, cost: f64) -> Result<()> {
        self.happens(StagedEvent::Failed { run: run.into(), cost })
    }

    /// Takes that a run under way was lost with its worker. If runs can be resumed it waits to be
    /// resumed from its last report; otherwise, or without a report, it is abandoned.
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a run that is not under way.
    pub fn withdraw(&mut self, run: impl Into<TrialId>) -> Result<()> {
        self.happens(StagedEvent::Lost { run: run.into() })
    }

    pub(super) fn next_progress(&self, progress: f64) -> f64 {
        let later = self.progress.iter().copied().find(|&report| !reaches(progress, report));
        later.unwrap_or(self.stages.total())
    }

    /// What a stage is paid for.
    pub(super) fn paid_for(&self) -> Paid {
        if self.stages.do_repeat() { Paid::Whole } else { Paid::Added }
    }

    /// All runs, in the order in which they began.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// What all runs have cost so far.
    pub fn spent(&self) -> f64 {
        self.spent
    }

    /// What varies.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The expected cost of a run until a progress; none before any has cost something.
    #[cfg(feature = "journal")]
    pub(crate) fn expected_cost(&self, run: &Run, until: f64) -> Option<f64> {
        self.paid_for().expected(&self.runs, run, until, self.stages.total())
    }

    /// The progress at each report.
    #[cfg(feature = "journal")]
    pub(crate) fn reports(&self) -> &[f64] {
        &self.progress
    }

    /// The unit of cost in words, if it has one.
    #[cfg(feature = "journal")]
    pub(crate) fn cost_unit(&self) -> Option<&str> {
        self.cost_unit.as_deref()
    }

    /// The names of the parameters in their order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Which outcomes are better.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// What happened so far, in order.
    pub fn events(&self) -> &[StagedEvent] {
        &self.events
    }
}

impl fmt::Debug for StagedStudy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StagedStudy")
            .field("direction", &self.direction)
            .field("names", &self.names)
            .field("stages", &self.stages)
            .field("runs", &self.runs)
            .field("spent", &self.spent)
            .finish_non_exhaustive()
    }
}
