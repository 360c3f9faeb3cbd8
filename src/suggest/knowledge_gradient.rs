//! The knowledge gradient of a run: its numbers, and the search for its best point.

use std::sync::Arc;

use crate::acquisition::normals;
use crate::acquisition::{Acquisition, Joint, Pointwise};
use crate::backend::Job;
use crate::data::{Domain, Observations, Points};
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::Deadline;
use crate::suggest::candidates::{self, Found, neighborhood};
use crate::suggest::finalists::grid;
use crate::suggest::known::{Known, fair_order};
use crate::suggest::{Setup, Surrogate, Taken};

/// Rows of a table, or points of a grid, whose means are looked at after an outcome: all of them,
/// or if there are more the half of this number with the largest means now and those with the
/// largest upper bounds.
const SET: usize = 1024;

/// The share of the time left that the search of the mean may take, which comes first; and that of
/// what is left when the search of roots ends, at which the roots found are scored once more.
const MEAN: f64 = 0.15;
const ROOTS: f64 = 0.85;

/// Seconds for a number of kernel values: a batch of roots begins with those of all points that are
/// looked at, with all data. They may take a fiftieth of the time left, and always those of a few
/// points.
const SECONDS: f64 = 5e-10;
const SHARE: f64 = 0.02;
const FEWEST: usize = 32;

/// Standard deviations of the upper bound: a mean beyond it comes about once in a thousand
/// outcomes.
const BOUND: f64 = 3.0;

/// The fantasies of a knowledge gradient, of which one alone would be the mean.
pub(crate) fn check_fantasies(fantasies: usize) -> Result<()> {
    if fantasies >= 2 {
        return Ok(());
    }
    let message = format!("the knowledge gradient needs at least 2 fantasies, got {fantasies}");
    Err(Error::new(ErrorKind::InvalidSetting, message))
}

/// The knowledge gradient in one shot, in the user's outcome units, for a search with this seed:
/// `fantasies` normal numbers, and the largest posterior mean over the whole domain, whatever was
/// evaluated or is under way.
pub(crate) fn acquisition(
    setup: &Setup,
    surrogate: &Surrogate,
    observations: &Observations,
    fantasies: usize,
    (seed, deadline): (u64, Deadline),
) -> Result<Acquisition> {
    let mean = Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 0.0 });
    let starts = neighborhood(surrogate, observations, seed);
    let highest = candidates::search(
        setup,
        &surrogate.job(&mean),
        &Taken::default(),
        &starts,
        (seed, deadline.part(MEAN)),
    )?;
    // A table has a row.
    let highest = highest.map_or(surrogate.incumbent(), |found| found.mean);
    Ok(Acquisition::knowledge_gradient(normals(fantasies, seed), surrogate.scaling().undo(highest)))
}

/// The best root. What is reported is the knowledge gradient in closed form over a finite set: over
/// the rows of a table or the points of a grid, and in a space over the points where the search in
/// one shot found that the mean may become largest, which the normal numbers of that search no
/// longer sway. Parameters that are whole numbers are so at the root only.
pub(super) fn search(
    setup: &Setup,
    job: &Job<'_>,
    taken: &Taken,
    hints: &Points,
    (seed, deadline): (u64, Deadline),
) -> Result<Option<Found>> {
    let over = |among: Points| {
        Acquisition::Joint(Joint::FiniteKnowledgeGradient { among: Arc::new(among) })
    };
    match &setup.domain {
        Domain::Table(table) => {
            let acquisition = over(subset(job, table.points(), (seed, deadline))?);
            candidates::search_table(
                setup,
                table,
                &Job { acquisition: &acquisition, ..*job },
                taken,
                (seed, deadline),
            )
        }
        Domain::Space(space) => {
            if let Some(grid) = grid(space) {
                let acquisition = over(subset(job, &grid, (seed, deadline))?);
                let job = Job { acquisition: &acquisition, ..*job };
                return candidates::search_grid(
                    setup,
                    (space, &grid),
                    &job,
                    taken,
                    (seed, deadline),
                )
                .map(Some);
            }
            let search = candidates::maximize(setup, seed, deadline.part(ROOTS));
            let (maximum, mut among) = search.knowledge_gradient(&*setup.backend, job, hints)?;
            // A root that was moved onto whole numbers may be where the mean becomes largest.
            if space.has_ints() {
                let mut snapped = maximum.finalists.clone();
                (0..snapped.len()).for_each(|row| space.snap(snapped.row_mut(row)));
                among.extend(&snapped);
            }
            // Its own maxima come first, best first.
            let acquisition = over(among.select(0..among.len().min(affordable(job, deadline))));
            let job = Job { acquisition: &acquisition, ..*job };
            candidates::settle(setup, space, &job, taken, (hints, seed, deadline), maximum)
                .map(Some)
        }
    }
}

/// How many points may be looked at after an outcome.
fn affordable(job: &Job<'_>, deadline: Deadline) -> usize {
    let Some(left) = deadline.left() else { return usize::MAX };
    // A kernel value takes as long as some sixteen products more than the distance.
    let each = SECONDS * job.posterior.len() as f64 * (job.posterior.dim() + 16) as f64;
    ((SHARE * left / each) as usize).max(FEWEST)
}

/// The points of a finite domain that the mean may be largest at after an outcome, [`SET`] at most.
fn subset(job: &Job<'_>, points: &Points, (seed, deadline): (u64, Deadline)) -> Result<Points> {
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
