//! What a study notes of its suggestions as it goes, and the record that it makes.

use crate::acquisition::{Acquisition, Pointwise};
use crate::study::record::{Made, Record, Row, Suggested};
use crate::study::study::Study;
use crate::suggest::Suggestion;

impl Study {
    /// What the record says of a suggestion.
    pub(super) fn said(&self, suggestion: &Suggestion) -> Suggested {
        let lambda = match suggestion.acquisition {
            Acquisition::Pointwise(Pointwise::Gittins { lambda }) => Some(lambda),
            _ => None,
        };
        let models = self
            .belief
            .surrogate()
            .map(|surrogate| surrogate.hyperparameters(&self.setup, self.modeled()));
        let (outcome_model, cost_model) =
            models.map_or((None, None), |(outcome, cost)| (Some(outcome), cost));
        Suggested {
            acquisition: suggestion.acquisition.name().to_owned(),
            lambda,
            value: suggestion.value,
            mean: suggestion.mean,
            sd: suggestion.sd,
            cost: Some(suggestion.cost).filter(|cost| !cost.is_nan()),
            unguided: suggestion.unguided,
            outcome_model,
            cost_model,
            basins: Made::from(&suggestion.basins),
            provenance: Made::from(&suggestion.provenance),
            runners_up: self.runners_up.rows().map(<[f64]>::to_vec).collect(),
        }
    }

    /// The run so far as a table of numbers, one row for each trial.
    pub fn record(&self) -> Record {
        let direction = self.books.direction();
        let mut rows: Vec<Row> = self
            .books
            .trials
            .iter()
            .zip(&self.books.notes)
            .map(|(trial, note)| Row {
                trial: trial.id.index(),
                direction,
                origin: trial.origin,
                state: trial.state,
                values: self.names.iter().cloned().zip(trial.values.iter().cloned()).collect(),
                unit: trial.unit.clone(),
                row: trial.row,
                seen: note.seen,
                told: note.told,
                paid: note.paid,
                outcome: trial.outcome,
                cost: trial.cost,
                spent: note.spent,
                best: None,
                suggestion: note.suggestion.as_deref().cloned(),
                verdict: note.verdict.as_ref().map(|(_, verdict)| verdict.clone()),
                seconds: note.seconds,
            })
            .collect();
        self.books.best_so_far().for_each(|(id, best)| rows[id.index()].best = best);
        Record::from_study(rows)
    }
}
