//! The law from which nature draws a variable that nobody sets.

use std::sync::Arc;

use gittins::data::ParameterKind;
use gittins::internals::check_positive;
use gittins::internals::normal::{cdf, inverse_cdf, pdf};
use gittins::{Error, ErrorKind, Result};

/// The distribution of a variable while it is left to nature, in the variable's own units.
/// Variables are independent of each other.
///
/// ```
/// use gittins_papers::control::Law;
/// let rain = Law::normal(600.0, 120.0); // truncated to the variable's range
/// let soil = Law::samples(vec![5.4, 5.9, 6.1, 6.0, 5.2]);
/// # drop((rain, soil));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Law {
    /// All values of the range are equally likely, on the variable's scale.
    Uniform,
    /// A normal distribution truncated to the range; on a log scale, of the logarithm.
    TruncatedNormal {
        /// The place of the largest density, within the range.
        mean: f64,
        /// The standard deviation before the truncation; on a log scale, of the natural logarithm.
        scale: f64,
    },
    /// A normal distribution around the middle of the range, truncated to it. It is given by its
    /// variance in the unit coordinate: [`UnitLaw::with_variance`].
    Centered {
        /// The variance after the truncation, below the 1/12 of a uniform law.
        variance: f64,
    },
    /// Values that were measured, each as likely as the others.
    Samples(Arc<[f64]>),
}

/// A law in the unit coordinate of its variable.
#[derive(Debug, Clone, PartialEq)]
pub enum UnitLaw {
    /// Uniform on the unit interval.
    Uniform,
    /// A normal distribution truncated to the unit interval.
    TruncatedNormal {
        /// The place of the largest density.
        mean: f64,
        /// The standard deviation before the truncation.
        scale: f64,
    },
    /// Values, ascending.
    Samples(Arc<[f64]>),
}

impl Law {
    /// A normal distribution truncated to the variable's range.
    pub fn normal(mean: f64, scale: f64) -> Self {
        Self::TruncatedNormal { mean, scale }
    }

    /// A normal distribution around the middle of the variable's range, truncated to it. Its variance
    /// is in squared widths of the range (on a log scale: of the logarithm's range).
    pub fn centered(variance: f64) -> Self {
        Self::Centered { variance }
    }

    /// Values that were measured.
    pub fn samples(values: impl Into<Arc<[f64]>>) -> Self {
        Self::Samples(values.into())
    }

    /// The law in the unit coordinate of a variable.
    ///
    /// # Errors
    /// [`ErrorKind::NonFinite`]; [`ErrorKind::InvalidSetting`] for a scale that is not positive and
    /// those of [`UnitLaw::with_variance`], [`ErrorKind::Empty`] without a sample, and
    /// [`ErrorKind::OutOfBounds`] for a mean or a sample beyond the variable's range.
    #[doc(hidden)]
    pub fn on(&self, kind: &ParameterKind) -> Result<UnitLaw> {
        Ok(match self {
            Self::Uniform => UnitLaw::Uniform,
            Self::TruncatedNormal { mean, scale } => {
                check_positive("the scale of a truncated normal law", *scale)?;
                let width = match *kind {
                    ParameterKind::LogFloat { low, high } => (high / low).ln(),
                    ParameterKind::Float { low, high } => high - low,
                    ParameterKind::Int { low, high } => high as f64 - low as f64 + 1.0,
                    _ => {
                        let message = format!(
                            "a normal law needs a number without steps or list, got {kind}"
                        );
                        return Err(Error::new(ErrorKind::InvalidSetting, message));
                    }
                };
                let mean = match *kind {
                    // A mean of whole numbers need not be one.
                    ParameterKind::Int { low, high }
                        if (low as f64..=high as f64).contains(mean) =>
                    {
                        (mean - low as f64 + 0.5) / width
                    }
                    _ => kind
                        .to_unit(*mean)
                        .map_err(|error| error.at("the mean of a truncated normal law"))?,
                };
                UnitLaw::TruncatedNormal { mean, scale: scale / width }
            }
            Self::Centered { variance } => UnitLaw::with_variance(*variance)?,
            Self::Samples(values) => {
                if values.is_empty() {
                    return Err(Error::new(
                        ErrorKind::Empty,
                        "a law by samples needs at least one, got none",
                    ));
                }
                let unit = |(index, value): (usize, &f64)| {
                    kind.to_unit(*value).map_err(|error| error.at(format_args!("sample {index}")))
                };
                let mut units = values.iter().enumerate().map(unit).collect::<Result<Vec<_>>>()?;
                units.sort_by(f64::total_cmp);
                UnitLaw::Samples(units.into())
            }
        })
    }
}

