//! Optimization as estimation: where would the maximum lie, if it had the value that it is
//! estimated to have?
//!
//! With an estimate `m^` of the maximum the next point is the one most likely to be where it is
//! taken, if the posterior's values were independent (Wang, Zhou, Jegelka 2016, "Optimization as
//! Estimation with Gaussian Processes in Bandit Settings"):
//!
//! ```text
//! argmin nu(x),    nu(x) = (m^ - mu(x))/sigma(x)
//! ```
//!
//! That is the probability of improvement over the target `m^`, and it is the upper confidence
//! bound `mu + lambda sigma` with `lambda = min nu`, which takes its maximum `m^` at the same point
//! ([`equivalent_lambda`]); the other way round the confidence bound with `lambda` has the target
//! `max mu + lambda sigma` ([`confidence_target`]). So the rules differ in nothing but the target.
//!
//! The estimate is that of a maximum of independent normal variables ([`IndependentMaximum`]) over
//! a finite set `W`, but at least `m0`, the best outcome so far, with
//! `g(w) = 1 - prod_W Phi((w - mu)/sigma)`:
//!
//! ```text
//! m^ = m0 + integral of g from m0 to infinity = E max(m0, max_W f)
//! ```
//!
//! Where the covariances on `W` are not negative, `m^` is at least `E max f`; it grows with `W`
//! even for one fixed function, so that the size of `W` is a setting. The paper feeds it the latent
//! deviation, its code the deviation of an observation, `sqrt(sigma^2 + noise)`, and these are very
//! different rules where data are dense: with the latter no point is ever known.

use std::f64::consts::PI;

use super::belief::Score;
use super::confidence::ucb_beta_unscaled;
use super::maxima::IndependentMaximum;
use crate::error::{Error, ErrorKind, Result, check_positive};

/// Terms of a left sum at most; with more of them the step is so short that the integral says the
/// same.
const MOST_TERMS: f64 = 4096.0;

/// The width, in offsets, of a half Gaussian whose second sample shows no fall.
const WIDEST: f64 = 50.0;

/// `(mu - m)/sqrt(sigma^2 + noise)`.
pub(super) fn distance(maximum: f64, noise: f64, mean: f64, sd: f64) -> Score {
    let deviation = sd.hypot(noise.sqrt()).min(f64::MAX);
    if deviation == 0.0 {
        // The limit is infinite on either side of the estimate; on it every point of certainty is
        // as good as the other.
        let value = if mean == maximum { 0.0 } else { f64::MAX.copysign(mean - maximum) };
        return Score::without_cost(value, 0.0, 0.0);
    }
    // Clamped, since an infinity times a deviation of zero would be no number.
    let value = ((mean - maximum) / deviation).clamp(-f64::MAX, f64::MAX);
    Score::without_cost(value, 1.0 / deviation, -value * (sd / deviation) / deviation)
}

/// How the maximum is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum MaximumEstimate {
    /// `m0 + integral of g`, to a relative error of `1e-10` of what it adds to `m0`, on any scale.
    #[default]
    Integral,
    /// ESTn as published: the left Riemann sum `step (g(m0) + g(m0 + step) + ...)` until `g` is
    /// zero in double precision. It exceeds the integral by up to a step, about `step g(m0)/2`.
    ///
    /// Terms at which `g` rounds to 1 are counted, not summed. Where more than 4096 are left,
    /// `step` is so short on the scale on which `g` falls that the integral and half a step of
    /// `g(m0)` stand for the sum, at most half a step off it.
    LeftSum {
        /// In units of the outcome; 0.05 in the authors' code, for functions of unit deviation.
        step: f64,
    },
    /// ESTa as published: `m0 + sqrt(2 pi) b g(m0)/2` with
    /// `b = offset sqrt(-1/(2 ln g(m0 + offset)))`, half a Gaussian of height `g(m0)` whose width
    /// is fitted as if its height were 1; `b` is 50 offsets where `g(m0 + offset)` rounds to 1, and
    /// the estimate is `m0` where it is 0. It may lie below the integral, also where the paper
    /// calls it a bound.
    HalfGaussian {
        /// In units of the outcome; 1 in the authors' code, for functions of unit deviation.
        offset: f64,
    },
    /// The same two samples, with the width fitted to both,
    /// `b = offset sqrt(-1/(2 ln(g(m0 + offset)/g(m0))))`, at most 50 offsets.
    ConsistentHalfGaussian {
        /// In units of the outcome.
        offset: f64,
    },
}

impl MaximumEstimate {
    /// ESTn with the authors' step of 0.05, for outcomes of unit deviation; others by
    /// [`scaled`](Self::scaled).
    pub const NUMERICAL: Self = Self::LeftSum { step: 0.05 };

    /// ESTa with the authors' offset of 1, for outcomes of unit deviation; others by
    /// [`scaled`](Self::scaled).
    pub const ANALYTIC: Self = Self::HalfGaussian { offset: 1.0 };

    /// The same estimate where the outcome's unit is `unit` times as small: steps and offsets count
    /// in units of it.
    pub fn scaled(self, unit: f64) -> Self {
        match self {
            Self::Integral => Self::Integral,
            Self::LeftSum { step } => Self::LeftSum { step: step * unit },
            Self::HalfGaussian { offset } => Self::HalfGaussian { offset: offset * unit },
            Self::ConsistentHalfGaussian { offset } => {
                Self::ConsistentHalfGaussian { offset: offset * unit }
            }
        }
    }

