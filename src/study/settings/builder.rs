//! The settings of a study.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::backend::Backend;
use crate::data::{Cost, Direction, Domain, KnownCost, Value, Warping};
use crate::error::Result;
use crate::model::GaussianProcess;
use crate::stop::{NamedRule, StopRule};
use crate::study::design::{self, Design, usual_design};
use crate::study::settings::options::Options;
use crate::study::settings::search::Search;
use crate::study::study::{OVERDUE, Study};
use crate::suggest::Policy;
use crate::surrogate::{Incumbent, Setup};

/// Settings of a [`Study`]. Everything but the domain has a default. With the feature `serde` those
/// that are data can also be read from a file: `StudySpec`.
#[derive(Debug)]
pub struct StudyBuilder {
    pub(in crate::study) domain: Domain,
    pub(in crate::study) options: Options,
    pub(in crate::study) cost: Cost,
    pub(in crate::study) policy: Option<Policy>,
    pub(in crate::study) rule: Option<Rule>,
    pub(in crate::study) backend: Option<Arc<dyn Backend>>,
}

/// A stopping rule, as code or by its name.
pub struct Rule(pub(in crate::study) RuleKind);

pub(in crate::study) enum RuleKind {
    Code(Box<dyn StopRule>),
    Named(NamedRule),
}

impl<R: StopRule + 'static> From<R> for Rule {
    fn from(rule: R) -> Self {
        Self(RuleKind::Code(Box::new(rule)))
    }
}

impl From<NamedRule> for Rule {
    fn from(rule: NamedRule) -> Self {
        Self(RuleKind::Named(rule))
    }
}

impl Rule {
    fn made(self) -> Result<Box<dyn StopRule>> {
        match self.0 {
            RuleKind::Code(rule) => Ok(rule),
            RuleKind::Named(named) => named.rule(),
        }
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            RuleKind::Code(rule) => f.write_str(rule.name()),
            RuleKind::Named(named) => named.fmt(f),
        }
    }
}

impl StudyBuilder {
    pub(in crate::study) fn new(domain: Domain, direction: Direction) -> Self {
        let options = Options::new(direction);
        let cost = Cost::default();
        Self { domain, options, cost, policy: None, rule: None, backend: None }
    }

    /// The cost of a trial; 1 everywhere unless set. In [stages](Self::stages), where costs are
    /// learned, a known one is a price list: what a whole run is expected to cost before it has begun.
    pub fn cost(mut self, cost: Cost) -> Self {
        self.cost = cost;
        self
    }

    /// Accepts costs of zero. No evaluation is taken to cost less than the floor, in the units of
    /// cost. None unless set, and a cost of zero is then an error. The books keep the cost that was
    /// told or is known, if it is not negative. Model, acquisition and stopping rule see the floor
    /// in place of a smaller cost. A good floor is the smallest cost that still matters to you: the
    /// logarithm of the cost is modeled, and a floor far below the other costs would stretch it.
    pub fn cost_floor(mut self, floor: f64) -> Self {
        self.options.cost_floor = Some(floor);
        self
    }

    /// The rule that chooses points: a [`Policy`], or an [`Acquisition`](crate::Acquisition) for
    /// all steps. Log expected improvement per cost unless set, with a [budget](Self::budget) the index
    /// at the [price of its rest](crate::stop::budget).
    pub fn policy(mut self, policy: impl Into<Policy>) -> Self {
        self.policy = Some(policy.into());
        self
    }

    /// The stopping rule: a [`StopRule`], or a [`NamedRule`], which a journal can keep. Unless set,
    /// a policy with a price stops by the [`GittinsRule`](crate::stop::GittinsRule) at that price,
    /// and any other never stops.
    pub fn stop(mut self, rule: impl Into<Rule>) -> Self {
        self.rule = Some(rule.into());
        self
    }

    /// The model of the (standardized) outcome.
    pub fn model(mut self, model: GaussianProcess) -> Self {
        self.options.model = model;
        self
    }

