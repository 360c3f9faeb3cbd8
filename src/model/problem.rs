//! One fit as a bounded optimization problem.

use crate::data::Points;
use crate::error::Result;
use crate::math::lbfgsb::{Lbfgsb, Minimum, Settings, Status};
use crate::math::sobol::Sobol;
use crate::model::likelihood::{Likelihood, Workspace};

use crate::model::watch::Watch;
use crate::model::{GaussianProcess, Hyperparameters, Mean, Noise, Prior};

/// The end of a climb.
pub(super) struct Climb {
    pub minimum: Minimum,
    /// The log marginal likelihood there and its mean, kept from the climb; none if no likelihood
    /// exists.
    pub found: Option<(f64, f64)>,
    /// Whether there was no time for another evaluation. If there was none for the first, nothing
    /// is found.
    pub cut: bool,
}

/// One fit as an optimization over
/// `[ln lengthscales, ln outputscale, (ln noise), (mean / deviation)]`.
pub(super) struct Problem<'a> {
    model: &'a GaussianProcess,
    inputs: &'a Points,
    outcomes: &'a [f64],
    priors: [Option<Prior>; 3],
    prior_of_names: Option<Prior>,
    /// The start of a cold fit.
    pub center: Hyperparameters,
    /// The deviation of the outcomes (1 if there is none): the natural unit of outputscale and
    /// mean.
    pub deviation: f64,
}

impl<'a> Problem<'a> {
    pub fn new(model: &'a GaussianProcess, inputs: &'a Points, outcomes: &'a [f64]) -> Self {
        let n = outcomes.len() as f64;
        let d = inputs.dim();
        let average = outcomes.iter().map(|y| y / n).sum::<f64>();
        let spread = outcomes.iter().map(|y| (y - average).abs()).fold(0.0, f64::max);
        // The outcomes are divided by the largest difference first, so that no square overflows.
        let deviation = if spread > 0.0 {
            spread
                * outcomes.iter().map(|y| ((y - average) / spread).powi(2) / n).sum::<f64>().sqrt()
        } else {
            1.0
        };
        let parameters = model.parameters(d);
        let priors = model.priors.each(parameters);
        let prior_of_names = model.priors.of_names(parameters);
        let (low, high) = model.lengthscale_bounds;
        // Without a prior, a tenth of the cube's diagonal (Papenmeier et al. 2025, "Understanding
        // high-dimensional Bayesian optimization"). If all distances were many lengthscales at the
        // start, the likelihood would have no slope there.
        let start = |prior: Option<Prior>| {
            prior.map_or(0.1 * (parameters as f64).sqrt(), |prior| prior.center()).clamp(low, high)
        };
        let [of_numbers, of_names] = [priors[0], prior_of_names].map(start);
        let lengthscale = |input| {
            if model.is_of_names(model.lengthscale_of(input)) { of_names } else { of_numbers }
        };
        let lengthscales = (0..d).map(lengthscale).collect();
        let noise = match model.noise {
            Noise::Fixed(noise) => noise,
            Noise::Learned { low, high } => {
                priors[2].map_or((low * high).sqrt(), |prior| prior.center()).clamp(low, high)
            }
        };
        let mean = match model.mean {
            Mean::Fixed(mean) => mean,
            Mean::Learned | Mean::Profiled => average,
        };
        let center =
            Hyperparameters { lengthscales, outputscale: deviation * deviation, noise, mean };
        Self { model, inputs, outcomes, priors, prior_of_names, center, deviation }
    }

    /// The problem of a latent function that is known by labels only. Its unit is the deviation of
    /// the noise that stands between the function and its labels, 1.
    pub fn of_labels(model: &'a GaussianProcess, inputs: &'a Points, labels: &'a [f64]) -> Self {
        let mut problem = Self::new(model, inputs, labels);
        problem.deviation = 1.0;
        problem.center.outputscale = problem.priors[1].map_or(1.0, |prior| prior.center());
        problem
    }

    /// The same problem on other data, with the same center and units.
    pub fn with_data<'b>(&self, inputs: &'b Points, outcomes: &'b [f64]) -> Problem<'b>
    where
        'a: 'b,
    {
        Problem {
            model: self.model,
            inputs,
            outcomes,
            priors: self.priors,
            prior_of_names: self.prior_of_names,
            center: self.center.clone(),
            deviation: self.deviation,
        }
    }

    /// The observations.
    pub fn data(&self) -> (&'a Points, &'a [f64]) {
        (self.inputs, self.outcomes)
    }

    fn lengthscales(&self) -> usize {
        self.model.lengthscales(self.inputs.dim())
    }

    pub fn encode(&self, hyperparameters: &Hyperparameters) -> Vec<f64> {
        let mut theta = vec![0.0; self.lengthscales()];
        for (input, lengthscale) in hyperparameters.lengthscales.iter().enumerate() {
            theta[self.model.lengthscale_of(input)] = lengthscale.ln();
        }
        theta.push(hyperparameters.outputscale.ln());
        if let Noise::Learned { low, .. } = self.model.noise {
            theta.push(hyperparameters.noise.max(low).ln());
        }
        if self.model.mean == Mean::Learned {
            theta.push(hyperparameters.mean / self.deviation);
        }
        theta
    }

