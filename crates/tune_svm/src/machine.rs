//! The model that is tuned: a support vector machine with a radial kernel.

use std::cell::Cell;

use linfa::prelude::*;
use linfa_svm::{Svm, SvmError};
use ndarray::Array2;
use wine::{Folds, Wines};

/// The sum of gradients at which the solver of the dual problem stops. The default of 1e-7 takes
/// several times as long and changes at most a wine or two in a thousand.
const TOLERANCE: f64 = 1e-3;

/// The share of wines that a machine puts into the wrong class without having seen them, of all parts
/// or of one, and its number of support vectors, on average over these parts. Its penalty is `c`, its
/// kernel `exp(-gamma |x - x'|^2)`.
pub fn judged(
    folds: &Folds,
    part: Option<usize>,
    c: f64,
    gamma: f64,
) -> Result<(f64, f64), SvmError> {
    // linfa's kernel is exp(-|x - x'|^2 / eps).
    let machine = Svm::<f64, bool>::params()
        .pos_neg_weights(c, c)
        .gaussian_kernel(1.0 / gamma)
        .eps(TOLERANCE);
    let (vectors, machines) = (Cell::new(0), Cell::new(0));
    let predict = |training: &Wines, wines: &Array2<f64>| -> Result<_, SvmError> {
        let machine = machine.fit(training)?;
        vectors.set(vectors.get() + machine.nsupport());
        machines.set(machines.get() + 1);
        Ok(machine.predict(wines))
    };
    let mistakes = match part {
        Some(part) => folds.judge_part(part, predict),
        None => folds.judge(predict),
    };
    Ok((mistakes?.share(), vectors.get() as f64 / f64::from(machines.get())))
}
