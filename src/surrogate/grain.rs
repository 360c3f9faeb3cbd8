//! The grain of outcomes: the least difference that two of them have.
//!
//! An accuracy on 228 examples moves by 1/228, a count by one. The model is one of smooth functions
//! and knows nothing of that. Once trials tie, it foresees improvements between them by a small part
//! of the grain `d`. No outcome can show these, and one trial after another would be spent on them.
//!
//! Outcomes are taken as rounded. The next one above the incumbent `V` is `V + d`, and takes a
//! function value beyond `V + d/2`. So this is what a trial must improve upon. It is not too much:
//! for a rounded outcome `y` of the function value `f`
//!
//! ```text
//! E[max(y - V, 0)] = d sum_j P(f > V + (j - 1/2) d)  >=  E[max(f - V - d/2, 0)],   j = 1, 2, ...
//! ```
//!
//! because `P(f > t)` falls with `t`. Where the deviation is many times the grain both are alike.

use std::collections::HashSet;

use crate::data::{Observations, State};
use crate::surrogate::taken::key;

/// With fewer trials that have the best outcome, each at a point of its own, outcomes count as
/// those of a continuous function. Two may be one place in two spellings.
const TIES: usize = 3;

/// The distinct outcomes, from the best one on, between which the least step is looked for. Far
/// below the best one a loss may well have smaller steps.
const LEVELS: usize = 8;

/// The grain of the outcomes of trials `in_hand`, in outcome units. None if their best outcomes do
/// not tie, or there is no other.
pub(super) fn grain(observations: &Observations, in_hand: &[bool]) -> Option<f64> {
    let sign = observations.direction().sign();
    let usable = observations.iter().zip(in_hand).filter(|(_, in_hand)| **in_hand);
    let complete = usable.map(|(one, _)| one).filter(|one| one.state == State::Complete);
    let mut told: Vec<(f64, &[f64])> =
        complete.filter_map(|one| Some((sign * one.outcome?, one.point.as_slice()))).collect();
    told.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = told.first()?.0;
    let tied = told.iter().take_while(|(outcome, _)| *outcome == best);
    if tied.map(|(_, point)| key(point)).collect::<HashSet<_>>().len() < TIES {
        return None;
    }
    told.dedup_by(|a, b| a.0 == b.0);
    let steps = told.windows(2).take(LEVELS).map(|pair| pair[0].0 - pair[1].0);
    steps.reduce(f64::min).filter(|step| step.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Direction;

    fn grain_of(direction: Direction, told: &[(f64, f64)]) -> Option<f64> {
        let mut observations = Observations::new(1, direction);
        for &(unit, outcome) in told {
            observations.push(&[unit], State::Complete, Some(outcome), None).unwrap();
        }
        grain(&observations, &vec![true; told.len()])
    }

    #[test]
    fn the_grain_is_the_least_step_once_three_trials_tie_with_the_best() {
        let mut told = vec![(0.1, 0.25), (0.2, 0.5), (0.3, 1.5), (0.4, 0.25)];
        assert_eq!(grain_of(Direction::Minimize, &told), None);
        told.push((0.5, 0.25));
        assert_eq!(grain_of(Direction::Minimize, &told), Some(0.25));
        let mirrored: Vec<_> = told.iter().map(|(unit, outcome)| (*unit, -outcome)).collect();
        assert_eq!(grain_of(Direction::Maximize, &mirrored), Some(0.25));
        // Here the best one is alone.
        assert_eq!(grain_of(Direction::Maximize, &told), None);
    }

    #[test]
    fn one_place_evaluated_again_is_no_tie_and_equal_outcomes_have_no_grain() {
        let again = [(0.1, 0.25), (0.1, 0.25), (0.1, 0.25), (0.2, 0.5)];
        assert_eq!(grain_of(Direction::Minimize, &again), None);
        let equal = [(0.1, 0.25), (0.2, 0.25), (0.3, 0.25)];
        assert_eq!(grain_of(Direction::Minimize, &equal), None);
    }

    #[test]
    fn steps_far_below_the_best_outcome_do_not_count() {
        let steps = (0..12).map(|k| (0.01 * f64::from(k), f64::from(k.min(9))));
        let ties = [(0.5, 0.0), (0.6, 0.0), (0.7, 9.001), (0.8, 9.002)];
        let told: Vec<_> = steps.chain(ties).collect();
        assert_eq!(grain_of(Direction::Minimize, &told), Some(1.0));
    }
}
