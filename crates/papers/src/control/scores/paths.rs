//! Sample paths of the posterior, on average over what nature may do with the rest.

use gittins::internals::{Features, Phase, dot};
use gittins::posterior::Paths;
use gittins::{Error, ErrorKind, Points, Posterior, Result};

use crate::control::scores::expectation::{check, each_query};
use crate::control::scores::kernel::{self, ExpectedKernel};
use crate::control::scores::objective::{Expected, Objective};
use crate::control::sets::{ControlSet, check_width};

/// Samples whose features are computed together.
const TILE: usize = 64;

/// The expectations of sample paths for queries of some control sets, and what each path promises
/// beyond its incumbent.
///
/// A path is a Fourier series and a sum of kernel values at the data ([`Paths`]). The mean of a
/// series over samples `r_s` of some coordinates is a series in the others,
///
/// ```text
/// mean_s [ a sin(w'x + v'r_s) + b cos(w'x + v'r_s) ] = (a C - b S) sin(w'x) + (a S + b C) cos(w'x)        C + i S = mean_s exp(i v'r_s)
/// ```
///
/// The expectation of a path at a query is therefore one evaluation of another path, whatever the
/// number of samples, for any kernel. The kernel values at the data are averaged like those of the
/// posterior mean. Without incumbents the value of a query is the mean over the paths (with one
/// path, that path: Thompson sampling). With incumbents it is
/// `mean_p max(E f_p(x) - incumbent_p, 0)`.
#[derive(Debug)]
pub struct ExpectedPaths<'a> {
    sets: Vec<OnSet<'a>>,
    count: usize,
    mean: f64,
    /// `count x n`: what a path weighs the data's kernel values by.
    data: Vec<f64>,
    incumbents: Option<Vec<f64>>,
}

/// The series of all paths in the coordinates that one set controls.
#[derive(Debug)]
struct OnSet<'a> {
    set: &'a ControlSet,
    features: Features,
    /// `count x 2 m`: sines, then cosines, each with the padding of the frequencies.
    weights: Vec<f64>,
    kernel: ExpectedKernel<'a>,
}

/// The memory of one thread.
#[derive(Default)]
struct Scratch {
    columns: Vec<f64>,
    kernel: kernel::Scratch,
}

impl<'a> ExpectedPaths<'a> {
    /// Of paths of this posterior, for these sets, on draws of all variables (`S x d`).
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] without a sample, [`ErrorKind::Dimension`] for samples or paths of
    /// another dimension.
    pub fn new(
        posterior: &'a Posterior,
        paths: &Paths,
        sets: &[&'a ControlSet],
        samples: &Points,
    ) -> Result<Self> {
        check(posterior, samples, 0.0)?;
        if paths.dim() != posterior.dim() || paths.data_len() != posterior.len() {
            let (data, dim) = (paths.data_len(), paths.dim());
            let message = format!(
                "paths of {data} data in {dim} dimensions for a posterior of {} in {}",
                posterior.len(),
                posterior.dim()
            );
            return Err(Error::new(ErrorKind::Dimension, message));
        }
        let prior = 2 * paths.features().padded_len();
        let n = posterior.len();
        let data = (0..paths.len())
            .flat_map(|path| paths.weights(path)[prior..prior + n].iter().copied())
            .collect();
        let on_set = |set: &&'a ControlSet| OnSet::new(posterior, paths, set, samples);
        let mean = posterior.hyperparameters().mean;
        Ok(Self {
            sets: sets.iter().map(on_set).collect(),
            count: paths.len(),
            mean,
            data,
            incumbents: None,
        })
    }

    /// The improvement over an incumbent of each path in place of the mean of the paths.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] unless there is one for each path.
    pub fn beyond(mut self, incumbents: Vec<f64>) -> Result<Self> {
        if incumbents.len() != self.count {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("{} incumbents for {} paths", incumbents.len(), self.count),
            ));
        }
        self.incumbents = Some(incumbents);
        Ok(self)
    }

    /// The expectation of each path at a query of one of the sets.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] for a query of another width.
    pub fn values(&self, set: usize, query: &[f64]) -> Result<Vec<f64>> {
        let on = &self.sets[set];
        check_width(on.set, &Points::from_rows(query.len(), query.to_vec())?)?;
        let mut scratch = Scratch::default();
        on.fill(query, Phase::Settle, &mut scratch);
        Ok((0..self.count).map(|path| self.value(on, path, &scratch)).collect())
    }

    fn value(&self, on: &OnSet<'_>, path: usize, scratch: &Scratch) -> f64 {
        let (width, n) = (scratch.columns.len(), scratch.kernel.values.len());
        let series = dot(&scratch.columns, &on.weights[path * width..(path + 1) * width]);
        self.mean + series + dot(&scratch.kernel.values, &self.data[path * n..(path + 1) * n])
    }

    fn one(
        &self,
        on: &OnSet<'_>,
        query: &[f64],
        phase: Phase,
        gradient: bool,
        scratch: &mut Scratch,
    ) -> (f64, Vec<f64>) {
        on.fill(query, phase, scratch);
        let share = 1.0 / self.count as f64;
        let mut value = 0.0;
        let mut active = Vec::with_capacity(self.count);
        for path in 0..self.count {
            let incumbent = self.incumbents.as_ref().map(|incumbents| incumbents[path]);
            let gain = self.value(on, path, scratch) - incumbent.unwrap_or(0.0);
            if incumbent.is_none() || gain > 0.0 {
                value += share * gain;
                active.push(path);
            }
        }
        (value, if gradient { self.gradient(on, query, &active, scratch) } else { Vec::new() })
    }

    /// The gradient of the mean, with zero for the paths that are not `active`.
    fn gradient(
        &self,
        on: &OnSet<'_>,
        query: &[f64],
        active: &[usize],
        scratch: &Scratch,
    ) -> Vec<f64> {
        let (width, n) = (scratch.columns.len(), scratch.kernel.slopes.len());
        let (sines, cosines) = scratch.columns.split_at(width / 2);
        let mut by_phase = vec![0.0; width / 2];
        let mut by_kernel = vec![0.0; n];
        for &path in active {
            let (a, b) = on.weights[path * width..(path + 1) * width].split_at(width / 2);
            for (k, slope) in by_phase.iter_mut().enumerate() {
                *slope += a[k] * cosines[k] - b[k] * sines[k];
            }
            by_kernel
                .iter_mut()
                .zip(&self.data[path * n..(path + 1) * n])
                .for_each(|(slope, weight)| *slope += weight);
        }
        by_kernel
            .iter_mut()
            .zip(&scratch.kernel.slopes)
            .for_each(|(weight, slope)| *weight *= slope);
        let mut gradient = vec![0.0; query.len()];
        on.features.contract(&by_phase, &mut gradient);
        let share = 1.0 / self.count as f64;
        gradient
            .iter()
            .zip(on.kernel.contract(query, &by_kernel))
            .map(|(series, kernel)| share * (series + kernel))
            .collect()
    }
}

