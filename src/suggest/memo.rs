//! The searches since the last observation.

use std::sync::{Mutex, PoisonError};

use crate::acquisition::Acquisition;
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::maximize::{Ended, Maximum};

/// The searches since the last observation, without pending trials. An acquisition is searched only
/// once. A verdict and the next or previous suggestion need the same search if the rule and the
/// policy have the same price.
#[derive(Debug, Default)]
pub struct Memo {
    searched: Mutex<Vec<(Acquisition, Option<Maximum>)>>,
}

impl Memo {
    /// Forgets everything, because there is a new observation.
    pub fn clear(&mut self) {
        self.searched.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The earlier result, or the result of a search until the deadline.
    pub(crate) fn or_search(
        &self,
        acquisition: &Acquisition,
        deadline: Deadline,
        search: impl FnOnce() -> Result<Option<Maximum>>,
    ) -> Result<Option<Maximum>> {
        let searched = || self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        // A search that was cut short is repeated if there is time now.
        let stands = |found: &Option<Maximum>| {
            found.as_ref().is_none_or(|found| found.ended == Ended::Finished) || deadline.is_past()
        };
        if let Some((_, found)) =
            searched().iter().rev().find(|(known, found)| known == acquisition && stands(found))
        {
            return Ok(found.clone());
        }
        let found = search()?;
        searched().push((acquisition.clone(), found.clone()));
        Ok(found)
    }
}
