//! How a study changes: by one event after another.

use crate::data::trial::trial::{Origin, Trial, TrialState};
use crate::data::{Domain, TrialId};
use crate::error::{Error, ErrorKind, Result};
use crate::study::beliefs::thinned::Thinned;
use crate::study::events::ask::{Ask, Why};
use crate::study::events::choice::Choice;
use crate::study::events::event::{Asked, Change, Event, Fits, Judgment, KeptAt, awaited};
use crate::study::events::outcome::Outcome;
use crate::study::events::point::{Drawn, Located, check_place};
use crate::study::record::Row;
use crate::study::settings::builder::StudyBuilder;
#[cfg(feature = "journal")]
use crate::study::settings::described::Described;
use crate::study::stages::no_stages;
use crate::study::study::Study;
use crate::study::trials::trials::Trials;
use crate::suggest::{Policy, price_floor};
use crate::surrogate::AlternateModel;
#[cfg(feature = "journal")]
use crate::surrogate::Setup;

impl StudyBuilder {
    /// The study with these settings in which all of this happened, as [`Study::events`] has it. On one
    /// machine it goes on as if it had never been interrupted, to the bit: with the backend
    /// [`Cpu`](crate::Cpu), without a time limit. A rule that compares with the model before needs
    /// one more check. Not there again is what no event tells: how fits ended, and
    /// [notes](Study::note_running) of what trials have cost so far.
    ///
    /// ```
    /// use gittins::{Outcome, Space, Study};
    ///
    /// let settings = || Study::minimize(Space::new().float("x", 0.0, 1.0)).seed(7);
    /// let mut study = settings().build()?;
    /// let ask = study.ask()?;
    /// study.tell(ask.id(), Outcome::new(0.3))?;
    /// let events = study.events().to_vec(); // as data, to any place
    /// let mut again = settings().resume(events)?;
    /// assert_eq!(again.ask()?, study.ask()?);
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`build`](Self::build), and those of the calls that made the events, naming the event
    /// by its number from 0 on.
    pub fn resume(self, events: impl IntoIterator<Item = Event>) -> Result<Study> {
        let mut study = self.build()?;
        let events = events.into_iter().collect::<Vec<_>>();
        // Of the fits the last ones are enough, but of curves, whose place no revision tells.
        events.iter().filter_map(awaited).for_each(|fits| study.log.await_fits(fits));
        for (number, event) in events.iter().enumerate() {
            if awaited(event).is_none() {
                study.apply(event).map_err(|error| error.at(format_args!("event {number}")))?;
            }
        }
        study.log.events = events;
        study.log.awaited = Fits::default();
        Ok(study)
    }
}

impl Event {
    /// What happened in a study when the trial of a row was asked for, as far as models and verdicts
    /// go: what it drew of a design, and what it moves in a policy, is not said.
    ///
    /// # Errors
    /// `InvalidSetting` for one point more than the initial design has.
    #[doc(hidden)]
    pub fn asked_as(study: &Study, row: &Row) -> Result<Self> {
        let size = study.design.size();
        let is_told = |one: &&Trial| one.origin == Origin::Initial && one.state.is_told();
        // Others take the places of points that were withdrawn. More points may therefore be asked
        // for than the design has, but not once all are told.
        if row.origin == Origin::Initial && study.history().iter().filter(is_told).count() >= size {
            let words = format!("one point more than the initial design of this study has, {size}");
            return Err(Error::new(ErrorKind::InvalidSetting, words));
        }
        let drawn = Drawn { unit: row.point.unit.clone(), row: row.point.row };
        let asked = Asked {
            seen: row.seen,
            suggestion: row.suggestion.clone().map(Box::new),
            seconds: row.seconds.search,
            ..study.trials.asked_at(drawn, row.origin, &study.design)
        };
        Ok(Self::Asked { trial: row.trial.into(), asked, policy: None })
    }
}

impl Study {
    /// Applies an event, and keeps it.
    ///
    /// # Errors
    /// Those of `apply`.
    #[doc(hidden)]
    pub fn happens(&mut self, event: Event) -> Result<()> {
        self.apply(&event)?;
        self.log.events.push(event);
        Ok(())
    }

