//! What came of a fit.

use crate::model::Hyperparameters;

/// How a fit ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
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
#[non_exhaustive]
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
