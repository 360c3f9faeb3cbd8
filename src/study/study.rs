//! The study: asked for points, told their results.

use std::fmt;
use std::sync::Arc;

use crate::data::trial::reports::Report;
use crate::data::trial::stages::Stages;
use crate::data::trial::trial::Trial;
use crate::data::{Direction, Domain, Limit, Objective, Observations};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::stop::{Counts, Ledger, StopRule};
use crate::study::beliefs::beliefs::Beliefs;
use crate::study::beliefs::judge::Judge;
use crate::study::design::Design;
use crate::study::events::event::{Event, Log};
use crate::study::record::Record;
use crate::study::settings::builder::StudyBuilder;
use crate::study::settings::options::Options;
use crate::study::stages::{StagesView, Staging, check_policy};
use crate::study::trials::trials::Trials;
use crate::suggest::Policy;
use crate::surrogate::Setup;

/// A run of cost-aware Bayesian optimization by ask and tell.
///
/// [`ask`](Self::ask) gives a point to evaluate. [`tell`](Self::tell) takes its result, in any
/// order and with any number pending. [`verdict`](Self::verdict) says whether the next trial is
/// still worth its price. Bad input is an error that names its culprit, and never loses what was
/// told before.
///
/// ```no_run
/// use gittins::{Cost, Outcome, Policy, Space, Study, Verdict};
/// # fn train(rate: f64, depth: i64) -> (f64, f64) { (rate * depth as f64, depth as f64) }
///
/// let space = Space::new().log_float("rate", 1e-5, 1e-1).int("depth", 2, 12);
/// let mut study = Study::minimize(space)
///     .cost(Cost::learned())
///     .policy(Policy::gittins(1e-4))
///     .cost_unit("s")
///     .seed(7)
///     .build()?;
/// loop {
///     let ask = study.ask()?;
///     let (loss, seconds) = train(ask.get("rate")?, ask.get::<i64>("depth")?);
///     study.tell(ask.id(), Outcome::new(loss).cost(seconds))?;
///     if let Verdict::Stop(reason) = study.verdict()? {
///         println!("{reason}");
///         break;
///     }
/// }
/// # Ok::<(), gittins::Error>(())
/// ```
pub struct Study {
    pub(crate) setup: Arc<Setup>,
    pub(crate) policy: Policy,
    pub(super) design: Design,
    pub(crate) trials: Trials,
    pub(super) beliefs: Beliefs,
    pub(crate) judge: Judge,
    pub(crate) log: Log,
    /// What a study in stages has besides.
    pub(crate) stages: Option<Box<Staging>>,
}

/// A trial that has cost this many times its prediction is not waited for, unless set.
pub(super) const OVERDUE: f64 = 5.0;

impl Study {
    /// A study over a space or a table. Smaller outcomes are better.
    pub fn minimize(domain: impl Into<Domain>) -> StudyBuilder {
        StudyBuilder::new(domain.into(), Direction::Minimize)
    }

    /// A study over a space or a table. Larger outcomes are better.
    pub fn maximize(domain: impl Into<Domain>) -> StudyBuilder {
        StudyBuilder::new(domain.into(), Direction::Maximize)
    }

    /// A study before its first trial.
    pub(super) fn start(
        setup: Setup,
        policy: Policy,
        rule: Option<Box<dyn StopRule>>,
        design: Design,
        options: &Options,
    ) -> Result<Self> {
        let measures = options.measures();
        let staging = options.stages.clone().map(|stages| Staging::new(stages, &setup));
        let stages = staging.transpose()?.map(Box::new);
        let observations = Observations::new(setup.domain.dim(), options.direction)
            .with_cost_floor(setup.cost_floor)
            .with_measures(measures);
        let ledger = Ledger {
            price: policy.price(),
            cost_unit: options.cost_unit.clone(),
            budget: options.budget,
            best_possible: options.best_possible,
            ..Ledger::default()
        };
        let overdue = options.overdue.unwrap_or(OVERDUE);
        let trials = Trials::new(&setup.domain, observations, ledger, overdue);
        let beliefs = Beliefs::new(&setup);
        let judge = Judge { rule, verdict: None };
        let log = Log::new();
        let setup = Arc::new(setup);
        Ok(Self { setup, policy, design, trials, beliefs, judge, log, stages })
    }

    /// Fits to what was told, once, as a part of something that ends at a deadline.
    pub(crate) fn refit(&mut self, deadline: Deadline) -> Result<()> {
        self.beliefs.refit(&self.setup, &mut self.trials.trial_log, deadline)?;
        self.note_fits();
        Ok(())
    }

