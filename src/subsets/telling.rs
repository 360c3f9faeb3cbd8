//! What came of the trials of a study of control sets: told, imported, withdrawn, corrected.

use crate::error::{Error, ErrorKind, Result};
use crate::study::{Origin, Outcome, TrialId, TrialState};
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
    /// `UnknownTrial`; `DuplicateTrial` for one told before, whose first outcome stands unless
    /// [`correct`](Self::correct) replaces it; `Dimension`, `NonFinite` or `OutOfBounds` for the
    /// point, naming the variable; `Contradiction`, naming it, where a controlled variable has
    /// another value than was asked for; `NonFinite` or `NonPositiveCost` for outcome and cost.
    pub fn tell(&mut self, id: impl Into<TrialId>, values: &[f64], outcome: Outcome) -> Result<()> {
        let id = id.into();
        let trial = self.trial(id)?;
        if trial.is_told() {
            let message = format!(
                "{id}: told before as {:?}, outcome {:?}; that stands unless it is corrected",
                trial.state, trial.outcome
            );
            return Err(Error::new(ErrorKind::DuplicateTrial, message));
        }
        let unit = self.space.to_unit(values).map_err(|error| error.at(id))?;
        let set = trial.set.map(|set| &self.sets.sets()[set]);
        if let Some(set) = set {
            self.agrees(set, trial, &unit, values).map_err(|error| error.at(id))?;
        }
        let (price, before) = (set.map(|set| set.cost), trial.state);
        self.observe(id, &unit, &outcome, price).map_err(|error| error.at(id))?;
        if let Some(price) = price {
            if before == TrialState::Pending {
                self.purse.take_back(price);
            } else if let Some((exploration, cost)) = self.explored(id) {
                exploration.use_up(cost);
            }
            self.purse.pay(outcome.cost.unwrap_or(price));
        }
        let trial = &mut self.trials[id.index()];
        trial.values = Some(values.to_vec());
        (trial.state, trial.outcome, trial.cost) =
            (outcome.state.into(), outcome.value, outcome.cost.or(price));
        Ok(())
    }

    /// Whether the controlled variables have the values that were asked for.
    fn agrees(
        &self,
        set: &ControlSet,
        trial: &SubsetTrial,
        unit: &[f64],
        values: &[f64],
    ) -> Result<()> {
        for ((&k, asked), chosen) in set.controlled.iter().zip(&trial.query).zip(&trial.chosen) {
            // What was asked for is accepted also where the way to the unit cube rounds by more, as
            // in a narrow range far from zero.
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

    fn observe(
        &mut self,
        id: TrialId,
        unit: &[f64],
        outcome: &Outcome,
        price: Option<f64>,
    ) -> Result<()> {
        outcome.validate(None)?;
        // The model is of outcomes alone; what is not known of the cost does not matter to it.
        self.observations.push_with_known_cost(
            unit,
            outcome.state,
            outcome.value,
            outcome.cost.or(price).unwrap_or(1.0),
        )?;
        self.told.push(id);
        self.next = None;
        Ok(())
    }

    /// Takes an observation at a full point that was never asked for. It is not paid for from the
    /// budget. A complete one counts toward the initial design.
    ///
    /// # Errors
    /// `Dimension`, `NonFinite` or `OutOfBounds` for the point, naming the variable, and those of
    /// [`tell`](Self::tell) for the outcome.
    pub fn import(&mut self, values: &[f64], outcome: Outcome) -> Result<TrialId> {
        let id = TrialId::from(self.trials.len());
        let unit = self.space.to_unit(values).map_err(|error| error.at(id))?;
        self.observe(id, &unit, &outcome, None).map_err(|error| error.at(id))?;
        self.trials.push(SubsetTrial {
            set: None,
            chosen: Vec::new(),
            values: Some(values.to_vec()),
            state: outcome.state.into(),
            outcome: outcome.value,
            cost: outcome.cost,
            origin: Origin::Imported,
            query: Vec::new(),
        });
        Ok(id)
    }

    /// Gives a trial up, or takes back what was told of it by mistake: point, outcome and payment.
    /// It is then neither under way nor told, what it cost or was to cost is in the purse again,
    /// and if it belonged to the initial design or to the exploration of cheap sets, another trial
    /// takes its place there. A result that comes all the same is taken by [`tell`](Self::tell),
    /// and paid for. For a trial that happened at another point than was told, withdraw it and tell
    /// it anew.
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
        let price = trial.set.map(|set| trial.cost.unwrap_or(self.sets.sets()[set].cost));
        if let Some(index) = self.place(id) {
            self.observations.remove(index)?;
            self.told.remove(index);
            self.forget();
        }
        if let Some(price) = price {
            self.purse.take_back(price);
            if let Some((exploration, cost)) = self.explored(id) {
                exploration.give_back(cost);
            }
        }
        self.next = None;
        let trial = &mut self.trials[id.index()];
        (trial.state, trial.values, trial.outcome, trial.cost) =
            (TrialState::Withdrawn, None, None, None);
        Ok(())
    }

    /// Replaces what was told of a trial, asked for or imported: how it ended, its outcome, and its
    /// cost if the new outcome has one, in which case the purse pays the difference. The point that
    /// happened stands. From then on it is as if the trial had been told so in its place: the model
    /// is fitted anew.
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a trial of which nothing stands to be corrected, since
    /// it is under way or withdrawn; those of [`tell`](Self::tell) for numbers. All name the trial,
    /// and the study stays as it was.
    pub fn correct(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        let trial = self.trial(id)?;
        let (paid, state) = (trial.cost.filter(|_| trial.set.is_some()), trial.state);
        let Some(index) = self.place(id) else {
            let message = format!(
                "{id}: it is {state:?}, and nothing was told of it that could be corrected; `tell` takes its outcome"
            );
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        };
        outcome.validate(None).map_err(|error| error.at(id))?;
        self.observations
            .replace(index, outcome.state, outcome.value, outcome.cost)
            .map_err(|error| error.at(id))?;
        if let (Some(paid), Some(cost)) = (paid, outcome.cost) {
            self.purse.take_back(paid);
            self.purse.pay(cost);
        }
        let trial = &mut self.trials[id.index()];
        (trial.state, trial.outcome, trial.cost) =
            (outcome.state.into(), outcome.value, outcome.cost.or(trial.cost));
        self.forget();
        Ok(())
    }

    /// A fit that starts from the one before may end elsewhere than without it.
    fn forget(&mut self) {
        (self.surrogate, self.looked, self.next) = (None, None, None);
    }

    fn trial(&self, id: TrialId) -> Result<&SubsetTrial> {
        let message = || {
            format!(
                "{id}: expected one of the {} trials of this study, numbered from 0",
                self.trials.len()
            )
        };
        self.trials.get(id.index()).ok_or_else(|| Error::new(ErrorKind::UnknownTrial, message()))
    }

    /// Where the observations have a trial; none unless it was told.
    fn place(&self, id: TrialId) -> Option<usize> {
        self.told.iter().position(|told| *told == id)
    }

    /// The exploration that counted a trial, and the cost of its group.
    fn explored(&mut self, id: TrialId) -> Option<(&mut Exploration, f64)> {
        let (_, cost) = *self.explored.iter().find(|(trial, _)| *trial == id)?;
        Some((self.exploration.as_mut()?, cost))
    }
}
