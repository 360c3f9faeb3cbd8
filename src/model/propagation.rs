//! Expectation propagation for labels: did a trial succeed?
//!
//! A latent Gaussian process `h` with mean `m` and covariance `K` has the likelihood
//! `Phi(t_i h_i)`, with `t_i = 1` for a success and -1 for a failure. Each factor is replaced by a
//! Gaussian site of precision `tau_i` and precision times mean `nu_i`, whose moments match (Minka
//! 2001, "Expectation propagation for approximate Bayesian inference"; Rasmussen & Williams 2006,
//! section 3.6). The latent posterior is then that of regression on the outcomes `nu / tau` with
//! the noises `1 / tau`.
//!
//! All of it goes through `B = I + S K S` with `S = sqrt(tau)`. Its eigenvalues are at least 1, and
//! a site of precision zero does no harm. With the moments `mu_c`, `v_c` of the cavity,
//! `z = t mu_c / sqrt(1 + v_c)`, `r = phi/Phi` and `m = h/Phi` of `z`, the new site is
//!
//! ```text
//! a = t r / sqrt(1 + v_c)      w = r m / (1 + v_c)
//! tau = w / (1 - v_c w)        nu = (a + mu_c w) / (1 - v_c w)
//! ```
//!
//! in which nothing cancels, since `r m < 1`. All sites change together, at first by the full step.
//! Whenever the sites come no nearer to their fixed point, the step is halved. The number of rounds
//! is bounded. Sites that were cut short still make a proper posterior.

use faer::{Mat, MatRef};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};

use crate::error::Result;
use crate::math::cholesky::Cholesky;
use crate::math::normal::{log_cdf, ratios};

/// The largest number of rounds.
const ROUNDS: usize = 60;

/// The smallest share of a step.
const SMALLEST_STEP: f64 = 0.05;

/// A round that leaves more than this share of the distance to the fixed point halves the step.
const SLOW: f64 = 0.95;

/// The smallest precision of a site, in units of the inverse prior variance, where a noise is
/// needed. The site then tells no digit of anything.
const LEAST_PRECISION: f64 = 1e-20;

/// Columns that one thread takes at a time.
const COLUMNS: usize = 16;

/// One Gaussian for each label.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Sites {
    /// The precisions `tau`.
    pub precision: Vec<f64>,
    /// The precisions times the means, `nu`.
    pub shift: Vec<f64>,
}

/// What propagation found.
#[derive(Debug)]
pub(crate) struct Propagated {
    pub sites: Sites,
    /// The factor of `B`.
    pub factor: Cholesky,
    /// `(K + 1 / tau)^-1 (nu / tau - m)`.
    pub weights: Vec<f64>,
    /// The posterior means less the prior's.
    pub means: Vec<f64>,
    /// The logarithm of the approximate probability of all labels.
    pub log_evidence: f64,
    /// Whether the sites have settled.
    pub settled: bool,
}

/// The prior of the latent function at the inputs, and the labels there.
#[derive(Clone, Copy)]
pub(super) struct Labeled<'a> {
    /// The covariance, lower triangle.
    pub covariance: MatRef<'a, f64>,
    pub mean: f64,
    pub succeeded: &'a [bool],
}

impl Sites {
    /// Sites that say nothing.
    pub fn flat(count: usize) -> Self {
        Self { precision: vec![0.0; count], shift: vec![0.0; count] }
    }

    /// The noises `1 / tau` for a prior of this variance. No precision counts as zero.
    pub fn noises(&self, prior: f64) -> Vec<f64> {
        let least = LEAST_PRECISION / prior;
        self.precision.iter().map(|tau| 1.0 / tau.max(least)).collect()
    }

    /// The outcomes `nu / tau` for these noises.
    pub fn outcomes(&self, noises: &[f64]) -> Vec<f64> {
        self.shift.iter().zip(noises).map(|(nu, noise)| nu * noise).collect()
    }
}

impl Propagated {
    /// The factor of `K + 1 / tau`, whose diagonal has these noises.
    pub fn noisy_factor(&self, noises: &[f64]) -> Cholesky {
        let deviations: Vec<f64> = noises.iter().map(|noise| noise.sqrt()).collect();
        self.factor.scaled(&deviations)
    }
}

/// The posterior of the latent values under the present sites.
struct Belief {
    factor: Cholesky,
    weights: Vec<f64>,
    means: Vec<f64>,
    variances: Vec<f64>,
}

/// Moves sites to their fixed point, from where they are. Ends when no site is off by more than
/// `tolerance` (in units where a site's precision is at most 1).
///
/// # Errors
/// [`NotPositiveDefinite`](crate::ErrorKind::NotPositiveDefinite) if a number is not finite.
pub(super) fn propagate(
    labeled: Labeled<'_>,
    mut sites: Sites,
    tolerance: f64,
) -> Result<Propagated> {
    let full = mirrored(labeled.covariance);
    let (mut step, mut last, mut settled) = (1.0, f64::INFINITY, false);
    let mut belief = Belief::new(full.as_ref(), labeled.mean, &sites)?;
    for _ in 0..ROUNDS {
        let mut farthest: f64 = 0.0;
        let mut next = sites.clone();
        for i in 0..labeled.succeeded.len() {
            let Some(cavity) = belief.cavity(i, labeled.mean, &sites) else { continue };
            let (tau, nu) = cavity.matched(labeled.succeeded[i]);
            let by_precision = tau - sites.precision[i];
            let by_shift = nu - sites.shift[i];
            farthest = farthest.max(by_precision.abs()).max(by_shift.abs() / (1.0 + nu.abs()));
            next.precision[i] += step * by_precision;
            next.shift[i] += step * by_shift;
        }
        if farthest <= tolerance {
            settled = true;
            break;
        }
        if farthest > SLOW * last {
            step = (0.5 * step).max(SMALLEST_STEP);
        }
        last = farthest;
        sites = next;
        belief = Belief::new(full.as_ref(), labeled.mean, &sites)?;
    }
    let log_evidence = belief.log_evidence(labeled, &sites);
    let Belief { factor, weights, means, .. } = belief;
    Ok(Propagated { sites, factor, weights, means, log_evidence, settled })
}

