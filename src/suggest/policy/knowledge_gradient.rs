//! The knowledge gradient of a step, with its numbers.

use crate::acquisition::{Acquisition, normals};
use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::Deadline;
use crate::suggest::search::{MEAN, Scope};
use crate::surrogate::{Taken, View};

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
pub(crate) fn acquisition(
    view: View<'_>,
    fantasies: usize,
    seed: u64,
    deadline: Deadline,
) -> Result<Acquisition> {
    let nothing = Taken::default();
    let scope = Scope { view, taken: &nothing, memo: None, seed, deadline: deadline.part(MEAN) };
    let highest = scope.best(&Acquisition::MEAN, &Points::new(view.setup.domain.dim()))?;
    // A table has at least one row.
    let highest = highest.map_or(view.surrogate.incumbent(), |found| found.mean);
    let scale = view.surrogate.scale();
    Ok(Acquisition::knowledge_gradient(normals(fantasies, seed), scale.undo(highest)))
}
