//! Fitting hyper-parameters: maximum likelihood or maximum a posteriori, by L-BFGS-B with restarts.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::lbfgsb::{self, Minimum, Settings, Status};
use crate::math::sobol::Sobol;
use crate::model::likelihood::Likelihood;
use crate::model::prior::Prior;
use crate::model::{Hyperparameters, KernelFamily, check_data};

/// The constant prior mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mean {
    /// Known.
    Fixed(f64),
    /// Fitted by the optimizer along with the rest.
    Learned,
    /// Set to `1' K^-1 y / 1' K^-1 1` for each kernel, where the likelihood is largest: the same optimum as learned, one unknown fewer.
    Profiled,
}

/// The variance of the observation noise, in units of the outcomes the model is given (standardized ones, within a study).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// Known.
    Fixed(f64),
    /// Fitted within bounds.
    Learned {
        /// The lower bound, positive.
        low: f64,
        /// The upper bound.
        high: f64,
    },
}

/// Priors on the hyper-parameters; with any, a fit is maximum a posteriori.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Priors {
    /// None: maximum likelihood.
    None,
    /// `Gamma(3, 6)` on lengthscales and `Gamma(2, 0.15)` on the outputscale, for inputs in the unit cube and standardized outcomes
    /// (the priors behind the published Gittins-index results).
    Gamma,
    /// [`Prior::dimension_scaled`] on lengthscales and `Gamma(2, 0.15)` on the outputscale.
    DimensionScaled,
    /// The user's own.
    Custom {
        /// On each lengthscale.
        lengthscale: Option<Prior>,
        /// On the outputscale.
        outputscale: Option<Prior>,
        /// On the noise, if it is learned.
        noise: Option<Prior>,
    },
}

impl Priors {
    /// On lengthscales, outputscale and noise, in `dim` dimensions.
    fn each(&self, dim: usize) -> [Option<Prior>; 3] {
        let outputscale = Some(Prior::Gamma { shape: 2.0, rate: 0.15 });
        match *self {
            Self::None => [None; 3],
            Self::Gamma => [Some(Prior::Gamma { shape: 3.0, rate: 6.0 }), outputscale, None],
            Self::DimensionScaled => [Some(Prior::dimension_scaled(dim)), outputscale, None],
            Self::Custom { lengthscale, outputscale, noise } => [lengthscale, outputscale, noise],
        }
    }
}

/// What is assumed of the unknown function before the fit.
///
/// ```
/// use gittins::{GaussianProcess, Points, model::{Noise, Priors}};
/// let inputs = Points::from_rows(1, (0..12).map(|i| f64::from(i) / 11.0).collect())?;
/// let outcomes: Vec<f64> = inputs.rows().map(|x| (6.0 * x[0]).sin()).collect();
/// let fit = GaussianProcess::new().noise(Noise::Fixed(1e-6)).priors(Priors::None).fit(&inputs, &outcomes, None, 0)?;
/// assert!(fit.hyperparameters.lengthscales[0] > 0.1);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianProcess {
    family: KernelFamily,
    isotropic: bool,
    mean: Mean,
    noise: Noise,
    priors: Priors,
    lengthscale_bounds: (f64, f64),
    restarts: usize,
    tolerance: f64,
}

/// How a fit ended.
#[derive(Debug, Clone, PartialEq)]
pub enum FitStatus {
    /// The optimizer converged.
    Converged,
    /// It ran out of evaluations or of steps that help; the best found is used.
    Limited,
    /// Nothing better than the hyper-parameters from before (in a first fit: than the priors' centers) could be found, and they are kept; says why.
    KeptPrevious(String),
}

/// A fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// What was found.
    pub hyperparameters: Hyperparameters,
    /// The log marginal likelihood there; NaN if the fit failed.
    pub log_marginal_likelihood: f64,
    /// The same plus the logarithms of the priors' densities; NaN if the fit failed.
    pub log_posterior: f64,
    /// Evaluations of the likelihood, those on a part of the data included.
    pub evaluations: usize,
    /// How it ended.
    pub status: FitStatus,
}

