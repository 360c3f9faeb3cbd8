//! Stop when the last outcome reached the index that chose it.

use gittins::Acquisition;
use gittins::Result;
use gittins::internals::difference;
use gittins::internals::{ended_by_ties, weighed};
use gittins::stop::Statistic;
use gittins::{GittinsRule, StopContext, StopRule};

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

/// The numbers that a check keeps for the next one.
#[derive(Debug, Clone, PartialEq)]
struct Before {
    told: usize,
    corrections: usize,
    price: f64,
    index: f64,
    /// Whether the search for the index was interrupted.
    interrupted: bool,
    /// The numbers compared then; none if there was nothing to compare with.
    compared: Option<Compared>,
}

/// An index and the incumbent after the trial that it chose. Larger is better.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Compared {
    index: f64,
    incumbent: f64,
    interrupted: bool,
}

impl Compared {
    fn statistic(&self, context: &StopContext<'_>) -> Statistic {
        let [best, index] = [self.incumbent, self.index].map(|value| context.outcome_tag(value));
        Statistic::at_most(difference(self.index, self.incumbent), 0.0)
            .note(format!(
                "best {best}; the last trial was worth its price against a best of {index} or worse"
            ))
            .unless_interrupted(self.interrupted)
    }
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
    fn name(&self) -> &'static str {
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
        let Some(best) = context.maximize(&Acquisition::gittins(price))? else {
            self.before = None;
            return Ok(Statistic::nothing_left(0.0));
        };
        let compared = match before {
            // At most a cost came, and no outcome: the verdict stands. The next check compares with
            // the index as it is now.
            Some(before) if before.told == told => before.compared,
            Some(&Before { index, interrupted, .. }) => {
                Some(Compared { index, incumbent: context.incumbent(), interrupted })
            }
            None => None,
        };
        let (index, interrupted) = (best.value, best.interrupted);
        self.before = Some(Before { told, corrections, price, index, interrupted, compared });
        let statistic = match compared {
            Some(compared) => compared.statistic(context),
            None => Statistic::at_most(f64::INFINITY, 0.0)
                .note("no index is known from before the last trial"),
        };
        Ok(ended_by_ties(weighed(statistic, context), context))
    }

    /// Five numbers of the last check, and three of what it compared; of these the first is NaN if
    /// it compared nothing.
    fn state(&self) -> Vec<f64> {
        let Some(before) = &self.before else { return Vec::new() };
        let &Before { told, corrections, price, index, interrupted, compared } = before;
        let flag = |flag: bool| f64::from(u8::from(flag));
        let compared = compared.map_or([f64::NAN; 3], |compared| {
            [compared.index, compared.incumbent, flag(compared.interrupted)]
        });
        let check = [told as f64, corrections as f64, price, index, flag(interrupted)];
        [&check[..], &compared].concat()
    }

    fn restore(&mut self, state: &[f64]) {
        let &[told, corrections, price, index, interrupted, before, incumbent, cut] = state else {
            self.before = None;
            return;
        };
        let compared = Compared { index: before, incumbent, interrupted: cut == 1.0 };
        self.before = Some(Before {
            told: told as usize,
            corrections: corrections as usize,
            price,
            index,
            interrupted: interrupted == 1.0,
            compared: Some(compared).filter(|compared| !compared.index.is_nan()),
        });
    }

    fn validate(&self, price: Option<f64>) -> Result<()> {
        self.price.price(price).map(|_| ())
    }
}
