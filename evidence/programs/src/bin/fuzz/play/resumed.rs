//! The study made again from its events, which were written and read.

use gittins::Study;
use gittins::study::{Event, TrialState};

use crate::invariants::{Held, expected, must};
use crate::play::{Answer, Halt, Player, attempt};
use crate::said::Said;

/// For how many calls it goes along.
const ALONG: usize = 4;

impl Player<'_> {
    /// Makes the study again from its events. What it shows must be what the study shows, and what
    /// it says from now on what the study says.
    pub(super) fn resume(&mut self) -> Answer {
        let late = self.world.rule.as_ref().is_some_and(|rule| rule.goes_on_late());
        // Notes of what a trial has cost so far are no events.
        let noted = self.books.those(|entry| entry.noted && entry.state == TrialState::Pending);
        // Without time the machine decides.
        if late || self.strayed || !noted.is_empty() || self.world.is_hurried() {
            return Err(Halt::Idle);
        }
        self.again = None;
        let events = self.study.events();
        let text = serde_json::to_string(events).map_err(|error| error.to_string());
        let read = text.and_then(|text| {
            serde_json::from_str::<Vec<Event>>(&text).map_err(|error| format!("{error} in {text}"))
        });
        let same = read.as_ref().is_ok_and(|read| format!("{read:?}") == format!("{events:?}"));
        must!(same, EventsAreTheStudy, "{read:?}\n  were {events:?}")?;
        let read = read.unwrap_or_default();
        let again = attempt(|| self.world.settings(self.view)?.resume(read))?;
        let Some(again) = expected(again, &[], &[])? else { return Err(Halt::Idle) };
        self.shows_the_same(&again)?;
        (self.again, self.along) = (Some(again), ALONG);
        Ok(Said::Taken)
    }

    /// A step beside the study.
    pub(super) fn go_along(&mut self) -> Held {
        if let Some(again) = self.again.take_if(|_| self.along == 0) {
            self.shows_the_same(&again)?;
        }
        self.along = self.along.saturating_sub(1);
        Ok(())
    }

    fn shows_the_same(&self, again: &Study) -> Held {
        let (own, other) = (shown(&self.study), shown(again));
        must!(own == other, EventsAreTheStudy, "{own}\n  and made again {other}")
    }
}

/// All that a study shows but seconds.
fn shown(study: &Study) -> String {
    let mut rows = study.record().rows().to_vec();
    rows.iter_mut().for_each(|row| row.seconds = Default::default());
    let money = (study.spent(), study.total_cost(), study.counts());
    format!("{rows:?} {:?} {:?} {money:?}", study.history(), study.best())
}