/// Observations that the restarts of a cold fit see; the best of them is then polished on all. A likelihood costs O(n^3), and which basin is the
/// right one shows on a part of the data.
const RESTART_OBSERVATIONS: usize = 160;

/// Evaluations of one climb at most.
const EVALUATIONS: usize = 200;

impl Default for GaussianProcess {
    fn default() -> Self {
        Self::new()
    }
}

impl GaussianProcess {
    /// Matern-5/2 with one lengthscale per input, a profiled mean, noise learned between 1e-6 and 1e-1, dimension-scaled priors.
    pub fn new() -> Self {
        Self {
            family: KernelFamily::Matern52,
            isotropic: false,
            mean: Mean::Profiled,
            noise: Noise::Learned { low: 1e-6, high: 1e-1 },
            priors: Priors::DimensionScaled,
            lengthscale_bounds: (5e-3, 1e3),
            restarts: 4,
            tolerance: 1e-7,
        }
    }

    /// Another kernel.
    pub fn kernel(mut self, family: KernelFamily) -> Self {
        self.family = family;
        self
    }

    /// One lengthscale for all inputs.
    pub fn isotropic(mut self) -> Self {
        self.isotropic = true;
        self
    }

    /// Another mean.
    pub fn mean(mut self, mean: Mean) -> Self {
        self.mean = mean;
        self
    }

    /// Another noise.
    pub fn noise(mut self, noise: Noise) -> Self {
        self.noise = noise;
        self
    }

    /// Other priors.
    pub fn priors(mut self, priors: Priors) -> Self {
        self.priors = priors;
        self
    }

    /// Other bounds on every lengthscale.
    pub fn lengthscale_bounds(mut self, low: f64, high: f64) -> Self {
        self.lengthscale_bounds = (low, high);
        self
    }

    /// How many further starts a cold fit makes.
    pub fn restarts(mut self, restarts: usize) -> Self {
        self.restarts = restarts;
        self
    }

    /// The relative change of the objective (per observation) at which a climb has converged.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The kernel in use.
    pub fn family(&self) -> KernelFamily {
        self.family
    }

