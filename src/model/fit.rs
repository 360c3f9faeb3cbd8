//! Fitting hyper-parameters: maximum likelihood or maximum a posteriori, by L-BFGS-B with restarts.

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result, check_positive};
use crate::math::clock::Deadline;
use crate::math::lbfgsb::Status;
use crate::model::likelihood::Workspace;
use crate::model::part::Search;
use crate::model::prior::Prior;
use crate::model::problem::{Climb, Problem};
use crate::model::watch::Watch;
use crate::model::{Hyperparameters, KernelFamily, check_data};

/// The constant prior mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mean {
    /// Known.
    Fixed(f64),
    /// Fitted by the optimizer along with the rest.
    Learned,
    /// Set to `1' K^-1 y / 1' K^-1 1` for each kernel, where the likelihood is largest: the same
    /// optimum as learned, one unknown fewer.
    Profiled,
}

/// The variance of the observation noise, in units of the outcomes the model is given (standardized
/// ones, within a study).
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
    /// `Gamma(3, 6)` on lengthscales and `Gamma(2, 0.15)` on the outputscale, for inputs in the
    /// unit cube and standardized outcomes (the priors behind the published Gittins-index results).
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
    pub(super) fn each(&self, dim: usize) -> [Option<Prior>; 3] {
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
    pub(super) family: KernelFamily,
    pub(super) isotropic: bool,
    pub(super) mean: Mean,
    pub(super) noise: Noise,
    pub(super) priors: Priors,
    pub(super) lengthscale_bounds: (f64, f64),
    fixed: Option<(Vec<f64>, f64)>,
    restarts: usize,
    pub(super) tolerance: f64,
    /// Evaluations of one climb at most.
    pub(super) evaluations: usize,
}

/// How a fit ended.
#[derive(Debug, Clone, PartialEq)]
pub enum FitStatus {
    /// The optimizer converged.
    Converged,
    /// It ran out of evaluations or of steps that help; the best found is used.
    Limited,
    /// Nothing better than the hyper-parameters from before (in a first fit: than the priors'
    /// centers) could be found, and they are kept; says why.
    KeptPrevious(String),
    /// The deadline came first, and what was found until then is used.
    Deadline {
        /// On so many of the observations, drawn evenly. If it is 0 there was no time to look at
        /// any, and the hyper-parameters from before (in a first fit: the priors' centers) are
        /// kept.
        observations: usize,
        /// Whether the climb on these ended by itself.
        ended: bool,
    },
    /// Nothing was fitted: the hyper-parameters were given.
    Given,
}

impl FitStatus {
    /// Where there was no time for a fit.
    pub const KEPT: Self = Self::Deadline { observations: 0, ended: false };
}

/// A fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// What was found.
    pub hyperparameters: Hyperparameters,
    /// The log marginal likelihood there; NaN if the fit failed, there was none, or it saw a part
    /// of the observations only.
    pub log_marginal_likelihood: f64,
    /// The same plus the logarithms of the priors' densities; NaN likewise.
    pub log_posterior: f64,
    /// Evaluations of the likelihood, those on a part of the data included.
    pub evaluations: usize,
    /// How it ended.
    pub status: FitStatus,
}

impl Fit {
    /// Hyper-parameters that were found before; their likelihood was not computed.
    pub(crate) fn given(hyperparameters: Hyperparameters) -> Self {
        let (unknown, status) = (f64::NAN, FitStatus::Given);
        Self {
            hyperparameters,
            log_marginal_likelihood: unknown,
            log_posterior: unknown,
            evaluations: 0,
            status,
        }
    }

    /// Of a kernel that is known, with the likelihood of its profiled mean.
    pub(crate) fn of_known_kernel(hyperparameters: Hyperparameters, likelihood: f64) -> Self {
        let (log_marginal_likelihood, log_posterior) = (likelihood, likelihood);
        Self {
            hyperparameters,
            log_marginal_likelihood,
            log_posterior,
            evaluations: 1,
            status: FitStatus::Converged,
        }
    }

    /// What there was time for: found on a part of the observations, or kept.
    pub(super) fn cut(
        hyperparameters: Hyperparameters,
        status: FitStatus,
        evaluations: usize,
    ) -> Self {
        Self { evaluations, status, ..Self::given(hyperparameters) }
    }
}

/// Evaluations of one climb at most.
const EVALUATIONS: usize = 200;

impl Default for GaussianProcess {
    fn default() -> Self {
        Self::new()
    }
}

