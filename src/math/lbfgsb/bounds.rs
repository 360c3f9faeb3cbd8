//! The box, and what it does to points, gradients and steps.

use crate::error::{Error, ErrorKind, Result};

/// A box `lower <= x <= upper`. A side may be infinite, and both sides may coincide.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Whether any side is finite.
    any: bool,
    /// Whether every side is finite.
    all: bool,
}

impl Bounds {
    pub(super) fn new(lower: &[f64], upper: &[f64]) -> Result<Self> {
        if lower.len() != upper.len() {
            let message = format!("{} lower bounds but {} upper bounds", lower.len(), upper.len());
            return Err(Error::new(ErrorKind::Dimension, message));
        }
        for (i, (&l, &u)) in lower.iter().zip(upper).enumerate() {
            if l.is_nan() || u.is_nan() {
                return Err(Error::new(
                    ErrorKind::NonFinite,
                    format!("coordinate {i}: the bounds are [{l}, {u}]"),
                ));
            }
            if l > u || l == f64::INFINITY || u == f64::NEG_INFINITY {
                return Err(Error::new(
                    ErrorKind::InvalidSetting,
                    format!("coordinate {i}: no number lies within [{l}, {u}]"),
                ));
            }
        }
        let any = lower.iter().chain(upper).any(|b| b.is_finite());
        let all = lower.iter().chain(upper).all(|b| b.is_finite());
        Ok(Self { lower: lower.to_vec(), upper: upper.to_vec(), any, all })
    }

    pub(super) fn dim(&self) -> usize {
        self.lower.len()
    }

    pub(super) fn any(&self) -> bool {
        self.any
    }

    pub(super) fn all(&self) -> bool {
        self.all
    }

    pub(super) fn lower(&self, i: usize) -> f64 {
        self.lower[i]
    }

    pub(super) fn upper(&self, i: usize) -> f64 {
        self.upper[i]
    }

    pub(super) fn clamp(&self, i: usize, x: f64) -> f64 {
        x.clamp(self.lower[i], self.upper[i])
    }

    /// The nearest number within the bounds; a bound itself, if no more than rounding is between.
    pub(super) fn meet(&self, i: usize, x: f64) -> f64 {
        let (lower, upper) = (self.lower[i], self.upper[i]);
        let rounding = |bound: f64| 4.0 * f64::EPSILON * bound.abs().max(1.0);
        match x {
            x if x - lower <= rounding(lower) => lower,
            x if upper - x <= rounding(upper) => upper,
            x => x,
        }
    }

    /// The largest component of `P(x - g) - x`, with the projection `P` onto the box. It is zero
    /// exactly if no feasible direction descends.
    pub(super) fn projected_gradient_norm(&self, x: &[f64], gradient: &[f64]) -> f64 {
        let component = |(i, &g): (usize, &f64)| {
            let room =
                if g < 0.0 { (x[i] - self.upper[i]).max(g) } else { (x[i] - self.lower[i]).min(g) };
            room.abs()
        };
        gradient.iter().enumerate().map(component).fold(0.0, f64::max)
    }

    /// The longest step along `direction` from `x` that stays within the box and is at most
    /// `limit`, and the coordinate that ends it.
    pub(super) fn longest_step(
        &self,
        coordinates: impl Iterator<Item = (usize, f64, f64)>,
        limit: f64,
    ) -> (f64, Option<usize>) {
        let (mut longest, mut blocking) = (limit, None);
        for (i, x, d) in coordinates {
            let room = match d {
                d if d < 0.0 => self.lower[i] - x,
                d if d > 0.0 => self.upper[i] - x,
                _ => continue,
            };
            // By rounding, the Cauchy point may lie beyond its bound.
            let step = (room / d).max(0.0);
            if step < longest {
                longest = step;
                blocking = Some(i);
            }
        }
        (longest, blocking)
    }
}
