//! Whether to stop.

use std::time::Instant;

use crate::data::Domain;
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::stop::{GittinsRule, StopContext, StopRule, Verdict};
use crate::study::design::has_rows_besides;
use crate::study::region::Region;
use crate::study::study::Study;
use crate::suggest::Surrogate;

impl Study {
    /// Whether to stop, and why, after what was told so far. Asked again before anything more is
    /// told, it repeats itself.
    ///
    /// Trials under way do not count: [`verdict_on_another`](Self::verdict_on_another) judges beside
    /// them.
    ///
    /// If the study has a [trust region](crate::study::TrustRegion), the verdict of a rule that asks
    /// the model is about the region, and says so. To stop then means that no place of the region
    /// is worth its price. It says nothing of other places.
    ///
    /// # Errors
    /// Those of the rule, of the model and of the backend.
    pub fn verdict(&mut self) -> Result<Verdict> {
        if let Some(verdict) = &self.verdict {
            return Ok(verdict.clone());
        }
        let (began, fits) = (Instant::now(), self.books.seconds_of_fits());
        let verdict = self.judge(self.setup.deadline())?;
        let fits = self.books.seconds_of_fits() - fits;
        self.books.note_verdict(&verdict, began.elapsed().as_secs_f64() - fits);
        self.verdict = Some(verdict.clone());
        Ok(verdict)
    }

    /// Whether to ask for no other trial while some are under way. It is to stop if the
    /// [`verdict`](Self::verdict) is, or if the policy has a price and, beside the trials under way,
    /// no other is worth it ([`GittinsRule`]). [Overdue](crate::study::StudyBuilder::overdue) trials
    /// count for nothing. What is under way is to be told as ever. If it disappoints, the next
    /// verdict may be to go on. Without trials under way or without a price it is the
    /// [`verdict`](Self::verdict).
    ///
    /// # Errors
    /// Those of [`verdict`](Self::verdict).
    pub fn verdict_on_another(&mut self) -> Result<Verdict> {
        let verdict = self.verdict()?;
        let (pending, deadline) = (self.pending(), self.setup.deadline());
        if verdict.is_stop() || pending.is_empty() || self.policy.price().is_none() {
            return Ok(verdict);
        }
        if let Some(verdict) = self.without_rule(deadline)? {
            return Ok(verdict);
        }
        self.refit(deadline)?;
        let awaited = self.awaited()?;
        let mut rule = GittinsRule::new();
        let context = self.context().awaiting(&pending).waiting_for(&awaited).until(deadline);
        let statistic = rule.check(&context)?;
        let words = Region::words_of(self.region.as_ref(), &self.books, &context);
        Ok(statistic.judged(words).verdict(rule.name()))
    }

    /// The verdict that no rule is asked for, if this is the moment for one.
    pub(super) fn without_rule(&mut self, deadline: Deadline) -> Result<Option<Verdict>> {
        if let Domain::Table(table) = &self.setup.domain
            && self.evaluated.rows(table).iter().all(|&row| row)
        {
            let words = format!("all {} rows were evaluated", table.len());
            self.refit(deadline)?;
            if !self.belief.surrogate().is_some_and(Surrogate::worth_repeating) {
                return Ok(Some(Verdict::without_statistic("exhausted", true, words)));
            }
        }
        let of_region = self.missing_of_region();
        Ok(self
            .missing_of_design()
            .map(|missing| {
                let words = format!(
                    "{missing} of {} points of the initial design are not told yet",
                    self.design.size()
                );
                Verdict::without_statistic("initial design", false, words)
            })
            .or(of_region))
    }

    /// The verdict as long as a trust region begins.
    fn missing_of_region(&mut self) -> Option<Verdict> {
        let region = self.region.as_mut()?;
        region.follow(&self.books);
        let schedule = region.schedule();
        let (missing, of) = (schedule.missing(), schedule.fresh());
        let words = format!("{missing} of {of} points of a new trust region are not told yet");
        (missing > 0).then(|| Verdict::without_statistic("trust region", false, words))
    }

    /// How many trials are to be told before the design is over, if any.
    fn missing_of_design(&self) -> Option<usize> {
        let missing = self.design.size().saturating_sub(self.books.told_for_design());
        let has_rows = || has_rows_besides(&self.setup.domain, &self.evaluated);
        (missing > 0 && has_rows()).then_some(missing)
    }

    /// What a rule that is not the study's own sees of the run.
    pub(super) fn context(&self) -> StopContext<'_> {
        StopContext::new(
            &self.setup,
            self.belief.surrogate(),
            &self.books.observations,
            &self.evaluated,
            &self.runners_up,
            &self.ledger,
        )
        .modeling(Region::modeled(self.region.as_ref(), &self.books.observations))
    }

    fn judge(&mut self, deadline: Deadline) -> Result<Verdict> {
        if let Some(verdict) = self.without_rule(deadline)? {
            return Ok(verdict);
        }
        let mut by_price = GittinsRule::new();
        let priced = self.policy.price().is_some();
        if self.rule.is_none() && !priced {
            return Ok(Verdict::without_statistic(
                "none",
                false,
                "there is no stopping rule, and the policy has no price",
            ));
        }
        self.refit(deadline)?;
        let rule = self.rule.as_deref_mut().unwrap_or(&mut by_price);
        // As `context` has it, part by part: the rule is a part of the study too.
        let context = StopContext::new(
            &self.setup,
            self.belief.surrogate(),
            &self.books.observations,
            &self.evaluated,
            &self.runners_up,
            &self.ledger,
        )
        .modeling(Region::modeled(self.region.as_ref(), &self.books.observations));
        let context = context.sharing(&self.memo).until(deadline);
        let statistic = rule.check(&context)?;
        let words = Region::words_of(self.region.as_ref(), &self.books, &context);
        Ok(statistic.judged(words).verdict(rule.name()))
    }
}
