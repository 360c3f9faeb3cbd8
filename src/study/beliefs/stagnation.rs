//! Stagnation: what suggestions expect and bring, against what a random trial
//! would bring.
//!
//! The [warp](crate::data::Warping) makes the worse half of the outcomes look alike. Once most
//! trials stand in one basin, the better half is the basin. All else is then modeled as a few of
//! its spreads worse. Such a model may spend a whole run where it is, on improvements that no
//! longer matter, although most of the space was never looked at. It cannot see this by itself: by
//! its own numbers nothing else is worth a trial. The design can. Its points were chosen by nobody,
//! so their outcomes say what one more point of that kind would bring.
//!
//! **What a random trial brings.** Let `q` be the median of the `n` outcomes of the design (larger
//! is better), and `s` the root mean square of `y - q` over the `k` outcomes with `y >= q`, as in
//! the warp. One more such outcome exceeds the best outcome `V` on average by
//!
//! ```text
//! G = s' E[max(T - (V - q)/s', 0)],   s' = s sqrt(1 + 1/n),
//! ```
//!
//! with `T` of Student's distribution with `k` degrees of freedom: the prediction of a normal
//! distribution whose deviation is known from `k` outcomes. Its tail is heavy because `k` is small.
//! `G` has the unit of the outcome, so nothing here depends on units.
//!
//! **Idle suggestions.** A suggestion is idle if its expected improvement `sd h((mean - V)/sd)` was
//! below `G`, and it brought no new best outcome. After [`PATIENCE`] idle ones in a row the next is
//! by a model without a warp ([`AlternateModel`]), to which bad outcomes are as bad as they were. If it
//! brings a new best outcome, this model goes on. If not, the patience doubles. So a run that has
//! converged, and for which `G` is far too hopeful, spends on this only the logarithm of its
//! length.
//!
//! **Plateaus.** Where outcomes have steps, suggestions may tie with the best outcome exactly. The
//! model learns from each tie that the function is flat there, and grows sure of it, although
//! nothing was found. After [`TIES`] idle suggestions that tie, a random trial has a turn,
//! quasi-random as those of the design. Its outcome counts for `G` from then on. If turns bring
//! nothing, the chance that one does is held to the rule of succession: at most `1/(k + 2)` after
//! `k` of them. A run with a price has turns one after the other once the model promises less than
//! `G`, for as long as `G` is larger than the price of a trial, and does not end while there is one
//! to make. After 29 in vain there is none: with 95 % [fewer than a tenth](crate::stop) of the
//! settings are better.

use crate::data::trial::trial::{Origin, Trial};
use crate::data::{Observations, spread};
use crate::math::decimal::decimal;
use crate::math::normal::h;
use crate::math::order::at_rank;
use crate::math::student;
use crate::stop::Verdict;
use crate::stop::equal::{is_enough, share_that_differs};
use crate::study::beliefs::beliefs::Beliefs;
use crate::study::events::choice::Choice;
use crate::study::events::note::Note;
use crate::study::record::Suggested;
use crate::study::trials::trial_log::TrialLog;
use crate::study::trials::trials::Trials;
use crate::surrogate::{AlternateModel, Setup};

/// How many suggestions in a row may be idle before the other model has a turn for the first time.
/// With four, functions on which the warp wins lose a little; with ten nothing is lost there.
const PATIENCE: usize = 10;

/// Beyond this number of observations the first model is alone: it knows by then which inputs
/// matter, and a second factor would double the memory.
const MANY_OBSERVATIONS: usize = 2000;

/// After this many suggestions that tie with the best outcome, and promised less than a random trial,  it is the turn of one.
const TIES: usize = 2;

/// With fewer outcomes of the design nothing can be said of random trials. As many as the warp
/// needs.
const FEWEST: usize = 4;

/// The outcomes of trials that no model chose.
#[derive(Debug)]
struct RandomRestart {
    median: f64,
    /// The deviation of one more outcome.
    deviation: f64,
    /// The outcomes that tell this deviation.
    freedom: f64,
}