impl UnitLaw {
    /// A normal distribution around 1/2, truncated to the unit interval, with this variance there.
    /// The variance is below the 1/12 of a uniform law. The laws of Tay, Foo, Urano, Leong, Low 2023,
    /// "Bayesian Optimization with Cost-varying Variable Subsets", section 5.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] for a variance that no such law has.
    pub fn with_variance(variance: f64) -> Result<Self> {
        if !(variance > 0.0 && variance < 1.0 / 12.0) {
            let message = format!(
                "the variance of a truncated normal law lies between 0 and 1/12, got {variance}"
            );
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        // The variance rises with the scale: the logarithm is bisected to its last bit.
        let (mut low, mut high) = (variance.sqrt().ln(), 40.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if truncated_variance(middle.exp()) < variance { low = middle } else { high = middle }
        }
        Ok(Self::TruncatedNormal { mean: 0.5, scale: (0.5 * (low + high)).exp() })
    }

    /// The value below which this share of the probability lies.
    pub fn quantile(&self, probability: f64) -> f64 {
        match self {
            Self::Uniform => probability,
            Self::TruncatedNormal { mean, scale } => {
                let left = half(mean / scale);
                let right = half((1.0 - mean) / scale);
                let from_mean = probability * (left + right) - left;
                let value = if from_mean.abs() < 0.25 {
                    // From the mean, around which a flat law has all of its range. What the inverse
                    // has lost near one half is corrected.
                    let near = inverse_cdf(0.5 + from_mean);
                    near - (half(near) - from_mean) / pdf(near)
                } else if from_mean < 0.0 {
                    // Each tail by itself: there a probability keeps its digits.
                    inverse_cdf(cdf(-mean / scale) + probability * (left + right))
                } else {
                    -inverse_cdf(cdf((mean - 1.0) / scale) + (1.0 - probability) * (left + right))
                };
                (mean + scale * value).clamp(0.0, 1.0)
            }
            Self::Samples(values) => {
                values[((probability * values.len() as f64) as usize).min(values.len() - 1)]
            }
        }
    }

    /// `E exp(-(X - z)^2 / (2 l^2))` in closed form: the mean of a squared-exponential factor.
    pub fn expected_factor(&self, z: f64, lengthscale: f64) -> f64 {
        // From the center to either end, so that nothing cancels while it lies between them.
        let within = |center: f64, deviation: f64| {
            half(center / deviation) + half((1.0 - center) / deviation)
        };
        match self {
            Self::Uniform => {
                lengthscale * (2.0 * std::f64::consts::PI).sqrt() * within(z, lengthscale)
            }
            Self::TruncatedNormal { mean, scale } => {
                let both = lengthscale.hypot(*scale);
                let own = lengthscale / both;
                let law = scale / both;
                let share = within(z * law * law + mean * own * own, lengthscale * law)
                    / within(*mean, *scale);
                own * (-0.5 * ((z - mean) / both).powi(2)).exp() * share
            }
            Self::Samples(values) => {
                let factor = |x: &f64| (-0.5 * ((x - z) / lengthscale).powi(2)).exp();
                values.iter().map(factor).sum::<f64>() / values.len() as f64
            }
        }
    }
}

/// `Phi(x) - 1/2`, which keeps its digits near zero.
fn half(x: f64) -> f64 {
    0.5 * libm::erf(x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The variance of a normal distribution around 1/2 with this scale, truncated to the unit
/// interval.
fn truncated_variance(scale: f64) -> f64 {
    let edge = 0.5 / scale;
    if edge < 0.05 {
        // Nearly uniform: 1/12 - edge^2 / 90 and the next terms of the expansion of the density
        // exp(-edge^2 t^2 / 2), which the difference below would lose.
        let square = edge * edge;
        return 1.0 / 12.0 - square / 90.0 + square * square / 1890.0;
    }
    let mass = 1.0 - 2.0 * cdf(-edge);
    scale * scale * (1.0 - 2.0 * edge * pdf(edge) / mass)
}
