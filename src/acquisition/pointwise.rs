//! Acquisitions whose value at a point depends only on the belief at this point.

use std::sync::Arc;

use super::belief::{Belief, PointBeliefCost, Score};
use super::facts::{Facts, Quantity, StartWeights, UsableForm};
use super::per_cost::CostForm;
use super::{confidence, estimation, gittins, improvement, max_value_entropy, per_cost};
use crate::data::OutcomeScale;
use crate::error::Result;
#[cfg(feature = "gpu")]
use crate::math::wgsl::has_cases;
use crate::math::wgsl::wgsl_enum;

/// An acquisition whose value at a point depends only on the belief at this point. Larger is
/// better.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Pointwise {
    /// `sigma h(u)`, the expected improvement over the incumbent (Mockus 1975; Jones et al. 1998,
    /// "Efficient Global Optimization of Expensive Black-Box Functions", equation 15).
    ///
    /// About 38 standard deviations below the incumbent it underflows to a flat zero. Its logarithm
    /// still has a gradient there. Prefer [`Pointwise::LogExpectedImprovement`] for maximizing. Use
    /// this one to report in units of the outcome.
    ExpectedImprovement,
    /// `ln(sigma h(u))`, computed without the improvement itself (Ament et al. 2023, "Unexpected
    /// Improvements to Expected Improvement for Bayesian Optimization", section 4.1). It has the
    /// same maximizers as the expected improvement, and a gradient everywhere.
    ///
    /// It ignores the cost. If evaluations differ in cost, prefer [`Pointwise::Gittins`].
    LogExpectedImprovement,
    /// `Phi(u)`, the probability of an outcome above the incumbent (Kushner 1964).
    ///
    /// It ignores the size of the improvement, so it exploits. Expected improvement is usually the
    /// better choice.
    ProbabilityOfImprovement,
    /// `ln Phi(u)`. It has the same maximizers as the probability of improvement, and a gradient
    /// everywhere.
    LogProbabilityOfImprovement,
    /// `mu + sqrt(beta) sigma` (Srinivas et al. 2010, "Gaussian Process Optimization in the Bandit
    /// Setting: No Regret and Experimental Design", equation 6). [`ucb_beta`](super::ucb_beta)
    /// gives a schedule for `beta`.
    ///
    /// It needs no incumbent, so a noisy incumbent does not hurt it. It ignores the cost. The
    /// Gittins index has the same optimism, with a `sqrt(beta)` that grows as the evaluation gets
    /// cheaper.
    ///
    /// It ignores whether a trial may be used: a bound has no place for it.
    UpperConfidenceBound {
        /// The square of the number of standard deviations of optimism: finite, at least 0.
        beta: f64,
    },
    /// `EI / c^exponent`, expected improvement per unit of cost (Snoek et al. 2012, "Practical
    /// Bayesian Optimization of Machine Learning Algorithms", section 3.2).
    ///
    /// Prefer [`Pointwise::LogExpectedImprovementPerCost`] for maximizing. Both can spend a budget
    /// on many cheap points although one expensive point was worth it (Astudillo et al. 2021,
    /// "Multi-Step Budgeted Bayesian Optimization with Unknown Evaluation Costs"). The Gittins
    /// index does not.
    ExpectedImprovementPerCost {
        /// The power of the cost, finite and at least 0. 1 is per unit of cost, 0 ignores the cost.
        /// [`cooling_exponent`](super::cooling_exponent) lowers it with the budget.
        exponent: f64,
        /// The divisor for a learned cost.
        form: CostForm,
    },
    /// `ln EI - exponent ln c`, the logarithm of expected improvement per unit of cost. With a
    /// falling exponent it is cost cooling (Lee et al. 2020, "Cost-aware Bayesian Optimization").
    ///
    /// With exponent 1 and [`CostForm::Expected`] the value is at most `ln lambda` if and only if
    /// the Gittins index is at most the incumbent (Xie et al. 2025, "Cost-aware Stopping for
    /// Bayesian Optimization"). Before that the two choose different points.
    LogExpectedImprovementPerCost {
        /// The power of the cost, finite and at least 0. 1 is per unit of cost, 0 ignores the cost.
        /// [`cooling_exponent`](super::cooling_exponent) lowers it with the budget.
        exponent: f64,
        /// The divisor for a learned cost.
        form: CostForm,
    },
    /// The Pandora's Box Gittins Index (PBGI) at the point: `g` with
    /// `E[max(f - g, 0)] = lambda E[c]`. If the incumbent outcome is `g`, paying for the evaluation
    /// is a fair bet (Weitzman 1979, "Optimal Search for the Best Alternative"; Xie et al. 2024,
    /// "Cost-aware Bayesian Optimization via the Pandora's Box Gittins Index", section 3).
    ///
    /// If a trial may be used with probability `p`, the equation is `p E[max(f - g, 0)] = lambda E[c]`
    /// ([`score_if_usable`](Self::score_if_usable)).
    ///
    /// It is optimal for independent boxes. It does not use the incumbent; the stopping rule
    /// compares the best index with the incumbent. If you have no sensible price for a unit of
    /// cost, take [`Pointwise::LogExpectedImprovement`], which needs none.
    Gittins {
        /// The price of one unit of cost in units of the posterior's outcome, finite and positive.
        /// A small price explores like an upper confidence bound. A large price exploits.
        lambda: f64,
    },
    /// `(mu - m)/sqrt(sigma^2 + noise)` with an estimate `m` of the maximum. Its maximizer is the
    /// point most likely to reach `m` (Wang, Zhou, Jegelka 2016, "Optimization as Estimation with
    /// Gaussian Processes in Bandit Settings", equation 2, negated). It has the same maximizers as
    /// the probability of improvement over `m`. It also has those of the upper confidence bound
    /// whose multiple of the standard deviation is minus the largest value.
    ///
    /// [`MaximumEstimate`](super::MaximumEstimate) makes the estimate. It ignores whether a
    /// trial may be used.
    EstimatedMaximum {
        /// The estimate, in units of the outcome; finite.
        maximum: f64,
        /// The number added to the variance, finite and at least 0: 0 for the variance of the
        /// function, the observation noise for the variance of an outcome.
        noise: f64,
    },
    /// What an outcome at the point would tell about the maximum, in nats, per unit of cost. It is
    /// the mean over sampled maxima `f*` of `g phi(g)/(2 Phi(g)) - ln Phi(g)` with
    /// `g = (f* - mu)/sigma`, divided by `c^exponent` (Wang & Jegelka 2017, "Max-value Entropy
    /// Search for Efficient Bayesian Optimization", equation 6, without observation noise).
    ///
    /// [`IndependentMaximum`](super::IndependentMaximum) and sample paths give maxima.
    MaxValueEntropy {
        /// Samples of the maximum, in units of the outcome: at least one, finite.
        maxima: Arc<[f64]>,
        /// The power of the cost, finite and at least 0. 1 is per unit of cost, 0 ignores the cost.
        exponent: f64,
        /// The divisor for a learned cost.
        form: CostForm,
    },
}

