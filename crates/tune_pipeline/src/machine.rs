//! How well a pipeline does on wines that it has not seen.

use std::cell::Cell;

use linfa::prelude::*;
use linfa_svm::Svm;
use ndarray::Array2;
use wine::{Folds, Mistakes};

use crate::pipeline::{Kernel, Pipeline, Scaling};

/// A wine is good if the tasters' median grade is above this: 217 of the 1599.
pub const GRADE: usize = 6;

/// Into how many parts the wines are divided.
pub const PARTS: usize = 5;

/// The sum of gradients at which the solver of the dual problem stops.
const TOLERANCE: f64 = 1e-3;

/// The mistakes of a pipeline in cross-validation and its number of support vectors, on average
/// over the parts, or why there are none to count. Nothing of it sees the part that is left out:
/// the scaling is that of the others.
pub fn judge(pipeline: &Pipeline, parts: usize) -> Result<(Mistakes, f64), String> {
    let vectors = Cell::new(0);
    let wines = wine::choose(&wine::better_than(GRADE), &pipeline.columns());
    let params = Svm::<f64, bool>::params()
        .pos_neg_weights(pipeline.c * pipeline.weight, pipeline.c)
        .eps(TOLERANCE);
    let params = match pipeline.kernel {
        Kernel::Linear => params.linear_kernel(),
        // linfa's kernel is exp(-|x - x'|^2 / eps).
        Kernel::Gaussian { gamma } => params.gaussian_kernel(1.0 / gamma),
        Kernel::Polynomial { degree, constant } => {
            params.polynomial_kernel(constant, f64::from(degree))
        }
    };
    let mistakes = Folds::new(&wines, parts).judge(|training, left_out| {
        let scale = scale(pipeline.scaling, &training.records);
        let scaled = wine::Wines::new(scale(&training.records), training.targets.clone());
        let machine = params.fit(&scaled).map_err(|error| error.to_string())?;
        // The machine says only in words whether its solver came to an end.
        if machine.to_string().starts_with("Reached maximal iterations") {
            return Err("no end".to_string());
        }
        vectors.set(vectors.get() + machine.nsupport());
        Ok(machine.predict(&scale(left_out)))
    })?;
    Ok((mistakes, vectors.get() as f64 / parts as f64))
}

/// What scales as these records need it, and then divides by the root of the number of columns.
fn scale(scaling: Scaling, records: &Array2<f64>) -> impl Fn(&Array2<f64>) -> Array2<f64> + use<> {
    let bent = move |value: f64| if scaling == Scaling::Log { value.ln_1p() } else { value };
    let root = (records.ncols() as f64).sqrt();
    let maps: Vec<(f64, f64)> = records
        .columns()
        .into_iter()
        .map(|column| {
            let column = column.mapv(bent);
            let (shift, width) = match scaling {
                Scaling::None => (0.0, 1.0),
                Scaling::Standard | Scaling::Log => (column.mean().unwrap_or(0.0), column.std(0.0)),
                Scaling::Range => {
                    let low = column.fold(f64::INFINITY, |low, &value| low.min(value));
                    (low, column.fold(f64::NEG_INFINITY, |high, &value| high.max(value)) - low)
                }
            };
            (shift, width * root)
        })
        .collect();
    move |records| {
        let mut scaled = records.mapv(bent);
        for (mut column, &(shift, width)) in scaled.columns_mut().into_iter().zip(&maps) {
            column.mapv_inplace(|value| (value - shift) / width);
        }
        scaled
    }
}
