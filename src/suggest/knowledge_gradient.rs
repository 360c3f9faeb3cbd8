//! The knowledge gradient of a run: its numbers, and the search for its best point.

use std::sync::Arc;

use crate::acquisition::Acquisition;
use crate::acquisition::knowledge_gradient::normals;
use crate::backend::Job;
use crate::data::{Domain, Observations, Points};
use crate::error::{Error, ErrorKind, Result};
use crate::suggest::candidates::{self, Found, neighborhood};
use crate::suggest::finalists::grid;
use crate::suggest::{Setup, Surrogate, Taken};

/// Rows of a table, or points of a grid, whose means are looked at after an outcome: all of them, or if there are more the half of this number with the
/// largest means now and those with the largest upper bounds.
const SET: usize = 1024;

/// Standard deviations of the upper bound: a mean beyond it comes about once in a thousand outcomes.
const BOUND: f64 = 3.0;

/// The fantasies of a knowledge gradient, of which one alone would be the mean.
pub(crate) fn check_fantasies(fantasies: usize) -> Result<()> {
    if fantasies >= 2 {
        return Ok(());
    }
    let message = format!("the knowledge gradient needs at least 2 fantasies, got {fantasies}");
    Err(Error::new(ErrorKind::InvalidSetting, message))
}

/// The knowledge gradient in one shot, in the user's outcome units, for a search with this seed: `fantasies` normal numbers, and the largest posterior
/// mean over the whole domain, whatever was evaluated or is under way.
pub(crate) fn acquisition(
    setup: &Setup,
    surrogate: &Surrogate,
    observations: &Observations,
    fantasies: usize,
    seed: u64,
) -> Result<Acquisition> {
    let mean = Acquisition::UpperConfidenceBound { beta: 0.0 };
    let starts = neighborhood(surrogate, observations, seed);
    let highest = candidates::search(setup, &surrogate.job(&mean), &Taken::default(), &starts, seed)?;
    // A table has a row.
    let highest = highest.map_or(surrogate.incumbent(), |found| found.mean);
    Ok(Acquisition::knowledge_gradient(normals(fantasies, seed), surrogate.scaling().undo(highest)))
}

/// The best root. What is reported is the knowledge gradient in closed form over a finite set: over the rows of a table or the points of a grid, and in a
/// space over the points where the search in one shot found that the mean may become largest, which the normal numbers of that search no longer sway.
/// Parameters that are whole numbers are so at the root only.
pub(super) fn search(setup: &Setup, job: &Job<'_>, taken: &Taken, hints: &Points, seed: u64) -> Result<Option<Found>> {
    let over = |among: Points| Acquisition::FiniteKnowledgeGradient { among: Arc::new(among) };
    match &setup.domain {
        Domain::Table(table) => {
            let acquisition = over(subset(job, table.points())?);
            candidates::search_table(setup, table, &Job { acquisition: &acquisition, ..*job }, taken)
        }
        Domain::Space(space) => {
            if let Some(grid) = grid(space) {
                let acquisition = over(subset(job, &grid)?);
                return candidates::search_grid(setup, space, &grid, &Job { acquisition: &acquisition, ..*job }, taken).map(Some);
            }
            let (maximum, mut among) = candidates::maximize(setup, seed).knowledge_gradient(&*setup.backend, job, hints)?;
            // A root that was moved onto whole numbers may be where the mean becomes largest.
            if space.has_ints() {
                let mut snapped = maximum.finalists.clone();
                (0..snapped.len()).for_each(|row| space.snap(snapped.row_mut(row)));
                among.extend(&snapped);
            }
            let acquisition = over(among);
            candidates::settle(setup, space, &Job { acquisition: &acquisition, ..*job }, taken, (hints, seed), maximum).map(Some)
        }
    }
}

/// The points of a finite domain that the mean may be largest at after an outcome, [`SET`] at most.
fn subset(job: &Job<'_>, points: &Points) -> Result<Points> {
    if points.len() <= SET {
        return Ok(points.clone());
    }
    let moments = job.posterior.moments(points)?;
    let bound = |row: usize| moments.mean[row] + BOUND * moments.variance[row].sqrt();
    let mut rows: Vec<usize> = (0..points.len()).collect();
    rows.sort_by(|&a, &b| moments.mean[b].total_cmp(&moments.mean[a]));
    rows[SET / 2..].sort_by(|&a, &b| bound(b).total_cmp(&bound(a)));
    Ok(points.select(rows.into_iter().take(SET)))
}
