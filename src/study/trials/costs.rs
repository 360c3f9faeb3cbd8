//! What trials cost, and when it is told.

use crate::data::trial::observation::check_cost;
use crate::data::trial::trial::{Origin, Trial, TrialState};
use crate::data::{Cost, Observations, State, TrialId};
use crate::error::{Error, ErrorKind, Result};
use crate::math::saturating::sum;
use crate::study::events::note::Place;
use crate::study::events::outcome::Outcome;
use crate::study::trials::payments::Payments;
use crate::study::trials::trials::Trials;
use crate::surrogate::Setup;

impl Trials {
    /// Takes what a trial cost, apart from its outcome.
    ///
    /// # Errors
    /// Those of [`Study::tell_cost`](crate::Study::tell_cost).
    pub fn tell_cost(&mut self, setup: &Setup, id: TrialId, cost: f64) -> Result<()> {
        let known = self.trial_log.trial(id)?.cost;
        let place = self.trial_log.place(id);
        let told = match place {
            Place::Nowhere => false,
            Place::Paid(_) => true,
            Place::Told(index) => self
                .trial_log
                .observations
                .get(index)
                .is_some_and(|observation| observation.cost_told),
        };
        if let (Some(first), true) = (known, told) {
            return Err(told_before(first).at(id));
        }
        check_cost(cost, setup.cost_floor).map_err(|error| error.at(id))?;
        if let Place::Told(index) = place {
            self.trial_log.observations.tell_cost(index, cost)?;
        } else {
            let unit = &self.trial_log.trials[id.index()].unit;
            let ticket = self.trial_log.observations.push_cost(unit, cost)?;
            self.trial_log.notes[id.index()].place = Place::Paid(ticket);
        }
        self.pay(id, cost);
        self.trial_log.note_paid(id, known);
        if known.is_some() {
            self.recount();
        }
        Ok(())
    }

    /// Ticket and sum of a cost that came before the outcome.
    pub fn paid(&self, id: TrialId) -> Option<(usize, f64)> {
        match self.trial_log.place(id) {
            Place::Paid(ticket) => {
                self.trial_log.trials[id.index()].cost.map(|cost| (ticket, cost))
            }
            Place::Nowhere | Place::Told(_) => None,
        }
    }

    /// Checks what is told and adds it to the observations; returns its index there. `paid` is the
    /// ticket and the sum of a cost that came first.
    pub fn observe(
        &mut self,
        setup: &Setup,
        unit: &[f64],
        paid: Option<(usize, f64)>,
        outcome: &Outcome,
    ) -> Result<usize> {
        outcome.validate(setup.cost_floor)?;
        let observations = &mut self.trial_log.observations;
        let measured = observations.measures().aligned(&outcome.measured);
        let index = Self::pushed(observations, setup, unit, paid, outcome)?;
        observations.note_measured(index, measured);
        Ok(index)
    }

    /// Adds what is told to the observations, without what was measured.
    fn pushed(
        observations: &mut Observations,
        setup: &Setup,
        unit: &[f64],
        paid: Option<(usize, f64)>,
        outcome: &Outcome,
    ) -> Result<usize> {
        let &Outcome { state, value, cost, cost_later, .. } = outcome;
        if let Some((ticket, first)) = paid {
            return if cost.is_some() {
                Err(told_before(first))
            } else {
                observations.push_paid(ticket, state, value)
            };
        }
        let known = match &setup.cost {
            _ if cost.is_some() => None,
            Cost::Learned if cost_later || state != State::Complete => None,
            Cost::Learned => return Err(cost_is_missing()),
            Cost::Uniform(_) | Cost::Known(_) if cost_later => return Err(announced_but_known()),
            Cost::Uniform(cost) => Some(*cost),
            Cost::Known(known) => {
                Some(known.on(&setup.domain).floored(setup.cost_floor).paid(unit)?)
            }
        };
        match known {
            Some(known) => observations.push_with_known_cost(unit, state, value, known),
            None => observations.push(unit, state, value, cost),
        }
    }

    /// Enters a cost into the trial and the books.
    pub fn pay(&mut self, id: TrialId, cost: f64) {
        let trial = &mut self.trial_log.trials[id.index()];
        trial.cost = Some(cost);
        self.ledger.total_cost = sum(self.ledger.total_cost, cost);
        if trial.origin == Origin::Suggested {
            self.ledger.spent = sum(self.ledger.spent, cost);
        }
    }

    /// Enters what a stage of a trial cost.
    pub fn pay_stage(&mut self, id: TrialId, cost: f64) {
        let whole = sum(self.trial_log.trials[id.index()].cost.unwrap_or(0.0), cost);
        self.pay(id, cost);
        self.trial_log.trials[id.index()].cost = Some(whole);
    }

    /// Adds up the money anew, payment by payment in the order in which they were told: taking out
    /// a number that was replaced would leave its rounding behind.
    pub fn recount(&mut self) {
        let places = self.trial_log.notes.iter().enumerate().flat_map(|(trial, note)| {
            let told = note.told.map(|place| (place, trial, false));
            let paid = note.paid.map(|place| (place, trial, true));
            told.into_iter().chain(paid)
        });
        let mut places: Vec<(usize, usize, bool)> = places.collect();
        places.sort_unstable();
        let mut payments = Payments::default();
        for (place, trial, cost_alone) in places {
            let (note, Trial { cost, origin, .. }) =
                (&mut self.trial_log.notes[trial], &self.trial_log.trials[trial]);
            let cost = match note.paid {
                Some(_) if cost_alone => {
                    note.known.inspect(|_| payments.take_back(trial));
                    *cost
                }
                Some(paid) if paid > place => note.known,
                Some(_) => None,
                None => *cost,
            };
            if let Some(cost) = cost {
                payments.pay(trial, cost, *origin);
            }
            if !cost_alone {
                note.spent = Some(payments.spent);
            }
        }
        self.ledger.total_cost = payments.total;
        self.ledger.spent = payments.spent;
    }

    /// Checks what replaces the outcome of a trial.
    ///
    /// # Errors
    /// Those of [`Study::correct`](crate::Study::correct).
    pub fn check_correction(setup: &Setup, trial: &Trial, outcome: &Outcome) -> Result<()> {
        outcome.validate(setup.cost_floor)?;
        if outcome.cost.is_some() {
            return Ok(());
        }
        let learned = matches!(setup.cost, Cost::Learned);
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
}

fn cost_is_missing() -> Error {
    let message = "expected the cost of a complete trial, since costs are learned, got none: give it by `cost`, or say by `cost_later` that `tell_cost` will";
    Error::new(ErrorKind::MissingCost, message)
}

fn announced_but_known() -> Error {
    let message = "a cost comes later only where costs are learned; here it is known, and `tell_cost` replaces it in the books";
    Error::new(ErrorKind::InvalidSetting, message)
}

fn told_before(first: f64) -> Error {
    Error::new(
        ErrorKind::DuplicateTrial,
        format!("its cost was told before as {first}; that stands"),
    )
}
