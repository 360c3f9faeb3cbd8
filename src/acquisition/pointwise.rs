//! Acquisitions whose value at a point depends only on what is believed there.

use std::sync::Arc;

use super::belief::{Belief, PointBeliefCost, Score};
use super::facts::{Facts, Quantity, StartWeights};
use super::per_cost::CostForm;
use super::{confidence, estimation, gittins, improvement, max_value_entropy, per_cost};
use crate::data::Scaling;
use crate::error::Result;
#[cfg(feature = "gpu")]
use crate::math::wgsl::{has_cases, wgsl_enum};

/// An acquisition whose value at a point depends only on what is believed there: larger is better.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Pointwise {
    /// `sigma h(u)`, the expected improvement over the incumbent (Mockus 1975; Jones et al. 1998,
    /// "Efficient Global Optimization of Expensive Black-Box Functions", equation 15).
    ///
    /// It underflows to a flat zero some 38 standard deviations below the incumbent, and its
    /// logarithm still has a gradient there. Prefer [`Pointwise::LogExpectedImprovement`] for
    /// maximizing, and this one for reporting in units of the outcome.
    ExpectedImprovement,
    /// `ln(sigma h(u))`, formed without the improvement itself (Ament et al. 2023, "Unexpected
    /// Improvements to Expected Improvement for Bayesian Optimization", section 4.1). It has the
    /// maximizers of expected improvement, and a gradient everywhere.
    ///
    /// It ignores the cost. If evaluations differ in cost, prefer [`Pointwise::Gittins`].
    LogExpectedImprovement,
    /// `Phi(u)`, the probability of an outcome above the incumbent (Kushner 1964).
    ///
    /// It does not see how large the improvement is, so it exploits. Expected improvement is
    /// usually the better choice.
    ProbabilityOfImprovement,
    /// `ln Phi(u)`. It has the maximizers of the probability of improvement, and a gradient
    /// everywhere.
    LogProbabilityOfImprovement,
    /// `mu + sqrt(beta) sigma` (Srinivas et al. 2010, "Gaussian Process Optimization in the Bandit
    /// Setting: No Regret and Experimental Design", equation 6). [`ucb_beta`](super::ucb_beta)
    /// gives a schedule for `beta`.
    ///
    /// It needs no incumbent, so a noisy incumbent does not hurt it. It ignores the cost. The
    /// Gittins index is the same optimism with a `sqrt(beta)` that grows as the evaluation gets
    /// cheaper.
    UpperConfidenceBound {
        /// The square of the number of standard deviations of optimism: finite, at least 0.
        beta: f64,
    },
    /// `EI / c^exponent`, expected improvement per unit of cost (Snoek et al. 2012, "Practical
    /// Bayesian Optimization of Machine Learning Algorithms", section 3.2).
    ///
    /// Prefer [`Pointwise::LogExpectedImprovementPerCost`] for maximizing. Either can spend a
    /// budget on many cheap points although one dear point was worth it (Astudillo et al. 2021,
    /// "Multi-Step Budgeted Bayesian Optimization with Unknown Evaluation Costs"). The Gittins
    /// index does not.
    ExpectedImprovementPerCost {
        /// 1 is per unit of cost, 0 ignores the cost; finite, at least 0.
        /// [`cooling_exponent`](super::cooling_exponent) lets it fall with the budget.
        exponent: f64,
        /// What a learned cost divides by.
        form: CostForm,
    },
    /// `ln EI - exponent ln c`, the logarithm of expected improvement per unit of cost; with a
    /// falling exponent, cost cooling (Lee et al. 2020, "Cost-aware Bayesian Optimization").
    ///
    /// With exponent 1 and [`CostForm::Expected`] the value is at most `ln lambda` exactly if the
    /// Gittins index is at most the incumbent (Xie et al. 2025, "Cost-aware Stopping for Bayesian
    /// Optimization"). The two choose different points before.
    LogExpectedImprovementPerCost {
        /// 1 is per unit of cost, 0 ignores the cost; finite, at least 0.
        /// [`cooling_exponent`](super::cooling_exponent) lets it fall with the budget.
        exponent: f64,
        /// What a learned cost divides by.
        form: CostForm,
    },
    /// The Gittins index of the Pandora's box at the point: the outcome in hand at which paying for
    /// the evaluation would be an even bet, `g` with `E[max(f - g, 0)] = lambda E[c]` (Weitzman
    /// 1979, "Optimal Search for the Best Alternative"; Xie et al. 2024, "Cost-aware Bayesian
    /// Optimization via the Pandora's Box Gittins Index", section 3).
    ///
    /// It is optimal for independent boxes. It does not look at the incumbent; the stopping rule
    /// compares the best index with the incumbent. Without a sensible price for a unit of cost,
    /// take [`Pointwise::LogExpectedImprovement`], which asks for none.
    Gittins {
        /// The price of one unit of cost in units of the posterior's outcome: finite and positive.
        /// A small price explores like an upper confidence bound, a large one exploits.
        lambda: f64,
    },
    /// `(mu - m)/sqrt(sigma^2 + noise)` with an estimate `m` of the maximum: its maximizer is the
    /// point most likely to reach `m` (Wang, Zhou, Jegelka 2016, "Optimization as Estimation with
    /// Gaussian Processes in Bandit Settings", equation 2, negated). It has the maximizers of the
    /// probability of improvement over `m`, and those of the upper confidence bound whose number of
    /// deviations is minus the largest value.
    ///
    /// [`MaximumEstimate`](super::MaximumEstimate) makes the estimate.
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
    /// [`IndependentMaximum`](super::IndependentMaximum) and sample paths give maxima.
    MaxValueEntropy {
        /// Samples of the maximum, in units of the outcome: at least one, finite.
        maxima: Arc<[f64]>,
        /// 1 is per unit of cost, 0 ignores the cost; finite, at least 0.
        exponent: f64,
        /// What a learned cost divides by.
        form: CostForm,
    },
}