impl Pointwise {
    /// One acquisition of each kind, in the order of this enumeration, with settings that suit
    /// outcomes and costs around 1: what a test or a comparison walks.
    #[doc(hidden)]
    pub fn one_of_each() -> Vec<Self> {
        let (exponent, form) = (1.0, CostForm::Expected);
        let one = |kind: &PointwiseKind| match kind {
            PointwiseKind::ExpectedImprovement => Self::ExpectedImprovement,
            PointwiseKind::LogExpectedImprovement => Self::LogExpectedImprovement,
            PointwiseKind::ProbabilityOfImprovement => Self::ProbabilityOfImprovement,
            PointwiseKind::LogProbabilityOfImprovement => Self::LogProbabilityOfImprovement,
            PointwiseKind::UpperConfidenceBound => Self::UpperConfidenceBound { beta: 2.0 },
            PointwiseKind::ExpectedImprovementPerCost => {
                Self::ExpectedImprovementPerCost { exponent, form }
            }
            PointwiseKind::LogExpectedImprovementPerCost => {
                Self::LogExpectedImprovementPerCost { exponent, form }
            }
            PointwiseKind::Gittins => Self::Gittins { lambda: 1e-2 },
            PointwiseKind::EstimatedMaximum => Self::EstimatedMaximum { maximum: 1.1, noise: 0.05 },
            PointwiseKind::MaxValueEntropy => {
                Self::MaxValueEntropy { maxima: [0.9, 1.2, 1.5].into(), exponent, form }
            }
        };
        PointwiseKind::ALL.iter().map(one).collect()
    }

