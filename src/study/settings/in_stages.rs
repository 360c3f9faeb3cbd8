//! What of the settings makes no sense in stages.

use crate::data::trial::stages::Stages;
use crate::data::{Cost, Domain};
use crate::error::{Error, ErrorKind, Result};
use crate::study::settings::builder::StudyBuilder;
use crate::study::stages::check_policy;

/// Different trials of the design, unless set: enough for a first look at how settings differ.
const INITIAL: usize = 10;

impl StudyBuilder {
    /// Trials run in stages: they [report](crate::Study::report) on their way, and at every report a
    /// trial goes on, is left, or is abandoned, by what the rest of it costs and what it may still
    /// bring. A trial that was left may be asked for again.
    ///
    /// - The policy is [`Policy::gittins`](crate::Policy::gittins) with the price of a unit of cost.
    ///   Unless set, the price begins at a fiftieth of what the best trial is better than the one in
    ///   the middle, for the cost of one trial, and halves whenever nothing is worth it; the study
    ///   then ends by its [budget](Self::budget), a [rule](Self::stop), or never.
    /// - Costs are learned: a report has what its stage cost, which may be nothing.
    /// - [`initial`](Self::initial) is the number of trials that differ before the index decides, 10
    ///   unless set. Trials whose last outcomes are ties count once, up to four times as many.
    /// - Before a budget is spent, the best trial that was left is taken to its end if there is enough
    ///   for that.
    /// - A [limit](Self::limit) is on what is measured at the end of a trial, and there is one
    ///   objective. All else that is set about models is about the one of trials that came to their
    ///   end, which stopping rules and [recommendations](crate::Study::recommendation) ask.
    ///
    /// The example is at [`Study::report`](crate::Study::report).
    pub fn stages(mut self, stages: Stages) -> Self {
        self.options.stages = Some(stages);
        self
    }

    /// How many trials differ before the index decides.
    pub(in crate::study) fn initial_in_stages(&self) -> usize {
        let rows = match &self.domain {
            Domain::Table(table) => table.len(),
            Domain::Space(_) => usize::MAX,
        };
        self.options.initial.unwrap_or(INITIAL).min(rows)
    }

    /// Checks what was set beside stages.
    ///
    /// # Errors
    /// `InvalidSetting`, naming what makes no sense.
    pub(in crate::study) fn check_stages(&self, stages: &Stages) -> Result<()> {
        let refused = |message: &str| {
            Err(Error::new(ErrorKind::InvalidSetting, format!("in stages, {message}")))
        };
        if self.initial_in_stages() == 0 {
            return refused("initial: expected at least one trial before the index decides, got 0");
        }
        if matches!(self.cost, Cost::Uniform(cost) if cost != 1.0) {
            return refused("cost: expected \"learned\": reports tell what a stage cost");
        }
        self.policy.iter().try_for_each(check_policy)?;
        if !self.options.objectives.is_empty() {
            return refused("objectives: expected none: the index is that of one outcome");
        }
        let by_ends = !stages.does_any_stage_count() && !stages.are_items();
        if !self.options.limits.is_empty() && !by_ends {
            return refused("limits: what is measured at the end says nothing of other stages");
        }
        Ok(())
    }
}
