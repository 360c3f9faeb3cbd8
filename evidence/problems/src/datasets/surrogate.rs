//! Posterior means as objectives.

use std::sync::Arc;

use gittins::internals::PackedPoints;
use gittins::{Cost, KernelFamily, Points, Posterior, Result, Space};
use libm::exp;

use crate::exponentials::SquaredExponentials;
use crate::functions::carried;

/// An objective to be maximized over a box, the posterior mean of a Gaussian process, with its
/// cost.
///
/// With kernel `k`, data `x_i`, weights `alpha = (K + noise I)^-1 (y - m)` and the mean `a` and the
/// deviation `b` of the outcomes before they were standardized, it is on the unit cube
/// `f(u) = a + b (m + sum_i alpha_i k(u, x_i))`. An evaluation takes O(n d), its cost O(n^2).
#[derive(Debug, Clone)]
pub struct Surrogate {
    pub(super) name: &'static str,
    pub(super) space: Space,
    pub(super) objective: KernelSum,
    pub(super) cost: Option<Arc<LogCost>>,
    pub(super) maximum: f64,
    pub(super) maximizer: Vec<f64>,
}

impl Surrogate {
    /// Its name, in lower case.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its box. All parameters are real and have units of their own.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The number of parameters `d`.
    pub fn dim(&self) -> usize {
        self.space.dim()
    }

    /// The objective at `d` values in their own units; larger is better.
    ///
    /// # Errors
    /// Those of [`Space::to_unit`].
    pub fn evaluate(&self, values: &[f64]) -> Result<f64> {
        Ok(self.evaluate_unit(&self.space.to_unit(values)?))
    }

    /// The objective at a point of the unit cube; larger is better.
    ///
    /// # Panics
    /// If the point has another dimension.
    pub fn evaluate_unit(&self, unit: &[f64]) -> f64 {
        assert_eq!(unit.len(), self.dim(), "a point of the problem's dimension");
        self.objective.value(unit, None)
    }

    /// The same, with the gradient by the unit coordinates, `d` numbers that are overwritten.
    ///
    /// # Panics
    /// If point or gradient has another dimension.
    pub fn evaluate_unit_with_gradient(&self, unit: &[f64], gradient: &mut [f64]) -> f64 {
        assert_eq!(
            (unit.len(), gradient.len()),
            (self.dim(), self.dim()),
            "a point and a gradient of the problem's dimension"
        );
        self.objective.value(unit, Some(gradient))
    }

    /// The objective as a sum with known expectations, if its kernel is the squared exponential.
    pub fn squared_exponentials(&self) -> Option<SquaredExponentials> {
        let KernelSum { family, outputscale, centers, packed, weights, mean } = &self.objective;
        if *family != KernelFamily::Rbf {
            return None;
        }
        let scales = packed.inverse_lengthscales();
        let lengthscales: Vec<f64> = scales.iter().map(|scale| 1.0 / scale).collect();
        let mut points = Points::with_capacity(self.dim(), centers.len());
        for center in centers.rows() {
            // Scaled and back, so that the sum has the centers that the kernel sum has.
            let back = center.iter().zip(scales).zip(&lengthscales);
            points.push(&back.map(|((x, scale), l)| l * (x * scale)).collect::<Vec<_>>());
        }
        let weights = weights[..centers.len()].iter().map(|weight| outputscale * weight).collect();
        Some(SquaredExponentials::of_kernel(*mean, weights, points, &lengthscales))
    }

    /// The cost at a point of the unit cube; fills its gradient. It is 1 without a model of the
    /// cost, and NaN at a point that is not finite.
    ///
    /// # Panics
    /// If point or gradient has another dimension.
    pub fn cost_unit(&self, unit: &[f64], gradient: &mut [f64]) -> f64 {
        assert_eq!(
            (unit.len(), gradient.len()),
            (self.dim(), self.dim()),
            "a point and a gradient of the problem's dimension"
        );
        match &self.cost {
            Some(cost) => cost.value(unit, gradient),
            None => {
                gradient.fill(0.0);
                1.0
            }
        }
    }

