//! The model of a number that is measured beside the outcome.

use std::sync::Arc;

use crate::data::Points;
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::posterior::Posterior;
use crate::surrogate::outcome_model::{end_of_fit, extended};
use crate::surrogate::refit::{Fitted, KeptFit, Scaled, scaling_of_any};
use crate::surrogate::setup::Setup;
use crate::surrogate::streams::{Stream, seed};

/// A Gaussian process of some numbers, in their own units: the outcome's model with its priors, fitted
/// to standardized numbers and anew as often ([`refit`](crate::surrogate::refit)).
#[derive(Debug, Clone)]
pub(super) struct NumberModel {
    pub posterior: Arc<Posterior>,
    fitted: Fitted,
}

/// Numbers and where they were measured. `place` tells their random numbers from those of others.
pub(super) struct Numbers {
    pub inputs: Points,
    pub values: Vec<f64>,
    pub place: usize,
    /// How many trials were told, with or without such a number.
    pub told: usize,
}

impl NumberModel {
    /// The model of these numbers, of which there is at least one.
    ///
    /// # Errors
    /// Those of the model, if there is no earlier fit to keep.
    pub fn learn(
        setup: &Setup,
        numbers: &Numbers,
        before: Option<&Self>,
        deadline: Deadline,
    ) -> Result<Self> {
        let Numbers { inputs, values, place, told } = numbers;
        let model = &setup.model;
        let stay = |fitted: Fitted, posterior: &Posterior| {
            let posterior = extended(posterior, inputs, values, model.profiles_mean())?;
            Ok(Self { posterior: Arc::new(posterior), fitted })
        };
        if let Some(Self { posterior, fitted }) = before {
            let mut fitted = fitted.clone();
            if fitted.stays(posterior, inputs, values)? {
                return stay(fitted, posterior);
            }
        }
        let scaling = scaling_of_any(values);
        let standardized: Vec<f64> = values.iter().map(|&value| scaling.apply(value)).collect();
        let before_fit = before.map(|before| &before.fitted);
        let end = end_of_fit(setup, deadline, inputs, before_fit);
        let own = seed(setup.seed, Stream::NumberFit, *place);
        let fit_seed = seed(own, Stream::NumberFit, *told);
        let scaled = Scaled { inputs, values: &standardized };
        let fitted = Fitted::next(model, scaled, scaling, before_fit, fit_seed, end)?;
        if let Some(kept) = before.filter(|_| fitted.had_no_time()) {
            let fit = kept.fitted.clone().without_time(fitted.fit.status, values.len());
            return stay(fit, &kept.posterior);
        }
        let found = fitted.fit.hyperparameters.rescaled(scaling.mean, scaling.sd);
        let posterior = Posterior::new(model.family(), &found, inputs, values)?;
        Ok(Self { posterior: Arc::new(posterior), fitted })
    }

    /// The model that was kept with these numbers, to the bit.
    ///
    /// # Errors
    /// Those of [`KeptFit::posterior`].
    pub fn restored(setup: &Setup, numbers: &Numbers, kept: &KeptFit) -> Result<Self> {
        let posterior = kept.posterior(setup.model.family(), &numbers.inputs, &numbers.values)?;
        Ok(Self { posterior: Arc::new(posterior), fitted: kept.fitted() })
    }

    /// The data from which it is [restored](Self::restored).
    pub fn keep(&self) -> KeptFit {
        self.fitted.keep(&self.posterior)
    }

    /// The variance of the noise of a number.
    pub fn noise(&self) -> f64 {
        self.posterior.hyperparameters().noise + self.posterior.jitter()
    }
}
