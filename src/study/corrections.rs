//! Trials given up, and what was told of them by mistake.

use crate::data::{Cost, State};
use crate::error::{Error, ErrorKind, Result};
use crate::study::Study;
use crate::study::costs::{announced_but_known, cost_is_missing};
use crate::study::trial::{Origin, Outcome, Place, Trial, TrialId, TrialState};

impl Study {
    /// Gives a trial up, or takes back what was told of it by mistake. It is then neither under way
    /// nor told: its point may be suggested again, and if it belonged to the initial design another
    /// point takes its place there. A result that comes all the same is taken by
    /// [`tell`](Self::tell).
    ///
    /// Of a trial under way what it has cost already ([`tell_cost`](Self::tell_cost)) stays in the
    /// books and in the cost's model: the money is gone. Of a trial that was told everything
    /// leaves, outcome and cost, as if it had not been told; a trial whose outcome alone was wrong
    /// is better [corrected](Self::correct). A price that has
    /// [fallen](crate::Policy::gittins_decay) stays where it is, and stopping rules keep the values
    /// of the checks before.
    ///
    /// ```
    /// use gittins::{Outcome, Space, Study};
    ///
    /// let mut study = Study::minimize(Space::new().float("x", 0.0, 1.0)).build()?;
    /// let (lost, told) = (study.ask()?, study.ask()?);
    /// study.withdraw(lost.id())?; // its machine is gone
    /// study.tell(told.id(), Outcome::new(0.7))?;
    /// assert_eq!(study.counts().pending, 0);
    /// study.tell(lost.id(), Outcome::new(0.4))?; // and came back
    /// assert_eq!(study.best().unwrap().id, lost.id());
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` for a trial that is withdrawn already, naming it. The study
    /// stays as it was.
    pub fn withdraw(&mut self, id: impl Into<TrialId>) -> Result<()> {
        let id = id.into();
        let trial = self.trial(id)?;
        if trial.state == TrialState::Withdrawn {
            return Err(Error::new(
                ErrorKind::DuplicateTrial,
                format!("{id}: withdrawn before; it can be told"),
            ));
        }
        match trial.place {
            Place::Told(index) => self.untell(id, index)?,
            Place::Nowhere | Place::Paid(_) => self.ledger.counts.pending -= 1,
        }
        self.trials[id.index()].state = TrialState::Withdrawn;
        let unit = &self.trials[id.index()].unit;
        let elsewhere = |stands: fn(&Trial) -> bool| {
            self.trials.iter().any(|other| stands(other) && other.unit == *unit)
        };
        if !elsewhere(|other| other.state != TrialState::Withdrawn) {
            self.asked.remove(unit);
        }
        if !elsewhere(|other| matches!(other.place, Place::Told(_))) {
            self.evaluated.remove(unit);
        }
        Ok(())
    }

    /// Replaces what was told of a trial, asked for or imported: how it ended, its outcome, and its
    /// cost if the new outcome has one; otherwise the cost that was told or announced stands. From
    /// then on it is as if the trial had been told so in its place: models are fitted anew, and
    /// books and [record](Self::record) are those of the new numbers. Verdicts and models that were
    /// found with the old ones leave the record. Only a price that has
    /// [fallen](crate::Policy::gittins_decay) stays where it is, as do points that were asked for
    /// since, and stopping rules keep the values of earlier checks.
    ///
    /// ```
    /// use gittins::{Outcome, Space, Study};
    ///
    /// let mut study = Study::minimize(Space::new().float("x", 0.0, 1.0)).build()?;
    /// let ask = study.ask()?;
    /// study.tell(ask.id(), Outcome::new(4.1e-7).cost(3.0))?; // meant was 0.41
    /// study.correct(ask.id(), Outcome::new(0.41))?;
    /// assert_eq!((study.best().unwrap().outcome, study.total_cost()), (Some(0.41), 3.0));
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a trial of which nothing stands to be corrected, since
    /// it is under way or withdrawn; those of [`tell`](Self::tell) for numbers; `InvalidSetting`
    /// for a cost that is announced although one was told. All name the trial, and the study stays
    /// as it was.
    pub fn correct(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        let trial = self.trial(id)?;
        let Place::Told(index) = trial.place else {
            let message = format!(
                "{id}: it is {:?}, and nothing was told of it that could be corrected; `tell` takes its outcome",
                trial.state
            );
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        };
        self.check_correction(trial, &outcome).map_err(|error| error.at(id))?;
        self.observations
            .replace(index, outcome.state, outcome.value, outcome.cost)
            .map_err(|error| error.at(id))?;
        let (trial, note) = (&mut self.trials[id.index()], &self.notes[id.index()]);
        (trial.state, trial.outcome) = (outcome.state.into(), outcome.value);
        trial.cost = outcome.cost.or(trial.cost);
        let cost_place = note.paid.filter(|_| outcome.cost.is_some());
        let first = note.told.into_iter().chain(cost_place).min();
        self.recount();
        self.forget_since(first.unwrap_or(0));
        Ok(())
    }

    fn check_correction(&self, trial: &Trial, outcome: &Outcome) -> Result<()> {
        outcome.validate(self.setup.cost_floor)?;
        if outcome.cost.is_some() {
            return Ok(());
        }
        let learned = matches!(self.setup.cost, Cost::Learned);
        match trial.cost {
            None if learned
                && outcome.state == State::Complete
                && !outcome.cost_later
                && trial.state != TrialState::Complete =>
            {
                Err(cost_is_missing())
            }
            Some(cost) if learned && outcome.cost_later => {
                let message = format!(
                    "its cost was told before as {cost}; that stands, or another is given by `cost`"
                );
                Err(Error::new(ErrorKind::InvalidSetting, message))
            }
            _ if !learned && outcome.cost_later => Err(announced_but_known()),
            _ => Ok(()),
        }
    }

    /// Takes everything out that was told of a trial.
    fn untell(&mut self, id: TrialId, index: usize) -> Result<()> {
        self.observations.remove(index)?;
        self.told.remove(index);
        for trial in &mut self.trials {
            if let Place::Told(place) = &mut trial.place
                && *place > index
            {
                *place -= 1;
            }
        }
        let trial = &mut self.trials[id.index()];
        (trial.outcome, trial.cost, trial.place) = (None, None, Place::Nowhere);
        if trial.origin == Origin::Suggested {
            self.ledger.counts.adaptive -= 1;
        }
        let note = &self.notes[id.index()];
        let first = note.told.into_iter().chain(note.paid).min();
        self.forget_since(first.unwrap_or(0));
        self.note_untold(id);
        self.recount();
        Ok(())
    }
}