/// The belief about one latent value without its own site.
struct Cavity {
    precision: f64,
    mean: f64,
}

impl Cavity {
    /// The number of standard deviations between the label's border and the value.
    fn distance(&self, succeeded: bool) -> f64 {
        let sign = if succeeded { 1.0 } else { -1.0 };
        sign * self.mean / (1.0 + 1.0 / self.precision).sqrt()
    }

    /// The site with which the value has the moments that the label gives it.
    fn matched(&self, succeeded: bool) -> (f64, f64) {
        let variance = 1.0 / self.precision;
        let of = ratios(self.distance(succeeded));
        let total = 1.0 + variance;
        let slope = if succeeded { of.r } else { -of.r } / total.sqrt();
        let curvature = of.r * of.m / total;
        let rest = 1.0 - variance * curvature;
        (curvature / rest, (slope + self.mean * curvature) / rest)
    }
}

impl Belief {
    fn new(covariance: MatRef<'_, f64>, mean: f64, sites: &Sites) -> Result<Self> {
        let n = covariance.nrows();
        let roots: Vec<f64> = sites.precision.iter().map(|tau| tau.sqrt()).collect();
        let b = Mat::from_fn(n, n, |i, j| {
            f64::from(u8::from(i == j)) + roots[i] * covariance[(i, j)] * roots[j]
        });
        let factor = Cholesky::factor(b.as_ref())?;
        let shifts: Vec<f64> =
            sites.shift.iter().zip(&sites.precision).map(|(nu, tau)| nu - tau * mean).collect();
        let spread = |weights: &[f64]| -> Vec<f64> {
            (0..n)
                .map(|j| covariance.col(j).iter().zip(weights).map(|(k, w)| k * w).sum())
                .collect()
        };
        let along: Vec<f64> = spread(&shifts).iter().zip(&roots).map(|(k, s)| s * k).collect();
        let solved = factor.solve(&along);
        let weights: Vec<f64> = (0..n).map(|i| shifts[i] - roots[i] * solved[i]).collect();
        let means = spread(&weights);
        let mut whitened = Mat::from_fn(n, n, |i, j| roots[i] * covariance[(i, j)]);
        let mut variances = vec![0.0; n];
        variances
            .par_iter_mut()
            .chunks(COLUMNS)
            .zip(whitened.as_mut().par_col_chunks_mut(COLUMNS))
            .enumerate()
            .for_each(|(chunk, (variances, mut columns))| {
                factor.solve_lower(columns.as_mut());
                for (j, variance) in variances.into_iter().enumerate() {
                    let at = chunk * COLUMNS + j;
                    let taken: f64 = columns.as_ref().col(j).iter().map(|v| v * v).sum();
                    *variance = covariance[(at, at)] - taken;
                }
            });
        Ok(Self { factor, weights, means, variances })
    }

    /// None if rounding left no cavity.
    fn cavity(&self, i: usize, mean: f64, sites: &Sites) -> Option<Cavity> {
        let total = 1.0 / self.variances[i];
        let precision = total - sites.precision[i];
        let shift = (mean + self.means[i]) * total - sites.shift[i];
        let proper = precision > 0.0 && precision.is_finite() && shift.is_finite();
        proper.then(|| Cavity { precision, mean: shift / precision })
    }

    /// Rasmussen & Williams 2006, equations 3.65, 3.73 and 3.74, for values less the prior mean.
    fn log_evidence(&self, labeled: Labeled<'_>, sites: &Sites) -> f64 {
        let mut sum = -0.5 * self.factor.log_determinant();
        for (i, &succeeded) in labeled.succeeded.iter().enumerate() {
            let Some(cavity) = self.cavity(i, labeled.mean, sites) else { continue };
            let tau = sites.precision[i];
            let shift = sites.shift[i] - tau * labeled.mean;
            let total = cavity.precision + tau;
            let center = cavity.mean - labeled.mean;
            sum += log_cdf(cavity.distance(succeeded))
                + 0.5 * (tau / cavity.precision).ln_1p()
                + 0.5 * shift * (self.means[i] - shift / total)
                + 0.5 * center * cavity.precision * (tau * center - 2.0 * shift) / total;
        }
        sum
    }
}

/// The whole matrix of a lower triangle.
fn mirrored(lower: MatRef<'_, f64>) -> Mat<f64> {
    Mat::from_fn(lower.nrows(), lower.nrows(), |i, j| lower[(i.max(j), i.min(j))])
}
