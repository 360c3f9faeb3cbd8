//! One evaluation, and the checks of its outcome and cost.

use crate::error::{Error, ErrorKind, Result};

/// How an evaluation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum State {
    /// It gave an outcome.
    Complete,
    /// It gave none: it crashed, diverged, or was given up.
    Failed,
    /// Its point is forbidden by the user's own constraints. An outcome, if there is one, is kept
    /// and not modeled.
    Infeasible,
}

/// One evaluation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Observation {
    /// The point, in the unit cube.
    pub point: Vec<f64>,
    /// The outcome, in the user's units.
    pub outcome: Option<f64>,
    /// The cost, in the user's units.
    pub cost: Option<f64>,
    /// Whether the cost was told. A cost that is only known beforehand is replaced by one that is
    /// told.
    pub cost_told: bool,
    /// How it ended.
    pub state: State,
    /// The measured numbers: those of limits, then those of objectives, each sorted by name. NaN for one
    /// that was not measured.
    pub measured: Vec<f64>,
    /// Whether these numbers hold all limits, and those of objectives are known. Without any it is true.
    pub holds: bool,
    /// What a model expected of the outcome, one deviation below and above, in the user's units. None
    /// if no model was asked, or it knew something that proved wrong.
    pub(crate) foreseen: Option<[f64; 2]>,
}

/// Checks what is told of an evaluation: an outcome is finite, a complete evaluation has one, and a
/// cost is valid.
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

/// Checks that a cost is finite and positive. With a floor it may also be zero or below the floor,
/// but not negative.
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
