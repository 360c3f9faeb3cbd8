//! When hyper-parameters are learned anew, and on how many observations.
//!
//! Up to [`OFTEN`] observations each outcome leads to a fit. Beyond, one more outcome hardly moves
//! hyper-parameters, and a likelihood costs `O(n^3)`: a fit is made once the observations have
//! grown by a twentieth of what is beyond, or by a hundredth if an outcome came that the model
//! thought all but impossible. In between they are appended to the factor, in `O(n^2)`. A fit goes
//! on from the last one. Whenever the observations have doubled since a fit last searched from
//! scratch, it does so again, and the better of both is taken: what explained a few observations
//! best may trap a warm start. Such a search sees [`PART`] observations at most, since which basin
//! is the right one shows on a part of the data; what follows sees all. It makes few evaluations,
//! and the next fit goes on: so no step takes many times as long as its neighbors.

use crate::data::{Points, Scaling};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::model::{Fit, FitStatus, GaussianProcess, Hyperparameters};
use crate::posterior::Posterior;

/// Observations up to which each outcome leads to a fit.
const OFTEN: usize = 100;
/// The share of the observations beyond by which they grow until the next fit, and that if there
/// was a surprise.
const GROWTH: usize = 20;
const SURPRISED_GROWTH: usize = 100;

/// Deviations of an outcome from what was expected of it that are a surprise.
const SURPRISE: f64 = 4.0;

/// Scaled values beyond this are not what the scaling was made for: their squares would leave
/// nothing of the others, and in the end be no numbers.
const FAR: f64 = 1e6;

/// Observations that a search from scratch sees at most.
const PART: usize = 300;

/// Evaluations of the likelihood of more than [`PART`] observations that one fit makes at most: of
/// one that goes on from the last, and of what a search from scratch found.
const WARM: usize = 6;
const COMPARED: usize = 2;

/// A fit, the scaling of the values that it was made to, and how many these were.
#[derive(Debug, Clone)]
pub(super) struct Fitted {
    pub fit: Fit,
    /// Stays as it is until the next fit: hyper-parameters are in its units.
    pub scaling: Scaling,
    at: usize,
    /// The number of values when a fit last searched from scratch.
    searched: usize,
    /// On how many values the hyper-parameters were found: a time limit may have left time for a
    /// part of them only.
    found_on: usize,
    /// Whether there was no time to end the climb: the next fit goes on at once.
    unfinished: bool,
    /// The number of values that it was looked at with.
    seen: usize,
    surprised: bool,
}

impl Fitted {
    /// A known kernel's, or one whose hyper-parameters were given.
    pub fn given(fit: Fit, scaling: Scaling, before: Option<&Self>, count: usize) -> Self {
        let searched = before
            .filter(|before| count < 2 * before.searched)
            .map_or(count, |before| before.searched);
        Self {
            fit,
            scaling,
            at: count,
            searched,
            found_on: count,
            unfinished: false,
            seen: count,
            surprised: false,
        }
    }

    /// The next fit to `n x d` inputs and their scaled values.
    ///
    /// # Errors
    /// Those of the model, if there is nothing from before to keep.
    pub fn next(
        model: &GaussianProcess,
        (inputs, scaled, scaling): (&Points, &[f64], Scaling),
        before: Option<&Self>,
        (seed, deadline): (u64, Deadline),
    ) -> Result<Self> {
        let count = scaled.len();
        let made = |fit: Fit, searched: usize, found_on_before: usize| {
            // A climb that was cut short counts for half of what it saw, so that another one goes
            // on from there.
            let (saw, found_on, unfinished) = match fit.status {
                FitStatus::KEPT => (found_on_before, found_on_before, true),
                FitStatus::Deadline { observations, ended: true } => {
                    (observations, observations, false)
                }
                FitStatus::Deadline { observations, ended: false } => {
                    (observations, observations.div_ceil(2), true)
                }
                _ => (count, count, false),
            };
            Self {
                fit,
                scaling,
                at: count,
                searched: searched.min(saw),
                found_on,
                unfinished,
                seen: count,
                surprised: false,
            }
        };
        let Some(before) = before else {
            return Ok(made(
                from_scratch(model, (inputs, scaled), usize::MAX, (seed, deadline))?,
                count,
                0,
            ));
        };
        let due = count >= 2 * before.searched;
        let many = count > PART;
        // Of standardized values, whatever their scaling was.
        let last = &before.fit.hyperparameters;
        let warm_model = if many {
            model.clone().at_most(if due { COMPARED } else { WARM })
        } else {
            model.clone()
        };
        let warm = warm_model
            .fit_until(inputs, scaled, Some((last, before.found_on)), seed, deadline)
            .unwrap_or_else(|error| {
                log::warn!("a fit failed and kept the hyper-parameters from before: {error}");
                Fit {
                    hyperparameters: last.clone(),
                    status: FitStatus::KeptPrevious(error.to_string()),
                    ..before.fit.clone()
                }
            });
        let cut = |fit: &Fit| matches!(fit.status, FitStatus::Deadline { .. });
        if !due || cut(&warm) {
            return Ok(made(warm, before.searched, before.found_on));
        }
        Ok(match from_scratch(model, (inputs, scaled), COMPARED, (seed, deadline)) {
            // It remains due; of a part of the observations no likelihood is known to compare.
            Ok(fresh) if cut(&fresh) => made(warm, before.searched, before.found_on),
            // A failed fit has no likelihood, and anything found beats it.
            Ok(fresh)
                if fresh.log_posterior > warm.log_posterior || warm.log_posterior.is_nan() =>
            {
                made(fresh, count, before.found_on)
            }
            _ => made(warm, count, before.found_on),
        })
    }

