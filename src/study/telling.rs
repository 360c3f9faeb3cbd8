//! Telling a study what came of its trials: outcomes, costs, corrections, and trials of others.

use crate::data::Value;
use crate::error::{Error, ErrorKind, Result};
use crate::study::ask::Why;
use crate::study::choice::Choice;
use crate::study::note::Place;
use crate::study::outcome::Outcome;
use crate::study::point::Located;
use crate::study::study::Study;
use crate::study::trial::{Origin, TrialId, TrialState};
use crate::study::trials::Trials;
use crate::suggest::price_floor;

impl Study {
    /// Takes what came of a trial that was asked for. The trial may be told late, out of order,
    /// after it was [withdrawn](Self::withdraw) and after a verdict to stop.
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` for a trial told before, whose first outcome stands unless
    /// [`correct`](Self::correct) replaces it, or for a cost if [`tell_cost`](Self::tell_cost) came
    /// first; `NonFinite` for an outcome or a cost; `NonPositiveCost`; `MissingCost` for a complete
    /// trial if costs are learned and its cost was neither told nor
    /// [announced](Outcome::cost_later); `InvalidSetting` for a cost that is announced and known
    /// already. All name the trial. The trial then stays as it was and can be told again.
    pub fn tell(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let (id, trials) = (id.into(), &mut self.trials);
        let trial = trials.books.untold(id)?;
        let (unit, origin, state) = (trial.unit.clone(), trial.origin, trial.state);
        let index = trials.observe(&self.setup, &unit, trials.paid(id), &outcome);
        let index = index.map_err(|error| error.at(id))?;
        self.judge.verdict = None;
        trials.running.remove(&id);
        trials.ledger.counts.pending -= usize::from(state == TrialState::Pending);
        trials.settle(id, &outcome, index);
        if origin == Origin::Suggested {
            trials.ledger.counts.adaptive += 1;
        }
        // A trial that is taken back and told anew moves no price a second time.
        if let Some((index, best)) = trials.indices.remove(&id).zip(trials.best_turned()) {
            self.policy.told(index, best, price_floor(&trials.books.observations));
        }
        Ok(())
    }

    /// Takes what a trial cost, apart from its outcome. The cost may come after the outcome, if
    /// [`Outcome::cost_later`] announced it or a failed trial was told without. It may also come
    /// before, while the trial is still under way; the outcome then comes without a cost. The money
    /// counts and the cost's model learns as soon as the cost is told, whatever became of the
    /// trial, and the outcome's model does not wait for it. In the books a cost that is told
    /// replaces one that is known beforehand.
    ///
    /// ```
    /// use gittins::{Cost, Outcome, Space, Study};
    ///
    /// let space = Space::new().float("x", 0.0, 1.0);
    /// let mut study = Study::minimize(space).cost(Cost::learned()).build()?;
    /// let (first, second) = (study.ask()?, study.ask()?);
    /// study.tell(first.id(), Outcome::new(0.4).cost_later())?; // the bill will follow
    /// study.tell_cost(second.id(), 20.0)?; // the bill is there already, the result is not
    /// study.tell_cost(first.id(), 35.0)?;
    /// study.tell(second.id(), Outcome::new(0.7))?;
    /// assert_eq!(study.total_cost(), 55.0);
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` if a cost was told before, which stands; `NonFinite` or
    /// `NonPositiveCost`. All name the trial.
    pub fn tell_cost(&mut self, id: impl Into<TrialId>, cost: f64) -> Result<()> {
        self.trials.tell_cost(&self.setup, id.into(), cost)?;
        self.judge.verdict = None;
        Ok(())
    }

    /// Takes an evaluation that was never asked for, and returns the identifier of its trial. In a
    /// table the values must be those of a row. A complete one counts toward the initial design.
    ///
    /// # Errors
    /// `Dimension`, `NonFinite` or `OutOfBounds` for the values, naming the parameter, and those of
    /// [`tell`](Self::tell).
    pub fn import<V: Into<Value> + Clone>(
        &mut self,
        values: &[V],
        outcome: Outcome,
    ) -> Result<TrialId> {
        let trials = &mut self.trials;
        let id = trials.books.next_id();
        let point = Located::new(&self.setup.domain, values).map_err(|error| error.at(id))?;
        let index = trials.observe(&self.setup, &point.drawn.unit, None, &outcome);
        let index = index.map_err(|error| error.at(id))?;
        self.judge.verdict = None;
        trials.add(point.values, point.drawn, Origin::Imported, TrialState::Pending);
        trials.settle(id, &outcome, index);
        Ok(id)
    }

    /// Enters a trial that somebody else chose and runs, so that its point is not suggested again
    /// and is waited for like one that was asked for. It is told, or
    /// [withdrawn](Self::withdraw), by the identifier that this returns, and counts as imported.
    ///
    /// # Errors
    /// `Dimension`, `NonFinite` or `OutOfBounds` for the values, naming the parameter; for a table
    /// also those of values that no row has.
    pub fn announce<V: Into<Value> + Clone>(&mut self, values: &[V]) -> Result<TrialId> {
        let point = Located::new(&self.setup.domain, values)?;
        let (domain, why) = (&self.setup.domain, Why::Exploring);
        Ok(self.trials.enter(domain, point.drawn, Origin::Imported, why).id())
    }

    /// Notes how a trial was chosen that was [imported](Self::import) or
    /// [announced](Self::announce). Programs that build a study anew from trials which an earlier
    /// study asked for say so, and then the study goes on watching whether it is stuck. Nothing
    /// else depends on the note. The last one counts.
    ///
    /// ```
    /// use gittins::study::Choice;
    /// use gittins::{Outcome, Space, Study};
    ///
    /// let mut study = Study::minimize(Space::new().float("x", 0.0, 1.0)).build()?;
    /// let trial = study.import(&[0.3], Outcome::new(1.7))?;
    /// study.note_choice(trial, Choice::Initial)?;
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a trial that this study asked for, or a negative
    /// deviation; `NonFinite` for a mean or a deviation that is not finite. All name the trial.
    pub fn note_choice(&mut self, id: impl Into<TrialId>, choice: Choice) -> Result<()> {
        let (id, books) = (id.into(), &mut self.trials.books);
        let refused = |kind, message| Err(Error::new(kind, format!("{id}: {message}")));
        if books.trial(id)?.origin != Origin::Imported {
            return refused(
                ErrorKind::InvalidSetting,
                "this study asked for it, and knows how it was chosen".to_owned(),
            );
        }
        if let Choice::Suggested { mean, sd, .. } = choice {
            let found = || format!("expected a finite mean and deviation, got {mean} and {sd}");
            if !mean.is_finite() || !sd.is_finite() {
                return refused(ErrorKind::NonFinite, found());
            }
            if sd < 0.0 {
                return refused(ErrorKind::InvalidSetting, found());
            }
        }
        books.notes[id.index()].choice = Some(choice);
        Ok(())
    }

