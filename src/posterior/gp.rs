//! The posterior: data, hyper-parameters and the factor of their covariance.

use std::borrow::Cow;

use faer::Mat;

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::cholesky::Cholesky;
use crate::model::Covariance;
use crate::model::kernel::PackedPoints;
use crate::model::likelihood::profiled_mean;
use crate::model::{Hyperparameters, KernelFamily, check_data, check_finite};
use crate::posterior::compressed::Compressed;
use crate::posterior::lineage::Lineage;

/// A share of the prior's variance. A function hardly differs between two places whose covariance
/// falls short of the variance by less: for a Matern 5/2 kernel those nearer than `3.5e-4`
/// lengthscales.
const APART: f64 = 1e-7;

/// The posterior of a Gaussian process with fixed hyper-parameters, given `n` observations in `d`
/// dimensions.
///
/// Throughout the crate larger outcomes are better. The posterior itself makes no difference.
///
/// ```
/// use gittins::{Hyperparameters, KernelFamily, Points, Posterior};
/// let inputs = Points::from_rows(1, vec![0.1, 0.5, 0.9])?;
/// let hyperparameters = Hyperparameters { lengthscales: vec![0.3], outputscale: 1.0, noise: 1e-6, mean: 0.0 };
/// let posterior = Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &[0.2, 1.0, -0.3])?;
/// let moments = posterior.moments(&Points::from_rows(1, vec![0.5])?)?;
/// assert!((moments.mean[0] - 1.0).abs() < 1e-4 && moments.variance[0] < 1e-5);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Posterior {
    pub(crate) family: KernelFamily,
    pub(crate) hyperparameters: Hyperparameters,
    inputs: Points,
    outcomes: Vec<f64>,
    /// If the kernel has a rank and there are more observations: what the first of them say. They
    /// stand in the first rows.
    pub(super) compressed: Option<Compressed>,
    /// The rows of the factor: the inputs, or what they were compressed to.
    pub(crate) packed: PackedPoints,
    pub(crate) factor: Cholesky,
    /// Whether a row was observed without noise, unlike the outcomes.
    knowing: bool,
    /// The noise of each row, if they differ.
    noises: Option<Vec<f64>>,
    /// How many inputs were factored at once. The rows of the others were appended.
    built: usize,
    /// `K^-1 (y - m)` of the rows, padded with zeros to whole vectors.
    pub(crate) alpha: Vec<f64>,
    pub(crate) lineage: Lineage,
}