impl GaussianProcess {
    /// Matern-5/2 with one lengthscale per input, a profiled mean, noise learned between 1e-10 and
    /// 1, dimension-scaled priors.
    pub fn new() -> Self {
        Self {
            family: KernelFamily::Matern52,
            isotropic: false,
            mean: Mean::Profiled,
            noise: Noise::Learned { low: 1e-10, high: 1.0 },
            priors: Priors::DimensionScaled,
            lengthscale_bounds: (5e-3, 1e3),
            fixed: None,
            restarts: 4,
            tolerance: 1e-6,
            evaluations: EVALUATIONS,
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

    /// A kernel that is known, its `d` lengthscales and its variance: nothing is searched for, and
    /// a mean that is not fixed takes the value where the likelihood is largest. The noise must be
    /// fixed too.
    pub fn fixed_kernel(mut self, lengthscales: Vec<f64>, outputscale: f64) -> Self {
        self.fixed = Some((lengthscales, outputscale));
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

    /// No more evaluations of the likelihood in one climb: the fit is then
    /// [`Limited`](FitStatus::Limited), and a later one can go on from it.
    pub(crate) fn at_most(mut self, evaluations: usize) -> Self {
        self.evaluations = self.evaluations.min(evaluations);
        self
    }

    /// Whether the mean follows from kernel and data.
    pub(crate) fn profiles_mean(&self) -> bool {
        self.mean == Mean::Profiled
    }

    /// The kernel in use.
    pub fn family(&self) -> KernelFamily {
        self.family
    }

    /// Finds hyper-parameters for `n x d` inputs and `n` outcomes.
    ///
    /// With `previous` one climb starts there (warm). Without, one starts at the centers of the
    /// priors and further ones at quasi-random places; past 160 observations they see an evenly
    /// drawn part of the data, and the best is polished on all.
    ///
    /// # Errors
    /// Bad data or settings only, by kind and name (outcomes whose variance overflows or underflows
    /// among them: standardize those). A fit that fails is a [`FitStatus`].
    pub fn fit(
        &self,
        inputs: &Points,
        outcomes: &[f64],
        previous: Option<&Hyperparameters>,
        seed: u64,
    ) -> Result<Fit> {
        self.fit_until(
            inputs,
            outcomes,
            previous.map(|previous| (previous, outcomes.len())),
            seed,
            Deadline::NEVER,
        )
    }

    /// The same until a deadline; beside the previous hyper-parameters stands the number of
    /// observations that they were found on.
    ///
    /// The clock is looked at between evaluations of the likelihood, and none begins that is not
    /// expected to end in time. If a climb on all observations would not come far, it sees as many
    /// of them as there is time for, drawn evenly, if these are more than the previous
    /// hyper-parameters were found on; if not, these are kept. A fit from nothing makes as many of
    /// its further starts as there is time for, at least the first. The [`FitStatus`] says what
    /// came of it.
    ///
    /// # Errors
    /// As for [`fit`](Self::fit).
    pub fn fit_until(
        &self,
        inputs: &Points,
        outcomes: &[f64],
        previous: Option<(&Hyperparameters, usize)>,
        seed: u64,
        deadline: Deadline,
    ) -> Result<Fit> {
        check_data(inputs, outcomes)?;
        self.validate()?;
        if let Some(fit) = self.fit_mean(inputs, outcomes)? {
            return Ok(fit);
        }
        let problem = Problem::new(self, inputs, outcomes);
        let variance = problem.deviation * problem.deviation;
        if !variance.is_normal() {
            let message = format!(
                "the variance of the outcomes, {:e} squared, is no number of double precision; standardize them",
                problem.deviation
            );
            return Err(Error::new(ErrorKind::NonFinite, message));
        }
        let start = match previous {
            Some((previous, _)) => {
                previous.validate(inputs.dim())?;
                previous.clone()
            }
            None => problem.center.clone(),
        };
        let known_on = previous.map_or(0, |(_, observations)| observations);
        let (watch, best) = (Watch::new(deadline), start.clone());
        let mut search = Search {
            problem: &problem,
            tolerance: self.tolerance,
            watch,
            best,
            known_on,
            evaluations: 0,
            found: FitStatus::KEPT,
        };
        let mut from = problem.encode(&start);
        search.try_out(&from);
        if previous.is_none() && self.restarts > 0 {
            from = search.restart(from, self.restarts, seed)?;
        }
        if let Some(fit) = search.on_part(&from)? {
            return Ok(fit);
        }
        let Climb { minimum, found, cut } =
            problem.climb(&from, self.tolerance, &mut search.watch)?;
        if cut && found.is_none() {
            return Ok(search.cut());
        }
        let evaluations = search.evaluations + minimum.evaluations;
        let failed = |why: String| {
            log::warn!(
                "a fit to {} observations failed and kept the hyper-parameters from before: {why}",
                outcomes.len()
            );
            let (log_marginal_likelihood, log_posterior) = (f64::NAN, f64::NAN);
            Fit {
                hyperparameters: start.clone(),
                log_marginal_likelihood,
                log_posterior,
                evaluations,
                status: FitStatus::KeptPrevious(why),
            }
        };
        let ended_well = minimum.status != Status::NonFinite && minimum.value.is_finite();
        let Some((log_marginal_likelihood, mean)) = found.filter(|_| ended_well) else {
            return Ok(failed(match problem.likelihood(&from, &mut Workspace::new()) {
                Err(error) => error.to_string(),
                Ok(_) => "the likelihood is not finite at the start".to_string(),
            }));
        };
        let hyperparameters = Hyperparameters { mean, ..problem.decode(&minimum.point) };
        let log_posterior = log_marginal_likelihood + problem.log_prior(&minimum.point);
        let converged =
            matches!(minimum.status, Status::ConvergedGradient | Status::ConvergedValue);
        let status = match converged {
            _ if cut => FitStatus::Deadline { observations: outcomes.len(), ended: false },
            true => FitStatus::Converged,
            false => FitStatus::Limited,
        };
        Ok(Fit { hyperparameters, log_marginal_likelihood, log_posterior, evaluations, status })
    }

    /// The only fit that a known kernel leaves: a mean in closed form.
    fn fit_mean(&self, inputs: &Points, outcomes: &[f64]) -> Result<Option<Fit>> {
        let Some((hyperparameters, profiled)) = self.known(inputs.dim())? else { return Ok(None) };
        let (value, mean) =
            Workspace::new().value(self.family, &hyperparameters, inputs, outcomes, profiled)?;
        Ok(Some(Fit::of_known_kernel(Hyperparameters { mean, ..hyperparameters }, value)))
    }

    /// The hyper-parameters of a known kernel, and whether the mean in them is still to be
    /// profiled; none where the kernel is to be fitted.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub(crate) fn known(&self, dim: usize) -> Result<Option<(Hyperparameters, bool)>> {
        let Some((lengthscales, outputscale)) = &self.fixed else { return Ok(None) };
        let Noise::Fixed(noise) = self.noise else {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                "a known kernel needs a fixed noise, got one to be learned",
            ));
        };
        let (mean, profiled) = match self.mean {
            Mean::Fixed(mean) => (mean, false),
            Mean::Learned | Mean::Profiled => (0.0, true),
        };
        self.validate()?;
        let hyperparameters = Hyperparameters {
            lengthscales: lengthscales.clone(),
            outputscale: *outputscale,
            noise,
            mean,
        };
        hyperparameters.validate(dim)?;
        Ok(Some((hyperparameters, profiled)))
    }

