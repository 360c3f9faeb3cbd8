//! What is assumed about the unknown function before a fit.

use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result, check_positive};
use crate::model::{Hyperparameters, KernelFamily, Prior};

/// The constant prior mean.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Mean {
    /// A known mean.
    Fixed(f64),
    /// The optimizer fits it along with the rest.
    Learned,
    /// It is set to `1' K^-1 y / 1' K^-1 1` for each kernel, where the likelihood is largest. The
    /// optimum is that of a learned mean, with one unknown fewer.
    Profiled,
}

/// The variance of the observation noise, in units of the outcomes that the model is given
/// (standardized ones, within a study).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Noise {
    /// A known noise.
    Fixed(f64),
    /// It is fitted within bounds.
    Learned {
        /// The lower bound, positive.
        low: f64,
        /// The upper bound.
        high: f64,
    },
}

/// Priors on the hyper-parameters. With any prior, a fit is maximum a posteriori.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Priors {
    /// None: maximum likelihood.
    None,
    /// `Gamma(3, 6)` on lengthscales and `Gamma(2, 0.15)` on the outputscale, for inputs in the
    /// unit cube and standardized outcomes (the priors behind the published Gittins-index results).
    Gamma,
    /// [`Prior::dimension_scaled`] on lengthscales and `Gamma(2, 0.15)` on the outputscale.
    DimensionScaled,
    /// [`Prior::dimension_scaled_gamma`] on lengthscales and `Gamma(2, 0.15)` on the outputscale.
    DimensionScaledGamma,
    /// [`Prior::dimension_scaled_heavy`] on lengthscales and `Gamma(2, 0.15)` on the outputscale.
    DimensionScaledHeavy,
    /// Priors of the user.
    Custom {
        /// On each lengthscale.
        lengthscale: Option<Prior>,
        /// On the outputscale.
        outputscale: Option<Prior>,
        /// On the noise, if it is learned.
        noise: Option<Prior>,
    },
}

/// How much longer the lengthscale of names or flags is expected to be than that of a number. Two
/// different names are as far apart as the ends of an interval, and there is nothing between them.
/// With the prior of numbers a trial would tell next to nothing of the same settings under another
/// name, and all that has not been tried would look as bad as the average. Chosen by runs on mixed
/// problems (`docs/mixed.md`; instances that are not in its tables).
const NAMES: f64 = 8.0;

impl Priors {
    /// The priors on lengthscales, outputscale and noise, in `dim` dimensions.
    pub(super) fn each(&self, dim: usize) -> [Option<Prior>; 3] {
        let outputscale = Some(Prior::Gamma { shape: 2.0, rate: 0.15 });
        match *self {
            Self::None => [None; 3],
            Self::Gamma => [Some(Prior::Gamma { shape: 3.0, rate: 6.0 }), outputscale, None],
            Self::DimensionScaled => [Some(Prior::dimension_scaled(dim)), outputscale, None],
            Self::DimensionScaledGamma => {
                [Some(Prior::dimension_scaled_gamma(dim)), outputscale, None]
            }
            Self::DimensionScaledHeavy => {
                [Some(Prior::dimension_scaled_heavy(dim)), outputscale, None]
            }
            Self::Custom { lengthscale, outputscale, noise } => [lengthscale, outputscale, noise],
        }
    }

    /// The prior on the lengthscale of names or flags, any two of which are 1 apart.
    pub(super) fn of_names(&self, dim: usize) -> Option<Prior> {
        let of_numbers = self.each(dim)[0];
        match self {
            Self::DimensionScaledGamma | Self::DimensionScaledHeavy => {
                of_numbers.map(|prior| prior.stretched(NAMES))
            }
            _ => of_numbers,
        }
    }
}

/// What is assumed about the unknown function before a fit.
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GaussianProcess {
    pub(super) family: KernelFamily,
    pub(super) isotropic: bool,
    /// The parameter of each input, if several inputs are one parameter and share a lengthscale.
    #[cfg_attr(feature = "serde", serde(skip))]
    groups: Option<Arc<[usize]>>,
    /// Whether each parameter is a name or a flag; none is if there are fewer entries.
    #[cfg_attr(feature = "serde", serde(skip))]
    names: Arc<[bool]>,
    pub(super) mean: Mean,
    pub(super) noise: Noise,
    pub(super) priors: Priors,
    pub(super) lengthscale_bounds: (f64, f64),
    fixed: Option<(Vec<f64>, f64)>,
    pub(super) restarts: usize,
    pub(super) tolerance: f64,
    /// The largest number of evaluations of one climb.
    pub(super) evaluations: usize,
}

/// The largest number of evaluations of one climb.
const EVALUATIONS: usize = 200;

/// The prior on the variance of the latent function that tells whether a trial succeeds.
/// A prior for larger variances loses less on regions that always fail, and more on accidents.
/// Chosen by log loss and calibration on simulated regions, limits of a product, and accidents,
/// with 5 to 200 trials.
const SUCCESS_SCALE: Prior = Prior::Gamma { shape: 2.0, rate: 0.15 };

impl Default for GaussianProcess {
    fn default() -> Self {
        Self::new()
    }
}

impl GaussianProcess {
    /// Matern-5/2 with one lengthscale of at least 0.02 per input, a profiled mean, noise learned
    /// between 1e-10 and 1, and priors that suit the dimension ([`Priors::DimensionScaledGamma`]).
    pub fn new() -> Self {
        Self {
            family: KernelFamily::Matern52,
            isotropic: false,
            groups: None,
            names: Arc::new([]),
            mean: Mean::Profiled,
            noise: Noise::Learned { low: 1e-10, high: 1.0 },
            priors: Priors::DimensionScaledGamma,
            lengthscale_bounds: (2e-2, 1e3),
            fixed: None,
            restarts: 4,
            tolerance: 1e-6,
            evaluations: EVALUATIONS,
        }
    }

