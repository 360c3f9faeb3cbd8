//! Telling a study the results of its trials: outcomes, costs, corrections, and trials of others.

use crate::data::trial::reports::Advice;
use crate::data::trial::trial::TrialState;
use crate::data::{TrialId, Value};
use crate::error::Result;
use crate::study::events::choice::Choice;
use crate::study::events::event::Event;
use crate::study::events::outcome::Outcome;
use crate::study::stages::{self, Staging, no_stages};
use crate::study::study::Study;

impl Study {
    /// Takes the result of a trial that was asked for. The trial may be told late, out of order,
    /// after it was [withdrawn](Self::withdraw) and after a verdict to stop.
    ///
    /// Of [means of items](crate::study::Stages::items) the first two failures in a row are those of a
    /// batch: what was reported counts, what the batch cost is paid, and the trial waits to be resumed
    /// where it was, or is withdrawn if it has no report. The third one ends it.
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` for a trial told before, whose first outcome stands unless
    /// [`correct`](Self::correct) replaces it, or for a cost if [`tell_cost`](Self::tell_cost) came
    /// first; `NonFinite` for an outcome or a cost; `NonPositiveCost`; `MissingCost` for a complete
    /// trial if costs are learned and its cost was neither told nor
    /// [announced](Outcome::cost_later); `InvalidSetting` for a cost that is announced and known
    /// already, for a measured number without a [limit](crate::study::StudyBuilder::limit), and for a
    /// complete trial that lacks one. All name the trial. The trial then stays as it was and can be told again.
    pub fn tell(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        self.trials.trial_log.trial(id)?;
        self.trials.check_measured(&outcome, true).map_err(|error| error.at(id))?;
        let stages = self.stages.as_ref();
        if stages.is_some_and(|own| own.tries_again(&self.trials, id, &outcome)) {
            self.happens(Event::Paid { trial: id, cost: outcome.cost.unwrap_or(0.0) })?;
            return self.happens(Event::Withdrawn { trial: id });
        }
        self.happens(Event::Told { trial: id, outcome })
    }

    /// Takes what a trial cost, apart from its outcome. The cost may come after the outcome, if
    /// [`Outcome::cost_later`] announced it or a failed trial was told without. It may also come
    /// before, while the trial is still pending; the outcome then comes without a cost. The money
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
    /// study.tell(first.id(), Outcome::new(0.4).cost_later())?; // the cost will follow
    /// study.tell_cost(second.id(), 20.0)?; // the cost is there already, the result is not
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
        let id = id.into();
        if self.stages.is_some() {
            self.trials.trial_log.trial(id)?;
            return Err(Staging::reports_tell(id));
        }
        self.happens(Event::Paid { trial: id, cost })
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
        let id = self.trials.trial_log.next_id();
        self.trials.check_measured(&outcome, true).map_err(|error| error.at(id))?;
        let values = values.iter().cloned().map(Into::into).collect();
        self.happens(Event::Imported { values, outcome })?;
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
        let id = self.trials.trial_log.next_id();
        let values = values.iter().cloned().map(Into::into).collect();
        self.happens(Event::Announced { values })?;
        Ok(id)
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
        self.happens(Event::Chosen { trial: id.into(), choice })
    }

    /// Notes what a pending trial has cost so far. A study has no clock: whoever runs the trial
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
    /// `UnknownTrial`; `InvalidSetting` for a trial that is not pending; `NonFinite` or
    /// `NonPositiveCost` for a number that is not finite or negative. All name the trial.
    pub fn note_running(&mut self, id: impl Into<TrialId>, cost_so_far: f64) -> Result<()> {
        let id = id.into();
        if self.stages.is_some() {
            return Err(Staging::reports_tell(id));
        }
        self.trials.note_running(id, cost_so_far)
    }

    /// Gives a trial up, or takes back what was told of it by mistake. It is then neither pending
    /// nor told: its point may be suggested again, and if it belonged to the initial design another
    /// point takes its place there. A result that comes all the same is taken by
    /// [`tell`](Self::tell).
    ///
    /// If the trial was pending, what it has cost already ([`tell_cost`](Self::tell_cost)) stays in
    /// the books and in the cost's model: the money is gone. If the trial was told, everything
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
        self.happens(Event::Withdrawn { trial: id.into() })
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
    /// `UnknownTrial`; `InvalidSetting` for a trial that is pending or withdrawn, since nothing
    /// stands to be corrected; those of [`tell`](Self::tell) for numbers; `InvalidSetting` for a
    /// cost that is announced although one was told. All name the trial, and the study stays as it
    /// was.
    pub fn correct(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        let trial = self.trials.trial_log.trial(id)?;
        let is_new = trial.state.is_told() && trial.measured.is_empty();
        self.trials.check_measured(&outcome, is_new).map_err(|error| error.at(id))?;
        self.happens(Event::Corrected { trial: id, outcome })
    }

    /// In stages, takes what a trial says at a progress: its outcome so far, and its cost since its last
    /// report. It says whether the trial goes on. The progress may be any that is larger than that of
    /// the last report. A trial that was left may report too: its worker may not have heard of it.
    /// [`tell`](Self::tell) takes the report at the end with measured numbers, and failures.
    ///
    /// ```
    /// use gittins::study::{Advice, Stages};
    /// use gittins::{Space, Study};
    /// # fn train(rate: f64, from: f64, until: f64) -> (f64, f64) {
    /// #     ((rate - 0.3f64).powi(2) + 1.0 / until, until - from)
    /// # }
    ///
    /// let space = Space::new().float("rate", 0.0, 1.0);
    /// let mut study = Study::minimize(space).stages(Stages::epochs(20)).budget(100.0).build()?;
    /// while !study.verdict()?.is_stop() {
    ///     let ask = study.ask()?;
    ///     let (mut from, mut until) = (ask.resume().unwrap_or(0.0), ask.until());
    ///     loop {
    ///         let (loss, seconds) = train(ask.get("rate")?, from, until);
    ///         match study.report(ask.id(), until, loss, seconds)? {
    ///             Advice::Continue { until: next } => (from, until) = (until, next),
    ///             _ => break, // a checkpoint is worth keeping after Advice::Pause
    ///         }
    ///     }
    /// }
    /// assert!(study.best().unwrap().outcome.unwrap() < 0.2);
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` without stages, for a trial that has ended, and for a progress
    /// that does not grow or exceeds the total; `NonFinite` for an outcome or a cost;
    /// `NonPositiveCost` for a negative cost. All name the trial, which stays as it was. Those of the
    /// model, after which the report stands and the trial is left.
    pub fn report(
        &mut self,
        id: impl Into<TrialId>,
        progress: f64,
        outcome: f64,
        cost: f64,
    ) -> Result<Advice> {
        let id = id.into();
        self.happens(Event::Reported { trial: id, progress, outcome, cost })?;
        stages::decide_on(self, id)
    }

    /// In stages, takes what a trial says at a progress, and decides nothing: the trial stays pending.
    /// One that was abandoned stays so, unless this is its end.
    ///
    /// ```
    /// # use gittins::{Space, Study};
    /// # use gittins::study::Stages;
    /// let space = Space::new().float("rate", 0.0, 1.0);
    /// let mut study = Study::minimize(space).stages(Stages::epochs(9)).build()?;
    /// let trial = study.announce(&[0.3])?;
    /// study.note_report(trial, 1.0, 0.7, 2.5)?; // it goes on, whatever its outcome
    /// println!("{:?}", study.advise(trial)?); // whether it should
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`report`](Self::report), but none of the model.
    pub fn note_report(
        &mut self,
        id: impl Into<TrialId>,
        progress: f64,
        outcome: f64,
        cost: f64,
    ) -> Result<()> {
        let id = id.into();
        self.happens(Event::Reported { trial: id, progress, outcome, cost })?;
        if self.trials.trial_log.trial(id)?.state != TrialState::Paused {
            return Ok(());
        }
        let until = self.seen().ok_or_else(no_stages)?.staging.next_progress(progress);
        self.happens(Event::Advised { trial: id, advice: Advice::Continue { until } })
    }
}
