//! Outcomes that have not varied: what they say, and what no model can make of them.
//!
//! A model learns the unit of outcomes from their differences. Where there are none, whatever it promises
//! can be held against no price. But if a share `p` of the settings differed, `n` trials would all be equal
//! with a chance of `(1 - p)^n`. So with a confidence of 95 % `p < 1 - 0.05^(1/n)`, which is below a tenth
//! from 29 trials on. Of a table, or of a space with finitely many settings, let
//! `u` be left of `N`. If `k` of the `N` differ, they all are among those left with a chance of
//! `u/N (u - 1)/(N - 1) ... (u - k + 1)/(N - k + 1)`, and `p` is `k/N` for the largest `k` at which this
//! is 5 % or more: 16 of 20 settings are enough, and of ten or fewer all.
//!
//! This holds for settings that were drawn at random. Those of a design, and of a model that sees no
//! difference, are spread more evenly: they miss a region of the space more rarely. It says nothing of
//! how much better the share may be that was not seen.
//!
//! **Never varied.** If all outcomes are equal, a rule by a price stops once the share is below a tenth,
//! and not before, whatever the price. All objectives have to be equal; while no trial holds all limits,
//! the numbers of limits too.
//!
//! **All but one or two.** A model then knows the unit from these alone. The rule stops where the model
//! says so, but not before the share is below a tenth. With a third one that differs the model decides.
//!
//! **The best ties.** If the best outcome was reached, and `n` later trials brought nothing better, the
//! share of the settings that are better is below the same bound. A rule by a price stops once it is
//! below a tenth and a [quarter](TIED) of these trials tie with the best: outcomes have come to their
//! end there. Suggestions look for better outcomes where the model expects them, so they are no draws at
//! random. They find a better outcome at least as often, unless the model is wrong. Of outcomes with noise a
//! tie says nothing.

use crate::data::{Observation, State, is_rounding};
use crate::math::decimal::decimal;
use crate::stop::{Statistic, StopContext};
use crate::surrogate::Taken;

/// The share of the settings at which a study has seen enough of what does not vary.
const ENOUGH: f64 = 0.1;

/// The chance that the share is larger than said.
const DOUBT: f64 = 0.05;

/// The part of the trials since the best outcome that have to tie with it: at the fewest trials, 29,
/// these are the 8 ties from which on the model takes the best level for as wide as it ever does.
const TIED: f64 = 0.25;

/// The share of the settings, with a confidence of 95 %, that differ from so many that are equal. `left`
/// is how many others there are, if they are few.
pub(crate) fn share_that_differs(equal: usize, left: Option<usize>) -> f64 {
    let Some(left) = left else { return 1.0 - DOUBT.powf(1.0 / equal as f64) };
    let all = equal + left;
    let mut differ = 0;
    let mut chance = 1.0;
    while differ < left {
        chance *= (left - differ) as f64 / (all - differ) as f64;
        // Exactly 5 % after all factors is no less.
        if chance < DOUBT * (1.0 - 1e-12) {
            break;
        }
        differ += 1;
    }
    differ as f64 / all as f64
}

/// Whether so small a share of the settings is not looked for.
pub(crate) fn is_enough(share: f64) -> bool {
    share < ENOUGH
}

/// What a share of the settings that may differ means.
fn of_settings(share: f64) -> String {
    if is_enough(share) {
        "with 95 % fewer than a tenth of the settings differ".to_owned()
    } else {
        format!(
            "with 95 % fewer than {} % of the settings differ, and a tenth is too many to stop",
            decimal(100.0 * share, 2)
        )
    }
}

/// The statistic of so many outcomes that are all equal, where this share of the settings may differ.
pub(crate) fn never_varied(equal: usize, share: f64) -> Statistic {
    let words = format!("all {equal} outcomes are equal: {}", of_settings(share));
    of_share(share, "equal outcomes", words)
}

/// The statistic of what the share of the settings decides that may differ.
fn of_share(share: f64, rule: &str, words: String) -> Statistic {
    // A rule fires at its threshold, and a tenth is too many.
    let found = Statistic::at_most(share, ENOUGH.next_down()).note(words).apart();
    Statistic { rule: Some(rule.to_owned()), ..found }
}

/// The numbers of all complete trials in one respect.
struct Alike {
    /// The settings with the most frequent number.
    equal: usize,
    /// The trials with another one.
    others: usize,
}

impl Alike {
    fn of(mut told: Vec<(f64, &[f64])>) -> Self {
        told.sort_by(|a, b| a.0.total_cmp(&b.0));
        let same =
            |a: &(f64, _), b: &(f64, _)| is_rounding(a.0, b.0) || a.0.is_nan() && b.0.is_nan();
        let most = told.chunk_by(same).max_by_key(|run| run.len()).unwrap_or_default();
        let settings: Taken = most.iter().map(|(_, point)| *point).collect();
        Self { equal: settings.count(), others: told.len() - most.len() }
    }

