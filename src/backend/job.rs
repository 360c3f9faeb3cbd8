//! What a backend is to evaluate.

use std::fmt;

use crate::acquisition::{Acquisition, Joint, UsableForm};
use crate::data::{PointCost, Points};
use crate::error::{Error, ErrorKind, Result};
use crate::model::check_finite;
use crate::posterior::{Pending, Posterior, Usable};

/// The cost in a job.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum JobCost<'a> {
    /// The same cost everywhere.
    Uniform(f64),
    /// A function of the point, evaluated on the host.
    Known(&'a dyn PointCost),
    /// A posterior of `ln c`.
    Learned(&'a Posterior),
}

#[cfg(feature = "gpu")]
impl<'a> JobCost<'a> {
    /// The posterior of `ln c`, if the cost is learned.
    pub(super) fn posterior(&self) -> Option<&'a Posterior> {
        match *self {
            Self::Learned(posterior) => Some(posterior),
            Self::Uniform(_) | Self::Known(_) => None,
        }
    }
}

impl JobCost<'_> {
    /// Checks the cost beside an outcome's posterior with this many inputs.
    fn validate(&self, outcome: usize) -> Result<()> {
        match *self {
            Self::Uniform(cost) if !(cost > 0.0 && cost.is_finite()) => Err(Error::new(
                ErrorKind::NonPositiveCost,
                format!("the uniform cost must be positive and finite, got {cost}"),
            )),
            Self::Learned(posterior) if posterior.dim() != outcome => {
                let cost = posterior.dim();
                Err(Error::new(
                    ErrorKind::Dimension,
                    format!("the log-cost posterior has {cost} inputs and the outcome's {outcome}"),
                ))
            }
            _ => Ok(()),
        }
    }

    /// `ln E[c]` at points, which is `m + v/2` of a learned cost, and its gradients if they are wanted.
    ///
    /// # Errors
    /// Those of a known cost, and of [`Posterior::moments`].
    pub(crate) fn log_expected(
        &self,
        points: &Points,
        gradient: bool,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let (count, dim) = (points.len(), points.dim());
        let mut slopes = vec![0.0; if gradient { count * dim } else { 0 }];
        let values = match *self {
            Self::Uniform(cost) => vec![cost.ln(); count],
            Self::Known(function) => {
                let mut values = Vec::with_capacity(count);
                for (row, point) in points.rows().enumerate() {
                    let own = gradient.then(|| &mut slopes[row * dim..(row + 1) * dim]);
                    let cost = function.cost(point, own)?;
                    if gradient {
                        slopes[row * dim..(row + 1) * dim].iter_mut().for_each(|by| *by /= cost);
                    }
                    values.push(cost.ln());
                }
                values
            }
            Self::Learned(posterior) => {
                let moments = posterior.batch(points, gradient)?;
                let half = |(mean, variance): (&f64, &f64)| mean + 0.5 * variance;
                let both = moments.mean_gradient.iter().zip(&moments.variance_gradient);
                slopes.iter_mut().zip(both).for_each(|(by, both)| *by = half(both));
                moments.mean.iter().zip(&moments.variance).map(half).collect()
            }
        };
        Ok((values, slopes))
    }
}

impl fmt::Debug for JobCost<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform(cost) => f.debug_tuple("Uniform").field(cost).finish(),
            Self::Known(_) => f.debug_tuple("Known").finish_non_exhaustive(),
            Self::Learned(posterior) => f.debug_tuple("Learned").field(posterior).finish(),
        }
    }
}

