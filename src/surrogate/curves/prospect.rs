//! What is believed of the rest of a run, and how each coming report moves it.

use faer::{Mat, MatMut};

use crate::acquisition::Stage;
use crate::error::Result;
use crate::math::cholesky::Cholesky;
use crate::math::truncated::truncated;

/// What is believed of the value of a run at one of its coming reports.
#[derive(Debug, Clone)]
pub struct Prospect {
    /// The mean of its value there.
    pub mean: f64,
    /// The deviation by which each of the coming reports, up to that one, moves this mean.
    pub steps: Vec<f64>,
}

impl Prospect {
    /// The deviation of what can be learned of the value.
    pub fn sd(&self) -> f64 {
        self.steps.iter().map(|s| s * s).sum::<f64>().sqrt()
    }

    /// Its stages at the first of these prices, with the chance to survive each.
    pub fn stages(&self, prices: &[f64], survival: f64) -> Vec<Stage> {
        let stage = |(&sd, &price)| Stage { sd, price, survival };
        self.steps.iter().zip(prices).map(stage).collect()
    }
}

/// The coming reports of a run: their means `m`, their covariance `C` without noise, and the factor
/// `L L' = C + N` with noise.
#[derive(Debug)]
pub struct Outlook {
    means: Vec<f64>,
    covariance: Mat<f64>,
    factor: Cholesky,
    /// The variance of the last report.
    end_noise: f64,
    /// By how much deviations are multiplied.
    inflated: f64,
}

impl Outlook {
    /// # Errors
    /// Those of the factor.
    pub fn new(
        means: Vec<f64>,
        covariance: Mat<f64>,
        noise: impl Fn(usize) -> f64,
        inflated: f64,
    ) -> Result<Self> {
        let size = means.len();
        let noisy = Mat::from_fn(size, size, |i, j| {
            covariance[(i, j)] + if i == j { noise(i) } else { 0.0 }
        });
        let factor = Cholesky::factor(noisy.as_ref())?;
        Ok(Self { end_noise: noise(size - 1), means, covariance, factor, inflated })
    }

    /// The same if the end is known to lie between bounds: its mean is the one between them, and all
    /// that the reports tell of it is multiplied by what that leaves of its deviation.
    pub fn within(mut self, bounds: [f64; 2]) -> Self {
        let end = self.len() - 1;
        let sd = self.inflated * self.covariance[(end, end)].max(0.0).sqrt();
        let (mean, left) = truncated(self.means[end], sd, bounds);
        self.means[end] = mean;
        self.inflated *= if sd > 0.0 { left / sd } else { 0.0 };
        self
    }

    /// How many reports are still to come.
    pub fn len(&self) -> usize {
        self.means.len()
    }

    /// The prospect of the value at a coming report, by its place among them. With
    /// `a = L^-1 C e_r` its mean moves by `s_j = |a_j|` at the `j`-th report, `j = 0..=r`. What the
    /// reports up to there tell does not depend on those after it: `L` begins with their factor.
    pub fn to(&self, report: usize) -> Prospect {
        let size = self.len();
        let mut told: Vec<f64> = (0..size).map(|i| self.covariance[(i, report)]).collect();
        self.factor.solve_lower(MatMut::from_column_major_slice_mut(&mut told, size, 1));
        told.truncate(report + 1);
        let steps = told.iter().map(|a| self.inflated * a.abs()).collect();
        Prospect { mean: self.means[report], steps }
    }

    /// Mean and deviation of what is reported at the end, with noise.
    pub fn outcome(&self) -> (f64, f64) {
        let end = self.len() - 1;
        (
            self.means[end],
            self.inflated * (self.covariance[(end, end)] + self.end_noise).max(0.0).sqrt(),
        )
    }

    /// The prospect of the end.
    pub fn end(&self) -> Prospect {
        self.to(self.len() - 1)
    }
}
