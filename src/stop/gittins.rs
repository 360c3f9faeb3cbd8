//! Stop when no remaining trial is worth its price.

use crate::acquisition::Acquisition;
use crate::error::{Error, ErrorKind, Result, check_positive};
use crate::math::decimal::decimal;
use crate::math::saturating::saturated;
use crate::stop::equal::{ended_by_ties, weighed};
use crate::stop::{Remaining, Statistic, StopContext, StopRule, Worth};

/// Stops when the best Gittins index of what is left is no better than the best outcome. The same
/// condition says that no expected improvement is worth its price (Xie et al. 2025, Cost-aware
/// Stopping for Bayesian Optimization):
///
/// ```text
/// max g(x; lambda) <= y*    iff    max [ ln EI(x) - ln c(x) ] <= ln lambda
/// ```
///
/// (section 3, equations 5 and 6). `c` is the expected cost if costs are learned. Model and
/// incumbent are those after the last trial. Ties stop the run. `lambda` is the price of a unit of
/// cost in the user's outcome units. If the price of the policy decays, it is the price before any
/// decay.
///
/// **Equal outcomes.** What never varied has no unit to hold against a price. While all outcomes are
/// equal, or all but one or two, the run does not stop before 29 trials: with 95 % fewer than a tenth
/// of the settings then differ. If all are equal, it stops there. It stops as well once that much is
/// known after the best outcome, and a quarter of the trials tie with it. A table, or a space with few
/// settings, counts by how many are left. In the paper outcomes are not equal.
///
/// **Limits.** While no trial is feasible (holds all limits on measured numbers), the worst outcome
/// stands for the incumbent. The run then ends if no chance to hold them is worth its price, also
/// by the thicker tail of a Student distribution that counts how few trials there are.
///
/// **Steps.** If the best outcomes tie, they have steps, as accuracies on a small test set have.
/// An improvement by less than half a step changes no outcome and is not paid for. So `y*` is
/// larger by half a step, by more if many tie. In the paper outcomes have no steps.
///
/// **Several objectives.** A unit of cost is worth `lambda` units of hypervolume, in the product of the
/// objectives' units. The run ends if no trial's expected improvement of the front is worth its
/// price: `max [ ln EHVI(x) - ln c(x) ] <= ln lambda`. With one objective the volume is the
/// outcome, and this is the rule above.
///
/// The rule works on spaces and on tables. On tables the maximum is exact. On a space, if the
/// search misses a maximum, the run stops too early. While costs are learned and none is known, the
/// run goes on.
///
/// **What it guarantees.** With a correct prior the run spends no more than it can hope to gain,
/// whichever of the two acquisitions chose the trials: with `U` the expected supremum of `f` above
/// the prior mean, and `C_1` the cost of the first trial,
///
/// ```text
/// E[ f* - y*(tau) + lambda C(tau) ] <= U + lambda C_1
/// ```
///
/// (theorem 1 there). The expected cost-adjusted simple regret is at most that of stopping at once.
/// [`Study::price_from_budget`](crate::Study::price_from_budget) follows from it. This says
/// nothing of a single run, and nothing if the model is wrong.
///
/// **Pending trials.** What they cost is paid or owed, whatever is decided, and their outcomes come
/// for nothing more. Whoever asks for no other trial ends with `max(y*, b)`, `b` the best of the
/// pending values. Another trial at `x` adds `E[max(f(x) - max(y*, b), 0)]` to this and costs
/// `c(x)`. So it is worth its price if and only if the index of `x` [beside the pending
/// trials](crate::Job::pending) exceeds `y*`. In a context with pending trials the rule compares
/// that index with `y*`. [`Study::verdict_on_another`](crate::Study::verdict_on_another) asks it.
/// To stop then means to ask for no other trial. If what is pending disappoints, the next verdict
/// may be to go on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GittinsRule {
    price: Option<f64>,
    form: Form,
    /// Whether nobody set the price. What a gain is worth in money is then not said.
    is_inferred: bool,
}

/// The side of the equivalence that is computed. All sides fire together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Form {
    /// The statistic is `max g - y*` in outcome units, its threshold 0.
    #[default]
    Index,
    /// The statistic is `max [ ln EI - ln c ] - ln lambda`, the logarithm of the best expected
    /// improvement over its price. Its threshold is 0. It is smooth, while the index needs a root.
    LogImprovementPerCost,
    /// The statistic is `max EI/c` in outcome units per unit of cost. Its threshold is `lambda`.
    /// The paper takes trailing means of it
    /// ([`Steadying::smoothed`](crate::stop::Steadying::smoothed)).
    ImprovementPerCost,
}

impl GittinsRule {
    /// With the price of the study's policy; for a decaying price, the price before any decay.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a price of its own, for a policy without a price, or to judge by another price.
    pub fn priced(lambda: f64) -> Self {
        Self { price: Some(lambda), ..Self::default() }
    }

    /// With a price that nobody set.
    pub(super) fn inferred(lambda: f64) -> Self {
        Self { is_inferred: true, ..Self::priced(lambda) }
    }

