//! A study beside the same one, made again from its events, which were written and read.

use std::fmt::Debug;

use gittins::study::Event;
use gittins::{ErrorKind, Result, Study};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::player::{Answer, Halt, attempt};
use crate::invariants::{Held, expected, must};
use crate::said::{Said, told};

const ALONG: usize = 4;

pub trait Kept {
    type Event: Serialize + DeserializeOwned + Debug;

    fn events(&self) -> &[Self::Event];

    fn shown(&self) -> String;
}

pub struct Pair<S> {
    pub study: S,
    again: Option<S>,
    /// How many more calls it goes along for.
    along: usize,
}

impl<S: Kept> Pair<S> {
    pub fn new(study: S) -> Self {
        Self { study, again: None, along: 0 }
    }

    /// A call with what is expected of it, and the same call of the study that was made again.
    pub fn attempt<T: Debug>(
        &mut self,
        faults: &[ErrorKind],
        excuses: &[ErrorKind],
        act: impl Fn(&mut S) -> Result<T>,
    ) -> Answer<T> {
        let result = attempt(|| act(&mut self.study))?;
        if let Some(again) = &mut self.again {
            let other = told(&attempt(|| act(again))?);
            let own = told(&result);
            must!(own == other, EventsAreTheStudy, "{own}\n  and made again {other}")?;
        }
        let kind = result.as_ref().err().map_or(ErrorKind::Data, gittins::Error::kind);
        expected(result, faults, excuses)?.ok_or(Halt::Refused(kind))
    }

    /// Makes the study again from its events. What it shows must be what the study shows, and what
    /// it says from now on what the study says.
    pub fn resume(&mut self, make: impl FnOnce(Vec<S::Event>) -> Result<S>) -> Answer {
        let events = self.study.events();
        let text = serde_json::to_string(events).map_err(|error| error.to_string());
        let read = text.and_then(|text| {
            serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))
        });
        let same = read.as_ref().is_ok_and(|read| format!("{read:?}") == format!("{events:?}"));
        must!(same, EventsAreTheStudy, "{read:?}\n  were {events:?}")?;
        let again = attempt(|| make(read.unwrap_or_default()))?;
        let Some(again) = expected(again, &[], &[])? else { return Err(Halt::Idle) };
        self.again = Some(again);
        self.along = ALONG;
        self.shows_the_same()?;
        Ok(Said::Taken)
    }

    /// The one that was made again goes its own way.
    pub fn part(&mut self) {
        self.again = None;
    }

    /// A step beside the study.
    pub fn go_along(&mut self) -> Held {
        if self.along == 0 {
            self.shows_the_same()?;
            self.again = None;
        }
        self.along = self.along.saturating_sub(1);
        Ok(())
    }

    fn shows_the_same(&self) -> Held {
        let Some(again) = &self.again else { return Ok(()) };
        let (own, other) = (self.study.shown(), again.shown());
        must!(own == other, EventsAreTheStudy, "{own}\n  and made again {other}")
    }
}

impl Kept for Study {
    type Event = Event;

    fn events(&self) -> &[Event] {
        self.events()
    }

    fn shown(&self) -> String {
        let mut rows = self.record().rows().to_vec();
        // By items what is believed of a trial that began after a fit has other last bits when it is
        // made again.
        for row in &mut rows {
            row.seconds = Default::default();
            row.believed = None;
        }
        let best = self.best().filter(|_| self.stages().is_none_or(|stages| !stages.are_items()));
        let money = (self.spent(), self.total_cost(), self.counts());
        format!("{rows:?} {:?} {best:?} {money:?}", self.history())
    }
}
