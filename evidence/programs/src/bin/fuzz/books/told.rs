//! What is told of an evaluation.

use gittins::Outcome;
use gittins::study::TrialState;

use crate::calls::{Measuring, Word};
use crate::view::View;
use crate::world::measure::{MOST, MeasureSpec, Measures};

/// What is told of an evaluation, in the units of the study itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Told {
    pub state: TrialState,
    pub value: f64,
    pub cost: Bill,
    /// What was measured, in the order of names.
    pub measures: Measures,
    /// Whether it names a number without a limit.
    pub is_misnamed: bool,
}

/// What is told of its cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bill {
    Silent,
    Later,
    Paid(f64),
}

/// A number on which no study has a limit.
const UNLIMITED: &str = "nobody's";

impl Told {
    /// What a word says of a trial of which nothing is known.
    pub fn nothing(word: Word) -> Self {
        let is_misnamed = word.measured == Measuring::Unknown;
        let (state, measures) = (word.state(), [None; MOST]);
        Self { state, value: 1.0, cost: Bill::Silent, measures, is_misnamed }
    }

    /// As the library takes it.
    pub fn outcome(&self, view: &View, measured: &[MeasureSpec]) -> Outcome {
        let outcome = match self.state {
            TrialState::Failed => Outcome::failed(),
            TrialState::Infeasible => Outcome::infeasible(),
            _ => Outcome::new(view.outcome(self.value)),
        };
        let names = measured.iter().map(|one| one.name.as_str());
        let mut measured: Vec<(&str, f64)> =
            names.zip(self.measures).filter_map(|(name, number)| Some((name, number?))).collect();
        measured.extend(self.is_misnamed.then_some((UNLIMITED, 1.0)));
        let measured = measured.into_iter();
        let outcome = measured.fold(outcome, |told, (name, number)| told.measured(name, number));
        match self.cost {
            Bill::Silent => outcome,
            Bill::Later => outcome.cost_later(),
            Bill::Paid(cost) => outcome.cost(view.cost(cost)),
        }
    }

    pub(super) fn outcome_told(&self, view: &View) -> Option<f64> {
        (self.state == TrialState::Complete).then(|| view.outcome(self.value))
    }
}
