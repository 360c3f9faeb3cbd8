//! What was told of the objectives of a study, and how their models see it.

use crate::data::{Observations, State, Warp};
use crate::surrogate::setup::Setup;

/// The numbers of the objectives of a study with several, the outcome first, turned so that larger is
/// better.
pub(super) struct Objectives {
    /// For each objective the number of each observation; NaN where there is none.
    numbers: Vec<Vec<f64>>,
    /// For each objective how its model sees its numbers, and up to which they are penalties.
    warps: Vec<(Warp, f64)>,
}

impl Objectives {
    /// What was told; none without other objectives than the outcome.
    pub fn of(setup: &Setup, observations: &Observations) -> Option<Self> {
        let measures = observations.measures();
        if !measures.have_objectives() {
            return None;
        }
        let sign = observations.direction().sign();
        let outcomes = observations.iter().map(|one| match one.state {
            State::Complete => one.outcome.map_or(f64::NAN, |outcome| sign * outcome),
            _ => f64::NAN,
        });
        let mut numbers: Vec<Vec<f64>> = vec![outcomes.collect()];
        let mut references = vec![measures.reference().map(|own| sign * own)];
        for (place, _, objective) in measures.objectives() {
            let sign = objective.direction().sign();
            let mut told = vec![f64::NAN; observations.len()];
            observations.measured(place).for_each(|(row, number)| told[row] = sign * number);
            numbers.push(told);
            references.push(objective.reference.map(|own| sign * own));
        }
        let holds = |row: &usize| {
            observations.get(*row).is_some_and(|one| one.holds)
                && numbers.iter().all(|told| !told[*row].is_nan())
        };
        let feasible: Vec<usize> = (0..observations.len()).filter(holds).collect();
        let mut on_front = vec![false; observations.len()];
        for row in not_dominated(&feasible, |row, objective| numbers[objective][row], numbers.len())
        {
            on_front[row] = true;
        }
        let warp = |(told, reference): (&Vec<f64>, &Option<f64>)| {
            let known = told.iter().copied().zip(on_front.iter().copied());
            let known: Vec<(f64, bool)> = known.filter(|(number, _)| !number.is_nan()).collect();
            Warp::of_front(&known, *reference)
        };
        let warps = if setup.standardize && !setup.model.knows_kernel() {
            numbers.iter().zip(&references).map(warp).collect()
        } else {
            vec![(Warp::identity(), f64::NEG_INFINITY); numbers.len()]
        };
        Some(Self { numbers, warps })
    }

    /// How the model of an objective sees its numbers.
    pub fn warp(&self, objective: usize) -> &Warp {
        &self.warps[objective].0
    }

    /// The observations with a number of this objective, and how the model sees it.
    pub fn seen(&self, objective: usize) -> impl Iterator<Item = (usize, f64)> {
        let told = self.numbers[objective].iter().copied().enumerate();
        told.filter(|(_, number)| !number.is_nan())
            .map(move |(row, number)| (row, self.warp(objective).apply(number)))
    }

    /// The number of an observation as it was told.
    pub fn told(&self, objective: usize, row: usize) -> f64 {
        self.numbers[objective][row]
    }

    /// Whether the number of an observation is no penalty.
    pub fn is_sound(&self, objective: usize, row: usize) -> bool {
        self.numbers[objective][row] > self.warps[objective].1
    }
}

/// The rows that no other dominates, the first of equals, by the values of their objectives.
pub(super) fn not_dominated(
    candidates: &[usize],
    value: impl Fn(usize, usize) -> f64,
    objectives: usize,
) -> Vec<usize> {
    let beats = |other: usize, row: usize| {
        let pairs = || (0..objectives).map(|k| (value(other, k), value(row, k)));
        pairs().all(|(a, b)| a >= b) && (other < row || pairs().any(|(a, b)| a > b))
    };
    let stands = |row: &usize| !candidates.iter().any(|other| other != row && beats(*other, *row));
    candidates.iter().copied().filter(stands).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_a_front_are_the_first_of_those_that_nothing_dominates() {
        let values = [[1.0, 3.0], [2.0, 2.0], [1.0, 1.0], [2.0, 2.0], [0.0, 3.0], [3.0, 0.0]];
        let front = |rows: &[usize]| not_dominated(rows, |row, k| values[row][k], 2);
        assert_eq!(front(&[0, 1, 2, 3, 4, 5]), [0, 1, 5]);
        assert_eq!(front(&[2, 3, 4]), [3, 4]);
    }
}
