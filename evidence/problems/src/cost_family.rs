//! The costs of the budgeted problems: a family of waves with random height, frequency and phase.

use std::f64::consts::PI;

use gittins::{Cost, Error, ErrorKind, Result};
use libm::{cos, exp, sin};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::Problem;
use crate::check::{check_finite, check_positive};

/// `ln c(x) = (alpha / d) sum_i cos(beta (x_i - x*_i + gamma))`, `beta = 2 pi b / D`, with `alpha`
/// uniform in `[0.75, 1.5]`, `b` in `[1, 3]` and `gamma` in `[0, 2 pi]`, in a problem's own units
/// (Astudillo, Jiang, Balandat, Bakshy and Frazier 2021, Multi-step budgeted Bayesian optimization
/// with unknown evaluation costs, Section 5.1 and supplement). Costs lie in `[e^-alpha, e^alpha]`.
///
/// The problem fixes `D` and `x*`: 5.12 and 0 for Dropwave, 10 and 0 for Alpine1, 1 and 0 for
/// Ackley, 4 and 4 for Shekel5. The published code computes with these values. The text prints
/// other ranges of `beta` for Alpine1 and Shekel5. `gamma` is added to `x` and not to the phase, so
/// the cost at `x*` is `exp(alpha cos(beta gamma))`. With `gamma = 0` `x*` is the most expensive
/// place. With `gamma = pi` it is not the cheapest, although the text says so.
///
/// ```
/// use gittins_problems::{CostFamily, shekel5};
/// let cost = CostFamily::published(3)?.on(&shekel5())?;
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostFamily {
    alpha: f64,
    b: f64,
    gamma: f64,
}

/// `exp` overflows beyond it.
const LARGEST_ALPHA: f64 = 700.0;

/// A line of names, then one line for each seed from 0 on, with seed, alpha, b, gamma.
const PUBLISHED: &str = include_str!("cost_family_draws.csv");

impl CostFamily {
    /// The member with these numbers.
    ///
    /// # Errors
    /// [`ErrorKind::NonFinite`] or [`ErrorKind::InvalidSetting`] naming the number, if it is not
    /// finite or if `alpha` is beyond 700, where costs overflow.
    pub fn new(alpha: f64, b: f64, gamma: f64) -> Result<Self> {
        for (name, value) in [("alpha", alpha), ("b", b), ("gamma", gamma)] {
            check_finite(value).map_err(|error| error.at(name))?;
        }
        if alpha.abs() > LARGEST_ALPHA {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                format!("alpha: expected at most {LARGEST_ALPHA}, got {alpha}"),
            ));
        }
        Ok(Self { alpha, b, gamma })
    }

    /// The member of a seed. [`Pcg64`], seeded by `seed_from_u64`, gives `alpha`, `b` and `gamma`,
    /// in this order.
    pub fn draw(seed: u64) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut uniform = |low: f64, high: f64| low + (high - low) * random.random::<f64>();
        Self { alpha: uniform(0.75, 1.5), b: uniform(1.0, 3.0), gamma: uniform(0.0, 2.0 * PI) }
    }

    /// The member that the published code draws from a seed, 0 to 200. Replication `t` of Dropwave,
    /// Ackley and Shekel5 has the seed `t mod 20`. Replication `t` of Alpine1 has the seed `t`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] for a seed beyond 200.
    pub fn published(seed: usize) -> Result<Self> {
        let mut lines = PUBLISHED.lines().skip(1);
        let Some(line) = lines.nth(seed) else {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                format!("seed: expected 0 to 200, got {seed}"),
            ));
        };
        let numbers: Vec<f64> = line
            .split(',')
            .map(|number| number.parse().expect("the table holds numbers"))
            .collect();
        Ok(Self { alpha: numbers[1], b: numbers[2], gamma: numbers[3] })
    }

    /// `alpha`: the logarithm of the largest cost.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// `b`: waves over a length of `D`.
    pub fn b(&self) -> f64 {
        self.b
    }

    /// `gamma`: the shift, in units of `x`.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// The cost of a problem of the paper, with its `D` and `x*`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] if the paper gives none for the problem. Then take
    /// [`around`](Self::around).
    pub fn on(&self, problem: &Problem) -> Result<Cost> {
        let Some((divisor, center)) = problem.cost_wave else {
            let message = format!(
                "{}: expected Dropwave, Alpine1, Ackley or Shekel5, which have a divisor and a center",
                problem.name()
            );
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        };
        self.around(divisor, vec![center; problem.dim()])
    }

    /// The cost with any `D` and `x*`, on a space of the same dimension. On another space it is
    /// NaN, and the caller's check names it.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] for a center without coordinates, [`ErrorKind::NonFinite`] or
    /// [`ErrorKind::InvalidSetting`] for a divisor that is not finite and positive or a center that
    /// is not finite.
    pub fn around(&self, divisor: f64, center: Vec<f64>) -> Result<Cost> {
        check_positive("divisor", divisor)?;
        if center.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "expected a center with at least one coordinate, got none",
            ));
        }
        for (index, &x) in center.iter().enumerate() {
            check_finite(x).map_err(|error| error.at(format!("center, coordinate {index}")))?;
        }
        let weight = self.alpha / center.len() as f64;
        let beta = 2.0 * PI * self.b / divisor;
        let gamma = self.gamma;
        Ok(Cost::known_with_gradient(move |values, gradient| {
            if values.len() != center.len() {
                return f64::NAN;
            }
            let phase = |x: f64, center: f64| beta * (x - center + gamma);
            let cost = exp(weight
                * values
                    .iter()
                    .zip(&center)
                    .map(|(&x, &center)| cos(phase(x, center)))
                    .sum::<f64>());
            for ((slope, &x), &center) in gradient.iter_mut().zip(values).zip(&center) {
                *slope = -cost * weight * beta * sin(phase(x, center));
            }
            cost
        }))
    }
}
