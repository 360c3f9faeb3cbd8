//! Priors on hyper-parameters: log densities and their slopes.

use libm::lgamma;

/// A prior density of a positive number.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Prior {
    /// `p(x) ~ x^(shape - 1) exp(-rate x)`.
    Gamma {
        /// Shape `a`; the mode is `(a - 1) / rate`.
        shape: f64,
        /// Rate `b`.
        rate: f64,
    },
    /// `ln x` is normal.
    LogNormal {
        /// Mean of `ln x`; the median of `x` is its exponential.
        location: f64,
        /// Standard deviation of `ln x`.
        scale: f64,
    },
    /// `p(x) ~ x^(shape - 1) / (1 + x / scale)^(shape + tail)`, the beta prime density: a power of `x`
    /// near zero, and `x^-(1 + tail)` far out.
    BetaPrime {
        /// Shape `a`; the mode is `scale (a - 1) / (tail + 1)`.
        shape: f64,
        /// Shape `b`, by which the tail falls.
        tail: f64,
        /// The value at which one power gives way to the other.
        scale: f64,
    },
}

impl Prior {
    /// The prior on lengthscales that keeps the complexity of the model the same in any dimension.
    /// Its median grows like `sqrt(d)`, as distances in the unit cube do (Hvarfner, Hellsten &
    /// Nardi 2024, "Vanilla Bayesian optimization performs great in high dimensions").
    pub fn dimension_scaled(dim: usize) -> Self {
        Self::LogNormal {
            location: std::f64::consts::SQRT_2 + 0.5 * (dim as f64).ln(),
            scale: 3f64.sqrt(),
        }
    }

    /// The prior on lengthscales of a study: `Gamma(3, 6 sqrt(5 / d))`, with its mean at `0.22 sqrt(d)`. In five dimensions it is the prior
    /// of [`Priors::Gamma`](super::Priors). It grows with the dimension as distances in the unit cube
    /// do. Its tail is that of an exponential, so a few outcomes do not make an input irrelevant, as
    /// under the log-normal prior of [`dimension_scaled`](Self::dimension_scaled). Chosen by runs on
    /// published test functions in 2 to 20 dimensions (`docs/contest.md`).
    pub fn dimension_scaled_gamma(dim: usize) -> Self {
        Self::Gamma { shape: 3.0, rate: 6.0 * (5.0 / dim as f64).sqrt() }
    }

    /// That of a study once two trials share the best outcome: the mode of
    /// [`dimension_scaled_gamma`](Self::dimension_scaled_gamma), `0.15 sqrt(d)`, and the same power
    /// below it, with the tail `x^-2`. So the data may find an input irrelevant: ten times the mode
    /// costs 2.2 nats, where the gamma density takes 13.4. Chosen by runs on published tables; on smooth
    /// functions it is behind (`docs/contest.md`).
    pub fn dimension_scaled_heavy(dim: usize) -> Self {
        Self::BetaPrime { shape: 3.0, tail: 1.0, scale: (dim as f64 / 5.0).sqrt() / 3.0 }
    }

    /// The prior of a number `by` times as large.
    pub(super) fn stretched(self, by: f64) -> Self {
        match self {
            Self::Gamma { shape, rate } => Self::Gamma { shape, rate: rate / by },
            Self::LogNormal { location, scale } => {
                Self::LogNormal { location: location + by.ln(), scale }
            }
            Self::BetaPrime { shape, tail, scale } => {
                Self::BetaPrime { shape, tail, scale: by * scale }
            }
        }
    }

    /// `(ln p(x), d ln p / d ln x)`. The density is that of `x` itself, so the mode does not depend
    /// on the variable of the optimizer.
    #[doc(hidden)]
    pub fn log_density(&self, x: f64) -> (f64, f64) {
        match *self {
            Self::Gamma { shape, rate } => {
                let value = shape * rate.ln() - lgamma(shape) + (shape - 1.0) * x.ln() - rate * x;
                (value, shape - 1.0 - rate * x)
            }
            Self::LogNormal { location, scale } => {
                let z = (x.ln() - location) / scale;
                let value =
                    -0.5 * z * z - x.ln() - scale.ln() - 0.5 * (2.0 * std::f64::consts::PI).ln();
                (value, -z / scale - 1.0)
            }
            Self::BetaPrime { shape, tail, scale } => {
                let u = x / scale;
                let total = shape + tail;
                let beta = lgamma(shape) + lgamma(tail) - lgamma(total);
                let value = (shape - 1.0) * u.ln() - total * u.ln_1p() - scale.ln() - beta;
                (value, shape - 1.0 - total * u / (1.0 + u))
            }
        }
    }

    /// The start of a search: the mean of a gamma density, the median of a log-normal one.
    pub(super) fn center(&self) -> f64 {
        match *self {
            Self::Gamma { shape, rate } => shape / rate,
            Self::LogNormal { location, .. } => location.exp(),
            // Three halves of the mode, as is the mean of `Gamma(3, b)`.
            Self::BetaPrime { shape, tail, scale } => 1.5 * scale * (shape - 1.0) / (tail + 1.0),
        }
    }
}