    /// Finds hyper-parameters for `n x d` inputs and `n` outcomes.
    ///
    /// With `previous` one climb starts there (warm). Without, one starts at the centers of the priors and further ones at quasi-random places;
    /// past 160 observations they see an evenly drawn part of the data, and the best is polished on all.
    ///
    /// # Errors
    /// Bad data or settings only, by kind and name (outcomes whose variance overflows or underflows among them: standardize those). A fit that
    /// fails is a [`FitStatus`].
    pub fn fit(&self, inputs: &Points, outcomes: &[f64], previous: Option<&Hyperparameters>, seed: u64) -> Result<Fit> {
        check_data(inputs, outcomes)?;
        self.validate()?;
        let problem = Problem::new(self, inputs, outcomes);
        let variance = problem.deviation * problem.deviation;
        if !variance.is_normal() {
            let message = format!("the variance of the outcomes, {:e} squared, is no number of double precision; standardize them", problem.deviation);
            return Err(Error::new(ErrorKind::NonFinite, message));
        }
        let start = match previous {
            Some(previous) => {
                previous.validate(inputs.dim())?;
                previous.clone()
            }
            None => problem.center.clone(),
        };
        let mut evaluations = 0;
        let mut from = problem.encode(&start);
        if previous.is_none() && self.restarts > 0 {
            let n = outcomes.len();
            let part = evenly(n, RESTART_OBSERVATIONS);
            let (mut some_inputs, mut some_outcomes) = (Points::with_capacity(inputs.dim(), part.len()), Vec::with_capacity(part.len()));
            for i in part {
                some_inputs.push(inputs.row(i));
                some_outcomes.push(outcomes[i]);
            }
            let small = Problem { inputs: &some_inputs, outcomes: &some_outcomes, ..problem.clone() };
            let starts: Vec<Vec<f64>> = std::iter::once(from.clone()).chain(problem.scattered(self.restarts, seed)).collect();
            let climbs: Vec<Minimum> = starts.into_par_iter().map(|start| small.climb(&start)).collect::<Result<_>>()?;
            evaluations += climbs.iter().map(|climb| climb.evaluations).sum::<usize>();
            let finite = climbs.iter().filter(|climb| climb.value.is_finite());
            if let Some(best) = finite.min_by(|a, b| a.value.total_cmp(&b.value)) {
                from.clone_from(&best.point);
            }
        }
        let climb = problem.climb(&from)?;
        evaluations += climb.evaluations;
        let failed = |why: String| {
            log::warn!("a fit to {} observations failed and kept the hyper-parameters from before: {why}", outcomes.len());
            let (log_marginal_likelihood, log_posterior) = (f64::NAN, f64::NAN);
            Fit { hyperparameters: start.clone(), log_marginal_likelihood, log_posterior, evaluations, status: FitStatus::KeptPrevious(why) }
        };
        if climb.status == Status::NonFinite || !climb.value.is_finite() {
            return Ok(failed(match problem.likelihood(&from) {
                Err(error) => error.to_string(),
                Ok(_) => "the likelihood is not finite at the start".to_string(),
            }));
        }
        let (likelihood, log_posterior, hyperparameters) = match problem.posterior(&climb.point) {
            Ok(found) => found,
            Err(error) => return Ok(failed(error.to_string())),
        };
        let converged = matches!(climb.status, Status::ConvergedGradient | Status::ConvergedValue);
        let status = if converged { FitStatus::Converged } else { FitStatus::Limited };
        Ok(Fit { hyperparameters, log_marginal_likelihood: likelihood.value, log_posterior, evaluations: evaluations + 1, status })
    }

    fn validate(&self) -> Result<()> {
        let positive = |name: &str, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::InvalidSetting, format!("{name} must be positive and finite, got {value}"))),
        };
        let ordered = |name: &str, low: f64, high: f64| match low <= high {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::InvalidSetting, format!("{name}: the lower bound {low} exceeds the upper bound {high}"))),
        };
        let (low, high) = self.lengthscale_bounds;
        positive("the lower lengthscale bound", low)?;
        positive("the upper lengthscale bound", high)?;
        ordered("lengthscales", low, high)?;
        match self.noise {
            Noise::Fixed(noise) if !(noise >= 0.0 && noise.is_finite()) => {
                return Err(Error::new(ErrorKind::InvalidSetting, format!("the noise must be zero or positive, got {noise}")));
            }
            Noise::Fixed(_) => {}
            Noise::Learned { low, high } => {
                positive("the lower noise bound", low)?;
                positive("the upper noise bound", high)?;
                ordered("noise", low, high)?;
            }
        }
        match self.mean {
            Mean::Fixed(mean) if !mean.is_finite() => Err(Error::new(ErrorKind::NonFinite, format!("the fixed mean is {mean}"))),
            _ => positive("the fit's tolerance", self.tolerance),
        }
    }
}

/// `at most` indices spread evenly over `0..n`.
fn evenly(n: usize, at_most: usize) -> Vec<usize> {
    let count = n.min(at_most);
    (0..count).map(|i| i * n / count).collect()
}

/// One fit as an optimization over `[ln lengthscales, ln outputscale, (ln noise), (mean / deviation)]`.
#[derive(Clone)]
struct Problem<'a> {
    model: &'a GaussianProcess,
    inputs: &'a Points,
    outcomes: &'a [f64],
    priors: [Option<Prior>; 3],
    /// Where a cold fit starts.
    center: Hyperparameters,
    /// The deviation of the outcomes (1 if there is none): the outputscale's and the mean's natural unit.
    deviation: f64,
}

