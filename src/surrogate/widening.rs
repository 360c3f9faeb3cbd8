//! By how much variances are widened: by the errors of what was foreseen of suggestions.
//!
//! A suggestion is where the model is too hopeful as often as where it is right. So outcomes of
//! suggestions lie farther from what was expected than the model says, while each outcome seems well
//! explained by all others. Only forecasts show it: their squared errors, in units of the variances
//! that the fits foresaw, have a mean of 1 to 11 on published tables. The same factor on the scale of
//! the kernel and on the noise makes them true again.
//!
//! On smooth functions a wider deviation costs the last digits. So nothing is widened until two trials
//! share the best outcome: then outcomes have levels, and more than the last digits is left to find. From
//! there on the model is the one [of levels](crate::model::GaussianProcess::of_levels), too.

use crate::data::{Observation, Observations, State, Warp};

/// How many of the last errors count, and of how many errors of size 1 they are taken together with:
/// with fewer of their own nothing is known. The most that a squared error counts, and the most that
/// variances grow. All as in the runs on published tables that this was chosen by; not tuned one by one.
const LAST: usize = 20;
const USUAL: usize = 5;
const FAR: f64 = 25.0;
const WIDEST: f64 = 16.0;

/// With fewer trials that share the best outcome, outcomes count as those of a smooth function.
const TIES: usize = 2;

/// What the variances of a fit are multiplied by where outcomes have levels, at least 1; none if they
/// have none. Outcomes are compared as they are modeled, in this warp.
pub(super) fn of(observations: &Observations, warp: &Warp) -> Option<f64> {
    let best = observations.best().and_then(|best| observations.get(best)?.outcome);
    let at_best = |one: &&Observation| one.holds && one.outcome == best;
    if complete(observations).filter(at_best).count() < TIES {
        return None;
    }
    let sign = observations.direction().sign();
    let error = |one: &Observation| {
        let [low, high] = one.foreseen?.map(|side| warp.apply(sign * side));
        let deviation = (0.5 * high - 0.5 * low).abs().max(f64::MIN_POSITIVE);
        let error = (warp.apply(sign * one.outcome?) - (0.5 * low + 0.5 * high)) / deviation;
        Some(error.powi(2).min(FAR))
    };
    let newest_first = complete(observations).rev();
    let errors: Vec<f64> = newest_first.filter_map(error).take(LAST).collect();
    if errors.len() < USUAL {
        return Some(1.0);
    }
    let usual = USUAL as f64;
    let mean = (usual + errors.iter().sum::<f64>()) / (usual + errors.len() as f64);
    Some(mean.clamp(1.0, WIDEST))
}

fn complete(observations: &Observations) -> impl DoubleEndedIterator<Item = &Observation> {
    observations.iter().filter(|one| one.state == State::Complete)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::backend::{Backend, Cpu};
    use crate::data::{Direction, Domain, Space, Warping};
    use crate::model::GaussianProcess;
    use crate::surrogate::{Setup, Surrogate};

    /// Trials of these outcomes. All but the first two were foreseen at 2 with a deviation of 0.5.
    fn told(outcomes: &[f64]) -> Observations {
        let mut observations = Observations::new(1, Direction::Minimize);
        for (index, outcome) in outcomes.iter().enumerate() {
            let unit = (index as f64 + 0.5) / outcomes.len() as f64;
            observations.push(&[unit], State::Complete, Some(*outcome), None).unwrap();
            let foreseen = Some([2.5, 1.5]).filter(|_| index >= 2);
            observations.note_foreseen(index, foreseen);
        }
        observations
    }

    fn widened(outcomes: &[f64]) -> f64 {
        of(&told(outcomes), &Warp::identity()).unwrap()
    }

    #[test]
    fn variances_grow_by_the_mean_square_of_errors_taken_together_with_five_of_size_one() {
        // Five errors of 1.5 deviations, and a tie of the best.
        let few = [1.25, 9.0, 2.75, 2.75, 2.75, 2.75, 1.25];
        assert_eq!(widened(&few), (5.0 + 5.0 * 2.25) / 10.0);
        // Four forecasts are too few.
        assert_eq!(widened(&[1.25, 1.25, 2.75, 2.75, 2.75, 2.75]), 1.0);
        // Exact forecasts do not make it surer.
        assert_eq!(widened(&[1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0]), 1.0);
        // An error counts 25 at most, and the last twenty count: 16 at most.
        let far = |count: usize| [vec![1.0, 1.0], vec![1e9; count], vec![2.0; 15]].concat();
        assert_eq!(widened(&far(5)), (5.0 + 5.0 * 25.0) / 25.0);
        assert_eq!(widened(&far(50)), (5.0 + 5.0 * 25.0) / 25.0);
        assert_eq!(widened(&[vec![1.0, 1.0], vec![1e9; 30]].concat()), 16.0);
    }

    #[test]
    fn errors_are_measured_in_the_warp() {
        let outcomes = [1.0, 1.0, 1.2, 1.5, 1.7, 2.6, 1e6, 1e7, 1e8];
        let turned: Vec<f64> = outcomes.iter().map(|outcome| -outcome).collect();
        let warp = Warp::new(Warping::HalfRank, &turned, None);
        let mut observations = told(&outcomes);
        (2..9).for_each(|index| observations.note_foreseen(index, Some([1e7, 1.7])));
        let [low, high] = [1e7, 1.7].map(|side| warp.apply(-side));
        let mean = 0.5 * (low + high);
        let sd = 0.5 * (high - low);
        let errors = turned[2..].iter().map(|y| ((warp.apply(*y) - mean) / sd).powi(2).min(FAR));
        let expected = (5.0 + errors.sum::<f64>()) / 12.0;
        assert!((of(&observations, &warp).unwrap() - expected).abs() < 1e-12 && expected > 1.0);
    }

    /// Without a tie of the best nothing depends on forecasts, and with one the posterior alone does:
    /// the next fit starts from what was found.
    #[test]
    fn outcomes_that_do_not_tie_are_believed_as_if_nothing_was_foreseen() {
        let domain = Domain::from(Space::new().float("x", 0.0, 1.0));
        let backend: Arc<dyn Backend> = Arc::new(Cpu);
        let mut setup = Setup::new(domain, GaussianProcess::new(), Some(backend)).unwrap();
        setup.warping = Warping::HalfRank;
        for (best, ties) in [(0.5, false), (1.0, true)] {
            let outcomes = [1.0, best, 4.0, 5.0, 3.5, 9.0, 2.0, 8.0, 7.0];
            let mut observations = told(&outcomes);
            let fit = |told: &Observations| Surrogate::fit(&setup, told, None).unwrap().unwrap();
            let with = fit(&observations);
            (0..outcomes.len()).for_each(|index| observations.note_foreseen(index, None));
            let without = fit(&observations);
            let [wide, usual] = [&with, &without].map(|one| one.posterior().hyperparameters());
            assert_eq!(with.outcome_fit().hyperparameters, *usual);
            assert_eq!(wide == usual, !ties);
            assert_eq!((&wide.lengthscales, wide.mean), (&usual.lengthscales, usual.mean));
            let turned: Vec<f64> = outcomes.iter().map(|outcome| -outcome).collect();
            let factor = of(&told(&outcomes), &setup.warp(&turned, None)).unwrap_or(1.0);
            assert_eq!(wide.outputscale, usual.outputscale * factor);
            assert_eq!(wide.noise, usual.noise * factor);
            assert_eq!(factor > 1.0, ties);
        }
    }
}
