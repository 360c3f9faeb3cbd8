//! What a study recommends and predicts.

use gittins::study::Recommendation;
use gittins::{ErrorKind, Study, Trial};

use super::player::Answer;
use super::study::Player;
use crate::invariants::{Held, must};
use crate::said::{Line, Number, Quantity, Said};

impl Player<'_> {
    /// The recommended trial; of several objectives the front as well.
    pub fn recommend(&mut self) -> Answer {
        let found = self.attempt(&[], &self.numbers(), Study::recommendation)?;
        // It may have fitted, of which no record tells.
        self.log.is_watched = false;
        // A number that has noise holds its limit by its mean.
        let known = match () {
            () if self.world.is_front() => found.is_none(),
            // By items one is there once three batches said something.
            () if self.counts_any_report() => true,
            () if self.world.measured.is_empty() => found.is_some() == self.log.knows_outcomes(),
            () => found.is_none() || self.log.knows_outcomes(),
        };
        must!(known, AdviceIsSound, "{found:?}")?;
        found.iter().try_for_each(|found| self.check_recommendation(found))?;
        if self.world.is_front() || self.in_stages() && !self.counts_any_report() {
            return self.front(found.as_ref());
        }
        let line = |found: Recommendation| {
            let worth = vec![
                Number { size: found.sd, ..Quantity::Outcome.is(found.mean) },
                Quantity::Difference.is(found.sd),
            ];
            let choice = format!("{} {:?}", found.trial, found.values);
            Line { topic: "best".to_owned(), choice, tie: Some(0.0), worth, ..Line::default() }
        };
        Ok(Said::Answered(found.map(line).into_iter().collect()))
    }

    /// Whether trials count that did not come to their end.
    fn counts_any_report(&self) -> bool {
        self.world.stages().is_some_and(|stages| stages.are_items())
    }

    fn check_recommendation(&self, found: &Recommendation) -> Held {
        let any = self.counts_any_report();
        let agrees = self.log.entries.get(found.trial.index()).is_some_and(|entry| {
            let last = entry.reports.last().map(|report| report.outcome);
            let outcome = if any { last } else { entry.outcome };
            let measures = &entry.measures[..self.world.measured.len()];
            (&entry.values, &entry.unit, outcome)
                == (&found.values, &found.unit, Some(found.outcome))
                && (any || entry.is_complete())
                && measures.iter().all(|one| one.is_some_and(|one| !one.is_nan()))
        });
        let named = found.named().map(|(name, _)| name).eq(self.log.domain().names());
        let numbers = self.log.has_no_squares()
            || (found.mean.is_finite() && found.sd.is_finite() && found.sd >= 0.0);
        let sound = agrees && named && numbers && !found.to_string().is_empty();
        must!(sound, AdviceIsSound, "{found:?}")
    }

    /// The front: trials of use, each once, in the order in which they were told; of one objective
    /// the recommended trial.
    fn front(&mut self, recommended: Option<&Recommendation>) -> Answer {
        let found = self.attempt(&[], &self.numbers(), Study::front)?;
        let ids: Vec<usize> = found.iter().map(|trial| trial.id.index()).collect();
        let log = &self.log;
        let order = log.order();
        let place = |id: &usize| order.iter().position(|told| told == id);
        let places: Vec<Option<usize>> = ids.iter().map(place).collect();
        let own = |id: &usize| log.entries.get(*id).is_some_and(|one| log.is_of_use(one));
        // A number that has noise holds its limit by its mean.
        let of_use = self.world.has_limits() || ids.iter().all(own);
        let sound = of_use && places.is_sorted() && places.iter().all(Option::is_some);
        let known = log.entries.iter().any(|entry| log.is_of_use(entry));
        let filled = self.world.has_limits() || known != ids.is_empty();
        let one = recommended.map(|found| found.trial.index());
        let agrees = self.world.is_front() || ids.iter().copied().eq(one);
        must!(sound && filled && agrees, AdviceIsSound, "{ids:?} of {order:?}, and {one:?}")?;
        let line = |trial: Trial| {
            let outcome = trial.outcome.unwrap_or(f64::NAN);
            let choice = format!("{} {:?}", trial.id, trial.values);
            let worth = vec![Quantity::Outcome.is(outcome)];
            Line { topic: "front".to_owned(), choice, tie: Some(0.0), worth, ..Line::default() }
        };
        Ok(Said::Answered(found.into_iter().map(line).collect()))
    }

    /// What a trial under way will cost, where costs are learned.
    pub fn forecast(&mut self, id: usize) -> Answer {
        let faults = self.log.faults_of_id(id);
        let excuses = self.numbers();
        let found = self.attempt(&faults, &excuses, |study| study.forecast(id))?;
        self.log.is_watched = false;
        let is_open = self.log.entries[id].is_pending() && self.log.entries[id].cost.is_none();
        let Some(found) = found else { return Ok(Said::Taken) };
        let expected = found.expected();
        let middle = found.quantile(0.5);
        let numbers = expected >= 0.0 && middle >= 0.0 && found.rest() >= 0.0;
        must!(is_open && numbers, NumbersAreNumbers, "{found:?}")?;
        Ok(Said::Answered(vec![Line::of("forecast", Quantity::Any.is(middle))]))
    }

    pub fn price_for_budget(&mut self, times: f64) -> Answer {
        let design = self.log.design_cost();
        // What the design cost is a difference of two sums that are rounded: nearer than that
        // nothing is expected.
        let budget = if times.is_finite() {
            (1.0 + times) * design + times * 1e-3 * self.view.money
        } else {
            times
        };
        let mut faults = Vec::new();
        if !self.log.knows_outcomes() {
            faults.push(ErrorKind::Empty);
        }
        if !budget.is_finite() || times <= 0.0 || !self.world.prices_budgets() {
            faults.push(ErrorKind::InvalidSetting);
        }
        let mut excuses = self.numbers();
        // Outcomes and money that are too far apart have no price.
        if self.log.is_extreme() {
            excuses.push(ErrorKind::InvalidSetting);
        }
        let price = self.attempt(&faults, &excuses, |study| study.price_from_budget(budget))?;
        self.log.is_watched = false;
        let positive = price.is_finite() && price > 0.0;
        must!(positive, NumbersAreNumbers, "a price of {price} for {budget}")?;
        Ok(Said::Answered(vec![Line::of("price", Quantity::Price.is(price))]))
    }
}
