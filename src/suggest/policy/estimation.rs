//! The policy of an estimated maximum.

use std::borrow::Cow;

use crate::acquisition::MaximumEstimate;
use crate::acquisition::{Acquisition, Pointwise};
use crate::data::{Domain, Points};
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::Deadline;
use crate::maximize::FIRST;
use crate::suggest::known::{Known, fair_order};
use crate::suggest::step::{BEFORE, Step};
use crate::surrogate::{Setup, Stream, seed};

/// The standard deviation that a rule uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Deviation {
    /// That of the function. It is zero at points that were evaluated without noise.
    #[default]
    Latent,
    /// That of an observation, `sqrt(sigma^2 + noise)`.
    Predictive,
}

/// How [`Policy::estimation`](crate::Policy::estimation) estimates the maximum.
///
/// ```
/// use gittins::Policy;
/// use gittins::acquisition::MaximumEstimate;
/// use gittins::suggest::{Deviation, Estimation};
/// // As in the code of the paper.
/// let published = Estimation {
///     estimate: MaximumEstimate::NUMERICAL,
///     deviation: Deviation::Predictive,
///     points: 10_000,
/// };
/// assert!(Policy::estimation(published).validate().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Estimation {
    /// The estimate. Steps and offsets are in prior standard deviations of the fitted model, so
    /// they do not depend on the unit of the outcome.
    pub estimate: MaximumEstimate,
    /// The standard deviation in the estimate and in the score.
    pub deviation: Deviation,
    /// The number of points of the set over which the maximum is estimated: scrambled Sobol points,
    /// the same throughout a run. The estimate grows with this number. Over a table the set is all
    /// rows.
    pub points: usize,
}

impl Default for Estimation {
    /// The integral, the standard deviation of the function and 2048 points.
    fn default() -> Self {
        Self { estimate: MaximumEstimate::Integral, deviation: Deviation::Latent, points: 2048 }
    }
}

impl From<MaximumEstimate> for Estimation {
    fn from(estimate: MaximumEstimate) -> Self {
        Self { estimate, ..Self::default() }
    }
}

impl Estimation {
    /// Checks the settings.
    ///
    /// # Errors
    /// `Empty` if there is no point. Those of [`MaximumEstimate::validate`].
    pub(crate) fn validate(&self) -> Result<()> {
        if self.points == 0 {
            return Err(Error::new(
                ErrorKind::Empty,
                "the estimated maximum: a set of at least one point is needed, got 0",
            ));
        }
        self.estimate.validate()
    }

    /// The acquisition of a step, in the user's units. With a deadline the set is as large as time
    /// allows.
    pub(super) fn acquisition(&self, step: &Step<'_>) -> Result<Acquisition> {
        let posterior = step.view.surrogate.posterior();
        let seed = seed(step.view.setup.seed, Stream::Discretization, 0);
        let (set, order) = discretization(step.view.setup, self.points, seed, step.deadline);
        let moments = Known::new(posterior, &set, order, step.deadline.part(BEFORE))?.moments;
        let noise = match self.deviation {
            Deviation::Latent => 0.0,
            Deviation::Predictive => posterior.hyperparameters().noise,
        };
        let sd: Vec<f64> =
            moments.variance.iter().map(|variance| (variance + noise).sqrt()).collect();
        let unit = posterior.hyperparameters().outputscale.sqrt();
        let maximum = self.estimate.scaled(unit).maximum(
            &moments.mean,
            &sd,
            step.view.surrogate.incumbent(),
        )?;
        let scale = step.view.surrogate.scale();
        // The square of a large unit may overflow. The largest finite noise hides the function just
        // as well.
        let noise = scale.undo_difference(scale.undo_difference(noise)).min(f64::MAX);
        Ok(Acquisition::Pointwise(Pointwise::EstimatedMaximum {
            maximum: scale.undo(maximum),
            noise,
        }))
    }
}

/// Seconds per variable for the maximum of independent variables; an upper estimate.
const SECONDS: f64 = 2e-6;

/// The points at which an evaluation is possible, and the order in which to use them: the rows of a
/// table, or `points` scrambled Sobol points of a space. With a deadline, as many points as there
/// is time for when their maximum is estimated.
pub(super) fn discretization(
    setup: &Setup,
    points: usize,
    seed: u64,
    deadline: Deadline,
) -> (Cow<'_, Points>, Vec<usize>) {
    let most = deadline
        .part(BEFORE)
        .left()
        .map_or(usize::MAX, |left| (left / SECONDS) as usize)
        .max(FIRST);
    match &setup.domain {
        Domain::Table(table) => {
            let mut order = fair_order(table.len(), seed, deadline);
            order.truncate(most);
            (Cow::Borrowed(table.points()), order)
        }
        Domain::Space(space) => {
            let points = points.min(most);
            let mut set = setup.search.sequence(space.dim(), seed).points(0..points);
            (0..points).for_each(|i| space.snap(set.row_mut(i)));
            (Cow::Owned(set), (0..points).collect())
        }
    }
}
