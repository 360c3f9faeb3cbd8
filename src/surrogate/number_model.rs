//! The model of a number that is measured beside the outcome.

use std::f64::consts::LN_2;
use std::sync::Arc;

use crate::data::{Points, Scaling};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::math::saturating::{difference, saturated, sum};
use crate::posterior::Posterior;
use crate::surrogate::outcome_model::{end_of_fit, extended};
use crate::surrogate::refit::{Fitted, KeptFit, Scaled};
use crate::surrogate::setup::Setup;
use crate::surrogate::streams::{Stream, seed};

/// A Gaussian process of some numbers: the outcome's model with its priors, fitted to standardized numbers
/// and anew as often ([`refit`](crate::surrogate::refit)). The posterior is in the numbers' own
/// [`Unit`].
#[derive(Debug, Clone)]
pub(super) struct NumberModel {
    pub posterior: Arc<Posterior>,
    fitted: Fitted,
}

/// The unit of a posterior: 1, unless squares of numbers that vary so much or so little would leave double
/// precision. Then it is the power of two with this exponent, so that no number is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit(i32);

/// Deviations up to `2^300` and from `2^-300` on, about `1e90`, have squares, and volumes of three of them.
const SQUARED: i32 = 300;

/// This many deviations from the mean of a fit keep squares finite.
const FAR: f64 = 1e100;

impl Unit {
    fn of(scaling: Scaling) -> Self {
        let (_, exponent) = libm::frexp(scaling.sd);
        Self(if exponent.abs() > SQUARED { exponent } else { 0 })
    }

    /// A number in this unit.
    pub fn apply(self, number: f64) -> f64 {
        saturated(libm::ldexp(number, -self.0))
    }

    /// The logarithm of the unit.
    pub fn ln(self) -> f64 {
        f64::from(self.0) * LN_2
    }

    /// A product with the unit, at most the largest number.
    pub fn times(self, number: f64) -> f64 {
        saturated(libm::ldexp(number, self.0))
    }
}

/// Numbers and where they were measured. `place` tells their random numbers from those of others.
pub(super) struct Numbers {
    pub inputs: Points,
    pub values: Vec<f64>,
    /// How they are standardized.
    pub scaling: fn(&[f64]) -> Scaling,
    pub place: usize,
    /// How many trials were told, with or without such a number.
    pub told: usize,
}

impl Numbers {
    /// The numbers in the unit of a fit. What is farther from its mean than [`FAR`] is told after it and
    /// has no unit there: until the next fit all of that is the same.
    fn in_unit_of(&self, scaling: Scaling) -> Vec<f64> {
        let unit = Unit::of(scaling);
        let far = saturated(FAR * scaling.sd);
        let [low, high] = [difference(scaling.mean, far), sum(scaling.mean, far)];
        self.values.iter().map(|value| unit.apply(value.clamp(low, high))).collect()
    }
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
        let Numbers { inputs, values, scaling, place, told } = numbers;
        let model = &setup.model;
        let stay = |fitted: Fitted, posterior: &Posterior| {
            let values = numbers.in_unit_of(fitted.scaling());
            let posterior = extended(posterior, inputs, &values, model.profiles_mean())?;
            Ok(Self { posterior: Arc::new(posterior), fitted })
        };
        if let Some(before) = before {
            let mut fitted = before.fitted.clone();
            if fitted.stays(&before.posterior, inputs, &numbers.in_unit_of(fitted.scaling()))? {
                return stay(fitted, &before.posterior);
            }
        }
        let scaling = scaling(values);
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
        let unit = Unit::of(scaling);
        let [mean, sd] = [scaling.mean, scaling.sd].map(|number| unit.apply(number));
        let found = fitted.fit.hyperparameters.rescaled(mean, sd);
        let posterior =
            Posterior::new(model.family(), &found, inputs, &numbers.in_unit_of(scaling))?;
        Ok(Self { posterior: Arc::new(posterior), fitted })
    }

    /// The model that was kept with these numbers, to the bit.
    ///
    /// # Errors
    /// Those of [`KeptFit::posterior`].
    pub fn restored(setup: &Setup, numbers: &Numbers, kept: &KeptFit) -> Result<Self> {
        let fitted = kept.fitted();
        let values = numbers.in_unit_of(fitted.scaling());
        let posterior = kept.posterior(setup.model.family(), &numbers.inputs, &values)?;
        Ok(Self { posterior: Arc::new(posterior), fitted })
    }

    /// The data from which it is [restored](Self::restored).
    pub fn keep(&self) -> KeptFit {
        self.fitted.keep(&self.posterior)
    }

    /// The unit of its posterior.
    pub fn unit(&self) -> Unit {
        Unit::of(self.fitted.scaling())
    }

    /// The variance of the noise of a number.
    pub fn noise(&self) -> f64 {
        self.posterior.hyperparameters().noise + self.posterior.jitter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_numbers_have_the_unit_one_and_no_other_rounds_them() {
        for sd in [1e-80, 1.0, 3.7, 1e80] {
            assert_eq!(Unit::of(Scaling { mean: 0.0, sd }), Unit(0));
        }
        for sd in [f64::MIN_POSITIVE, 3e-200, 7e154, f64::MAX] {
            let unit = Unit::of(Scaling { mean: 0.0, sd });
            assert!((0.5..1.0).contains(&unit.apply(sd)) && unit.times(unit.apply(sd)) == sd);
            assert!((unit.ln() - sd.ln()).abs() < 1.0);
        }
    }
}
