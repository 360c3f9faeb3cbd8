//! What is believed of several objectives: a model for each beside the outcome's, and the Pareto
//! front.
//!
//! The first objective is the outcome, in the units of its model. The others are turned so that larger is
//! better, and stay in their own units, unless these have no squares. So a hypervolume in these units times the standard deviation of
//! the outcomes is one in the user's units: it scales as a gain of the outcome does.
//!
//! Which feasible trials are on the front is said by the numbers as told in an objective without noise,
//! and in one with noise by posterior means: there the best numbers are lucky ones, and a front of
//! them would be one of luck. What the front is worth is said by posterior means.

use std::sync::Arc;

use crate::acquisition::front::{Front, FrontImprovement};
use crate::acquisition::{Acquisition, Joint};
use crate::data::{Objective, Observations, OutcomeScale, Points, Scaling, State};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::math::saturating::saturated;
use crate::posterior::Posterior;
use crate::surrogate::incumbent::{Incumbent, is_noisy, worth_repeating};
use crate::surrogate::number_model::{NumberModel, Numbers, Unit};
use crate::surrogate::objectives::{Objectives, not_dominated};
use crate::surrogate::refit::{KeptFit, not_kept};
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
    /// The units of these.
    units: Vec<Unit>,
}

/// What is learned of an objective: its number among the objectives, and the place and the name of its
/// number among those that are measured.
type Sought<'a> = (usize, (usize, &'a str, Objective));

/// The models of the objectives beside the outcome; none for one that was never measured.
fn each(
    setup: &Setup,
    observations: &Observations,
    model: impl Fn(usize, &Numbers) -> Result<Option<NumberModel>>,
) -> Result<Vec<Option<NumberModel>>> {
    let Some(objectives) = Objectives::of(setup, observations) else { return Ok(Vec::new()) };
    let one = |(number, (place, name, _)): Sought<'_>| {
        let (rows, values): (Vec<usize>, Vec<f64>) = objectives.seen(1 + number).unzip();
        let inputs = observations.points_of(&rows);
        let told = observations.told();
        let numbers = Numbers { inputs, values, scaling: Scaling::standardize, place, told };
        if numbers.values.is_empty() {
            return Ok(None);
        }
        model(number, &numbers).map_err(|error| error.at(format_args!("the objective {name}")))
    };
    observations.measures().objectives().enumerate().map(one).collect()
}

/// The models of the objectives beside the outcome; none for one that was never measured.
///
/// # Errors
/// Those of [`NumberModel::learn`], naming the objective.
pub(super) fn learn(
    setup: &Setup,
    observations: &Observations,
    before: &[Option<NumberModel>],
    deadline: Deadline,
) -> Result<Vec<Option<NumberModel>>> {
    each(setup, observations, |number, numbers| {
        let before = before.get(number).and_then(Option::as_ref);
        NumberModel::learn(setup, numbers, before, deadline).map(Some)
    })
}

/// The models that were kept with these observations, to the bit.
///
/// # Errors
/// Those of [`NumberModel::restored`], naming the objective.
pub(super) fn restored(
    setup: &Setup,
    observations: &Observations,
    kept: &[Option<KeptFit>],
) -> Result<Vec<Option<NumberModel>>> {
    each(setup, observations, |number, numbers| {
        let kept = kept.get(number).and_then(Option::as_ref);
        let kept = kept.ok_or_else(|| not_kept("it"))?;
        NumberModel::restored(setup, numbers, kept).map(Some)
    })
}

