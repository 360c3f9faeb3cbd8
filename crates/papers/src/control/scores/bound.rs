//! Expected upper bounds, factorized.

use std::fmt;

use faer::MatMut;
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
    IntoParallelRefMutIterator, ParallelIterator,
};

use gittins::internals::{Phase, VARIANCE_FLOOR, dot};
use gittins::{
    Acquisition, Backend, Error, ErrorKind, KernelFamily, Points, Pointwise, Posterior, Result,
};

use crate::control::scores::expectation::{check, expected};
use crate::control::scores::kernel::{contract, controlled_factors, for_each_factor};
use crate::control::scores::objective::{Expected, Objective, SCREEN};
use crate::control::sets::{ControlSet, check_width};

/// The expected upper bound of a control set's queries under a posterior with the
/// squared-exponential kernel (module documentation).
#[derive(Debug)]
pub struct ExpectedBound<'a> {
    posterior: &'a Posterior,
    set: &'a ControlSet,
    samples: usize,
    beta: f64,
    /// `s Kr`, a column of `n` numbers for each sample.
    random: Vec<f64>,
}

/// Samples that are solved for together.
const TILE: usize = 128;

/// The memory of one thread.
#[derive(Default)]
struct Scratch {
    controlled: Vec<f64>,
    product: Vec<f64>,
    whitened: Vec<f64>,
    mean: Vec<f64>,
    slopes: Vec<f64>,
}

