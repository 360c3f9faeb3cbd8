//! The money that a study may spend, and what follows from it.

use crate::data::trial::trial::{Origin, Trial, TrialState};
use crate::data::{Cost, Points, State, TrialId};
use crate::error::Result;
use crate::math::saturating::sum;
use crate::stop::Verdict;
use crate::stop::budget::{NAME, spent};
use crate::study::trials::running::Forecast;
use crate::study::trials::trials::Trials;
use crate::suggest::RestOfBudget;
use crate::suggest::rest_of_budget::price_of_rest;
use crate::surrogate::{Setup, Surrogate};

/// The share of a budget that the initial design may cost.
const OF_DESIGN: f64 = 0.25;

/// The design has at least this many points, whatever they cost: fewer teach a model nothing.
const LEAST_DESIGN: usize = 3;

impl Trials {
    /// The money left of the budget, if there is one: zero once it is spent, to the rounding of the
    /// sums. A hundred trials at 0.1 are a budget of 10.
    pub fn left(&self) -> Option<f64> {
        let budget = self.ledger.budget?;
        let left = budget - self.spent_of_budget();
        let rounding = f64::EPSILON * (self.trial_log.trials.len() + 1) as f64;
        Some(if left > rounding * budget { left } else { 0.0 })
    }

    /// The costs that a budget counts: those of all trials that were not imported.
    fn spent_of_budget(&self) -> f64 {
        let counted = self.trial_log.trials.iter().filter(|trial| trial.origin != Origin::Imported);
        counted.filter_map(|trial| trial.cost).fold(0.0, sum)
    }

    /// Whether the budget allows no more points of the design: a quarter of it is spent, and there is
    /// something to learn from.
    pub fn budget_ends_design(&self) -> bool {
        let (Some(budget), Some(left)) = (self.ledger.budget, self.left()) else { return false };
        left <= (1.0 - OF_DESIGN) * budget
            && self.trial_log.told_for_design() >= LEAST_DESIGN
            && self.trial_log.observations.iter().any(|one| one.state == State::Complete)
    }

    /// The largest expected cost of a suggestion for which the rest of the budget pays beside the
    /// pending trials. None without a budget, or if nothing is left for another trial.
    ///
    /// # Errors
    /// Those of the model.
    pub fn affordable(&self, setup: &Setup, surrogate: Option<&Surrogate>) -> Result<Option<f64>> {
        let knows_cost = surrogate.is_some_and(Surrogate::knows_cost);
        let Some(left) = self.left().filter(|_| knows_cost) else { return Ok(None) };
        Ok(Some(left - self.owed(setup, surrogate)?).filter(|left| *left > 0.0))
    }

    /// The verdict that the budget is spent, if it is. `owed` is what pending trials are expected
    /// to cost, if they count.
    pub fn spent_verdict(&self, owed: f64) -> Option<Verdict> {
        let budget = self.ledger.budget?;
        let left = self.left()?;
        if left > owed {
            return None;
        }
        let tag = |money| self.ledger.price_tag(money);
        let words = if owed > 0.0 {
            format!(
                "the budget of {} is spent: {} are left, and pending trials are expected to cost {}",
                tag(budget),
                tag(left),
                tag(owed)
            )
        } else {
            spent(self.spent_of_budget(), budget, &self.why_beyond(budget), tag)
        };
        Some(Verdict::without_statistic(NAME, true, words))
    }

    /// Why more than the budget was spent, in words.
    fn why_beyond(&self, budget: f64) -> String {
        let trials = self.trial_log.told.iter().map(|id| &self.trial_log.trials[id.index()]);
        let counted = trials.filter(|trial| trial.origin != Origin::Imported);
        let mut so_far = 0.0;
        let later = counted.filter_map(|trial| trial.cost).filter(|cost| {
            let is_spent = so_far >= budget;
            so_far = sum(so_far, *cost);
            is_spent
        });
        match later.count() {
            0 => "the last trial cost more than was left".to_owned(),
            1 => "one more trial was told once it was spent".to_owned(),
            count => format!("{count} more trials were told once it was spent"),
        }
    }

    /// The rest of the budget, if there is one, after a design of this size.
    pub fn rest(&self, design: usize) -> Option<RestOfBudget> {
        let budget = self.ledger.budget?;
        let left = self.left()?;
        let sign = self.trial_log.direction().sign();
        let complete = || {
            let trials = self.trial_log.observations.iter();
            let usable = trials.filter(|observation| observation.holds);
            usable.filter_map(|observation| observation.outcome).map(|outcome| sign * outcome)
        };
        let design = complete().take(design).reduce(f64::max);
        let best = complete().reduce(f64::max);
        // What a front gained is no difference of outcomes.
        let is_front = self.trial_log.observations.measures().have_objectives();
        let design = design.filter(|_| !is_front);
        let price = design.zip(best).and_then(|(design, best)| price_of_rest(design, best, left));
        Some(RestOfBudget { budget, left, price })
    }

    /// The expected cost of the pending trials.
    ///
    /// # Errors
    /// Those of the model.
    pub fn owed(&self, setup: &Setup, surrogate: Option<&Surrogate>) -> Result<f64> {
        let is_owed = |trial: &&Trial| trial.state == TrialState::Pending && trial.cost.is_none();
        let ids: Vec<TrialId> =
            self.trial_log.trials.iter().filter(is_owed).map(|trial| trial.id).collect();
        if ids.is_empty() {
            return Ok(0.0);
        }
        if matches!(setup.cost, Cost::Learned) {
            let expected = |forecast: &Forecast| forecast.expected().max(forecast.so_far());
            return Ok(self.forecasts(surrogate, &ids)?.iter().map(expected).fold(0.0, sum));
        }
        let Some(surrogate) = surrogate else { return Ok(0.0) };
        let mut points = Points::new(setup.domain.dim());
        for id in &ids {
            points.push(&self.trial_log.trials[id.index()].unit);
        }
        points
            .rows()
            .map(|point| surrogate.expected_cost(point))
            .try_fold(0.0, |owed, cost| cost.map(|cost| sum(owed, cost)))
    }
}