    /// Whether there was no time for a fit.
    pub fn had_no_time(&self) -> bool {
        self.fit.status == FitStatus::KEPT
    }

    /// What stays of it if there was no time for another fit, looked at with so many values.
    pub fn without_time(mut self, status: FitStatus, count: usize) -> Self {
        (self.fit.status, self.seen) = (status, count);
        self
    }

    /// Looks at what was told since, `values` in the units of the posterior, and says whether the
    /// fit stays as it is.
    ///
    /// # Errors
    /// Those of [`Posterior::moments`].
    pub fn stays(
        &mut self,
        posterior: &Posterior,
        inputs: &Points,
        values: &[f64],
    ) -> Result<bool> {
        let count = values.len();
        if count < self.seen {
            return Ok(false);
        }
        if !fits_scaling(&values[self.seen..]) {
            return Ok(false);
        }
        let fresh = inputs.select(self.seen..count);
        if !fresh.is_empty() {
            let moments = posterior.moments(&fresh)?;
            let noise = posterior.hyperparameters().noise;
            let beliefs = moments.mean.iter().zip(&moments.variance);
            let far = |((mean, variance), value): ((&f64, &f64), &f64)| {
                (value - mean).abs() > SURPRISE * (variance + noise).sqrt()
            };
            self.surprised |= beliefs.zip(&values[self.seen..]).any(far);
        }
        self.seen = count;
        let growth = if self.surprised { SURPRISED_GROWTH } else { GROWTH };
        Ok(!self.unfinished && count - self.at < 1 + self.at.saturating_sub(OFTEN) / growth)
    }

    /// Whether it was made to all values that it was looked at with.
    pub fn is_fresh(&self) -> bool {
        self.at == self.seen
    }
}

/// Whether scaled values are of a size that the scaling may stay for.
pub(super) fn fits_scaling(scaled: &[f64]) -> bool {
    scaled.iter().all(|value| value.abs() <= FAR)
}

/// Hyper-parameters of values under one scaling, for the same values under another. By the quotient
/// of the deviations: the square of one alone may be no number.
pub(super) fn between(found: &Hyperparameters, from: Scaling, to: Scaling) -> Hyperparameters {
    let mean = to.apply(from.undo(found.mean));
    let rescaled = found.rescaled(0.0, from.sd / to.sd);
    Hyperparameters {
        mean,
        outputscale: rescaled.outputscale.clamp(f64::MIN_POSITIVE, f64::MAX),
        ..rescaled
    }
}

/// Searched for on a part of the observations if there are many, and then on all with so many
/// evaluations at most. With a deadline the fit itself sees to it that it looks at no more than
/// there is time for.
fn from_scratch(
    model: &GaussianProcess,
    (inputs, scaled): (&Points, &[f64]),
    evaluations: usize,
    (seed, deadline): (u64, Deadline),
) -> Result<Fit> {
    let count = scaled.len();
    if count <= PART || deadline.is_set() {
        return model.fit_until(inputs, scaled, None, seed, deadline);
    }
    let rows = || (0..PART).map(|i| i * count / PART);
    let some: Vec<f64> = rows().map(|row| scaled[row]).collect();
    let found = model.fit(&inputs.select(rows()), &some, None, seed)?;
    model.clone().at_most(evaluations).fit(inputs, scaled, Some(&found.hyperparameters), seed)
}
