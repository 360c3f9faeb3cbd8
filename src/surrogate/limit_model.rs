//! What measured numbers teach: how much slack a trial has to the bound of each limit.
//!
//! A number may reach over orders of magnitude, as a stress does, and what counts is on which side of
//! its bound it lies. So the model sees
//!
//! ```text
//! t = asinh(slack / w)      w = the median of |slack| over the trials
//! ```
//!
//! It is linear near the bound and logarithmic far from it. It keeps the sign, so that the limit holds
//! if `t >= 0`, and it is smooth, so that a smooth number stays one. A larger `w` misses narrow regions among numbers of
//! many decades, as those of a spring's design; a smaller one bends numbers that are nearly linear.

use crate::data::{Limit, Observations, State};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::surrogate::incumbent::{Incumbent, is_noisy};
use crate::surrogate::number_model::{NumberModel, Numbers};
use crate::surrogate::refit::{KeptFit, scaling_of_any};
use crate::surrogate::setup::Setup;

/// Slacks beyond this many units are all the same. Twice as large a number has an inverse hyperbolic sine
/// still.
const FAR: f64 = 1e300;

/// The slack of one limit after some trials.
#[derive(Debug, Clone)]
pub(super) struct Slack {
    /// Of the transformed slack.
    pub model: NumberModel,
    unit: f64,
}

/// What was measured for one limit: the indices of the observations, and the transformed slack there.
struct Seen {
    rows: Vec<usize>,
    transformed: Numbers,
    unit: f64,
}

impl Seen {
    /// What was measured for the limit of this number; `None` if nothing was.
    fn of(observations: &Observations, number: usize, limit: Limit) -> Option<Self> {
        let slack = |(row, number): (usize, f64)| (row, limit.slack(number));
        let (rows, slacks): (Vec<usize>, Vec<f64>) =
            observations.measured(number).map(slack).unzip();
        let unit = unit(&slacks)?;
        let values = slacks.iter().map(|slack| transformed(slack / unit)).collect();
        let inputs = observations.points_of(&rows);
        let (scaling, told): (fn(&[f64]) -> _, _) = (scaling_of_any, observations.told());
        let transformed = Numbers { inputs, values, scaling, place: number, told };
        Some(Self { rows, transformed, unit })
    }
}

/// The slack as the model sees it, from one in units. Whatever overflows the unit is far enough.
fn transformed(slack: f64) -> f64 {
    slack.clamp(-FAR, FAR).asinh()
}

/// The unit of some slacks: none of no slack, and 1 if all are zero.
fn unit(slacks: &[f64]) -> Option<f64> {
    let mut sizes: Vec<f64> = slacks.iter().map(|slack| slack.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let median = *sizes.get(sizes.len() / 2)?;
    let largest = *sizes.last()?;
    let unit = if median > 0.0 { median } else { largest };
    Some(if unit > 0.0 { unit } else { 1.0 })
}

impl Slack {
    /// The slack of the limit of this number; `None` while its number was never measured.
    ///
    /// # Errors
    /// Those of [`NumberModel::learn`].
    pub fn learn(
        setup: &Setup,
        observations: &Observations,
        number: usize,
        limit: Limit,
        before: Option<&Self>,
        deadline: Deadline,
    ) -> Result<Option<Self>> {
        let Some(seen) = Seen::of(observations, number, limit) else { return Ok(None) };
        let before = before.map(|before| &before.model);
        let model = NumberModel::learn(setup, &seen.transformed, before, deadline)?;
        Ok(Some(Self { model, unit: seen.unit }))
    }

    /// The slack that was kept with these observations, to the bit.
    ///
    /// # Errors
    /// Those of [`NumberModel::restored`].
    pub fn restored(
        setup: &Setup,
        observations: &Observations,
        number: usize,
        limit: Limit,
        kept: &KeptFit,
    ) -> Result<Option<Self>> {
        let Some(seen) = Seen::of(observations, number, limit) else { return Ok(None) };
        let model = NumberModel::restored(setup, &seen.transformed, kept)?;
        Ok(Some(Self { model, unit: seen.unit }))
    }

    /// What it needs of a trial with this slack, in units of its model: 0 if the limit holds.
    fn lack(&self, slack: f64) -> f64 {
        if slack.is_nan() { f64::INFINITY } else { transformed((-slack / self.unit).max(0.0)) }
    }
}

/// Which observations are feasible: those that hold each limit as measured. Of a number with noise
/// the posterior mean must hold it too, so that a lucky measurement does not count: the limit then
/// holds more likely than not. A number that was not measured holds nothing. By outcomes, lucky or not,
/// what was measured decides.
pub(super) fn feasible(
    observations: &Observations,
    slacks: &[Option<Slack>],
    by: Incumbent,
) -> Vec<bool> {
    let mut holds: Vec<bool> = observations.iter().map(|observation| observation.holds).collect();
    if by == Incumbent::BestOutcome {
        return holds;
    }
    for (number, ((_, limit), slack)) in observations.measures().limits().zip(slacks).enumerate() {
        let Some((slack, seen)) = slack.as_ref().zip(Seen::of(observations, number, limit)) else {
            continue;
        };
        let Numbers { inputs, values, .. } = &seen.transformed;
        let posterior = &slack.model.posterior;
        if is_noisy(posterior, inputs.rows().zip(values.iter().copied())) {
            for (&row, mean) in seen.rows.iter().zip(posterior.means_at_data()) {
                holds[row] &= mean >= 0.0;
            }
        }
    }
    holds
}

/// The complete trial closest to feasibility, the first of equals.
pub(super) fn nearest(observations: &Observations, slacks: &[Option<Slack>]) -> Option<usize> {
    let lack = |index: usize| {
        let observation = observations.get(index)?;
        observation.outcome.filter(|_| observation.state == State::Complete)?;
        let limits = observations.measures().limits().zip(&observation.measured).zip(slacks);
        let lacks = limits.map(|(((_, limit), measured), slack)| {
            slack.as_ref().map_or(0.0, |slack| slack.lack(limit.slack(*measured)))
        });
        Some((index, lacks.sum::<f64>()))
    };
    let lacks = (0..observations.len()).filter_map(lack);
    lacks.reduce(|least, next| if next.1 < least.1 { next } else { least }).map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_a_median_and_there_is_one_for_any_slacks() {
        assert_eq!(unit(&[]), None);
        assert_eq!(unit(&[0.0, 0.0]), Some(1.0));
        assert_eq!(unit(&[-3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(unit(&[0.0, 0.0, 0.0, -5.0]), Some(5.0));
        assert_eq!(unit(&[f64::MAX]), Some(f64::MAX));
        // A unit as small as there is.
        let tiny = f64::from_bits(1);
        for slack in [f64::MAX, f64::MIN, 1.0, tiny, -tiny] {
            assert!(transformed(slack / tiny).is_finite(), "{slack}");
        }
    }
}
