//! What the host works out before the device is asked: known costs, and inverse factors. Both use
//! all threads, so neither may be done while a lock is held: a thread that waits for its share may
//! take up another call to the same device, and would wait for itself.

use faer::Mat;
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefMutIterator, ParallelIterator,
};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use super::record::CostInput;
use crate::backend::{Job, JobCost};
use crate::data::Points;
use crate::error::Result;
use crate::posterior::Posterior;

/// A known cost at each point: `ln c`, and the gradient of that.
#[derive(Default)]
pub(super) struct Priced {
    pub log_cost: Vec<f64>,
    /// `b x d`; empty without gradients.
    pub gradient: Vec<f64>,
}

impl Priced {
    /// Asks the cost function of a job, if it has one and needs it.
    ///
    /// # Errors
    /// The function's, at the first point in order.
    pub fn refill(&mut self, job: &Job<'_>, points: &Points) -> Result<CostInput> {
        let (b, d) = (points.len(), points.dim());
        let function = match job.cost {
            _ if !job.acquisition.uses_cost() => return Ok(CostInput::None),
            JobCost::Learned(_) => return Ok(CostInput::Learned),
            JobCost::Uniform(cost) => {
                self.log_cost.clear();
                self.log_cost.resize(b, cost.ln());
                return Ok(CostInput::Uniform);
            }
            JobCost::Known(function) => function,
        };
        self.log_cost.resize(b, 0.0);
        self.gradient.resize(if job.gradient { b * d } else { 0 }, 0.0);
        let rows = points.values().par_chunks(d).zip(self.log_cost.par_iter_mut());
        // Collected and not reduced: the first error in order is the same on any number of threads.
        let priced: Vec<Result<()>> = if job.gradient {
            rows.zip(self.gradient.par_chunks_mut(d))
                .map(|((row, log_cost), gradient)| {
                    let cost = function.cost(row, Some(gradient))?;
                    *log_cost = cost.ln();
                    gradient.iter_mut().for_each(|g| *g /= cost);
                    Ok(())
                })
                .collect()
        } else {
            rows.map(|(row, log_cost)| function.cost(row, None).map(|cost| *log_cost = cost.ln()))
                .collect()
        };
        priced.into_iter().collect::<Result<()>>()?;
        Ok(CostInput::Known)
    }
}

/// The inverse factor of a posterior, for unit prior variance.
pub(super) struct Inverted {
    /// Which posterior.
    pub id: u64,
    /// `sqrt(s) L^-1`, to be read below the diagonal and on it.
    pub inverse: Mat<f64>,
    /// Its Frobenius norm, squared.
    pub squared_norm: f64,
}

impl Inverted {
    pub fn of(posterior: &Posterior) -> Self {
        let mut inverse = Mat::new();
        posterior.factor.lower_inverse_into(&mut inverse);
        let (n, scale) = (posterior.len(), posterior.hyperparameters().outputscale.sqrt());
        let column = |j: usize| {
            inverse
                .col(j)
                .subrows(j, n - j)
                .iter()
                .map(|value| (scale * value).powi(2))
                .sum::<f64>()
        };
        // Summed in order, so that no number of threads changes what is fit.
        let squared_norm = (0..n).into_par_iter().map(column).collect::<Vec<f64>>().iter().sum();
        Self { id: posterior.lineage.identity.0, inverse, squared_norm }
    }
}