    /// From now on another acquisition or policy, for instance with a price from
    /// [`price_from_budget`](Self::price_from_budget).
    ///
    /// # Errors
    /// Those of [`Policy::validate`], and those of a stopping rule that cannot work with it;
    /// `InvalidSetting` for one that ignores [limits](crate::study::StudyBuilder::limit), if there are
    /// some. The old one then stays.
    pub fn change_policy(&mut self, policy: impl Into<Policy>) -> Result<()> {
        let policy = policy.into();
        policy.validate()?;
        policy.check_measures(self.trials.trial_log.observations.measures())?;
        if self.stages.is_some() {
            check_policy(&policy)?;
        }
        if let Some(rule) = &self.judge.rule {
            rule.validate(policy.price())?;
        }
        self.happens(Event::Changed { policy })
    }

    /// The best complete trial of those that hold all limits as measured, the first told among equals.
    /// None if there are several objectives, which have a [front](Self::front). If
    /// [any stage counts](crate::study::Stages::any_stage_counts), the trial with the best report.
    pub fn best(&self) -> Option<&Trial> {
        if let Some(seen) = self.seen() {
            return seen.best().map(|(trial, _)| trial);
        }
        if self.trials.trial_log.observations.measures().have_objectives() {
            return None;
        }
        let index = self.trials.trial_log.observations.best()?;
        Some(&self.trials.trial_log.trials[self.trials.trial_log.told[index].index()])
    }

    /// In stages, the report that counts of the [best](Self::best) trial: that of its end, or its
    /// [best](Trial::best_report) if [any stage counts](crate::study::Stages::any_stage_counts). None
    /// while there is none, and without stages.
    pub fn best_report(&self) -> Option<&Report> {
        self.seen()?.best().map(|(_, report)| report)
    }

    /// What a decision looks at, if trials run in stages.
    pub(super) fn seen(&self) -> Option<StagesView<'_>> {
        let staging = self.stages.as_deref()?;
        let (trials, setup, design) = (&self.trials, &*self.setup, &self.design);
        let are_limits = self.limits().len() > 0;
        let surrogate = self.beliefs.surrogate().filter(|_| are_limits);
        let usable = surrogate.and_then(|surrogate| surrogate.usable());
        Some(StagesView { staging, trials, setup, design, usable })
    }

    /// All trials in the order in which they were asked for or imported.
    pub fn history(&self) -> &[Trial] {
        &self.trials.trial_log.trials
    }

    /// The cost of the suggested trials as far as it was told, also of the pending ones. The trials
    /// of the initial design and imported ones do not count.
    pub fn spent(&self) -> f64 {
        self.trials.ledger.spent
    }

    /// The cost of all trials as far as it was told, also of the pending ones. No sum of money
    /// exceeds the largest number.
    pub fn total_cost(&self) -> f64 {
        self.trials.ledger.total_cost
    }

    /// Numbers of trials.
    pub fn counts(&self) -> Counts {
        self.trials.ledger.counts
    }

    /// Which outcomes are better.
    pub fn direction(&self) -> Direction {
        self.trials.trial_log.direction()
    }

    /// The space or the table.
    pub fn domain(&self) -> &Domain {
        &self.setup.domain
    }

    /// The stages of its trials, if they [report](Self::report) on their way.
    pub fn stages(&self) -> Option<&Stages> {
        self.stages.as_ref().map(|stages| &stages.stages)
    }

    /// The limits on measured numbers, sorted by name.
    pub fn limits(&self) -> impl ExactSizeIterator<Item = (&str, Limit)> + Clone {
        self.trials.trial_log.observations.measures().limits()
    }

    /// The objectives beside the outcome, sorted by name.
    pub fn objectives(&self) -> impl ExactSizeIterator<Item = (&str, Objective)> + Clone {
        let objectives = self.trials.trial_log.observations.measures().objectives();
        objectives.map(|(_, name, objective)| (name, objective))
    }

    /// The names of all numbers that are measured beside the outcome.
    #[cfg(feature = "journal")]
    pub(crate) fn measured_names(&self) -> impl Iterator<Item = &str> + Clone {
        self.trials.trial_log.observations.measures().names()
    }

    /// The names of the parameters in their order.
    pub fn names(&self) -> &[String] {
        &self.trials.names
    }

    /// The unit of cost in reports.
    pub fn cost_unit(&self) -> Option<&str> {
        self.trials.ledger.cost_unit.as_deref()
    }

    /// The run so far as a table of numbers, one row for each trial.
    pub fn record(&self) -> Record {
        let mut record = self.trials.record(&self.setup.domain);
        if let Some(seen) = self.seen().filter(|seen| seen.staging.stages.are_items()) {
            record.believe(seen.cautious());
        }
        record
    }
}

impl fmt::Debug for Study {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Study")
            .field("direction", &self.direction())
            .field("names", &self.trials.names)
            .field("policy", &self.policy)
            .field("rule", &self.judge.rule.as_ref().map(|rule| rule.name()))
            .field("trials", &self.trials.trial_log.trials)
            .field("ledger", &self.trials.ledger)
            .finish_non_exhaustive()
    }
}