    /// The table of facts.
    pub(super) fn facts(&self) -> Facts {
        use Quantity::{Gain, Level, LogGain, Number};
        use StartWeights::{Shares, Standardized};
        use UsableForm::{Factor, Log, Price};
        let improvement = |name, quantity, usable| {
            let starts = if usable == Factor { Shares } else { Standardized };
            Facts::new(name, quantity, starts).incumbent().foresees_noise().usable(usable)
        };
        match *self {
            Self::ExpectedImprovement => improvement("expected improvement", Gain, Factor),
            Self::LogExpectedImprovement => improvement("log expected improvement", LogGain, Log),
            Self::ProbabilityOfImprovement => {
                improvement("probability of improvement", Number, Factor)
            }
            Self::LogProbabilityOfImprovement => {
                improvement("log probability of improvement", Number, Log)
            }
            Self::UpperConfidenceBound { .. } => {
                Facts::new("upper confidence bound", Level, Standardized)
            }
            Self::ExpectedImprovementPerCost { exponent, .. } => {
                improvement("expected improvement per cost", Gain, Factor).cost(exponent > 0.0)
            }
            Self::LogExpectedImprovementPerCost { exponent, .. } => {
                improvement("log expected improvement per cost", LogGain, Log).cost(exponent > 0.0)
            }
            Self::Gittins { .. } => Facts::new("Gittins index", Level, Standardized)
                .foresees_noise()
                .cost(true)
                .usable(Price),
            Self::EstimatedMaximum { .. } => {
                Facts::new("distance to the estimated maximum", Number, Standardized)
            }
            Self::MaxValueEntropy { exponent, .. } => {
                Facts::new("max-value entropy", Number, Shares).cost(exponent > 0.0).usable(Factor)
            }
        }
    }

    /// The same acquisition for standardized outcomes. Settings that are outcomes, or differences
    /// of outcomes, are scaled.
    pub(super) fn standardized(&self, scale: &OutcomeScale) -> Self {
        match self {
            Self::Gittins { lambda } => Self::Gittins { lambda: scale.apply_difference(*lambda) },
            Self::EstimatedMaximum { maximum, noise } => Self::EstimatedMaximum {
                maximum: scale.apply(*maximum),
                // A variance, so it is scaled twice.
                noise: scale.apply_difference(scale.apply_difference(*noise)),
            },
            Self::MaxValueEntropy { maxima, exponent, form } => Self::MaxValueEntropy {
                maxima: maxima.iter().map(|maximum| scale.apply(*maximum)).collect(),
                exponent: *exponent,
                form: *form,
            },
            Self::ExpectedImprovement
            | Self::LogExpectedImprovement
            | Self::ProbabilityOfImprovement
            | Self::LogProbabilityOfImprovement
            | Self::UpperConfidenceBound { .. }
            | Self::ExpectedImprovementPerCost { .. }
            | Self::LogExpectedImprovementPerCost { .. } => self.clone(),
        }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// Those of [`Acquisition::validate`](super::Acquisition::validate).
    pub(crate) fn validate(&self) -> Result<()> {
        let facts = self.facts();
        match *self {
            Self::ExpectedImprovement
            | Self::LogExpectedImprovement
            | Self::ProbabilityOfImprovement
            | Self::LogProbabilityOfImprovement => Ok(()),
            Self::UpperConfidenceBound { beta } => facts.check_at_least_zero("beta", beta),
            Self::ExpectedImprovementPerCost { exponent, .. }
            | Self::LogExpectedImprovementPerCost { exponent, .. } => {
                facts.check_at_least_zero("exponent", exponent)
            }
            Self::Gittins { lambda } => {
                facts.check("lambda", lambda, lambda > 0.0, "a finite number above 0")
            }
            Self::EstimatedMaximum { maximum, noise } => {
                facts.check("maximum", maximum, true, "a finite number")?;
                facts.check_at_least_zero("noise", noise)
            }
            Self::MaxValueEntropy { ref maxima, exponent, .. } => {
                facts.check_at_least_zero("exponent", exponent)?;
                facts.check_list("maximum", "each maximum", maxima)
            }
        }
    }

    /// Value and partial derivatives at one point.
    ///
    /// `incumbent` is the best outcome so far; larger is better. Some acquisitions
    /// [ignore it](super::Acquisition::uses_incumbent).
    ///
    /// Every field is finite for valid settings, a finite mean, a finite incumbent, `sd >= 0` and a
    /// positive cost. A number that would overflow becomes the largest finite number. The logarithm
    /// of zero is `-1e300`. At `sd = 0` the value is the exact limit:
    ///
    /// - expected improvement: `max(mu - best, 0)`; its logarithm: the logarithm of this number,
    /// - probability of improvement: 1 above the incumbent, 0 elsewhere,
    /// - upper confidence bound: `mu`,
    /// - Gittins index: `mu - lambda c`,
    /// - distance to an estimated maximum: minus the largest finite number, below the estimate,
    /// - max-value entropy: 0.
    ///
    /// A derivative without a limit there is zero.
    ///
    /// Every field is NaN if an argument that the acquisition uses is outside these ranges (NaN, an
    /// infinity, a negative `sd`, a cost of zero or less). NaN wins no comparison.
    pub fn score(&self, incumbent: f64, belief: &Belief) -> Score {
        if !self.is_meaningful(incumbent, belief) {
            return Score::MEANINGLESS;
        }
        let Belief { mean, sd, cost } = *belief;
        let cost = if self.facts().cost { cost } else { PointBeliefCost::Known(1.0) };
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
        }
        .saturated()
    }

