//! The policy of max-value entropy search: samples of the maximum, made anew at each step.

use nalgebra::DMatrix;

use crate::acquisition::IndependentMaximum;
use crate::acquisition::{Acquisition, CostForm, Pointwise};
use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::{Deadline, Pace};
use crate::maximize::FIRST;
use crate::posterior::Paths;
use crate::suggest::known::Known;
use crate::suggest::policy::estimation::discretization;
use crate::suggest::step::{BEFORE, Step};
use crate::surrogate::Stream;

/// The number of points of the set per input of a space, and the largest number of points.
const POINTS_PER_INPUT: usize = 1000;
const MOST_POINTS: usize = 8000;

/// Samples lie at least this many standard deviations above the mean at the data.
const LIFT: f64 = 5.0;

/// The number of data points in the set if there is a deadline: those at which the mean may be
/// largest.
const DATA: usize = 32;

/// The number of features of a sample path.
const FEATURES: usize = 1024;

/// Where samples of the maximum come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum MaximaSource {
    /// The Gumbel distribution with the quartiles of the maximum of independent variables over the
    /// set ([`IndependentMaximum::gumbel`]). It is cheap. It is too large if neighbors are strongly
    /// correlated.
    #[default]
    Gumbel,
    /// The largest value over the set of one [sample path](crate::posterior::Paths) each. It
    /// follows the posterior.
    Paths,
}

/// How [`Policy::max_value_entropy`](crate::Policy::max_value_entropy) samples the maximum, and by
/// what it divides the information.
///
/// The maximum is taken over a set. In a space of `d` inputs the set is `1000 d` scrambled Sobol
/// points (at most 8000), new at each step. In a table it is the rows. The data join the set. Under
/// a time limit the set is as large as there is time for.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MaxValueEntropy {
    /// The number of samples of the maximum at each step.
    pub samples: usize,
    /// The source of the samples.
    pub source: MaximaSource,
    /// The power of the cost by which the information is divided. 0 ignores the cost. 1 gives nats
    /// per unit of cost. The published baseline of multi-fidelity MES divides by `max(c, 0.01)`;
    /// set such a floor in the study's cost.
    pub exponent: f64,
    /// The divisor for a learned cost.
    pub form: CostForm,
}

impl Default for MaxValueEntropy {
    /// Ten samples from the Gumbel distribution, ignoring the cost.
    fn default() -> Self {
        Self { samples: 10, source: MaximaSource::Gumbel, exponent: 0.0, form: CostForm::default() }
    }
}

impl MaxValueEntropy {
    /// Nats per unit of cost.
    pub fn per_cost() -> Self {
        Self { exponent: 1.0, ..Self::default() }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// `Empty` if there is no sample. Those of [`Acquisition::validate`] for the exponent.
    pub(crate) fn validate(&self) -> Result<()> {
        if self.samples == 0 {
            return Err(Error::new(
                ErrorKind::Empty,
                "max-value entropy: at least one sample of the maximum is needed, got 0",
            ));
        }
        Acquisition::Pointwise(Pointwise::MaxValueEntropy {
            maxima: [0.0].into(),
            exponent: self.exponent,
            form: self.form,
        })
        .validate()
    }

    /// The acquisition of a step, its maxima in the user's units.
    ///
    /// A sample below the known values at the data would make the information there infinite. So
    /// the samples are raised to at least five standard deviations above the largest mean at the
    /// data. (The code of Wang & Jegelka 2017 raises them to five standard deviations of the noise
    /// above the best outcome. The standard deviation of the function at a data point is at most
    /// that of the noise.)
    pub(super) fn acquisition(&self, step: &Step<'_>) -> Result<Acquisition> {
        let posterior = step.view.surrogate.posterior();
        let part = step.deadline.part(BEFORE);
        let (least, data) = if part.is_set() {
            let largest = posterior.largest_at_data(LIFT, posterior.len(), part)?;
            (
                largest.value.max(largest.rest),
                posterior.inputs().select(largest.rows.into_iter().take(DATA)),
            )
        } else {
            let data = posterior.moments(posterior.inputs())?;
            let at_data = data.mean.iter().zip(&data.variance);
            (
                at_data
                    .map(|(mean, variance)| mean + LIFT * variance.sqrt())
                    .fold(f64::MIN, f64::max),
                posterior.inputs().clone(),
            )
        };
        let count = step.progress.dim.saturating_mul(POINTS_PER_INPUT).min(MOST_POINTS);
        let seed = step.seed(Stream::Discretization);
        let (set, order) = discretization(step.view.setup, count, seed, step.deadline);
        let mut set = set.into_owned();
        let before = set.len();
        set.extend(&data);
        // The data come first if there is not time for all points.
        let data = before..set.len();
        let order: Vec<usize> = if part.is_set() {
            data.chain(order).collect()
        } else {
            order.into_iter().chain(data).collect()
        };
        let seed = step.seed(Stream::Policy);
        let draws = match self.source {
            MaximaSource::Gumbel => {
                let moments = Known::new(posterior, &set, order, part)?.moments;
                let sd: Vec<f64> =
                    moments.variance.iter().map(|variance| variance.sqrt()).collect();
                IndependentMaximum::new(&moments.mean, &sd)?.gumbel().draws(self.samples, seed)
            }
            MaximaSource::Paths => {
                largest(&Paths::draw(posterior, FEATURES, self.samples, seed)?, &set, &order, part)?
            }
        };
        let maxima = draws
            .into_iter()
            .map(|draw| step.view.surrogate.scale().undo(draw.max(least)))
            .collect();
        Ok(Acquisition::Pointwise(Pointwise::MaxValueEntropy {
            maxima,
            exponent: self.exponent,
            form: self.form,
        }))
    }
}

/// The largest value of each path over a set, or over as much of it as there is time for.
fn largest(paths: &Paths, set: &Points, order: &[usize], deadline: Deadline) -> Result<Vec<f64>> {
    let of = |values: DMatrix<f64>| {
        values
            .row_iter()
            .map(|path| path.iter().copied().fold(f64::MIN, f64::max))
            .collect::<Vec<f64>>()
    };
    if !deadline.is_set() {
        return Ok(of(paths.values(set)?));
    }
    let mut largest = vec![f64::MIN; paths.len()];
    Pace::new(FIRST).batches(order.len(), deadline, FIRST, |next| -> Result<()> {
        let values = of(paths.values(&set.select(order[next].iter().copied()))?);
        largest.iter_mut().zip(values).for_each(|(largest, value)| *largest = value.max(*largest));
        Ok(())
    })?;
    Ok(largest)
}
