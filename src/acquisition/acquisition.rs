//! The acquisition function of a job or of a policy.

use std::sync::Arc;

use super::facts::{Facts, Quantity, UsableForm};
use super::joint::Joint;
#[cfg(feature = "gpu")]
use super::joint::Shader;
use super::lookahead::{Boundary, FantasyTree, Lookahead};
use super::per_cost::CostForm;
use super::pointwise::Pointwise;
use crate::data::OutcomeScale;
use crate::error::{Error, ErrorKind, Result};
use crate::posterior::Path;

/// An acquisition function: larger is better.
///
/// The value of a pointwise acquisition comes from the belief at one point: [`Pointwise::score`].
/// The value of a joint one comes from the posterior at several points, or from a path. A
/// [`Backend`](crate::Backend) scores both kinds.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Acquisition {
    /// An acquisition that uses the belief at one point.
    Pointwise(Pointwise),
    /// An acquisition that uses beliefs at several points, or a sample path.
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
    /// The posterior mean: the upper confidence bound with `beta = 0`.
    pub(crate) const MEAN: Self = Self::Pointwise(Pointwise::UpperConfidenceBound { beta: 0.0 });

    /// The Pandora's Box Gittins Index (PBGI) with a price of `lambda` units of outcome per unit of
    /// cost.
    pub fn gittins(lambda: f64) -> Self {
        Pointwise::Gittins { lambda }.into()
    }

    /// The logarithm of the expected improvement per expected cost.
    pub fn log_eipc() -> Self {
        Pointwise::LogExpectedImprovementPerCost { exponent: 1.0, form: CostForm::Expected }.into()
    }

    /// The value of a sample path.
    pub fn thompson(path: Path) -> Self {
        Joint::ThompsonSample { path: Arc::new(path) }.into()
    }

    /// The knowledge gradient in one shot. `normals` are standard normal numbers, `current` is the
    /// largest posterior mean now.
    pub fn knowledge_gradient(normals: impl Into<Arc<[f64]>>, current: f64) -> Self {
        Joint::KnowledgeGradient { normals: normals.into(), current }.into()
    }

    /// The value of a plan on a tree. With a budget the plan is paid from it; without one costs are
    /// ignored.
    pub fn multi_step_improvement(tree: impl Into<Arc<FantasyTree>>, budget: Option<f64>) -> Self {
        Joint::MultiStepImprovement { tree: tree.into(), budget, boundary: Boundary::Sharp }.into()
    }

    /// Budgeted multi-step expected improvement: plans of `steps` evaluations within the rest of a
    /// [budget](Lookahead::budget). `fantasies` holds one number for each level after the first, or
    /// one number for all levels. `(4, &[1])` is the path variant, which is quicker.
    /// `(4, &[4, 4, 2])` is the tree of the paper. One step gives the improvement that can be paid
    /// for.
    pub fn budgeted_lookahead(steps: usize, fantasies: &[usize]) -> Lookahead {
        Lookahead { budgeted: true, ..Self::multi_step_lookahead(steps, fantasies) }
    }

    /// Multi-step expected improvement: the same without a budget, for evaluations of equal cost
    /// and of unlimited number.
    pub fn multi_step_lookahead(steps: usize, fantasies: &[usize]) -> Lookahead {
        Lookahead::new(steps, fantasies)
    }

    /// What reports, searches and shaders must know besides the value.
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
    #[doc(hidden)]
    pub fn quantity(&self) -> Quantity {
        self.facts().quantity
    }

    /// Whether the score depends on the cost. If not, the belief may hold any positive cost.
    #[doc(hidden)]
    pub fn uses_cost(&self) -> bool {
        self.facts().cost
    }

    /// Whether the score depends on the incumbent.
    #[doc(hidden)]
    pub fn uses_incumbent(&self) -> bool {
        self.facts().incumbent
    }

    /// Whether the score measures an improvement: noise keeps one outcome from showing all of it.
    /// If the job has [noise](crate::Job::noise), such a score takes the standard deviation of the
    /// posterior mean after one more outcome. Other scores take that of the function.
    #[doc(hidden)]
    pub fn foresees_noise(&self) -> bool {
        self.facts().foresees_noise
    }

    /// Whether the score measures what a trial adds to the [pending](crate::Job::pending) ones:
    /// improvements, their probabilities and the Gittins index. Other scores have the pending
    /// trials at their posterior means.
    #[doc(hidden)]
    pub fn uses_pending(&self) -> bool {
        self.facts().foresees_noise
    }

    /// Whether the score depends on the probability that a trial may be used.
    #[doc(hidden)]
    pub fn heeds_usable(&self) -> bool {
        self.facts().usable != UsableForm::None
    }

    /// What a device computes for the acquisition.
    #[cfg(feature = "gpu")]
    pub(crate) fn shader(&self) -> Shader<'_> {
        match self {
            Self::Pointwise(pointwise) => Shader::Score(pointwise),
            Self::Joint(joint) => joint.shader(),
        }
    }

    /// How many points are scored together. They stand side by side in one row of a batch: `1 + m`
    /// for the knowledge gradient in one shot, the nodes of a tree for a plan, otherwise 1.
    pub fn points(&self) -> usize {
        match self {
            Self::Pointwise(_) => 1,
            Self::Joint(joint) => joint.points(),
        }
    }

    /// The same acquisition for standardized outcomes.
    pub(crate) fn standardized(&self, scale: &OutcomeScale) -> Self {
        match self {
            Self::Pointwise(pointwise) => pointwise.standardized(scale).into(),
            Self::Joint(joint) => joint.standardized(scale).into(),
        }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`ErrorKind::NonFinite`](crate::ErrorKind::NonFinite) if a setting is NaN or infinite.
    /// [`ErrorKind::InvalidSetting`](crate::ErrorKind::InvalidSetting) if `beta`, `exponent` or
    /// `noise` is negative, or if `lambda` or the width of a boundary is not positive.
    /// [`ErrorKind::Empty`](crate::ErrorKind::Empty) if there is no sampled maximum, no normal
    /// number or no point in the finite set.
    pub fn validate(&self) -> Result<()> {
        match self {
            Self::Pointwise(pointwise) => pointwise.validate(),
            Self::Joint(joint) => joint.validate(),
        }
    }

    /// The pointwise acquisition; `None` for a joint one.
    pub fn pointwise(&self) -> Option<&Pointwise> {
        match self {
            Self::Pointwise(pointwise) => Some(pointwise),
            Self::Joint(_) => None,
        }
    }

    /// The sample path whose value is the score; `None` for another acquisition.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Joint(Joint::ThompsonSample { path }) => Some(path),
            _ => None,
        }
    }

    /// The tree, the budget and the boundary of a multi-step improvement; `None` for another
    /// acquisition.
    pub(crate) fn plan(&self) -> Option<(&Arc<FantasyTree>, Option<f64>, Boundary)> {
        match self {
            Self::Joint(Joint::MultiStepImprovement { tree, budget, boundary }) => {
                Some((tree, *budget, *boundary))
            }
            _ => None,
        }
    }

    /// The tree, the budget and the boundary of a multi-step improvement.
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