    /// Sets the side of the equivalence.
    pub fn form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    #[doc(hidden)]
    pub fn price(&self, of_policy: Option<f64>) -> Result<f64> {
        let missing = || {
            Error::new(
                ErrorKind::InvalidSetting,
                "the Gittins rule needs a price: the policy has none, so give it with `priced`",
            )
        };
        let price = self.price.or(of_policy).ok_or_else(missing)?;
        check_positive("the price of the Gittins rule", price)?;
        Ok(price)
    }
}

impl StopRule for GittinsRule {
    fn name(&self) -> &str {
        match self.form {
            Form::Index => "Gittins index",
            Form::LogImprovementPerCost | Form::ImprovementPerCost => {
                "expected improvement per cost"
            }
        }
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let price = self.price(context.price())?;
        let surrogate = context.surrogate();
        // A front has no index.
        let is_front = surrogate.is_some_and(|surrogate| surrogate.front().is_some());
        let form = if is_front { Form::LogImprovementPerCost } else { self.form };
        let threshold = if form == Form::ImprovementPerCost { price } else { 0.0 };
        let Some(surrogate) = surrogate else { return Ok(Statistic::unknown(threshold)) };
        if !surrogate.knows_cost() {
            return Ok(Statistic::no_cost_yet(threshold));
        }
        // The acquisition of a front knows of the pending trials by itself.
        let improvement = context.beside()?.unwrap_or(surrogate).improvement(true);
        let index = Acquisition::gittins(price);
        let (own, other) =
            if form == Form::Index { (index, improvement) } else { (improvement, index) };
        let value = |score: f64| match form {
            Form::Index => surrogate.scale().undo_difference(score - surrogate.bar()),
            // In standardized units, so that the unit of the outcome does not even affect the
            // rounding.
            Form::LogImprovementPerCost => score - surrogate.scale().log_of_difference(price),
            Form::ImprovementPerCost => surrogate.scale().undo_difference(saturated(score.exp())),
        };
        let Some(mut best) = context.maximize_beside(&own)? else {
            return Ok(Statistic::nothing_left(threshold));
        };
        let mut found = value(best.score);
        // A search may miss a narrow peak. Before the run ends, a second search looks for the peak
        // by the other side of the equivalence, which has another landscape. The run therefore ends
        // only if both sides say so, whatever the form of the rule.
        if found <= threshold
            && !best.interrupted
            && !is_front
            && let Some(rival) = context.maximize_beside(&other)?
            && let Some(score) = context.score_beside(&own, &rival.unit)?
        {
            best.interrupted |= rival.interrupted;
            if value(score) > threshold {
                best = Remaining { value: surrogate.value(&own, score), score, ..rival };
                found = value(score);
            }
        }
        let worth = Worth::new(best.improvement, price * best.cost);
        let money = context.money_tag(worth.gain / price).filter(|_| !self.is_inferred);
        let note = words(context, &best, worth, money);
        let mut statistic = Statistic::at_most(found, threshold).note(note);
        statistic.worth = Some(worth);
        if statistic.fired && !surrogate.has_incumbent() && may_yet_hold(context, price)? {
            statistic.fired = false;
            statistic.note += "; too few trials to rule out that one holds all limits";
        }
        let statistic = weighed(statistic.unless_interrupted(best.interrupted), context);
        Ok(if self.is_inferred { statistic } else { ended_by_ties(statistic, context) })
    }

    fn validate(&self, price: Option<f64>) -> Result<()> {
        self.price(price).map(|_| ())
    }
}

/// Whether a trial may still be worth its price while none holds all limits, if deviations are
/// known from a few trials only.
fn may_yet_hold(context: &StopContext<'_>, price: f64) -> Result<bool> {
    let Some(surrogate) = context.surrogate() else { return Ok(false) };
    let best = context.maximize_beside(&Acquisition::log_eipc())?;
    best.map_or(Ok(false), |best| {
        let worth = best.score - surrogate.scale().log_of_difference(price);
        Ok(worth + surrogate.log_doubt_at(&best.unit)? > 0.0)
    })
}

/// The best so far and the next trial, in words; with what its gain is worth in money, if that is to
/// be said.
fn words(
    context: &StopContext<'_>,
    best: &Remaining,
    worth: Worth,
    money: Option<String>,
) -> String {
    let cost = context.price_tag(best.cost);
    let surrogate = context.surrogate();
    let front = surrogate.and_then(|one| Some((one.front()?.len(), one.hypervolume()?)));
    let so_far = match front {
        Some((trials, volume)) => {
            format!("the front has {trials} trials and a volume of {}", decimal(volume, 4))
        }
        // An improvement on nothing is no gain of the outcome.
        None if surrogate.is_some_and(|surrogate| !surrogate.has_incumbent()) => {
            let worth = if worth.gain > worth.price { "worth" } else { "not worth" };
            let [hold, _] = context.observations().measures().condition();
            return format!(
                "the next trial would cost {cost}, and its chance to {hold} is {worth} its price"
            );
        }
        None => format!("best {}", context.incumbent_tag()),
    };
    let gain = match money {
        Some(money) => format!("bring {}, which is worth {money}", decimal(worth.gain, 2)),
        None => worth.to_string(),
    };
    format!("{so_far}; the next trial would cost {cost} and {gain}")
}