    /// Sets the kernel.
    pub fn kernel(mut self, family: KernelFamily) -> Self {
        self.family = family;
        self
    }

    /// Takes one lengthscale for all inputs.
    pub fn isotropic(mut self) -> Self {
        self.isotropic = true;
        self
    }

    /// Ties lengthscales: inputs of the same group, which are one parameter, have the same one.
    /// Groups are numbered from 0 on, in the order of the inputs. Also says which of them are names
    /// or flags.
    pub(crate) fn tied(mut self, groups: &[usize], names: &[bool]) -> Self {
        self.names = names.into();
        let each_its_own = groups.iter().enumerate().all(|(input, group)| input == *group);
        self.groups = (!each_its_own).then(|| groups.into());
        self
    }

    /// How many of `dim` inputs differ in what they mean: the number of groups, or `dim`.
    pub(super) fn parameters(&self, dim: usize) -> usize {
        self.groups.as_deref().and_then(<[usize]>::last).map_or(dim, |last| last + 1)
    }

    /// The number of lengthscales that are learned.
    pub(super) fn lengthscales(&self, dim: usize) -> usize {
        if self.isotropic { 1 } else { self.parameters(dim) }
    }

    /// Whether a lengthscale is that of names or flags.
    pub(super) fn is_of_names(&self, lengthscale: usize) -> bool {
        !self.isotropic && self.names.get(lengthscale).copied().unwrap_or(false)
    }

    /// The lengthscale of an input, among those that are learned.
    pub(super) fn lengthscale_of(&self, input: usize) -> usize {
        match &self.groups {
            _ if self.isotropic => 0,
            Some(groups) => groups[input],
            None => input,
        }
    }

    /// Sets the mean.
    pub fn mean(mut self, mean: Mean) -> Self {
        self.mean = mean;
        self
    }

    /// Sets the noise.
    pub fn noise(mut self, noise: Noise) -> Self {
        self.noise = noise;
        self
    }

    /// Sets the priors.
    pub fn priors(mut self, priors: Priors) -> Self {
        self.priors = priors;
        self
    }

    /// Sets the bounds on every lengthscale.
    pub fn lengthscale_bounds(mut self, low: f64, high: f64) -> Self {
        self.lengthscale_bounds = (low, high);
        self
    }

    /// Sets a known kernel by its `d` lengthscales and its variance. Nothing is searched for. A
    /// mean that is not fixed takes the value with the largest likelihood. The noise must be fixed
    /// too.
    pub fn fixed_kernel(mut self, lengthscales: Vec<f64>, outputscale: f64) -> Self {
        self.fixed = Some((lengthscales, outputscale));
        self
    }

    /// Sets the number of further starts of a cold fit.
    pub fn restarts(mut self, restarts: usize) -> Self {
        self.restarts = restarts;
        self
    }

    /// Sets the relative change of the objective (per observation) at which a climb has converged.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Limits the evaluations of the likelihood in one climb. The fit is then
    /// [`Limited`](crate::model::FitStatus::Limited), and a later one can continue from it.
    pub(crate) fn at_most(mut self, evaluations: usize) -> Self {
        self.evaluations = self.evaluations.min(evaluations);
        self
    }

    /// This model where outcomes have levels: the usual priors with a tail, so that the data may find an
    /// input irrelevant.
    pub(crate) fn of_levels(&self) -> Self {
        match self.priors {
            Priors::DimensionScaledGamma => self.clone().priors(Priors::DimensionScaledHeavy),
            _ => self.clone(),
        }
    }

    /// The model that takes turns with this one in many dimensions: the same without a prior on
    /// lengthscales. None unless this one has the priors that were set for no one in particular.
    pub(crate) fn without_lengthscale_prior(&self) -> Option<Self> {
        let usual = self.priors == Priors::DimensionScaledGamma && !self.knows_kernel();
        let [_, outputscale, noise] = self.priors.each(1);
        let priors = Priors::Custom { lengthscale: None, outputscale, noise };
        usual.then(|| self.clone().priors(priors))
    }

    /// The model of a latent function that tells whether a trial succeeds: the same kernel with
    /// priors of its own. Its mean follows from the share of successes.
    pub(super) fn of_success(&self, dim: usize) -> Self {
        let priors = Priors::Custom {
            lengthscale: Some(Prior::dimension_scaled_gamma(dim)),
            outputscale: Some(SUCCESS_SCALE),
            noise: None,
        };
        let mean = Mean::Fixed(0.0);
        let noise = Noise::Fixed(0.0);
        Self { mean, noise, priors, fixed: None, ..self.clone() }
    }

    /// Whether the mean follows from kernel and data.
    pub(crate) fn profiles_mean(&self) -> bool {
        self.mean == Mean::Profiled
    }

    /// Whether the kernel is known, so that nothing is searched for.
    pub(crate) fn knows_kernel(&self) -> bool {
        self.fixed.is_some()
    }

    /// The kernel in use.
    #[doc(hidden)]
    pub fn family(&self) -> KernelFamily {
        self.family
    }

    /// The hyper-parameters of a known kernel, and whether their mean is still to be profiled; none
    /// if the kernel is to be fitted.
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

    pub(super) fn validate(&self) -> Result<()> {
        let ordered = |name: &str, low: f64, high: f64| {
            if low <= high {
                Ok(())
            } else {
                Err(Error::new(
                    ErrorKind::InvalidSetting,
                    format!("{name}: the lower bound {low} exceeds the upper bound {high}"),
                ))
            }
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
