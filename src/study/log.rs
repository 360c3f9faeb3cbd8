//! What a study notes of its trials as it goes, and the record that it makes of them.

use std::time::Duration;

use crate::acquisition::Acquisition;
use crate::model::Hyperparameters;
use crate::stop::Verdict;
use crate::study::record::{Judged, Made, Record, Row, Seconds, Suggested};
use crate::study::{Study, TrialId, TrialState};
use crate::suggest::Suggestion;

/// What is noted of a trial beside the trial itself; a few numbers, so that noting costs nothing.
pub(super) struct Note {
    seen: usize,
    told: Option<usize>,
    paid: Option<usize>,
    spent: Option<f64>,
    suggestion: Option<Box<Suggested>>,
    verdict: Option<Judged>,
    seconds: Seconds,
}

impl Note {
    /// Of a trial asked for or imported at a revision of the observations.
    pub fn new(seen: usize) -> Self {
        Self { seen, told: None, paid: None, spent: None, suggestion: None, verdict: None, seconds: Seconds::default() }
    }
}

impl Study {
    /// Of a trial about to be suggested.
    pub(super) fn note_of(&self, suggestion: &Suggestion, search: Duration) -> Note {
        let lambda = match suggestion.acquisition {
            Acquisition::Gittins { lambda } => Some(lambda),
            _ => None,
        };
        let (outcome_model, cost_model) = self.hyperparameters();
        let suggested = Suggested {
            acquisition: suggestion.acquisition.name().to_owned(),
            lambda,
            value: suggestion.value,
            mean: suggestion.mean,
            sd: suggestion.sd,
            cost: Some(suggestion.cost).filter(|cost| !cost.is_nan()),
            outcome_model,
            cost_model,
            basins: Made::from(&suggestion.basins),
            provenance: Made::from(&suggestion.provenance),
            runners_up: self.runners_up.rows().map(<[f64]>::to_vec).collect(),
        };
        let seconds = Seconds { search: search.as_secs_f64(), ..Seconds::default() };
        Note { suggestion: Some(Box::new(suggested)), seconds, ..Note::new(self.observations.revision()) }
    }

    fn hyperparameters(&self) -> (Option<Hyperparameters>, Option<Hyperparameters>) {
        let found = self.surrogate.as_ref().map(|surrogate| surrogate.hyperparameters(&self.setup, &self.observations));
        found.map_or((None, None), |(outcome, cost)| (Some(outcome), cost))
    }

    /// A trial was told just now.
    pub(super) fn note_told(&mut self, id: TrialId) {
        let note = &mut self.notes[id.index()];
        note.told = Some(self.observations.revision() - 1);
        note.spent = Some(self.ledger.spent);
    }

    /// The cost of a trial was told just now, apart from its outcome.
    pub(super) fn note_paid(&mut self, id: TrialId) {
        self.notes[id.index()].paid = Some(self.observations.revision() - 1);
    }

    fn last_told(&mut self) -> Option<&mut Note> {
        self.told.last().map(|id| &mut self.notes[id.index()])
    }

    pub(super) fn note_fit(&mut self, took: Duration) {
        if let Some(note) = self.last_told() {
            note.seconds.fit += took.as_secs_f64();
        }
    }

    /// Seconds of the fits since the last trial was told.
    pub(super) fn seconds_of_fits(&mut self) -> f64 {
        self.last_told().map_or(0.0, |note| note.seconds.fit)
    }

    pub(super) fn note_verdict(&mut self, verdict: &Verdict, seconds: f64) {
        if let Some(note) = self.last_told() {
            note.verdict = Some(verdict.into());
            note.seconds.verdict = seconds.max(0.0);
        }
    }

    /// The run so far as a table of numbers, one row for each trial.
    pub fn record(&self) -> Record {
        let direction = self.observations.direction();
        let mut rows: Vec<Row> = self
            .trials
            .iter()
            .zip(&self.notes)
            .map(|(trial, note)| Row {
                trial: trial.id.index(),
                direction,
                origin: trial.origin,
                state: trial.state,
                values: self.names.iter().cloned().zip(trial.values.iter().copied()).collect(),
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
                verdict: note.verdict.clone(),
                seconds: note.seconds,
            })
            .collect();
        let mut best = None;
        for id in &self.told {
            let row = &mut rows[id.index()];
            if row.state == TrialState::Complete {
                best = direction.better(best, row.outcome);
            }
            row.best = best;
        }
        Record::from_study(rows)
    }
}
