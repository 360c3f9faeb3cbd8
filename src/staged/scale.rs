//! Reports as values of the model.

use super::event::StagedFit;
use crate::data::Direction;

/// A report, or the failure of a run, in the order in which they were told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// The number of the run.
    pub run: usize,
    /// The share of it that was done.
    pub share: f64,
    /// Its outcome there; none if it broke.
    pub outcome: Option<f64>,
}

/// Values worse than this many deviations are all the same: it is not worth much to know how bad
/// they are.
const WORST: f64 = -4.0;

/// Values as the model has them: larger is better, and the better half has a deviation of about one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    direction: Direction,
    pub middle: f64,
    pub unit: f64,
}

impl Scale {
    /// The scale by the last reports of all runs: their median, and how far the better half is
    /// above it. No unit is smaller than `least`: while all runs seen are at chance, their spread is
    /// noise, and says nothing of how far a better one may be above them.
    pub fn new(direction: Direction, last: &[f64], least: f64) -> Self {
        let mut turned: Vec<f64> = last.iter().map(|y| direction.sign() * y).collect();
        turned.sort_by(f64::total_cmp);
        let half = turned.len() / 2;
        let middle = match turned.len() % 2 {
            0 if half > 0 => 0.5 * (turned[half - 1] + turned[half]),
            _ => turned.get(half).copied().unwrap_or(0.0),
        };
        let better = &turned[half..];
        let square = better.iter().map(|v| (v - middle) * (v - middle)).sum::<f64>();
        let unit = (square / better.len().max(1) as f64).sqrt();
        // All the same: any unit will do.
        let size = if middle == 0.0 { 1.0 } else { middle.abs() };
        let unit = if unit > 1e-12 * middle.abs() { unit } else { size };
        Self { direction, middle, unit: unit.max(least) }
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
        ((self.direction.sign() * y - self.middle) / self.unit).max(WORST)
    }

    /// An outcome in the user's units.
    pub fn back(&self, z: f64) -> f64 {
        self.direction.sign() * (self.middle + self.unit * z)
    }

    /// A difference of outcomes in the model's units.
    pub fn difference(&self, y: f64) -> f64 {
        y / self.unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs at chance have no spread that counts; a better one among them has.
    #[test]
    fn noise_is_no_unit() {
        let chance = [0.7231, 0.7232, 0.7234, 0.7233, 0.7231];
        let scale = Scale::new(Direction::Minimize, &chance, 0.01);
        assert_eq!((scale.middle, scale.unit), (-0.7232, 0.01));
        // The better half is the median and those two that are 0.0001 above it.
        let noise = Scale::new(Direction::Minimize, &chance, 0.0).unit;
        assert!((noise - 1e-4 * (2.0f64 / 3.0).sqrt()).abs() < 1e-12, "{noise}");
        let found = [0.7231, 0.4, 0.7232, 0.7234, 0.7233];
        let [with, without] =
            [0.01, 0.0].map(|least| Scale::new(Direction::Minimize, &found, least));
        assert_eq!(with, without);
    }
}
