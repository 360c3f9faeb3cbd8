//! The best row of a finite table.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use crate::backend::best_first;
use crate::backend::{Backend, Job, Scores};
use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::{Deadline, Pace};
use crate::maximize::maximum::{Ended, Maximum};
use crate::maximize::pace::first_batch;
use crate::maximize::two_phase::TwoPhase;

/// The number of rows that the host scores again if a device scored the table. Never more rows than
/// this differ by less than the device's rounding, unless they are equal.
pub(crate) const SHORTLIST: usize = 32;

/// The best row among those not taken; of equal rows the first. `None` if all rows are taken.
///
/// If the backend's numbers are double precision from the host, the result is exactly the best row.
/// Otherwise it is exactly the best of the 32 rows that the backend ranks highest, scored again on
/// the host.
///
/// # Errors
/// Those of the backend. [`ErrorKind::Dimension`] unless there is one flag per row.
pub fn argmax(
    backend: &dyn Backend,
    job: &Job<'_>,
    rows: &Points,
    taken: &[bool],
) -> Result<Option<Maximum>> {
    among(backend, job, rows, &free(rows, taken)?)
}

/// [`argmax`] until a deadline, and of equal rows one by chance: a model often knows rows alike, and
/// where they stand in a table says nothing. Rows are scored in a random order fixed by the seed, so
/// the rows reached in time are a fair sample of all. The first few rows (32 for most acquisitions)
/// are scored even if the time is up.
///
/// # Errors
/// Those of [`argmax`].
pub fn argmax_until(
    backend: &dyn Backend,
    job: &Job<'_>,
    rows: &Points,
    taken: &[bool],
    deadline: Deadline,
    seed: u64,
) -> Result<Option<Maximum>> {
    let mut free = free(rows, taken)?;
    free.shuffle(&mut Pcg64::seed_from_u64(seed));
    if !deadline.is_set() {
        return among(backend, job, rows, &free);
    }
    let (mut best, first): (Option<Maximum>, usize) = (None, first_batch(job));
    let before = |a: &Maximum, b: &Maximum| best_first((a.value, 1), (b.value, 0)).is_lt();
    let scored = Pace::new(first).batches(free.len(), deadline, first, |next| {
        let found = among(backend, job, rows, &free[next])?;
        if let Some(found) =
            found.filter(|found| best.as_ref().is_none_or(|best| before(found, best)))
        {
            best = Some(found);
        }
        Ok(())
    })?;
    let ended = if scored < free.len() { Ended::Deadline } else { Ended::Finished };
    Ok(best.map(|best| Maximum { ended, evaluations: scored, ..best }))
}

/// The rows that are not taken.
fn free(rows: &Points, taken: &[bool]) -> Result<Vec<usize>> {
    if rows.len() != taken.len() {
        return Err(Error::new(
            ErrorKind::Dimension,
            format!("{} flags for {} rows", taken.len(), rows.len()),
        ));
    }
    Ok((0..rows.len()).filter(|&row| !taken[row]).collect())
}

/// The best of some rows, of equal ones the first of them; `None` if there are no rows.
fn among(
    backend: &dyn Backend,
    job: &Job<'_>,
    rows: &Points,
    free: &[usize],
) -> Result<Option<Maximum>> {
    if free.is_empty() {
        return Ok(None);
    }
    let subset = |chosen: &[usize]| rows.select(chosen.iter().copied());
    let mut phases = TwoPhase::new(backend);
    let mut scores = Scores::default();
    let keep = job.gradient(false).keep(Some(SHORTLIST));
    let settled = phases.ask(&keep, &subset(free), &mut scores)?;
    let mut listed = scores.rows.clone();
    if !settled {
        listed.sort_unstable();
        let rows = listed.iter().map(|&at| free[at]).collect::<Vec<_>>();
        phases.ask_host(&keep.keep(None), &subset(&rows), &mut scores)?;
    }
    let best = (0..listed.len())
        .min_by(|&a, &b| best_first((scores.value[a], listed[a]), (scores.value[b], listed[b])));
    let Some(at) = best else { return Ok(None) };
    let Scores { value, mean, variance, provenance, .. } = scores;
    let numbers = [value[at], mean[at], variance[at]];
    let row = free[listed[at]];
    Ok(Some(Maximum {
        row: Some(row),
        rounds: if settled { 1 } else { 2 },
        evaluations: free.len(),
        ..Maximum::at(rows.row(row).to_vec(), numbers, phases.provenance(provenance))
    }))
}
