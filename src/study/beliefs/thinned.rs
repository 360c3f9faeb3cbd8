//! The trials that the models see of a study with very many.
//!
//! A factor of `n` trials has `n^2` numbers and costs O(n^3). So the models see at most [`MOST`]
//! trials: the latest, without which they would not learn from what they suggested; the best; and of
//! all others as many as there is room for, drawn evenly. What was told decides which, and nothing
//! else, so a study that is resumed sees the same. The others are drawn anew when the latest fill
//! their share; until then a new trial is appended to the factor.

use crate::data::Observations;
use crate::surrogate::Setup;

/// The most trials that the models see.
const MOST: usize = 8000;

/// The share of them that are the latest, at most.
const LATEST: usize = 16;

/// Some of the trials that were told.
#[derive(Debug)]
pub(in crate::study) struct Thinned {
    /// Their indices among all, in order.
    pub rows: Vec<usize>,
    pub observations: Observations,
}

impl Thinned {
    /// The trials that the models see, unless they see all. A kernel of low rank sees all in linear
    /// time, and of several objectives the front is one of all trials.
    pub fn of(setup: &Setup, all: &Observations) -> Option<Self> {
        let is_dense = setup.model.family().rank(all.dim()).is_none();
        let rows = (is_dense && !all.measures().have_objectives()).then(|| rows(all, MOST))??;
        Some(Self { observations: all.only(&rows), rows })
    }

    /// What the models are fitted to.
    pub fn or_all<'a>(thinned: Option<&'a Self>, all: &'a Observations) -> &'a Observations {
        thinned.map_or(all, |thinned| &thinned.observations)
    }
}

/// The indices of at most so many trials; none if there are no more.
fn rows(all: &Observations, most: usize) -> Option<Vec<usize>> {
    let told = all.len();
    let latest = most / LATEST;
    if told <= most {
        return None;
    }
    let before = (told - 1) / latest * latest;
    let even = most - latest - 1;
    let mut rows: Vec<usize> = (0..even).map(|i| i * before / even).chain(before..told).collect();
    if let Some(best) = all.best()
        && let Err(place) = rows.binary_search(&best)
    {
        rows.insert(place, best);
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Direction, State};

    #[test]
    fn models_see_the_best_the_latest_and_others_drawn_evenly() {
        let mut all = Observations::new(1, Direction::Minimize);
        let mut before: Vec<usize> = Vec::new();
        for told in 0..300 {
            assert_eq!(rows(&all, 64).is_some(), told > 64);
            let seen = rows(&all, 64).unwrap_or_else(|| (0..told).collect());
            assert!(seen.len() <= 64 && seen.is_sorted_by(|a, b| a < b), "{seen:?}");
            assert!(all.best().is_none_or(|best| seen.contains(&best)), "{told}: {seen:?}");
            assert!(told == 0 || seen.contains(&(told - 1)));
            // What was drawn leaves out no stretch.
            let gaps = seen.windows(2).map(|pair| pair[1] - pair[0]);
            assert!(gaps.max().unwrap_or(0) <= told / 59 + 1, "{told}: {seen:?}");
            // Of 64 trials 4 are the latest at most.
            if told > 65 && told % 4 != 1 && all.best() != Some(told - 1) {
                assert_eq!(seen, [before, vec![told - 1]].concat());
            }
            before = seen;
            let outcome = if told == 101 { -1.0 } else { told as f64 };
            let state = if told % 9 == 7 { State::Failed } else { State::Complete };
            all.push(&[0.5], state, Some(outcome).filter(|_| state == State::Complete), None)
                .unwrap();
        }
        let view = all.only(&before);
        assert_eq!((view.len(), view.told()), (before.len(), 300));
    }
}
