//! What plays calls on a study of one kind, and what a call comes to.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use gittins::ErrorKind;
use gittins::study::TrialState;

use crate::calls::{Call, Whom};
use crate::invariants::{Break, Held, Invariant, broken};
use crate::said::Said;
use crate::trial_log::TrialLog;

thread_local! {
    /// Whether a panic of this thread is caught and told of.
    pub static ATTEMPTING: Cell<bool> = const { Cell::new(false) };
    /// Where the last panic of this thread happened: the hook of `main` puts it here.
    pub static PANICKED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What something does, or where it panicked.
pub fn attempt<T>(act: impl FnOnce() -> T) -> Held<T> {
    let outer = ATTEMPTING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(act));
    ATTEMPTING.set(outer);
    result.map_err(|payload| {
        let message = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned());
        let place = PANICKED.with_borrow(Clone::clone);
        broken(Invariant::NoPanic, format!("{} {place}", message.unwrap_or_default()))
    })
}

/// Why a call has no answer.
pub enum Halt {
    Broken(Break),
    /// The study refused it, as it should, or may.
    Refused(ErrorKind),
    /// There is nothing that it could be about.
    Idle,
}

impl From<Break> for Halt {
    fn from(broken: Break) -> Self {
        Self::Broken(broken)
    }
}

/// What a call comes to.
pub type Answer<T = Said> = std::result::Result<T, Halt>;

/// A study of some kind with its log.
pub trait Player {
    /// Makes a call, and checks what came back.
    fn answer(&mut self, call: &Call) -> Answer;

    /// Everything that the study shows against the log.
    fn check(&mut self) -> Held;
}

/// One of several trials, if there is one.
pub fn one_of(trials: &[usize], which: usize) -> Answer<usize> {
    which.checked_rem(trials.len()).map(|place| trials[place]).ok_or(Halt::Idle)
}

/// The number of a trial that is told.
pub fn called(log: &TrialLog<'_>, whom: Whom) -> Answer<usize> {
    match whom {
        Whom::UnderWay(which) => one_of(&log.in_state(TrialState::Pending), which),
        Whom::Withdrawn(which) => one_of(&log.in_state(TrialState::Withdrawn), which),
        Whom::Told(which) => one_of(&log.those(|entry| entry.is_told()), which),
        Whom::Beyond(beyond) => Ok(log.entries.len() + beyond),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_with_its_words() {
        let error = attempt(|| -> usize { panic!("seven") }).unwrap_err();
        assert_eq!(error.invariant, Invariant::NoPanic);
        assert!(error.detail.contains("seven"));
        assert_eq!(attempt(|| 7), Ok(7));
    }
}
