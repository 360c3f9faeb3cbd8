//! The probability that a trial may be used.

use std::sync::Arc;

use crate::data::Points;
use crate::error::Result;
use crate::math::normal::{log_cdf, ratios};
use crate::posterior::moments::{TileMoments, Workspace};
use crate::posterior::{Posterior, Success};

/// The probability that a trial at a point may be used: that it succeeds, and that each of its
/// measured numbers holds its limit.
///
/// These are independent factors. For a limit, the slack between number and bound is a Gaussian
/// process with posterior mean `m_k` and variance `v_k` at a point, and the limit holds if the slack is
/// not negative. For the success of a trial see [`Success`].
///
/// ```text
/// P = prod_k Phi(z_k)      z_k = m_k / sqrt(u_k + v_k)      d ln P = sum_k (phi(z_k) / Phi(z_k)) dz_k
/// ```
///
/// with `u = 0` for a limit and `u = 1` for the latent function of success. (Gardner et al. 2014,
/// "Bayesian Optimization with Inequality Constraints", equation 5, multiplies the expected improvement
/// by the same product.)
#[derive(Debug, Clone, Default)]
pub struct Usable {
    success: Option<Arc<Success>>,
    slacks: Vec<Arc<Posterior>>,
}

/// Logarithms of the probability at several points, and their gradients.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogUsable {
    /// One for each point.
    pub value: Vec<f64>,
    /// One row for each point; empty without gradients.
    pub gradient: Vec<f64>,
    mean: Vec<f64>,
    variance: Vec<f64>,
    slopes: [Vec<f64>; 2],
}

/// The logarithm of one factor at a mean and a variance, and its derivatives by both.
fn log_factor(mean: f64, variance: f64, spread: f64) -> (f64, f64, f64) {
    let root = (spread + variance).sqrt();
    let z = mean / root;
    let slope = ratios(z).r / root;
    (log_cdf(z), slope, -0.5 * slope * z / root)
}

impl Usable {
    /// From what is known of the success of trials, and of the slack of each limit. `None` if every
    /// trial may be used, as far as is known.
    pub fn new(success: Option<Arc<Success>>, slacks: Vec<Arc<Posterior>>) -> Option<Self> {
        (success.is_some() || !slacks.is_empty()).then_some(Self { success, slacks })
    }

    /// The latent posteriors of the factors, each with the `u` that is added to its variance.
    fn factors(&self) -> impl Iterator<Item = (&Posterior, f64)> {
        let success = self.success.iter().map(|success| (success.latent(), 1.0));
        success.chain(self.slacks.iter().map(|slack| (&**slack, 0.0)))
    }

    /// The latent posteriors of the factors.
    #[doc(hidden)]
    pub fn latents(&self) -> impl Iterator<Item = &Posterior> {
        self.factors().map(|(latent, _)| latent)
    }

    /// The latent posterior of success, if success is all that counts.
    #[cfg(feature = "gpu")]
    pub(crate) fn only_success(&self) -> Option<&Posterior> {
        self.success.as_ref().filter(|_| self.slacks.is_empty()).map(|success| success.latent())
    }

    /// The number of inputs of the first factor that has another one than `dim`.
    pub(crate) fn other_dim(&self, dim: usize) -> Option<usize> {
        self.latents().map(Posterior::dim).find(|other| *other != dim)
    }

    /// The probability at each point.
    ///
    /// # Errors
    /// [`Dimension`](crate::ErrorKind::Dimension) and [`NonFinite`](crate::ErrorKind::NonFinite),
    /// naming the point.
    pub fn probabilities(&self, points: &Points) -> Result<Vec<f64>> {
        let mut log = LogUsable::default();
        self.log_probabilities(points, false, &mut log)?;
        Ok(log.value.iter().map(|log| log.exp()).collect())
    }

    /// The logarithm of the probability at each point, and its gradient if it is wanted.
    ///
    /// # Errors
    /// Those of [`probabilities`](Self::probabilities).
    pub(crate) fn log_probabilities(
        &self,
        points: &Points,
        with_gradient: bool,
        out: &mut LogUsable,
    ) -> Result<()> {
        out.begin(points.len(), points.values().len(), with_gradient);
        for (latent, spread) in self.factors() {
            let moments = latent.batch(points, with_gradient)?;
            out.mean = moments.mean;
            out.variance = moments.variance;
            out.slopes = [moments.mean_gradient, moments.variance_gradient];
            out.multiply(spread);
        }
        Ok(())
    }

    /// The same for one tile of points that were checked, on the calling thread.
    pub(crate) fn tile(
        &self,
        rows: &[f64],
        count: usize,
        with_gradient: bool,
        workspace: &mut Workspace,
        out: &mut LogUsable,
    ) {
        out.begin(count, rows.len(), with_gradient);
        let numbers = if with_gradient { rows.len() } else { 0 };
        for (latent, spread) in self.factors() {
            out.mean.resize(count, 0.0);
            out.variance.resize(count, 0.0);
            out.slopes.iter_mut().for_each(|slopes| slopes.resize(numbers, 0.0));
            let [first, second] = &mut out.slopes;
            let gradients = with_gradient.then_some([&mut first[..], &mut second[..]]);
            let mean = &mut out.mean[..];
            let variance = &mut out.variance[..];
            latent.tile(rows, workspace, TileMoments { mean, variance, gradients });
            out.multiply(spread);
        }
    }
}

impl LogUsable {
    fn begin(&mut self, count: usize, numbers: usize, with_gradient: bool) {
        self.value.clear();
        self.value.resize(count, 0.0);
        self.gradient.clear();
        self.gradient.resize(if with_gradient { numbers } else { 0 }, 0.0);
    }

    /// Multiplies the probabilities by the factor whose moments are there.
    fn multiply(&mut self, spread: f64) {
        let dim = self.gradient.len() / self.value.len().max(1);
        for (point, value) in self.value.iter_mut().enumerate() {
            let (log, by_mean, by_variance) =
                log_factor(self.mean[point], self.variance[point], spread);
            *value += log;
            for at in point * dim..(point + 1) * dim {
                self.gradient[at] +=
                    by_mean * self.slopes[0][at] + by_variance * self.slopes[1][at];
            }
        }
    }
}
