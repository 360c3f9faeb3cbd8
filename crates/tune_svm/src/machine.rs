//! The model that is tuned: a support vector machine with a radial kernel.

use linfa::prelude::*;
use linfa_svm::{Svm, SvmError};
use wine::Folds;

/// The sum of gradients at which the solver of the dual problem stops. The default of 1e-7 takes
/// several times as long and changes at most a wine or two in a thousand.
const TOLERANCE: f64 = 1e-3;

/// The share of wines that a machine puts into the wrong class without having seen them. Its penalty
/// is `c`, its kernel `exp(-gamma |x - x'|^2)`.
pub fn error(folds: &Folds, c: f64, gamma: f64) -> Result<f64, SvmError> {
    // linfa's kernel is exp(-|x - x'|^2 / eps).
    let machine = Svm::<f64, bool>::params()
        .pos_neg_weights(c, c)
        .gaussian_kernel(1.0 / gamma)
        .eps(TOLERANCE);
    let mistakes: Result<_, SvmError> =
        folds.judge(|training, wines| Ok(machine.fit(training)?.predict(wines)));
    Ok(mistakes?.share())
}