impl RandomRestart {
    /// None if there are too few outcomes, or if they do not vary. Larger outcomes are better.
    fn of(mut outcomes: Vec<f64>) -> Option<Self> {
        let n = outcomes.len();
        if n < FEWEST {
            return None;
        }
        outcomes.sort_by(f64::total_cmp);
        let median = at_rank(&outcomes, 0.5 * (n - 1) as f64)?;
        let better = &outcomes[outcomes.partition_point(|y| *y < median)..];
        let deviation = spread(better, median, None)? * (1.0 + 1.0 / n as f64).sqrt();
        let freedom = better.len() as f64;
        deviation.is_finite().then_some(Self { median, deviation, freedom })
    }

    /// The expected gain of one more random trial above a best outcome, after so many that were
    /// made for it and brought none: the chance of one is at most that of the rule of succession.
    fn gain_above(&self, best: f64, failures: usize) -> f64 {
        let Self { median, deviation, freedom } = *self;
        let z = (best - median) / deviation;
        let chance = 1.0 - student::cdf(z, freedom as usize);
        let most = 1.0 / (failures as f64 + 2.0);
        deviation * student::improvement(z, freedom) * (most / chance).min(1.0)
    }
}

/// Why the second model makes a suggestion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::study) enum Turn {
    /// The models take turns.
    Alternate,
    /// The first model is stuck: a random trial is expected to bring this much.
    Stuck(f64),
}

/// Why the second model makes the suggestion of this number, the first being 1, after the
/// observations that the first model was fitted to. None if the first model makes it. Nobody
/// watches a run that is `judged`: it ends once the first model sees nothing that is worth its
/// price, and what is known of such runs holds for points that this model chose.
pub(in crate::study) fn turn(
    second: &AlternateModel,
    suggestion: usize,
    trial_log: &TrialLog,
    modeled: &Observations,
    judged: bool,
) -> Option<Turn> {
    if modeled.told() > MANY_OBSERVATIONS {
        return None;
    }
    if second.takes_turns() {
        return AlternateModel::is_turn(suggestion).then_some(Turn::Alternate);
    }
    if judged { None } else { stuck(trial_log).map(Turn::Stuck) }
}

/// The expected gain of a random trial, in outcome units, if the first model is stuck.
fn stuck(trial_log: &TrialLog) -> Option<f64> {
    let sign = trial_log.direction().sign();
    let chosen =
        || trial_log.trials.iter().zip(&trial_log.notes).map(|(t, note)| (t, choice_of(t, note)));
    let outcomes = |of: fn(Option<Choice>) -> bool| {
        let trials = chosen().filter(move |(_, choice)| of(*choice));
        trials
            .filter_map(|(t, _)| trial_log.usable_outcome(t.id))
            .map(move |outcome| sign * outcome)
    };
    let random_restart =
        RandomRestart::of(outcomes(|choice| choice == Some(Choice::Initial)).collect())?;
    let unmodeled = outcomes(|choice| !matches!(choice, Some(Choice::Suggested { .. })));
    let mut best = unmodeled.reduce(f64::max)?;
    let mut expected = random_restart.gain_above(best, 0);
    let (mut idle, mut patience) = (0, PATIENCE);
    for (trial, choice) in chosen() {
        let Some(Choice::Suggested { mean, sd, random_restart: turn }) = choice else { continue };
        let was_turn = turn.is_some();
        if !trial.state.is_told() {
            // What comes of a turn is waited for.
            idle = if was_turn { 0 } else { idle };
            continue;
        }
        let outcome = trial_log.usable_outcome(trial.id).map(|outcome| sign * outcome);
        let found = outcome.filter(|outcome| *outcome > best);
        let promised = improvement(sign * mean - best, sd) > expected;
        (idle, patience) = match (was_turn, found) {
            // The other model goes on.
            (true, Some(_)) => (PATIENCE, PATIENCE),
            (true, None) => (0, patience.saturating_mul(2)),
            (false, None) if !promised => (idle + 1, patience),
            (false, _) => (0, patience),
        };
        if let Some(found) = found {
            best = found;
            expected = random_restart.gain_above(best, 0);
        }
    }
    (idle >= patience).then_some(expected)
}