/// What to evaluate. It names no device.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Job<'a> {
    /// The outcome's posterior.
    pub posterior: &'a Posterior,
    /// The cost.
    pub cost: JobCost<'a>,
    /// The acquisition function.
    pub acquisition: &'a Acquisition,
    /// The best outcome so far, in the posterior's units; larger is better.
    pub incumbent: f64,
    /// Whether gradients are wanted.
    pub gradient: bool,
    /// The noise variance of an outcome, in the posterior's units squared. With a positive number,
    /// improvements and the Gittins index measure what one noisy outcome can show: for a point of
    /// variance `v` they take `v / sqrt(v + noise)` as the standard deviation, by which the
    /// posterior mean will move. With 0 they measure the function itself, as published. Reported
    /// variances are always those of the function.
    pub noise: f64,
    /// Whether a trial may be used: it succeeds, and holds all limits. `None` if none is known to fail
    /// and there are no limits. A trial pays only if it may be used, and costs in any case:
    /// [`Pointwise::score_if_usable`](crate::Pointwise::score_if_usable) says how the
    /// probability enters. A positive knowledge gradient or multi-step improvement is multiplied by
    /// the probability at the point that is to be evaluated. Bounds, sample paths and distances to
    /// an estimated maximum ignore it.
    pub usable: Option<&'a Usable>,
    /// The pending trials, made together with the posterior by
    /// [`Posterior::with_pending`](crate::Posterior::with_pending); `None` if there are none.
    /// Improvements and the Gittins index then measure what a trial adds to the pending ones
    /// ([`Acquisition::uses_pending`](crate::Acquisition::uses_pending)). Other acquisitions have
    /// the pending trials at their posterior means.
    pub pending: Option<&'a Pending>,
    /// How many points to keep. `Some(k)` gives the scores of the `k` best points (of all, if there
    /// are fewer), best first. Of equal values the lower row comes first; NaN comes last. `None`
    /// gives the scores of all points in order.
    pub keep: Option<usize>,
}

impl<'a> Job<'a> {
    /// A job without gradients and without noise, whose scores are those of all points.
    ///
    /// ```
    /// use gittins::{Acquisition, Hyperparameters, Job, JobCost, KernelFamily, Points, Posterior};
    /// let inputs = Points::from_rows(1, vec![0.1, 0.5, 0.9])?;
    /// let hyperparameters =
    ///     Hyperparameters { lengthscales: vec![0.3], outputscale: 1.0, noise: 1e-6, mean: 0.0 };
    /// let family = KernelFamily::Matern52;
    /// let posterior = Posterior::new(family, &hyperparameters, &inputs, &[0.2, 1.0, -0.3])?;
    /// let acquisition = Acquisition::gittins(1e-3);
    /// let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 1.0).gradient(true);
    /// # let _ = job.validate()?;
    /// # Ok::<(), gittins::Error>(())
    /// ```
    pub fn new(
        posterior: &'a Posterior,
        cost: JobCost<'a>,
        acquisition: &'a Acquisition,
        incumbent: f64,
    ) -> Self {
        let (gradient, noise, usable, pending, keep) = (false, 0.0, None, None, None);
        Self { posterior, cost, acquisition, incumbent, gradient, noise, usable, pending, keep }
    }

    /// Another posterior of the outcome. The pending trials stay only if they were made with it.
    pub fn posterior(self, posterior: &'a Posterior) -> Self {
        let pending = self.pending.filter(|pending| pending.is_of(posterior));
        Self { posterior, pending, ..self }
    }

    /// Another cost.
    pub fn cost(self, cost: JobCost<'a>) -> Self {
        Self { cost, ..self }
    }

    /// Another acquisition.
    pub fn acquisition(self, acquisition: &'a Acquisition) -> Self {
        Self { acquisition, ..self }
    }

    /// Another incumbent.
    pub fn incumbent(self, incumbent: f64) -> Self {
        Self { incumbent, ..self }
    }

    /// With gradients, or without.
    pub fn gradient(self, gradient: bool) -> Self {
        Self { gradient, ..self }
    }

    /// Another [noise](Self#structfield.noise).
    pub fn noise(self, noise: f64) -> Self {
        Self { noise, ..self }
    }

    /// Another belief about whether a trial may be used.
    pub fn usable(self, usable: Option<&'a Usable>) -> Self {
        Self { usable, ..self }
    }

    /// Other pending trials.
    pub fn pending(self, pending: Option<&'a Pending>) -> Self {
        Self { pending, ..self }
    }

    /// The best points only, or all.
    pub fn keep(self, keep: Option<usize>) -> Self {
        Self { keep, ..self }
    }
}

