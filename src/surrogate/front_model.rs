//! What is believed of several objectives: a model for each beside the outcome's, and the front.
//!
//! The first objective is the outcome, in the units of its model. The others are turned so that larger is
//! better, and stay in their own units. So a hypervolume in these units times the standard deviation of
//! the outcomes is one in the user's units: it scales as a gain of the outcome does.
//!
//! The front is made of posterior means at the trials that are in hand: with noise the best numbers are
//! lucky ones, and a front of them would be one of luck.

use std::sync::Arc;

use crate::acquisition::front::{Front, FrontImprovement};
use crate::acquisition::{Acquisition, Joint};
use crate::data::{Observations, OutcomeScale, Points, State};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::posterior::Posterior;
use crate::surrogate::number_model::{NumberModel, Numbers};
use crate::surrogate::refit::KeptFit;
use crate::surrogate::setup::Setup;

/// By this share of the range of all values a reference lies beyond the worst, if it was not set.
const BEYOND: f64 = 0.1;

/// The front of a study with several objectives, and the models that it came from.
#[derive(Debug, Clone)]
pub(super) struct FrontModel {
    front: Front,
    /// The observations on the front, in their order.
    pub rows: Vec<usize>,
    /// The posteriors of the objectives beside the outcome, and the variances of their noise.
    others: Vec<(Arc<Posterior>, f64)>,
}

/// The numbers of the objective at this place, turned so that larger is better; none while none was
/// measured.
fn numbers(observations: &Observations, place: usize, sign: f64) -> Option<Numbers> {
    let turned = |(row, number): (usize, f64)| (row, sign * number);
    let (rows, values): (Vec<usize>, Vec<f64>) = observations.measured(place).map(turned).unzip();
    let (inputs, told) = (observations.points_of(&rows), observations.told());
    (!rows.is_empty()).then_some(Numbers { inputs, values, place, told })
}

/// The models of the objectives beside the outcome; none for one that was never measured.
///
/// # Errors
/// Those of [`NumberModel::learn`].
pub(super) fn learn(
    setup: &Setup,
    observations: &Observations,
    before: &[Option<NumberModel>],
    deadline: Deadline,
) -> Result<Vec<Option<NumberModel>>> {
    let objectives = observations.measures().objectives().enumerate();
    let learned = objectives.map(|(number, (place, _, objective))| {
        let before = before.get(number).and_then(Option::as_ref);
        let numbers = numbers(observations, place, objective.direction().sign());
        let learned = numbers.map(|seen| NumberModel::learn(setup, &seen, before, deadline));
        learned.transpose()
    });
    learned.collect()
}

/// The models that were kept with these observations, to the bit.
///
/// # Errors
/// Those of [`NumberModel::restored`].
pub(super) fn restored(
    setup: &Setup,
    observations: &Observations,
    kept: &[Option<KeptFit>],
) -> Result<Vec<Option<NumberModel>>> {
    let objectives = observations.measures().objectives().enumerate();
    let restored = objectives.map(|(number, (place, _, objective))| {
        let Some(kept) = kept.get(number).and_then(Option::as_ref) else { return Ok(None) };
        let numbers = numbers(observations, place, objective.direction().sign());
        numbers.map(|seen| NumberModel::restored(setup, &seen, kept)).transpose()
    });
    restored.collect()
}