/// Whether the model can suggest nothing. One of outcomes that never varied is sure of what it cannot
/// know, and its suggestions are spread less evenly than a design. Where it is known beforehand, it
/// knows more than they say.
pub(in crate::study) fn is_blind(setup: &Setup, trial_log: &TrialLog) -> bool {
    let learns = setup.learns_unit() && trial_log.observations.measures().len() == 0;
    learns && trial_log.observations.never_varied()
}

/// The expected gain of a random trial, in outcome units, if it is its turn because suggestions
/// do no more than tie with the best outcome. If trials have a price, there is a turn as soon as
/// the model expects less of a suggestion, and one after the other, but only for a gain that is
/// larger than the price. A study without a second model has no turns, and none with several
/// objectives: a trial that ties in one may be better in another.
pub(in crate::study) fn plateau(beliefs: &Beliefs, trials: &Trials) -> Option<f64> {
    let (trial_log, price) = (&trials.trial_log, trials.price());
    if beliefs.second.is_none() || trial_log.observations.measures().have_objectives() {
        return None;
    }
    let sign = trial_log.direction().sign();
    let (mut random_restart, mut turns) = (Vec::new(), 0);
    // What the suggestions promised that tie since something better was found, or since a turn.
    let (mut best, mut ties, mut last) = (f64::NEG_INFINITY, Vec::new(), f64::INFINITY);
    for (trial, note) in trial_log.trials.iter().zip(&trial_log.notes) {
        let choice = choice_of(trial, note);
        let outcome = trial_log.usable_outcome(trial.id).map(|outcome| sign * outcome);
        match choice {
            Some(Choice::Suggested { mean, sd, .. }) => {
                last = improvement(sign * mean - best, sd);
                if outcome == Some(best) {
                    ties.push(last);
                }
            }
            Some(Choice::Initial) => random_restart.extend(outcome),
            Some(Choice::RandomRestart) => {
                random_restart.extend(outcome);
                turns += 1;
                if price.is_none() {
                    ties.clear();
                }
            }
            None => {}
        }
        if let Some(outcome) = outcome.filter(|outcome| *outcome > best) {
            best = outcome;
            ties.clear();
            turns = 0;
        }
    }
    if ties.len() < TIES {
        return None;
    }
    let gain = RandomRestart::of(random_restart)?.gain_above(best, turns);
    let is_turn = match price {
        Some(price) => gain > price && gain > last && !is_enough(share_that_differs(turns, None)),
        None => ties.iter().filter(|promised| **promised < gain).count() >= TIES,
    };
    is_turn.then_some(gain)
}

/// The verdict while a random trial is to come that is worth its price. Without a price it is
/// for the rule to say when to end.
pub(in crate::study) fn missing_of_plateau(beliefs: &Beliefs, trials: &Trials) -> Option<Verdict> {
    trials.price()?;
    let gain = decimal(plateau(beliefs, trials)?, 2);
    let words = format!(
        "suggestions only tie with the best outcome, and a random trial is expected to gain {gain}"
    );
    Some(Verdict::without_statistic("plateau", false, words))
}

/// How a trial was chosen, by this study or by another one. None if this is not known.
fn choice_of(trial: &Trial, note: &Note) -> Option<Choice> {
    let said = note.suggestion.as_ref().map(|said| {
        let Suggested { mean, sd, random_restart, .. } = **said;
        Choice::Suggested { mean, sd, random_restart }
    });
    let random_restart = match trial.origin {
        Origin::Initial => Some(Choice::Initial),
        // What a study asks for without a suggestion is quasi-random.
        Origin::Suggested => Some(Choice::RandomRestart),
        Origin::Imported => None,
    };
    said.or(random_restart).or(note.choice)
}

/// The expected improvement of something normal with this mean above the level.
fn improvement(above: f64, sd: f64) -> f64 {
    if sd > 0.0 { sd * h(above / sd) } else { above.max(0.0) }
}
