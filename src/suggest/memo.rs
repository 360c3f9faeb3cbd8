//! The searches since the last observation.

use std::sync::{Mutex, PoisonError};

use crate::acquisition::Acquisition;
use crate::data::Points;
use crate::math::clock::Deadline;
use crate::maximize::{Ended, Maximum};

/// The searches since the last observation, without pending trials. An acquisition is searched only
/// once. A verdict and the next or previous suggestion need the same search if the rule and the
/// policy have the same price.
///
/// All of them have the same hints, so that what is found does not depend on which came first.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    searched: Mutex<Vec<(Acquisition, Option<Maximum>)>>,
    /// The hints of all searches since the last news, if points were suggested since.
    hints: Option<Points>,
}

impl Memo {
    /// Keeps the hints that were known before a point is suggested, the first since the last news.
    pub fn suggested(&mut self, hints: &Points) {
        self.hints.get_or_insert_with(|| hints.clone());
    }

    /// There is news: from here on the hints are those of the last search.
    pub fn on_event(&mut self) {
        self.hints = None;
    }

    /// The hints of each search, if points were suggested since the last news.
    pub fn hints(&self) -> Option<&Points> {
        self.hints.as_ref()
    }

    /// Forgets all searches, because the models changed.
    pub fn clear(&mut self) {
        self.searched.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The result of an earlier search. None if there was none, or if it was cut short and there is
    /// time now.
    pub fn get(&self, acquisition: &Acquisition, deadline: Deadline) -> Option<Option<Maximum>> {
        let searched = self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        let stands = |found: &Option<Maximum>| {
            found.as_ref().is_none_or(|found| found.ended == Ended::Finished) || deadline.is_past()
        };
        let found =
            searched.iter().rev().find(|(known, found)| known == acquisition && stands(found));
        found.map(|(_, found)| found.clone())
    }

    /// Keeps the result of a search.
    pub fn keep(&self, acquisition: &Acquisition, found: &Option<Maximum>) {
        let mut searched = self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        searched.push((acquisition.clone(), found.clone()));
    }
}
