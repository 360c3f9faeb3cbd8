//! What is told of an evaluation.

use gittins::Outcome;
use gittins::study::TrialState;

use crate::calls::{Measuring, Word};
use crate::view::View;
use crate::world::measure::{MOST, MeasureSpec, Measures};

/// What a trial said on its way, in the units of the view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReportTold {
    pub progress: f64,
    /// As it counts: the mean so far, where reports are those of parts.
    pub outcome: f64,
    pub cost: f64,
}

/// What is told of an evaluation, in the units of the study itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Telling {
    pub state: TrialState,
    pub value: f64,
    pub cost: CostTold,
    /// What was measured, in the order of names.
    pub measures: Measures,
    /// Whether it names a number without a limit.
    pub is_misnamed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CostTold {
    Silent,
    Later,
    Paid(f64),
}

const UNLIMITED: &str = "nobody's";

impl Telling {
    /// What a word says of a trial of which nothing is known.
    pub fn nothing(word: Word) -> Self {
        let is_misnamed = word.measured == Measuring::Unknown;
        let state = word.state();
        let measures = [None; MOST];
        Self { state, value: 1.0, cost: CostTold::Silent, measures, is_misnamed }
    }

    pub fn is_complete(&self) -> bool {
        self.state == TrialState::Complete
    }

    pub fn outcome(&self, view: &View, measured: &[MeasureSpec]) -> Outcome {
        let outcome = match self.state {
            TrialState::Failed => Outcome::failed(),
            TrialState::Infeasible => Outcome::infeasible(),
            _ => Outcome::new(view.outcome(self.value)),
        };
        let names = measured.iter().map(|one| one.name.as_str());
        let known = names.zip(self.measures).filter_map(|(name, number)| Some((name, number?)));
        let all = known.chain(self.is_misnamed.then_some((UNLIMITED, 1.0)));
        let outcome = all.fold(outcome, |told, (name, number)| told.measured(name, number));
        match self.cost {
            CostTold::Silent => outcome,
            CostTold::Later => outcome.cost_later(),
            CostTold::Paid(cost) => outcome.cost(view.cost(cost)),
        }
    }

    pub fn outcome_told(&self, view: &View) -> Option<f64> {
        self.is_complete().then(|| view.outcome(self.value))
    }
}
