//! The model that is tuned: a support vector machine that tells good red wines from others by
//! eleven chemical measurements.

use linfa::prelude::*;
use linfa_svm::{Svm, SvmError};

/// A wine is good if the tasters' median grade is above this. 855 of the 1599 are good.
const GRADE: usize = 5;

/// The sum of gradients at which the solver of the dual problem stops. The default of 1e-7 takes
/// several times as long and changes at most a wine or two in a thousand.
const TOLERANCE: f64 = 1e-3;

/// The wines, measured, graded, and divided into folds.
pub struct Wines {
    count: usize,
    folds: usize,
    error: Box<ErrorOf>,
}

/// From `C` and `gamma` to an error.
type ErrorOf = dyn Fn(f64, f64) -> Result<f64, SvmError>;

impl Wines {
    /// Standardizes the measurements. Folds are contiguous, because repeated and similar wines
    /// stand close to each other in the file: shuffling would put twins on both sides of a split
    /// and flatter a narrow kernel. The few wines beyond equal folds are only used to learn.
    pub fn load(folds: usize) -> Self {
        let mut wines = linfa_datasets::winequality().map_targets(|grade| *grade > GRADE);
        for mut column in wines.records.columns_mut() {
            let (mean, deviation) = (column.mean().unwrap_or(0.0), column.std(0.0));
            column.mapv_inplace(|value| (value - mean) / deviation);
        }
        let splits = wines.fold(folds);
        let count = splits.iter().map(|(_, left_out)| left_out.nsamples()).sum();
        let error = move |c: f64, gamma: f64| {
            // linfa's kernel is exp(-|x - x'|^2 / eps).
            let machine = Svm::<f64, bool>::params()
                .pos_neg_weights(c, c)
                .gaussian_kernel(1.0 / gamma)
                .eps(TOLERANCE);
            let mut wrong = 0;
            for (training, left_out) in &splits {
                let predicted = machine.fit(training)?.predict(left_out.records());
                wrong += predicted
                    .iter()
                    .zip(left_out.targets())
                    .filter(|(guess, truth)| guess != truth)
                    .count();
            }
            Ok(wrong as f64 / count as f64)
        };
        Self { count, folds, error: Box::new(error) }
    }

    /// The number of wines that are judged.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of folds.
    pub fn folds(&self) -> usize {
        self.folds
    }

    /// The share of wines that a machine puts into the wrong class without having seen them. For
    /// each fold, a machine with penalty `c` and kernel `exp(-gamma |x - x'|^2)` is fitted to all
    /// other folds.
    pub fn error(&self, c: f64, gamma: f64) -> Result<f64, SvmError> {
        (self.error)(c, gamma)
    }
}
