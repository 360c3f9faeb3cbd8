//! The inverse factor of a posterior.

use faer::Mat;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::posterior::Posterior;

/// The inverse factor of a posterior, for unit prior variance.
///
/// It uses all threads, and may not be made while a lock is held: a thread that waits for its share
/// may take up another call to the same device, and would wait for itself.
pub struct Inverted {
    /// The identity of the posterior.
    pub id: u64,
    /// `sqrt(s) L^-1`; only the lower triangle counts.
    pub inverse: Mat<f64>,
    /// The Frobenius norm of `inverse`, squared.
    pub squared_norm: f64,
}

impl Inverted {
    /// Inverts the factor of a posterior; `O(n^3)`.
    pub fn of(posterior: &Posterior) -> Self {
        let mut inverse = Mat::new();
        posterior.factor.lower_inverse_into(&mut inverse);
        let (n, scale) = (posterior.rows(), posterior.hyperparameters().outputscale.sqrt());
        let column = |j: usize| {
            inverse
                .col(j)
                .subrows(j, n - j)
                .iter()
                .map(|value| (scale * value).powi(2))
                .sum::<f64>()
        };
        // Summed in order, so that the number of threads does not change what is fit.
        let squared_norm = (0..n).into_par_iter().map(column).collect::<Vec<f64>>().iter().sum();
        Self { id: posterior.lineage.identity.0, inverse, squared_norm }
    }
}