impl<'a> Job<'a> {
    /// Checks everything that needs no point.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] and the like from the acquisition.
    /// [`ErrorKind::InvalidSetting`] if `keep` is zero, or if the pending trials were made with
    /// another posterior. [`ErrorKind::NonFinite`] if the incumbent
    /// is not finite. [`ErrorKind::NonPositiveCost`] if a uniform cost is not positive.
    /// [`ErrorKind::Dimension`] if a log-cost posterior or a sample path has another dimension.
    pub fn validate(&self) -> Result<()> {
        self.acquisition.validate()?;
        if let Some(path) =
            self.acquisition.path().filter(|path| path.dim() != self.posterior.dim())
        {
            let (sampled, outcome) = (path.dim(), self.posterior.dim());
            return Err(Error::new(
                ErrorKind::Dimension,
                format!(
                    "the sample path has {sampled} inputs and the outcome's posterior {outcome}"
                ),
            ));
        }
        if !self.incumbent.is_finite() {
            return Err(Error::new(
                ErrorKind::NonFinite,
                format!("the incumbent is {}", self.incumbent),
            ));
        }
        if !(self.noise >= 0.0 && self.noise.is_finite()) {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                format!("the noise of the job must be finite and at least 0, got {}", self.noise),
            ));
        }
        if self.keep == Some(0) {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                "keep: at least one point is to be kept, got 0",
            ));
        }
        if self.pending.is_some_and(|pending| !pending.is_of(self.posterior)) {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                "the pending trials of the job were made with another posterior",
            ));
        }
        let outcome = self.posterior.dim();
        if let Some(other) = self.usable.and_then(|usable| usable.other_dim(outcome)) {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!(
                    "a model of whether a trial may be used has {other} inputs and the outcome's {outcome}"
                ),
            ));
        }
        self.cost.validate(outcome)?;
        match self.acquisition {
            Acquisition::Joint(Joint::FiniteKnowledgeGradient { among }) => self
                .posterior
                .check(among)
                .map_err(|error| error.at("the set of the knowledge gradient")),
            _ => Ok(()),
        }
    }

    /// Whether a trial may be used, if the acquisition looks at it.
    pub(super) fn use_counts(&self) -> Option<&'a Usable> {
        self.usable.filter(|_| self.acquisition.heeds_usable())
    }

    /// Whether values are indices at the price `c / P`. They fall without end where the trial can
    /// hardly be used.
    pub(crate) fn falls_steeply(&self) -> bool {
        self.use_counts().is_some() && self.acquisition.facts().usable == UsableForm::Price
    }

    /// The posterior that tells about success, if the acquisition looks at it and it is all that
    /// counts.
    #[cfg(feature = "gpu")]
    pub(super) fn latent(&self) -> Option<&'a Posterior> {
        self.use_counts().and_then(Usable::only_success)
    }

    /// Whether limits on measured numbers count.
    #[cfg(feature = "gpu")]
    pub(super) fn is_limited(&self) -> bool {
        self.use_counts().is_some() && self.latent().is_none()
    }

    /// The pending trials, if the acquisition looks at them.
    pub(super) fn pending_trials(&self) -> Option<&'a Pending> {
        self.pending.filter(|_| self.acquisition.uses_pending())
    }

    /// The noise that the acquisition foresees; 0 if it does not measure an improvement.
    pub(super) fn foreseen_noise(&self) -> f64 {
        if self.acquisition.foresees_noise() { self.noise } else { 0.0 }
    }

    /// Checks a batch. Its rows hold as many points as the acquisition scores together.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] if the rows have another length. [`ErrorKind::NonFinite`] if a
    /// number is not finite; the error names the row.
    pub fn check(&self, points: &Points) -> Result<()> {
        let (together, dim) = (self.acquisition.points(), self.posterior.dim());
        if together == 1 {
            return self.posterior.check(points);
        }
        if points.dim() != together * dim {
            let (name, got) = (self.acquisition.name(), points.dim());
            return Err(Error::new(
                ErrorKind::Dimension,
                format!(
                    "acquisition {name}: expected rows of {together} points of {dim} coordinates side by side, got rows of {got} numbers"
                ),
            ));
        }
        check_finite(points)
    }
}
