//! The score in a search for the largest knowledge gradient.
//!
//! The reported knowledge gradient is the one in closed form over a finite set: the rows of a
//! table, the points of a grid, or in a space the points at which the mean may become largest
//! according to the search in one shot. So the normal numbers of that search do not influence the
//! reported value. Whole-number parameters are whole only at the root.

use std::sync::Arc;

use crate::acquisition::{Acquisition, Joint};
use crate::backend::Job;
use crate::data::{Points, Space};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::maximize::Maximum;
use crate::suggest::known::{Known, fair_order};
use crate::suggest::search::scope::Scope;

/// The largest number of rows of a table, or of points of a grid, whose means are computed after an
/// outcome. If there are more, half of this number are those with the largest means now, the rest
/// those with the largest upper bounds.
const SET: usize = 1024;

/// The share of the remaining time for the search of the mean, which comes first. Then the share
/// after which the search of roots ends; the found roots are then scored once more.
pub(in crate::suggest) const MEAN: f64 = 0.15;
const ROOTS: f64 = 0.85;

/// Seconds per product of a kernel value. A batch of roots begins with the kernel values of all
/// points of the set with all data. They may take a fiftieth of the remaining time. Those of a few
/// points are always computed.
const SECONDS: f64 = 5e-10;
const SHARE: f64 = 0.02;
const FEWEST: usize = 32;

/// Standard deviations of the upper bound. About one outcome in a thousand gives a mean beyond it.
const BOUND: f64 = 3.0;

impl Scope<'_> {
    /// The knowledge gradient over the points of a finite domain, or over those at which the mean
    /// may become largest, in place of one in one shot. None for other acquisitions.
    pub(super) fn over_set(&self, job: &Job<'_>, points: &Points) -> Result<Option<Acquisition>> {
        if !is_one_shot(job) {
            return Ok(None);
        }
        Ok(Some(finite(subset(self, job, points)?)))
    }

    /// Searches the roots in a space. Returns the best roots, and the knowledge gradient over the
    /// points at which the mean may become largest.
    pub(super) fn over_roots(
        &self,
        space: &Space,
        job: &Job<'_>,
        hints: &Points,
    ) -> Result<(Maximum, Option<Acquisition>)> {
        let search = self.part(ROOTS).maximize();
        let (maximum, mut among) = search.knowledge_gradient(self.backend(), job, hints)?;
        // The mean may become largest at a root that was moved onto whole numbers.
        if space.has_cells() {
            let mut snapped = maximum.finalists.clone();
            (0..snapped.len()).for_each(|row| space.snap(snapped.row_mut(row)));
            among.extend(&snapped);
        }
        // The mean's own maxima come first, best first.
        let among = among.select(0..among.len().min(affordable(job, self.deadline)));
        Ok((maximum, Some(finite(among))))
    }
}

/// Whether the acquisition is a knowledge gradient in one shot. In the end the knowledge gradient
/// over a finite set is scored in its place.
pub(super) fn is_one_shot(job: &Job<'_>) -> bool {
    matches!(job.acquisition, Acquisition::Joint(Joint::KnowledgeGradient { .. }))
}

fn finite(among: Points) -> Acquisition {
    Joint::FiniteKnowledgeGradient { among: Arc::new(among) }.into()
}

/// The number of points that there is time to consider after an outcome.
fn affordable(job: &Job<'_>, deadline: Deadline) -> usize {
    let Some(left) = deadline.left() else { return usize::MAX };
    // A kernel value takes about sixteen products more than its distance.
    let each = SECONDS * job.posterior.rows() as f64 * (job.posterior.dim() + 16) as f64;
    ((SHARE * left / each) as usize).max(FEWEST)
}

/// The points of a finite domain at which the mean may be largest after an outcome, at most
/// [`SET`].
fn subset(scope: &Scope<'_>, job: &Job<'_>, points: &Points) -> Result<Points> {
    let Scope { seed, deadline, .. } = *scope;
    let most = SET.min(affordable(job, deadline));
    if points.len() <= most {
        return Ok(points.clone());
    }
    let order = fair_order(points.len(), seed, deadline);
    let known = Known::new(job.posterior, points, order, deadline.part(MEAN))?;
    let bound = |at: usize| known.moments.mean[at] + BOUND * known.moments.variance[at].sqrt();
    let mut places: Vec<usize> = (0..known.rows.len()).collect();
    places.sort_by(|&a, &b| known.moments.mean[b].total_cmp(&known.moments.mean[a]));
    let half = places.len().min(most / 2);
    places[half..].sort_by(|&a, &b| bound(b).total_cmp(&bound(a)));
    Ok(points.select(places.into_iter().take(most).map(|at| known.rows[at])))
}
