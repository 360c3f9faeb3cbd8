//! The knowledge gradient of a step, with its numbers.

use crate::acquisition::{Acquisition, normals};
use crate::data::Observations;
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::Deadline;
use crate::suggest::search::{self, MEAN, Scope, neighborhood};
use crate::surrogate::{Setup, Surrogate, Taken};

/// Checks the number of fantasies of a knowledge gradient. A single fantasy would be the mean.
///
/// # Errors
/// [`ErrorKind::InvalidSetting`] if there are fewer than 2.
pub(crate) fn check_fantasies(fantasies: usize) -> Result<()> {
    if fantasies >= 2 {
        return Ok(());
    }
    let message = format!("the knowledge gradient needs at least 2 fantasies, got {fantasies}");
    Err(Error::new(ErrorKind::InvalidSetting, message))
}

/// The knowledge gradient in one shot, in the user's outcome units, for a search with this seed. It
/// has `fantasies` normal numbers. Its current value is the largest posterior mean over the whole
/// domain, including points that are taken or pending.
///
/// # Errors
/// Those of the backend.
pub(crate) fn acquisition(
    setup: &Setup,
    surrogate: &Surrogate,
    observations: &Observations,
    fantasies: usize,
    (seed, deadline): (u64, Deadline),
) -> Result<Acquisition> {
    let starts = neighborhood(surrogate, (observations, &setup.domain), seed);
    let nothing = Taken::default();
    let scope = Scope { setup, taken: &nothing, seed, deadline: deadline.part(MEAN) };
    let highest = search::best(&scope, &surrogate.job(&Acquisition::MEAN), &starts)?;
    // A table has at least one row.
    let highest = highest.map_or(surrogate.incumbent(), |found| found.mean);
    Ok(Acquisition::knowledge_gradient(normals(fantasies, seed), surrogate.scale().undo(highest)))
}
