//! When hyperparameters are learned anew, and on how many observations.
//!
//! Up to [`OFTEN`] observations each outcome leads to a fit. Beyond that, one more outcome hardly
//! changes the hyperparameters, and a likelihood costs `O(n^3)`. So the next fit waits until the
//! observations beyond [`OFTEN`] have grown by a twentieth. It waits only for a hundredth after an
//! outcome that was nearly impossible under the model. Between fits, new observations are appended
//! to the factor, in `O(n^2)`.
//!
//! A fit continues from the last one. This warm start may be trapped near hyperparameters that
//! explained few observations. So when the observations have doubled since the last search from
//! scratch, the fit searches from scratch again and takes the better of both. Such a search uses at
//! most [`PART`] observations, because a part of the data shows which basin is right. The fit that
//! follows uses all observations. It makes few evaluations, and the next fit continues it. So no
//! step takes many times as long as its neighbors, not even the first one of a study that begins
//! with thousands of observations.
//!
//! Fits see at most [`SEEN`] observations, drawn evenly from all. More would hardly change the
//! hyperparameters, and a likelihood with its slopes takes the memory of five factors.

use crate::data::{Points, Scaling, is_rounding};
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::Deadline;
use crate::model::{Fit, FitStatus, GaussianProcess, Hyperparameters, KernelFamily};
use crate::posterior::Posterior;

/// Up to this number of observations, each outcome leads to a fit.
const OFTEN: usize = 100;
/// The inverse of the growth that leads to the next fit, as a share of the observations beyond
/// [`OFTEN`]; then the same after a surprise.
const GROWTH: usize = 20;
const SURPRISED_GROWTH: usize = 100;

/// An outcome is a surprise if it is this many standard deviations from its expectation.
const SURPRISE: f64 = 4.0;

/// The largest scaled value for which a scaling stays. The squares of larger values would drown all
/// others, and would overflow in the end.
const FAR: f64 = 1e6;

/// The largest number of observations in a fit.
const SEEN: usize = 1000;

/// The largest number of observations in a search from scratch.
const PART: usize = 300;

/// The largest numbers of evaluations of the likelihood of more than [`PART`] observations: in the
/// first fit, in one that continues the last one, and for the result of a search from scratch. In 8
/// to 32 dimensions the first fit of 1000 observations needs 12 to 16 to converge, and in 100 it is
/// within one of the maximum after 12. A climb that would go on is continued once, by the next fit.
const FIRST: usize = 12;
const WARM: usize = 6;
const COMPARED: usize = 2;

/// A fit, and what it was made with.
#[derive(Debug, Clone)]
pub(super) struct Fitted {
    pub fit: Fit,
    basis: Basis,
}

/// The data that a fit was made with, by which the next one is due.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Basis {
    /// Stays the same until the next fit: hyperparameters are in its units.
    scaling: Scaling,
    /// The number of values.
    at: usize,
    /// The number of values when a fit last searched from scratch.
    searched: usize,
    /// The number of values on which the hyperparameters were found. A time limit may allow only a
    /// part of the values.
    found_on: usize,
    /// Whether the climb ran out of time, or the first one out of evaluations. If so, the next fit
    /// comes with the next value and continues it.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "std::ops::Not::not"))]
    unfinished: bool,
    /// The number of values when the fit was last checked.
    seen: usize,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "std::ops::Not::not"))]
    surprised: bool,
}

/// The fits of a surrogate, as data for the next ones. A study that is read from a file goes on
/// from it with the same bits.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Kept {
    /// Of the outcome. None if its kernel is known.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub outcome: Option<KeptFit>,
    /// Of `ln c`. None while no cost is learned.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub cost: Option<KeptFit>,
    /// Of the slack of each limit. None while its number was not measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub slacks: Vec<Option<KeptFit>>,
    /// Of each objective beside the outcome, likewise.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub objectives: Vec<Option<KeptFit>>,
}

/// The error of a fit that was made before the study had this to learn.
pub(super) fn not_kept(what: &str) -> Error {
    Error::new(ErrorKind::InvalidSetting, format!("it was made without a model of {what}"))
}

/// A [`Fitted`] and its posterior, as data.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KeptFit {
    /// Those of standardized values, from which the next fit starts.
    found: Hyperparameters,
    /// Those of the posterior.
    used: Hyperparameters,
    /// How many inputs of the posterior were factored at once.
    built: usize,
    #[cfg_attr(feature = "serde", serde(flatten))]
    basis: Basis,
}

