//! A study of runs in stages: asked for what to begin or resume, told what runs report.

use std::fmt;
use std::sync::Arc;

use super::ask::StagedAsk;
use super::belief::{Belief, Entry, Scale};
use super::builder::StagedStudyBuilder;
use super::costs::Rates;
use super::curves::Shape;
use super::decision::{Choice, Decision, Moment, Offer};
use super::event::{Advice, StagedEvent, StagedFit};
use super::run::{Report, Run, RunState};
use super::stages::Stages;
use crate::data::{Direction, Domain};
use crate::error::{Error, ErrorKind, Result};
use crate::math::decimal::decimal;
use crate::math::sobol::Sobol;
use crate::model::GaussianProcess;
use crate::stop::{Statistic, Verdict};
use crate::study::TrialId;
use crate::surrogate::{Stream, seed};

/// A price that is not set begins at this share of what the best run is better than the middle one,
/// for the cost of one run.
const FIRST_PRICE: f64 = 0.02;

/// A price that is not set halves no more often than this.
const HALVINGS: u32 = 40;

/// So many reports are needed before the index decides.
const REPORTS: usize = 3;

/// Outcomes of the design are ties within this share of the model's unit: where half of all settings
/// end at chance, they teach one thing.
const TIE: f64 = 0.05;

/// The design has no more than this many times the runs that were wanted, if many are ties.
const TIES: usize = 4;

