//! Acquisitions whose value needs more than the belief at one point.

use std::sync::Arc;

use super::facts::{Facts, Quantity, StartWeights, UsableForm};
use super::front::FrontImprovement;
use super::lookahead::{Boundary, FantasyTree};
#[cfg(feature = "gpu")]
use super::pointwise::Pointwise;
use crate::data::{OutcomeScale, Points};
use crate::error::Result;
use crate::posterior::Path;

/// An acquisition whose value needs more than the belief at one point. Larger is better. A
/// [`Backend`](crate::Backend) scores it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Joint {
    /// The value of one sample path of the posterior. The path's maximizer is a draw from the
    /// belief about the place of the maximum (Thompson 1933; Wilson et al. 2020, "Efficiently
    /// sampling functions from Gaussian process posteriors", for paths that can be evaluated
    /// anywhere).
    ///
    /// The path is in the units of the posterior from which it was drawn. This posterior must be
    /// the job's own. [`Policy::thompson`](crate::Policy::thompson) draws a fresh path at each
    /// step. A path cannot be serialized. It
    /// ignores whether a trial may be used.
    #[cfg_attr(feature = "serde", serde(skip))]
    ThompsonSample {
        /// The path.
        path: Arc<Path>,
    },
    /// The knowledge gradient in one shot: the mean over standard normal numbers `z_1 .. z_m` of
    /// `mu(x_i) + b(x_i, x) z_i`, minus `current`, with
    /// `b(x', x) = cov(x', x)/sqrt(var(x) + noise)` (Balandat et al. 2020, "`BoTorch`: A Framework
    /// for Efficient Monte-Carlo Bayesian Optimization", section 4.2).
    ///
    /// A row of `(1 + m) d` numbers holds the point `x` first, then the `m` points `x_i`. After an
    /// outcome at `x` the mean is to be largest at these points. The largest value over all of the
    /// points is the knowledge gradient (Frazier, Powell, Dayanik 2009, "The Knowledge-Gradient
    /// Policy for Correlated Normal Beliefs") on these numbers. The moments of a row are those of
    /// `x`.
    ///
    /// It ignores the cost. It can prefer a point without hope of a good outcome, for what the
    /// point tells about others; no other acquisition here can. It takes many times as long as the
    /// others. [`Maximize::knowledge_gradient`](crate::Maximize::knowledge_gradient) searches it.
    /// Over a finite domain a study takes [`Joint::FiniteKnowledgeGradient`] instead.
    KnowledgeGradient {
        /// Standard normal numbers, at least one, finite: [`normals`](super::normals).
        normals: Arc<[f64]>,
        /// The largest posterior mean now, in units of the outcome; finite.
        current: f64,
    },
    /// The knowledge gradient over a finite set, in closed form: how much the largest posterior
    /// mean of the set is expected to rise with an outcome at `x` (Frazier, Powell, Dayanik 2009,
    /// equation 14). A row is one point. It ignores the cost.
    ///
    /// One candidate needs the covariances with all points of the set.
    FiniteKnowledgeGradient {
        /// The set, at least one point of the posterior's dimension.
        among: Arc<Points>,
    },
    /// The expected improvement of a plan of several evaluations, if they can be paid for. It is
    /// the sum of weight times `EI P(c <= b)` over the nodes of a tree, each given the fantasies
    /// above it (Astudillo et al. 2021, "Multi-Step Budgeted Bayesian Optimization with Unknown
    /// Evaluation Costs", section 4; [`Lookahead`](super::Lookahead) has the formulas).
    ///
    /// The points of the tree are one row of `q d` numbers, the root first. Only the root is to be
    /// evaluated. The moments of a row are those of the root.
    ///
    /// [`Acquisition::budgeted_lookahead`](crate::Acquisition::budgeted_lookahead) gives a policy
    /// with such plans. No other acquisition here knows how much is left to spend.
    MultiStepImprovement {
        /// Which point follows which point, after which outcome.
        tree: Arc<FantasyTree>,
        /// The budget of the plan in units of cost, finite. If it is used up, all values are zero,
        /// except for what a smooth boundary leaves. `None` gives the multi-step expected
        /// improvement, which ignores the cost.
        budget: Option<f64>,
        /// Whether a known cost can be paid.
        boundary: Boundary,
    },
    /// The logarithm of the expected improvement of the hypervolume of a front of two or three
    /// objectives (of one: of the expected improvement), minus that of the expected cost if it is per
    /// cost. The objectives are independent, and each has a posterior of its own.
    ///
    /// ```text
    /// ln E[HVI(y)] - ln E[c]      HVI(y) = hypervolume of the front with y, minus that without
    /// ```
    ///
    /// (Yang, Emmerich, Deutz, Baeck 2019, "Efficient computation of expected hypervolume improvement
    /// using box decomposition algorithms"; in logarithms Ament et al. 2023, "Unexpected Improvements
    /// to Expected Improvement for Bayesian Optimization".) The host evaluates it. It cannot be
    /// serialized.
    #[cfg_attr(feature = "serde", serde(skip))]
    #[doc(hidden)]
    FrontImprovement {
        /// The front, and what is believed of the objectives beside the outcome.
        front: Arc<FrontImprovement>,
    },
}

