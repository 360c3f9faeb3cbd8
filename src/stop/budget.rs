//! Stop when the rest of a budget is not worth spending
//! ([`StudyBuilder::budget`](crate::study::StudyBuilder::budget)).
//!
//! A budget `B` is the money that a study may spend. It says nothing of what the money is worth. The
//! run itself does: `G`, by how much its best outcome is better than the best of its initial design,
//! is what its suggestions have gained so far. With `R` left of the budget there are two prices.
//!
//! **Is the rest worth spending?** It is done once the index rule
//! ([`GittinsRule`]) stops at the price
//!
//! ```text
//! lambda_R = s G / R        s = 1/10 000
//! ```
//!
//! At that price no trial is expected to bring what it costs. If points were independent boxes, no
//! way of going on would have a positive expected gain less `lambda_R` times its cost (Weitzman
//! 1979, "Optimal Search for the Best Alternative"). What the rest could still bring would then be
//! less than `lambda_R R = s G`, a ten-thousandth of what was gained. For a Gaussian process the
//! index is the same approximation as in every other verdict by it (Xie et al. 2025, "Cost-aware
//! Stopping for Bayesian Optimization", section 3).
//!
//! **Which trial is next?** The one with the best Gittins index at a price between `lambda_R` and
//! `lambda_1 = max EI/c`, the highest at which one more trial would be made:
//!
//! ```text
//! lambda = lambda_1^(1 - w) lambda_R^w        w = (2/5) R / B
//! ```
//!
//! At `lambda_1` the index chooses what improvement per cost does, which is right for a last trial. A
//! lower price values what a trial may show for those that follow it, while there is money for
//! them. Both prices have the units of the outcome per unit of cost, so other units of either change
//! no suggestion and no verdict.

use crate::error::Result;
use crate::math::decimal::decimal;
use crate::stop::{GittinsRule, Statistic, StopContext, StopRule};
use crate::suggest::RestOfBudget;

pub use crate::suggest::rest_of_budget::{SHARE, price_of_rest};

/// The name of verdicts on a budget.
pub(crate) const NAME: &str = "budget";

/// That a budget is spent, in words, with what was spent beyond it and why.
pub(crate) fn spent(spent: f64, budget: f64, why: &str, tag: impl Fn(f64) -> String) -> String {
    let [in_all, of, beyond] = [spent, budget, spent - budget].map(tag);
    if in_all == of {
        format!("the budget of {of} is spent")
    } else {
        format!("the budget of {of} is spent: {in_all} in all, {beyond} beyond it, since {why}")
    }
}

impl StopRule for RestOfBudget {
    fn name(&self) -> &str {
        NAME
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let [left, budget] = [self.left, self.budget].map(|money| context.price_tag(money));
        let Some(price) = self.price else {
            let words = format!("no outcome stands out; {left} of the budget of {budget} are left");
            return Ok(Statistic::at_most(f64::INFINITY, 0.0).note(words));
        };
        let mut statistic = GittinsRule::inferred(price).check(context)?;
        statistic.note = if statistic.fired {
            format!(
                "done early, {left} of the budget of {budget} are saved: they promise less than {}, a ten-thousandth of what was gained; {}",
                decimal(price * self.left, 2),
                statistic.note
            )
        } else {
            format!("{}; {left} of the budget of {budget} are left", statistic.note)
        };
        Ok(statistic)
    }
}
