//! What a trial cost, and when it is told.

use crate::data::observation::check_cost;
use crate::data::{Cost, State};
use crate::error::{Error, ErrorKind, Result};
use crate::math::saturating::sum;
use crate::study::note::Place;
use crate::study::outcome::Outcome;
use crate::study::payments::Payments;
use crate::study::study::Study;
use crate::study::trial::{Origin, Trial, TrialId};

impl Study {
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
        let id = id.into();
        let known = self.books.trial(id)?.cost;
        let place = self.books.place(id);
        let told = match place {
            Place::Nowhere => false,
            Place::Paid(_) => true,
            Place::Told(index) => {
                self.books.observations.get(index).is_some_and(|observation| observation.cost_told)
            }
        };
        if let (Some(first), true) = (known, told) {
            return Err(told_before(first).at(id));
        }
        check_cost(cost, self.setup.cost_floor).map_err(|error| error.at(id))?;
        if let Place::Told(index) = place {
            self.books.observations.tell_cost(index, cost)?;
        } else {
            let unit = &self.books.trials[id.index()].unit;
            let ticket = self.books.observations.push_cost(unit, cost)?;
            self.books.notes[id.index()].place = Place::Paid(ticket);
        }
        self.pay(id, cost);
        self.books.note_paid(id, known);
        if known.is_some() {
            self.recount();
        }
        self.verdict = None;
        Ok(())
    }

    /// Ticket and sum of a cost that came before the outcome.
    pub(super) fn paid(&self, id: TrialId) -> Option<(usize, f64)> {
        match self.books.place(id) {
            Place::Paid(ticket) => self.books.trials[id.index()].cost.map(|cost| (ticket, cost)),
            Place::Nowhere | Place::Told(_) => None,
        }
    }

    /// Checks what is told and adds it to the observations; returns its index there. `paid` is the
    /// ticket and the sum of a cost that came first.
    pub(super) fn observe(
        &mut self,
        unit: &[f64],
        paid: Option<(usize, f64)>,
        outcome: &Outcome,
    ) -> Result<usize> {
        outcome.validate(self.setup.cost_floor)?;
        let observations = &mut self.books.observations;
        let Outcome { state, value, cost, cost_later } = *outcome;
        if let Some((ticket, first)) = paid {
            return if cost.is_some() {
                Err(told_before(first))
            } else {
                observations.push_paid(ticket, state, value)
            };
        }
        let known = match &self.setup.cost {
            _ if cost.is_some() => None,
            Cost::Learned if cost_later || state != State::Complete => None,
            Cost::Learned => return Err(cost_is_missing()),
            Cost::Uniform(_) | Cost::Known(_) if cost_later => return Err(announced_but_known()),
            Cost::Uniform(cost) => Some(*cost),
            Cost::Known(known) => {
                Some(known.on(&self.setup.domain).floored(self.setup.cost_floor).paid(unit)?)
            }
        };
        match known {
            Some(known) => observations.push_with_known_cost(unit, state, value, known),
            None => observations.push(unit, state, value, cost),
        }
    }

    /// Enters a cost into the trial and the books.
    pub(super) fn pay(&mut self, id: TrialId, cost: f64) {
        let trial = &mut self.books.trials[id.index()];
        trial.cost = Some(cost);
        self.ledger.total_cost = sum(self.ledger.total_cost, cost);
        if trial.origin == Origin::Suggested {
            self.ledger.spent = sum(self.ledger.spent, cost);
        }
    }

    /// Adds up the money anew, payment by payment in the order in which they were told: taking out
    /// a number that was replaced would leave its rounding behind.
    pub(super) fn recount(&mut self) {
        let places = self.books.notes.iter().enumerate().flat_map(|(trial, note)| {
            let (told, paid) = (
                note.told.map(|place| (place, trial, false)),
                note.paid.map(|place| (place, trial, true)),
            );
            told.into_iter().chain(paid)
        });
        let mut places: Vec<(usize, usize, bool)> = places.collect();
        places.sort_unstable();
        let mut payments = Payments::default();
        for (place, trial, cost_alone) in places {
            let (note, Trial { cost, origin, .. }) =
                (&mut self.books.notes[trial], &self.books.trials[trial]);
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
        (self.ledger.total_cost, self.ledger.spent) = (payments.total, payments.spent);
    }
}

pub(super) fn cost_is_missing() -> Error {
    let message = "expected the cost of a complete trial, since costs are learned, got none: give it by `cost`, or say by `cost_later` that `tell_cost` will";
    Error::new(ErrorKind::MissingCost, message)
}

pub(super) fn announced_but_known() -> Error {
    let message = "a cost comes later only where costs are learned; here it is known, and `tell_cost` replaces it in the books";
    Error::new(ErrorKind::InvalidSetting, message)
}

fn told_before(first: f64) -> Error {
    Error::new(
        ErrorKind::DuplicateTrial,
        format!("its cost was told before as {first}; that stands"),
    )
}