    /// Whether the arguments that the acquisition uses are within their ranges.
    pub(super) fn is_meaningful(&self, incumbent: f64, belief: &Belief) -> bool {
        let Belief { mean, sd, cost } = *belief;
        let facts = self.facts();
        mean.is_finite()
            && sd.is_finite()
            && sd >= 0.0
            && (incumbent.is_finite() || !facts.incumbent)
            && (cost.is_meaningful() || !facts.cost)
    }

    /// The same for a trial that may be used with a probability whose logarithm is given, at most 0,
    /// with the derivative by this logarithm: it succeeds, and holds all limits. A trial pays only if
    /// it may be used, and costs in any case: an improvement or an information is multiplied by `p`, a logarithm grows by `ln p`, and
    /// the Gittins index solves `p E[max(f - g, 0)] = lambda E[c]`. Other acquisitions ignore it.
    #[doc(hidden)]
    pub fn score_if_usable(
        &self,
        incumbent: f64,
        belief: &Belief,
        log_usable: f64,
    ) -> (Score, f64) {
        self.with_usable(belief, log_usable, |belief| self.score(incumbent, belief))
    }

    /// The score for a trial that may be of no use, from the score of a belief for one that is.
    pub(super) fn with_usable(
        &self,
        belief: &Belief,
        log_usable: f64,
        mut score: impl FnMut(&Belief) -> Score,
    ) -> (Score, f64) {
        match self.facts().usable {
            UsableForm::None => (score(belief), 0.0),
            UsableForm::Price => {
                // The price is divided in its logarithm, where no probability is too small.
                let (mean, variance) = match belief.cost {
                    PointBeliefCost::Known(cost) => (cost.ln(), 0.0),
                    PointBeliefCost::LogNormal { mean, variance } => (mean, variance),
                };
                let cost = PointBeliefCost::LogNormal { mean: mean - log_usable, variance };
                let mut score = score(&Belief { cost, ..*belief });
                if matches!(belief.cost, PointBeliefCost::Known(_)) {
                    score.d_log_cost_variance = 0.0;
                }
                (score, -score.d_log_cost)
            }
            UsableForm::Factor => {
                let score = score(belief).times(log_usable.exp());
                (score, score.value)
            }
            UsableForm::Log => {
                let score = score(belief);
                (Score { value: score.value + log_usable, ..score }, 1.0)
            }
        }
    }
}

