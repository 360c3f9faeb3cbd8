//! The trials of a run, and what was told of them.

use crate::data::trial::refused;
use crate::data::trial::trial::{Origin, Trial, TrialState};
use crate::data::{Direction, Measured, Observations, State, TrialId};
use crate::error::Result;
use crate::stop::Verdict;
use crate::study::events::note::{Note, Place};
use crate::study::events::outcome::Outcome;
use crate::study::record::{Point, Row};

/// The trials of a run, what was told of them, and in which order.
///
/// Whatever is told is checked before anything is changed: an error leaves the books as they were.
#[derive(Debug)]
pub(crate) struct TrialLog {
    /// All trials, in the order in which they were asked for or imported.
    pub trials: Vec<Trial>,
    /// A note for each trial.
    pub notes: Vec<Note>,
    /// The trial behind each observation: trials are told in any order.
    pub told: Vec<TrialId>,
    /// The observations.
    pub observations: Observations,
    /// How much was told: outcomes, failures and the like, and costs that were told apart from
    /// them.
    pub tellings: usize,
}

impl TrialLog {
    /// Books without a trial.
    pub fn new(observations: Observations) -> Self {
        Self { trials: Vec::new(), notes: Vec::new(), told: Vec::new(), observations, tellings: 0 }
    }

    /// The identifier of the trial that is entered next.
    pub fn next_id(&self) -> TrialId {
        TrialId::from(self.trials.len())
    }

    /// Enters a trial that was not told.
    pub fn add(&mut self, trial: Trial) {
        self.trials.push(trial);
        self.notes.push(Note::new(self.tellings));
    }

    /// A trial.
    ///
    /// # Errors
    /// `UnknownTrial`.
    pub fn trial(&self, id: TrialId) -> Result<&Trial> {
        self.trials.get(id.index()).ok_or_else(|| refused::unknown(id, self.trials.len()))
    }

    /// A trial that can be told.
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` for a trial that was told.
    pub fn untold(&self, id: TrialId) -> Result<&Trial> {
        let trial = self.trial(id)?;
        if let Place::Told(_) = self.place(id) {
            return Err(refused::told(id, trial.state, trial.outcome));
        }
        Ok(trial)
    }

    /// A trial that can be withdrawn.
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` for a trial that is withdrawn.
    pub fn standing(&self, id: TrialId) -> Result<&Trial> {
        let trial = self.trial(id)?;
        if trial.state == TrialState::Withdrawn {
            return Err(refused::withdrawn(id));
        }
        Ok(trial)
    }

    /// A trial that can be corrected, and its place among the observations.
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a trial that was not told.
    pub fn correctable(&self, id: TrialId) -> Result<(&Trial, usize)> {
        let trial = self.trial(id)?;
        let Place::Told(index) = self.place(id) else {
            return Err(refused::untold(id, trial.state));
        };
        Ok((trial, index))
    }

    /// A trial's place among the observations.
    pub fn place(&self, id: TrialId) -> Place {
        self.notes[id.index()].place
    }

    /// The observation of a trial that was told.
    pub fn told_at(&self, id: TrialId) -> Option<usize> {
        match self.place(id) {
            Place::Told(index) => Some(index),
            Place::Nowhere | Place::Paid(_) => None,
        }
    }

    /// Enters what was told of a trial, and is the observation of index `index`.
    pub fn enter(&mut self, id: TrialId, outcome: &Outcome, index: usize) {
        let trial = &mut self.trials[id.index()];
        trial.state = TrialState::of(outcome.state);
        trial.outcome = outcome.value;
        trial.measured.clone_from(&outcome.measured);
        self.told.push(id);
        let note = &mut self.notes[id.index()];
        note.place = Place::Told(index);
        note.told = Some(self.tellings);
        let foreseen = note.suggestion.as_ref().and_then(|suggestion| suggestion.foreseen);
        self.observations.note_foreseen(index, foreseen);
        self.tellings += 1;
    }

