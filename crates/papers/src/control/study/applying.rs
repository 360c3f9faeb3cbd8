//! How a study of control sets changes: by one event after another.

use gittins::study::{Origin, TrialState};
use gittins::{Error, ErrorKind, Outcome, Points, Result, TrialId};

use crate::control::decision::Decision;
use crate::control::select::Exploration;
use crate::control::sets::ControlSet;
use crate::control::study::ask::{SubsetAsk, SubsetWhy};
use crate::control::study::builder::SubsetStudyBuilder;
use crate::control::study::chosen::Chosen;
use crate::control::study::event::{SubsetAsked, SubsetEvent, SubsetFit};
use crate::control::study::study::SubsetStudy;
use crate::control::study::trial::SubsetTrial;

impl SubsetStudyBuilder {
    /// The study with these settings in which all of this happened, as [`SubsetStudy::events`] has
    /// it. On one machine it goes on as if it had never been interrupted, to the bit, with the
    /// backend [`Cpu`](gittins::Cpu).
    ///
    /// ```
    /// use gittins::{Outcome, Space};
    /// use gittins_papers::control::{ControlSets, Law, SubsetStudy};
    ///
    /// let settings = || {
    ///     let space = Space::new().float("lime", 0.0, 4.0).float("rain", 200.0, 900.0);
    ///     let sets = ControlSets::new().set("field", ["lime"], 1.0).law("rain", Law::Uniform);
    ///     SubsetStudy::maximize(space, sets).seed(7)
    /// };
    /// let mut study = settings().build()?;
    /// let ask = study.ask()?;
    /// study.tell(ask.id(), &[ask.get("lime")?, 640.0], Outcome::new(0.3))?;
    /// let events = study.events().to_vec(); // as data, to any place
    /// let mut again = settings().resume(events)?;
    /// assert_eq!(again.ask()?, study.ask()?);
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`build`](Self::build), and those of the calls that made the events, naming the
    /// event by its number from 0 on.
    pub fn resume(self, events: impl IntoIterator<Item = SubsetEvent>) -> Result<SubsetStudy> {
        let mut study = self.build()?;
        let events: Vec<_> = events.into_iter().collect();
        // Of the fits the last one is enough: it is taken once the study has come so far.
        let last = events.iter().rev().find_map(|event| match event {
            SubsetEvent::Fitted { fit } => Some(SubsetFit::clone(fit)),
            _ => None,
        });
        study.said = last.clone();
        study.awaited = last;
        for (number, event) in events.iter().enumerate() {
            study.apply(event).map_err(|error| error.at(format_args!("event {number}")))?;
        }
        study.events = events;
        study.awaited = None;
        Ok(study)
    }
}

impl SubsetStudy {
    /// What happened so far, in order.
    pub fn events(&self) -> &[SubsetEvent] {
        &self.events
    }

    /// Applies an event, and keeps it.
    pub(in crate::control) fn happens(&mut self, event: SubsetEvent) -> Result<()> {
        self.apply(&event)?;
        self.events.push(event);
        Ok(())
    }

    /// Changes by an event. It is checked before anything changes.
    fn apply(&mut self, event: &SubsetEvent) -> Result<()> {
        match event {
            SubsetEvent::Asked { asked, .. } => drop(self.enter(asked)?),
            SubsetEvent::Imported { values, outcome } => {
                let id = self.books.next_id();
                self.observe(values, outcome, None).map_err(|error| error.at(id))?;
                self.books.trials.push(SubsetTrial::imported(id, TrialState::Pending));
                self.settle(id, values, outcome.cost, outcome);
            }
            SubsetEvent::Told { trial, values, outcome } => self.take(*trial, values, outcome)?,
            SubsetEvent::Corrected { trial, outcome } => self.replace(*trial, outcome)?,
            SubsetEvent::Withdrawn { trial } => self.take_back(*trial)?,
            SubsetEvent::Fitted { .. } => {}
            SubsetEvent::Judged { revision, next } => {
                // It stands if nothing was told since.
                if self.books.observations.revision() == *revision {
                    self.check(next)?;
                    self.recall(next)?;
                    self.next = Some(SubsetAsked::clone(next));
                }
            }
        }
        self.take_fit();
        Ok(())
    }

