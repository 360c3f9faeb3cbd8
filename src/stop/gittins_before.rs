//! Stop when the last outcome reached the index that chose it.

use crate::acquisition::Acquisition;
use crate::error::Result;
use crate::math::saturating::difference;
use crate::stop::{GittinsRule, Statistic, StopContext, StopRule};

/// The [`GittinsRule`] with the index from before the last observation. Stops when the best Gittins
/// index of the model before is no better than the best outcome after (Xie et al. 2025, Cost-aware
/// Stopping for Bayesian Optimization, section 3, the "before-update" form):
///
/// ```text
/// max g_(t-1)(x; lambda) <= y*_t
/// ```
///
/// If the Gittins index chooses the trials, its maximum is the index of the trial that was just
/// evaluated. The rule is then that of the opened box: stop once an outcome has reached the index
/// that it was chosen for. This form is closest to the theory of independent boxes. The form after
/// the update learns from the last outcome before it judges, and is the default. Neither form
/// always stops first.
///
/// The rule has no verdict at the first check, at the first check after a change of price, and
/// after a trial was corrected or withdrawn. It works on spaces and on tables. With another
/// acquisition it compares with a point that need not have been evaluated.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GittinsBeforeRule {
    price: GittinsRule,
    before: Option<Before>,
}

/// What a check keeps for the next one.
#[derive(Debug, Clone, PartialEq)]
struct Before {
    told: usize,
    corrections: usize,
    price: f64,
    index: f64,
    /// Whether the search for the index was interrupted.
    interrupted: bool,
    statistic: Statistic,
}

impl GittinsBeforeRule {
    /// With the price of the study's policy; for a decaying price, the price before any decay.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a price of its own.
    pub fn priced(lambda: f64) -> Self {
        Self { price: GittinsRule::priced(lambda), before: None }
    }
}

impl StopRule for GittinsBeforeRule {
    fn name(&self) -> &str {
        "Gittins index before the update"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let (told, corrections) =
            (context.observations().len(), context.observations().corrections());
        let price = self.price.price(context.price())?;
        let Some(surrogate) = context.surrogate() else { return Ok(Statistic::unknown(0.0)) };
        if !surrogate.knows_cost() {
            return Ok(Statistic::no_cost_yet(0.0));
        }
        let before = self
            .before
            .as_ref()
            .filter(|before| before.price == price && before.corrections == corrections);
        let best = context.maximize(&Acquisition::gittins(price))?;
        let statistic = match (&best, before) {
            (None, _) => Statistic::nothing_left(0.0),
            // At most a cost came, and no outcome: the verdict stands. The next check compares with
            // the index as it is now.
            (_, Some(before)) if before.told == told => before.statistic.clone(),
            (_, None) => Statistic::at_most(f64::INFINITY, 0.0)
                .note("no index is known from before the last trial"),
            (_, Some(before)) => {
                let [best, index] =
                    [context.incumbent(), before.index].map(|outcome| context.outcome_tag(outcome));
                let words =
                    format!("best {best}; the best index before the last trial was {index}");
                Statistic::at_most(difference(before.index, context.incumbent()), 0.0)
                    .note(words)
                    .unless_interrupted(before.interrupted)
            }
        };
        let statistic_now = statistic.clone();
        self.before = best.map(|best| Before {
            told,
            corrections,
            price,
            index: best.value,
            interrupted: best.interrupted,
            statistic: statistic_now,
        });
        Ok(statistic)
    }

    /// What the last check keeps: five numbers, and three of its statistic.
    fn state(&self) -> Vec<f64> {
        let Some(before) = &self.before else { return Vec::new() };
        let Before { told, corrections, price, index, interrupted, statistic } = before;
        let flag = |flag: bool| f64::from(u8::from(flag));
        vec![
            *told as f64,
            *corrections as f64,
            *price,
            *index,
            flag(*interrupted),
            statistic.value,
            statistic.threshold,
            flag(statistic.fired),
        ]
    }

    fn restore(&mut self, state: &[f64]) {
        let &[told, corrections, price, index, interrupted, value, threshold, fired] = state else {
            self.before = None;
            return;
        };
        let statistic = Statistic { fired: fired != 0.0, ..Statistic::at_most(value, threshold) };
        self.before = Some(Before {
            told: told as usize,
            corrections: corrections as usize,
            price,
            index,
            interrupted: interrupted != 0.0,
            statistic,
        });
    }

    fn validate(&self, price: Option<f64>) -> Result<()> {
        self.price.price(price).map(|_| ())
    }
}
