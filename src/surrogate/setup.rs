//! What stays the same over a run.

use std::sync::Arc;
use std::time::Duration;

use crate::backend::{Backend, BackendOptions};
use crate::data::{Cost, Domain, KnownCost, Scaling, Warp, Warping};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::maximize::Maximize;
use crate::model::GaussianProcess;
use crate::surrogate::incumbent::Incumbent;

/// The settings that stay the same from one suggestion to the next.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The domain of the search.
    pub domain: Domain,
    /// The cost: uniform, known or to be learned.
    pub cost: Cost,
    /// In stages, where costs are learned: what a whole run costs by a price list, if there is one.
    pub listed: Option<KnownCost>,
    /// The smallest cost, if there is one. Observed and known costs may then be zero.
    pub cost_floor: Option<f64>,
    /// The model of the outcome.
    pub model: GaussianProcess,
    /// The model of `ln c`, if the cost is learned.
    pub cost_model: GaussianProcess,
    /// Whether outcomes are standardized before they are modeled.
    pub standardize: bool,
    /// The warp of outcomes before they are modeled. A known kernel describes outcomes as they are,
    /// and outcomes that are not standardized keep their unit: these are not warped, whatever is
    /// set here.
    pub warping: Warping,
    /// The value that a new trial must improve.
    pub incumbent: Incumbent,
    /// The backend that evaluates batches. All reported numbers come from the host in double
    /// precision, whatever found the points.
    pub backend: Arc<dyn Backend>,
    /// The effort of a search of a space. Each search has its own seed.
    pub search: Maximize,
    /// The effort of a search of a lookahead's plans.
    pub trees: Maximize,
    /// The time limit of a suggestion or a verdict, including fits. At the limit it ends with the
    /// best point so far.
    pub time_limit: Option<Duration>,
    /// The seed of the run.
    pub seed: u64,
}

impl Setup {
    /// The setup over a domain with a model of the outcome, with the defaults of all other settings
    /// and without a warp: an expectation over what is left to chance is one of the outcome itself.
    /// Opens the backend that the environment asks for, unless there is one.
    ///
    /// # Errors
    /// Those of the model; `InvalidSetting`, naming an environment variable that names no known
    /// backend.
    pub fn new(
        domain: Domain,
        model: GaussianProcess,
        backend: Option<Arc<dyn Backend>>,
    ) -> Result<Self> {
        model.check(domain.dim()).map_err(|error| error.at("the outcome's model"))?;
        let varied = domain.varied();
        let mut search = Maximize::new(varied);
        let mut trees = Maximize::for_trees(varied);
        if let Domain::Space(space) = &domain {
            search = search.over_values(space);
            trees = trees.over(space);
        }
        let backend = match backend {
            Some(backend) => backend,
            None => BackendOptions::from_env()?.open(),
        };
        Ok(Self {
            domain,
            cost: Cost::default(),
            listed: None,
            cost_floor: None,
            model,
            cost_model: GaussianProcess::new(),
            standardize: true,
            warping: Warping::None,
            incumbent: Incumbent::default(),
            backend,
            search,
            trees,
            time_limit: None,
            seed: 0,
        })
    }

    /// Whether the unit of outcomes is learned from them.
    pub fn learns_unit(&self) -> bool {
        self.standardize && !self.model.knows_kernel()
    }

    /// Whether outcomes are warped.
    pub(super) fn warps(&self) -> bool {
        self.warping != Warping::None && self.learns_unit()
    }

    /// The warp of these outcomes. It changes nothing from the median of those of use on.
    pub(super) fn warp(&self, outcomes: &[f64], usable: Option<f64>) -> Warp {
        Warp::new(if self.warps() { self.warping } else { Warping::None }, outcomes, usable)
    }

    /// The scaling of the model's warped outcomes.
    pub(super) fn scaling(&self, outcomes: &[f64]) -> Scaling {
        if self.standardize { Scaling::standardize(outcomes) } else { Scaling::identity() }
    }

    /// When a suggestion or a verdict that begins now must end.
    pub fn deadline(&self) -> Deadline {
        Deadline::after(self.time_limit)
    }
}
