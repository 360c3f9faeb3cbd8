//! From the posterior's units to the device's and back.
//!
//! On the device the prior has mean 0 and variance 1: with `s` the outputscale and `m` the mean,
//! outcomes, incumbent and `lambda` are divided by `sqrt(s)`, after `m` was taken off. Scores come
//! back as `offset + factor * score`, so that neither a large mean nor a tiny scale costs a
//! single-precision device its digits.

use crate::acquisition::{Acquisition, CostForm};
use crate::backend::{Job, JobCost, Precision};
use crate::posterior::moments::VARIANCE_FLOOR;

/// Variances below this share of the prior's are lifted to it in single precision: `1 - v' v` is
/// rounded to half of its epsilon, so that below the epsilon no digit would be right. In double
/// precision the floor is the CPU's.
const SINGLE_FLOOR: f64 = f32::EPSILON as f64;

/// The kind of an acquisition that no shader computes.
const NO_SHADER: u32 = u32::MAX;

/// That of the upper confidence bound; without deviations it is the mean.
const UPPER_CONFIDENCE_BOUND: u32 = 4;

/// The scales of a job.
pub(super) struct Scale {
    /// The number of the acquisition in `shaders/acquisition/acquisition.wgsl`.
    pub kind: u32,
    pub mean: f64,
    pub deviation: f64,
    /// A score is `offset + factor` times the device's; its gradient is `factor` times the
    /// device's.
    pub offset: f64,
    pub factor: f64,
}

impl Scale {
    pub fn of(job: &Job<'_>) -> Self {
        let hyperparameters = job.posterior.hyperparameters();
        let (mean, deviation) = (hyperparameters.mean, hyperparameters.outputscale.sqrt());
        let (kind, offset, factor) = match *job.acquisition {
            Acquisition::ExpectedImprovement => (0, 0.0, deviation),
            Acquisition::LogExpectedImprovement => (1, deviation.ln(), 1.0),
            Acquisition::ProbabilityOfImprovement => (2, 0.0, 1.0),
            Acquisition::LogProbabilityOfImprovement => (3, 0.0, 1.0),
            Acquisition::UpperConfidenceBound { .. } => (UPPER_CONFIDENCE_BOUND, mean, deviation),
            Acquisition::ExpectedImprovementPerCost { .. } => (5, 0.0, deviation),
            Acquisition::LogExpectedImprovementPerCost { .. } => (6, deviation.ln(), 1.0),
            Acquisition::Gittins { .. } => (7, mean, deviation),
            Acquisition::EstimatedMaximum { .. } => (8, 0.0, 1.0),
            Acquisition::MaxValueEntropy { .. } => (9, 0.0, 1.0),
            Acquisition::KnowledgeGradient { .. } | Acquisition::FiniteKnowledgeGradient { .. } => {
                (NO_SHADER, 0.0, 1.0)
            }
            // The host makes the value, of moments that shaders of their own make.
            Acquisition::MultiStepImprovement { .. } => (UPPER_CONFIDENCE_BOUND, 0.0, 1.0),
            // The path's own shader writes over the value and the gradient.
            Acquisition::ThompsonSample { ref path } => {
                (UPPER_CONFIDENCE_BOUND, path.basis().mean, path.basis().outputscale.sqrt())
            }
        };
        Self { kind, mean, deviation, offset, factor }
    }

    /// Whether a shader computes the acquisition.
    pub fn has_shader(&self) -> bool {
        self.kind != NO_SHADER
    }
}

/// The floor of variances, as a share of the prior's.
pub(super) fn floor(precision: Precision) -> f64 {
    match precision {
        Precision::F32 => SINGLE_FLOOR,
        Precision::F64 => VARIANCE_FLOOR,
    }
}

/// What `shaders/acquisition/score.wgsl` reads: incumbent, parameter and variance factor of the
/// acquisition, mean and deviation of the log-cost prior, the floor of the variances, and the noise
/// that the acquisition foresees; one that looks at samples of the maximum adds their number and
/// them.
pub(super) fn settings(job: &Job<'_>, scale: &Scale, precision: Precision) -> Vec<f64> {
    let outcome = |outcome: f64| (outcome - scale.mean) / scale.deviation;
    let of_cost = |exponent: f64, form| {
        let factor = 0.5 * exponent * exponent;
        (exponent, if form == CostForm::Expected { factor } else { -factor })
    };
    let (mut target, mut maxima): (f64, &[f64]) = (job.incumbent, &[]);
    let (parameter, variance_factor) = match *job.acquisition {
        Acquisition::UpperConfidenceBound { beta } => (beta.sqrt(), 0.0),
        Acquisition::ExpectedImprovementPerCost { exponent, form }
        | Acquisition::LogExpectedImprovementPerCost { exponent, form } => of_cost(exponent, form),
        Acquisition::Gittins { lambda } => (lambda.ln() - scale.deviation.ln(), 0.5),
        Acquisition::EstimatedMaximum { maximum, noise } => {
            target = maximum;
            (noise / scale.deviation / scale.deviation, 0.0)
        }
        Acquisition::MaxValueEntropy { maxima: ref samples, exponent, form } => {
            maxima = samples;
            of_cost(exponent, form)
        }
        Acquisition::ExpectedImprovement
        | Acquisition::LogExpectedImprovement
        | Acquisition::ProbabilityOfImprovement
        | Acquisition::LogProbabilityOfImprovement
        | Acquisition::KnowledgeGradient { .. }
        | Acquisition::FiniteKnowledgeGradient { .. }
        | Acquisition::MultiStepImprovement { .. }
        | Acquisition::ThompsonSample { .. } => (0.0, 0.0),
    };
    let (variance_factor, cost_mean, cost_deviation) = match job.cost {
        JobCost::Learned(posterior) => (
            variance_factor,
            posterior.hyperparameters().mean,
            posterior.hyperparameters().outputscale.sqrt(),
        ),
        JobCost::Uniform(_) | JobCost::Known(_) => (0.0, 0.0, 0.0),
    };
    let noise = job.foreseen_noise() / scale.deviation / scale.deviation;
    let mut settings = vec![
        outcome(target),
        parameter,
        variance_factor,
        cost_mean,
        cost_deviation,
        floor(precision),
        noise,
    ];
    if !maxima.is_empty() {
        settings.push(maxima.len() as f64);
        settings.extend(maxima.iter().map(|&maximum| outcome(maximum)));
    }
    settings
}