impl<'a> Problem<'a> {
    fn new(model: &'a GaussianProcess, inputs: &'a Points, outcomes: &'a [f64]) -> Self {
        let (n, d) = (outcomes.len() as f64, inputs.dim());
        let average = outcomes.iter().map(|y| y / n).sum::<f64>();
        let spread = outcomes.iter().map(|y| (y - average).abs()).fold(0.0, f64::max);
        // Divided by the largest difference first, so that no square overflows.
        let deviation = match spread > 0.0 {
            true => spread * outcomes.iter().map(|y| ((y - average) / spread).powi(2) / n).sum::<f64>().sqrt(),
            false => 1.0,
        };
        let priors = model.priors.each(d);
        let (low, high) = model.lengthscale_bounds;
        let lengthscale = priors[0].map_or(0.5 * (d as f64).sqrt(), |prior| prior.center()).clamp(low, high);
        let noise = match model.noise {
            Noise::Fixed(noise) => noise,
            Noise::Learned { low, high } => priors[2].map_or((low * high).sqrt(), |prior| prior.center()).clamp(low, high),
        };
        let mean = match model.mean {
            Mean::Fixed(mean) => mean,
            Mean::Learned | Mean::Profiled => average,
        };
        let center = Hyperparameters { lengthscales: vec![lengthscale; d], outputscale: deviation * deviation, noise, mean };
        Self { model, inputs, outcomes, priors, center, deviation }
    }

    fn lengthscales(&self) -> usize {
        if self.model.isotropic { 1 } else { self.inputs.dim() }
    }

    fn encode(&self, hyperparameters: &Hyperparameters) -> Vec<f64> {
        let count = self.lengthscales();
        let mut theta: Vec<f64> = hyperparameters.lengthscales[..count].iter().map(|l| l.ln()).collect();
        theta.push(hyperparameters.outputscale.ln());
        if let Noise::Learned { low, .. } = self.model.noise {
            theta.push(hyperparameters.noise.max(low).ln());
        }
        if self.model.mean == Mean::Learned {
            theta.push(hyperparameters.mean / self.deviation);
        }
        theta
    }

    fn decode(&self, theta: &[f64]) -> Hyperparameters {
        let count = self.lengthscales();
        let lengthscales = (0..self.inputs.dim()).map(|k| theta[k.min(count - 1)].exp()).collect();
        let mut rest = theta[count..].iter();
        let mut next = || *rest.next().unwrap_or(&0.0);
        let outputscale = next().exp();
        let noise = match self.model.noise {
            Noise::Fixed(noise) => noise,
            Noise::Learned { .. } => next().exp(),
        };
        let mean = match self.model.mean {
            Mean::Learned => next() * self.deviation,
            Mean::Fixed(mean) => mean,
            Mean::Profiled => self.center.mean,
        };
        Hyperparameters { lengthscales, outputscale, noise, mean }
    }

    fn bounds(&self) -> (Vec<f64>, Vec<f64>) {
        let (low, high) = self.model.lengthscale_bounds;
        let mut bounds = vec![(low.ln(), high.ln()); self.lengthscales()];
        // Eight decades either side of the outcomes' variance: further out nothing changes but the rounding.
        let variance = 2.0 * self.deviation.ln();
        let decades = 8.0 * std::f64::consts::LN_10;
        bounds.push((variance - decades, variance + decades));
        if let Noise::Learned { low, high } = self.model.noise {
            bounds.push((low.ln(), high.ln()));
        }
        if self.model.mean == Mean::Learned {
            bounds.push((f64::NEG_INFINITY, f64::INFINITY));
        }
        bounds.into_iter().unzip()
    }