    /// Notes what a trial under way has cost so far. A study has no clock: whoever runs the trial
    /// says so, as often as it is worth it, best before the next [`ask`](Self::ask). The last note
    /// counts. It teaches the cost's model nothing, and is no payment
    /// ([`tell_cost`](Self::tell_cost)). It is forgotten once the trial is told or withdrawn.
    ///
    /// If costs are learned, the chance that the trial [brings nothing](crate::study::Forecast::dead) grows with
    /// the note, and an [overdue](crate::study::StudyBuilder::overdue) trial is not waited for. If
    /// costs are known, the note changes nothing.
    ///
    /// ```
    /// use gittins::{Cost, Outcome, Space, Study};
    ///
    /// let space = Space::new().float("x", 0.0, 1.0);
    /// let mut study = Study::minimize(space).cost(Cost::learned()).seed(1).build()?;
    /// for outcome in [0.3, 0.1, 0.2] {
    ///     let ask = study.ask()?;
    ///     study.tell(ask.id(), Outcome::new(outcome).cost(10.0 + outcome))?;
    /// }
    /// let slow = study.ask()?;
    /// study.note_running(slow.id(), 7.0)?;
    /// let forecast = study.forecast(slow.id())?.expect("costs were told");
    /// assert!(forecast.expected() > 5.0 && forecast.rest() < 10.0 && !forecast.is_overdue());
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a trial that is not under way; `NonFinite` or
    /// `NonPositiveCost` for a number that is not finite or negative. All name the trial.
    pub fn note_running(&mut self, id: impl Into<TrialId>, cost_so_far: f64) -> Result<()> {
        self.trials.note_running(id.into(), cost_so_far)
    }

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
        let (id, trials) = (id.into(), &mut self.trials);
        trials.books.standing(id)?;
        match trials.books.place(id) {
            Place::Told(index) => {
                trials.books.remove(id, index)?;
                if trials.books.trials[id.index()].origin == Origin::Suggested {
                    trials.ledger.counts.adaptive -= 1;
                }
                trials.recount();
                self.beliefs.forget_models();
                self.judge.verdict = None;
            }
            Place::Nowhere | Place::Paid(_) => trials.ledger.counts.pending -= 1,
        }
        trials.running.remove(&id);
        trials.books.set_state(id, TrialState::Withdrawn);
        trials.free(id);
        // Its point may be what a search found.
        self.beliefs.memo.clear();
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
        let (id, trials) = (id.into(), &mut self.trials);
        let (trial, index) = trials.books.correctable(id)?;
        Trials::check_correction(&self.setup, trial, &outcome).map_err(|error| error.at(id))?;
        trials.books.correct(id, index, &outcome)?;
        trials.recount();
        self.beliefs.forget_models();
        self.judge.verdict = None;
        Ok(())
    }
}