    /// Changes by an event. It is checked before anything changes.
    ///
    /// # Errors
    /// Those of the call that makes such an event; `OutOfBounds` for a trial that was asked for at
    /// a place that the study does not have.
    pub(crate) fn apply(&mut self, event: &Event) -> Result<()> {
        let before = self.trials.trial_log.observations.revision();
        let is_done = match &mut self.stages {
            Some(stages) => stages.apply(&mut self.trials, event)?,
            None => false,
        };
        match event {
            _ if is_done => self.judge.verdict = None,
            Event::Asked { asked, policy, .. } => {
                let setup = self.setup.clone();
                self.enter(asked, &setup.domain, Why::Exploring)?;
                if let Some(policy) = policy {
                    self.trials.ledger.price = policy.price();
                    self.policy.clone_from(policy);
                }
            }
            Event::Announced { values } => {
                let point = Located::new(&self.setup.domain, values)?;
                let (domain, why) = (&self.setup.domain, Why::Exploring);
                let id = self.trials.enter(domain, point.drawn, Origin::Imported, why).id;
                let until = self.stages.as_ref().map(|stages| stages.progress[0]);
                self.trials.trial_log.trials[id.index()].until = until;
            }
            Event::Imported { values, outcome } => {
                let trials = &mut self.trials;
                let id = trials.trial_log.next_id();
                let place = |error: Error| error.at(id);
                let point = Located::new(&self.setup.domain, values).map_err(place)?;
                if let Some(stages) = &mut self.stages {
                    stages.import(trials, &self.setup.domain, point, outcome)?;
                } else {
                    let index = trials.observe(&self.setup, &point.drawn.unit, None, outcome);
                    let index = index.map_err(place)?;
                    trials.add(point.values, point.drawn, Origin::Imported, TrialState::Pending);
                    trials.settle(id, outcome, index);
                }
                self.judge.verdict = None;
            }
            Event::Told { trial, outcome, .. } => self.take_outcome(*trial, outcome)?,
            Event::Paid { trial, cost } => {
                self.trials.tell_cost(&self.setup, *trial, *cost)?;
                self.judge.verdict = None;
            }
            Event::Corrected { trial, outcome } => {
                let (id, trials) = (*trial, &mut self.trials);
                let (trial, index) = trials.trial_log.correctable(id)?;
                let checked = Trials::check_correction(&self.setup, trial, outcome);
                checked.map_err(|error| error.at(id))?;
                trials.trial_log.correct(id, index, outcome)?;
                trials.recount();
                self.judge.verdict = None;
            }
            Event::Withdrawn { trial } => {
                if self.trials.withdraw(*trial)? {
                    self.beliefs.forget_models();
                    self.judge.verdict = None;
                }
                // Its point may be what a search found.
                self.beliefs.memo.clear();
            }
            Event::Chosen { trial, choice } => {
                check_choice(self, *trial, *choice)?;
                self.trials.trial_log.notes[trial.index()].choice = Some(*choice);
            }
            Event::Fitted { fits } => self.log.await_fits(fits),
            Event::Judged { judgment } => {
                let rule = &mut self.log.known.rule;
                judgment.rule.iter().for_each(|change| change.apply(rule));
                self.judge.restore(rule);
                // It stands if nothing was told since.
                if self.trials.trial_log.observations.revision() == judgment.revision {
                    self.trials.trial_log.note_verdict(&judgment.verdict, judgment.seconds);
                    self.judge.verdict = Some(judgment.verdict.clone());
                }
            }
            Event::Changed { policy } => self.take_policy(policy),
            Event::Resumed { .. } | Event::Reported { .. } | Event::Advised { .. } => {
                return Err(no_stages());
            }
            Event::Turned { .. } => return Err(no_stages()),
        }
        if event.is_news() {
            self.beliefs.memo.on_event();
        }
        // In stages a report may be corrected that no model of ends has seen.
        let is_seen = self.trials.trial_log.observations.revision() != before;
        if is_seen && matches!(event, Event::Corrected { .. }) {
            self.beliefs.forget_models();
        }
        self.take_fits()
    }

    /// What happened so far, in order. Of a study in a file it stands in the file, and not here.
    pub fn events(&self) -> &[Event] {
        &self.log.events
    }

    /// Enters a trial that is asked for in a domain.
    ///
    /// # Errors
    /// `OutOfBounds` for a point outside the domain.
    fn enter(&mut self, asked: &Asked, domain: &Domain, why: Why) -> Result<Ask> {
        let drawn = Drawn { unit: asked.unit.clone(), row: asked.row };
        check_place(domain, &drawn)?;
        let ask = self.trials.enter(domain, drawn, asked.origin, why);
        self.trials.trial_log.trials[ask.id.index()].until = asked.until;
        self.design.set_drawn(asked.drawn);
        self.trials.indices.extend(asked.index.map(|index| (ask.id, index)));
        if let Some(suggestion) = &asked.suggestion {
            self.beliefs.recall(&suggestion.runners_up)?;
        }
        let note = &mut self.trials.trial_log.notes[ask.id.index()];
        note.seen = asked.seen;
        note.suggestion.clone_from(&asked.suggestion);
        note.seconds.search = asked.seconds;
        Ok(ask)
    }