impl<'a> OnSet<'a> {
    fn new(posterior: &'a Posterior, paths: &Paths, set: &'a ControlSet, samples: &Points) -> Self {
        let all = paths.features();
        let along = |axes: &[usize]| -> Vec<f64> {
            let rows = (0..all.frequencies()).map(|row| all.row(row).collect::<Vec<f64>>());
            rows.flat_map(|row| axes.iter().map(move |&k| row[k]).collect::<Vec<f64>>()).collect()
        };
        let features = Features::new(&along(&set.controlled), set.controlled.len());
        let m = features.padded_len();
        let mut sine = vec![0.0; m];
        let mut cosine = vec![1.0; m];
        if !set.random.is_empty() {
            cosine.fill(0.0);
            let random = Features::new(&along(&set.random), set.random.len());
            let share = 1.0 / samples.len() as f64;
            let rows: Vec<f64> =
                samples.rows().flat_map(|sample| set.random.iter().map(|&k| sample[k])).collect();
            let mut columns = vec![0.0; 2 * m * TILE];
            for rows in rows.chunks(TILE * set.random.len()) {
                random.tile(rows, 2 * m, &mut columns);
                for column in columns.chunks_exact(2 * m).take(rows.len() / set.random.len()) {
                    let (sines, cosines) = column.split_at(m);
                    sine.iter_mut().zip(sines).for_each(|(sum, value)| *sum += share * value);
                    cosine.iter_mut().zip(cosines).for_each(|(sum, value)| *sum += share * value);
                }
            }
        }
        let mut weights = vec![0.0; 2 * m * paths.len()];
        for (path, weights) in weights.chunks_exact_mut(2 * m).enumerate() {
            let (a, b) = paths.weights(path)[..2 * m].split_at(m);
            for k in 0..m {
                weights[k] = a[k] * cosine[k] - b[k] * sine[k];
                weights[m + k] = a[k] * sine[k] + b[k] * cosine[k];
            }
        }
        Self { set, features, weights, kernel: ExpectedKernel::new(posterior, set, samples) }
    }

    fn fill(&self, query: &[f64], phase: Phase, scratch: &mut Scratch) {
        let width = 2 * self.features.padded_len();
        scratch.columns.resize(width, 0.0);
        self.features.tile(query, width, &mut scratch.columns);
        self.kernel.evaluate(query, phase, &mut scratch.kernel);
    }
}

impl Objective for ExpectedPaths<'_> {
    fn evaluate(&self, queries: &[Points], phase: Phase, gradient: bool) -> Result<Vec<Expected>> {
        for (on, queries) in self.sets.iter().zip(queries) {
            check_width(on.set, queries)?;
        }
        each_query(&self.sets, queries, |on, query, scratch| {
            self.one(on, query, phase, gradient, scratch)
        })
    }
}
