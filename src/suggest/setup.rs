//! What stays the same over a run.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::backend::Backend;
use crate::data::{Cost, Domain, Scaling};
use crate::math::clock::Deadline;
use crate::maximize::Maximize;
use crate::model::GaussianProcess;
use crate::suggest::incumbent::Incumbent;

/// What stays the same from one suggestion to the next.
#[derive(Clone)]
pub struct Setup {
    /// What is searched.
    pub domain: Domain,
    /// What is known of the cost.
    pub cost: Cost,
    /// What no cost is taken to lie below, if anything: observations and known costs may then be
    /// zero.
    pub cost_floor: Option<f64>,
    /// The model of the outcome.
    pub model: GaussianProcess,
    /// The model of `ln c` where the cost is learned.
    pub cost_model: GaussianProcess,
    /// Whether outcomes are standardized before they are modeled.
    pub standardize: bool,
    /// What a new trial is to improve upon.
    pub incumbent: Incumbent,
    /// Who evaluates batches; what is reported is made on the host in double precision, whoever
    /// found it.
    pub backend: Arc<dyn Backend>,
    /// How hard a space is searched; each search has a seed of its own.
    pub search: Maximize,
    /// How hard the plans of a lookahead are.
    pub trees: Maximize,
    /// How long a suggestion or a verdict may take, fits included, before it ends with the best
    /// found so far.
    pub time_limit: Option<Duration>,
    /// The seed of the run.
    pub seed: u64,
}

impl Setup {
    /// The scaling of outcomes that are to be modeled.
    pub(super) fn scaling(&self, outcomes: &[f64]) -> Scaling {
        if self.standardize { Scaling::standardize(outcomes) } else { Scaling::identity() }
    }

    /// When a suggestion or a verdict that begins now is to end.
    pub fn deadline(&self) -> Deadline {
        Deadline::after(self.time_limit)
    }
}

impl fmt::Debug for Setup {
    /// The backend is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setup")
            .field("domain", &self.domain)
            .field("cost", &self.cost)
            .field("cost_floor", &self.cost_floor)
            .field("model", &self.model)
            .field("cost_model", &self.cost_model)
            .field("standardize", &self.standardize)
            .field("incumbent", &self.incumbent)
            .field("search", &self.search)
            .field("trees", &self.trees)
            .field("time_limit", &self.time_limit)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