/// What a device computes for an acquisition.
#[cfg(feature = "gpu")]
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shader<'a> {
    /// Its value and gradient.
    Score(&'a Pointwise),
    /// The value and the gradient of a sample path.
    Path(&'a Path),
    /// Moments along the branches of trees. The host computes the value from them.
    Branches,
    /// Nothing: the host alone evaluates it.
    None,
}

impl Joint {
    /// The table of facts.
    pub(super) fn facts(&self) -> Facts {
        use Quantity::{Gain, Level, LogGain};
        use StartWeights::{Shares, Standardized};
        use UsableForm::Factor;
        let facts = match *self {
            Self::ThompsonSample { .. } => {
                return Facts::new("sampled path", Level, Standardized);
            }
            Self::FrontImprovement { ref front } => {
                let name = if front.per_cost {
                    "log expected improvement of the front per cost"
                } else {
                    "log expected improvement of the front"
                };
                let facts = Facts::new(name, LogGain, Standardized).cost(front.per_cost);
                return facts.usable(UsableForm::Log);
            }
            Self::KnowledgeGradient { .. } => Facts::new("knowledge gradient", Gain, Standardized),
            Self::FiniteKnowledgeGradient { .. } => Facts::new("knowledge gradient", Gain, Shares),
            Self::MultiStepImprovement { budget: None, .. } => {
                Facts::new("multi-step expected improvement", Gain, Shares).incumbent()
            }
            Self::MultiStepImprovement { budget: Some(_), .. } => {
                Facts::new("budgeted multi-step expected improvement", Gain, Shares)
                    .incumbent()
                    .cost(true)
            }
        };
        facts.usable(Factor)
    }

    /// What a device computes for the acquisition.
    #[cfg(feature = "gpu")]
    pub(super) fn shader(&self) -> Shader<'_> {
        match self {
            Self::ThompsonSample { path } => Shader::Path(path),
            Self::MultiStepImprovement { .. } => Shader::Branches,
            Self::KnowledgeGradient { .. }
            | Self::FiniteKnowledgeGradient { .. }
            | Self::FrontImprovement { .. } => Shader::None,
        }
    }

    /// How many points are scored together. They stand side by side in one row of a batch.
    pub(super) fn points(&self) -> usize {
        match self {
            Self::KnowledgeGradient { normals, .. } => 1 + normals.len(),
            Self::MultiStepImprovement { tree, .. } => tree.nodes(),
            Self::FiniteKnowledgeGradient { .. }
            | Self::ThompsonSample { .. }
            | Self::FrontImprovement { .. } => 1,
        }
    }

    /// The same acquisition for standardized outcomes. A sample path is in these units already.
    pub(super) fn standardized(&self, scale: &OutcomeScale) -> Self {
        match self {
            Self::KnowledgeGradient { normals, current } => {
                Self::KnowledgeGradient { normals: normals.clone(), current: scale.apply(*current) }
            }
            Self::ThompsonSample { .. }
            | Self::FiniteKnowledgeGradient { .. }
            | Self::FrontImprovement { .. }
            | Self::MultiStepImprovement { .. } => self.clone(),
        }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// Those of [`Acquisition::validate`](super::Acquisition::validate).
    pub(crate) fn validate(&self) -> Result<()> {
        let facts = self.facts();
        match *self {
            Self::ThompsonSample { .. } | Self::FrontImprovement { .. } => Ok(()),
            Self::KnowledgeGradient { ref normals, current } => {
                facts.check("current", current, true, "a finite number")?;
                facts.check_list("normal number", "each normal number", normals)
            }
            Self::FiniteKnowledgeGradient { ref among } => {
                facts.check_list("point of the set", "each coordinate of the set", among.values())
            }
            Self::MultiStepImprovement { budget, boundary, .. } => {
                boundary.validate()?;
                budget.map_or(Ok(()), |budget| {
                    facts.check("the budget", budget, true, "a finite number")
                })
            }
        }
    }
}
