//! Acquisition functions: how much a point is worth, given what the posterior believes of it.
//!
//! Larger is better. Most are functions of the belief at the point, in closed form (the Gittins
//! index takes one scalar root). Write `mu` and `sigma` for the posterior's mean and standard
//! deviation at a point, `best` for the incumbent, `c` for the cost, and
//!
//! ```text
//! u = (mu - best) / sigma      h(u) = phi(u) + u Phi(u)      m = h/Phi      r = phi/Phi
//! ```
//!
//! with the standard normal density `phi` and distribution function `Phi`.
//!
//! | variant | value | d/d mu | d/d sigma |
//! | --- | --- | --- | --- |
//! | expected improvement | `sigma h(u)` | `Phi(u)` | `phi(u)` |
//! | its logarithm | `ln sigma + ln h(u)` | `1/(sigma m)` | `r/(sigma m)` |
//! | probability of improvement | `Phi(u)` | `phi(u)/sigma` | `-u phi(u)/sigma` |
//! | its logarithm | `ln Phi(u)` | `r/sigma` | `-u r/sigma` |
//! | upper confidence bound | `mu + sqrt(beta) sigma` | 1 | `sqrt(beta)` |
//! | Gittins index | `mu - sigma u*`, `h(u*) = lambda c/sigma` | 1 | `r(u*)` |
//! | estimated maximum | `(mu - m)/s`, `s^2 = sigma^2 + noise` | `1/s` | `-value sigma/s^2` |
//! | max-value entropy | mean over maxima of `g r(g)/2 - ln Phi(g)`, `g = (f* - mu)/sigma` | `(1 + g m) r/(2 sigma)` | `g (1 + g m) r/(2 sigma)` |
//!
//! [`Pointwise`] acquisitions are the rows of this table. [`Joint`] ones need more than the belief
//! at one point. A [sampled path](Joint::ThompsonSample) has a value of its own at each point,
//! whatever is believed there. The [knowledge gradients](Joint::KnowledgeGradient) ask what an
//! outcome at the point would change elsewhere. A
//! [multi-step improvement](Joint::MultiStepImprovement) asks what a plan can make of the outcome.
//!
//! Which one to take: [`Pointwise::Gittins`] if evaluations differ in cost or if stopping matters,
//! since its price of a unit of cost is also the stopping rule's;
//! [`Pointwise::LogExpectedImprovement`] if all evaluations cost the same and the budget is given.

mod affordable;
mod belief;
mod confidence;
mod estimation;
mod facts;
mod gittins;
mod improvement;
mod joint;
mod knowledge_gradient;
mod lookahead;
mod max_value_entropy;
mod maxima;
mod per_cost;
mod pointwise;

use std::sync::Arc;

use crate::data::Scaling;
use crate::error::{Error, ErrorKind, Result};
use crate::posterior::Path;

pub use affordable::{Chance, affordable};
pub(crate) use belief::foreseen;
pub use belief::{Belief, LOG_ZERO, PointBeliefCost, Score};
pub(crate) use confidence::ucb_beta_at;
pub use confidence::{ucb_beta, ucb_beta_unscaled};
pub use estimation::{MaximumEstimate, confidence_lambda, confidence_target, equivalent_lambda};
pub use facts::Quantity;
pub(crate) use facts::{Facts, StartWeights};
pub use joint::Joint;
#[cfg(feature = "gpu")]
pub(crate) use joint::Shader;
pub(crate) use knowledge_gradient::Lines;
pub use knowledge_gradient::normals;
pub use lookahead::{Boundary, FantasyTree, Lookahead, Planning};
pub(crate) use lookahead::{LANES, Likelihood, Purse, Valuation};
pub use maxima::{Gumbel, IndependentMaximum};
pub use per_cost::{CostForm, cooling_exponent};
pub use pointwise::Pointwise;
#[cfg(feature = "gpu")]
pub(crate) use pointwise::{PointwiseKind, ShaderSetting};

/// An acquisition function: larger is better.
///
/// A pointwise acquisition has a value from the belief at one point,
/// [`Pointwise::score`]. A joint one has a value from the posterior at several points, or from a
/// path; a [`Backend`](crate::Backend) scores either.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Acquisition {
    /// The belief at one point decides.
    Pointwise(Pointwise),
    /// Beliefs at several points decide, or a sample path.
    Joint(Joint),
}

impl From<Pointwise> for Acquisition {
    fn from(pointwise: Pointwise) -> Self {
        Self::Pointwise(pointwise)
    }
}

impl From<Joint> for Acquisition {
    fn from(joint: Joint) -> Self {
        Self::Joint(joint)
    }
}

impl Acquisition {
    /// The posterior mean: the upper confidence bound without optimism.
    pub(crate) const MEAN: Self = Self::Pointwise(Pointwise::UpperConfidenceBound { beta: 0.0 });

    /// The Gittins index with a price of `lambda` units of outcome for a unit of cost.
    pub fn gittins(lambda: f64) -> Self {
        Pointwise::Gittins { lambda }.into()
    }