impl<'a> ExpectedBound<'a> {
    /// Makes the random parts. `samples` are draws of all variables (`S x d`, in the unit cube); the
    /// variables that the set controls are not looked at. A set that controls all has one
    /// completion. `beta` is in standard deviations.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] for another kernel and for a `beta` that is negative or no
    /// number, [`ErrorKind::Empty`] without a sample, [`ErrorKind::Dimension`] for samples of
    /// another dimension.
    pub fn new(
        posterior: &'a Posterior,
        set: &'a ControlSet,
        samples: &Points,
        beta: f64,
    ) -> Result<Self> {
        check(posterior, samples, beta)?;
        if posterior.family() != KernelFamily::Rbf {
            let message = "only the squared-exponential kernel is a product of a controlled and a random part";
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        let samples = set.draws(samples);
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
        let one =
            |scratch: &mut Scratch, query: usize| self.one(queries.row(query), gradient, scratch);
        Ok((0..queries.len())
            .into_par_iter()
            .with_min_len(1)
            .map_init(Scratch::default, one)
            .collect::<Vec<_>>()
            .into())
    }

    fn one(&self, query: &[f64], with_gradient: bool, scratch: &mut Scratch) -> (f64, Vec<f64>) {
        let (n, hyperparameters) = (self.posterior.len(), self.posterior.hyperparameters());
        let Scratch { controlled, product, whitened, mean, slopes } = scratch;
        let share = 1.0 / self.samples as f64;
        let floor = VARIANCE_FLOOR * hyperparameters.outputscale;
        controlled_factors(self.posterior, self.set, query, controlled);
        for sums in [&mut *mean, &mut *slopes] {
            sums.clear();
            sums.resize(n, 0.0);
        }
        let mut spread = 0.0;
        // Tile by tile: what one solve reads and writes stays in the cache.
        for random in self.random.chunks(TILE * n) {
            product.clear();
            for random in random.chunks_exact(n) {
                product.extend(
                    controlled.iter().zip(random).map(|(controlled, random)| controlled * random),
                );
            }
            whitened.clone_from(product);
            let width = random.len() / n;
            self.posterior
                .factor()
                .solve_lower(MatMut::from_column_major_slice_mut(whitened, n, width));
            let mut weights = [0.0; TILE];
            for (v, weight) in whitened.chunks_exact(n).zip(&mut weights) {
                let variance = hyperparameters.outputscale - dot(v, v);
                let sd = variance.max(floor).sqrt();
                spread += share * sd;
                *weight = if variance > floor { share / sd } else { 0.0 };
            }
            for q in product.chunks_exact(n) {
                mean.iter_mut().zip(q).for_each(|(mean, q)| *mean += share * q);
            }
            if with_gradient {
                self.posterior
                    .factor()
                    .solve_upper(MatMut::from_column_major_slice_mut(whitened, n, width));
                for ((w, q), weight) in
                    whitened.chunks_exact(n).zip(product.chunks_exact(n)).zip(weights)
                {
                    slopes
                        .iter_mut()
                        .zip(w)
                        .zip(q)
                        .for_each(|((slope, w), q)| *slope -= weight * w * q);
                }
            }
        }
        let alpha = self.posterior.weights();
        let value = hyperparameters.mean + dot(mean, &alpha) + self.beta * spread;
        if !with_gradient {
            return (value, Vec::new());
        }
        // By ln kc_j, which contraction turns into slopes.
        for ((slope, mean), alpha) in slopes.iter_mut().zip(&*mean).zip(&*alpha) {
            *slope = self.beta * *slope + alpha * mean;
        }
        (value, contract(self.posterior, self.set, query, slopes))
    }
}

/// Expected upper bounds of some control sets, to be searched. A backend finds the places, all sets
/// and queries in one batch. The host settles them in double precision, by the factorized form if
/// the kernel has one.
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
    /// The bounds of these sets, on draws of all variables (`S x d`). The first 64 draws find where
    /// a bound is large.
    ///
    /// # Errors
    /// Those of [`ExpectedBound::new`].
    pub fn new(
        posterior: &'a Posterior,
        sets: &'a [&'a ControlSet],
        samples: &'a Points,
        beta: f64,
        backend: &'a dyn Backend,
    ) -> Result<Self> {
        check(posterior, samples, beta)?;
        let factorized = |set: &&'a ControlSet| match posterior.family() {
            KernelFamily::Rbf if !set.random.is_empty() => {
                ExpectedBound::new(posterior, set, samples, beta).map(Some)
            }
            _ => Ok(None),
        };
        let settled = sets.par_iter().map(factorized).collect::<Result<_>>()?;
        let first = samples.select(0..samples.len().min(SCREEN));
        let acquisition =
            Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: beta * beta });
        Ok(Self { posterior, sets, samples, first, acquisition, backend, settled })
    }

    fn by_backend(
        &self,
        backend: &dyn Backend,
        samples: &Points,
        queries: &[Points],
        gradient: bool,
    ) -> Result<Vec<Expected>> {
        expected(backend, self.posterior, &self.acquisition, self.sets, samples, queries, gradient)
    }
}

impl fmt::Debug for UpperBounds<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpperBounds")
            .field("sets", &self.sets)
            .field("samples", &self.samples.len())
            .field("acquisition", &self.acquisition)
            .finish_non_exhaustive()
    }
}

impl Objective for UpperBounds<'_> {
    fn evaluate(&self, queries: &[Points], phase: Phase, gradient: bool) -> Result<Vec<Expected>> {
        let backend = phase.asked(self.backend);
        if phase == Phase::Find {
            return self.by_backend(backend, &self.first, queries, gradient);
        }
        // Sets without a factorized form go through the host's batches. Sets with one share its
        // threads.
        let general = |(bound, queries): (&Option<_>, &Points)| {
            if bound.is_some() { Points::new(queries.dim()) } else { queries.clone() }
        };
        let rest: Vec<Points> = self.settled.iter().zip(queries).map(general).collect();
        let mut found = self.by_backend(backend, self.samples, &rest, gradient)?;
        found.par_iter_mut().zip(&self.settled).zip(queries).try_for_each(
            |((found, bound), queries)| {
                if let Some(bound) = bound {
                    *found = bound.evaluate(queries, gradient)?;
                }
                Ok(())
            },
        )?;
        Ok(found)
    }
}
