//! Acquisition functions: how much a point is worth, given what the posterior believes of it.
//!
//! Larger is better. Most are functions of what is believed at the point, in closed form (the
//! Gittins index up to one scalar root). Write `mu` and `sigma` for the posterior's mean and
//! standard deviation at a point, `best` for the incumbent, `c` for the cost, and
//!
//! ```text
//! u = (mu - best) / sigma      h(u) = phi(u) + u Phi(u)      m = h/Phi      r = phi/Phi
//! ```
//!
//! with the standard normal density `phi` and distribution function `Phi`
//! ([`crate::math::normal`]).
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
//! A [sampled path](Acquisition::ThompsonSample) has the value of its own at each point, whatever
//! is believed there. The [knowledge gradients](knowledge_gradient) ask what an outcome at the
//! point would change elsewhere, and a [multi-step improvement](lookahead) what can be made of it;
//! both are made of covariances.
//!
//! Which one to take: [`Acquisition::Gittins`] where evaluations differ in cost or where stopping
//! matters, since its price of a unit of cost is also the stopping rule's;
//! [`Acquisition::LogExpectedImprovement`] where all cost the same and the budget is given.

mod belief;
pub mod affordable;
pub mod confidence;
pub mod estimation;
pub mod gittins;
pub mod improvement;
pub mod knowledge_gradient;
pub mod lookahead;
pub mod max_value_entropy;
pub mod maxima;
pub mod per_cost;

use std::sync::Arc;

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::posterior::Path;

pub(crate) use belief::foreseen;
pub use belief::{Belief, PointBeliefCost, Score};
pub use lookahead::{Boundary, FantasyTree, Lookahead, Planning};

/// The logarithm of zero among scores: below every logarithm of a positive number that a belief can
/// lead to, and finite, so that scores can be compared, subtracted and climbed without an infinity
/// among them.
pub const LOG_ZERO: f64 = -1e300;

/// How a log-normal belief about the cost enters a score per unit of cost.
///
/// `ln c` is normal with mean `m` and variance `v`, independent of the outcome. For a known cost
/// the two are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CostForm {
    /// Divide by `E[c^a]`: `ln` of it is `a m + a^2 v / 2`. The form whose stopping test equals the
    /// Gittins index's.
    #[default]
    Expected,
    /// Multiply by `E[c^-a]`: `ln` of the divisor is `a m - a^2 v / 2`. The score is then the
    /// expectation of the improvement per cost, but an uncertain cost attracts.
    ExpectedInverse,
}