    /// Checks the settings for inputs of dimension `dim`.
    ///
    /// # Errors
    /// `InvalidSetting`, `NonFinite` or `Dimension`, naming the setting.
    pub(crate) fn check(&self, dim: usize) -> Result<()> {
        self.validate()?;
        self.known(dim).map(drop)
    }

    fn validate(&self) -> Result<()> {
        let ordered = |name: &str, low: f64, high: f64| match low <= high {
            true => Ok(()),
            false => Err(Error::new(
                ErrorKind::InvalidSetting,
                format!("{name}: the lower bound {low} exceeds the upper bound {high}"),
            )),
        };
        let (low, high) = self.lengthscale_bounds;
        check_positive("the lower lengthscale bound", low)?;
        check_positive("the upper lengthscale bound", high)?;
        ordered("lengthscales", low, high)?;
        match self.noise {
            Noise::Fixed(noise) if !(noise >= 0.0 && noise.is_finite()) => {
                return Err(Error::new(
                    ErrorKind::InvalidSetting,
                    format!("the noise must be zero or positive, got {noise}"),
                ));
            }
            Noise::Fixed(_) => {}
            Noise::Learned { low, high } => {
                check_positive("the lower noise bound", low)?;
                check_positive("the upper noise bound", high)?;
                ordered("noise", low, high)?;
            }
        }
        match self.mean {
            Mean::Fixed(mean) if !mean.is_finite() => {
                Err(Error::new(ErrorKind::NonFinite, format!("the fixed mean is {mean}")))
            }
            _ => check_positive("the fit's tolerance", self.tolerance),
        }
    }
}