impl FrontModel {
    /// The front of the trials in hand; none without other objectives, and while one of them was never
    /// measured. `means` are those of the outcome's model at the complete observations, in their order.
    ///
    /// # Errors
    /// Those of [`Front::new`].
    pub fn new(
        observations: &Observations,
        models: &[Option<NumberModel>],
        (means, scale): (&[f64], &OutcomeScale),
        in_hand: &[bool],
        with_noise: bool,
    ) -> Result<Option<Self>> {
        let measures = observations.measures();
        if !measures.have_objectives() {
            return Ok(None);
        }
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); observations.len()];
        let complete = observations.iter().enumerate();
        let complete = complete.filter(|(_, one)| one.state == State::Complete);
        complete.zip(means).for_each(|((row, _), mean)| values[row].push(*mean));
        let mut references = vec![
            measures.reference().map(|own| scale.apply(observations.direction().sign() * own)),
        ];
        let mut others = Vec::new();
        for ((place, _, objective), model) in measures.objectives().zip(models) {
            let Some(model) = model else { return Ok(None) };
            let means = model.posterior.means_at_data();
            let rows = observations.measured(place).map(|(row, _)| row);
            rows.zip(means).for_each(|(row, mean)| values[row].push(mean));
            references.push(objective.reference.map(|own| objective.direction().sign() * own));
            others.push((model.posterior.clone(), if with_noise { model.noise() } else { 0.0 }));
        }
        let has_all = |row: &usize| in_hand[*row] && values[*row].len() == references.len();
        let candidates: Vec<usize> = (0..observations.len()).filter(has_all).collect();
        let rows = not_dominated(&candidates, &values);
        let reference: Vec<f64> = references
            .iter()
            .enumerate()
            .map(|(k, set)| {
                set.unwrap_or_else(|| beyond(candidates.iter().map(|row| values[*row][k])))
            })
            .collect();
        let front = Front::new(reference, rows.iter().map(|row| &values[*row]))?;
        Ok(Some(Self { front, rows, others }))
    }

    /// The same with trials under way: each is taken for told with its posterior means, those of the
    /// outcome by `outcome`. So it adds to the front what it is expected to, and little is left to find
    /// near it.
    ///
    /// # Errors
    /// Those of [`Posterior::await_outcomes`].
    pub fn await_also(&mut self, outcome: &Posterior, points: &Points) -> Result<()> {
        let mut means = vec![outcome.moments(points)?.mean];
        for (posterior, _) in &mut self.others {
            means.push(posterior.moments(points)?.mean);
            Arc::make_mut(posterior).await_outcomes(points)?;
        }
        for row in 0..points.len() {
            let expected: Vec<f64> = means.iter().map(|of| of[row]).collect();
            self.front.add(&expected)?;
        }
        Ok(())
    }

    /// The expected improvement of the front, per cost or not.
    pub fn acquisition(&self, per_cost: bool) -> Acquisition {
        let (cells, others) = (self.front.cells(), self.others.clone());
        Joint::FrontImprovement { front: Arc::new(FrontImprovement { cells, others, per_cost }) }
            .into()
    }

    /// The hypervolume of the front.
    pub fn hypervolume(&self) -> f64 {
        self.front.hypervolume()
    }
}

/// The rows that no other dominates, the first of equals.
fn not_dominated(candidates: &[usize], values: &[Vec<f64>]) -> Vec<usize> {
    let beats = |other: usize, row: usize| {
        let pairs = || values[other].iter().zip(&values[row]);
        pairs().all(|(a, b)| a >= b) && (other < row || pairs().any(|(a, b)| a > b))
    };
    let stands = |row: &usize| !candidates.iter().any(|other| other != row && beats(*other, *row));
    candidates.iter().copied().filter(stands).collect()
}

/// A tenth of their range beyond the worst of some values. Those of all trials in hand are taken and not
/// those of the front alone, whose reference would leave the ends of a young front unsought.
fn beyond(values: impl Iterator<Item = f64>) -> f64 {
    let first = (f64::INFINITY, f64::NEG_INFINITY);
    let (worst, best) = values.fold(first, |(low, high), value| (low.min(value), high.max(value)));
    if !worst.is_finite() {
        return 0.0;
    }
    let range = best - worst;
    // Where nothing varies, any distance will do.
    worst - BEYOND * if range > 0.0 { range } else { worst.abs().max(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_a_front_are_the_first_of_those_that_nothing_dominates() {
        let values: Vec<Vec<f64>> =
            [[1.0, 3.0], [2.0, 2.0], [1.0, 1.0], [2.0, 2.0], [0.0, 3.0], [3.0, 0.0]]
                .iter()
                .map(|point| point.to_vec())
                .collect();
        assert_eq!(not_dominated(&[0, 1, 2, 3, 4, 5], &values), [0, 1, 5]);
        assert_eq!(not_dominated(&[2, 3, 4], &values), [3, 4]);
    }

    #[test]
    fn a_reference_lies_beyond_the_worst() {
        assert_eq!(beyond([1.0, 3.0, 6.0].into_iter()), 0.5);
        assert_eq!(beyond([2.0].into_iter()), 1.8);
        assert_eq!(beyond([].into_iter()), 0.0);
    }
}
