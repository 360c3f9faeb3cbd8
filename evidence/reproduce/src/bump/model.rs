//! A Gaussian process in one dimension whose amplitude is known and varies.
//!
//! `f(z) = m + s(z) g(z)` with `s = sqrt(a)` and `g` from a Matern-5/2 process of variance 1, so
//! the kernel is `k(z, z') s(z) s(z')`. Outcomes have noise of variance 1e-4. `m` maximizes the
//! likelihood. The library's posterior is for stationary kernels. This one is small enough to be
//! written out.

use gittins::acquisition::{Belief, PointBeliefCost};
use gittins_problems::bump::Bump;

use frontend::Result;

const LENGTHSCALE: f64 = 1e-4;
const NOISE: f64 = 1e-4;

/// The posterior after some evaluations.
pub struct Model<'a> {
    bump: &'a Bump,
    places: Vec<f64>,
    outcomes: Vec<f64>,
    /// `s` at the places.
    scales: Vec<f64>,
    /// Rows of the Cholesky factor, `i + 1` numbers in the `i`-th.
    factor: Vec<Vec<f64>>,
    mean: f64,
    /// `K^-1 (y - m)`.
    weights: Vec<f64>,
}

/// The belief at a place, and its slopes.
pub struct Moments {
    pub belief: Belief,
    pub d_mean: f64,
    pub d_sd: f64,
    /// Of `ln c`.
    pub d_log_cost: f64,
}

impl<'a> Model<'a> {
    pub fn new(bump: &'a Bump) -> Self {
        let none = Vec::new;
        Self {
            bump,
            places: none(),
            outcomes: none(),
            scales: none(),
            factor: Vec::new(),
            mean: 0.0,
            weights: none(),
        }
    }

    /// Adds an evaluation in O(n^2).
    ///
    /// # Errors
    /// If the covariance is not positive definite, which the noise rules out.
    pub fn add(&mut self, z: f64, outcome: f64) -> Result<()> {
        let (scale, _) = self.scale(z);
        let column: Vec<f64> = self
            .places
            .iter()
            .zip(&self.scales)
            .map(|(x, s)| matern(z - x).0 * s * scale)
            .collect();
        let mut row = self.lower(&column);
        let pivot = scale * scale + NOISE - row.iter().map(|x| x * x).sum::<f64>();
        if pivot.is_nan() || pivot <= 0.0 {
            return Err(std::io::Error::other(format!("the covariance lost a pivot at {z}")).into());
        }
        row.push(pivot.sqrt());
        self.factor.push(row);
        self.places.push(z);
        self.scales.push(scale);
        self.outcomes.push(outcome);
        let ones = self.upper(&self.lower(&vec![1.0; self.places.len()]));
        self.mean = ones.iter().zip(&self.outcomes).map(|(w, y)| w * y).sum::<f64>()
            / ones.iter().sum::<f64>();
        let residuals: Vec<f64> = self.outcomes.iter().map(|y| y - self.mean).collect();
        self.weights = self.upper(&self.lower(&residuals));
        Ok(())
    }

    /// The belief at a place.
    pub fn moments(&self, z: f64) -> Moments {
        let (scale, d_scale) = self.scale(z);
        let mut slope = [0.0];
        let cost = self.bump.cost(&[z], &mut slope);
        let mut column = Vec::with_capacity(self.places.len());
        let mut d_column = Vec::with_capacity(self.places.len());
        let (mut mean, mut d_mean) = (self.mean, 0.0);
        for ((x, s), weight) in self.places.iter().zip(&self.scales).zip(&self.weights) {
            let (value, d_value) = matern(z - x);
            let k = s * scale * value;
            let d_k = s * (d_scale * value + scale * d_value);
            mean += weight * k;
            d_mean += weight * d_k;
            column.push(k);
            d_column.push(d_k);
        }
        let whitened = self.lower(&column);
        let variance = (scale * scale - whitened.iter().map(|x| x * x).sum::<f64>()).max(0.0);
        let solved = self.upper(&whitened);
        let d_variance =
            2.0 * (scale * d_scale - solved.iter().zip(&d_column).map(|(a, b)| a * b).sum::<f64>());
        let sd = variance.sqrt();
        let belief = Belief { mean, sd, cost: PointBeliefCost::Known(cost) };
        Moments {
            belief,
            d_mean,
            d_sd: if sd > 0.0 { d_variance / (2.0 * sd) } else { 0.0 },
            d_log_cost: slope[0] / cost,
        }
    }