    /// Enters a trial that is asked for in a domain, and keeps that. The policy was another one
    /// before, or the same.
    ///
    /// # Errors
    /// `OutOfBounds` for a point outside the domain.
    pub(in crate::study) fn keep_asked(
        &mut self,
        asked: Asked,
        domain: &Domain,
        why: Why,
        before: &Policy,
    ) -> Result<Ask> {
        let ask = self.enter(&asked, domain, why)?;
        self.note_fits();
        let policy = (self.policy != *before).then(|| self.policy.clone());
        self.log.events.push(Event::Asked { trial: ask.id, asked, policy });
        Ok(ask)
    }

    /// Another policy counts from here on: any can be changed to.
    pub(crate) fn take_policy(&mut self, policy: &Policy) {
        self.trials.ledger.price = policy.price();
        self.policy.clone_from(policy);
        self.judge.verdict = None;
    }

    fn take_outcome(&mut self, id: TrialId, outcome: &Outcome) -> Result<()> {
        let trials = &mut self.trials;
        let trial = trials.trial_log.untold(id)?;
        let (unit, origin, state) = (trial.unit.clone(), trial.origin, trial.state);
        let index = trials.observe(&self.setup, &unit, trials.paid(id), outcome);
        let index = index.map_err(|error| error.at(id))?;
        self.judge.verdict = None;
        trials.running.remove(&id);
        trials.ledger.counts.pending -= usize::from(state == TrialState::Pending);
        trials.settle(id, outcome, index);
        trials.count_told(origin);
        // A trial that is taken back and told anew moves no price a second time.
        if let Some((index, best)) = trials.indices.remove(&id).zip(trials.best_turned()) {
            self.policy.told(index, best, price_floor(&trials.trial_log.observations));
        }
        Ok(())
    }

    /// Takes those of the awaited fits that were made with the present observations.
    ///
    /// # Errors
    /// `InvalidSetting` for a fit of another study.
    fn take_fits(&mut self) -> Result<()> {
        if self.log.awaited.is_empty() {
            return Ok(());
        }
        if let Some(stages) = &mut self.stages {
            stages.take_fit(&mut self.log.awaited.curves)?;
        }
        let (beliefs, observations) = (&mut self.beliefs, &self.trials.trial_log.observations);
        let thinned = || Thinned::of(&self.setup, observations);
        let modeled = || Thinned::or_all(thinned().as_ref(), observations).clone();
        let now = |kept: &&KeptAt| kept.revision == observations.revision();
        let Fits { first, second, .. } = &self.log.awaited;
        if let Some(kept) = first.as_ref().filter(now) {
            beliefs.first.recall(kept.fit.clone(), modeled());
        }
        if let Some((second, kept)) = beliefs.second.as_mut().zip(second.as_ref().filter(now)) {
            second.belief_mut().recall(kept.fit.clone(), modeled());
        }
        self.log.awaited.without(observations.revision());
        Ok(())
    }

    /// Notes the fits that were made since the last event.
    pub(in crate::study) fn note_fits(&mut self) {
        let second = self.beliefs.second.as_ref().map(AlternateModel::belief);
        self.log.note_fits(Fits::of(&self.beliefs.first, second));
    }

    /// Notes the verdict that was given now, and the fits that were made for it.
    pub(in crate::study) fn note_judgment(&mut self) {
        self.note_fits();
        let Some(verdict) = self.judge.verdict.clone() else { return };
        let (trial_log, state) = (&mut self.trials.trial_log, self.judge.state());
        let rule = Change::between(&self.log.known.rule, &state);
        let (revision, seconds) =
            (trial_log.observations.revision(), trial_log.seconds_of_verdict());
        self.log.known.rule = state;
        let judgment = Judgment { verdict, revision, seconds, rule };
        self.log.events.push(Event::Judged { judgment });
    }

    /// Begins again with the same settings and this policy.
    #[cfg(feature = "journal")]
    pub(crate) fn restart(&mut self, settings: &Described) -> Result<()> {
        let setup = Setup::clone(&self.setup);
        let policy = settings.policy.clone();
        let mut fresh = Self::start(setup, policy, None, self.design.anew(), &settings.options)?;
        fresh.judge.rule = self.judge.rule.take();
        fresh.judge.restore(&[]);
        *self = fresh;
        Ok(())
    }
}

/// Checks how a trial was chosen that this study did not ask for.
fn check_choice(study: &Study, id: TrialId, choice: Choice) -> Result<()> {
    let refused = |kind, message| Err(Error::new(kind, format!("{id}: {message}")));
    if study.trials.trial_log.trial(id)?.origin != Origin::Imported {
        let message = "this study asked for it, and knows how it was chosen";
        return refused(ErrorKind::InvalidSetting, message.to_owned());
    }
    let Choice::Suggested { mean, sd, .. } = choice else { return Ok(()) };
    let found = || format!("expected a finite mean and deviation, got {mean} and {sd}");
    if !mean.is_finite() || !sd.is_finite() {
        return refused(ErrorKind::NonFinite, found());
    }
    if sd < 0.0 { refused(ErrorKind::InvalidSetting, found()) } else { Ok(()) }
}
