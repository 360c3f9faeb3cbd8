//! Optimization as estimation: if the maximum has its estimated value, where does it lie?
//!
//! The next point is the most likely place of the maximum, given an estimate `m^` of its value and
//! independent posterior values (Wang, Zhou, Jegelka 2016, "Optimization as Estimation with
//! Gaussian Processes in Bandit Settings"):
//!
//! ```text
//! argmin nu(x),    nu(x) = (m^ - mu(x))/sigma(x)
//! ```
//!
//! The same point maximizes the probability of improvement over the target `m^`. It also maximizes
//! the upper confidence bound `mu + lambda sigma` with `lambda = min nu`, and the maximum of this
//! bound is `m^` ([`equivalent_lambda`]). Conversely, the confidence bound with a given `lambda`
//! has the target `max mu + lambda sigma` ([`confidence_target`]). The rules differ only in their
//! target.
//!
//! The estimate treats the values on a finite set `W` as independent normal variables
//! ([`IndependentMaximum`]). It is at least `m0`, the best outcome so far. With
//! `g(w) = 1 - prod_W Phi((w - mu)/sigma)`:
//!
//! ```text
//! m^ = m0 + integral of g from m0 to infinity = E max(m0, max_W f)
//! ```
//!
//! If no covariance on `W` is negative, `m^` is at least `E max f`. It grows with `W` even for one
//! fixed function, so the size of `W` is a setting. The paper uses the standard deviation of the
//! function. Its code uses the standard deviation of an observation, `sqrt(sigma^2 + noise)`. The
//! two rules differ greatly where data are dense: with the second one no point is ever known
//! exactly.

use std::f64::consts::PI;

use super::belief::Score;
use super::confidence::ucb_beta_unscaled;
use super::maxima::IndependentMaximum;
use crate::error::{Error, ErrorKind, Result, check_positive};

/// The largest number of terms of a left sum. With more terms the step is so short that the
/// integral gives the same number.
const MOST_TERMS: f64 = 4096.0;

/// The largest width of a half Gaussian, in offsets. It is taken if the second sample shows no
/// fall.
const WIDEST: f64 = 50.0;

/// `(mu - m)/sqrt(sigma^2 + noise)`.
pub(super) fn distance(maximum: f64, noise: f64, mean: f64, sd: f64) -> Score {
    let deviation = sd.hypot(noise.sqrt()).min(f64::MAX);
    if deviation == 0.0 {
        // The limit is infinite on both sides of the estimate. At the estimate all certain points
        // are equally good.
        let value = if mean == maximum { 0.0 } else { f64::MAX.copysign(mean - maximum) };
        return Score::without_cost(value, 0.0, 0.0);
    }
    // Clamped: infinity times a standard deviation of zero would be NaN.
    let value = ((mean - maximum) / deviation).clamp(-f64::MAX, f64::MAX);
    Score::without_cost(value, 1.0 / deviation, -value * (sd / deviation) / deviation)
}

/// How the maximum is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum MaximumEstimate {
    /// `m0 + integral of g`. The relative error of the integral is at most `1e-10` on any scale.
    #[default]
    Integral,
    /// `ESTn` as published: the left Riemann sum `step (g(m0) + g(m0 + step) + ...)`. The sum ends
    /// when `g` is zero in double precision. It exceeds the integral by at most one step, and by
    /// about `step g(m0)/2`.
    ///
    /// Terms with `g` rounded to 1 are counted, not summed. If more than 4096 terms are left, the
    /// step is very short on the scale of the fall of `g`. Then the result is the integral plus
    /// `step g(m0)/2`, at most half a step off the sum.
    LeftSum {
        /// In units of the outcome. The authors' code uses 0.05 for functions of unit standard
        /// deviation.
        step: f64,
    },
    /// `ESTa` as published: `m0 + sqrt(2 pi) b g(m0)/2` with
    /// `b = offset sqrt(-1/(2 ln g(m0 + offset)))`.
    ///
    /// This is half a Gaussian of height `g(m0)`, but its width is fitted as if the height were 1.
    /// If `g(m0 + offset)` rounds to 1, `b` is 50 offsets. If it is 0, the estimate is `m0`. The
    /// estimate may lie below the integral, even in cases for which the paper calls it a bound.
    HalfGaussian {
        /// In units of the outcome. The authors' code uses 1 for functions of unit standard
        /// deviation.
        offset: f64,
    },
    /// Half a Gaussian from the same two samples, with the width fitted to both:
    /// `b = offset sqrt(-1/(2 ln(g(m0 + offset)/g(m0))))`, at most 50 offsets.
    ConsistentHalfGaussian {
        /// In units of the outcome.
        offset: f64,
    },
}