impl KeptFit {
    /// The posterior and the fit that were kept, of `n x d` inputs and their values in the user's
    /// units.
    ///
    /// # Errors
    /// Those of [`Posterior::new`].
    pub(super) fn restore(
        &self,
        family: KernelFamily,
        inputs: &Points,
        values: &[f64],
    ) -> Result<(Posterior, Fitted)> {
        let scaled: Vec<f64> =
            values.iter().map(|value| self.basis.scaling.apply(*value)).collect();
        Ok((self.posterior(family, inputs, &scaled)?, self.fitted()))
    }

    /// The posterior that was kept, of values in its own units.
    ///
    /// # Errors
    /// Those of [`restore`](Self::restore); `InvalidSetting` for a fit that was not made with these
    /// inputs.
    pub(super) fn posterior(
        &self,
        family: KernelFamily,
        inputs: &Points,
        values: &[f64],
    ) -> Result<Posterior> {
        let count = inputs.len();
        let fits = [self.basis.searched, self.basis.found_on, self.basis.seen]
            .iter()
            .all(|seen| *seen <= count);
        if !fits || self.built == 0 || self.basis.at > self.basis.seen {
            let message = format!("it was not made with {count} observations");
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        self.found.validate(inputs.dim())?;
        let built = self.built.min(count);
        let base = Posterior::new(family, &self.used, &inputs.select(0..built), &values[..built])?;
        if count == built {
            Ok(base)
        } else {
            base.grown(&self.used, inputs, values)
                .map_or_else(|| Posterior::new(family, &self.used, inputs, values), Ok)
        }
    }

    pub(super) fn fitted(&self) -> Fitted {
        Fitted { fit: Fit::given(self.found.clone()), basis: self.basis }
    }
}

/// The data of a fit: `n x d` inputs and their scaled values.
#[derive(Clone, Copy)]
pub(super) struct Scaled<'a> {
    pub inputs: &'a Points,
    pub values: &'a [f64],
}

impl Scaled<'_> {
    /// `count` of more observations, drawn evenly.
    fn evenly(&self, count: usize) -> (Points, Vec<f64>) {
        let rows = || (0..count).map(|i| i * self.values.len() / count);
        (self.inputs.select(rows()), rows().map(|row| self.values[row]).collect())
    }
}

impl Fitted {
    /// The data from which it and its posterior are made again.
    pub fn keep(&self, posterior: &Posterior) -> KeptFit {
        KeptFit {
            found: self.fit.hyperparameters.clone(),
            used: posterior.hyperparameters().clone(),
            built: posterior.built(),
            basis: self.basis,
        }
    }

    /// The fit of a known kernel, or with given hyperparameters.
    pub fn given(fit: Fit, scaling: Scaling, before: Option<&Self>, count: usize) -> Self {
        let searched = before
            .filter(|before| count < 2 * before.basis.searched)
            .map_or(count, |before| before.basis.searched);
        let basis = Basis {
            scaling,
            at: count,
            searched,
            found_on: count,
            unfinished: false,
            seen: count,
            surprised: false,
        };
        Self { fit, basis }
    }

