//! Stop when the rest of a budget is not worth spending: [`price_of_rest`].

use crate::error::Result;
use crate::math::decimal::decimal;
use crate::stop::{GittinsRule, Statistic, StopContext, StopRule};
use crate::suggest::Rest;

pub use crate::suggest::{SHARE, price_of_rest};

/// The name of verdicts on a budget.
pub(crate) const NAME: &str = "budget";

impl StopRule for Rest {
    fn name(&self) -> &str {
        NAME
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let [left, budget] = [self.left, self.budget].map(|money| context.price_tag(money));
        let Some(price) = self.price else {
            let words = format!("no outcome stands out; {left} of the budget of {budget} are left");
            return Ok(Statistic::at_most(f64::INFINITY, 0.0).note(words));
        };
        let mut statistic = GittinsRule::priced(price).check(context)?;
        statistic.note = match statistic.fired {
            true => format!(
                "done early, {left} of the budget of {budget} are saved: they promise less than {}, a ten-thousandth of what was gained; {}",
                decimal(price * self.left, 2),
                statistic.note
            ),
            false => format!("{}; {left} of the budget of {budget} are left", statistic.note),
        };
        Ok(statistic)
    }
}