    /// `s = sqrt(a)` and its slope.
    fn scale(&self, z: f64) -> (f64, f64) {
        let mut slope = [0.0];
        let scale = self.bump.amplitude(&[z], &mut slope).sqrt();
        (scale, slope[0] / (2.0 * scale))
    }

    /// `L^-1 v`.
    fn lower(&self, v: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = Vec::with_capacity(v.len() + 1);
        for (row, v) in self.factor.iter().zip(v) {
            let known: f64 = row.iter().zip(&x).map(|(l, x)| l * x).sum();
            x.push((v - known) / row[row.len() - 1]);
        }
        x
    }

    /// `L'^-1 v`.
    fn upper(&self, v: &[f64]) -> Vec<f64> {
        let mut x = v.to_vec();
        for (i, row) in self.factor.iter().enumerate().rev() {
            x[i] /= row[i];
            let (rest, xi) = x.split_at_mut(i);
            rest.iter_mut().zip(row).for_each(|(x, l)| *x -= l * xi[0]);
        }
        x
    }
}

/// Matern-5/2 at a difference of places, and its slope by the difference.
fn matern(difference: f64) -> (f64, f64) {
    let root = 5f64.sqrt() / LENGTHSCALE;
    let t = root * difference.abs();
    if t > 745.0 {
        return (0.0, 0.0);
    }
    let decay = (-t).exp();
    ((1.0 + t + t * t / 3.0) * decay, -root * root * difference * (1.0 + t) / 3.0 * decay)
}

#[cfg(test)]
mod tests {
    use gittins_problems::bump::BumpVariant;

    use super::*;

    /// Slopes against central differences with a step of a thousandth of a lengthscale (truncation
    /// 1e-6 of the curvature on that scale), at the bump's flank, near data and away from them.
    #[test]
    fn slopes_agree_with_differences() {
        for variant in [BumpVariant::PerCost, BumpVariant::Improvement] {
            let bump = Bump::new(variant, 3);
            let mut model = Model::new(&bump);
            for z in [0.0, 0.4996, 0.5, 0.50007, 0.9] {
                model.add(z, bump.value(&[z])).unwrap();
            }
            for z in [0.49985, 0.50003, 0.5004, 0.30001, 0.90004] {
                let h = 1e-3 * LENGTHSCALE;
                let here = model.moments(z);
                let above = model.moments(z + h);
                let below = model.moments(z - h);
                let slopes = [
                    (here.d_mean, above.belief.mean, below.belief.mean),
                    (here.d_sd, above.belief.sd, below.belief.sd),
                ];
                for (slope, above, below) in slopes {
                    let difference = (above - below) / (2.0 * h);
                    assert!(
                        (slope - difference).abs() < 1e-4 / LENGTHSCALE,
                        "{variant:?} at {z}: {slope} against {difference}"
                    );
                }
            }
        }
    }

    /// If the amplitude is constant, the model is the library's posterior.
    #[test]
    fn a_constant_amplitude_is_the_library_posterior() {
        use gittins::{Hyperparameters, KernelFamily, Points, Posterior};
        // Far from the bump, the amplitude of this variant is 0.81 and the process has that
        // variance.
        let bump = Bump::new(BumpVariant::Improvement, 1);
        let places = [0.1, 0.10005, 0.2, 0.20012];
        let mut model = Model::new(&bump);
        for z in &places {
            model.add(*z, bump.value(&[*z])).unwrap();
        }
        let hyperparameters = Hyperparameters {
            lengthscales: vec![LENGTHSCALE],
            outputscale: 0.81,
            noise: NOISE,
            mean: model.mean,
        };
        let outcomes: Vec<f64> = places.iter().map(|z| bump.value(&[*z])).collect();
        let inputs = Points::from_rows(1, places.to_vec()).unwrap();
        let posterior =
            Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &outcomes).unwrap();
        let at = 0.10002;
        let expected = posterior.moments(&Points::from_rows(1, vec![at]).unwrap()).unwrap();
        let got = model.moments(at).belief;
        // Condition at most 4 * 0.81 / 1e-4.
        assert!(
            (got.mean - expected.mean[0]).abs() < 1e-11
                && (got.sd.powi(2) - expected.variance[0]).abs() < 1e-11
        );
    }
}
