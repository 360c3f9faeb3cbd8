//! What came of the trials of a study of control sets: told, imported, withdrawn, corrected.

use crate::error::{Error, ErrorKind, Result};
use crate::study::{Outcome, TrialId, TrialState};
use crate::subsets::select::Exploration;
use crate::subsets::sets::ControlSet;
use crate::subsets::study::SubsetStudy;
use crate::subsets::trial::SubsetTrial;

impl SubsetStudy {
    /// Takes what came of a trial that was asked for: the full point that happened, in the order of
    /// the space, and the outcome, with its cost if it differs from the price of the set. A failed
    /// trial has its point, too. A trial that was [withdrawn](Self::withdraw) is paid for again.
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` for a trial told before, whose first outcome stands unless
    /// [`correct`](Self::correct) replaces it; `Dimension`, `NonFinite` or `OutOfBounds` for the
    /// point, naming the variable; `Contradiction`, naming it, for a controlled variable with
    /// another value than was asked for; `NonFinite` or `NonPositiveCost` for outcome and cost.
    pub fn tell(&mut self, id: impl Into<TrialId>, values: &[f64], outcome: Outcome) -> Result<()> {
        let id = id.into();
        let trial = self.books.untold(id)?;
        let unit = self.space.to_unit(values).map_err(|error| error.at(id))?;
        let set = trial.set.map(|set| &self.sets.sets()[set]);
        if let Some(set) = set {
            self.agrees(set, trial, &unit, values).map_err(|error| error.at(id))?;
        }
        let (price, before) = (set.map(|set| set.cost), trial.state);
        let index = self.observe(&unit, &outcome, price).map_err(|error| error.at(id))?;
        if let Some(price) = price {
            if before == TrialState::Pending {
                self.purse.take_back(price);
            } else if let Some((exploration, cost)) = self.explored(id) {
                exploration.use_up(cost);
            }
            self.purse.pay(outcome.cost.unwrap_or(price));
        }
        let trial = &mut self.books.trials[id.index()];
        (trial.values, trial.cost) = (Some(values.to_vec()), outcome.cost.or(price));
        self.books.enter(id, &outcome, index);
        self.next = None;
        Ok(())
    }

    /// Checks that the controlled variables have the values that were asked for.
    fn agrees(
        &self,
        set: &ControlSet,
        trial: &SubsetTrial,
        unit: &[f64],
        values: &[f64],
    ) -> Result<()> {
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

    /// Checks what is told and adds it to the observations; returns its index there.
    fn observe(&mut self, unit: &[f64], outcome: &Outcome, price: Option<f64>) -> Result<usize> {
        outcome.validate(None)?;
        // The model is of outcomes alone: a cost that is not known does not matter to it.
        let cost = outcome.cost.or(price).unwrap_or(1.0);
        let observations = &mut self.books.observations;
        observations.push_with_known_cost(unit, outcome.state, outcome.value, cost)
    }

    /// Takes an observation at a full point that was never asked for, and returns the identifier of
    /// its trial. It is not paid for from the budget. A complete one counts toward the initial
    /// design.
    ///
    /// # Errors
    /// `Dimension`, `NonFinite` or `OutOfBounds` for the point, naming the variable, and those of
    /// [`tell`](Self::tell) for the outcome.
    pub fn import(&mut self, values: &[f64], outcome: Outcome) -> Result<TrialId> {
        let id = self.books.next_id();
        let unit = self.space.to_unit(values).map_err(|error| error.at(id))?;
        let index = self.observe(&unit, &outcome, None).map_err(|error| error.at(id))?;
        let imported = SubsetTrial::imported(id, TrialState::Pending);
        let (values, cost) = (Some(values.to_vec()), outcome.cost);
        self.books.add(SubsetTrial { values, cost, ..imported });
        self.books.enter(id, &outcome, index);
        self.next = None;
        Ok(id)
    }

    /// Gives a trial up, or takes back what was told of it by mistake: point, outcome and payment.
    /// It is then neither under way nor told, and what it cost or was to cost is in the purse
    /// again. If it belonged to the initial design or to the exploration of cheap sets, another
    /// trial takes its place there. A result that comes all the same is taken by
    /// [`tell`](Self::tell), and paid for. If a trial happened at another point than was told,
    /// withdraw it and tell it anew.
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` for a trial that is withdrawn already, naming it. The study
    /// stays as it was.
    pub fn withdraw(&mut self, id: impl Into<TrialId>) -> Result<()> {
        let id = id.into();
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
        self.books.trials[id.index()].values = None;
        self.books.set_state(id, TrialState::Withdrawn);
        self.next = None;
        Ok(())
    }

    /// Replaces what was told of a trial, asked for or imported: how it ended, its outcome, and its
    /// cost if the new outcome has one, in which case the purse pays the difference. The point that
    /// happened stands. From then on it is as if the trial had been told so in its place: the model
    /// is fitted anew. Verdicts and models that were found with the old numbers leave the
    /// [record](Self::record).
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a trial that is under way or withdrawn, since nothing
    /// stands to be corrected; those of [`tell`](Self::tell) for numbers. All name the
    /// trial, and the study stays as it was.
    pub fn correct(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        let (trial, index) = self.books.correctable(id)?;
        let paid = trial.cost.filter(|_| trial.set.is_some());
        outcome.validate(None).map_err(|error| error.at(id))?;
        self.books.correct(id, index, &outcome)?;
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
        (self.looked, self.next) = (None, None);
    }

    /// The exploration that counted a trial, and the cost of its group.
    fn explored(&mut self, id: TrialId) -> Option<(&mut Exploration, f64)> {
        let (_, cost) = *self.explored.iter().find(|(trial, _)| *trial == id)?;
        Some((self.exploration.as_mut()?, cost))
    }
}
