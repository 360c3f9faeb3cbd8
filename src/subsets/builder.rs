//! The settings of a study of control sets.

use std::sync::Arc;

use crate::backend::{Backend, BackendOptions};
use crate::data::{Cost, Direction, Domain, Space};
use crate::error::{Error, ErrorKind, Result, check_positive};
use crate::maximize::Maximize;
use crate::model::{GaussianProcess, KernelFamily};
use crate::subsets::policy::SubsetPolicy;
use crate::subsets::search::SetSearch;
use crate::subsets::sets::{ControlSets, Sampling};
use crate::subsets::study::SubsetStudy;
use crate::suggest::{Incumbent, Setup};

/// Settings of a [`SubsetStudy`]; everything but space and sets has a default.
pub struct SubsetStudyBuilder {
    pub(super) space: Space,
    pub(super) sets: ControlSets,
    pub(super) direction: Direction,
    pub(super) policy: SubsetPolicy,
    pub(super) budget: Option<f64>,
    model: GaussianProcess,
    pub(super) initial: Option<usize>,
    pub(super) seed: u64,
    standardize: bool,
    backend: Option<Arc<dyn Backend>>,
    pub(super) samples: usize,
    pub(super) sampling: Sampling,
    pub(super) tolerance: f64,
    pub(super) search: SetSearch,
}

impl SubsetStudyBuilder {
    pub(super) fn new(space: Space, sets: ControlSets, direction: Direction) -> Self {
        Self {
            space,
            sets,
            direction,
            policy: SubsetPolicy::default(),
            budget: None,
            model: GaussianProcess::new().kernel(KernelFamily::Rbf),
            initial: None,
            seed: 0,
            standardize: true,
            backend: None,
            samples: 1024,
            sampling: Sampling::default(),
            tolerance: 1e-9,
            search: SetSearch::new(0),
        }
    }

    /// How queries are scored and sets are chosen; ETC-Ada unless set.
    pub fn policy(mut self, policy: SubsetPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// What all trials that are asked for may cost together; the study's
    /// [verdict](SubsetStudy::verdict) is to stop once the next one would exceed it. None unless
    /// set.
    pub fn budget(mut self, budget: f64) -> Self {
        self.budget = Some(budget);
        self
    }

    /// The model of the (standardized) outcome; one with the squared-exponential kernel unless set,
    /// under which expectations factorize. Any other kernel takes longer.
    pub fn model(mut self, model: GaussianProcess) -> Self {
        self.model = model;
        self
    }

    /// The number of trials before the policy chooses; `2 (d + 1)` unless set. They play the
    /// cheapest sets in turn, at quasi-random values, and are paid for. Complete trials that are
    /// imported count toward them.
    pub fn initial(mut self, trials: usize) -> Self {
        self.initial = Some(trials);
        self
    }

    /// The seed that fixes the run; 0 unless set. What holds for
    /// [`StudyBuilder::seed`](crate::study::StudyBuilder::seed) holds here.
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

    /// Who finds where expected bounds are large; as
    /// [`StudyBuilder::backend`](crate::study::StudyBuilder::backend). What is chosen and reported
    /// is always settled on the host.
    pub fn backend(mut self, backend: Arc<dyn Backend>) -> Self {
        self.backend = Some(backend);
        self
    }

    /// How many draws of the variables stand for what nature may do, made once for the whole run;
    /// 1024 unless set, as published.
    pub fn samples(mut self, count: usize) -> Self {
        self.samples = count;
        self
    }

    /// How these are drawn: quasi-random unless set.
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

    /// How hard each set is searched; as published unless set, which finds the best query of a set
    /// in all but three of a hundred cases. Each search has a seed of its own in place of this
    /// one's.
    pub fn search(mut self, search: SetSearch) -> Self {
        self.search = search;
        self
    }

    /// Checks the settings and starts the study.
    ///
    /// # Errors
    /// Those of [`ControlSets::on`] and [`SubsetPolicy::validate`]; `InvalidSetting` for a budget
    /// that is not positive, no sample, a tolerance that is negative or no number, a search without
    /// queries or starts, and naming the variable of the environment that no backend is known by.
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
        self.model.check(self.space.dim()).map_err(|error| error.at("the outcome's model"))?;
        let backend = match &self.backend {
            Some(backend) => backend.clone(),
            None => BackendOptions::from_env()?.open(),
        };
        let dim = self.space.dim();
        let setup = Setup {
            domain: Domain::Space(self.space.clone()),
            cost: Cost::default(),
            cost_floor: None,
            model: self.model.clone(),
            cost_model: GaussianProcess::new(),
            standardize: self.standardize,
            incumbent: Incumbent::default(),
            backend,
            search: Maximize::new(dim),
            trees: Maximize::for_trees(dim),
            time_limit: None,
            seed: self.seed,
        };
        Ok(SubsetStudy::start(setup, sets, self))
    }
}