    /// Enters a trial that is asked for.
    ///
    /// # Errors
    /// `OutOfBounds` for a set that there is not, and a query that is none of its; `Dimension` for
    /// ends of searches that are not those of the sets.
    pub(in crate::control) fn enter(&mut self, asked: &SubsetAsked) -> Result<SubsetAsk> {
        self.check(asked)?;
        self.recall(asked)?;
        let why = self.why(asked);
        let id = self.books.next_id();
        let suggestion = asked.suggestion.as_ref();
        if let Some((cost, _)) = suggestion.and_then(|chosen| chosen.exploring)
            && let Some(exploration) = &mut self.exploration
        {
            self.explored.push((id, cost));
            exploration.use_up(cost);
        }
        let (set, query, origin) = (asked.set, asked.query.clone(), asked.origin);
        let played = &self.sets.sets()[set];
        let mut unit = vec![0.5; self.space.dim()];
        played.place(&query, &mut unit);
        let values = played.part(&self.space.numbers_at(&unit));
        let ControlSet { name, controlled, cost, .. } = played;
        self.purse.pay(*cost);
        let ask = SubsetAsk {
            id,
            set,
            name: name.as_str().into(),
            cost: *cost,
            names: self.names.clone(),
            controlled: controlled.clone(),
            values: values.clone(),
            why,
        };
        self.books.trials.push(SubsetTrial::played(id, set, values, query, origin));
        self.next = None;
        Ok(ask)
    }

    /// Checks that a query is one of its set.
    fn check(&self, asked: &SubsetAsked) -> Result<()> {
        let SubsetAsked { set, query, .. } = asked;
        let known = self.sets.sets().get(*set);
        let inside = query.iter().all(|u| (0.0..=1.0).contains(u));
        if inside && known.is_some_and(|set| set.controlled.len() == query.len()) {
            return Ok(());
        }
        let sets = self.sets.sets().len();
        let message = format!(
            "expected one of {sets} control sets with a value of the unit cube for each variable, got set {set} at {query:?}"
        );
        Err(Error::new(ErrorKind::OutOfBounds, message))
    }

    /// Takes up the ends of the searches for a decision.
    ///
    /// # Errors
    /// `Dimension` for values and ends that are not those of the sets.
    fn recall(&mut self, asked: &SubsetAsked) -> Result<()> {
        let Some(Chosen { values, ends, .. }) = asked.suggestion.as_deref() else { return Ok(()) };
        let width =
            |(ends, hints): (&Vec<f64>, &Points)| ends.is_empty() || ends.len() == hints.dim();
        let fits = ends.len() == self.hints.len() && ends.iter().zip(&self.hints).all(width);
        if values.len() != self.hints.len() || !(fits || ends.is_empty()) {
            let message = format!(
                "its scores {values:?} and the ends of its searches {ends:?} are not of the sets"
            );
            return Err(Error::new(ErrorKind::Dimension, message));
        }
        for (end, hints) in ends.iter().zip(&mut self.hints) {
            *hints = Points::from_rows(hints.dim(), end.clone())?;
        }
        Ok(())
    }

    /// Why the coming trial is asked for.
    fn why(&self, asked: &SubsetAsked) -> SubsetWhy {
        match (asked.origin, asked.suggestion.as_deref()) {
            (Origin::Suggested, Some(Chosen { values, exploring, .. })) => {
                SubsetWhy::Chosen(Box::new(Decision {
                    set: asked.set,
                    query: asked.query.clone(),
                    values: values.clone(),
                    exploring: *exploring,
                    score: self.policy.score,
                }))
            }
            (Origin::Initial, _) => {
                let number = self.books.next_of_design(self.initial).unwrap_or(self.initial);
                SubsetWhy::Initial { number, of: self.initial }
            }
            _ => SubsetWhy::Exploring,
        }
    }

    fn take(&mut self, id: TrialId, values: &[f64], outcome: &Outcome) -> Result<()> {
        let trial = self.books.untold(id)?;
        let set = trial.set.map(|set| &self.sets.sets()[set]);
        if let Some(set) = set {
            self.agrees(set, trial, values).map_err(|error| error.at(id))?;
        }
        let price = set.map(|set| set.cost);
        let before = trial.state;
        self.observe(values, outcome, price).map_err(|error| error.at(id))?;
        if let Some(price) = price {
            if before == TrialState::Pending {
                self.purse.take_back(price);
            } else if let Some((exploration, cost)) = self.explored(id) {
                exploration.use_up(cost);
            }
            self.purse.pay(outcome.cost.unwrap_or(price));
        }
        self.settle(id, values, outcome.cost.or(price), outcome);
        Ok(())
    }