    /// The name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Integral => "integral",
            Self::LeftSum { .. } => "left sum",
            Self::HalfGaussian { .. } => "half Gaussian",
            Self::ConsistentHalfGaussian { .. } => "consistent half Gaussian",
        }
    }

    /// Settings that make no sense are errors.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] where a step or an offset is not positive and finite.
    pub fn validate(&self) -> Result<()> {
        match *self {
            Self::Integral => Ok(()),
            Self::LeftSum { step } => check_positive("the step of the estimated maximum", step),
            Self::HalfGaussian { offset } | Self::ConsistentHalfGaussian { offset } => {
                check_positive("the offset of the estimated maximum", offset)
            }
        }
    }

    /// `m^` from the `n` means and `n` standard deviations on the set `W` and the best outcome
    /// `m0`; at least `m0`.
    ///
    /// Which deviations these are, latent or of an observation, is the caller's choice.
    ///
    /// ```
    /// use gittins::acquisition::estimation::MaximumEstimate;
    /// let of = |estimate: MaximumEstimate| estimate.maximum(&[0.0], &[1.0], 0.0).unwrap();
    /// assert!((of(MaximumEstimate::Integral) - 0.3989422804).abs() < 1e-9);
    /// assert!((of(MaximumEstimate::NUMERICAL) - 0.4115253968).abs() < 1e-9);
    /// assert!((of(MaximumEstimate::ANALYTIC) - 0.3265769267).abs() < 1e-9);
    /// ```
    ///
    /// # Errors
    /// Those of [`validate`](Self::validate) and of [`IndependentMaximum::new`];
    /// [`ErrorKind::NonFinite`] for `m0`, or if the estimate itself leaves the range of numbers.
    pub fn maximum(&self, mean: &[f64], sd: &[f64], best: f64) -> Result<f64> {
        self.validate()?;
        if !best.is_finite() {
            return Err(Error::new(ErrorKind::NonFinite, format!("the best outcome is {best}")));
        }
        let variables = IndependentMaximum::new(mean, sd)?;
        let excess = match *self {
            Self::Integral => variables.expected_excess(best),
            Self::LeftSum { step } => left_sum(&variables, best, step),
            Self::HalfGaussian { offset } => {
                half_gaussian(&variables, best, offset, |_, second| second.ln())
            }
            Self::ConsistentHalfGaussian { offset } => {
                half_gaussian(&variables, best, offset, |first, second| {
                    (second / first).ln().min(-0.5 / (WIDEST * WIDEST))
                })
            }
        };
        let maximum = best + excess;
        if !maximum.is_finite() {
            return Err(Error::new(
                ErrorKind::NonFinite,
                format!("the {} estimates a maximum of {maximum}", self.name()),
            ));
        }
        Ok(maximum)
    }
}

/// `step sum_k g(m0 + k step)`.
fn left_sum(variables: &IndependentMaximum, best: f64, step: f64) -> f64 {
    // Here each Phi rounds to 1, and the tails left out sum to less than n 1e-17 deviations.
    let end = ((variables.reach(8.3) - best) / step).ceil().max(1.0);
    let level = |k: f64| best + k * step;
    let is_certain = |k: f64| variables.exceedance(level(k)) == 1.0;
    // The number of leading terms that round to 1, by halving.
    let (mut certain, mut open) = (0.0, end);
    if is_certain(0.0) {
        while open - certain > 1.0 {
            let middle = (0.5 * certain + 0.5 * open).floor();
            if middle <= certain || middle >= open {
                break;
            }
            if is_certain(middle) { certain = middle } else { open = middle }
        }
        certain = open;
    }
    if end - certain > MOST_TERMS || open - (open - 1.0) != 1.0 {
        return variables.expected_excess(best) + 0.5 * step * variables.exceedance(best);
    }
    let terms =
        (0..(end - certain) as usize).map(|k| variables.exceedance(level(certain + k as f64)));
    step * (certain + terms.sum::<f64>())
}

/// `sqrt(2 pi) b g(m0)/2`, where `b = offset sqrt(-1/(2 l))` and `l` is made of the two samples of
/// `g`.
fn half_gaussian(
    variables: &IndependentMaximum,
    best: f64,
    offset: f64,
    log_fall: impl Fn(f64, f64) -> f64,
) -> f64 {
    let (first, second) = (variables.exceedance(best), variables.exceedance(best + offset));
    if second == 0.0 {
        return 0.0;
    }
    let width = if second == 1.0 { WIDEST } else { (-0.5 / log_fall(first, second)).sqrt() };
    (0.5 * PI).sqrt() * offset * width * first
}

/// The multiplier of the deviation for which confidence bounds on `n` points hold at all iterations
/// with a probability of at least `1 - delta`: `lambda_t = sqrt(2 ln(n pi^2 t^2 / (6 delta)))`
/// (Srinivas et al. 2010, theorem 1). The first iteration is 1.
pub fn confidence_lambda(size: usize, iteration: usize, probability: f64) -> f64 {
    ucb_beta_unscaled(size, iteration, probability).sqrt()
}

/// The target of the upper confidence bound: `max mu + lambda sigma`; minus infinity for an empty
/// set.
pub fn confidence_target(mean: &[f64], sd: &[f64], lambda: f64) -> f64 {
    mean.iter().zip(sd).map(|(mean, sd)| mean + lambda * sd).fold(f64::NEG_INFINITY, f64::max)
}

/// `min nu` over the set, `nu = (m^ - mu)/sigma`: the `lambda` for which `mu + lambda sigma` has
/// its maximum, `m^`, where `nu` has its minimum. How far a point must exceed its mean to be the
/// maximum: large while a run explores. Infinite for an empty set or where every point below the
/// target is known.
pub fn equivalent_lambda(target: f64, mean: &[f64], sd: &[f64]) -> f64 {
    mean.iter().zip(sd).map(|(mean, sd)| (target - mean) / sd).fold(f64::INFINITY, f64::min)
}
