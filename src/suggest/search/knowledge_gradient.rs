//! What a search for the largest knowledge gradient scores.
//!
//! The knowledge gradient that is reported is the one in closed form over a finite set: over the
//! rows of a table or the points of a grid, and in a space over the points at which the search in
//! one shot found that the mean may become largest. The normal numbers of that search no longer
//! sway it. Parameters that are whole numbers are so at the root only.

use std::sync::Arc;

use crate::acquisition::{Acquisition, Joint};
use crate::backend::Job;
use crate::data::{Points, Space};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::maximize::Maximum;
use crate::suggest::known::{Known, fair_order};
use crate::suggest::search::scope::Scope;

/// Rows of a table, or points of a grid, whose means are looked at after an outcome: all of them,
/// or if there are more the half of this number with the largest means now and those with the
/// largest upper bounds.
const SET: usize = 1024;

/// The share of the time left that the search of the mean may take, which comes first; and that of
/// what is left when the search of roots ends, at which the roots found are scored once more.
pub(in crate::suggest) const MEAN: f64 = 0.15;
const ROOTS: f64 = 0.85;

/// Seconds for one product of a kernel value. A batch of roots begins with the kernel values of all
/// points that are looked at, with all data. They may take a fiftieth of the time left; those of a
/// few points are always made.
const SECONDS: f64 = 5e-10;
const SHARE: f64 = 0.02;
const FEWEST: usize = 32;

/// Standard deviations of the upper bound: a mean beyond it comes about once in a thousand
/// outcomes.
const BOUND: f64 = 3.0;

/// The knowledge gradient over the points of a finite domain, or over those of them at which the
/// mean may become largest.
///
/// # Errors
/// Those of the posterior.
pub(super) fn over_set(scope: &Scope<'_>, job: &Job<'_>, points: &Points) -> Result<Acquisition> {
    Ok(finite(subset(scope, job, points)?))
}

/// Searches the roots in a space: where the best of them are, and the knowledge gradient over the
/// points at which the mean may become largest.
///
/// # Errors
/// Those of the backend and of a known cost.
pub(super) fn over_space(
    scope: &Scope<'_>,
    space: &Space,
    job: &Job<'_>,
    hints: &Points,
) -> Result<(Maximum, Acquisition)> {
    let search = scope.part(ROOTS).maximize();
    let (maximum, mut among) = search.knowledge_gradient(scope.backend(), job, hints)?;
    // A root that was moved onto whole numbers may be where the mean becomes largest.
    if space.has_ints() {
        let mut snapped = maximum.finalists.clone();
        (0..snapped.len()).for_each(|row| space.snap(snapped.row_mut(row)));
        among.extend(&snapped);
    }
    // Its own maxima come first, best first.
    let among = among.select(0..among.len().min(affordable(job, scope.deadline)));
    Ok((maximum, finite(among)))
}

fn finite(among: Points) -> Acquisition {
    Joint::FiniteKnowledgeGradient { among: Arc::new(among) }.into()
}

/// How many points may be looked at after an outcome.
fn affordable(job: &Job<'_>, deadline: Deadline) -> usize {
    let Some(left) = deadline.left() else { return usize::MAX };
    // A kernel value takes as long as some sixteen products more than the distance.
    let each = SECONDS * job.posterior.len() as f64 * (job.posterior.dim() + 16) as f64;
    ((SHARE * left / each) as usize).max(FEWEST)
}

/// The points of a finite domain at which the mean may be largest after an outcome, [`SET`] at
/// most.
fn subset(scope: &Scope<'_>, job: &Job<'_>, points: &Points) -> Result<Points> {
    let Scope { seed, deadline, .. } = *scope;
    let most = SET.min(affordable(job, deadline));
    if points.len() <= most {
        return Ok(points.clone());
    }
    let order = fair_order(points.len(), (seed, deadline));
    let known = Known::new(job.posterior, points, order, deadline.part(MEAN))?;
    let bound = |at: usize| known.moments.mean[at] + BOUND * known.moments.variance[at].sqrt();
    let mut places: Vec<usize> = (0..known.rows.len()).collect();
    places.sort_by(|&a, &b| known.moments.mean[b].total_cmp(&known.moments.mean[a]));
    let half = places.len().min(most / 2);
    places[half..].sort_by(|&a, &b| bound(b).total_cmp(&bound(a)));
    Ok(points.select(places.into_iter().take(most).map(|at| known.rows[at])))
}
