//! What a study notes of its trials as it goes, and the record that it makes of them.

use std::time::Duration;

use crate::acquisition::{Acquisition, Pointwise};
use crate::model::Hyperparameters;
use crate::stop::Verdict;
use crate::study::record::{Judged, Made, Record, Row, Seconds, Suggested};
use crate::study::{Study, TrialId, TrialState};
use crate::suggest::Suggestion;

/// What is noted of a trial beside the trial itself; a few numbers, so that noting costs nothing.
pub(super) struct Note {
    /// How much had been told when the trial was asked for or imported.
    seen: usize,
    /// The places of its outcome, and of its cost if that was told apart, in the order of what was
    /// told.
    pub told: Option<usize>,
    pub paid: Option<usize>,
    /// The cost that was known beforehand and stood in until another was told apart.
    pub known: Option<f64>,
    pub spent: Option<f64>,
    suggestion: Option<Box<Suggested>>,
    /// How much had been told when the verdict was asked for, and what it was.
    verdict: Option<(usize, Judged)>,
    seconds: Seconds,
}

impl Note {
    /// Of a trial asked for or imported after so much had been told.
    pub fn new(seen: usize) -> Self {
        Self {
            seen,
            told: None,
            paid: None,
            known: None,
            spent: None,
            suggestion: None,
            verdict: None,
            seconds: Seconds::default(),
        }
    }
}

impl Study {
    /// Of a trial about to be suggested.
    pub(super) fn note_of(&self, suggestion: &Suggestion, search: Duration) -> Note {
        let lambda = match suggestion.acquisition {
            Acquisition::Pointwise(Pointwise::Gittins { lambda }) => Some(lambda),
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
        Note { suggestion: Some(Box::new(suggested)), seconds, ..Note::new(self.tellings) }
    }

    fn hyperparameters(&self) -> (Option<Hyperparameters>, Option<Hyperparameters>) {
        let found = self
            .surrogate
            .as_ref()
            .map(|surrogate| surrogate.hyperparameters(&self.setup, &self.observations));
        found.map_or((None, None), |(outcome, cost)| (Some(outcome), cost))
    }

    /// A trial was told just now.
    pub(super) fn note_told(&mut self, id: TrialId) {
        let note = &mut self.notes[id.index()];
        note.told = Some(self.tellings);
        note.spent = Some(self.ledger.spent);
        self.tellings += 1;
    }

    /// The cost of a trial was told just now, apart from its outcome, in place of one that was
    /// known if there was one.
    pub(super) fn note_paid(&mut self, id: TrialId, known: Option<f64>) {
        let note = &mut self.notes[id.index()];
        (note.paid, note.known) = (Some(self.tellings), known);
        self.tellings += 1;
    }

    /// What was told of a trial is taken back: what was told after it moves up.
    pub(super) fn note_untold(&mut self, id: TrialId) {
        let note = &mut self.notes[id.index()];
        let gone: Vec<usize> = note.told.take().into_iter().chain(note.paid.take()).collect();
        (note.known, note.spent, note.verdict) = (None, None, None);
        let move_up =
            |place: &mut usize| *place -= gone.iter().filter(|&&gone| gone < *place).count();
        for note in &mut self.notes {
            move_up(&mut note.seen);
            note.told.iter_mut().chain(&mut note.paid).for_each(move_up);
            note.verdict.iter_mut().for_each(|(told, _)| move_up(told));
        }
        self.tellings -= gone.len();
    }

    /// Takes out what was found with something told as number `place` that proved to be wrong:
    /// verdicts, and the models behind suggestions.
    pub(super) fn forget_since(&mut self, place: usize) {
        for note in &mut self.notes {
            note.verdict.take_if(|(told, _)| *told > place);
            if let Some(suggestion) = note.suggestion.as_mut().filter(|_| note.seen > place) {
                (suggestion.outcome_model, suggestion.cost_model) = (None, None);
            }
        }
        // A fit that starts from the one before may end elsewhere than without it.
        (self.surrogate, self.verdict) = (None, None);
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
        let told = self.tellings;
        if let Some(note) = self.last_told() {
            note.verdict = Some((told, verdict.into()));
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
                verdict: note.verdict.as_ref().map(|(_, verdict)| verdict.clone()),
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