    /// The cost as a known cost on the problem's own values, for a [`Study`](gittins::Study).
    pub fn cost(&self) -> Cost {
        match self.cost.clone() {
            Some(cost) => carried(&self.space, move |unit, gradient| cost.value(unit, gradient)),
            None => Cost::default(),
        }
    }

    /// The largest value known for the published data. It was found by 40 climbs from the best of
    /// 8192 Sobol points. Other data have another one.
    pub fn maximum(&self) -> f64 {
        self.maximum
    }

    /// A point of the unit cube where the maximum is reached.
    pub fn maximizer(&self) -> &[f64] {
        &self.maximizer
    }
}

/// `mean + sum_i weights_i k(u, x_i)`.
#[derive(Debug, Clone)]
pub(super) struct KernelSum {
    family: KernelFamily,
    outputscale: f64,
    centers: Points,
    packed: PackedPoints,
    /// One for each packed row, zero in the padding.
    weights: Vec<f64>,
    mean: f64,
}

impl KernelSum {
    /// The sum with these centers and weights.
    pub fn new(
        family: KernelFamily,
        outputscale: f64,
        centers: &Points,
        lengthscales: &[f64],
        mut weights: Vec<f64>,
        mean: f64,
    ) -> Self {
        let packed = PackedPoints::new(family, centers, lengthscales);
        weights.resize(packed.padded_len(), 0.0);
        Self { family, outputscale, centers: centers.clone(), packed, weights, mean }
    }

    /// `shift + scale` times the mean of a posterior.
    pub fn of_posterior(posterior: &Posterior, shift: f64, scale: f64) -> Self {
        let hyperparameters = posterior.hyperparameters();
        Self::new(
            posterior.family(),
            hyperparameters.outputscale,
            posterior.inputs(),
            &hyperparameters.lengthscales,
            posterior.weights().iter().map(|weight| scale * weight).collect(),
            shift + scale * hyperparameters.mean,
        )
    }

    fn value(&self, unit: &[f64], gradient: Option<&mut [f64]>) -> f64 {
        let stride = self.packed.padded_len();
        let mut embedded = vec![0.0; self.packed.width()];
        let mut values = vec![0.0; stride];
        self.packed.embed(unit, &mut embedded);
        let mut slopes = vec![0.0; if gradient.is_some() { stride } else { 0 }];
        self.packed.tile(
            (self.family, self.outputscale),
            0,
            &embedded,
            stride,
            &mut values,
            gradient.is_some().then_some(&mut slopes),
        );
        if let Some(gradient) = gradient {
            slopes.iter_mut().zip(&self.weights).for_each(|(slope, weight)| *slope *= weight);
            let mut sums = vec![0.0; self.packed.width()];
            self.packed.contract(&embedded, [&slopes], [&mut sums[..]]);
            self.packed.pull_back(&embedded, &sums, gradient);
            for slope in gradient.iter_mut() {
                *slope = -*slope;
            }
        }
        self.mean + dot(&values, &self.weights)
    }
}

/// `exp(m + v / 2)` with mean and variance of a process on `ln c`, standardized by `shift` and
/// `scale`.
#[derive(Debug)]
pub(super) struct LogCost {
    pub posterior: Posterior,
    pub shift: f64,
    pub scale: f64,
}

impl LogCost {
    fn value(&self, unit: &[f64], gradient: &mut [f64]) -> f64 {
        let mut point = Points::new(unit.len());
        point.push(unit);
        let Ok(moments) = self.posterior.moments_with_gradients(&point) else {
            gradient.fill(f64::NAN);
            return f64::NAN;
        };
        let half = 0.5 * self.scale * self.scale;
        let cost = exp(self.shift + self.scale * moments.mean[0] + half * moments.variance[0]);
        for ((slope, mean), variance) in
            gradient.iter_mut().zip(&moments.mean_gradient).zip(&moments.variance_gradient)
        {
            *slope = cost * (self.scale * mean + half * variance);
        }
        cost
    }
}

/// A dot product of padded rows in eight running sums: the order of the sum does not depend on the
/// machine's vectors.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    for (x, y) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum()
}
