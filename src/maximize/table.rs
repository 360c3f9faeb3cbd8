//! The best row of a finite table.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use crate::backend::top_k::best_first;
use crate::backend::{Backend, Cpu, Job, Provenance, Scores};
use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::{Deadline, Pace};
use crate::maximize::{Ended, first_batch};

/// A candidate of a finite table.
#[derive(Debug, Clone)]
pub struct BestRow {
    /// Its row.
    pub row: usize,
    /// The acquisition value there.
    pub value: f64,
    /// The posterior mean there.
    pub mean: f64,
    /// The posterior variance there.
    pub variance: f64,
    /// Who scored the table: the same as below, unless it was a device.
    pub shortlist: Provenance,
    /// Who made the value reported, always in double precision on the host.
    pub provenance: Provenance,
    /// Whether all rows were scored, or the deadline came first.
    pub ended: Ended,
    /// How many were.
    pub scored: usize,
}

/// Rows that are scored again on the host where a device scored the table: more than ever differ by
/// less than its rounding, unless they are equal.
pub(crate) const SHORTLIST: usize = 32;

/// The best row among those not taken, the first of equals; `None` if all are taken. It is exactly
/// the best where the backend's numbers are double precision made on the host; otherwise it is
/// exactly the best of the 32 that the backend finds best, scored again on the host.
///
/// # Errors
/// What the backend reports; [`ErrorKind::Dimension`] unless there is one flag per row.
pub fn argmax(
    backend: &dyn Backend,
    job: &Job<'_>,
    rows: &Points,
    taken: &[bool],
) -> Result<Option<BestRow>> {
    if rows.len() != taken.len() {
        return Err(Error::new(
            ErrorKind::Dimension,
            format!("{} flags for {} rows", taken.len(), rows.len()),
        ));
    }
    let free: Vec<usize> = (0..rows.len()).filter(|&row| !taken[row]).collect();
    among(backend, job, rows, &free)
}

/// The same until a deadline: rows are scored in an order that the seed draws, so that those
/// reached in time are a fair sample of all; the first few (32 of most acquisitions) even when the
/// time is up.
///
/// # Errors
/// As for [`argmax`].
pub fn argmax_until(
    backend: &dyn Backend,
    job: &Job<'_>,
    rows: &Points,
    taken: &[bool],
    (deadline, seed): (Deadline, u64),
) -> Result<Option<BestRow>> {
    if !deadline.is_set() || rows.len() != taken.len() {
        return argmax(backend, job, rows, taken);
    }
    let mut free: Vec<usize> = (0..rows.len()).filter(|&row| !taken[row]).collect();
    free.shuffle(&mut Pcg64::seed_from_u64(seed));
    let (mut best, first): (Option<BestRow>, usize) = (None, first_batch(job));
    let before = |a: &BestRow, b: &BestRow| best_first((a.value, a.row), (b.value, b.row)).is_lt();
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
    Ok(best.map(|best| BestRow { ended, scored, ..best }))
}

/// The best of some rows; `None` of none.
fn among(
    backend: &dyn Backend,
    job: &Job<'_>,
    rows: &Points,
    free: &[usize],
) -> Result<Option<BestRow>> {
    if free.is_empty() {
        return Ok(None);
    }
    let subset = |chosen: &[usize]| rows.select(chosen.iter().copied());
    let mut scores = Scores::default();
    backend.evaluate(
        &Job { gradient: false, keep: Some(SHORTLIST), ..*job },
        &subset(free),
        &mut scores,
    )?;
    let mut listed: Vec<usize> = scores.rows.iter().map(|&row| free[row]).collect();
    let shortlist = scores.provenance.clone();
    if !shortlist.is_host_double() {
        listed.sort_unstable();
        Cpu.evaluate(&Job { gradient: false, keep: None, ..*job }, &subset(&listed), &mut scores)?;
    }
    let best = (0..listed.len())
        .min_by(|&a, &b| best_first((scores.value[a], listed[a]), (scores.value[b], listed[b])));
    Ok(best.map(|at| BestRow {
        row: listed[at],
        value: scores.value[at],
        mean: scores.mean[at],
        variance: scores.variance[at],
        shortlist,
        provenance: scores.provenance.clone(),
        ended: Ended::Finished,
        scored: free.len(),
    }))
}
