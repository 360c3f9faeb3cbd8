//! The errors of trials that are not there, or not in a state, to be asked for, told, withdrawn or
//! corrected: the same in every kind of study.

use crate::data::TrialId;
use crate::data::trial::trial::TrialState;
use crate::error::{Error, ErrorKind};

/// A trial that a study of this many trials does not have.
pub fn unknown(id: TrialId, count: usize) -> Error {
    let message =
        format!("{id}: expected one of the {count} trials of this study, numbered from 0");
    Error::new(ErrorKind::UnknownTrial, message)
}

/// A trial that was told before.
pub fn told(id: TrialId, state: TrialState, outcome: Option<f64>) -> Error {
    let outcome = outcome.map_or(String::new(), |told| format!(", outcome {told}"));
    let message =
        format!("{id}: told before as {state}{outcome}; that stands unless it is corrected");
    Error::new(ErrorKind::DuplicateTrial, message)
}

/// A trial that is withdrawn already.
pub fn withdrawn(id: TrialId) -> Error {
    Error::new(ErrorKind::DuplicateTrial, format!("{id}: withdrawn before; it can be told"))
}

/// A trial of which nothing was told.
pub fn untold(id: TrialId, state: TrialState) -> Error {
    let message = format!(
        "{id}: it is {state}, and nothing was told of it that could be corrected; `tell` takes its outcome"
    );
    Error::new(ErrorKind::InvalidSetting, message)
}

/// A trial to ask for, if nothing is left.
pub fn exhausted() -> Error {
    Error::new(ErrorKind::Exhausted, "every setting was evaluated or is pending")
}
