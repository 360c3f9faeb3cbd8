//! L-BFGS-B (to be written).

use crate::error::Result;

/// When to stop, and how much to remember.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Correction pairs kept (SciPy's `maxcor`), 10.
    pub memory: usize,
    /// Iterations at most (SciPy's `maxiter`).
    pub max_iterations: usize,
    /// Evaluations at most (SciPy's `maxfun`).
    pub max_evaluations: usize,
    /// Converged once `(f_k - f_k+1) / max(|f_k|, |f_k+1|, 1)` is at most this (SciPy's `ftol`).
    pub function_tolerance: f64,
    /// Converged once the largest component of the projected gradient is at most this (SciPy's `gtol`).
    pub gradient_tolerance: f64,
}

/// How far a minimization has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// A value and a gradient at [`Lbfgsb::point`] are wanted.
    Running,
    /// The projected gradient is small.
    ConvergedGradient,
    /// The value no longer falls.
    ConvergedValue,
    /// The limit of iterations was reached.
    IterationLimit,
    /// The limit of evaluations was reached.
    EvaluationLimit,
    /// No step along the search direction gave a decrease, even after the memory was dropped.
    LineSearchFailed,
    /// The value or the gradient at the start is not finite.
    NonFinite,
}

/// One minimization, stepped from outside: the caller evaluates [`point`](Self::point) and tells [`advance`](Self::advance).
#[derive(Debug, Clone)]
pub struct Lbfgsb {}

impl Lbfgsb {
    /// Starts at `start`, moved into the box.
    pub fn new(start: &[f64], lower: &[f64], upper: &[f64], settings: &Settings) -> Result<Self> {
        todo!()
    }
    /// Where a value and a gradient are wanted while the status is `Running`.
    pub fn point(&self) -> &[f64] {
        todo!()
    }
    /// Takes the value and the gradient at `point`, and moves on.
    pub fn advance(&mut self, value: f64, gradient: &[f64]) -> Status {
        todo!()
    }
    /// The status after the last `advance`.
    pub fn status(&self) -> Status {
        todo!()
    }
    /// The best point so far and its value (the last accepted iterate).
    pub fn best(&self) -> (&[f64], f64) {
        todo!()
    }
    /// Iterations done.
    pub fn iterations(&self) -> usize {
        todo!()
    }
    /// Evaluations taken.
    pub fn evaluations(&self) -> usize {
        todo!()
    }
}

/// The end of a minimization.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// Where.
    pub point: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// Why it ended.
    pub status: Status,
    /// Iterations done.
    pub iterations: usize,
    /// Evaluations taken.
    pub evaluations: usize,
}

/// Minimizes a function that returns its value and fills its gradient.
pub fn minimize(
    start: &[f64],
    lower: &[f64],
    upper: &[f64],
    settings: &Settings,
    function: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Result<Minimum> {
    todo!()
}
