//! The best moment to have stopped, known afterwards: bounds for stopping rules, and no rules
//! themselves.

use gittins::{Error, ErrorKind, Result};

use crate::evaluation::{Course, summary};

/// The best moment to have stopped.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Hindsight {
    /// The place of the mark in the course, from 0, the first among equals.
    pub mark: usize,
    /// The cost-adjusted regret there.
    pub regret: f64,
}

impl Course {
    /// The mark with the least cost-adjusted regret. Stopping right after the initial design counts.
    /// No stopping rule does better on this run.
    pub fn hindsight(&self, optimum: f64, lambda: f64) -> Hindsight {
        let (mark, regret) = least(&self.cost_adjusted_regret(optimum, lambda));
        Hindsight { mark, regret }
    }
}

/// The best one iteration at which to have stopped several runs: there the mean of their curves is
/// least, as far as all of them go.
///
/// # Errors
/// `Empty` without a curve, and for a curve that is empty.
pub fn fixed_iteration(curves: &[Vec<f64>]) -> Result<Hindsight> {
    let length = curves.iter().map(Vec::len).min().unwrap_or(0);
    if length == 0 {
        return Err(Error::new(
            ErrorKind::Empty,
            "a fixed iteration needs curves with a value at least, got none",
        ));
    }
    let means: Vec<f64> =
        (0..length).map(|at| summary::mean(curves.iter().map(|curve| curve[at]))).collect();
    let (mark, regret) = least(&means);
    Ok(Hindsight { mark, regret })
}

/// The first of the least values. A value that is no number is not less than any other.
fn least(values: &[f64]) -> (usize, f64) {
    let order = |a: &(usize, f64), b: &(usize, f64)| {
        a.1.is_nan().cmp(&b.1.is_nan()).then(a.1.total_cmp(&b.1))
    };
    values.iter().copied().enumerate().min_by(order).unwrap_or((0, f64::NAN))
}
