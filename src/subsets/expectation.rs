//! What a partial query is worth on average over what nature may do with the rest.
//!
//! With the controlled coordinates at `x` and fixed samples `r_1 .. r_S` of the others, the expected upper bound is
//!
//! ```text
//! E u(x) = (1/S) sum_s [ mu(x, r_s) + beta sigma(x, r_s) ]
//! ```
//!
//! a smooth function of `x`. The squared-exponential kernel is a product of a controlled and a random part, `k((x, r_s), x_j) = kc_j(x) Kr_js`: the random parts are made once
//! for a set, the mean part is then `sum_j alpha_j kc_j mean_s Kr_js`, and the spread takes one triangular solve with `S` right-hand sides, and one more with its gradient. For
//! any other kernel all `S` completions of each query are scored by a backend.

use faer::MatMut;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::acquisition::Acquisition;
use crate::backend::{Backend, Job, JobCost, Scores};
use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::model::KernelFamily;
use crate::posterior::Posterior;
use crate::posterior::moments::{VARIANCE_FLOOR, dot};
use crate::subsets::law::UnitLaw;
use crate::subsets::search::Objective;
use crate::subsets::sets::ControlSet;

/// Values of partial queries, with gradients by the controlled coordinates; empty where none were asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expected {
    /// One for each query.
    pub value: Vec<f64>,
    /// `b x |controlled|`.
    pub gradient: Vec<f64>,
}

/// The expected upper bound of a control set's queries under a posterior with the squared-exponential kernel.
pub struct ExpectedBound<'a> {
    posterior: &'a Posterior,
    controlled: Vec<usize>,
    samples: usize,
    beta: f64,
    /// `s Kr`, a column of `n` numbers for each sample.
    random: Vec<f64>,
}

/// The memory of one thread.
#[derive(Default)]
struct Scratch {
    controlled: Vec<f64>,
    product: Vec<f64>,
    whitened: Vec<f64>,
    weights: Vec<f64>,
    mean: Vec<f64>,
}

