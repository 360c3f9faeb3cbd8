//! The model that is tuned: a support vector machine that tells good red wines from others by eleven chemical measurements.

use linfa::prelude::*;
use linfa_svm::{Svm, SvmError};

/// A wine is good if the tasters' median grade is above this; 855 of the 1599 are.
const GRADE: usize = 5;

/// The sum of gradients at which the solver of the dual problem stops. Its default of 1e-7 takes several times as long and changes no
/// more than a wine or two in a thousand.
const TOLERANCE: f64 = 1e-3;

/// The wines, measured and graded.
pub struct Wines {
    /// How many there are.
    pub count: usize,
    /// In how many parts they are cut.
    pub folds: usize,
}

impl Wines {
    /// Makes the function of `C` and `gamma` that fits the kernel `exp(-gamma |x - x'|^2)` once for each fold to all other folds, and gives the
    /// share of wines that were put into the wrong class while left out.
    ///
    /// Measurements are standardized. Folds are contiguous: repeated and similar wines stand close to each other in the file, and shuffling would
    /// put twins on both sides of a split and flatter a narrow kernel.
    pub fn cross_validation(folds: usize) -> (Self, impl Fn(f64, f64) -> Result<f64, SvmError>) {
        let mut wines = linfa_datasets::winequality().map_targets(|grade| *grade > GRADE);
        for mut column in wines.records.columns_mut() {
            let (mean, deviation) = (column.mean().unwrap_or(0.0), column.std(0.0));
            column.mapv_inplace(|value| (value - mean) / deviation);
        }
        let count = wines.nsamples();
        let splits = wines.fold(folds);
        let error = move |c: f64, gamma: f64| {
            // linfa's kernel is exp(-|x - x'|^2 / eps).
            let machine = Svm::<f64, bool>::params().pos_neg_weights(c, c).gaussian_kernel(1.0 / gamma).eps(TOLERANCE);
            let mut wrong = 0;
            for (training, left_out) in &splits {
                let predicted = machine.fit(training)?.predict(left_out.records());
                wrong += predicted.iter().zip(left_out.targets()).filter(|(guess, truth)| guess != truth).count();
            }
            Ok(wrong as f64 / count as f64)
        };
        (Self { count, folds }, error)
    }
}
