//! Trainings of a network on red wines, which may be left and gone on with at any epoch.

use gittins::{Space, Value};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use serde::Serialize;

use crate::network::{Network, Step};

/// The epochs of a whole run.
pub const EPOCHS: u32 = 27;

/// The epochs after which a run reports.
pub const REPORTS: [u32; 4] = [1, 3, 9, EPOCHS];

/// What a multiply-add takes on the core that is counted for, in seconds.
const MULTIPLY_ADD: f64 = 1e-9;

/// Wines divided into parts: to learn from, to choose by, and to judge what was chosen.
pub struct Wines {
    learned: Part,
    validation: Part,
    test: Part,
}

#[derive(Default)]
struct Part(Vec<(Vec<f64>, bool)>);

impl Wines {
    /// Ten blocks of neighbors, because repeated and similar wines stand close to each other: two are
    /// for validation, two for the test.
    pub fn new() -> Self {
        let mut wines = wine::better_than(5);
        wine::standardize(&mut wines);
        let count = wines.targets.len();
        let mut parts =
            Self { learned: Part::default(), validation: Part::default(), test: Part::default() };
        for (at, (row, &good)) in wines.records.rows().into_iter().zip(&wines.targets).enumerate() {
            let part = match at * 10 / count {
                2 | 7 => &mut parts.validation,
                4 | 9 => &mut parts.test,
                _ => &mut parts.learned,
            };
            part.0.push((row.to_vec(), good));
        }
        parts
    }

    fn measurements(&self) -> usize {
        self.learned.0.first().map_or(0, |(wine, _)| wine.len())
    }
}

/// What is chosen of a training.
#[derive(Clone, Copy, Serialize)]
pub struct Setting {
    rate: f64,
    width: usize,
    layers: usize,
    batch: usize,
    decay: f64,
    momentum: f64,
}

impl Setting {
    /// All settings. The bounds are those of LCBench (Zimmer et al. 2021) but for the size of networks.
    pub fn space() -> Space {
        Space::new()
            .log_float("rate", 1e-4, 1e-1)
            .log_int("width", 8, 64)
            .int("layers", 1, 2)
            .powers_of_two("batch", 16, 512)
            .log_float("decay", 1e-5, 1e-1)
            .float("momentum", 0.1, 0.99)
    }

    /// The setting of these values, in the order of the space.
    pub fn of(values: &[Value]) -> Self {
        let number = |at: usize| values[at].number().expect("every parameter is a number");
        let whole = |at: usize| number(at) as usize;
        Self {
            rate: number(0),
            width: whole(1),
            layers: whole(2),
            batch: whole(3),
            decay: number(4),
            momentum: number(5),
        }
    }

    fn hidden(&self) -> Vec<usize> {
        vec![self.width; self.layers]
    }

    /// What so many epochs take by counted work, in seconds, with a report after them: a
    /// multiply-add a weight for a wine forward and two back, and three a weight for a step.
    pub fn seconds(&self, wines: &Wines, epochs: u32) -> f64 {
        let weights = Network::weights(wines.measurements(), &self.hidden()) as f64;
        let learned = wines.learned.0.len();
        let epoch = 3.0 * (learned + learned.div_ceil(self.batch)) as f64;
        let seen = f64::from(epochs) * epoch + wines.validation.0.len() as f64;
        MULTIPLY_ADD * weights * seen
    }

    /// What a whole run takes by counted work, with all its reports.
    pub fn run_seconds(&self, wines: &Wines) -> f64 {
        let starts = [0].into_iter().chain(REPORTS);
        starts.zip(REPORTS).map(|(from, until)| self.seconds(wines, until - from)).sum()
    }
}

/// A training: what is kept in memory of a run that was left.
pub struct Training {
    setting: Setting,
    network: Network,
    order: Vec<usize>,
    random: Pcg64,
    epochs: u32,
}

impl Training {
    /// A training that has not begun. A seed and a setting fix its course.
    pub fn new(setting: Setting, wines: &Wines, seed: u64) -> Self {
        Self {
            setting,
            network: Network::new(wines.measurements(), &setting.hidden(), seed),
            order: (0..wines.learned.0.len()).collect(),
            random: Pcg64::seed_from_u64(seed),
            epochs: 0,
        }
    }

    /// The epochs that are done.
    pub fn epochs(&self) -> u32 {
        self.epochs
    }

    /// Trains until this epoch.
    pub fn train(&mut self, wines: &Wines, until: u32) {
        let Setting { rate, batch, decay, momentum, .. } = self.setting;
        let step = Step { rate, momentum, decay };
        for _ in self.epochs..until {
            self.order.shuffle(&mut self.random);
            for batch in self.order.chunks(batch) {
                let wines = batch.iter().map(|&at| &wines.learned.0[at]);
                self.network.learn(wines.map(|(wine, good)| (&wine[..], *good)), step);
            }
        }
        self.epochs = until;
    }

    /// The mean cross-entropy of the wines for validation; none if the training broke.
    pub fn validation_loss(&mut self, wines: &Wines) -> Option<f64> {
        let losses = wines.validation.0.iter().map(|(wine, good)| {
            let log_odds = self.network.log_odds(wine);
            let against = if *good { -log_odds } else { log_odds };
            against.max(0.0) + (-against.abs()).exp().ln_1p()
        });
        let sum: f64 = losses.sum();
        sum.is_finite().then_some(sum / wines.validation.0.len() as f64)
    }

    /// The share of the wines for the test in the wrong class.
    pub fn test_error(&mut self, wines: &Wines) -> f64 {
        let wrong = wines.test.0.iter().filter(|(wine, good)| {
            let log_odds = self.network.log_odds(wine);
            (log_odds > 0.0) != *good
        });
        wrong.count() as f64 / wines.test.0.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A training that is left and gone on with is the same as one that was not.
    #[test]
    fn leaving_changes_nothing() {
        let wines = Wines::new();
        let setting =
            Setting { rate: 0.05, width: 8, layers: 2, batch: 32, decay: 1e-4, momentum: 0.8 };
        let mut whole = Training::new(setting, &wines, 3);
        whole.train(&wines, 9);
        let mut staged = Training::new(setting, &wines, 3);
        for until in [1, 3, 9] {
            staged.train(&wines, until);
            assert!(staged.validation_loss(&wines).unwrap() < 1.0);
        }
        assert_eq!(whole.validation_loss(&wines), staged.validation_loss(&wines));
        // Guessing errs at some half.
        assert!(whole.test_error(&wines) < 0.4);
        assert!(setting.seconds(&wines, 9) < setting.seconds(&wines, 27));
    }
}
