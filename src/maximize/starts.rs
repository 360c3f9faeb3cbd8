//! Chooses the scored points from which the climbs start.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::acquisition::StartWeights;
use crate::math::order::orderable;

/// Chooses `count` different indices among the scores. First comes the best of all. Up to a quarter
/// of the places go to the best of the hints, the last `hints` scores (the incumbent's
/// neighborhood). The rest are drawn without replacement with Boltzmann weights: good points are
/// likely, and no region with fair scores is left out.
///
/// The best comes first. A score that is not finite is chosen only after all others.
pub(super) fn choose(
    scores: &[f64],
    hints: usize,
    count: usize,
    weights: StartWeights,
    seed: u64,
) -> Vec<usize> {
    let count = count.min(scores.len());
    let raw = scores.len() - hints;
    let mut chosen: Vec<usize> = Vec::with_capacity(count);
    let mut taken = vec![false; scores.len()];
    let mut take = |index: usize, chosen: &mut Vec<usize>| {
        if !taken[index] && chosen.len() < count {
            taken[index] = true;
            chosen.push(index);
        }
    };
    let descending = |a: &usize, b: &usize| {
        orderable(scores[*b]).total_cmp(&orderable(scores[*a])).then(a.cmp(b))
    };
    if let Some(best) = (0..scores.len()).min_by(descending) {
        take(best, &mut chosen);
    }
    let mut near: Vec<usize> = (raw..scores.len()).collect();
    near.sort_by(descending);
    for index in near.into_iter().take(count.div_ceil(4)) {
        take(index, &mut chosen);
    }
    // The largest keys (log weight + Gumbel noise) are a draw without replacement (Efraimidis &
    // Spirakis 2006, in logarithmic form).
    let mut random = Pcg64::seed_from_u64(seed);
    let log_weights = logarithms(weights, scores);
    let mut keys: Vec<(f64, usize)> = log_weights
        .into_iter()
        .enumerate()
        .map(|(index, log_weight)| {
            let uniform: f64 = random.random::<f64>().max(f64::MIN_POSITIVE);
            (log_weight - (-uniform.ln()).max(f64::MIN_POSITIVE).ln(), index)
        })
        .collect();
    // At worst all indices taken above are among the largest keys.
    let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let enough = count + chosen.len();
    if 0 < enough && enough < keys.len() {
        keys.select_nth_unstable_by(enough - 1, order);
        keys.truncate(enough);
    }
    keys.sort_unstable_by(order);
    for (_, index) in keys {
        take(index, &mut chosen);
    }
    chosen
}

/// Chooses starts among scored points, the last `hints` of which are hints. `Maximize::run`
/// chooses them in the same way for a score on an open scale.
pub fn chosen(scores: &[f64], hints: usize, count: usize, seed: u64) -> Vec<usize> {
    choose(scores, hints, count, StartWeights::Standardized, seed)
}

/// The logarithms of the weights, up to a constant.
fn logarithms(weights: StartWeights, scores: &[f64]) -> Vec<f64> {
    let finite = || scores.iter().copied().filter(|s| s.is_finite());
    let weight = |score: f64, log_weight: f64| {
        if score.is_finite() { log_weight } else { f64::NEG_INFINITY }
    };
    match weights {
        StartWeights::Shares => {
            let max = finite().fold(0.0, f64::max);
            let share = |score: f64| {
                if max > 0.0 && score > 1e-4 * max { score / max - 1.0 } else { -f64::MAX }
            };
            scores.iter().map(|&score| weight(score, share(score))).collect()
        }
        StartWeights::Standardized => {
            let count = finite().count().max(1) as f64;
            let mean = finite().map(|s| s / count).sum::<f64>();
            let deviation = finite().map(|s| (s - mean) * ((s - mean) / count)).sum::<f64>().sqrt();
            let standard = |score: f64| {
                if deviation > 0.0 && deviation.is_finite() {
                    (score - mean) / deviation
                } else {
                    0.0
                }
            };
            scores.iter().map(|&score| weight(score, standard(score))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_and_the_hints_are_always_in() {
        let mut scores: Vec<f64> = (0..500).map(|i| f64::from(i % 37) - 1e3).collect();
        scores[123] = 5.0;
        // Ten hints, all worse than every other point.
        scores.extend((0..10).map(|i| -2e3 - f64::from(i)));
        let chosen = choose(&scores, 10, 20, StartWeights::Standardized, 1);
        assert_eq!(chosen.len(), 20);
        assert_eq!(chosen[0], 123);
        assert_eq!(chosen[1..6], [500, 501, 502, 503, 504]);
        let mut different = chosen.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 20);
    }

    #[test]
    fn good_scores_are_drawn_more_often() {
        let scores: Vec<f64> = (0..200).map(|i| if i < 100 { 0.0 } else { 2.0 }).collect();
        let drawn: Vec<usize> = (0..50)
            .flat_map(|seed| choose(&scores, 0, 20, StartWeights::Standardized, seed))
            .collect();
        let good = drawn.iter().filter(|&&i| i >= 100).count();
        // Standardized scores are -1 and +1. The odds are e^2 = 7.4, a little less without
        // replacement.
        let share = good as f64 / drawn.len() as f64;
        assert!((0.82..0.92).contains(&share), "{share}");
        assert!(drawn.iter().any(|&i| i < 100));
    }

    #[test]
    fn scores_that_are_not_finite_come_last() {
        let scores = [f64::NAN, 1.0, f64::NEG_INFINITY, 0.5, f64::NAN];
        assert_eq!(choose(&scores, 0, 2, StartWeights::Standardized, 3)[0], 1);
        let mut two = choose(&scores, 0, 2, StartWeights::Standardized, 3);
        two.sort_unstable();
        assert_eq!(two, [1, 3]);
        assert_eq!(choose(&scores, 0, 99, StartWeights::Standardized, 3).len(), 5);
        let improvements = [0.0, 1e-9, 1.0, 0.9];
        let mut best = choose(&improvements, 0, 2, StartWeights::Shares, 3);
        best.sort_unstable();
        assert_eq!(best, [2, 3]);
    }
}