    /// The model of the standardized `ln c`, if the cost is learned.
    pub fn cost_model(mut self, model: GaussianProcess) -> Self {
        self.options.cost_model = model;
        self
    }

    /// The number of points of the initial design. Unless set it is `3 + d / 2` (rounded up; under
    /// conditions one more for each further pattern of parameters that exist together), at
    /// most 20, at most a quarter of the [expected trials](Self::expected_trials), and no more than
    /// a table has different rows. Complete trials that are imported count toward it, as do the
    /// settings to [begin with](Self::first). Without these the first point is the middle of the
    /// space. If costs are learned and no number is set, points that are expected to cost more than
    /// half of the space does come last.
    pub fn initial(mut self, points: usize) -> Self {
        self.options.initial = Some(points);
        self
    }

    /// Settings to begin with, such as those that are in use: this one after the others that were
    /// given so far. Each has the values of the parameters by their names; what does not exist is
    /// not named. They are the first points of the initial design, which is at least as large as
    /// they are many, and they take the place of the middle. One that is a trial already is passed
    /// over, as is one that a [request](crate::study::Request) does not allow, by its limit or its
    /// conditions.
    ///
    /// ```
    /// use gittins::{Space, Study};
    ///
    /// let space = Space::new().log_float("rate", 1e-4, 1.0).int("depth", 2, 12);
    /// let mut study = Study::minimize(space).first([("rate", 0.01), ("depth", 6.0)]).build()?;
    /// assert_eq!(study.ask()?.get::<i64>("depth")?, 6);
    /// # Ok::<(), gittins::Error>(())
    /// ```
    pub fn first<N: Into<String>, V: Into<Value>>(
        mut self,
        setting: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let named = setting.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.options.first.push(named.collect());
        self
    }

    /// How many trials the run is expected to have, the initial design included. A short run in
    /// many dimensions then has a smaller design. It limits nothing else. Not known unless set.
    pub fn expected_trials(mut self, trials: usize) -> Self {
        self.options.expected_trials = Some(trials);
        self
    }

