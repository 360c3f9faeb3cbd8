//! Trials given up, and what was told of them by mistake.

use crate::data::{Cost, State};
use crate::error::{Error, ErrorKind, Result};
use crate::study::costs::{announced_but_known, cost_is_missing};
use crate::study::note::Place;
use crate::study::outcome::Outcome;
use crate::study::study::Study;
use crate::study::trial::{Origin, Trial, TrialId, TrialState};

impl Study {
    /// Gives a trial up, or takes back what was told of it by mistake. It is then neither under way
    /// nor told: its point may be suggested again, and if it belonged to the initial design another
    /// point takes its place there. A result that comes all the same is taken by
    /// [`tell`](Self::tell).
    ///
    /// If the trial was under way, what it has cost already ([`tell_cost`](Self::tell_cost)) stays
    /// in the books and in the cost's model: the money is gone. If the trial was told, everything
    /// leaves, outcome and cost, as if it had not been told. If its outcome alone was wrong, it is
    /// better to [correct](Self::correct) it. A price that has
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
        self.books.standing(id)?;
        match self.books.place(id) {
            Place::Told(index) => self.untell(id, index)?,
            Place::Nowhere | Place::Paid(_) => self.ledger.counts.pending -= 1,
        }
        self.running.remove(&id);
        self.books.set_state(id, TrialState::Withdrawn);
        let unit = &self.books.trials[id.index()].unit;
        let elsewhere = |stands: fn(&Trial) -> bool| {
            self.books.trials.iter().any(|other| stands(other) && other.unit == *unit)
        };
        if !elsewhere(|other| other.state != TrialState::Withdrawn) {
            self.asked.remove(unit);
        }
        if !elsewhere(|other| other.state.is_told()) {
            self.evaluated.remove(unit);
        }
        // Its point may be what a search found.
        self.memo.clear();
        Ok(())
    }

    /// Replaces what was told of a trial, asked for or imported: how it ended, its outcome, and its
    /// cost if the new outcome has one; otherwise the cost that was told or announced stands. From
    /// then on it is as if the trial had been told so in its place: models are fitted anew, and
    /// books and [record](Self::record) have the new numbers. Verdicts and models that were found
    /// with the old numbers leave the record. Three things stay: a price that has
    /// [fallen](crate::Policy::gittins_decay), points that were asked for since, and the values of
    /// earlier checks that stopping rules keep.
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
    /// `UnknownTrial`; `InvalidSetting` for a trial that is under way or withdrawn, since nothing
    /// stands to be corrected; those of [`tell`](Self::tell) for numbers; `InvalidSetting`
    /// for a cost that is announced although one was told. All name the trial, and the study stays
    /// as it was.
    pub fn correct(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        let (trial, index) = self.books.correctable(id)?;
        self.check_correction(trial, &outcome).map_err(|error| error.at(id))?;
        self.books.correct(id, index, &outcome)?;
        self.recount();
        self.forget();
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
        self.books.remove(id, index)?;
        if self.books.trials[id.index()].origin == Origin::Suggested {
            self.ledger.counts.adaptive -= 1;
        }
        self.recount();
        self.forget();
        Ok(())
    }

    /// Forgets what was found with something wrong.
    fn forget(&mut self) {
        self.forget_models();
        self.verdict = None;
    }
}