impl Pointwise {
    /// The table of facts.
    pub(crate) fn facts(&self) -> Facts {
        use Quantity::{Gain, Level, LogGain, Number};
        use StartWeights::{Shares, Standardized};
        let improvement = |name, quantity, starts| {
            Facts::new(name, quantity, starts).incumbent().foresees_noise()
        };
        match *self {
            Self::ExpectedImprovement => improvement("expected improvement", Gain, Shares),
            Self::LogExpectedImprovement => {
                improvement("log expected improvement", LogGain, Standardized)
            }
            Self::ProbabilityOfImprovement => {
                improvement("probability of improvement", Number, Shares)
            }
            Self::LogProbabilityOfImprovement => {
                improvement("log probability of improvement", Number, Standardized)
            }
            Self::UpperConfidenceBound { .. } => {
                Facts::new("upper confidence bound", Level, Standardized)
            }
            Self::ExpectedImprovementPerCost { exponent, .. } => {
                improvement("expected improvement per cost", Gain, Shares).cost(exponent > 0.0)
            }
            Self::LogExpectedImprovementPerCost { exponent, .. } => {
                improvement("log expected improvement per cost", LogGain, Standardized)
                    .cost(exponent > 0.0)
            }
            Self::Gittins { .. } => {
                Facts::new("Gittins index", Level, Standardized).foresees_noise().cost(true)
            }
            Self::EstimatedMaximum { .. } => {
                Facts::new("distance to the estimated maximum", Number, Standardized)
            }
            Self::MaxValueEntropy { exponent, .. } => {
                Facts::new("max-value entropy", Number, Shares).cost(exponent > 0.0)
            }
        }
    }

    /// The same acquisition for standardized outcomes: its settings that are outcomes, or
    /// differences of outcomes, are scaled.
    pub(crate) fn standardized(&self, scaling: &Scaling) -> Self {
        match self {
            Self::Gittins { lambda } => Self::Gittins { lambda: scaling.apply_difference(*lambda) },
            Self::EstimatedMaximum { maximum, noise } => Self::EstimatedMaximum {
                maximum: scaling.apply(*maximum),
                // A variance: the scale counts twice.
                noise: scaling.apply_difference(scaling.apply_difference(*noise)),
            },
            Self::MaxValueEntropy { maxima, exponent, form } => Self::MaxValueEntropy {
                maxima: maxima.iter().map(|maximum| scaling.apply(*maximum)).collect(),
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
    /// [`ErrorKind::NonFinite`](crate::ErrorKind::NonFinite) if a setting is NaN or infinite,
    /// [`ErrorKind::InvalidSetting`](crate::ErrorKind::InvalidSetting) if `beta`, `exponent` or
    /// `noise` is negative or `lambda` is not positive,
    /// [`ErrorKind::Empty`](crate::ErrorKind::Empty) without a sampled maximum.
    pub fn validate(&self) -> Result<()> {
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
    /// `incumbent` is the best outcome so far, larger being better; not every acquisition
    /// [looks at it](super::Acquisition::uses_incumbent).
    ///
    /// For valid settings, finite mean and incumbent, `sd >= 0` and a positive cost every field is
    /// finite. A number that would overflow stands at the largest finite number, and the logarithm
    /// of zero is [`LOG_ZERO`](super::LOG_ZERO). At `sd = 0` the value is the exact limit: EI
    /// `max(mu - best, 0)`, its logarithm the logarithm of that, PI 1 above the incumbent and 0
    /// elsewhere, UCB `mu`, the Gittins index `mu - lambda c`, the distance to an estimated maximum
    /// minus the largest finite number below it, and the entropy 0. Derivatives that have no limit
    /// there are zero.
    ///
    /// If an argument that the acquisition looks at is outside these ranges (NaN, an infinity, a
    /// negative `sd`, a cost of zero or less), every field is NaN, which wins no comparison.
    pub fn score(&self, incumbent: f64, belief: &Belief) -> Score {
        let Belief { mean, sd, cost } = *belief;
        let facts = self.facts();
        let cost = if facts.cost { cost } else { PointBeliefCost::Known(1.0) };
        let incumbent_fits = incumbent.is_finite() || !facts.incumbent;
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
        }
        .saturated()
    }
}

#[cfg(feature = "gpu")]
wgsl_enum! {
    /// The pointwise acquisitions as the shader knows them
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

/// What the shader is told of an acquisition, in units in which the prior's deviation is 1 and its
/// mean 0. Its fields are explained in `shaders/acquisition/acquisition.wgsl`.
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
    /// Which one it is.
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

    /// The setting for a posterior whose prior has this mean and deviation.
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
