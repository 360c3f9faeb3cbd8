//! What a word says of a trial.

use gittins::Value;
use gittins::study::TrialState;

use super::{CostTold, Telling, TrialLog};
use crate::calls::{Any, Cost, Measuring, Saying, Word};
use crate::world::measure::Measures;

impl TrialLog<'_> {
    /// What a word says of a trial at these values and this point, which costs so much.
    pub fn told(&self, word: Word, values: &[Value], unit: &[f64], cost: f64) -> Telling {
        let is_known = self.world.known_cost(values).is_some() && self.stages().is_none();
        let cost = match word.cost {
            Cost::Fitting if is_known => CostTold::Silent,
            Cost::Fitting => CostTold::Paid(cost),
            Cost::Times(Any(factor)) => CostTold::Paid(cost * factor),
            Cost::Silent => CostTold::Silent,
            Cost::Later => CostTold::Later,
            Cost::Raw(Any(raw)) => CostTold::Paid(raw),
        };
        let state = match word.outcome {
            Saying::Objective if self.world.fails(values) => TrialState::Failed,
            _ => word.state(),
        };
        let value = self.value(word.outcome, || self.world.objective.at(unit));
        let measures = self.measures(word, unit);
        Telling { state, value, cost, measures, ..Telling::nothing(word) }
    }

    /// An outcome, in the units of the study itself, where the objective says this.
    pub fn value(&self, saying: Saying, objective: impl Fn() -> f64) -> f64 {
        let unit = self.world.objective.unit;
        match saying {
            Saying::Objective | Saying::Failed | Saying::Infeasible => objective(),
            Saying::Like(which) => {
                let reported = self.entries.iter().flat_map(|entry| &entry.reports);
                let reported = reported.map(|report| report.outcome);
                let all = Vec::from_iter(self.outcomes().chain(reported));
                let like = which.checked_rem(all.len()).map(|place| all[place]);
                like.map_or(unit, |outcome| self.view.outcome_back(outcome))
            }
            Saying::Units(units) => units * unit,
            Saying::Raw(Any(raw)) => raw,
        }
    }

    fn measures(&self, word: Word, unit: &[f64]) -> Measures {
        let mut measures = self.world.measures(unit);
        let all = |measures: &mut Measures, number| {
            measures.iter_mut().flatten().for_each(|one| *one = number);
        };
        match word.measured {
            Measuring::All | Measuring::Unknown => {}
            Measuring::First => measures[1..].fill(None),
            Measuring::Nothing => measures.fill(None),
            Measuring::Missing => all(&mut measures, f64::NAN),
            Measuring::Raw(Any(raw)) => all(&mut measures, raw),
            Measuring::Infinite => all(&mut measures, f64::INFINITY),
        }
        measures
    }
}
