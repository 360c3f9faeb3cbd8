//! Known costs, from the host's functions.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use crate::backend::{Job, JobCost};
use crate::data::Points;
use crate::error::Result;

/// What a chunk is told of the cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostInput {
    /// Nothing: the score does not depend on it.
    None,
    /// One price for all points, without a gradient.
    Uniform,
    /// A price for each point, with its gradient.
    Known,
    /// A posterior.
    Learned,
}

/// A known cost at each point: `ln c`, and the gradient of `ln c`.
///
/// It uses all threads, and may not be filled while a lock is held: a thread that waits for its
/// share may take up another call to the same device, and would wait for itself.
#[derive(Default)]
pub struct Priced {
    pub log_cost: Vec<f64>,
    /// `b x d`; empty without gradients.
    pub gradient: Vec<f64>,
}

impl Priced {
    /// Fills in the price of a job whose cost is no function of the point.
    pub fn uniform(&mut self, job: &Job<'_>, count: usize) -> CostInput {
        match job.cost {
            _ if !job.acquisition.uses_cost() => CostInput::None,
            JobCost::Uniform(cost) => {
                self.log_cost.clear();
                self.log_cost.resize(count, cost.ln());
                CostInput::Uniform
            }
            JobCost::Learned(_) | JobCost::Known(_) => CostInput::Learned,
        }
    }

    /// Evaluates the cost function of a job, if the job has one and needs it.
    ///
    /// # Errors
    /// The function's, at the first point in order.
    pub fn refill(&mut self, job: &Job<'_>, points: &Points) -> Result<CostInput> {
        let (b, d) = (points.len(), points.dim());
        let function = match job.cost {
            JobCost::Known(function) if job.acquisition.uses_cost() => function,
            _ => return Ok(self.uniform(job, b)),
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
                    for g in gradient.iter_mut() {
                        *g /= cost;
                    }
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