impl Posterior {
    /// Factors the covariance of the data in O(n^3): `inputs` is `n x d`, `outcomes` has `n`
    /// entries. With the spherical linear kernel and `n > d + 1` it takes O(n d^2).
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] for `n = 0`, [`ErrorKind::Dimension`] if lengths differ,
    /// [`ErrorKind::NonFinite`] and [`ErrorKind::InvalidSetting`], naming the number,
    /// [`ErrorKind::NotPositiveDefinite`] if the factor does not exist even with jitter.
    pub fn new(
        family: KernelFamily,
        hyperparameters: &Hyperparameters,
        inputs: &Points,
        outcomes: &[f64],
    ) -> Result<Self> {
        check_data(inputs, outcomes)?;
        hyperparameters.validate(inputs.dim())?;
        let low_rank = family.rank(inputs.dim()).is_some_and(|rank| inputs.len() > rank);
        let (compressed, packed, factor) = if low_rank {
            let (compressed, packed, factor) =
                Compressed::new(family, hyperparameters, inputs, outcomes)?;
            (Some(compressed), packed, factor)
        } else {
            let packed = PackedPoints::new(family, inputs, &hyperparameters.lengthscales);
            let mut covariance =
                Covariance::new(&packed, inputs, family, hyperparameters.outputscale, false);
            covariance.add_diagonal(hyperparameters.noise);
            (None, packed, Cholesky::factor(covariance.values())?)
        };
        let mut posterior = Self {
            family,
            hyperparameters: hyperparameters.clone(),
            inputs: inputs.clone(),
            outcomes: outcomes.to_vec(),
            compressed,
            packed,
            factor,
            knowing: false,
            noises: None,
            built: inputs.len(),
            alpha: Vec::new(),
            lineage: Lineage::new(),
        };
        posterior.solve_weights();
        Ok(posterior)
    }

    /// The posterior of outcomes with a noise each. `factor` is that of their covariance.
    pub(super) fn with_noises(
        family: KernelFamily,
        hyperparameters: &Hyperparameters,
        inputs: &Points,
        (outcomes, noises): (Vec<f64>, Vec<f64>),
        factor: Cholesky,
    ) -> Self {
        let mut posterior = Self {
            family,
            hyperparameters: hyperparameters.clone(),
            inputs: inputs.clone(),
            outcomes,
            compressed: None,
            packed: PackedPoints::new(family, inputs, &hyperparameters.lengthscales),
            factor,
            knowing: false,
            noises: Some(noises),
            built: inputs.len(),
            alpha: Vec::new(),
            lineage: Lineage::new(),
        };
        posterior.solve_weights();
        posterior
    }

    /// Adds an observation in O(n^2), with the spherical linear kernel in O(d^2) and once in `d + 1`
    /// times in O(n d^2). Up to rounding, the result is that of [`Posterior::new`] on all data.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] or [`ErrorKind::NonFinite`] for bad data,
    /// [`ErrorKind::NotPositiveDefinite`] if the new pivot is lost (for example with two equal
    /// inputs without noise). The posterior then stays as it was, and [`Posterior::new`] can help
    /// with jitter.
    pub fn append(&mut self, input: &[f64], outcome: f64) -> Result<()> {
        let mut point = Points::new(self.dim());
        if input.len() != self.dim() {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("a point of {} coordinates for {} inputs", input.len(), self.dim()),
            ));
        }
        point.push(input);
        check_data(&point, &[outcome])?;
        self.append_row(input, self.hyperparameters.noise)?;
        self.outcomes.push(outcome);
        // Compressed anew when the rows have doubled, an observation costs O(n m) on average.
        let many = self.family.rank(self.dim()).is_some_and(|rank| self.rows() > 2 * rank);
        if many && !self.knowing && self.noises.is_none() {
            let Self { family, hyperparameters, inputs, outcomes, .. } = &*self;
            if let Ok(compressed) = Self::new(*family, hyperparameters, inputs, outcomes) {
                *self = compressed;
                return Ok(());
            }
        }
        self.lineage.appended();
        self.solve_weights();
        Ok(())
    }

    /// Adds an input that is observed with this noise to the factor.
    fn append_row(&mut self, input: &[f64], noise: f64) -> Result<()> {
        let (n, stride) = (self.rows(), self.packed.padded_len());
        let mut embedded = vec![0.0; self.packed.width()];
        self.packed.embed(input, &mut embedded);
        let mut column = vec![0.0; stride];
        self.packed.tile(
            (self.family, self.hyperparameters.outputscale),
            0,
            &embedded,
            stride,
            &mut column,
            None,
        );
        self.factor.append(&column[..n], self.hyperparameters.outputscale + noise)?;
        self.packed.push(input);
        self.inputs.push(input);
        if let Some(noises) = &mut self.noises {
            noises.push(noise);
        }
        Ok(())
    }

    /// The posterior of other data with the same kernel and noise. The first inputs are those of
    /// this posterior; the others are appended to the factor, in O(n^2) each. None if the data
    /// begin differently, if the factor needed a jitter or loses a pivot, or if there are more data
    /// than the rank of the kernel: then build it anew.
    pub(crate) fn grown(
        &self,
        hyperparameters: &Hyperparameters,
        inputs: &Points,
        outcomes: &[f64],
    ) -> Option<Self> {
        let known = &self.hyperparameters;
        let same_kernel = (&known.lengthscales, known.outputscale, known.noise)
            == (&hyperparameters.lengthscales, hyperparameters.outputscale, hyperparameters.noise);
        if !same_kernel
            || self.noises.is_some()
            || self.jitter() != 0.0
            || !inputs.values().starts_with(self.inputs.values())
            || self.family.rank(self.dim()).is_some_and(|rank| inputs.len() > rank)
        {
            return None;
        }
        let mut grown = self.clone();
        grown.hyperparameters.mean = hyperparameters.mean;
        for row in self.len()..inputs.len() {
            grown.append_row(inputs.row(row), hyperparameters.noise).ok()?;
        }
        grown.outcomes = outcomes.to_vec();
        // A device needs all of it, because not only rows are new.
        grown.lineage = Lineage::new();
        grown.solve_weights();
        Some(grown)
    }

    /// How many inputs were factored at once: [`new`](Self::new) of as many and then
    /// [`grown`](Self::grown) make the same factor to the bit.
    pub(crate) fn built(&self) -> usize {
        self.built
    }

    /// The same posterior with the constant mean of largest likelihood.
    pub(crate) fn with_profiled_mean(mut self) -> Self {
        self.hyperparameters.mean = match &self.compressed {
            None => profiled_mean(&self.factor, &self.outcomes),
            Some(compressed) => {
                compressed.profiled_mean(&self.factor, &self.outcomes[compressed.count()..])
            }
        };
        self.lineage = Lineage::new();
        self.solve_weights();
        self
    }

    /// This posterior with the points added as if each had been observed at its posterior mean. The
    /// mean stays, and the variance falls. If the points are still being evaluated, the next
    /// suggestions differ from them (Ginsbourger, Le Riche & Carraro 2010, "kriging believer").
    ///
    /// A point whose pivot is lost is already known to all digits. It is left out.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] and [`ErrorKind::NonFinite`], naming the point.
    #[doc(hidden)]
    pub fn fantasize(&self, points: &Points) -> Result<Self> {
        let mut fantasy = self.clone();
        if points.is_empty() {
            return Ok(fantasy);
        }
        let mean = self.moments(points)?.mean;
        fantasy.believe(points, &mean)?;
        Ok(fantasy)
    }

    /// Adds points with outcomes that nobody observed. A point whose pivot is lost is left out.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] and [`ErrorKind::NonFinite`].
    pub(crate) fn believe(&mut self, points: &Points, outcomes: &[f64]) -> Result<()> {
        for (point, outcome) in points.rows().zip(outcomes) {
            match self.append(point, *outcome) {
                Err(error) if error.kind() != ErrorKind::NotPositiveDefinite => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds a point as if observed at its posterior mean, which is given. The mean stays. A point
    /// whose pivot is lost is left out.
    pub(super) fn await_outcome(&mut self, point: &[f64], mean: f64) -> Result<()> {
        match self.append_row(point, self.hyperparameters.noise) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotPositiveDefinite => return Ok(()),
            Err(error) => return Err(error),
        }
        self.outcomes.push(mean);
        // The weight of an outcome at its mean is zero, and the other weights stay.
        self.alpha.resize(self.packed.padded_len(), 0.0);
        self.lineage.appended();
        Ok(())
    }

    /// This posterior if the function itself, without noise, were known to have its posterior mean
    /// at a point. The mean stays. The variance that remains elsewhere is what the point does not
    /// tell.
    ///
    /// None if the function is already known there to all digits.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] and [`ErrorKind::NonFinite`].
    pub(crate) fn knowing(&self, point: &[f64]) -> Result<Option<Self>> {
        let mean = self.moments(&Points::from_rows(self.dim(), point.to_vec())?)?.mean[0];
        let mut knowing = self.clone();
        match knowing.append_row(point, 0.0) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotPositiveDefinite => return Ok(None),
            Err(error) => return Err(error),
        }
        knowing.knowing = true;
        knowing.outcomes.push(mean);
        knowing.lineage.appended();
        knowing.solve_weights();
        Ok(Some(knowing))
    }

    fn solve_weights(&mut self) {
        self.alpha = self.factor.solve(&self.residuals());
        self.alpha.resize(self.packed.padded_len(), 0.0);
    }

    /// The outcomes of the rows less the prior mean.
    pub(super) fn residuals(&self) -> Vec<f64> {
        let mean = self.hyperparameters.mean;
        let (before, first) = match &self.compressed {
            None => (None, 0),
            Some(compressed) => (Some(compressed.residuals(mean)), compressed.count()),
        };
        let appended = self.outcomes[first..].iter().map(|y| y - mean);
        before.into_iter().flatten().chain(appended).collect()
    }

    /// The noise of a row, jitter included.
    pub(super) fn noise_of_row(&self, row: usize) -> f64 {
        let own = self.noises.as_ref().and_then(|noises| noises.get(row));
        let compressed = self.compressed.as_ref().and_then(|of| of.noise().get(row));
        own.or(compressed).copied().unwrap_or(self.hyperparameters.noise + self.factor.jitter())
    }

    /// The number of rows of the factor: that of the observations, or of what they were compressed
    /// to.
    pub(crate) fn rows(&self) -> usize {
        self.packed.len()
    }

    /// The number of observations `n`.
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Whether there is no observation; there always is one.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// The dimension `d`.
    pub fn dim(&self) -> usize {
        self.inputs.dim()
    }

    /// The kernel's family.
    pub fn family(&self) -> KernelFamily {
        self.family
    }

    /// The hyper-parameters.
    pub fn hyperparameters(&self) -> &Hyperparameters {
        &self.hyperparameters
    }

    /// The number that was added to the diagonal of the covariance besides the noise; usually zero.
    pub fn jitter(&self) -> f64 {
        self.factor.jitter()
    }

    /// The inputs, `n x d`.
    pub fn inputs(&self) -> &Points {
        &self.inputs
    }

    /// The `n` outcomes.
    pub fn outcomes(&self) -> &[f64] {
        &self.outcomes
    }

    /// The `n` weights `K^-1 (y - m)` of the kernel values in the mean. If the observations were
    /// compressed, they are `(y - mean) / noise`, and have fewer digits than the mean.
    pub fn weights(&self) -> Cow<'_, [f64]> {
        if self.compressed.is_none() {
            return Cow::Borrowed(&self.alpha[..self.len()]);
        }
        let noise = self.hyperparameters.noise + self.jitter();
        let means = self.means_at_data();
        Cow::Owned(self.outcomes.iter().zip(means).map(|(y, mean)| (y - mean) / noise).collect())
    }

    /// The inputs over their lengthscales, as kernels take them.
    #[doc(hidden)]
    pub fn packed(&self) -> &PackedPoints {
        &self.packed
    }

    /// The factor of the covariance of the observations.
    #[doc(hidden)]
    pub fn factor(&self) -> &Cholesky {
        &self.factor
    }

    /// The log marginal likelihood of the data, `-(r' K^-1 r + ln det K + n ln 2 pi) / 2`
    /// (Rasmussen & Williams 2006, equation 2.30).
    pub fn log_marginal_likelihood(&self) -> f64 {
        let residuals = self.residuals();
        let quadratic: f64 = residuals.iter().zip(&self.alpha).map(|(r, a)| r * a).sum();
        let of_rows = -0.5
            * (quadratic
                + self.factor.log_determinant()
                + residuals.len() as f64 * (2.0 * std::f64::consts::PI).ln());
        let mean = self.hyperparameters.mean;
        of_rows + self.compressed.as_ref().map_or(0.0, |of| of.log_likelihood_beside(mean))
    }

    /// The prior covariance among points, lower triangle only.
    #[doc(hidden)]
    pub fn prior_covariance(&self, points: &Points) -> Mat<f64> {
        let packed = PackedPoints::new(self.family, points, &self.hyperparameters.lengthscales);
        Covariance::new(&packed, points, self.family, self.hyperparameters.outputscale, false)
            .values()
            .to_owned()
    }

    /// Whether the model cannot tell a point from one of some others: the variance of the difference
    /// of the function at both, before any data, is at most that of the difference of two noisy
    /// outcomes at one place. Noise above a share of [`APART`] of the prior's variance counts as
    /// that share: it does not forbid to look near.
    pub(crate) fn confuses(&self, point: &[f64], others: &Points) -> bool {
        let Hyperparameters { lengthscales, outputscale, noise, .. } = &self.hyperparameters;
        let packed = PackedPoints::new(self.family, others, lengthscales);
        let mut embedded = vec![0.0; packed.width()];
        packed.embed(point, &mut embedded);
        let mut prior = vec![0.0; packed.padded_len()];
        let stride = prior.len();
        packed.tile((self.family, *outputscale), 0, &embedded, stride, &mut prior, None);
        let least = (noise + self.jitter()).min(APART * outputscale);
        prior[..others.len()].iter().any(|covariance| outputscale - covariance <= least)
    }

    pub(crate) fn check(&self, points: &Points) -> Result<()> {
        if points.dim() != self.dim() {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("points of {} coordinates for a posterior of {}", points.dim(), self.dim()),
            ));
        }
        check_finite(points)
    }
}
