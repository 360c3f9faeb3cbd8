//! What a partial query is worth on average over what nature may do with the rest: any kernel, and
//! closed forms.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use gittins::internals::{Phase, dot};
use gittins::{
    Acquisition, Backend, Error, ErrorKind, Job, JobCost, KernelFamily, Points, Posterior, Result,
    Scores,
};

use crate::control::law::UnitLaw;
use crate::control::scores::kernel::{ExpectedKernel, Scratch};
use crate::control::scores::objective::{Expected, Objective};
use crate::control::sets::{ControlSet, check_width};

/// The mean of an acquisition over all completions of each query, by a backend: for any kernel, all
/// queries of all sets in one batch. `samples` are draws of all variables (`S x d`); a set that
/// controls all has one completion. Each set has queries of its own (`b_i x |controlled|`). The
/// acquisition must not look at cost or incumbent.
///
/// # Errors
/// [`ErrorKind::Empty`] without a sample, [`ErrorKind::Dimension`], and those of the backend.
pub fn expected(
    backend: &dyn Backend,
    posterior: &Posterior,
    acquisition: &Acquisition,
    sets: &[&ControlSet],
    samples: &Points,
    queries: &[Points],
    gradient: bool,
) -> Result<Vec<Expected>> {
    check(posterior, samples, 0.0)?;
    if queries.len() != sets.len() {
        return Err(Error::new(
            ErrorKind::Dimension,
            format!("queries of {} sets for {}", queries.len(), sets.len()),
        ));
    }
    let d = posterior.dim();
    let completions = |set: &ControlSet| if set.random.is_empty() { 1 } else { samples.len() };
    let total =
        sets.iter().zip(queries).map(|(set, queries)| completions(set) * queries.len()).sum();
    let mut points = Points::with_capacity(d, total);
    let mut point = vec![0.0; d];
    for (set, queries) in sets.iter().zip(queries) {
        check_width(set, queries)?;
        for query in queries.rows() {
            for sample in samples.rows().take(completions(set)) {
                point.copy_from_slice(sample);
                set.place(query, &mut point);
                points.push(&point);
            }
        }
    }
    let mut scores = Scores::default();
    if !points.is_empty() {
        let incumbent = posterior.hyperparameters().mean;
        let job =
            Job::new(posterior, JobCost::Uniform(1.0), acquisition, incumbent).gradient(gradient);
        backend.evaluate(&job, &points, &mut scores)?;
    }
    let mut values = &scores.value[..];
    let mut slopes = &scores.gradient[..];
    let mut found = Vec::with_capacity(sets.len());
    for (set, queries) in sets.iter().zip(queries) {
        let count = completions(set);
        let share = 1.0 / count as f64;
        let (own, rest) = values.split_at(count * queries.len());
        let mut expected = Expected {
            value: own.chunks_exact(count).map(|v| share * v.iter().sum::<f64>()).collect(),
            gradient: Vec::new(),
        };
        values = rest;
        if gradient {
            let (own, rest) = slopes.split_at(count * d * queries.len());
            for rows in own.chunks_exact(count * d) {
                let mean = |&k: &usize| share * rows.chunks_exact(d).map(|row| row[k]).sum::<f64>();
                expected.gradient.extend(set.controlled.iter().map(mean));
            }
            slopes = rest;
        }
        found.push(expected);
    }
    Ok(found)
}

/// The expected posterior mean of a query in closed form: over the laws themselves in place of
/// samples, under the squared-exponential kernel.
///
/// # Errors
/// [`ErrorKind::InvalidSetting`] for another kernel, and for a set that leaves a variable without a
/// law to nature; [`ErrorKind::Dimension`].
pub fn expected_mean(
    posterior: &Posterior,
    set: &ControlSet,
    laws: &[Option<UnitLaw>],
    query: &[f64],
) -> Result<f64> {
    if posterior.family() != KernelFamily::Rbf {
        return Err(Error::new(
            ErrorKind::InvalidSetting,
            "the expected mean has a closed form for the squared-exponential kernel only",
        ));
    }
    if query.len() != set.controlled.len() || laws.len() != posterior.dim() {
        let (coordinates, controlled) = (query.len(), set.controlled.len());
        let message = format!(
            "{coordinates} coordinates and {} laws for {controlled} controlled of {} variables",
            laws.len(),
            posterior.dim()
        );
        return Err(Error::new(ErrorKind::Dimension, message));
    }
    let hyperparameters = posterior.hyperparameters();
    let lengthscales = &hyperparameters.lengthscales;
    let mut sum = hyperparameters.mean;
    for (input, alpha) in posterior.inputs().rows().zip(&*posterior.weights()) {
        let mut factor = hyperparameters.outputscale * alpha;
        for (&k, x) in set.controlled.iter().zip(query) {
            factor *= (-0.5 * ((x - input[k]) / lengthscales[k]).powi(2)).exp();
        }
        for &k in &set.random {
            let law = laws[k].as_ref().ok_or_else(|| {
                Error::new(ErrorKind::InvalidSetting, format!("variable {k} has no law"))
            })?;
            factor *= law.expected_factor(input[k], lengthscales[k]);
        }
        sum += factor;
    }
    Ok(sum)
}

