//! Whether to stop.

use std::time::Instant;

use crate::error::Result;
use crate::math::clock::Deadline;
use crate::stop::{GittinsRule, NUMBER_OF_TRIALS, StopRule, Verdict};
use crate::study::beliefs::stagnation;
use crate::study::stages;
use crate::study::study::Study;
use crate::surrogate::Surrogate;

/// Why nothing ends a study.
const ENDLESS: &str = "it has no price, no budget and no stopping rule";

impl Study {
    /// Whether to stop, and why, after what was told so far. Asked again before anything more is
    /// told, it repeats itself.
    ///
    /// An outcome that is the [best possible](crate::study::StudyBuilder::best_possible) ends it.
    ///
    /// Pending trials do not count: [`verdict_on_another`](Self::verdict_on_another) judges beside
    /// them.
    ///
    /// # Errors
    /// Those of the rule, of the model and of the backend.
    pub fn verdict(&mut self) -> Result<Verdict> {
        if let Some(verdict) = &self.judge.verdict {
            return Ok(verdict.clone());
        }
        let best = self.trials.best_possible();
        if self.stages.is_some() && self.judge.rule.is_none() && best.is_none() {
            return stages::judged(self, self.setup.deadline());
        }
        let (began, fits) = (Instant::now(), self.trials.trial_log.seconds_of_fits());
        let verdict = self.judged(self.setup.deadline())?;
        let fits = self.trials.trial_log.seconds_of_fits() - fits;
        self.trials.trial_log.note_verdict(&verdict, began.elapsed().as_secs_f64() - fits);
        self.judge.verdict = Some(verdict.clone());
        self.note_judgment();
        Ok(verdict)
    }

    /// Whether to ask for no other trial while some are pending. It is to stop if the
    /// [`verdict`](Self::verdict) is, or if the policy has a price and, beside the pending trials,
    /// no other is worth it ([`GittinsRule`]), or if with them there are as many trials as the rule
    /// allows. [Overdue](crate::study::StudyBuilder::overdue) trials count for nothing. What is
    /// pending is to be told as ever. If it disappoints, the next verdict may be to go on. Without
    /// pending trials, or without a price, a [budget](crate::study::StudyBuilder::budget) and a
    /// limit of trials, it is the [`verdict`](Self::verdict). Of a budget the pending trials take
    /// what they are expected to cost.
    ///
    /// # Errors
    /// Those of [`verdict`](Self::verdict).
    pub fn verdict_on_another(&mut self) -> Result<Verdict> {
        let verdict = self.verdict()?;
        if self.stages.is_some() {
            return Ok(verdict);
        }
        let deadline = self.setup.deadline();
        let by_money = self.by_money();
        if verdict.is_stop() || self.trials.ledger.counts.pending == 0 {
            return Ok(verdict);
        }
        let asked = self.trials.trial_log.asked();
        if let Some(most) = self.judge.most_trials().filter(|most| asked >= *most) {
            let words = format!("{asked} of {most} trials were told or are pending");
            return Ok(Verdict::without_statistic(NUMBER_OF_TRIALS, true, words));
        }
        if by_money.is_none() && self.trials.ledger.budget.is_none() {
            return Ok(verdict);
        }
        if let Some(verdict) = self.without_rule(deadline)? {
            return Ok(verdict);
        }
        self.refit(deadline)?;
        let (setup, trials, surrogate) = (&self.setup, &self.trials, self.beliefs.surrogate());
        if let Some(spent) = trials.spent_verdict(trials.owed(setup, surrogate)?) {
            return Ok(spent);
        }
        let Some(mut rule) = by_money else { return Ok(verdict) };
        let pending_trials = trials.pending_trials(surrogate, |_| true)?;
        self.beliefs.judge(setup, trials, &mut *rule, Some(&pending_trials), deadline)
    }

    /// The verdict that no rule is asked for, if this is the moment for one.
    pub(in crate::study) fn without_rule(&mut self, deadline: Deadline) -> Result<Option<Verdict>> {
        if let Some(spent) = self.trials.spent_verdict(0.0) {
            return Ok(Some(spent));
        }
        if let Some(words) = self.trials.all_evaluated(&self.setup.domain) {
            self.refit(deadline)?;
            if !self.beliefs.surrogate().is_some_and(Surrogate::worth_repeating) {
                return Ok(Some(Verdict::without_statistic("exhausted", true, words)));
            }
        }
        if self.judge.most_trials().is_some_and(|most| self.trials.ledger.counts.told >= most) {
            return Ok(None);
        }
        Ok(self
            .trials
            .missing_of_design(&self.setup.domain, self.design.size())
            .map(|missing| {
                let words = format!(
                    "{missing} of {} points of the initial design are not told yet",
                    self.design.size()
                );
                Verdict::without_statistic("initial design", false, words)
            })
            .or_else(|| stagnation::missing_of_plateau(&self.beliefs, &self.trials)))
    }

    /// The verdict of another rule on the run as it stands, or that to stop whatever a rule says; none
    /// while the initial design is not told. It is not kept.
    ///
    /// # Errors
    /// Those of the rule's validation, and of [`verdict`](Self::verdict).
    #[doc(hidden)]
    pub fn judged_by(&mut self, rule: &mut dyn StopRule) -> Result<Option<Verdict>> {
        rule.validate(self.trials.ledger.price)?;
        if let Some(verdict) = self.without_rule(self.setup.deadline())? {
            return Ok(Some(verdict).filter(Verdict::is_stop));
        }
        self.refit(self.setup.deadline())?;
        let (setup, deadline) = (&self.setup, self.setup.deadline());
        self.beliefs.judge(setup, &self.trials, rule, None, deadline).map(Some)
    }

    /// The rule by what money is worth: by the price of the policy, or by the rest of the budget
    /// unless another rule was set.
    pub(in crate::study) fn by_money(&self) -> Option<Box<dyn StopRule>> {
        if self.policy.price().is_some() {
            return Some(Box::new(GittinsRule::new()));
        }
        let rest = self.trials.rest(self.design.size()).filter(|_| self.judge.rule.is_none());
        rest.map(|rest| Box::new(rest) as Box<dyn StopRule>)
    }

    fn judged(&mut self, deadline: Deadline) -> Result<Verdict> {
        if let Some(verdict) = self.trials.best_possible() {
            return Ok(verdict);
        }
        if self.stages.is_some() {
            return stages::judged(self, deadline);
        }
        let mut by_money = self.by_money();
        let is_judged = self.judge.rule.is_some() || by_money.is_some();
        if let Some(verdict) = self.without_rule(deadline)? {
            return Ok(if is_judged { verdict } else { verdict.endless(ENDLESS) });
        }
        if is_judged {
            self.refit(deadline)?;
        }
        let Some(rule) = self.judge.rule.as_deref_mut().or(by_money.as_deref_mut()) else {
            return Ok(Verdict::without_statistic("none", false, "").endless(ENDLESS));
        };
        self.beliefs.judge(&self.setup, &self.trials, rule, None, deadline)
    }
}
