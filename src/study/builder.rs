//! The settings of a study.

use std::sync::Arc;
use std::time::Duration;

use crate::acquisition::{Acquisition, CostForm, Pointwise};
use crate::backend::{Backend, BackendOptions};
use crate::data::{Cost, Direction, Domain};
use crate::error::{Error, ErrorKind, Result};
use crate::maximize::Maximize;
use crate::model::GaussianProcess;
use crate::stop::StopRule;
use crate::study::Study;
use crate::suggest::{Incumbent, Policy, Setup};

/// Settings of a [`Study`]; everything but the domain has a default.
pub struct StudyBuilder {
    domain: Domain,
    direction: Direction,
    cost: Cost,
    cost_floor: Option<f64>,
    policy: Policy,
    rule: Option<Box<dyn StopRule>>,
    model: GaussianProcess,
    cost_model: GaussianProcess,
    initial: Option<usize>,
    seed: u64,
    standardize: bool,
    incumbent: Incumbent,
    backend: Option<Arc<dyn Backend>>,
    search: Option<(usize, usize)>,
    plain: bool,
    time_limit: Option<Duration>,
    cost_unit: Option<String>,
}

impl StudyBuilder {
    pub(super) fn new(domain: Domain, direction: Direction) -> Self {
        Self {
            domain,
            direction,
            cost: Cost::default(),
            cost_floor: None,
            policy: Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                exponent: 1.0,
                form: CostForm::default(),
            })
            .into(),
            rule: None,
            model: GaussianProcess::new(),
            cost_model: GaussianProcess::new(),
            initial: None,
            seed: 0,
            standardize: true,
            incumbent: Incumbent::default(),
            backend: None,
            search: None,
            plain: false,
            time_limit: None,
            cost_unit: None,
        }
    }

    /// What is known of the cost; 1 everywhere unless set.
    pub fn cost(mut self, cost: Cost) -> Self {
        self.cost = cost;
        self
    }

    /// Takes costs of zero: what no evaluation is taken to cost less than, in the units of cost;
    /// none unless set, and a cost of zero is an error. The books keep what was told or is known,
    /// as long as it is not negative; model, acquisition and stopping rule see the floor in place
    /// of less. A good floor is the smallest cost that still matters to you: the logarithm of the
    /// cost is modeled, which a floor far below the other costs would stretch.
    pub fn cost_floor(mut self, floor: f64) -> Self {
        self.cost_floor = Some(floor);
        self
    }

    /// The acquisition function, or a policy that gives one for each step; log expected improvement
    /// per cost unless set.
    pub fn acquisition(mut self, policy: impl Into<Policy>) -> Self {
        self.policy = policy.into();
        self
    }

    /// The stopping rule. Unless set, a policy with a price stops by the
    /// [`GittinsRule`](crate::stop::GittinsRule) at that price, and any other never stops.
    pub fn stop(mut self, rule: impl StopRule + 'static) -> Self {
        self.rule = Some(Box::new(rule));
        self
    }

    /// The model of the (standardized) outcome.
    pub fn model(mut self, model: GaussianProcess) -> Self {
        self.model = model;
        self
    }

    /// The model of the standardized `ln c` where the cost is learned.
    pub fn cost_model(mut self, model: GaussianProcess) -> Self {
        self.cost_model = model;
        self
    }

    /// The number of points of the initial design; `2 (d + 1)` unless set, and no more than a table
    /// has different rows. Complete trials that are imported count toward it.
    pub fn initial(mut self, points: usize) -> Self {
        self.initial = Some(points);
        self
    }

    /// The seed that fixes the run; 0 unless set. The same calls in the same order, with the same
    /// numbers told, give the same suggestions and verdicts bit for bit on the CPU, on any number
    /// of threads. A device finds its basins in its own arithmetic, and whether `auto` asks it is
    /// measured: where bits must repeat on a machine that has one, give the backend
    /// [`Cpu`](crate::Cpu).
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Whether outcomes are standardized by their own mean and deviation before they are modeled;
    /// yes unless set.
    pub fn standardize(mut self, standardize: bool) -> Self {
        self.standardize = standardize;
        self
    }

    /// What a new trial is to improve upon, and what the run would keep if it ended: the largest
    /// posterior mean at a complete trial unless set. [`Incumbent::BestOutcome`] is for outcomes
    /// without noise, and to repeat published experiments.
    pub fn incumbent(mut self, incumbent: Incumbent) -> Self {
        self.incumbent = incumbent;
        self
    }

    /// Who evaluates batches. Unless set, what the environment asks for
    /// ([`BackendOptions::from_env`]), and without a wish there `auto`: the CPU, and for batches
    /// past the measured crossover a hardware adapter, if there is one; none is looked for before a
    /// batch is large enough to ask.
    ///
    /// A backend whose numbers are not double precision from the host finds where the best points
    /// are, and the host climbs on from there: what is suggested and reported is always the host's,
    /// in double precision.
    pub fn backend(mut self, backend: Arc<dyn Backend>) -> Self {
        self.backend = Some(backend);
        self
    }

    /// How hard to search a space: `raw` quasi-random points are scored, and `starts` climb from
    /// the best of them; as [`Maximize::new`] has it unless set, and for the plans of a
    /// [`Lookahead`](crate::acquisition::Lookahead) as [`Maximize::for_trees`].
    pub fn search(mut self, raw: usize, starts: usize) -> Self {
        self.search = Some((raw, starts));
        self
    }

    /// Searches a space from quasi-random points alone, without the best trials, their neighborhood
    /// and the ends of the search before, and without lines along the axes ([`Maximize::plain`]):
    /// to compare with published experiments, which did. It is worse at finding where an
    /// acquisition is largest, which is not always worse for a run: with a noise that is assumed
    /// but not there, the largest improvement is often next to the best trial again.
    pub fn plain_search(mut self) -> Self {
        self.plain = true;
        self
    }

    /// How long one [`ask`](Study::ask) and one [`verdict`](Study::verdict) may take, fits
    /// included; each then ends with the best found so far and says so. None unless set. What is
    /// found then depends on the machine, and a run no longer repeats itself to the bit.
    ///
    /// The limit holds to within some 10 ms and a tenth of itself: the clock is looked at every 5
    /// ms or after a twentieth of what is left, and no batch begins that is not expected to end in
    /// time.
    ///
    /// - **Fits** take up to half of the time. If there is too little for one, the hyper-parameters
    ///   are kept and the new outcome is appended to the factor; the first fit of a study climbs on
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
    /// What cannot be cut short takes its time whatever the limit: the factor of all `n`
    /// observations, `O(n^3)`, where there is none to append to (the first call, or the first after
    /// a failed or infeasible trial); a row of it for each trial under way, `O(n^2)`; a single
    /// batch of a device or of a known cost that is slow; and the first look for a device, once in
    /// a process.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// The unit of cost in reports, such as `"s"`; none unless set.
    pub fn cost_unit(mut self, unit: impl Into<String>) -> Self {
        self.cost_unit = Some(unit.into());
        self
    }

    /// Checks the settings and starts the study.
    ///
    /// # Errors
    /// Those of [`Domain::validate`], [`Cost::validate`] and [`Policy::validate`]; `InvalidSetting`
    /// for a cost floor that is not positive and finite, a search without points or starts, where
    /// the stopping rule cannot work with the policy, and naming the variable of the environment
    /// that no backend is known by.
    pub fn build(self) -> Result<Study> {
        self.domain.validate()?;
        self.cost.validate(self.cost_floor)?;
        self.policy.validate()?;
        if let Some(rule) = &self.rule {
            rule.validate(self.policy.price())?;
        }
        let dim = self.domain.dim();
        self.model.check(dim).map_err(|error| error.at("the outcome's model"))?;
        self.cost_model.check(dim).map_err(|error| error.at("the cost's model"))?;
        let (mut search, mut trees) = (Maximize::new(dim), Maximize::for_trees(dim));
        if let Some((raw, starts)) = self.search {
            if raw == 0 || starts == 0 {
                let message = format!(
                    "a search needs at least one point and one start, got {raw} and {starts}"
                );
                return Err(Error::new(ErrorKind::InvalidSetting, message));
            }
            (search.raw, search.starts) = (raw, starts);
            (trees.raw, trees.starts) = (raw, starts);
        }
        search.plain = self.plain;
        let rows = match &self.domain {
            Domain::Space(_) => usize::MAX,
            Domain::Table(table) => table.different(),
        };
        let backend = match self.backend {
            Some(backend) => backend,
            None => BackendOptions::from_env()?.open(),
        };
        let initial = self.initial.unwrap_or(2 * (dim + 1)).min(rows);
        let setup = Setup {
            domain: self.domain,
            cost: self.cost,
            cost_floor: self.cost_floor,
            model: self.model,
            cost_model: self.cost_model,
            standardize: self.standardize,
            incumbent: self.incumbent,
            backend,
            search,
            trees,
            time_limit: self.time_limit,
            seed: self.seed,
        };
        Ok(Study::start(setup, self.direction, self.policy, self.rule, initial, self.cost_unit))
    }
}
