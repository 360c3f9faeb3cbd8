//! Verdicts and recommendations of a study of control sets.

use gittins_papers::control::{SubsetRecommendation, SubsetStudy, SubsetTrial};

use super::Player;
use crate::invariants::{Held, must};
use crate::play::player::Answer;
use crate::said::{Line, Quantity, Said};

impl Player<'_> {
    pub fn verdict(&mut self) -> Answer {
        let verdict = self.attempt(&[], &self.excuses(), SubsetStudy::verdict)?;
        let (reason, spent) = (verdict.reason(), self.spent());
        let said = Said::Answered(vec![(&verdict).into()]);
        if reason.rule == "exhausted" && self.space.is_finite() && verdict.is_stop() {
            return Ok(said);
        }
        let form = match self.settings.budget.map(|budget| self.view.cost(budget)) {
            None => reason.rule == "none" && !verdict.is_stop(),
            Some(budget) => {
                let left = budget - spent;
                let rounding = 1e-12 * (spent + budget);
                let sets = 0..self.settings.sets.len();
                let known = sets.map(|set| self.price(set)).any(|price| price == reason.threshold);
                let fires = verdict.is_stop() == (reason.threshold > left)
                    || (reason.threshold - left).abs() <= rounding;
                let near = (reason.statistic - left).abs() <= rounding;
                reason.rule == "budget" && near && known && fires
            }
        };
        let form = form && !reason.to_string().is_empty();
        must!(form, VerdictsHaveTheirForm, "{verdict:?}, spent {spent}")?;
        if let Some(before) = self.next {
            let now = reason.threshold;
            must!(before == now, VerdictsRepeat, "{before}, then {now}")?;
        }
        self.next = Some(reason.threshold);
        Ok(said)
    }

    /// The best set, and all of them in their order.
    pub fn recommend(&mut self) -> Answer {
        let best = self.attempt(&[], &self.excuses(), SubsetStudy::recommendation)?;
        let all = self.attempt(&[], &self.excuses(), SubsetStudy::recommendations)?;
        let is_known = self.log.knows_outcomes();
        let count = if is_known { self.settings.sets.len() } else { 0 };
        let counts = best.is_some() == is_known && all.len() == count;
        must!(counts, AdviceIsSound, "{best:?} of {all:?}, expected {count}")?;
        for trial in self.pair.study.history() {
            let text = serde_json::to_string(trial).unwrap_or_else(|error| error.to_string());
            let again = serde_json::from_str::<SubsetTrial>(&text);
            let again = again.map(|trial| serde_json::to_string(&trial).unwrap_or_default());
            let survives = again.as_ref().is_ok_and(|again| *again == text);
            must!(survives, RecordSurvives, "{text}, then {again:?}")?;
        }
        let sign = self.world.sign(self.view);
        let sorted = all.is_sorted_by(|one, next| sign * one.expected >= sign * next.expected);
        must!(sorted || self.log.has_no_squares(), AdviceIsSound, "not sorted: {all:?}")?;
        let advice: Vec<_> = best.into_iter().chain(all).collect();
        advice.iter().try_for_each(|one| self.check_advice(one))?;
        let line = |one: &SubsetRecommendation| Line {
            topic: "sets".to_owned(),
            choice: format!("{} {:?}", one.set, one.values),
            worth: vec![
                Quantity::Outcome.is(one.expected),
                Quantity::Difference.is(one.error),
                Quantity::Difference.is(one.spread),
            ],
            ..Line::default()
        };
        Ok(Said::Answered(advice.iter().map(line).collect()))
    }

    fn check_advice(&self, one: &SubsetRecommendation) -> Held {
        let spreads =
            [one.error, one.spread].iter().all(|spread| spread.is_finite() && *spread >= 0.0);
        // Numbers whose squares are none have no spread.
        let numbers = self.log.has_no_squares() || (one.expected.is_finite() && spreads);
        let set = &self.settings.sets[one.set];
        let is_set = one.name == set.name && one.cost == self.price(one.set);
        let names = one.variables.iter().map(String::as_str).eq(self.names(one.set));
        let inside = self.are_inside(&set.controlled(), &one.values)
            && one.query.iter().all(|u| (0.0..=1.0).contains(u));
        let sound = numbers && is_set && names && inside && !one.to_string().is_empty();
        must!(sound, AdviceIsSound, "{one:?}")
    }
}
