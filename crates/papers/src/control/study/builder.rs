//! The settings of a study of control sets.

use std::sync::Arc;

use gittins::data::Direction;
use gittins::internals::{Belief, Setup, Stream, check_positive, seed};
use gittins::model::Priors;
use gittins::{
    Backend, Domain, Error, ErrorKind, GaussianProcess, KernelFamily, Observations, Points, Result,
    Space,
};

use crate::control::policy::{SetChoice, SubsetPolicy};
use crate::control::search::SetSearch;
use crate::control::select::Exploration;
use crate::control::sets::{BoundSets, ControlSets, Sampling};
use crate::control::study::books::Books;
use crate::control::study::purse::SetPurse;
use crate::control::study::study::SubsetStudy;

/// Settings of a [`SubsetStudy`]. Everything but space and sets has a default.
#[derive(Debug, Clone)]
pub struct SubsetStudyBuilder {
    space: Space,
    sets: ControlSets,
    direction: Direction,
    model: GaussianProcess,
    initial: Option<usize>,
    seed: u64,
    standardize: bool,
    backend: Option<Arc<dyn Backend>>,
    policy: SubsetPolicy,
    budget: Option<f64>,
    samples: usize,
    sampling: Sampling,
    tolerance: f64,
    search: SetSearch,
}

impl SubsetStudy {
    /// A study of outcomes. Larger ones are better.
    pub fn maximize(space: Space, sets: ControlSets) -> SubsetStudyBuilder {
        SubsetStudyBuilder::new(space, sets, Direction::Maximize)
    }

    /// A study of outcomes. Smaller ones are better.
    pub fn minimize(space: Space, sets: ControlSets) -> SubsetStudyBuilder {
        SubsetStudyBuilder::new(space, sets, Direction::Minimize)
    }
}

impl SubsetStudyBuilder {
    fn new(space: Space, sets: ControlSets, direction: Direction) -> Self {
        // Chosen on other runs than the defaults of a `Study`.
        let model = GaussianProcess::new()
            .kernel(KernelFamily::Rbf)
            .priors(Priors::DimensionScaled)
            .lengthscale_bounds(5e-3, 1e3);
        Self {
            space,
            sets,
            direction,
            model,
            initial: None,
            seed: 0,
            standardize: true,
            backend: None,
            policy: SubsetPolicy::default(),
            budget: None,
            samples: 1024,
            sampling: Sampling::default(),
            tolerance: 1e-9,
            search: SetSearch::new(0),
        }
    }

    /// How queries are scored and sets are chosen; ETC-Ada unless set.
    pub fn policy(mut self, policy: impl Into<SubsetPolicy>) -> Self {
        self.policy = policy.into();
        self
    }

    /// The money that all trials that are asked for may cost together. The study's
    /// [verdict](SubsetStudy::verdict) is to stop once the next one would exceed it. None unless
    /// set.
    pub fn budget(mut self, budget: f64) -> Self {
        self.budget = Some(budget);
        self
    }

    /// The model of the (standardized) outcome. Unless set it has the squared-exponential kernel,
    /// under which expectations factorize. Any other kernel takes longer.
    pub fn model(mut self, model: GaussianProcess) -> Self {
        self.model = model;
        self
    }

    /// The number of trials of the initial design, before the policy chooses; `2 (d + 1)` unless
    /// set. They play the cheapest sets in turn, at quasi-random values, and are paid for. Complete
    /// trials that are imported count toward them.
    pub fn initial(mut self, trials: usize) -> Self {
        self.initial = Some(trials);
        self
    }

    /// The seed that fixes the run, as [`StudyBuilder::seed`](gittins::study::StudyBuilder::seed)
    /// does; 0 unless set.
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

    /// Who finds where expected bounds are large. The default is that of
    /// [`StudyBuilder::backend`](gittins::study::StudyBuilder::backend). What is chosen and
    /// reported is always settled on the host.
    pub fn backend(mut self, backend: Arc<dyn Backend>) -> Self {
        self.backend = Some(backend);
        self
    }