    /// The next fit to `n x d` inputs and their scaled values.
    ///
    /// # Errors
    /// Those of the model, if there is no earlier fit to keep.
    pub fn next(
        model: &GaussianProcess,
        data: Scaled<'_>,
        scaling: Scaling,
        before: Option<&Self>,
        seed: u64,
        deadline: Deadline,
    ) -> Result<Self> {
        let count = data.values.len();
        // A kernel of low rank takes them all in linear time.
        let dense = model.family().rank(data.inputs.dim()).is_none();
        let part = (dense && count > SEEN).then(|| data.evenly(SEEN));
        let data = part.as_ref().map_or(data, |(inputs, values)| Scaled { inputs, values });
        let many = count > PART;
        let due = before.is_some_and(|before| count >= 2 * before.basis.searched);
        let evaluations = match before {
            _ if !many => usize::MAX,
            None => FIRST,
            Some(_) if due => COMPARED,
            Some(_) => WARM,
        };
        let made = |fit: Fit, searched: usize, found_on_before: usize| {
            // A climb that was cut short counts for half of its observations, so that another climb
            // continues it.
            let (saw, found_on, unfinished) = match fit.status {
                FitStatus::KEPT => (found_on_before, found_on_before, true),
                FitStatus::Deadline { observations, ended: true } => {
                    (observations, observations, false)
                }
                FitStatus::Deadline { observations, ended: false } => {
                    (observations, observations.div_ceil(2), true)
                }
                // No more than once: a climb without a prior may go on for ever.
                FitStatus::Limited if before.is_none() && fit.evaluations >= evaluations => {
                    (count, count, true)
                }
                _ => (count, count, false),
            };
            let basis = Basis {
                scaling,
                at: count,
                searched: searched.min(saw),
                found_on,
                unfinished,
                seen: count,
                surprised: false,
            };
            Self { fit, basis }
        };
        let Some(before) = before else {
            return Ok(made(from_scratch(model, data, evaluations, seed, deadline)?, count, 0));
        };
        // Those of standardized values, for any scaling.
        let last = &before.fit.hyperparameters;
        let warm = model
            .clone()
            .at_most(evaluations)
            .fit_until(
                data.inputs,
                data.values,
                Some((last, before.basis.found_on)),
                seed,
                deadline,
            )
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
            return Ok(made(warm, before.basis.searched, before.basis.found_on));
        }
        Ok(match from_scratch(model, data, evaluations, seed, deadline) {
            // The search remains due. Likelihoods of parts of the observations cannot be compared.
            Ok(fresh) if cut(&fresh) => made(warm, before.basis.searched, before.basis.found_on),
            // A failed fit has no likelihood. Any other result is better.
            Ok(fresh)
                if fresh.log_posterior > warm.log_posterior || warm.log_posterior.is_nan() =>
            {
                made(fresh, count, before.basis.found_on)
            }
            _ => made(warm, count, before.basis.found_on),
        })
    }

    /// The scaling of the values.
    pub fn scaling(&self) -> Scaling {
        self.basis.scaling
    }

    /// Whether there was no time for a fit.
    pub fn had_no_time(&self) -> bool {
        self.fit.status == FitStatus::KEPT
    }

    /// The earlier fit after a step without time for a new one. `count` is the number of values
    /// checked.
    pub fn without_time(mut self, status: FitStatus, count: usize) -> Self {
        self.fit.status = status;
        self.basis.seen = count;
        self
    }

    /// Checks the new observations and returns whether the fit stays. `values` are in the units of
    /// the posterior.
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
        if count < self.basis.seen {
            return Ok(false);
        }
        if !fits_scaling(&values[self.basis.seen..]) {
            return Ok(false);
        }
        let fresh = inputs.select(self.basis.seen..count);
        if !fresh.is_empty() {
            let moments = posterior.moments(&fresh)?;
            let noise = posterior.hyperparameters().noise;
            let beliefs = moments.mean.iter().zip(&moments.variance);
            let far = |((mean, variance), value): ((&f64, &f64), &f64)| {
                (value - mean).abs() > SURPRISE * (variance + noise).sqrt()
            };
            self.basis.surprised |= beliefs.zip(&values[self.basis.seen..]).any(far);
        }
        self.basis.seen = count;
        let growth = if self.basis.surprised { SURPRISED_GROWTH } else { GROWTH };
        Ok(!self.basis.unfinished
            && count - self.basis.at < 1 + self.basis.at.saturating_sub(OFTEN) / growth)
    }

    /// Whether the fit used all values with which it was last checked.
    pub fn is_fresh(&self) -> bool {
        self.basis.at == self.basis.seen
    }
}

/// The scaling of values whose own magnitude has no meaning, such as that of `ln c`, which depends on
/// the unit of cost. If all are equal, there is no standard deviation to scale by.
pub(super) fn scaling_of_any(values: &[f64]) -> Scaling {
    match values.first() {
        Some(&first) if values.iter().all(|value| is_rounding(*value, first)) => {
            Scaling { mean: first, sd: 1.0 }
        }
        _ => Scaling::standardize(values),
    }
}

/// Whether scaled values are small enough to keep the scaling.
pub(super) fn fits_scaling(scaled: &[f64]) -> bool {
    scaled.iter().all(|value| value.abs() <= FAR)
}

/// Converts hyperparameters from one scaling of the values to another. Uses the quotient of the two
/// standard deviations, because the square of a single one may overflow.
pub(super) fn between(found: &Hyperparameters, from: Scaling, to: Scaling) -> Hyperparameters {
    let mean = to.apply(from.undo(found.mean));
    let rescaled = found.rescaled(0.0, from.sd / to.sd);
    Hyperparameters {
        mean,
        outputscale: rescaled.outputscale.clamp(f64::MIN_POSITIVE, f64::MAX),
        ..rescaled
    }
}

/// Searches on a part of the observations if there are many, then on all with at most `evaluations`
/// evaluations. With a deadline the fit itself uses only as many observations as there is time for.
fn from_scratch(
    model: &GaussianProcess,
    data: Scaled<'_>,
    evaluations: usize,
    seed: u64,
    deadline: Deadline,
) -> Result<Fit> {
    let Scaled { inputs, values } = data;
    if values.len() <= PART || deadline.is_set() {
        return model.fit_until(inputs, values, None, seed, deadline);
    }
    let (some_inputs, some) = data.evenly(PART);
    let found = model.fit(&some_inputs, &some, None, seed)?;
    model.clone().at_most(evaluations).fit(inputs, values, Some(&found.hyperparameters), seed)
}
