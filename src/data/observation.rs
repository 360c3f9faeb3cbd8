//! One evaluation, and the checks of what is told of it.

use crate::error::{Error, ErrorKind, Result};

/// How an evaluation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// With an outcome.
    Complete,
    /// Without one: it crashed, diverged, or was given up.
    Failed,
    /// At a point that the user's own constraints forbid; an outcome, if there is one, is kept and
    /// not modeled.
    Infeasible,
}

/// One evaluation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Observation {
    /// Where, in the unit cube.
    pub point: Vec<f64>,
    /// What came out, in the user's units.
    pub outcome: Option<f64>,
    /// What it cost, in the user's units.
    pub cost: Option<f64>,
    /// Whether the cost was told; one that was only known beforehand gives way to one that is told.
    pub cost_told: bool,
    /// How it ended.
    pub state: State,
}

/// What is told of an evaluation: a finite outcome, which a complete one has, and a cost that is
/// one.
pub(crate) fn check_told(
    state: State,
    outcome: Option<f64>,
    cost: Option<f64>,
    floor: Option<f64>,
) -> Result<()> {
    match outcome {
        Some(outcome) if !outcome.is_finite() => {
            let message = format!(
                "expected a finite outcome, got {outcome}; a trial without one is told as failed"
            );
            return Err(Error::new(ErrorKind::NonFinite, message));
        }
        None if state == State::Complete => {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                "a complete trial needs an outcome, got none",
            ));
        }
        _ => {}
    }
    cost.map_or(Ok(()), |cost| check_cost(cost, floor))
}

/// A cost is finite and positive; where there is a floor for it, zero and what lies below the floor
/// will do.
pub(crate) fn check_cost(cost: f64, floor: Option<f64>) -> Result<()> {
    if !cost.is_finite() {
        return Err(Error::new(
            ErrorKind::NonFinite,
            format!("expected a finite cost, got {cost}"),
        ));
    }
    let message = match floor {
        Some(_) if cost < 0.0 => format!("expected a cost of at least 0, got {cost}"),
        None if cost < 0.0 => format!("expected a positive cost, got {cost}"),
        None if cost == 0.0 => format!(
            "expected a positive cost, got {cost}; where an evaluation can be free, set a `cost_floor`"
        ),
        _ => return Ok(()),
    };
    Err(Error::new(ErrorKind::NonPositiveCost, message))
}
