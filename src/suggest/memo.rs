//! Searches that were made since something was told.

use std::sync::{Mutex, PoisonError};

use crate::acquisition::Acquisition;
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::maximize::{Ended, Maximum};

/// Searches over what was told so far, with no trial under way. The same acquisition is searched
/// once. A verdict and the suggestion after it, or before it, ask for the same if the rule and the
/// policy have one price.
#[derive(Debug, Default)]
pub struct Memo {
    searched: Mutex<Vec<(Acquisition, Option<Maximum>)>>,
}

impl Memo {
    /// Forgets everything, since something was told.
    pub fn clear(&mut self) {
        self.searched.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// What was found before, or what the search finds until the deadline.
    pub(crate) fn or_search(
        &self,
        acquisition: &Acquisition,
        deadline: Deadline,
        search: impl FnOnce() -> Result<Option<Maximum>>,
    ) -> Result<Option<Maximum>> {
        let searched = || self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        // A search that was cut short is made again if there is time now.
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