/// The expected posterior means of some control sets, on samples, to be searched:
/// `m + sum_j alpha_j mean_s k((x, r_s), x_j)`, in O(n) a query if the kernel factorizes.
#[derive(Debug)]
pub struct ExpectedMeans<'a> {
    posterior: &'a Posterior,
    kernels: Vec<ExpectedKernel<'a>>,
}

impl<'a> ExpectedMeans<'a> {
    /// Of these sets, on draws of all variables (`S x d`).
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] without a sample, [`ErrorKind::Dimension`] for samples of another
    /// dimension.
    pub fn new(
        posterior: &'a Posterior,
        sets: &[&'a ControlSet],
        samples: &Points,
    ) -> Result<Self> {
        check(posterior, samples, 0.0)?;
        Ok(Self {
            posterior,
            kernels: sets
                .par_iter()
                .map(|set| ExpectedKernel::new(posterior, set, samples))
                .collect(),
        })
    }

    /// The part of the variance of a set's expected outcome that remains once the data are known,
    /// `prior - k' (K + noise I)^-1 k` with the mean kernel `k` at the query. `prior` is the
    /// variance before any data.
    pub(in crate::control) fn variance(&self, set: usize, query: &[f64], prior: f64) -> f64 {
        let mut scratch = Scratch::default();
        self.kernels[set].evaluate(query, Phase::Settle, &mut scratch);
        let n = scratch.values.len();
        self.posterior.factor().solve_lower(faer::MatMut::from_column_major_slice_mut(
            &mut scratch.values,
            n,
            1,
        ));
        (prior - dot(&scratch.values, &scratch.values)).max(0.0)
    }
}

impl Objective for ExpectedMeans<'_> {
    fn evaluate(&self, queries: &[Points], phase: Phase, gradient: bool) -> Result<Vec<Expected>> {
        let (mean, alpha) = (self.posterior.hyperparameters().mean, self.posterior.weights());
        each_query(&self.kernels, queries, |kernel, query, scratch: &mut Scratch| {
            kernel.evaluate(query, phase, scratch);
            let Scratch { values, slopes, .. } = scratch;
            let value = mean + dot(values, &alpha);
            if !gradient {
                return (value, Vec::new());
            }
            slopes.iter_mut().zip(&*alpha).for_each(|(slope, alpha)| *slope *= alpha);
            (value, kernel.contract(query, slopes))
        })
    }
}

/// Evaluates every query of every set over the threads.
pub(in crate::control) fn each_query<S: Sync, T: Default>(
    sets: &[S],
    queries: &[Points],
    one: impl Fn(&S, &[f64], &mut T) -> (f64, Vec<f64>) + Sync,
) -> Result<Vec<Expected>> {
    let all: Vec<(usize, &[f64])> = queries
        .iter()
        .enumerate()
        .flat_map(|(set, queries)| queries.rows().map(move |query| (set, query)))
        .collect();
    let mut rows = all
        .par_iter()
        .map_init(T::default, |scratch, &(set, query)| one(&sets[set], query, scratch))
        .collect::<Vec<_>>()
        .into_iter();
    Ok(queries
        .iter()
        .map(|queries| rows.by_ref().take(queries.len()).collect::<Vec<_>>().into())
        .collect())
}

/// Checks the samples of nature, and `beta`.
pub(in crate::control) fn check(posterior: &Posterior, samples: &Points, beta: f64) -> Result<()> {
    posterior.family().check_stationary("control sets")?;
    if samples.is_empty() {
        return Err(Error::new(
            ErrorKind::Empty,
            "expected at least one sample of what nature does, got none",
        ));
    }
    if samples.dim() != posterior.dim() {
        let message = format!(
            "samples of {} variables for a posterior of {}",
            samples.dim(),
            posterior.dim()
        );
        return Err(Error::new(ErrorKind::Dimension, message));
    }
    if !(beta >= 0.0 && beta.is_finite()) {
        return Err(Error::new(
            ErrorKind::InvalidSetting,
            format!("beta: expected a finite number of at least 0, got {beta}"),
        ));
    }
    Ok(())
}