/// An acquisition function, larger is better.
#[derive(Debug, Clone, PartialEq)]
pub enum Acquisition {
    /// `sigma h(u)`, the expected improvement over the incumbent (Mockus 1975; Jones et al. 1998,
    /// "Efficient Global Optimization of Expensive Black-Box Functions", equation 15).
    ///
    /// It underflows to a flat zero some 38 standard deviations below the incumbent, where its
    /// logarithm still has a gradient: prefer [`Acquisition::LogExpectedImprovement`] for
    /// maximizing, this one for reporting in units of the outcome.
    ExpectedImprovement,
    /// `ln(sigma h(u))`, formed without the improvement itself (Ament et al. 2023, "Unexpected
    /// Improvements to Expected Improvement for Bayesian Optimization", section 4.1). The same
    /// maximizers as expected improvement, and a gradient everywhere.
    ///
    /// Ignores the cost; where evaluations differ in cost prefer [`Acquisition::Gittins`].
    LogExpectedImprovement,
    /// `Phi(u)`, the probability of an outcome above the incumbent (Kushner 1964).
    ///
    /// Blind to how large the improvement is, so it exploits; expected improvement is usually the
    /// better choice.
    ProbabilityOfImprovement,
    /// `ln Phi(u)`: the same maximizers as the probability of improvement, and a gradient
    /// everywhere.
    LogProbabilityOfImprovement,
    /// `mu + sqrt(beta) sigma` (Srinivas et al. 2010, "Gaussian Process Optimization in the Bandit
    /// Setting: No Regret and Experimental Design", equation 6); [`confidence::ucb_beta`] gives a
    /// schedule for `beta`.
    ///
    /// It needs no incumbent, so it does not suffer from a noisy one. Ignores the cost; the Gittins
    /// index is the same optimism with a `sqrt(beta)` that grows as the evaluation gets cheaper.
    UpperConfidenceBound {
        /// The square of the number of standard deviations of optimism: finite, at least 0.
        beta: f64,
    },
    /// `EI / c^exponent`, expected improvement per unit of cost (Snoek et al. 2012, "Practical
    /// Bayesian Optimization of Machine Learning Algorithms", section 3.2).
    ///
    /// Prefer [`Acquisition::LogExpectedImprovementPerCost`] for maximizing. Either can spend a
    /// budget on many cheap points where one dear point was worth it (Astudillo et al. 2021,
    /// "Multi-Step Budgeted Bayesian Optimization with Unknown Evaluation Costs"); the Gittins
    /// index does not.
    ExpectedImprovementPerCost {
        /// 1 is per unit of cost, 0 ignores the cost; finite, at least 0.
        /// [`per_cost::cooling_exponent`] lets it fall with the budget.
        exponent: f64,
        /// What a learned cost divides by.
        form: CostForm,
    },
    /// `ln EI - exponent ln c`, the logarithm of expected improvement per unit of cost; with a
    /// falling exponent, cost cooling (Lee et al. 2020, "Cost-aware Bayesian Optimization").
    ///
    /// With exponent 1 and [`CostForm::Expected`] the value is at most `ln lambda` exactly where
    /// the Gittins index is at most the incumbent (Xie et al. 2025, "Cost-aware Stopping for
    /// Bayesian Optimization"), but the two choose different points before.
    LogExpectedImprovementPerCost {
        /// 1 is per unit of cost, 0 ignores the cost; finite, at least 0.
        /// [`per_cost::cooling_exponent`] lets it fall with the budget.
        exponent: f64,
        /// What a learned cost divides by.
        form: CostForm,
    },
    /// The Gittins index of the Pandora's box at the point: the outcome in hand at which paying for
    /// the evaluation would be an even bet, `g` with `E[max(f - g, 0)] = lambda E[c]` (Weitzman
    /// 1979, "Optimal Search for the Best Alternative"; Xie et al. 2024, "Cost-aware Bayesian
    /// Optimization via the Pandora's Box Gittins Index", section 3).
    ///
    /// Optimal for independent boxes. It does not look at the incumbent; the comparison of the best
    /// index with it is the stopping rule. Without a sensible price for a unit of cost,
    /// [`Acquisition::LogExpectedImprovement`] asks for none.
    Gittins {
        /// The price of one unit of cost in units of the posterior's outcome: finite and positive.
        /// A small one explores like an upper confidence bound, a large one exploits.
        lambda: f64,
    },
    /// `(mu - m)/sqrt(sigma^2 + noise)` with an estimate `m` of the maximum: its maximizer is the
    /// point most likely to reach it (Wang, Zhou, Jegelka 2016, "Optimization as Estimation with
    /// Gaussian Processes in Bandit Settings", equation 2, negated). The same maximizers as the
    /// probability of improvement over `m`, and as the upper confidence bound whose number of
    /// deviations is minus the largest value.
    ///
    /// [`estimation`] makes the estimate.
    EstimatedMaximum {
        /// The estimate, in units of the outcome; finite.
        maximum: f64,
        /// Added to the variance: 0 for the function's own, the observation noise for that of an
        /// outcome; finite, at least 0.
        noise: f64,
    },
    /// What an outcome here would tell of the maximum, in nats, per unit of cost: the mean over
    /// sampled maxima `f*` of `g phi(g)/(2 Phi(g)) - ln Phi(g)`, `g = (f* - mu)/sigma`, divided by
    /// `c^exponent` (Wang & Jegelka 2017, "Max-value Entropy Search for Efficient Bayesian
    /// Optimization", equation 6, without observation noise).
    ///
    /// [`max_value_entropy`] samples the maxima.
    MaxValueEntropy {
        /// Samples of the maximum, in units of the outcome: at least one, finite.
        maxima: Arc<[f64]>,
        /// 1 is per unit of cost, 0 ignores the cost; finite, at least 0.
        exponent: f64,
        /// What a learned cost divides by.
        form: CostForm,
    },
    /// The value of one sample path of the posterior: its maximizer is a draw from what is believed
    /// of where the maximum lies (Thompson 1933; Wilson et al. 2020, "Efficiently sampling
    /// functions from Gaussian process posteriors", for paths that can be evaluated anywhere).
    ///
    /// The path is in units of the posterior that it was drawn from, which is to be the job's own;
    /// [`Policy::thompson`](crate::Policy::thompson) draws a fresh one at each step.
    ThompsonSample {
        /// The path.
        path: Arc<Path>,
    },
    /// The knowledge gradient in one shot: the mean over standard normal numbers `z_1 .. z_m` of
    /// `mu(x_i) + b(x_i, x) z_i`, minus `current`, with
    /// `b(x', x) = cov(x', x)/sqrt(var(x) + noise)` (Balandat et al. 2020, "BoTorch: A Framework
    /// for Efficient Monte-Carlo Bayesian Optimization", section 4.2). The point `x` and the `m`
    /// points `x_i` where the mean is to be largest after an outcome at `x` are one row of
    /// `(1 + m) d` numbers, `x` first; the largest value over all of them is the knowledge
    /// gradient's (Frazier, Powell, Dayanik 2009, "The Knowledge-Gradient Policy for Correlated
    /// Normal Beliefs") on these numbers. Moments of a row are those of `x`.
    ///
    /// Ignores the cost. The only acquisition here that can prefer a point at which no good outcome
    /// is expected for what it tells of others, at many times the price of the others.
    /// [`Maximize::knowledge_gradient`](crate::Maximize::knowledge_gradient) searches it; over a
    /// finite domain a study takes [`Acquisition::FiniteKnowledgeGradient`] in its place.
    KnowledgeGradient {
        /// Standard normal numbers, [`knowledge_gradient::normals`]: at least one, finite.
        normals: Arc<[f64]>,
        /// The largest posterior mean now, in units of the outcome; finite.
        current: f64,
    },
    /// The knowledge gradient over a finite set: by how much the largest posterior mean of its
    /// points is expected to rise with an outcome at `x`, in closed form (Frazier, Powell, Dayanik
    /// 2009, equation 14). One point a row. Ignores the cost.
    ///
    /// For one candidate of such a set it costs the covariances with all the others.
    FiniteKnowledgeGradient {
        /// The set, at least one point of the posterior's dimension.
        among: Arc<Points>,
    },
    /// What a plan of several evaluations is expected to improve, as far as it can be paid for: the
    /// sum over the nodes of a tree of their weights times `EI P(c <= b)`, each given the fantasies
    /// above it (Astudillo et al. 2021, "Multi-Step Budgeted Bayesian Optimization with Unknown
    /// Evaluation Costs", section 4; [`lookahead`] has the formulas). The points of the tree are
    /// one row of `q d` numbers, its root first, which alone is to be evaluated; moments of a row
    /// are those of the root.
    ///
    /// [`Acquisition::budgeted_lookahead`] gives a study that plans so. The only acquisition here
    /// that knows what is left to spend.
    MultiStepImprovement {
        /// Which point follows which, after which outcome.
        tree: Arc<FantasyTree>,
        /// What the plan is paid from, in the units of cost, finite; where it is used up nothing is
        /// worth anything, but for what a smooth boundary leaves. None for the multi-step expected
        /// improvement, which ignores the cost.
        budget: Option<f64>,
        /// Whether a known cost can be paid.
        boundary: Boundary,
    },
}