    /// How many draws of the variables stand for what nature may do. They are made once for the
    /// whole run. 1024 unless set, as published.
    pub fn samples(mut self, count: usize) -> Self {
        self.samples = count;
        self
    }

    /// How these draws are made: quasi-random unless set.
    pub fn sampling(mut self, sampling: Sampling) -> Self {
        self.sampling = sampling;
        self
    }

    /// How far from what was asked for a controlled value may be told, as a share of its variable's
    /// range; 1e-9 unless set. Within it the told value is what happened.
    pub fn tolerance(mut self, share: f64) -> Self {
        self.tolerance = share;
        self
    }

    /// How hard each set is searched. The default is the published search, which finds the best
    /// query of a set in all but three of a hundred cases. Each search of the run has a seed of its
    /// own in place of this one's.
    pub fn search(mut self, search: SetSearch) -> Self {
        self.search = search;
        self
    }

    /// Checks the settings and starts the study.
    ///
    /// # Errors
    /// Naming the set or the variable: `Empty` without a set, and for a set without a variable;
    /// `UnknownParameter` for a variable that the space does not have; `InvalidSetting` for a name
    /// or a variable that comes twice, for a law that does not fit its variable, and for a variable
    /// without a law that some set leaves to nature; `NonPositiveCost` and `NonFinite` for a price.
    /// Those of [`Space::validate`](gittins::Space::validate). `InvalidSetting` for a policy that
    /// is out of range, for a search without raw queries or starts, for the spherical linear
    /// kernel, for a budget that is not positive, for no sample, for a tolerance that is negative
    /// or no number, and for an environment variable that names no known backend.
    pub fn build(self) -> Result<SubsetStudy> {
        let sets = self.sets.on(&self.space)?;
        self.policy.validate()?;
        if let Some(budget) = self.budget {
            check_positive("the budget", budget)?;
        }
        if self.samples == 0 {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                "samples: expected at least one draw of what nature does, got 0",
            ));
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            let message =
                format!("tolerance: expected a finite share of at least 0, got {}", self.tolerance);
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        self.search.validate()?;
        let domain = Domain::Space(self.space.clone());
        let initial = self.initial.unwrap_or(2 * (domain.dim() + 1));
        let setup = Setup::new(domain, self.model.clone(), self.backend.clone())?;
        self.model.family().check_stationary("control sets")?;
        let (seed, standardize) = (self.seed, self.standardize);
        Ok(self.start(Setup { seed, standardize, ..setup }, sets, initial))
    }

    /// The study, without a trial yet.
    fn start(self, setup: Setup, sets: BoundSets, initial: usize) -> SubsetStudy {
        let direction = self.direction;
        let SubsetStudyBuilder {
            space, policy, budget, samples, sampling, tolerance, search, ..
        } = self;
        let mut drawn = sets.samples(samples, sampling, seed(setup.seed, Stream::Nature, 0));
        for row in 0..drawn.len() {
            space.snap(drawn.row_mut(row));
        }
        let costs: Vec<f64> = sets.sets().iter().map(|set| set.cost).collect();
        let exploration = match &policy.choice {
            SetChoice::ExploreThenCommit(plays) => Some(Exploration::new(&costs, *plays)),
            SetChoice::Relaxed(_) | SetChoice::PerUnitCost => None,
        };
        SubsetStudy {
            names: space.names().map(str::to_owned).collect(),
            hints: sets.sets().iter().map(|set| Points::new(set.controlled.len())).collect(),
            books: Books::new(Observations::new(space.dim(), direction)),
            initial,
            samples: drawn,
            explored: Vec::new(),
            purse: SetPurse::default(),
            belief: Belief::default(),
            looked: None,
            next: None,
            events: Vec::new(),
            said: None,
            awaited: None,
            setup,
            space,
            sets,
            policy,
            budget,
            tolerance,
            search,
            exploration,
        }
    }
}
