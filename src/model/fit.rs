//! The result of a fit.

use crate::model::Hyperparameters;

/// How a fit ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FitStatus {
    /// The optimizer converged.
    Converged,
    /// The optimizer ran out of evaluations, or no step helped any more. The best point is used.
    Limited,
    /// The fit found nothing better than the hyper-parameters from before (in a first fit: than the
    /// centers of the priors). These are kept. The text says why.
    KeptPrevious(String),
    /// The deadline came first. The best point until then is used.
    Deadline {
        /// The number of observations that the fit saw, drawn evenly. If it is 0, there was no time
        /// to see any, and the hyper-parameters from before (in a first fit: the centers of the
        /// priors) are kept.
        observations: usize,
        /// Whether the climb on these observations ended by itself.
        ended: bool,
    },
    /// Nothing was fitted: the hyper-parameters were given.
    Given,
}

impl FitStatus {
    /// There was no time for a fit.
    #[doc(hidden)]
    pub const KEPT: Self = Self::Deadline { observations: 0, ended: false };
}

/// A fit.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Fit {
    /// The hyper-parameters that were found.
    pub hyperparameters: Hyperparameters,
    /// The log marginal likelihood of these; NaN if the fit failed, if nothing was fitted, or if
    /// the fit saw only a part of the observations.
    pub log_marginal_likelihood: f64,
    /// The same plus the logarithms of the priors' densities; NaN in the same cases.
    pub log_posterior: f64,
    /// The number of evaluations of the likelihood, including those on a part of the data.
    pub evaluations: usize,
    /// How it ended.
    pub status: FitStatus,
}

impl Fit {
    /// Hyper-parameters that were found before. Their likelihood was not computed.
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

    /// A fit of a known kernel, with the likelihood of its profiled mean.
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

    /// A fit that the deadline ended: found on a part of the observations, or kept from before.
    pub(super) fn cut(
        hyperparameters: Hyperparameters,
        status: FitStatus,
        evaluations: usize,
    ) -> Self {
        Self { evaluations, status, ..Self::given(hyperparameters) }
    }
}