    /// Notes that the cost of a trial was told just now, apart from its outcome and in place of
    /// the `known` one, if there was one.
    pub fn note_paid(&mut self, id: TrialId, known: Option<f64>) {
        let note = &mut self.notes[id.index()];
        note.paid = Some(self.tellings);
        note.known = known;
        self.tellings += 1;
    }

    /// Replaces what was told of the trial that is the observation of index `index`, and forgets
    /// what was found with it. A new cost replaces the one from before.
    ///
    /// # Errors
    /// Those of [`Observations::replace`], naming the trial.
    pub fn correct(&mut self, id: TrialId, index: usize, outcome: &Outcome) -> Result<()> {
        self.observations
            .replace(index, outcome.state, outcome.value, outcome.cost)
            .map_err(|error| error.at(id))?;
        let (trial, note) = (&mut self.trials[id.index()], &self.notes[id.index()]);
        if !outcome.measured.is_empty() {
            let measured = self.observations.measures().aligned(&outcome.measured);
            self.observations.note_measured(index, measured);
            trial.measured.clone_from(&outcome.measured);
        }
        trial.state = TrialState::of(outcome.state);
        trial.outcome = outcome.value;
        trial.cost = outcome.cost.or(trial.cost);
        let cost_place = note.paid.filter(|_| outcome.cost.is_some());
        let first = note.told.into_iter().chain(cost_place).min();
        self.forget_since(first.unwrap_or(0));
        Ok(())
    }

    /// Takes everything out that was told of the trial that is the observation of index `index`,
    /// and forgets what was found with it. The state of the trial stays to be changed.
    ///
    /// # Errors
    /// Those of [`Observations::remove`].
    pub fn remove(&mut self, id: TrialId, index: usize) -> Result<()> {
        self.observations.remove(index)?;
        self.told.remove(index);
        for note in &mut self.notes {
            if let Place::Told(place) = &mut note.place
                && *place > index
            {
                *place -= 1;
            }
        }
        let trial = &mut self.trials[id.index()];
        trial.outcome = None;
        trial.cost = None;
        trial.measured = Measured::default();
        let note = &mut self.notes[id.index()];
        note.place = Place::Nowhere;
        let first = note.told.into_iter().chain(note.paid).min();
        self.forget_since(first.unwrap_or(0));
        self.note_removed(id);
        Ok(())
    }

