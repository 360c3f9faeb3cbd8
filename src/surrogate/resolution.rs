//! Outcomes with steps: by how much a trial must be better than the incumbent.
//!
//! An accuracy on 228 examples moves by 1/228, a count by one, and a table has the same outcome all
//! around a row. The model is one of smooth functions and knows nothing of that. Once trials tie,
//! it foresees improvements between them by a small part of a step. No outcome can show these, and
//! one trial after another would be spent on them.
//!
//! **The grain.** Outcomes are taken as rounded to a grain `d`. The next one above the incumbent
//! `V` is `V + d`, and takes a function value beyond `V + d/2`. This is what a trial must improve
//! upon. It is not too much: for a rounded outcome `y` of the function value `f`
//!
//! ```text
//! E[max(y - V, 0)] = d sum_j P(f > V + (j - 1/2) d)  >=  E[max(f - V - d/2, 0)],   j = 1, 2, ...
//! ```
//!
//! because `P(f > t)` falls with `t`. Where the deviation is many times the grain both are alike.
//!
//! **The plateau.** The best level may be wider than the grain. If its width was the step `s` down
//! to the next level, two more trials that look for better and tie would be rare. So for each tie
//! beyond the second it counts as wider by `s`, up to [`WIDEST`] steps. While few levels are known,
//! `s` says little: the half width is at most [`SHARE`] of what the best outcome is above the
//! median.

use crate::data::{Observations, State};
use crate::surrogate::taken::Taken;

/// With fewer trials that have the best outcome, each at a point of its own, outcomes count as
/// those of a continuous function. Two may be one place in two spellings.
const TIES: usize = 3;

/// The distinct outcomes, from the best one on, between which the least step is looked for. Far
/// below the best one a loss may well have smaller steps.
const LEVELS: usize = 8;

/// The most steps that the best level counts as wide, and the largest share of the way from the
/// median to the best outcome that half of this may be. Chosen on the problems named `TUNED` in
/// `evidence/contest/everyday.py`.
const WIDEST: usize = 8;
const SHARE: f64 = 0.4;

/// By how much a trial must be better than the best outcome of the trials `feasible`, in outcome
/// units: half of the grain, or of the width of the plateau. None if the best outcomes do not tie,
/// or there is no other.
pub(super) fn above(observations: &Observations, feasible: &[bool]) -> Option<f64> {
    let sign = observations.direction().sign();
    let usable = observations.iter().zip(feasible).filter(|(_, feasible)| **feasible);
    let complete = usable.map(|(one, _)| one).filter(|one| one.state == State::Complete);
    let mut told: Vec<(f64, &[f64])> =
        complete.filter_map(|one| Some((sign * one.outcome?, one.point.as_slice()))).collect();
    told.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = told.first()?.0;
    let tied = told.iter().take_while(|(outcome, _)| *outcome == best);
    let ties = tied.map(|(_, point)| *point).collect::<Taken>().count();
    if ties < TIES {
        return None;
    }
    let median = told[told.len() / 2].0;
    told.dedup_by(|a, b| a.0 == b.0);
    let step = best - told.get(1)?.0;
    let steps = told.windows(2).take(LEVELS).map(|pair| pair[0].0 - pair[1].0);
    let resolution = steps.fold(step, f64::min);
    let half_width = 0.5 * (ties + 1 - TIES).min(WIDEST) as f64 * step;
    let above = half_width.min(SHARE * (best - median)).max(0.5 * resolution);
    Some(above).filter(|above| above.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Direction;

    fn above_of(direction: Direction, told: &[(f64, f64)]) -> Option<f64> {
        let mut observations = Observations::new(1, direction);
        for &(unit, outcome) in told {
            observations.push(&[unit], State::Complete, Some(outcome), None).unwrap();
        }
        above(&observations, &vec![true; told.len()])
    }

    #[test]
    fn half_of_the_least_step_is_missing_once_three_trials_tie_with_the_best() {
        let mut told = vec![(0.1, 0.25), (0.2, 0.5), (0.3, 1.5), (0.4, 0.25)];
        assert_eq!(above_of(Direction::Minimize, &told), None);
        told.push((0.5, 0.25));
        assert_eq!(above_of(Direction::Minimize, &told), Some(0.125));
        let mirrored: Vec<_> = told.iter().map(|(unit, outcome)| (*unit, -outcome)).collect();
        assert_eq!(above_of(Direction::Maximize, &mirrored), Some(0.125));
        // Here the best one is alone.
        assert_eq!(above_of(Direction::Maximize, &told), None);
    }

    #[test]
    fn each_further_tie_widens_the_plateau_up_to_a_share_of_what_was_gained() {
        // Levels 0, 1, 2, ... 20: the median is far below the best.
        let levels: Vec<_> = (0..=20).map(|k| (0.01 * f64::from(k), f64::from(k))).collect();
        let tied = |ties: u32| {
            let ties = (1..ties).map(|k| (0.5 + 0.01 * f64::from(k), 0.0));
            above_of(Direction::Minimize, &levels.iter().copied().chain(ties).collect::<Vec<_>>())
        };
        let expected = [None, Some(0.5), Some(1.0), Some(1.5)];
        assert_eq!([2, 3, 4, 5].map(tied), expected);
        // Two fifths of the way from the median, which is 6 by then.
        assert_eq!(tied(9), Some(0.4 * 6.0));
    }

    #[test]
    fn one_place_evaluated_again_is_no_tie_and_equal_outcomes_have_no_step() {
        let again = [(0.1, 0.25), (0.1, 0.25), (0.1, 0.25), (0.2, 0.5)];
        assert_eq!(above_of(Direction::Minimize, &again), None);
        let equal = [(0.1, 0.25), (0.2, 0.25), (0.3, 0.25)];
        assert_eq!(above_of(Direction::Minimize, &equal), None);
    }

    #[test]
    fn steps_far_below_the_best_outcome_do_not_count() {
        let steps = (0..12).map(|k| (0.01 * f64::from(k), f64::from(k.min(9))));
        let ties = [(0.5, 0.0), (0.6, 0.0), (0.7, 9.001), (0.8, 9.002)];
        let told: Vec<_> = steps.chain(ties).collect();
        assert_eq!(above_of(Direction::Minimize, &told), Some(0.5));
    }
}
