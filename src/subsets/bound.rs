//! Expected upper bounds, factorized.

use faer::MatMut;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelIterator};

use crate::acquisition::Acquisition;
use crate::backend::{Backend, Cpu};
use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::model::KernelFamily;
use crate::posterior::Posterior;
use crate::posterior::moments::{VARIANCE_FLOOR, dot};
use crate::subsets::expectation::{Expected, check, check_width, expected};
use crate::subsets::kernel::{contract, controlled_factors, for_each_factor};
use crate::subsets::search::{Objective, Phase};
use crate::subsets::sets::ControlSet;

/// The expected upper bound of a control set's queries under a posterior with the squared-exponential kernel (module documentation).
pub struct ExpectedBound<'a> {
    posterior: &'a Posterior,
    set: &'a ControlSet,
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
    /// [`ErrorKind::InvalidSetting`] for another kernel and for a `beta` that is negative or no number, [`ErrorKind::Empty`] without a sample, [`ErrorKind::Dimension`] for
    /// samples of another dimension.
    pub fn new(posterior: &'a Posterior, set: &'a ControlSet, samples: &Points, beta: f64) -> Result<Self> {
        check(posterior, samples, beta)?;
        if posterior.family() != KernelFamily::Rbf {
            let message = "only the squared-exponential kernel is a product of a controlled and a random part";
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        let samples = if set.random.is_empty() { samples.select([0]) } else { samples.clone() };
        let mut random = Vec::with_capacity(posterior.len() * samples.len());
        for_each_factor(posterior, set, &samples, |_, factor| random.push(factor));
        Ok(Self { posterior, set, samples: samples.len(), beta, random })
    }

    /// The number of completions of a query.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Values of queries (`b x |controlled|`), in parallel over the queries.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] for queries of another width.
    pub fn evaluate(&self, queries: &Points, gradient: bool) -> Result<Expected> {
        check_width(self.set, queries)?;
        let one = |scratch: &mut Scratch, query: usize| self.one(queries.row(query), gradient, scratch);
        Ok((0..queries.len()).into_par_iter().with_min_len(1).map_init(Scratch::default, one).collect::<Vec<_>>().into())
    }

    fn one(&self, query: &[f64], with_gradient: bool, scratch: &mut Scratch) -> (f64, Vec<f64>) {
        let (n, samples, hyperparameters) = (self.posterior.len(), self.samples, self.posterior.hyperparameters());
        let Scratch { controlled, product, whitened, weights, mean } = scratch;
        let share = 1.0 / samples as f64;
        controlled_factors(self.posterior, self.set, query, controlled);
        product.resize(self.random.len(), 0.0);
        mean.clear();
        mean.resize(n, 0.0);
        for (column, random) in product.chunks_exact_mut(n).zip(self.random.chunks_exact(n)) {
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
        // d mean and d sigma by ln kc_j, which contraction turns into slopes.
        mean.iter_mut().zip(&self.posterior.alpha).for_each(|(mean, alpha)| *mean *= alpha);
        for ((w, q), weight) in whitened.chunks_exact(n).zip(product.chunks_exact(n)).zip(&*weights) {
            let factor = self.beta * weight;
            for j in 0..n {
                mean[j] -= factor * w[j] * q[j];
            }
        }
        (value, contract(self.posterior, self.set, query, mean))
    }
}

/// Expected upper bounds of some control sets, to be searched: the places are found by a backend, all sets and queries in one batch, and settled on the host, in double
/// precision, by the factorized form where the kernel has one.
pub struct UpperBounds<'a> {
    posterior: &'a Posterior,
    sets: &'a [&'a ControlSet],
    samples: &'a Points,
    first: Points,
    acquisition: Acquisition,
    backend: &'a dyn Backend,
    settled: Vec<Option<ExpectedBound<'a>>>,
}

impl<'a> UpperBounds<'a> {
    /// Of these sets, on draws of all variables, the first `screen` of which are enough to find where a bound is large.
    ///
    /// # Errors
    /// Those of [`ExpectedBound::new`].
    pub fn new(
        posterior: &'a Posterior,
        sets: &'a [&'a ControlSet],
        (samples, screen): (&'a Points, usize),
        beta: f64,
        backend: &'a dyn Backend,
    ) -> Result<Self> {
        check(posterior, samples, beta)?;
        let factorized = |set: &&'a ControlSet| match posterior.family() {
            KernelFamily::Rbf if !set.random.is_empty() => ExpectedBound::new(posterior, set, samples, beta).map(Some),
            _ => Ok(None),
        };
        let settled = sets.par_iter().map(factorized).collect::<Result<_>>()?;
        let first = samples.select(0..screen.clamp(1, samples.len()));
        let acquisition = Acquisition::UpperConfidenceBound { beta: beta * beta };
        Ok(Self { posterior, sets, samples, first, acquisition, backend, settled })
    }

    fn by_backend(&self, backend: &dyn Backend, samples: &Points, queries: &[Points], gradient: bool) -> Result<Vec<Expected>> {
        expected(backend, self.posterior, &self.acquisition, (self.sets, samples), queries, gradient)
    }
}

impl Objective for UpperBounds<'_> {
    fn evaluate(&self, queries: &[Points], phase: Phase, gradient: bool) -> Result<Vec<Expected>> {
        if phase == Phase::Find {
            return self.by_backend(self.backend, &self.first, queries, gradient);
        }
        // Sets without a factorized form go through the host's batches, those that have one share its threads.
        let general = |(bound, queries): (&Option<_>, &Points)| if bound.is_some() { Points::new(queries.dim()) } else { queries.clone() };
        let rest: Vec<Points> = self.settled.iter().zip(queries).map(general).collect();
        let mut found = self.by_backend(&Cpu, self.samples, &rest, gradient)?;
        found.par_iter_mut().zip(&self.settled).zip(queries).try_for_each(|((found, bound), queries)| {
            if let Some(bound) = bound {
                *found = bound.evaluate(queries, gradient)?;
            }
            Ok(())
        })?;
        Ok(found)
    }
}