    /// The seed that fixes the run; 0 unless set. The same calls in the same order, with the same
    /// numbers told, give the same suggestions and verdicts bit for bit on the CPU, on any number
    /// of threads. A device finds its basins in its own arithmetic, and whether `auto` asks it is
    /// measured. If bits must repeat on a machine that has a device, set the backend
    /// [`Cpu`](crate::Cpu).
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = seed;
        self
    }

    /// Whether outcomes are standardized by their own mean and deviation before they are modeled;
    /// yes unless set.
    pub fn standardize(mut self, standardize: bool) -> Self {
        self.options.standardize = standardize;
        self
    }

    /// The warp of outcomes before they are modeled: [`Warping::HalfRank`] unless set. With
    /// [`Warping::None`] they are modeled as they are, as in published experiments. If the kernel
    /// is known, or outcomes are not standardized, they are never warped.
    pub fn warping(mut self, warping: Warping) -> Self {
        self.options.warping = warping;
        self
    }

    /// The value that a new trial must improve, and that the run would keep if it ended: the
    /// largest posterior mean at a complete trial unless set. [`Incumbent::BestOutcome`] is for
    /// outcomes without noise, and to repeat published experiments.
    pub fn incumbent(mut self, incumbent: Incumbent) -> Self {
        self.options.incumbent = incumbent;
        self
    }

    /// Who evaluates batches. Unless set, the environment decides
    /// ([`BackendOptions::from_env`](crate::BackendOptions::from_env)), and without a wish there
    /// `auto`: the CPU, and for batches past the measured crossover a hardware adapter, if there is
    /// one. None is looked for before a batch is large enough to ask.
    ///
    /// A backend may give other numbers than those of double precision from the host. It then finds
    /// where the best points are, and the host climbs on from there: what is suggested and reported
    /// is always the host's, in double precision.
    pub fn backend(mut self, backend: Arc<dyn Backend>) -> Self {
        self.backend = Some(backend);
        self
    }

    /// How hard a space is searched.
    pub fn search(mut self, search: Search) -> Self {
        self.options.search = search;
        self
    }

    /// How long one [`ask`](Study::ask) and one [`verdict`](Study::verdict) may take, fits
    /// included. Each then ends with the best found so far and says so. None unless set. With a
    /// limit, what is found depends on the machine, and a run no longer repeats itself to the bit.
    ///
    /// The limit holds to within some 10 ms and a tenth of itself: the clock is looked at every 5
    /// ms or after a twentieth of what is left, and no batch begins that is not expected to end in
    /// time.
    ///
    /// - **Fits** take up to half of the time. If there is too little for one, the hyper-parameters
    ///   are kept and the new outcome is appended to the factor. The first fit of a study climbs on
    ///   as many observations as there is time for
    ///   ([`FitStatus::Deadline`](crate::model::FitStatus::Deadline)).
    /// - **A suggestion** always comes of something: at least of a first batch of some 32 points,
    ///   of the best trials and their neighborhood above all, or of a plan of one step
    ///   ([`Ended::Deadline`](crate::maximize::Ended::Deadline)).
    /// - **A verdict** does not stop on a search that was cut short, whose best is at most too low:
    ///   the run goes on, and the reason says that the time was up. With a limit so short that
    ///   every search is cut short a run never stops by such a rule: [join](crate::stop::any()) it
    ///   to one that counts.
    ///
    /// Some things cannot be cut short and take their time whatever the limit: the factor of all
    /// `n` observations, `O(n^3)`, if there is none to append to (the first call, or the first
    /// after a failed or infeasible trial); a row of it for each pending trial, `O(n^2)`; a single
    /// batch of a device or of a known cost that is slow; and the first look for a device, once in
    /// a process.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.options.time_limit = Some(limit);
        self
    }

    /// The unit of cost in reports, such as `"s"`; none unless set.
    pub fn cost_unit(mut self, unit: impl Into<String>) -> Self {
        self.options.cost_unit = Some(unit.into());
        self
    }

    /// A pending trial is overdue, and treated as lost, once it has cost this many times its
    /// expected cost; 5 unless set. It needs learned costs, and notes of what trials have cost so
    /// far ([`Study::note_running`](Study::note_running)).
    ///
    /// An overdue trial is not waited for: the next point is chosen, and
    /// [another trial](Study::verdict_on_another) judged, as if it would bring nothing. Before, the
    /// chance that it brings nothing [rises](crate::study::Forecast::dead) with what it costs. It
    /// stays pending. Its outcome is taken whenever it comes, and until then exactly its point is
    /// not suggested again, unless it is [withdrawn](Study::withdraw).
    pub fn overdue(mut self, times: f64) -> Self {
        self.options.overdue = Some(times).filter(|times| *times != OVERDUE);
        self
    }

    /// The money that the study may spend, in units of cost: on all its trials, those of the initial
    /// design and failed ones included, imported ones not. None unless set.
    ///
    /// - The study ends once the money is spent ([`Study::verdict`]), also amid the design. Only
    ///   trials that are then pending can exceed it. [`Study::verdict_on_another`] also counts what
    ///   these are expected to cost.
    /// - Without a stopping rule and without a price it ends early if the [rest is not worth
    ///   spending](crate::stop::budget), and says what it saved.
    /// - The design ends once it has three points and has cost a quarter of the budget. A suggestion
    ///   that is expected to cost more than what is left gives way to the best one that is not, if
    ///   there is one.
    ///
    /// ```
    /// use gittins::{Cost, Outcome, Space, Study};
    ///
    /// let space = Space::new().float("x", 0.0, 1.0);
    /// let mut study = Study::minimize(space).cost(Cost::learned()).budget(60.0).build()?;
    /// while !study.verdict()?.is_stop() {
    ///     let ask = study.ask()?;
    ///     let x: f64 = ask.get("x")?;
    ///     study.tell(ask.id(), Outcome::new((x - 0.3).powi(2)).cost(2.0 + x))?;
    /// }
    /// assert!(study.total_cost() < 63.0);
    /// # Ok::<(), gittins::Error>(())
    /// ```
    pub fn budget(mut self, money: f64) -> Self {
        self.options.budget = Some(money);
        self
    }

    /// The policy that was set, or the one that goes with the other settings.
    pub(in crate::study) fn chosen_policy(&self) -> Policy {
        match (&self.policy, self.options.budget) {
            (Some(policy), _) => policy.clone(),
            // The price of an index that is not set falls by itself.
            _ if self.options.stages.is_some() => Policy::log_eipc(),
            (None, Some(_)) => Policy::within_budget(),
            (None, None) => Policy::log_eipc(),
        }
    }

    /// Checks the settings and starts the study.
    ///
    /// # Errors
    /// Those of [`Space::validate`](crate::Space::validate), [`Cost::validate`] and
    /// [`Policy::validate`]; `UnknownParameter`, `NonFinite` and `OutOfBounds` for a setting to
    /// [begin with](Self::first), naming it and the parameter; `InvalidSetting` for a search without
    /// points or starts, for a cost floor or a budget that is not positive and finite, for a stopping
    /// rule that cannot work with the policy, for a limit without a name, or with a policy that ignores
    /// limits, for [stages](Self::stages) that do not increase and for what makes no sense beside them,
    /// for a factor of [overdue](Self::overdue) trials below 1 or not finite, and for an environment
    /// variable that names no known backend.
    pub fn build(self) -> Result<Study> {
        let policy = self.chosen_policy();
        let in_stages = self.options.stages.as_ref().map(|_| self.initial_in_stages());
        self.options.stages.iter().try_for_each(|stages| self.check_stages(stages))?;
        let Self { domain, options, cost, rule, backend, .. } = self;
        domain.validate()?;
        cost.validate(&domain, options.cost_floor)?;
        let (cost, listed) = if in_stages.is_some() { as_list(cost) } else { (cost, None) };
        policy.validate()?;
        let rule = rule.map(Rule::made).transpose()?;
        if let Some(rule) = &rule {
            rule.validate(policy.price())?;
        }
        options.check()?;
        let measures = options.measures();
        measures.validate()?;
        policy.check_measures(&measures)?;
        let mut setup = Setup::new(domain, options.model.clone(), backend)?;
        let (domain, model) = (&setup.domain, &options.cost_model);
        model.check(domain.dim()).map_err(|error| error.at("the cost's model"))?;
        options.search.validate()?;
        let rows = match domain {
            Domain::Space(_) => usize::MAX,
            Domain::Table(table) => table.different(),
        };
        let usual = || usual_design(domain.varied(), domain.patterns(), options.expected_trials);
        let initial = options.initial;
        let size = in_stages.unwrap_or_else(|| initial.unwrap_or_else(usual).min(rows));
        let design = Design::new(size, options.seed).with_thrift(initial.is_none());
        let design = design.with_first(design::points(domain, &options.first)?);
        let (groups, names) = (domain.groups(), domain.are_names());
        options.search.apply(&mut setup.search, &mut setup.trees);
        let setup = Setup {
            cost,
            listed,
            cost_floor: options.cost_floor,
            model: setup.model.tied(&groups, &names),
            cost_model: options.cost_model.clone().tied(&groups, &names),
            standardize: options.standardize,
            // A front also has outcomes of the worse half; it has a warp of penalties alone.
            warping: if measures.have_objectives() { Warping::None } else { options.warping },
            incumbent: options.incumbent,
            time_limit: options.time_limit,
            seed: options.seed,
            ..setup
        };
        Study::start(setup, policy, rule, design, &options)
    }
}

/// The cost in stages, where it is learned, and what is known of it: a price list, if there is one.
fn as_list(cost: Cost) -> (Cost, Option<KnownCost>) {
    let listed = match cost {
        Cost::Known(listed) => Some(listed),
        Cost::Uniform(_) | Cost::Learned => None,
    };
    (Cost::Learned, listed)
}
