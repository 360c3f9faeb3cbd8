//! When to have stopped, had one known: bounds for stopping rules, and no rules themselves.

use crate::error::{Error, ErrorKind, Result};
use crate::evaluation::{Course, summary};

/// The best moment to have stopped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hindsight {
    /// Which mark of the course, from 0, the first among equals.
    pub mark: usize,
    /// The cost-adjusted regret there.
    pub regret: f64,
}

impl Course {
    /// The mark with the least cost-adjusted regret, stopping right after the initial design
    /// included: no stopping rule does better on this run.
    pub fn hindsight(&self, optimum: f64, lambda: f64) -> Hindsight {
        let (mark, regret) = least(&self.cost_adjusted_regret(optimum, lambda));
        Hindsight { mark, regret }
    }
}

/// The one iteration at which all of several runs had best been stopped: where the mean of their
/// curves is least, as far as all of them go.
///
/// # Errors
/// `Empty` without a curve, or where one is empty.
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

/// The first of the least values; what is no number is not less than anything.
fn least(values: &[f64]) -> (usize, f64) {
    let order = |a: &(usize, f64), b: &(usize, f64)| {
        a.1.is_nan().cmp(&b.1.is_nan()).then(a.1.total_cmp(&b.1))
    };
    values.iter().copied().enumerate().min_by(order).unwrap_or((0, f64::NAN))
}