impl<'a> ExpectedBound<'a> {
    /// Makes the random parts: `samples` are draws of all variables (`S x d`, in the unit cube), of which those that the set controls are not looked at. A set that controls all
    /// has one completion. `beta` is in standard deviations.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] for another kernel and for a `beta` that is negative or no number, [`ErrorKind::Empty`] without a sample, [`ErrorKind::Dimension`] for samples of another dimension.
    pub fn new(posterior: &'a Posterior, set: &ControlSet, samples: &Points, beta: f64) -> Result<Self> {
        check(posterior, samples, beta)?;
        if posterior.family() != KernelFamily::Rbf {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                "only the squared-exponential kernel is a product of a controlled and a random part",
            ));
        }
        let (n, scales) = (posterior.len(), posterior.packed.inverse_lengthscales());
        let samples = if set.random.is_empty() { samples.select([0]) } else { samples.clone() };
        let mut random = vec![0.0; n * samples.len()];
        for (column, sample) in random.chunks_exact_mut(n).zip(samples.rows()) {
            for (value, input) in column.iter_mut().zip(posterior.inputs().rows()) {
                let squared: f64 = set.random.iter().map(|&k| ((sample[k] - input[k]) * scales[k]).powi(2)).sum();
                *value = posterior.hyperparameters().outputscale * (-0.5 * squared).exp();
            }
        }
        Ok(Self { posterior, controlled: set.controlled.clone(), samples: samples.len(), beta, random })
    }

    /// The number of completions of a query.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Values of queries (`b x |controlled|`), on the first `samples` completions, in parallel over the queries.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] for queries of another width.
    pub fn evaluate(&self, queries: &Points, samples: usize, gradient: bool) -> Result<Expected> {
        let width = self.controlled.len();
        if queries.dim() != width {
            let message = format!("queries of {} coordinates for a set that controls {width}", queries.dim());
            return Err(Error::new(ErrorKind::Dimension, message));
        }
        let samples = samples.clamp(1, self.samples);
        let one = |scratch: &mut Scratch, query: usize| self.one(queries.row(query), samples, gradient, scratch);
        let rows: Vec<(f64, Vec<f64>)> = (0..queries.len()).into_par_iter().with_min_len(1).map_init(Scratch::default, one).collect();
        let (value, gradients): (Vec<f64>, Vec<Vec<f64>>) = rows.into_iter().unzip();
        Ok(Expected { value, gradient: gradients.concat() })
    }

    fn one(&self, query: &[f64], samples: usize, with_gradient: bool, scratch: &mut Scratch) -> (f64, Vec<f64>) {
        let (n, hyperparameters) = (self.posterior.len(), self.posterior.hyperparameters());
        let scales = self.posterior.packed.inverse_lengthscales();
        let Scratch { controlled, product, whitened, weights, mean } = scratch;
        let share = 1.0 / samples as f64;
        let random = &self.random[..n * samples];
        controlled.clear();
        controlled.extend(self.posterior.inputs().rows().map(|input| {
            let squared: f64 = self.controlled.iter().zip(query).map(|(&k, x)| ((x - input[k]) * scales[k]).powi(2)).sum();
            (-0.5 * squared).exp()
        }));
        product.resize(random.len(), 0.0);
        mean.clear();
        mean.resize(n, 0.0);
        for (column, random) in product.chunks_exact_mut(n).zip(random.chunks_exact(n)) {
            for j in 0..n {
                column[j] = controlled[j] * random[j];
                mean[j] += share * column[j];
            }
        }
        let expected_mean = hyperparameters.mean + dot(mean, &self.posterior.alpha[..n]);
        whitened.clear();
        whitened.extend_from_slice(product);
        self.posterior.factor.solve_lower(MatMut::from_column_major_slice_mut(whitened, n, samples));
        let floor = VARIANCE_FLOOR * hyperparameters.outputscale;
        weights.clear();
        let mut spread = 0.0;
        for v in whitened.chunks_exact(n) {
            let variance = hyperparameters.outputscale - dot(v, v);
            let sd = variance.max(floor).sqrt();
            spread += share * sd;
            weights.push(if variance > floor { share / sd } else { 0.0 });
        }
        let value = expected_mean + self.beta * spread;
        if !with_gradient {
            return (value, Vec::new());
        }
        self.posterior.factor.solve_upper(MatMut::from_column_major_slice_mut(whitened, n, samples));
        // d mean and d sigma by ln kc_j, turned into slopes by (x - x_j) / l^2.
        mean.iter_mut().zip(&self.posterior.alpha).for_each(|(mean, alpha)| *mean *= -alpha);
        for ((w, q), weight) in whitened.chunks_exact(n).zip(product.chunks_exact(n)).zip(&*weights) {
            let factor = self.beta * weight;
            for j in 0..n {
                mean[j] += factor * w[j] * q[j];
            }
        }
        let slope = |(&k, x): (&usize, &f64)| {
            let inputs = self.posterior.inputs().rows();
            scales[k] * scales[k] * inputs.zip(&*mean).map(|(input, weight)| weight * (x - input[k])).sum::<f64>()
        };
        (value, self.controlled.iter().zip(query).map(slope).collect())
    }
}

impl Objective for Vec<ExpectedBound<'_>> {
    fn widths(&self) -> Vec<usize> {
        self.iter().map(|bound| bound.controlled.len()).collect()
    }

    fn samples(&self) -> usize {
        self.iter().map(|bound| bound.samples).max().unwrap_or(0)
    }

    fn evaluate(&self, queries: &[Points], samples: usize, gradient: bool) -> Result<Vec<Expected>> {
        // Sets and their queries share the threads.
        self.par_iter().zip(queries).map(|(bound, queries)| bound.evaluate(queries, samples, gradient)).collect()
    }
}