    /// The value of a sample path.
    pub fn thompson(path: Path) -> Self {
        Joint::ThompsonSample { path: Arc::new(path) }.into()
    }

    /// The knowledge gradient in one shot, on standard normal numbers and with the largest
    /// posterior mean now.
    pub fn knowledge_gradient(normals: impl Into<Arc<[f64]>>, current: f64) -> Self {
        Joint::KnowledgeGradient { normals: normals.into(), current }.into()
    }

    /// The value of a plan: of a tree, paid from a budget or free of costs.
    pub fn multi_step_improvement(tree: impl Into<Arc<FantasyTree>>, budget: Option<f64>) -> Self {
        Joint::MultiStepImprovement { tree: tree.into(), budget, boundary: Boundary::Sharp }.into()
    }

    /// Budgeted multi-step expected improvement: plans of `steps` evaluations, with `fantasies` at
    /// each level after the first (or one number for all levels), within what is left of a
    /// [budget](Lookahead::budget). `(4, &[1])` is the path variant, which is quicker;
    /// `(4, &[4, 4, 2])` is the tree of the paper. One step is the improvement that can be paid
    /// for.
    pub fn budgeted_lookahead(steps: usize, fantasies: &[usize]) -> Lookahead {
        Lookahead { budgeted: true, ..Self::multi_step_lookahead(steps, fantasies) }
    }

    /// Multi-step expected improvement: the same if all evaluations cost the same and their number
    /// has no bound.
    pub fn multi_step_lookahead(steps: usize, fantasies: &[usize]) -> Lookahead {
        Lookahead::new(steps, fantasies)
    }

    /// What a report, a search and a shader must know beside the value.
    pub(crate) fn facts(&self) -> Facts {
        match self {
            Self::Pointwise(pointwise) => pointwise.facts(),
            Self::Joint(joint) => joint.facts(),
        }
    }

    /// The name in reports: `Gittins index`, `log expected improvement` and so on.
    pub fn name(&self) -> &'static str {
        self.facts().name
    }

    /// What the value measures, and so how it follows the units of the outcome.
    pub fn quantity(&self) -> Quantity {
        self.facts().quantity
    }

    /// Whether the score depends on the cost. If it does not, any positive cost may stand in the
    /// belief.
    pub fn uses_cost(&self) -> bool {
        self.facts().cost
    }

    /// Whether the score depends on the incumbent.
    pub fn uses_incumbent(&self) -> bool {
        self.facts().incumbent
    }

    /// Whether the score asks for an improvement, which noise keeps one outcome from showing in
    /// full. If the job has [noise](crate::Job::noise), the deviation in such a score is that of
    /// the posterior mean after one more outcome. Other scores take the deviation of the function.
    pub fn foresees_noise(&self) -> bool {
        self.facts().foresees_noise
    }

    /// What a device makes of it.
    #[cfg(feature = "gpu")]
    pub(crate) fn shader(&self) -> Shader<'_> {
        match self {
            Self::Pointwise(pointwise) => Shader::Score(pointwise),
            Self::Joint(joint) => joint.shader(),
        }
    }

    /// How many points are scored together, side by side in a row of a batch: `1 + m` for the
    /// knowledge gradient in one shot, the nodes of a tree for a plan, otherwise 1.
    pub fn points(&self) -> usize {
        match self {
            Self::Pointwise(_) => 1,
            Self::Joint(joint) => joint.points(),
        }
    }

    /// The same acquisition for standardized outcomes.
    pub(crate) fn standardized(&self, scaling: &Scaling) -> Self {
        match self {
            Self::Pointwise(pointwise) => pointwise.standardized(scaling).into(),
            Self::Joint(joint) => joint.standardized(scaling).into(),
        }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// Those of [`Pointwise::validate`] and [`Joint::validate`].
    pub fn validate(&self) -> Result<()> {
        match self {
            Self::Pointwise(pointwise) => pointwise.validate(),
            Self::Joint(joint) => joint.validate(),
        }
    }

    /// The pointwise acquisition, if it is one.
    pub fn pointwise(&self) -> Option<&Pointwise> {
        match self {
            Self::Pointwise(pointwise) => Some(pointwise),
            Self::Joint(_) => None,
        }
    }

    /// The sample path whose value is the score, if the acquisition is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Joint(Joint::ThompsonSample { path }) => Some(path),
            _ => None,
        }
    }

    /// The tree, the budget and the boundary of a multi-step improvement; none of another
    /// acquisition.
    pub(crate) fn plan(&self) -> Option<(&Arc<FantasyTree>, Option<f64>, Boundary)> {
        match self {
            Self::Joint(Joint::MultiStepImprovement { tree, budget, boundary }) => {
                Some((tree, *budget, *boundary))
            }
            _ => None,
        }
    }

    /// The same if the acquisition must be one.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] for another acquisition.
    pub(crate) fn planned(&self) -> Result<(&Arc<FantasyTree>, Option<f64>, Boundary)> {
        self.plan().ok_or_else(|| {
            let message = format!("expected a multi-step improvement, got the {}", self.name());
            Error::new(ErrorKind::InvalidSetting, message)
        })
    }
}