    /// Closes the gap of a trial that is no longer told: what was told after it moves up.
    fn note_removed(&mut self, id: TrialId) {
        let note = &mut self.notes[id.index()];
        let gone: Vec<usize> = note.told.take().into_iter().chain(note.paid.take()).collect();
        note.known = None;
        note.spent = None;
        note.verdict = None;
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
    /// verdicts, the models behind suggestions, and what these foresaw.
    fn forget_since(&mut self, place: usize) {
        for note in &mut self.notes {
            note.verdict.take_if(|(told, _)| *told > place);
            if let Some(suggestion) = note.suggestion.as_mut().filter(|_| note.seen > place) {
                suggestion.forget_models();
                if let Place::Told(index) = note.place {
                    self.observations.note_foreseen(index, None);
                }
            }
        }
    }

    /// Gives a trial another state; outcome and cost stay.
    pub fn set_state(&mut self, id: TrialId, state: TrialState) {
        self.trials[id.index()].state = state;
    }

    /// The note of the trial that was told last.
    fn last_told(&mut self) -> Option<&mut Note> {
        self.told.last().map(|id| &mut self.notes[id.index()])
    }

    /// Notes how long a fit took.
    pub fn note_fit(&mut self, seconds: f64) {
        if let Some(note) = self.last_told() {
            note.seconds.fit += seconds;
        }
    }

    /// Seconds of the fits since the last trial was told.
    pub fn seconds_of_fits(&mut self) -> f64 {
        self.last_told().map_or(0.0, |note| note.seconds.fit)
    }

    /// Notes a verdict, and how long it took without its fits.
    pub fn note_verdict(&mut self, verdict: &Verdict, seconds: f64) {
        let told = self.tellings;
        if let Some(note) = self.last_told() {
            note.verdict = Some((told, verdict.into()));
            note.seconds.verdict = seconds.max(0.0);
        }
    }

    /// Seconds of the last verdict, without its fits.
    pub fn seconds_of_verdict(&mut self) -> f64 {
        self.last_told().map_or(0.0, |note| note.seconds.verdict)
    }

    /// The number of the coming trial of an initial design of this size, the first being 1. None
    /// once there is a trial for each: asked for and not withdrawn, or imported complete. None
    /// also once as many trials were told in any way: a model of these needs no more quasi-random
    /// points.
    pub fn next_of_design(&self, size: usize) -> Option<usize> {
        let stands = |trial: &&Trial| match trial.origin {
            Origin::Initial => trial.state != TrialState::Withdrawn,
            Origin::Imported => trial.state == TrialState::Complete,
            Origin::Suggested => false,
        };
        let number = 1 + self.trials.iter().filter(stands).count().max(self.told_for_design());
        (number <= size).then_some(number)
    }

    /// How many trials count toward the initial design as told: every trial that was asked for in
    /// any way and told, so that one that is never told holds nothing up, and every import that is
    /// complete.
    pub fn told_for_design(&self) -> usize {
        let counts = |trial: &&Trial| match trial.origin {
            Origin::Initial | Origin::Suggested => trial.state.is_told(),
            Origin::Imported => trial.state == TrialState::Complete,
        };
        self.trials.iter().filter(counts).count()
    }

    /// The number of trials that were asked for and are told or pending.
    pub fn asked(&self) -> usize {
        let stands = |trial: &&Trial| {
            trial.origin != Origin::Imported && trial.state != TrialState::Withdrawn
        };
        self.trials.iter().filter(stands).count()
    }

    /// The number of trials that were suggested.
    pub fn suggested(&self) -> usize {
        self.trials.iter().filter(|trial| trial.origin == Origin::Suggested).count()
    }

    /// Which outcomes are better.
    pub fn direction(&self) -> Direction {
        self.observations.direction()
    }

    /// The outcome of a complete trial that holds all limits as measured.
    pub fn usable_outcome(&self, id: TrialId) -> Option<f64> {
        let observation = self.observations.get(self.told_at(id)?)?;
        let counts = observation.state == State::Complete && observation.holds;
        observation.outcome.filter(|_| counts)
    }

    /// The best outcome when each trial was told, in the order of telling.
    fn best_so_far(&self) -> impl Iterator<Item = (TrialId, Option<f64>)> {
        let mut best = None;
        self.told.iter().map(move |&id| {
            best = self.direction().better(best, self.usable_outcome(id));
            (id, best)
        })
    }

    /// A row of the record for each trial, which was evaluated at its `point`.
    pub fn rows(&self, point: impl Fn(&Trial) -> Point) -> Vec<Row> {
        let row = |(entry, note): (&Trial, &Note)| Row {
            trial: entry.id.index(),
            direction: self.direction(),
            origin: entry.origin,
            state: entry.state,
            point: point(entry),
            seen: note.seen,
            told: note.told,
            paid: note.paid,
            outcome: entry.outcome,
            believed: None,
            measured: entry.measured.clone(),
            cost: entry.cost,
            spent: note.spent,
            best: None,
            suggestion: note.suggestion.as_deref().cloned(),
            verdict: note.verdict.as_ref().map(|(_, verdict)| verdict.clone()),
            seconds: note.seconds,
        };
        let mut rows: Vec<_> = self.trials.iter().zip(&self.notes).map(row).collect();
        self.best_so_far().for_each(|(id, best)| rows[id.index()].best = best);
        rows
    }
}