/// The expected posterior mean of a query in closed form: over the laws themselves in place of samples, under the squared-exponential kernel.
///
/// # Errors
/// [`ErrorKind::InvalidSetting`] for another kernel, and for a set that leaves a variable without a law to nature; [`ErrorKind::Dimension`].
pub fn expected_mean(posterior: &Posterior, set: &ControlSet, laws: &[Option<UnitLaw>], query: &[f64]) -> Result<f64> {
    if posterior.family() != KernelFamily::Rbf {
        return Err(Error::new(ErrorKind::InvalidSetting, "the expected mean has a closed form for the squared-exponential kernel only"));
    }
    if query.len() != set.controlled.len() || laws.len() != posterior.dim() {
        let message = format!(
            "{} coordinates and {} laws for {} controlled of {} variables",
            query.len(),
            laws.len(),
            set.controlled.len(),
            posterior.dim()
        );
        return Err(Error::new(ErrorKind::Dimension, message));
    }
    let hyperparameters = posterior.hyperparameters();
    let lengthscales = &hyperparameters.lengthscales;
    let mut sum = hyperparameters.mean;
    for (input, alpha) in posterior.inputs().rows().zip(&posterior.alpha) {
        let mut factor = hyperparameters.outputscale * alpha;
        for (&k, x) in set.controlled.iter().zip(query) {
            factor *= (-0.5 * ((x - input[k]) / lengthscales[k]).powi(2)).exp();
        }
        for &k in &set.random {
            let law = laws[k].as_ref().ok_or_else(|| Error::new(ErrorKind::InvalidSetting, format!("variable {k} has no law")))?;
            factor *= law.expected_factor(input[k], lengthscales[k]);
        }
        sum += factor;
    }
    Ok(sum)
}

/// The mean of an acquisition over all completions of each query, by a backend: for any kernel, and for sample paths. The acquisition does not look at the cost.
///
/// # Errors
/// [`ErrorKind::Empty`] without a sample, [`ErrorKind::Dimension`], and those of the backend.
pub fn expected(
    backend: &dyn Backend,
    posterior: &Posterior,
    acquisition: &Acquisition,
    (set, samples): (&ControlSet, &Points),
    queries: &Points,
    gradient: bool,
) -> Result<Expected> {
    check(posterior, samples, 0.0)?;
    let (d, width) = (posterior.dim(), set.controlled.len());
    if queries.dim() != width {
        let message = format!("queries of {} coordinates for a set that controls {width}", queries.dim());
        return Err(Error::new(ErrorKind::Dimension, message));
    }
    let count = if set.random.is_empty() { 1 } else { samples.len() };
    let mut completions = Points::with_capacity(d, queries.len() * count);
    for query in queries.rows() {
        for sample in samples.rows().take(count) {
            let mut point = sample.to_vec();
            set.controlled.iter().zip(query).for_each(|(&k, x)| point[k] = *x);
            completions.push(&point);
        }
    }
    let incumbent = hyperparameter_mean(posterior);
    let job = Job { posterior, cost: JobCost::Uniform(1.0), acquisition, incumbent, gradient, keep: None };
    let mut scores = Scores::default();
    backend.evaluate(&job, &completions, &mut scores)?;
    let share = 1.0 / count as f64;
    let value = scores.value.chunks_exact(count).map(|values| share * values.iter().sum::<f64>()).collect();
    let mut gradients = Vec::with_capacity(scores.gradient.len() / d.max(1) / count * width);
    for rows in scores.gradient.chunks_exact(count * d) {
        gradients.extend(set.controlled.iter().map(|&k| share * rows.chunks_exact(d).map(|row| row[k]).sum::<f64>()));
    }
    Ok(Expected { value, gradient: gradients })
}

/// Stands where a job wants an incumbent that its acquisition does not look at.
fn hyperparameter_mean(posterior: &Posterior) -> f64 {
    posterior.hyperparameters().mean
}

fn check(posterior: &Posterior, samples: &Points, beta: f64) -> Result<()> {
    if samples.is_empty() {
        return Err(Error::new(ErrorKind::Empty, "expected at least one sample of what nature does, got none"));
    }
    if samples.dim() != posterior.dim() {
        let message = format!("samples of {} variables for a posterior of {}", samples.dim(), posterior.dim());
        return Err(Error::new(ErrorKind::Dimension, message));
    }
    if !(beta >= 0.0 && beta.is_finite()) {
        return Err(Error::new(ErrorKind::InvalidSetting, format!("beta: expected a finite number of at least 0, got {beta}")));
    }
    Ok(())
}