impl FrontModel {
    /// The front of the feasible trials; none without other objectives, and while one of them was
    /// never measured. `outcome` is the outcome's model, which has the complete observations first,
    /// in their order.
    ///
    /// # Errors
    /// Those of [`Front::new`].
    pub fn new(
        setup: &Setup,
        observations: &Observations,
        models: &[Option<NumberModel>],
        outcome: &Posterior,
        scale: &OutcomeScale,
        feasible: &[bool],
    ) -> Result<Option<Self>> {
        let measures = observations.measures();
        let Some(objectives) = Objectives::of(setup, observations) else { return Ok(None) };
        let with_noise = setup.incumbent == Incumbent::PosteriorMean;
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); observations.len()];
        let complete = observations.iter().enumerate();
        let complete = complete.filter(|(_, one)| one.state == State::Complete);
        let means = outcome.means_at_data();
        complete.zip(means).for_each(|((row, _), mean)| values[row].push(mean));
        let mut noisy = vec![with_noise && worth_repeating(observations, outcome)];
        let mut references = vec![
            measures.reference().map(|own| scale.apply(observations.direction().sign() * own)),
        ];
        let (mut others, mut units) = (Vec::new(), Vec::new());
        for ((place, _, objective), model) in measures.objectives().zip(models) {
            let Some(model) = model else { return Ok(None) };
            let means = model.posterior.means_at_data();
            let rows = observations.measured(place).map(|(row, _)| row);
            rows.zip(means).for_each(|(row, mean)| values[row].push(mean));
            let told = observations.measured(place).filter_map(|(row, number)| {
                Some((observations.get(row)?.point.as_slice(), number))
            });
            noisy.push(with_noise && is_noisy(&model.posterior, told));
            let sign = objective.direction().sign();
            references.push(objective.reference.map(|own| model.unit().apply(sign * own)));
            others.push((model.posterior.clone(), if with_noise { model.noise() } else { 0.0 }));
            units.push(model.unit());
        }
        let has_all = |row: &usize| feasible[*row] && values[*row].len() == references.len();
        let candidates: Vec<usize> = (0..observations.len()).filter(has_all).collect();
        let value =
            |row: usize, k: usize| if noisy[k] { values[row][k] } else { objectives.told(k, row) };
        let rows = not_dominated(&candidates, value, references.len());
        // Penalties are no part of a range.
        let inferred = |k: usize| {
            let sound = candidates.iter().filter(|row| objectives.is_sound(k, **row));
            beyond(sound.map(|row| values[*row][k]))
        };
        let references = references.iter().enumerate();
        let reference = references.map(|(k, set)| set.unwrap_or_else(|| inferred(k))).collect();
        let front = Front::new(reference, rows.iter().map(|row| &values[*row]))?;
        Ok(Some(Self { front, rows, others, units }))
    }

    /// The same with pending trials: each is taken for told with its posterior means, those of the
    /// outcome by `outcome`. So it adds to the front what it is expected to, and little is left to
    /// find near it.
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
        let log_unit = self.units.iter().map(|unit| unit.ln()).sum();
        let front = FrontImprovement { cells, others, log_unit, per_cost };
        Joint::FrontImprovement { front: Arc::new(front) }.into()
    }

    /// The hypervolume of the front in the user's units, which `scale` has of the outcome.
    pub fn hypervolume(&self, scale: &OutcomeScale) -> f64 {
        let volume = scale.undo_difference(self.front.hypervolume());
        self.units.iter().fold(volume, |volume, unit| unit.times(volume))
    }
}

/// A tenth of their range beyond the worst of some values. Those of all feasible trials are taken
/// and not those of the front alone, whose reference would leave the ends of a young front
/// unsought.
fn beyond(values: impl Iterator<Item = f64>) -> f64 {
    let first = (f64::INFINITY, f64::NEG_INFINITY);
    let (worst, best) = values.fold(first, |(low, high), value| (low.min(value), high.max(value)));
    if !worst.is_finite() {
        return 0.0;
    }
    let range = best - worst;
    let size = if worst == 0.0 { 1.0 } else { worst.abs() };
    // Where nothing varies, the size of it is the only unit that there is.
    saturated(worst - BEYOND * if range > 0.0 { saturated(range) } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_lies_beyond_the_worst() {
        assert_eq!(beyond([1.0, 3.0, 6.0].into_iter()), 0.5);
        assert_eq!(beyond([2.0].into_iter()), 1.8);
        assert_eq!(beyond([1e-9; 3].into_iter()), 0.9e-9);
        assert_eq!(beyond([f64::MIN, f64::MAX].into_iter()), f64::MIN);
        assert_eq!(beyond([].into_iter()), 0.0);
    }
}
