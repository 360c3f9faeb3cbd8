//! The part of the unit cube that a search looks at.

use std::borrow::Cow;

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};

/// A box within the unit cube, to which a search is confined.
///
/// A search moves rows of one or several points. The bounds are those of one point, and hold for
/// each.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Bounds {
    /// The box of the points `u` of the unit cube with `lower_k <= u_k <= upper_k`.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] if the two differ in length. [`ErrorKind::OutOfBounds`] unless
    /// `0 <= lower_k <= upper_k <= 1` for every coordinate.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self> {
        if lower.len() != upper.len() {
            let message =
                format!("{} lower bounds and {} upper bounds of a box", lower.len(), upper.len());
            return Err(Error::new(ErrorKind::Dimension, message));
        }
        for (k, (low, high)) in lower.iter().zip(&upper).enumerate() {
            if !(0.0 <= *low && low <= high && *high <= 1.0) {
                let message = format!(
                    "coordinate {k}: expected bounds with 0 <= lower <= upper <= 1, got {low} and {high}"
                );
                return Err(Error::new(ErrorKind::OutOfBounds, message));
            }
        }
        Ok(Self { lower, upper })
    }

    /// The lower bounds.
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// The upper bounds.
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// Whether a point lies in the box.
    pub fn contains(&self, unit: &[f64]) -> bool {
        unit.len() == self.lower.len()
            && unit.iter().zip(&self.lower).all(|(u, low)| low <= u)
            && unit.iter().zip(&self.upper).all(|(u, high)| u <= high)
    }

    fn each(&self, rows: &mut Points, moved: impl Fn(f64, f64, f64) -> f64) {
        for row in 0..rows.len() {
            for point in rows.row_mut(row).chunks_mut(self.lower.len().max(1)) {
                for ((u, &low), &high) in point.iter_mut().zip(&self.lower).zip(&self.upper) {
                    *u = moved(*u, low, high);
                }
            }
        }
    }
}

/// Points spread over the cube, spread over the box instead: `lower + u (upper - lower)`.
pub(super) fn spread(bounds: Option<&Bounds>, mut rows: Points) -> Points {
    if let Some(bounds) = bounds {
        bounds.each(&mut rows, |u, low, high| (low + u * (high - low)).clamp(low, high));
    }
    rows
}

/// The nearest points of the box.
pub(super) fn clamped<'a>(bounds: Option<&Bounds>, rows: &'a Points) -> Cow<'a, Points> {
    let Some(bounds) = bounds else { return Cow::Borrowed(rows) };
    let mut rows = rows.clone();
    bounds.each(&mut rows, |u, low, high| u.clamp(low, high));
    Cow::Owned(rows)
}

/// The lower and the upper bounds of rows of `dim` coordinates.
pub(super) fn of_rows(bounds: Option<&Bounds>, dim: usize) -> (Vec<f64>, Vec<f64>) {
    match bounds {
        None => (vec![0.0; dim], vec![1.0; dim]),
        Some(bounds) => {
            let repeat = |one: &[f64]| one.iter().copied().cycle().take(dim).collect();
            (repeat(&bounds.lower), repeat(&bounds.upper))
        }
    }
}