wgsl_enum! {
    /// The pointwise acquisitions by the names in the shader
    /// (`shaders/acquisition/acquisition.wgsl`).
    pub(crate) enum PointwiseKind {
        ExpectedImprovement = "ACQUISITION_EXPECTED_IMPROVEMENT",
        LogExpectedImprovement = "ACQUISITION_LOG_EXPECTED_IMPROVEMENT",
        ProbabilityOfImprovement = "ACQUISITION_PROBABILITY_OF_IMPROVEMENT",
        LogProbabilityOfImprovement = "ACQUISITION_LOG_PROBABILITY_OF_IMPROVEMENT",
        UpperConfidenceBound = "ACQUISITION_UPPER_CONFIDENCE_BOUND",
        ExpectedImprovementPerCost = "ACQUISITION_EXPECTED_IMPROVEMENT_PER_COST",
        LogExpectedImprovementPerCost = "ACQUISITION_LOG_EXPECTED_IMPROVEMENT_PER_COST",
        Gittins = "ACQUISITION_GITTINS",
        EstimatedMaximum = "ACQUISITION_ESTIMATED_MAXIMUM",
        MaxValueEntropy = "ACQUISITION_MAX_VALUE_ENTROPY",
    }
}

// A kind without a case in the shader does not compile.
#[cfg(feature = "gpu")]
const _: () = assert!(has_cases(
    include_str!("../../shaders/acquisition/acquisition.wgsl"),
    PointwiseKind::WGSL_NAMES
));

/// The shader's setting for an acquisition, in units with a prior mean of 0 and a prior standard
/// deviation of 1. `shaders/acquisition/acquisition.wgsl` explains its fields.
#[cfg(feature = "gpu")]
pub(crate) struct ShaderSetting<'a> {
    pub incumbent: f64,
    pub parameter: f64,
    pub variance_factor: f64,
    /// Samples of the maximum, in units of the outcome.
    pub maxima: &'a [f64],
}

#[cfg(feature = "gpu")]
impl Pointwise {
    /// The shader's kind of this acquisition.
    pub(crate) fn kind(&self) -> PointwiseKind {
        match self {
            Self::ExpectedImprovement => PointwiseKind::ExpectedImprovement,
            Self::LogExpectedImprovement => PointwiseKind::LogExpectedImprovement,
            Self::ProbabilityOfImprovement => PointwiseKind::ProbabilityOfImprovement,
            Self::LogProbabilityOfImprovement => PointwiseKind::LogProbabilityOfImprovement,
            Self::UpperConfidenceBound { .. } => PointwiseKind::UpperConfidenceBound,
            Self::ExpectedImprovementPerCost { .. } => PointwiseKind::ExpectedImprovementPerCost,
            Self::LogExpectedImprovementPerCost { .. } => {
                PointwiseKind::LogExpectedImprovementPerCost
            }
            Self::Gittins { .. } => PointwiseKind::Gittins,
            Self::EstimatedMaximum { .. } => PointwiseKind::EstimatedMaximum,
            Self::MaxValueEntropy { .. } => PointwiseKind::MaxValueEntropy,
        }
    }

    /// The setting for a posterior whose prior has this mean and this standard deviation.
    pub(crate) fn shader_setting(
        &self,
        incumbent: f64,
        mean: f64,
        deviation: f64,
    ) -> ShaderSetting<'_> {
        let of = |incumbent: f64, (parameter, variance_factor): (f64, f64)| ShaderSetting {
            incumbent: (incumbent - mean) / deviation,
            parameter,
            variance_factor,
            maxima: &[],
        };
        match *self {
            Self::ExpectedImprovement
            | Self::LogExpectedImprovement
            | Self::ProbabilityOfImprovement
            | Self::LogProbabilityOfImprovement => of(incumbent, (0.0, 0.0)),
            Self::UpperConfidenceBound { beta } => of(incumbent, (beta.sqrt(), 0.0)),
            Self::ExpectedImprovementPerCost { exponent, form }
            | Self::LogExpectedImprovementPerCost { exponent, form } => {
                of(incumbent, form.divisor(exponent))
            }
            Self::Gittins { lambda } => of(incumbent, (lambda.ln() - deviation.ln(), 0.5)),
            Self::EstimatedMaximum { maximum, noise } => {
                of(maximum, (noise / deviation / deviation, 0.0))
            }
            Self::MaxValueEntropy { ref maxima, exponent, form } => {
                ShaderSetting { maxima, ..of(incumbent, form.divisor(exponent)) }
            }
        }
    }
}