    /// Whether all but one or two are equal.
    fn is_unit_unknown(&self) -> bool {
        self.others <= 2 && self.others < self.equal
    }
}

/// The outcomes, the objectives, and while no trial holds all limits their numbers.
fn respects(context: &StopContext<'_>) -> Vec<Alike> {
    let observations = context.observations();
    let complete = || observations.iter().filter(|one| one.state == State::Complete);
    let limits = observations.measures().limits().len();
    let holds = complete().any(|one| one.holds);
    let outcomes = complete().filter_map(|one| Some((one.outcome?, one.point.as_slice())));
    let measured = |place| {
        complete().filter_map(move |one| Some((*one.measured.get(place)?, one.point.as_slice())))
    };
    let places = if holds { limits } else { 0 }..observations.measures().len();
    [Alike::of(outcomes.collect())]
        .into_iter()
        .chain(places.map(|place| Alike::of(measured(place).collect())))
        .collect()
}

/// The statistic of a rule by a price, unless outcomes have not varied, or all but one or two are equal. A
/// known kernel knows the unit of outcomes without them.
pub fn weighed(statistic: Statistic, context: &StopContext<'_>) -> Statistic {
    let is_decided = statistic.value == f64::NEG_INFINITY || statistic.interrupted;
    if is_decided || context.knows_unit() {
        return statistic;
    }
    let respects = respects(context);
    let Some(alike) =
        respects.iter().filter(|one| one.is_unit_unknown()).min_by_key(|one| one.equal)
    else {
        return statistic;
    };
    let share = share_that_differs(alike.equal, context.left());
    if respects.iter().all(|one| one.others == 0) {
        return never_varied(alike.equal, share);
    }
    let of_settings = of_settings(share);
    if is_enough(share) {
        return statistic;
    }
    if !statistic.fired {
        return statistic.apart();
    }
    let words =
        format!("{}; all outcomes but {} are equal: {of_settings}", statistic.note, alike.others);
    Statistic { worth: statistic.worth, ..of_share(share, "equal outcomes", words) }
}

/// The statistic of a rule by a price, unless the best outcome ties so often that outcomes end there.
pub fn ended_by_ties(statistic: Statistic, context: &StopContext<'_>) -> Statistic {
    let observations = context.observations();
    let is_noisy = context.surrogate().is_none_or(|surrogate| surrogate.worth_repeating());
    let Some(first) = observations.best().filter(|_| !is_noisy && !statistic.fired) else {
        return statistic;
    };
    let sign = observations.direction().sign();
    let best = observations.get(first).and_then(|one| one.outcome);
    let later = || {
        observations.iter().skip(first + 1).filter(|one| one.state == State::Complete && one.holds)
    };
    let settings = |trials: &mut dyn Iterator<Item = &Observation>| {
        trials.map(|one| one.point.as_slice()).collect::<Taken>().count()
    };
    let since = settings(&mut later());
    let ties = settings(&mut later().filter(|one| one.outcome == best));
    let share = share_that_differs(since, context.left());
    if observations.measures().have_objectives()
        || (ties as f64) < TIED * since as f64
        || !is_enough(share)
    {
        return statistic;
    }
    let best = context.outcome_tag(sign * best.unwrap_or(f64::NAN));
    let words = format!(
        "best {best}, with which {ties} of {since} later trials tie, and none is better: with 95 % \
         fewer than a tenth of the settings are"
    );
    Statistic { worth: statistic.worth, ..of_share(share, "plateau", words) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_the_largest_that_leaves_equal_trials_a_chance() {
        // The ways to draw `n` of `from`, relative to those of `all`: one factor for each drawn.
        let chance = |from: usize, all: usize, n: usize| {
            (0..n).map(|i| from.saturating_sub(i) as f64 / (all - i) as f64).product::<f64>()
        };
        for all in 1..40 {
            for n in 1..=all {
                let possible =
                    (0..=all).filter(|k| chance(all - k, all, n) >= DOUBT * (1.0 - 1e-12));
                let expected = possible.max().unwrap() as f64 / all as f64;
                assert_eq!(share_that_differs(n, Some(all - n)), expected, "{n} of {all}");
            }
        }
        let enough = |left| (1..).find(|n| is_enough(share_that_differs(*n, left)));
        assert_eq!(
            [enough(None), enough(Some(970)), enough(Some(100))],
            [Some(29), Some(28), Some(25)]
        );
    }
}