impl MaximumEstimate {
    /// `ESTn` with the authors' step of 0.05, for outcomes of unit standard deviation. For other
    /// outcomes use [`scaled`](Self::scaled).
    pub const NUMERICAL: Self = Self::LeftSum { step: 0.05 };

    /// `ESTa` with the authors' offset of 1, for outcomes of unit standard deviation. For other
    /// outcomes use [`scaled`](Self::scaled).
    pub const ANALYTIC: Self = Self::HalfGaussian { offset: 1.0 };

    /// The same estimate for outcomes in a unit that is `unit` times as small: multiplies steps and
    /// offsets by `unit`.
    #[doc(hidden)]
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
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Integral => "integral",
            Self::LeftSum { .. } => "left sum",
            Self::HalfGaussian { .. } => "half Gaussian",
            Self::ConsistentHalfGaussian { .. } => "consistent half Gaussian",
        }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] if a step or an offset is not positive and finite.
    pub(crate) fn validate(&self) -> Result<()> {
        match *self {
            Self::Integral => Ok(()),
            Self::LeftSum { step } => check_positive("the step of the estimated maximum", step),
            Self::HalfGaussian { offset } | Self::ConsistentHalfGaussian { offset } => {
                check_positive("the offset of the estimated maximum", offset)
            }
        }
    }

    /// Returns the estimate `m^`, at least `m0`. `mean` and `sd` hold the `n` means and `n`
    /// standard deviations on the set `W`, `best` is the best outcome `m0`.
    ///
    /// The caller decides whether these are standard deviations of the function or of observations.
    ///
    /// ```
    /// use gittins::acquisition::MaximumEstimate;
    /// let of = |estimate: MaximumEstimate| estimate.maximum(&[0.0], &[1.0], 0.0).unwrap();
    /// assert!((of(MaximumEstimate::Integral) - 0.3989422804).abs() < 1e-9);
    /// assert!((of(MaximumEstimate::NUMERICAL) - 0.4115253968).abs() < 1e-9);
    /// assert!((of(MaximumEstimate::ANALYTIC) - 0.3265769267).abs() < 1e-9);
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] if a step or an offset is not positive and finite. Those of
    /// [`IndependentMaximum::new`]. [`ErrorKind::NonFinite`] if `m0` is not finite or if the
    /// estimate overflows.
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
    // Beyond this end each Phi rounds to 1. The terms left out sum to less than n 1e-17 standard
    // deviations.
    let end = ((variables.reach(8.3) - best) / step).ceil().max(1.0);
    let level = |k: f64| best + k * step;
    let is_certain = |k: f64| variables.exceedance(level(k)) == 1.0;
    // Finds the number of leading terms that round to 1, by bisection.
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

/// `sqrt(2 pi) b g(m0)/2` with `b = offset sqrt(-1/(2 l))`. The number `l` comes from the two
/// samples of `g`.
fn half_gaussian(
    variables: &IndependentMaximum,
    best: f64,
    offset: f64,
    log_fall: impl Fn(f64, f64) -> f64,
) -> f64 {
    let first = variables.exceedance(best);
    let second = variables.exceedance(best + offset);
    if second == 0.0 {
        return 0.0;
    }
    let width = if second == 1.0 { WIDEST } else { (-0.5 / log_fall(first, second)).sqrt() };
    (0.5 * PI).sqrt() * offset * width * first
}

/// The multiplier `lambda_t = sqrt(2 ln(n pi^2 t^2 / (6 delta)))` of the standard deviation
/// (Srinivas et al. 2010, theorem 1). With it, confidence bounds on `n` points hold at all
/// iterations with a probability of at least `1 - delta`. The first iteration is 1.
pub fn confidence_lambda(size: usize, iteration: usize, probability: f64) -> f64 {
    ucb_beta_unscaled(size, iteration, probability).sqrt()
}

/// The target of the upper confidence bound, `max mu + lambda sigma`. It is minus infinity for an
/// empty set.
pub fn confidence_target(mean: &[f64], sd: &[f64], lambda: f64) -> f64 {
    mean.iter().zip(sd).map(|(mean, sd)| mean + lambda * sd).fold(f64::NEG_INFINITY, f64::max)
}

/// The smallest `nu = (m^ - mu)/sigma` over the set.
///
/// It is the `lambda` for which `mu + lambda sigma` has the maximum `m^`, at the point with the
/// smallest `nu`. It says how far a point must exceed its mean to be the maximum, and is large
/// while a run explores. It is infinite for an empty set, or if all points are below the target and
/// known exactly.
pub fn equivalent_lambda(target: f64, mean: &[f64], sd: &[f64]) -> f64 {
    mean.iter().zip(sd).map(|(mean, sd)| (target - mean) / sd).fold(f64::INFINITY, f64::min)
}