    /// Checks that the controlled variables have the values that were asked for.
    fn agrees(&self, set: &ControlSet, trial: &SubsetTrial, values: &[f64]) -> Result<()> {
        let unit = self.space.to_unit(values)?;
        for ((&k, asked), chosen) in set.controlled.iter().zip(&trial.query).zip(&trial.chosen) {
            // What was asked for is accepted even if the way to the unit cube rounds by more, as in
            // a narrow range far from zero.
            if values[k] != *chosen && (unit[k] - asked).abs() > self.tolerance {
                let message = format!(
                    "{:?} was to be {chosen} under control set {:?}, and is told to have been {}",
                    self.names[k], set.name, values[k]
                );
                return Err(Error::new(ErrorKind::Contradiction, message));
            }
        }
        Ok(())
    }

    /// Checks what is told and adds it to the observations.
    fn observe(&mut self, values: &[f64], outcome: &Outcome, price: Option<f64>) -> Result<()> {
        let unit = self.space.to_unit(values)?;
        validate(outcome)?;
        // The model is of outcomes alone: a cost that is not known does not matter to it.
        let cost = outcome.cost.or(price).unwrap_or(1.0);
        let observations = &mut self.books.observations;
        observations.push_with_known_cost(&unit, outcome.state, outcome.value, cost).map(drop)
    }

    /// Enters what was observed into the trial and the books.
    fn settle(&mut self, id: TrialId, values: &[f64], cost: Option<f64>, outcome: &Outcome) {
        let trial = &mut self.books.trials[id.index()];
        trial.values = Some(values.to_vec());
        trial.cost = cost;
        self.books.enter(id, outcome);
        self.next = None;
    }

    fn take_back(&mut self, id: TrialId) -> Result<()> {
        let trial = self.books.standing(id)?;
        let price = trial.set.map(|set| trial.cost.unwrap_or(self.sets.sets()[set].cost));
        if let Some(index) = self.books.told_at(id) {
            self.books.remove(id, index)?;
            self.forget();
        }
        if let Some(price) = price {
            self.purse.take_back(price);
            if let Some((exploration, cost)) = self.explored(id) {
                exploration.give_back(cost);
            }
        }
        let trial = &mut self.books.trials[id.index()];
        trial.values = None;
        trial.state = TrialState::Withdrawn;
        self.next = None;
        Ok(())
    }

    fn replace(&mut self, id: TrialId, outcome: &Outcome) -> Result<()> {
        let (trial, index) = self.books.correctable(id)?;
        let paid = trial.cost.filter(|_| trial.set.is_some());
        validate(outcome).map_err(|error| error.at(id))?;
        self.books.correct(id, index, outcome)?;
        if let (Some(paid), Some(cost)) = (paid, outcome.cost) {
            self.purse.take_back(paid);
            self.purse.pay(cost);
        }
        self.forget();
        Ok(())
    }

    /// Forgets what was found with something wrong. A fit that starts from the one before may end
    /// elsewhere than without it.
    fn forget(&mut self) {
        self.belief.forget();
        self.looked = None;
        self.next = None;
    }

    /// The exploration that counted a trial, and the cost of its group.
    fn explored(&mut self, id: TrialId) -> Option<(&mut Exploration, f64)> {
        let (_, cost) = *self.explored.iter().find(|(trial, _)| *trial == id)?;
        Some((self.exploration.as_mut()?, cost))
    }

    /// Takes the awaited fit if it was made with the present observations.
    fn take_fit(&mut self) {
        let observations = &self.books.observations;
        let revision = observations.revision();
        if let Some(fit) = self.awaited.take_if(|fit| fit.revision == revision) {
            self.belief.recall(fit.fit, observations.clone());
        }
    }
}

/// Checks the numbers of what is told.
fn validate(outcome: &Outcome) -> Result<()> {
    outcome.validate(None)?;
    let Some((name, _)) = outcome.measured.iter().next() else { return Ok(()) };
    let message = format!("a study of control sets has no limits: \"{name}\" is not to be told");
    Err(Error::new(ErrorKind::InvalidSetting, message))
}
