//! Numbers that a study reports, found another way: from the log, or from other numbers that it
//! reports.

use gittins::acquisition::{Belief, PointBeliefCost};
use gittins::internals::Quantity;
use gittins::stop::Reason;
use gittins::suggest::Suggestion;
use gittins::{Acquisition, Pointwise};

use crate::invariants::{Held, must};
use crate::trial_log::TrialLog;
use crate::view::View;
use crate::world::World;
use crate::world::costs::CostSpec;
use crate::world::rule::RuleSpec;

/// The value of a suggestion is that of its own mean, deviation and cost.
///
/// What is reported was turned from standardized numbers to the user's, which rounds the difference
/// of mean and incumbent by some units of the last place of the largest outcome; where the
/// deviation is of that size there is nothing to compare.
pub fn value(world: &World, view: &View, log: &TrialLog<'_>, said: &Suggestion) -> Held {
    // The value of several objectives is that of a volume.
    if world.is_front() {
        return Ok(());
    }
    let sign = world.sign(view);
    let learned = world.cost == CostSpec::Learned && said.acquisition.uses_cost();
    let index = matches!(said.acquisition, Acquisition::Pointwise(Pointwise::Gittins { .. }));
    // An index does not depend on the incumbent. With limits this may be another one than the best
    // by measured numbers: a number that has noise holds its limit by its mean.
    let in_hand = log.running_best().last().copied().flatten();
    let best = match in_hand {
        Some(best) if index || world.measured.is_empty() => best,
        None if index => sign * said.mean,
        _ => return Ok(()),
    };
    // With noise an improvement is not that of the deviation that is told.
    let foresees = !world.is_lucky() && said.acquisition.foresees_noise();
    // A price that underflows in the user's units is reported as the smallest number.
    let small = |lambda: f64| lambda <= f64::MIN_POSITIVE;
    if matches!(said.acquisition, Acquisition::Pointwise(Pointwise::Gittins { lambda }) if small(lambda))
    {
        return Ok(());
    }
    // Beside pending trials it is a mean over fantasies of their outcomes.
    let beside = said.acquisition.uses_pending()
        && !log.in_state(gittins::study::TrialState::Pending).is_empty();
    // A warped mean and deviation are reported as quantiles, which do not give the value.
    if learned || foresees || beside || world.is_warped() || log.is_extreme() {
        return Ok(());
    }
    let cost = if said.acquisition.uses_cost() { said.cost } else { 1.0 };
    let belief = Belief { mean: sign * said.mean, sd: said.sd, cost: PointBeliefCost::Known(cost) };
    let Some(pointwise) = said.acquisition.pointwise() else { return Ok(()) };
    // A probability that underflows has no logarithm to compare with.
    let log_usable = said.usable.map_or(0.0, f64::ln);
    if !log_usable.is_finite() {
        return Ok(());
    }
    let found = pointwise.score_if_usable(best, &belief, log_usable).0.value;
    let largest = log.largest_outcome().max(said.mean.abs());
    let rounding = 64.0 * f64::EPSILON * largest;
    let distance = (belief.mean - best).abs() / said.sd;
    // A probability or a logarithm moves by no more than this with the rounding of the difference,
    // counted in deviations.
    let in_deviations = 4.0 * (1.0 + distance) * rounding / said.sd;
    let (got, moves) = match said.acquisition {
        Acquisition::Pointwise(Pointwise::ExpectedImprovement) => (said.value, rounding),
        Acquisition::Pointwise(
            Pointwise::UpperConfidenceBound { .. } | Pointwise::Gittins { .. },
        ) => (sign * said.value, rounding),
        Acquisition::Pointwise(Pointwise::ExpectedImprovementPerCost { exponent, .. }) => {
            (said.value, rounding / cost.powf(exponent))
        }
        Acquisition::Pointwise(
            Pointwise::LogExpectedImprovement
            | Pointwise::ProbabilityOfImprovement
            | Pointwise::LogProbabilityOfImprovement
            | Pointwise::LogExpectedImprovementPerCost { .. },
        ) => (said.value, in_deviations),
        _ => return Ok(()),
    };
    let compared = in_deviations < 1e-3;
    let outcome = matches!(said.acquisition.quantity(), Quantity::Level | Quantity::Gain);
    let size = found.abs() + if outcome { said.sd } else { 1.0 };
    let near = (got - found).abs() <= moves + 1e-9 * size;
    must!(!compared || near, ValuesAreOfTheirNumbers, "{said:?}, not {found}, best {best}")
}

/// The statistic of a simple rule, in the units of the view, follows from the log; that of others
/// lies where it must.
pub fn statistic(rule: &RuleSpec, log: &TrialLog<'_>, reason: &Reason) -> Held {
    let got = reason.statistic;
    let number = |key| rule.number(key).unwrap_or(f64::NAN);
    let positive = Some((0.0, f64::INFINITY));
    let (expected, least) = match rule.name() {
        "trial_limit" => (Some(number("trials") - log.told_of_own() as f64), None),
        "spending_limit" => {
            let left = number("limit") - log.spent();
            let rounding = log.rounding() + f64::EPSILON * number("limit");
            let near = (got - left).abs() <= rounding;
            must!(near, StatisticsAreOfTheLog, "{reason:?}, expected {left}")?;
            (None, None)
        }
        "stall" | "global_window" => (Some(progress(log, number("window") as usize)), None),
        "probability_of_improvement" | "regret_probability" | "regret_frequency" => {
            (None, Some((0.0, 1.0)))
        }
        "expected_improvement" | "knowledge_gradient" | "confidence_gap" | "regret_gap" => {
            (None, positive)
        }
        _ => match rule {
            RuleSpec::Regret { .. } => (None, Some((0.0, 1.0))),
            RuleSpec::Priced { form: 2, .. } => (None, positive),
            RuleSpec::Maximum { of, .. } if of.improves() => (None, positive),
            _ => (None, None),
        },
    };
    // Infinities stand for nothing known and nothing left.
    let lies = least.is_none_or(|(low, high)| !got.is_finite() || (low..=high).contains(&got));
    let agrees = lies && expected.is_none_or(|expected| expected == got);
    must!(agrees, StatisticsAreOfTheLog, "{reason:?}, expected {expected:?}")
}

/// By how much the best outcome rose over the last trials: the suggested ones are taken to be the
/// last that were told.
fn progress(log: &TrialLog<'_>, window: usize) -> f64 {
    let best = log.running_best();
    let now = best.len();
    let before = now
        .checked_sub(window)
        .filter(|_| log.adaptive() >= window)
        .and_then(|before| before.checked_sub(1));
    let at = |place: Option<usize>| place.and_then(|place| best[place]);
    at(now.checked_sub(1)).zip(at(before)).map_or(f64::INFINITY, |(now, before)| now - before)
}
