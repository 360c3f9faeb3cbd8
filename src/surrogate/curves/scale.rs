//! Reports as values of the model.

use super::answers::Answers;
use super::entry::Entry;
use super::fit::StagedFit;
use crate::data::Direction;
use crate::math::order::median;
use crate::math::saturating::{difference, saturated, sum};

/// Values worse than this many deviations are all the same: it is not worth much to know how bad
/// they are.
const WORST: f64 = -4.0;

/// Values better than this many deviations are all the same until the next fit, whose unit they are part
/// of. It keeps squares finite.
const BEST: f64 = 1e100;

/// Differences below this part of the middle may be roundings.
const ROUNDING: f64 = 1e-12;

/// Whether two outcomes differ by no more than roundings, or means of folds, may.
pub fn are_alike(a: f64, b: f64) -> bool {
    difference(a, b).abs() <= 2.0 * ROUNDING * a.abs().max(b.abs())
}

/// Values as the model has them: larger is better, and the better half has a deviation of about one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    direction: Direction,
    pub middle: f64,
    pub unit: f64,
}

impl Scale {
    /// The scale by the last reports of all runs: their median, and how far the better half is
    /// above it; if the better half does not vary, how far all are from it. If nothing varies yet, the
    /// size of an outcome stands in, or 1 if all are zero: outcomes that were equal so far say little
    /// of how far another may be from them.
    pub fn new(direction: Direction, last: &[f64]) -> Self {
        let mut turned: Vec<f64> = last.iter().map(|y| direction.sign() * y).collect();
        turned.sort_by(f64::total_cmp);
        let middle = if turned.is_empty() { 0.0 } else { median(&turned) };
        let better = spread(&turned[turned.len() / 2..], middle);
        let varies = |spread: &f64| *spread > ROUNDING * middle.abs();
        let size = if middle == 0.0 { 1.0 } else { middle.abs() };
        let spread = Some(better).filter(varies).unwrap_or_else(|| spread(&turned, middle));
        let unit = Some(spread).filter(varies).unwrap_or(size);
        Self { direction, middle, unit: unit.max(f64::MIN_POSITIVE) }
    }

    /// The scale of items of 0 and 1: the middle of what is possible, and the spread of the chances of
    /// runs.
    pub fn of_answers(direction: Direction, answers: &Answers) -> Self {
        Self { direction, middle: direction.sign() * 0.5, unit: answers.spread() }
    }

    /// The scale that a fit was made with.
    pub fn kept(direction: Direction, fit: &StagedFit) -> Self {
        Self { direction, middle: fit.scale[0], unit: fit.scale[1] }
    }

    /// A value of the model; the worst for a run that broke.
    pub fn value(&self, entry: &Entry) -> f64 {
        entry.outcome.map_or(WORST, |outcome| self.apply(outcome))
    }

    pub fn apply(&self, y: f64) -> f64 {
        let above = difference(self.direction.sign() * y, self.middle);
        (above / self.unit).clamp(WORST, BEST)
    }

    /// An outcome in the user's units.
    pub fn back(&self, z: f64) -> f64 {
        self.direction.sign() * sum(self.middle, saturated(self.unit * z))
    }

    /// A difference of outcomes in the model's units.
    pub fn difference(&self, y: f64) -> f64 {
        y / self.unit
    }

    /// Bounds of outcomes in the model's units.
    pub fn between(&self, bounds: [f64; 2]) -> [f64; 2] {
        let [a, b] = bounds.map(|y| difference(self.direction.sign() * y, self.middle) / self.unit);
        [a.min(b), a.max(b)]
    }
}

/// The root of the mean square of the distances of values from a middle.
fn spread(values: &[f64], middle: f64) -> f64 {
    let count = values.len().max(1) as f64;
    let square = values.iter().map(|v| (v - middle) * (v - middle)).sum::<f64>() / count;
    if square.is_normal() {
        return square.sqrt();
    }
    // Squares that leave double precision are those of parts of the largest distance.
    let away = |v: &f64| difference(*v, middle).abs();
    let largest = values.iter().map(away).fold(0.0, f64::max);
    if largest == 0.0 {
        return 0.0;
    }
    let parts = values.iter().map(|v| (away(v) / largest).powi(2)).sum::<f64>() / count;
    saturated(largest * parts.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The unit is that of the better half; of all if the better half is saturated.
    #[test]
    fn the_better_half_makes_the_unit() {
        let unit = |values: &[f64]| Scale::new(Direction::Minimize, values).unit;
        // The better half is the median and those two that are 0.0001 above it.
        let chance = unit(&[0.7231, 0.7232, 0.7234, 0.7233, 0.7231]);
        assert!((chance - 1e-4 * (2.0f64 / 3.0).sqrt()).abs() < 1e-12, "{chance}");
        let saturated = unit(&[0.0, 0.0, 0.4, 0.0, 0.0]);
        assert!((saturated - 0.4 / 5f64.sqrt()).abs() < 1e-15, "{saturated}");
    }

    /// What never varied has the unit of its size, and zeros have 1.
    #[test]
    fn equal_runs_have_the_size_of_an_outcome_as_their_unit() {
        for size in [0.0, 1e-300, 1.0, 1e6, 1e300] {
            for rounding in [0.0, 1e-16, 1e-13] {
                let equal = [size, size * (1.0 + rounding), size, size, size];
                let unit = Scale::new(Direction::Minimize, &equal).unit;
                assert_eq!(unit, if size == 0.0 { 1.0 } else { size });
            }
        }
    }

    /// Answers that agree leave their chance in doubt, the less the more there are.
    #[test]
    fn answers_that_agree_have_the_unit_of_their_doubt() {
        let mut before = f64::INFINITY;
        for count in [1.0, 2.0, 20.0, 400.0] {
            let entry = |run| Entry { run, share: count / 400.0, outcome: Some(1.0) };
            let answers = Answers::of(400.0, &[entry(0), entry(1), entry(2)]).unwrap();
            let scale = Scale::of_answers(Direction::Maximize, &answers);
            assert_eq!(scale.middle, 0.5);
            assert!(scale.unit < before && scale.unit > 1.0 / (count + 4.0) / 2.0);
            before = scale.unit;
        }
    }

    /// No square of a report leaves double precision, nor does a value of the model.
    #[test]
    fn the_smallest_and_the_largest_reports_have_a_scale() {
        let spread = |values: &[f64]| Scale::new(Direction::Maximize, values).unit;
        for unit in [1e-300, 1e-170, 1e170, 1e300] {
            let expected = spread(&[1.0, 2.0, 3.0, 4.0, 7.0]) * unit;
            let found = spread(&[1.0, 2.0, 3.0, 4.0, 7.0].map(|y| y * unit));
            assert!((found / expected - 1.0).abs() < 1e-12, "{unit}: {found}");
        }
        for values in [[f64::MIN, f64::MAX, 0.0, 1.0], [5e-324, 0.0, 1e-323, -5e-324]] {
            let scale = Scale::new(Direction::Maximize, &values);
            for y in values {
                let z = scale.apply(y);
                assert!(z.abs() <= BEST && scale.back(z).is_finite(), "{y}: {z}");
            }
        }
    }
}
