//! A sum of squared exponentials. Its expectations are such sums again.

use gittins::{Error, ErrorKind, Points, Result};
use gittins_papers::control::internals::{ControlSet, UnitLaw};
use libm::exp;

use crate::check::check_positive;

/// `f(z) = m + sum_i w_i exp(-1/2 sum_j ((z_j - c_ij) / l_ij)^2)`, each term with lengthscales of
/// its own.
///
/// If coordinates are drawn independently of each other, the expectation of a term is the product
/// of two parts: the [factors](UnitLaw::expected_factor) of the drawn coordinates, and what depends
/// on the others. So the expectation is a sum of as many terms in fewer coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct SquaredExponentials {
    mean: f64,
    weights: Vec<f64>,
    centers: Points,
    lengthscales: Points,
}

impl SquaredExponentials {
    /// A sum of `n` terms, from `n` weights, `n x d` centers anywhere, and `n x d` lengthscales.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] if the numbers of rows or columns differ, [`ErrorKind::NonFinite`]
    /// for a mean or a weight that is not finite, [`ErrorKind::InvalidSetting`] for a lengthscale
    /// that is not positive. The error names it.
    pub fn new(
        mean: f64,
        weights: Vec<f64>,
        centers: Points,
        lengthscales: Points,
    ) -> Result<Self> {
        let shapes = [centers.len(), lengthscales.len()].map(|count| (count, centers.dim()));
        if shapes != [(weights.len(), lengthscales.dim()); 2] {
            let message = format!(
                "{} weights, {} centers of {} coordinates, {} x {} lengthscales",
                weights.len(),
                centers.len(),
                centers.dim(),
                lengthscales.len(),
                lengthscales.dim()
            );
            return Err(Error::new(ErrorKind::Dimension, message));
        }
        if let Some(at) = weights.iter().position(|weight| !weight.is_finite()) {
            return Err(Error::new(
                ErrorKind::NonFinite,
                format!("weight {at} is {}", weights[at]),
            ));
        }
        if !mean.is_finite() {
            return Err(Error::new(ErrorKind::NonFinite, format!("the mean is {mean}")));
        }
        for (at, &lengthscale) in lengthscales.values().iter().enumerate() {
            check_positive(
                format_args!(
                    "lengthscale {} of term {}",
                    at % lengthscales.dim(),
                    at / lengthscales.dim()
                ),
                lengthscale,
            )?;
        }
        Ok(Self { mean, weights, centers, lengthscales })
    }

    /// A sum of numbers that the caller has checked.
    pub(crate) fn of_terms(
        mean: f64,
        weights: Vec<f64>,
        centers: Points,
        lengthscales: Points,
    ) -> Self {
        Self { mean, weights, centers, lengthscales }
    }

    /// The same, with the same lengthscales in all terms.
    pub(crate) fn of_kernel(
        mean: f64,
        weights: Vec<f64>,
        centers: Points,
        lengthscales: &[f64],
    ) -> Self {
        let mut each = Points::with_capacity(centers.dim(), centers.len());
        (0..centers.len()).for_each(|_| each.push(lengthscales));
        Self::of_terms(mean, weights, centers, each)
    }

    /// The dimension `d`.
    pub fn dim(&self) -> usize {
        self.centers.dim()
    }

    /// The centers, a row for each term.
    pub fn centers(&self) -> &Points {
        &self.centers
    }

    /// The weights of the terms.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether it has no term.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The value at a point.
    ///
    /// # Panics
    /// If the point has another dimension.
    pub fn value(&self, z: &[f64]) -> f64 {
        self.sum(z, |_, _, _| {})
    }

    /// The value at a point; fills the gradient there.
    ///
    /// # Panics
    /// If the point or the gradient has another dimension.
    pub fn value_and_gradient(&self, z: &[f64], gradient: &mut [f64]) -> f64 {
        assert_eq!(gradient.len(), self.dim(), "a gradient of the sum's dimension");
        gradient.fill(0.0);
        self.sum(z, |center, lengthscales, term| {
            for (((slope, z), center), l) in
                gradient.iter_mut().zip(z).zip(center).zip(lengthscales)
            {
                *slope -= term * (z - center) / (l * l);
            }
        })
    }

    /// Adds the terms up. `each` gets a term's center, lengthscales and value.
    fn sum(&self, z: &[f64], mut each: impl FnMut(&[f64], &[f64], f64)) -> f64 {
        assert_eq!(z.len(), self.dim(), "a point of the sum's dimension");
        let mut total = self.mean;
        for ((center, lengthscales), weight) in
            self.centers.rows().zip(self.lengthscales.rows()).zip(&self.weights)
        {
            let scaled =
                z.iter().zip(center).zip(lengthscales).map(|((z, center), l)| (z - center) / l);
            let term = weight * exp(-0.5 * scaled.map(|s| s * s).sum::<f64>());
            total += term;
            each(center, lengthscales, term);
        }
        total
    }

    /// The expectation over the coordinates that a set leaves to nature: a function of the
    /// coordinates that it controls, in their order.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] for a set of another number of variables,
    /// [`ErrorKind::InvalidSetting`] if a variable left to nature has no law.
    pub fn expected(&self, set: &ControlSet, laws: &[Option<UnitLaw>]) -> Result<Self> {
        let d = self.dim();
        if set.controlled.len() + set.random.len() != d || laws.len() != d {
            let variables = set.controlled.len() + set.random.len();
            let message = format!(
                "a control set of {variables} variables and {} laws for a sum of {d}",
                laws.len()
            );
            return Err(Error::new(ErrorKind::Dimension, message));
        }
        let mut weights = self.weights.clone();
        for &k in &set.random {
            let law = laws[k].as_ref().ok_or_else(|| {
                Error::new(ErrorKind::InvalidSetting, format!("variable {k} has no law"))
            })?;
            for ((weight, center), lengthscales) in
                weights.iter_mut().zip(self.centers.rows()).zip(self.lengthscales.rows())
            {
                *weight *= law.expected_factor(center[k], lengthscales[k]);
            }
        }
        let controlled = |points: &Points| {
            let mut kept = Points::with_capacity(set.controlled.len(), points.len());
            points.rows().for_each(|row| kept.push(&set.part(row)));
            kept
        };
        Ok(Self {
            mean: self.mean,
            weights,
            centers: controlled(&self.centers),
            lengthscales: controlled(&self.lengthscales),
        })
    }
}
