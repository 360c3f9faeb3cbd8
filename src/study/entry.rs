//! The parts of a trial that the books read and write, for any kind of study.

use crate::data::Measured;
use crate::data::trial::{Origin, Trial, TrialState};

/// The parts of a trial that the books read and write, for any kind of study.
pub(crate) trait Entry {
    /// Where it came from.
    fn origin(&self) -> Origin;
    /// How far it has come.
    fn state(&self) -> TrialState;
    /// The outcome.
    fn outcome(&self) -> Option<f64>;
    /// The cost.
    fn cost(&self) -> Option<f64>;
    /// Replaces all of that but the origin.
    fn set(&mut self, state: TrialState, outcome: Option<f64>, cost: Option<f64>);
    /// Takes what was measured beside the outcome.
    fn set_measured(&mut self, _measured: &Measured) {}
}

impl Entry for Trial {
    fn origin(&self) -> Origin {
        self.origin
    }

    fn state(&self) -> TrialState {
        self.state
    }

    fn outcome(&self) -> Option<f64> {
        self.outcome
    }

    fn cost(&self) -> Option<f64> {
        self.cost
    }

    fn set(&mut self, state: TrialState, outcome: Option<f64>, cost: Option<f64>) {
        (self.state, self.outcome, self.cost) = (state, outcome, cost);
    }

    fn set_measured(&mut self, measured: &Measured) {
        self.measured.clone_from(measured);
    }
}