/// The excess of the best runs counts for luck down to this share of what was paid.
const LUCK: f64 = 0.7;

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
    domain: Domain,
    names: Arc<[String]>,
    stages: Stages,
    progress: Vec<f64>,
    shares: Vec<f64>,
    shape: Shape,
    rate_model: GaussianProcess,
    direction: Direction,
    lambda: Option<f64>,
    budget: Option<f64>,
    initial: usize,
    seed: u64,
    cost_unit: Option<String>,
    runs: Vec<Run>,
    log: Vec<Entry>,
    spent: f64,
    fit: Option<StagedFit>,
    halvings: u32,
    anchor: Option<TrialId>,
    events: Vec<StagedEvent>,
    /// What is believed of the reports so far, and of costs; none if it is to be built.
    belief: Option<(Belief, Rates)>,
    /// What was decided after the last event.
    decided: Option<Decision>,
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
            shape: Shape { groups: groups.clone(), first: shares[0] },
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
    /// `Exhausted` if no row of a table is left and no run waits to be resumed. Those of the model.
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

    /// Whether runs still begin at quasi-random settings: until enough of them differ.
    fn is_designing(&self) -> bool {
        if self.log.len() < REPORTS || self.runs.len() < self.initial {
            return true;
        }
        if self.fit.is_some() || self.runs.len() >= TIES * self.initial {
            return false;
        }
        let mut last: Vec<f64> = self.last().collect();
        last.sort_by(f64::total_cmp);
        let tie = TIE * Scale::new(self.direction, &last).unit();
        let (mut different, mut first) = (0, f64::NEG_INFINITY);
        for value in last {
            if value - first > tie {
                (first, different) = (value, different + 1);
            }
        }
        different < self.initial
    }

    /// The last outcome of each run that reported.
    fn last(&self) -> impl Iterator<Item = f64> {
        self.runs.iter().filter_map(|run| Some(run.reports.last()?.outcome))
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
    /// The progress may be any that is larger than that of the last report.
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a run that is not under way, and for a progress that does
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
        let run = id.index();
        if self.runs[run].state == RunState::Finished {
            return Ok(Advice::Done);
        }
        let until = self.next_progress(progress);
        let goes_on = match self.stages.is_resumable() {
            true if self.is_designing() => false,
            _ if self.log.len() < REPORTS => !self.stages.is_resumable(),
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

    /// Whether anything is still worth its price: the largest index against the best outcome in
    /// hand, that of a run that came to its end. With a budget also whether there is money for the
    /// next stage.
    ///
    /// # Errors
    /// Those of the model.
    pub fn verdict(&mut self) -> Result<Verdict> {
        if self.is_designing() {
            let words =
                format!("{} of {} runs of the design have begun", self.runs.len(), self.initial);
            return Ok(self
                .without_money(0.0)
                .unwrap_or_else(|| Verdict::without_statistic("stages", false, words)));
        }
        let (stops, in_hand, offer) = {
            let decision = self.decide()?;
            (decision.stops(), decision.in_hand, decision.chosen.clone())
        };
        let Some(offer) = offer else {
            return Ok(Statistic::nothing_left(0.0).verdict("stages"));
        };
        if let Some(verdict) = self.without_money(offer.cost) {
            return Ok(verdict);
        }
        let Some(belief) = &self.belief else {
            return Ok(Verdict::without_statistic("stages", false, ""));
        };
        let in_hand = in_hand.map_or(f64::NAN, |z| belief.0.scale.back(z));
        let index = belief.0.scale.back(offer.index);
        let sign = self.direction.sign();
        let lucky = self.lambda.is_some_and(|lambda| self.may_be_lucky(&belief.0, lambda));
        let fired = self.lambda.is_some() && stops && !lucky;
        let note = match (fired, stops && lucky) {
            (true, _) => "nothing is worth its price any more".to_owned(),
            (false, true) => {
                "too little was seen yet to know that nothing better is there".to_owned()
            }
            (false, false) => self.words(&offer),
        };
        let statistic = Statistic {
            value: sign * index,
            threshold: sign * in_hand,
            fired,
            note,
            rule: None,
            interrupted: false,
        };
        Ok(statistic.verdict("stages"))
    }

    /// Whether luck may still bring more than what was paid. One more setting drawn evenly is the best
    /// of `n + 1` with probability `1/(n + 1)`, and is then better by about the mean excess `e` of the
    /// best quarter over the rest. A setting has cost `spent/n` so far, so that another one is worth
    /// it while `e` exceeds the price of all that was paid.
    fn may_be_lucky(&self, belief: &Belief, lambda: f64) -> bool {
        let mut last: Vec<f64> = self.last().map(|y| belief.scale.apply(y)).collect();
        last.sort_by(|a, b| b.total_cmp(a));
        let best = (last.len() / 4).max(2).min(last.len().saturating_sub(1));
        let Some(rest) = last.get(best) else { return true };
        let excess = last[..best].iter().map(|z| z - rest).sum::<f64>() / best.max(1) as f64;
        excess > LUCK * belief.scale.difference(lambda) * self.spent
    }

    /// The verdict that the money is out, if it is.
    fn without_money(&self, cost: f64) -> Option<Verdict> {
        let budget = self.budget?;
        let left = budget - self.spent;
        if left > 0.0 && cost <= left {
            return None;
        }
        let note = format!(
            "{} of the budget of {} are left; the next stage is expected to cost {}",
            decimal(left.max(0.0), 4),
            decimal(budget, 6),
            decimal(cost, 3)
        );
        let statistic = Statistic {
            value: left,
            threshold: cost,
            fired: true,
            note,
            rule: None,
            interrupted: false,
        };
        Some(statistic.verdict("budget"))
    }

    /// An offer in words.
    fn words(&self, offer: &Offer) -> String {
        let unit = self.cost_unit.as_deref().map(|unit| format!(" {unit}")).unwrap_or_default();
        let cost = decimal(offer.cost, 3);
        let scale = self.belief.as_ref().map(|(belief, _)| belief.scale);
        let gain = match scale {
            Some(scale) if offer.gain.is_finite() => {
                format!(
                    " for an expected {}",
                    decimal((scale.back(offer.gain) - scale.back(0.0)).abs(), 2)
                )
            }
            _ => String::new(),
        };
        match &offer.what {
            Choice::Fresh { .. } => format!("begin another run: {cost}{unit}{gain}"),
            Choice::Resume(run) => {
                let until = decimal(self.next_progress(self.runs[*run].progress()), 6);
                format!("go on with {} to {until}: {cost}{unit}{gain}", TrialId::from(*run))
            }
        }
    }

    /// What is best by all reports so far.
    fn decide(&mut self) -> Result<&Decision> {
        if self.decided.is_none() {
            let decision = self.look()?;
            self.decided = Some(decision);
        }
        self.decided.as_ref().ok_or_else(exhausted)
    }

    fn look(&mut self) -> Result<Decision> {
        self.refresh()?;
        loop {
            let decision = self.moment()?;
            let anchor = decision.anchor.map(TrialId::from);
            let halves = self.lambda.is_none()
                && decision.stops()
                && decision.best.is_some()
                && self.halvings < HALVINGS;
            let halvings = self.halvings + u32::from(halves);
            if (halvings, anchor) != (self.halvings, self.anchor) {
                self.happens(StagedEvent::Turned { halvings, anchor })?;
            }
            if !halves {
                return Ok(decision);
            }
        }
    }

    fn moment(&self) -> Result<Decision> {
        let Some((belief, rates)) = &self.belief else { return Err(exhausted()) };
        let under_way: Vec<(usize, f64)> = self
            .runs
            .iter()
            .filter_map(|run| match run.state {
                RunState::Running { until } => Some((run.id.index(), until / self.stages.total())),
                _ => None,
            })
            .collect();
        let beside = match under_way.is_empty() {
            true => None,
            false => Some(belief.beside(&self.runs, &under_way)?),
        };
        let broke = self.runs.iter().filter(|run| run.state == RunState::Failed).count() as f64;
        let sound = self
            .runs
            .iter()
            .filter(|run| run.state != RunState::Failed && !run.reports.is_empty())
            .count() as f64;
        let best = self.best().and_then(Run::outcome).map_or(1.0, |y| belief.scale.apply(y));
        let price = match self.lambda {
            Some(lambda) => belief.scale.difference(lambda),
            None => {
                FIRST_PRICE * best.max(1.0) / rates.middle() * 0.5f64.powi(self.halvings as i32)
            }
        };
        Moment {
            domain: &self.domain,
            belief: beside.as_ref().unwrap_or(belief),
            rates,
            runs: &self.runs,
            shares: &self.shares,
            price,
            survival: (sound + 1.0) / (sound + broke + 1.0),
            seed: self.seed,
            anchor: self.anchor.map(TrialId::index),
            left: self.budget.map(|budget| budget - self.spent),
        }
        .decide()
    }

    /// Brings what is believed up to the reports.
    fn refresh(&mut self) -> Result<()> {
        if Belief::is_due(self.fit.as_ref(), self.log.len()) {
            let before = self.fit.as_ref();
            let mut fit = Belief::find(before, &self.shape, self.direction, &self.runs, &self.log)?;
            let rates_before = before.and_then(|fit| fit.rates.as_ref());
            let draw = seed(self.seed, Stream::CostFit, self.log.len());
            let found = Rates::find(
                &self.rate_model,
                rates_before,
                &self.runs,
                &self.log,
                self.domain.dim(),
                draw,
            )?;
            (fit.rates, fit.middle_cost) = (found.hyperparameters, found.middle);
            self.happens(StagedEvent::Fitted { fit: Box::new(fit) })?;
        }
        let Some(fit) = &self.fit else { return Ok(()) };
        match &mut self.belief {
            Some((belief, _)) => belief.extend(&self.runs, &self.log)?,
            None => {
                let belief = Belief::new(fit, &self.shape, self.direction, &self.runs, &self.log)?;
                let rates = Rates::new(
                    &self.rate_model,
                    fit.rates.as_ref(),
                    fit.middle_cost,
                    &self.runs,
                    &self.log[..fit.reports],
                    self.domain.dim(),
                )?;
                self.belief = Some((belief, rates));
            }
        }
        Ok(())
    }

    /// A quasi-random point that was not taken; of a table the free row nearest to it.
    fn draw(&self) -> Option<(Vec<f64>, Option<usize>)> {
        let sequence = Sobol::new(self.domain.dim(), seed(self.seed, Stream::Design, 0));
        match &self.domain {
            Domain::Space(space) => (self.runs.len()..).take(DRAWS).find_map(|index| {
                let mut unit = sequence.points(index, 1).row(0).to_vec();
                space.snap(&mut unit);
                let taken = self.runs.iter().any(|run| run.unit == unit);
                (space.admits(&unit) && !taken).then_some((unit, None))
            }),
            Domain::Table(table) => {
                let point = sequence.points(self.runs.len(), 1);
                let distance = |row: usize| -> f64 {
                    let pairs = table.points().row(row).iter().zip(point.row(0));
                    pairs.map(|(a, b)| (a - b) * (a - b)).sum()
                };
                let row = (0..table.len())
                    .filter(|&row| self.runs.iter().all(|run| run.row != Some(row)))
                    .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))?;
                Some((table.points().row(row).to_vec(), Some(row)))
            }
        }
    }

    fn next_progress(&self, progress: f64) -> f64 {
        let later = self.progress.iter().copied().find(|&report| report > progress * (1.0 + 1e-12));
        later.unwrap_or(self.stages.total())
    }

    /// Applies an event, and keeps it.
    ///
    /// # Errors
    /// Those of the call that makes such an event.
    pub(super) fn happens(&mut self, event: StagedEvent) -> Result<()> {
        self.apply(&event)?;
        self.decided = None;
        self.events.push(event);
        Ok(())
    }

    fn apply(&mut self, event: &StagedEvent) -> Result<()> {
        match event {
            StagedEvent::Began { unit, row, until } => {
                let values = match (&self.domain, row) {
                    (Domain::Table(table), Some(row)) if *row < table.len() => table.values(*row),
                    (Domain::Space(space), None) if unit.len() == space.dim() => {
                        space.values_at(unit)
                    }
                    _ => {
                        let message = "its place is not in the study's space or table";
                        return Err(Error::new(ErrorKind::OutOfBounds, message));
                    }
                };
                self.runs.push(Run {
                    id: TrialId::from(self.runs.len()),
                    values,
                    unit: unit.clone(),
                    row: *row,
                    reports: Vec::new(),
                    state: RunState::Running { until: *until },
                    cost: 0.0,
                });
            }
            StagedEvent::Resumed { run, until } => {
                let id = *run;
                let run = self.run_mut(id)?;
                if run.state != RunState::Paused {
                    let message = format!(
                        "{id}: it is {}, and does not wait to be resumed",
                        run.state.name()
                    );
                    return Err(Error::new(ErrorKind::InvalidSetting, message));
                }
                run.state = RunState::Running { until: *until };
            }
            StagedEvent::Reported { run, progress, outcome, cost } => {
                let (id, total) = (*run, self.stages.total());
                let run = self.under_way(id)?;
                check_report(run, *progress, total).map_err(|error| error.at(id))?;
                check_finite("the outcome", *outcome).map_err(|error| error.at(id))?;
                check_cost(*cost).map_err(|error| error.at(id))?;
                let share = progress / total;
                run.reports.push(Report {
                    progress: *progress,
                    share,
                    outcome: *outcome,
                    cost: *cost,
                });
                run.cost += cost;
                run.state = if *progress >= total { RunState::Finished } else { RunState::Paused };
                self.spent += cost;
                self.log.push(Entry { run: id.index(), share, outcome: Some(*outcome) });
            }
            StagedEvent::Advised { run, advice } => {
                let run = self.run_mut(*run)?;
                match advice {
                    Advice::Continue { until } => run.state = RunState::Running { until: *until },
                    Advice::Abandon => run.state = RunState::Abandoned,
                    Advice::Pause | Advice::Done => {}
                }
            }
            StagedEvent::Failed { run, cost } => {
                let (id, total) = (*run, self.stages.total());
                check_cost(*cost).map_err(|error| error.at(id))?;
                let run = self.under_way(id)?;
                let share = match run.state {
                    RunState::Running { until } => until / total,
                    _ => 1.0,
                };
                run.cost += cost;
                run.state = RunState::Failed;
                self.spent += cost;
                self.log.push(Entry { run: id.index(), share, outcome: None });
            }
            StagedEvent::Lost { run } => {
                let resumable = self.stages.is_resumable();
                let run = self.under_way(*run)?;
                let waits = resumable && !run.reports.is_empty();
                run.state = if waits { RunState::Paused } else { RunState::Abandoned };
            }
            StagedEvent::Fitted { fit } => {
                if fit.reports > self.log.len()
                    || fit.parameters.len() != self.shape.len()
                    || fit.scale.len() != 2
                {
                    let message = "a fit does not belong to this study";
                    return Err(Error::new(ErrorKind::InvalidSetting, message));
                }
                self.fit = Some(StagedFit::clone(fit));
                self.belief = None;
            }
            StagedEvent::Turned { halvings, anchor } => {
                (self.halvings, self.anchor) = (*halvings, *anchor);
            }
        }
        Ok(())
    }

    fn run_mut(&mut self, id: TrialId) -> Result<&mut Run> {
        let count = self.runs.len();
        self.runs.get_mut(id.index()).ok_or_else(|| {
            let message =
                format!("{id}: expected one of the {count} runs of this study, numbered from 0");
            Error::new(ErrorKind::UnknownTrial, message)
        })
    }

    fn under_way(&mut self, id: TrialId) -> Result<&mut Run> {
        let run = self.run_mut(id)?;
        if run.is_running() {
            return Ok(run);
        }
        let message = format!("{id}: it is {}, and not under way", run.state.name());
        Err(Error::new(ErrorKind::InvalidSetting, message))
    }

    /// The finished run with the best outcome, the first among equals.
    pub fn best(&self) -> Option<&Run> {
        let sign = self.direction.sign();
        let better = |best: Option<&Run>, run: &Run| {
            best.and_then(Run::outcome)
                .is_none_or(|y| run.outcome().is_some_and(|z| sign * z > sign * y))
        };
        self.runs
            .iter()
            .filter(|run| run.outcome().is_some())
            .fold(None, |best, run| if better(best, run) { Some(run) } else { best })
    }

    /// All runs, in the order in which they began.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// What all runs have cost so far.
    pub fn spent(&self) -> f64 {
        self.spent
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

/// Quasi-random points that are tried for one that was not taken.
const DRAWS: usize = 256;

fn check_report(run: &Run, progress: f64, total: f64) -> Result<()> {
    let before = run.progress();
    if progress > before && progress <= total {
        return Ok(());
    }
    let message = format!("expected a progress above {before} and at most {total}, got {progress}");
    Err(Error::new(ErrorKind::InvalidSetting, message))
}

fn check_finite(what: &str, value: f64) -> Result<()> {
    if value.is_finite() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::NonFinite,
        format!("{what} must be finite, got {value}; a run that broke is told by `fail`"),
    ))
}

fn check_cost(cost: f64) -> Result<()> {
    check_finite("the cost", cost)?;
    if cost < 0.0 {
        return Err(Error::new(
            ErrorKind::NonPositiveCost,
            format!("the cost must be at least 0, got {cost}"),
        ));
    }
    Ok(())
}

fn exhausted() -> Error {
    Error::new(
        ErrorKind::Exhausted,
        "every row of the table was taken, and no run waits to be resumed",
    )
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
