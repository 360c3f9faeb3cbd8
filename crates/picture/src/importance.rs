//! How much a parameter alone says of the outcome.

use gittins::Value;

use crate::axis::name_of;
use crate::trials::{Told, Trials};

/// Fewer outcomes than this say nothing of importance.
const FEWEST: usize = 20;

/// The most groups that numbers are parted into.
const GROUPS: usize = 8;

/// For each parameter the share of the differences of the outcomes' ranks that groups of its values
/// explain: names each for itself, numbers in groups of neighbors. From 0 to 1, corrected for the
/// groups that chance alone would explain (epsilon squared of the Kruskal-Wallis test: Kelley 1935).
/// What is absent is a group of its own. None if too few trials have an outcome.
pub fn shares(trials: &Trials<'_>) -> Option<Vec<f64>> {
    let told: Vec<&Told<'_>> = trials.told.iter().filter(|told| told.outcome.is_some()).collect();
    if told.len() < FEWEST {
        return None;
    }
    let ranks = ranks(&told.iter().filter_map(|told| told.outcome).collect::<Vec<_>>());
    let names = trials.rows.first()?.point.values.len();
    Some((0..names).map(|index| share(&ranks, &groups(&told, index))).collect())
}

/// The parameters' indices, those that say most first. Equals stay in their order.
pub fn order(shares: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    order
}

/// Ranks from 0; equal numbers share the mean of theirs.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut first = 0;
    for run in order.chunk_by(|&a, &b| numbers[a] == numbers[b]) {
        let mean = first as f64 + 0.5 * (run.len() - 1) as f64;
        for &place in run {
            ranks[place] = mean;
        }
        first += run.len();
    }
    ranks
}

/// The group of each trial by its value of a parameter.
fn groups(told: &[&Told<'_>], index: usize) -> Vec<usize> {
    let values: Vec<&Value> = told
        .iter()
        .map(|told| told.row.point.values.get(index).map_or(&Value::Absent, |v| &v.1))
        .collect();
    let number = |value: &Value| match value {
        Value::Int(_) | Value::Float(_) => value.number(),
        _ => None,
    };
    let numbers: Vec<f64> = values.iter().filter_map(|value| number(value)).collect();
    // Neighbors share a group, and equal numbers always do.
    let most = ((numbers.len() as f64).sqrt() as usize).clamp(1, GROUPS);
    let ranks = ranks(&numbers);
    let mut ranks = ranks.iter();
    let mut known: Vec<String> = Vec::new();
    values
        .iter()
        .map(|value| {
            if number(value).is_some() {
                let rank = ranks.next().copied().unwrap_or(0.0);
                (rank * most as f64 / numbers.len() as f64) as usize
            } else {
                let name = match value {
                    Value::Absent => String::new(),
                    value => format!("={}", name_of(value)),
                };
                let place = known.iter().position(|one| *one == name);
                GROUPS
                    + place.unwrap_or_else(|| {
                        known.push(name);
                        known.len() - 1
                    })
            }
        })
        .collect()
}

/// `1 - (1 - R) (n - 1) / (n - k)` for `n` ranks in `k` groups, of whose variance the means of the
/// groups have the share `R`; 0 if that is negative.
fn share(ranks: &[f64], groups: &[usize]) -> f64 {
    let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
    let around = |numbers: &[f64], at: f64| -> f64 {
        numbers.iter().map(|number| (number - at).powi(2)).sum()
    };
    let total = around(ranks, mean(ranks));
    let mut sorted = groups.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let count = ranks.len() as f64;
    let parts = sorted.len() as f64;
    if total <= 0.0 || parts < 2.0 || count <= parts {
        return 0.0;
    }
    let within: f64 = sorted
        .iter()
        .map(|group| {
            let members = ranks.iter().zip(groups).filter(|(_, one)| *one == group);
            let members: Vec<f64> = members.map(|(rank, _)| *rank).collect();
            around(&members, mean(&members))
        })
        .sum();
    (1.0 - within / total * (count - 1.0) / (count - parts)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_part_the_ranks_explain_them_and_others_do_not() {
        let ranks: Vec<f64> = (0..40).map(f64::from).collect();
        let parted: Vec<usize> = (0..40).map(|place| place / 10).collect();
        let mixed: Vec<usize> = (0..40).map(|place| place % 4).collect();
        assert!(share(&ranks, &parted) > 0.9);
        assert_eq!(share(&ranks, &mixed), 0.0);
        // One group, a group for each, and outcomes that are all the same.
        assert_eq!(share(&ranks, &[0; 40]), 0.0);
        assert_eq!(share(&ranks, &(0..40).collect::<Vec<_>>()), 0.0);
        assert_eq!(share(&[1.5; 40], &parted), 0.0);
    }

    #[test]
    fn equal_numbers_share_their_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, -2.0]), [2.5, 1.0, 2.5, 0.0]);
        assert_eq!(order(&[0.1, 0.7, 0.1]), [1, 0, 2]);
    }
}