    /// Further starts: lengthscales over two decades around a third of the cube's diagonal, noise over its bounds.
    fn scattered(&self, count: usize, seed: u64) -> impl Iterator<Item = Vec<f64>> {
        let (lower, upper) = self.bounds();
        let center = self.encode(&self.center);
        let lengthscales = self.lengthscales();
        let middle = (0.3 * (self.inputs.dim() as f64).sqrt()).ln();
        let decade = std::f64::consts::LN_10;
        let draws = Sobol::new(center.len(), seed).points(0, count);
        (0..count).map(move |row| {
            let theta = draws.row(row).iter().enumerate().map(|(k, &u)| {
                let value = match k {
                    k if k < lengthscales => middle + decade * (2.0 * u - 1.0),
                    k if k == lengthscales => center[k] + decade * (2.0 * u - 1.0),
                    k if upper[k].is_finite() => lower[k] + u * (upper[k] - lower[k]),
                    k => center[k],
                };
                value.clamp(lower[k], upper[k])
            });
            theta.collect()
        })
    }

    fn likelihood(&self, theta: &[f64]) -> Result<Likelihood> {
        Likelihood::new(self.model.family, &self.decode(theta), self.inputs, self.outcomes, self.model.mean == Mean::Profiled)
    }

    /// Likelihood, log posterior, hyper-parameters.
    fn posterior(&self, theta: &[f64]) -> Result<(Likelihood, f64, Hyperparameters)> {
        let likelihood = self.likelihood(theta)?;
        let mut hyperparameters = self.decode(theta);
        hyperparameters.mean = likelihood.mean;
        let densities: f64 = self.densities(theta).map(|(_, (value, _))| value).sum();
        let log_posterior = likelihood.value + densities;
        Ok((likelihood, log_posterior, hyperparameters))
    }

    /// For each unknown with a prior: its place, its log density and the slope of that.
    fn densities<'t>(&self, theta: &'t [f64]) -> impl Iterator<Item = (usize, (f64, f64))> + use<'t> {
        let count = self.lengthscales();
        let learned_noise = matches!(self.model.noise, Noise::Learned { .. });
        let priors = self.priors;
        theta.iter().enumerate().filter_map(move |(k, value)| {
            let prior = match k {
                k if k < count => priors[0],
                k if k == count => priors[1],
                k if k == count + 1 && learned_noise => priors[2],
                _ => None,
            };
            prior.map(|prior| (k, prior.log_density(value.exp())))
        })
    }

    /// Minimizes `-(L + ln p) / n`. Divided by `n` as in the references: the tolerance then means the same for any number of observations.
    fn climb(&self, start: &[f64]) -> Result<Minimum> {
        let (lower, upper) = self.bounds();
        let n = self.outcomes.len() as f64;
        let settings = Settings {
            max_iterations: EVALUATIONS,
            max_evaluations: EVALUATIONS,
            function_tolerance: self.model.tolerance,
            gradient_tolerance: 1e-5,
            ..Settings::default()
        };
        let count = self.lengthscales();
        lbfgsb::minimize(start, &lower, &upper, &settings, |theta, gradient| {
            let Ok(likelihood) = self.likelihood(theta) else {
                return f64::INFINITY;
            };
            gradient.fill(0.0);
            for (k, slope) in likelihood.d_log_lengthscales.iter().enumerate() {
                gradient[k.min(count - 1)] += slope;
            }
            gradient[count] = likelihood.d_log_outputscale;
            let mut next = count + 1;
            if let Noise::Learned { .. } = self.model.noise {
                gradient[next] = likelihood.d_log_noise;
                next += 1;
            }
            if self.model.mean == Mean::Learned {
                gradient[next] = likelihood.d_mean * self.deviation;
            }
            let mut value = likelihood.value;
            for (k, (density, slope)) in self.densities(theta) {
                value += density;
                gradient[k] += slope;
            }
            gradient.iter_mut().for_each(|g| *g /= -n);
            -value / n
        })
    }
}
