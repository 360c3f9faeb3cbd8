//! From the posterior's units to the device's and back.
//!
//! On the device the prior has mean 0 and variance 1. With `s` the outputscale and `m` the mean,
//! outcomes and incumbent are `(y - m) / sqrt(s)` there, and `lambda` is divided by `sqrt(s)`.
//! Scores come back as `offset + factor * score`. So neither a large mean nor a tiny scale costs a
//! single-precision device its digits.

use crate::acquisition::{PointwiseKind, Shader, ShaderSetting};
use crate::backend::gpu::kernels::layout::Setting;
use crate::backend::{Job, JobCost, Precision};
use crate::posterior::moments::VARIANCE_FLOOR;
use crate::posterior::{Pending, Posterior};

/// The floor of variances in single precision, as a share of the prior's. `1 - v' v` is rounded to
/// half of its epsilon, so that below the epsilon no digit would be right. In double precision the
/// floor is the CPU's.
const SINGLE_FLOOR: f64 = f32::EPSILON as f64;

/// The kind that stands in if the score's value is not used: without deviations it is the mean.
const STAND_IN: PointwiseKind = PointwiseKind::UpperConfidenceBound;

/// The scales of a job.
#[derive(Clone, Copy)]
pub struct Scale {
    /// Which pointwise acquisition the score shader computes.
    pub kind: PointwiseKind,
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
        let quantity = job.acquisition.quantity();
        let (kind, (offset, factor)) = match job.acquisition.shader() {
            Shader::Score(pointwise) => (pointwise.kind(), quantity.of_unit(mean, deviation)),
            // The path's own shader writes over the value and the gradient.
            Shader::Path(path) => {
                let basis = path.basis();
                (STAND_IN, quantity.of_unit(basis.mean, basis.outputscale.sqrt()))
            }
            // The host makes the value.
            Shader::Branches | Shader::None => (STAND_IN, (0.0, 1.0)),
        };
        Self { kind, mean, deviation, offset, factor }
    }
}

/// The floor of variances, as a share of the prior's.
pub fn floor(precision: Precision) -> f64 {
    match precision {
        Precision::F32 => SINGLE_FLOOR,
        Precision::F64 => VARIANCE_FLOOR,
    }
}

/// The buffer `settings` of `shaders/acquisition/scoring.wgsl`: the number of each [`Setting`], then
/// the samples of the maximum, or the best values and the normal numbers of pending trials.
pub fn settings(job: &Job<'_>, scale: &Scale, precision: Precision) -> Vec<f64> {
    let outcome = |outcome: f64| (outcome - scale.mean) / scale.deviation;
    let ShaderSetting { incumbent, parameter, variance_factor, maxima } =
        match job.acquisition.shader() {
            Shader::Score(pointwise) => {
                pointwise.shader_setting(job.incumbent, scale.mean, scale.deviation)
            }
            Shader::Path(_) | Shader::Branches | Shader::None => ShaderSetting {
                incumbent: outcome(job.incumbent),
                parameter: 0.0,
                variance_factor: 0.0,
                maxima: &[],
            },
        };
    let (variance_factor, cost_mean, cost_deviation) = match job.cost {
        JobCost::Learned(posterior) => (
            variance_factor,
            posterior.hyperparameters().mean,
            posterior.hyperparameters().outputscale.sqrt(),
        ),
        JobCost::Uniform(_) | JobCost::Known(_) => (0.0, 0.0, 0.0),
    };
    let latent = job.latent().map(Posterior::hyperparameters);
    let (success_mean, success_deviation) =
        latent.map_or((0.0, 0.0), |latent| (latent.mean, latent.outputscale.sqrt()));
    let pending_trials = job.pending_trials();
    let noise = job.foreseen_noise() / scale.deviation / scale.deviation;
    let number = |setting: Setting| match setting {
        Setting::Incumbent => Some(incumbent),
        Setting::Parameter => Some(parameter),
        Setting::VarianceFactor => Some(variance_factor),
        Setting::CostMean => Some(cost_mean),
        Setting::CostDeviation => Some(cost_deviation),
        Setting::SuccessMean => Some(success_mean),
        Setting::SuccessDeviation => Some(success_deviation),
        Setting::Floor => Some(floor(precision)),
        Setting::Noise => Some(noise),
        Setting::Maxima => Some(maxima.len() as f64),
        Setting::Missing => Some(pending_trials.map_or(0.0, Pending::missing)),
        // It comes last.
        Setting::List => None,
    };
    let samples = maxima.iter().map(|&maximum| outcome(maximum));
    let best = pending_trials.into_iter().flat_map(Pending::best).map(|&best| outcome(best));
    let normals = pending_trials.into_iter().flat_map(Pending::normals).flatten().copied();
    let list = samples.chain(best).chain(normals);
    Setting::ALL.into_iter().filter_map(number).chain(list).collect()
}