impl Acquisition {
    /// The Gittins index with a price of `lambda` units of outcome for a unit of cost.
    pub fn gittins(lambda: f64) -> Self {
        Self::Gittins { lambda }
    }

    /// The value of a sample path.
    pub fn thompson(path: Path) -> Self {
        Self::ThompsonSample { path: Arc::new(path) }
    }

    /// The knowledge gradient in one shot, on standard normal numbers and with the largest
    /// posterior mean now.
    pub fn knowledge_gradient(normals: impl Into<Arc<[f64]>>, current: f64) -> Self {
        Self::KnowledgeGradient { normals: normals.into(), current }
    }

    /// The name in reports: `Gittins index`, `log expected improvement` and so on.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ExpectedImprovement => "expected improvement",
            Self::LogExpectedImprovement => "log expected improvement",
            Self::ProbabilityOfImprovement => "probability of improvement",
            Self::LogProbabilityOfImprovement => "log probability of improvement",
            Self::UpperConfidenceBound { .. } => "upper confidence bound",
            Self::ExpectedImprovementPerCost { .. } => "expected improvement per cost",
            Self::LogExpectedImprovementPerCost { .. } => "log expected improvement per cost",
            Self::Gittins { .. } => "Gittins index",
            Self::EstimatedMaximum { .. } => "distance to the estimated maximum",
            Self::MaxValueEntropy { .. } => "max-value entropy",
            Self::ThompsonSample { .. } => "sampled path",
            Self::KnowledgeGradient { .. } | Self::FiniteKnowledgeGradient { .. } => {
                "knowledge gradient"
            }
            Self::MultiStepImprovement { budget: None, .. } => "multi-step expected improvement",
            Self::MultiStepImprovement { .. } => "budgeted multi-step expected improvement",
        }
    }

    /// Whether the score depends on the cost. Where it does not, any positive cost may stand in the
    /// belief.
    pub fn uses_cost(&self) -> bool {
        match *self {
            Self::ExpectedImprovementPerCost { exponent, .. }
            | Self::LogExpectedImprovementPerCost { exponent, .. }
            | Self::MaxValueEntropy { exponent, .. } => exponent > 0.0,
            Self::MultiStepImprovement { budget, .. } => budget.is_some(),
            Self::Gittins { .. } => true,
            Self::ExpectedImprovement
            | Self::LogExpectedImprovement
            | Self::ProbabilityOfImprovement
            | Self::LogProbabilityOfImprovement
            | Self::UpperConfidenceBound { .. }
            | Self::EstimatedMaximum { .. }
            | Self::KnowledgeGradient { .. }
            | Self::FiniteKnowledgeGradient { .. }
            | Self::ThompsonSample { .. } => false,
        }
    }

    /// Points that are scored together, side by side in a row of a batch: `1 + m` for the knowledge
    /// gradient in one shot, the nodes of a tree, otherwise 1.
    pub fn points(&self) -> usize {
        match self {
            Self::KnowledgeGradient { normals, .. } => 1 + normals.len(),
            Self::MultiStepImprovement { tree, .. } => tree.nodes(),
            _ => 1,
        }
    }

    /// Whether the value scales with the outcome: multiplied by `s` where mean, standard deviation,
    /// incumbent and `lambda` are. So do EI, EI per cost, multi-step EI, the knowledge gradient,
    /// UCB, the Gittins index and a sampled path; the last three also move with the outcome's
    /// origin.
    pub fn in_outcome_units(&self) -> bool {
        match self {
            Self::ExpectedImprovement
            | Self::ExpectedImprovementPerCost { .. }
            | Self::UpperConfidenceBound { .. }
            | Self::Gittins { .. }
            | Self::KnowledgeGradient { .. }
            | Self::FiniteKnowledgeGradient { .. }
            | Self::MultiStepImprovement { .. }
            | Self::ThompsonSample { .. } => true,
            Self::LogExpectedImprovement
            | Self::ProbabilityOfImprovement
            | Self::LogProbabilityOfImprovement
            | Self::LogExpectedImprovementPerCost { .. }
            | Self::EstimatedMaximum { .. }
            | Self::MaxValueEntropy { .. } => false,
        }
    }

    /// Whether the score depends on the incumbent.
    pub fn uses_incumbent(&self) -> bool {
        match self {
            Self::ExpectedImprovement
            | Self::LogExpectedImprovement
            | Self::ProbabilityOfImprovement
            | Self::LogProbabilityOfImprovement
            | Self::ExpectedImprovementPerCost { .. }
            | Self::LogExpectedImprovementPerCost { .. }
            | Self::MultiStepImprovement { .. } => true,
            Self::UpperConfidenceBound { .. }
            | Self::Gittins { .. }
            | Self::EstimatedMaximum { .. }
            | Self::MaxValueEntropy { .. }
            | Self::KnowledgeGradient { .. }
            | Self::FiniteKnowledgeGradient { .. }
            | Self::ThompsonSample { .. } => false,
        }
    }

    /// Whether it asks for an improvement, which noise keeps an outcome from showing in full: with
    /// a [noise](crate::Job::noise) in the job the deviation in its score is that of the posterior
    /// mean after one more outcome. The others have uses of their own for the deviation of the
    /// function.
    pub fn foresees_noise(&self) -> bool {
        match self {
            Self::ExpectedImprovement
            | Self::LogExpectedImprovement
            | Self::ProbabilityOfImprovement
            | Self::LogProbabilityOfImprovement
            | Self::ExpectedImprovementPerCost { .. }
            | Self::LogExpectedImprovementPerCost { .. }
            | Self::Gittins { .. } => true,
            Self::UpperConfidenceBound { .. }
            | Self::EstimatedMaximum { .. }
            | Self::MaxValueEntropy { .. }
            | Self::KnowledgeGradient { .. }
            | Self::FiniteKnowledgeGradient { .. }
            | Self::MultiStepImprovement { .. }
            | Self::ThompsonSample { .. } => false,
        }
    }

    /// Whether the score is never negative and zero over most of the space late in a run: an
    /// improvement, a probability, an information.
    pub(crate) fn is_never_negative(&self) -> bool {
        matches!(
            self,
            Self::ExpectedImprovement
                | Self::ExpectedImprovementPerCost { .. }
                | Self::ProbabilityOfImprovement
                | Self::MaxValueEntropy { .. }
                | Self::FiniteKnowledgeGradient { .. }
                | Self::MultiStepImprovement { .. }
        )
    }

    /// Settings that make no sense are errors.
    ///
    /// # Errors
    /// [`ErrorKind::NonFinite`] where a setting is NaN or infinite, [`ErrorKind::InvalidSetting`]
    /// where `beta`, `exponent` or `noise` is negative or `lambda` is not positive,
    /// [`ErrorKind::Empty`] without a sampled maximum, a normal number or a point of the finite
    /// set.
    pub fn validate(&self) -> Result<()> {
        let at_least_zero = |setting, value| {
            self.check(setting, value, value >= 0.0, "a finite number of at least 0")
        };
        match *self {
            Self::ExpectedImprovement
            | Self::LogExpectedImprovement
            | Self::ProbabilityOfImprovement
            | Self::LogProbabilityOfImprovement
            | Self::ThompsonSample { .. } => Ok(()),
            Self::UpperConfidenceBound { beta } => at_least_zero("beta", beta),
            Self::ExpectedImprovementPerCost { exponent, .. }
            | Self::LogExpectedImprovementPerCost { exponent, .. } => {
                at_least_zero("exponent", exponent)
            }
            Self::Gittins { lambda } => {
                self.check("lambda", lambda, lambda > 0.0, "a finite number above 0")
            }
            Self::EstimatedMaximum { maximum, noise } => {
                self.check("maximum", maximum, true, "a finite number")?;
                at_least_zero("noise", noise)
            }
            Self::MaxValueEntropy { ref maxima, exponent, .. } => {
                at_least_zero("exponent", exponent)?;
                self.check_some("maximum", maxima.len())?;
                maxima.iter().try_for_each(|&maximum| {
                    self.check("each maximum", maximum, true, "a finite number")
                })
            }
            Self::KnowledgeGradient { ref normals, current } => {
                self.check("current", current, true, "a finite number")?;
                self.check_some("normal number", normals.len())?;
                normals.iter().try_for_each(|&normal| {
                    self.check("each normal number", normal, true, "a finite number")
                })
            }
            Self::FiniteKnowledgeGradient { ref among } => {
                self.check_some("point of the set", among.len())?;
                among.values().iter().try_for_each(|&value| {
                    self.check("each coordinate of the set", value, true, "a finite number")
                })
            }
            Self::MultiStepImprovement { budget, boundary, .. } => {
                boundary.validate()?;
                budget.map_or(Ok(()), |budget| {
                    self.check("the budget", budget, true, "a finite number")
                })
            }
        }
    }

    fn check_some(&self, what: &str, count: usize) -> Result<()> {
        if count > 0 {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Empty,
            format!("acquisition {}: expected at least one {what}, got none", self.name()),
        ))
    }

    fn check(&self, setting: &str, value: f64, valid: bool, expected: &str) -> Result<()> {
        let kind = match value.is_finite() {
            true if valid => return Ok(()),
            true => ErrorKind::InvalidSetting,
            false => ErrorKind::NonFinite,
        };
        Err(Error::new(
            kind,
            format!(
                "acquisition {}: expected {setting} to be {expected}, got {value}",
                self.name()
            ),
        ))
    }

    /// The sample path whose value is the score, if that is what it is.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::ThompsonSample { path } => Some(path),
            _ => None,
        }
    }

    /// Value and partial derivatives at one point; `incumbent` is the best outcome so far (larger
    /// is better), which not all [look at](Self::uses_incumbent).
    ///
    /// For valid settings, finite mean and incumbent, `sd >= 0` and a positive cost every field is
    /// finite: what would overflow stands at the largest finite number, and the logarithm of zero
    /// is [`LOG_ZERO`]. At `sd = 0` the value is the exact limit: EI `max(mu - best, 0)`, its
    /// logarithm the logarithm of that, PI 1 above the incumbent and 0 elsewhere, UCB `mu`, the
    /// Gittins index `mu - lambda c`, the distance to an estimated maximum minus the largest finite
    /// number below it, and the entropy 0; derivatives that have no limit there are zero. Where an
    /// argument that the variant looks at is outside these ranges (NaN, an infinity, a negative
    /// `sd`, a cost of zero or less), every field is NaN, which wins no comparison; so it is for
    /// the knowledge gradients, a multi-step improvement and a sampled path, which the belief at
    /// one point does not decide: a [`Backend`](crate::Backend) scores them.
    pub fn score(&self, incumbent: f64, belief: &Belief) -> Score {
        let Belief { mean, sd, cost } = *belief;
        let cost = if self.uses_cost() { cost } else { PointBeliefCost::Known(1.0) };
        let incumbent_fits = incumbent.is_finite() || !self.uses_incumbent();
        let meaningful = mean.is_finite()
            && sd.is_finite()
            && sd >= 0.0
            && incumbent_fits
            && cost.is_meaningful();
        if !meaningful {
            return Score::MEANINGLESS;
        }
        match *self {
            Self::ExpectedImprovement => improvement::expected(incumbent, mean, sd),
            Self::LogExpectedImprovement => improvement::log_expected(incumbent, mean, sd),
            Self::ProbabilityOfImprovement => improvement::probability(incumbent, mean, sd),
            Self::LogProbabilityOfImprovement => improvement::log_probability(incumbent, mean, sd),
            Self::UpperConfidenceBound { beta } => confidence::upper_bound(beta, mean, sd),
            Self::ExpectedImprovementPerCost { exponent, form } => per_cost::expected(
                improvement::expected(incumbent, mean, sd).saturated(),
                exponent,
                form,
                cost,
            ),
            Self::LogExpectedImprovementPerCost { exponent, form } => per_cost::log_expected(
                improvement::log_expected(incumbent, mean, sd),
                exponent,
                form,
                cost,
            ),
            Self::Gittins { lambda } => gittins::index(lambda, mean, sd, cost),
            Self::EstimatedMaximum { maximum, noise } => {
                estimation::distance(maximum, noise, mean, sd)
            }
            Self::MaxValueEntropy { ref maxima, exponent, form } => per_cost::expected(
                max_value_entropy::gain(maxima, mean, sd).saturated(),
                exponent,
                form,
                cost,
            ),
            Self::KnowledgeGradient { .. }
            | Self::FiniteKnowledgeGradient { .. }
            | Self::MultiStepImprovement { .. }
            | Self::ThompsonSample { .. } => {
                return Score::MEANINGLESS;
            }
        }
        .saturated()
    }
}