    pub fn decode(&self, theta: &[f64]) -> Hyperparameters {
        let count = self.lengthscales();
        let lengthscale = |input| theta[self.model.lengthscale_of(input)].exp();
        let lengthscales = (0..self.inputs.dim()).map(lengthscale).collect();
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
        // Eight decades on either side of the outcomes' variance. Beyond, only the rounding
        // changes.
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

    /// Further starts: lengthscales over two decades around a third of the cube's diagonal, and
    /// noise over its bounds.
    pub fn scattered(&self, count: usize, seed: u64) -> impl Iterator<Item = Vec<f64>> {
        let (lower, upper) = self.bounds();
        let center = self.encode(&self.center);
        let lengthscales = self.lengthscales();
        let middle = (0.3 * (self.model.parameters(self.inputs.dim()) as f64).sqrt()).ln();
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

    pub fn likelihood(&self, theta: &[f64], workspace: &mut Workspace) -> Result<Likelihood> {
        let profile_mean = self.model.mean == Mean::Profiled;
        workspace.evaluate(
            self.model.family,
            &self.decode(theta),
            self.inputs,
            self.outcomes,
            profile_mean,
        )
    }

    /// The sum of the logarithms of the priors' densities.
    pub fn log_prior(&self, theta: &[f64]) -> f64 {
        self.densities(theta).map(|(_, (value, _))| value).sum()
    }

    /// For each unknown with a prior: its index, its log density and the slope of the log density.
    fn densities<'t>(
        &self,
        theta: &'t [f64],
    ) -> impl Iterator<Item = (usize, (f64, f64))> + use<'t, '_, 'a> {
        let count = self.lengthscales();
        let learned_noise = matches!(self.model.noise, Noise::Learned { .. });
        let priors = self.priors;
        theta.iter().enumerate().filter_map(move |(k, value)| {
            let prior = match k {
                k if k < count && self.model.is_of_names(k) => self.prior_of_names,
                k if k < count => priors[0],
                k if k == count => priors[1],
                k if k == count + 1 && learned_noise => priors[2],
                _ => None,
            };
            prior.map(|prior| (k, prior.log_density(value.exp())))
        })
    }

    /// Minimizes `-(L + ln p) / n` until it changes by no more than the tolerance. It is divided by
    /// `n` as in the references, so the tolerance means the same for any number of observations.
    /// The watch decides between evaluations whether to continue.
    pub fn climb(&self, start: &[f64], tolerance: f64, watch: &mut Watch) -> Result<Climb> {
        let mut workspace = Workspace::new();
        self.climb_by(start, tolerance, watch, |theta| self.likelihood(theta, &mut workspace))
    }

    /// The same with another likelihood of the same unknowns.
    pub fn climb_by(
        &self,
        start: &[f64],
        tolerance: f64,
        watch: &mut Watch,
        mut likelihood: impl FnMut(&[f64]) -> Result<Likelihood>,
    ) -> Result<Climb> {
        let (lower, upper) = self.bounds();
        let n = self.outcomes.len() as f64;
        let settings = Settings {
            max_iterations: self.model.evaluations,
            max_evaluations: self.model.evaluations,
            function_tolerance: tolerance,
            // With the default this is 1e-5, as usual.
            gradient_tolerance: 10.0 * tolerance,
            ..Settings::default()
        };
        let count = self.lengthscales();
        let mut seen: Vec<(Vec<f64>, f64, f64)> = Vec::new();
        let mut function = |theta: &[f64], gradient: &mut [f64]| {
            let Ok(likelihood) = likelihood(theta) else {
                return f64::INFINITY;
            };
            seen.push((theta.to_vec(), likelihood.value, likelihood.mean));
            gradient.fill(0.0);
            for (k, slope) in likelihood.d_log_lengthscales.iter().enumerate() {
                gradient[self.model.lengthscale_of(k)] += slope;
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
            for g in gradient.iter_mut() {
                *g /= -n;
            }
            -value / n
        };
        let mut state = Lbfgsb::new(start, &lower, &upper, &settings)?;
        let mut gradient = vec![0.0; start.len()];
        let size = (self.outcomes.len(), self.inputs.dim());
        while state.status() == Status::Running && watch.fits(1, size.0, size.1) {
            let value = watch.time(size.0, size.1, || function(state.point(), &mut gradient));
            state.advance(value, &gradient);
        }
        let minimum = Minimum::of(&state);
        let found = seen.into_iter().rev().find(|(theta, ..)| *theta == minimum.point);
        let cut = minimum.status == Status::Running;
        Ok(Climb { minimum, found: found.map(|(_, likelihood, mean)| (likelihood, mean)), cut })
    }
}
