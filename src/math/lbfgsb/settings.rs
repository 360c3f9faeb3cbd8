//! When a minimization stops.

use crate::error::{Error, ErrorKind, Result};

/// When to stop, and how much to remember.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The number of correction pairs kept (`SciPy`'s `maxcor`), 10.
    pub memory: usize,
    /// The largest number of iterations (`SciPy`'s `maxiter`), 200.
    pub max_iterations: usize,
    /// The largest number of evaluations, 15000. `SciPy` checks its `maxfun` between iterations only;
    /// this limit is never exceeded.
    pub max_evaluations: usize,
    /// Converged once `(f_k - f_k+1) / max(|f_k|, |f_k+1|, 1)` is at most this (`SciPy`'s `ftol`),
    /// 2.2e-9.
    pub function_tolerance: f64,
    /// Converged once the largest component of the projected gradient is at most this (`SciPy`'s
    /// `gtol`), 1e-5.
    pub gradient_tolerance: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            memory: 10,
            max_iterations: 200,
            max_evaluations: 15_000,
            function_tolerance: 1e7 * f64::EPSILON,
            gradient_tolerance: 1e-5,
        }
    }
}

impl Settings {
    pub(super) fn validate(&self) -> Result<()> {
        if self.memory == 0 {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                "memory: at least one pair is needed, got 0",
            ));
        }
        for (name, tolerance) in [
            ("function_tolerance", self.function_tolerance),
            ("gradient_tolerance", self.gradient_tolerance),
        ] {
            if tolerance.is_nan() || tolerance < 0.0 {
                return Err(Error::new(
                    ErrorKind::InvalidSetting,
                    format!("{name}: expected zero or more, got {tolerance}"),
                ));
            }
        }
        Ok(())
    }
}

/// The state of a minimization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The minimization waits for a value and a gradient at
    /// [`Lbfgsb::point`](super::Lbfgsb::point).
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
