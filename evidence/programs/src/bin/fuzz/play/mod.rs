//! A sequence of calls on a study of any kind, each compared with the log.

mod advice;
mod asks;
mod pair;
mod records;
mod sets;
mod stages;
mod study;
mod tells;
mod verdicts;

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use gittins::ErrorKind;
use gittins::study::TrialState;

use crate::calls::{Call, Whom};
use crate::invariants::{Break, Held, Invariant, broken};
use crate::said::Said;
use crate::tally::Tally;
use crate::trial_log::TrialLog;
use crate::view::View;
use crate::world::World;

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
enum Halt {
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
type Answer<T = Said> = std::result::Result<T, Halt>;

/// A study of some kind with its log.
trait Player {
    /// Makes a call, and checks what came back.
    fn answer(&mut self, call: &Call) -> Answer;

    /// Everything that the study shows against the log.
    fn check(&mut self) -> Held;
}

/// What a study said to all calls; or the first thing that did not hold.
pub fn play(world: &World, view: &View, calls: &[Call], tally: &mut Tally) -> Held<Vec<Said>> {
    let mut player: Box<dyn Player> = match &world.sets {
        Some(_) => Box::new(sets::Player::new(world, view)?),
        None => Box::new(study::Player::new(world, view)?),
    };
    let mut said = Vec::with_capacity(calls.len());
    for (number, call) in calls.iter().enumerate() {
        let answer = step(&mut *player, call).map_err(|error| Break { call: number, ..error })?;
        if let Said::Refused(kind) = answer {
            tally.error(kind);
        }
        if answer != Said::Idle {
            tally.operation(call.name(), call.operations());
        }
        answer.stop().into_iter().for_each(|rule| tally.stop(rule));
        said.push(answer);
    }
    Ok(said)
}

fn step(player: &mut dyn Player, call: &Call) -> Held<Said> {
    let said = match player.answer(call) {
        Ok(said) => said,
        Err(Halt::Broken(broken)) => return Err(broken),
        Err(Halt::Refused(kind)) => Said::Refused(kind),
        Err(Halt::Idle) => Said::Idle,
    };
    player.check()?;
    Ok(said)
}

/// One of several trials, if there is one.
fn one_of(trials: &[usize], which: usize) -> Answer<usize> {
    which.checked_rem(trials.len()).map(|place| trials[place]).ok_or(Halt::Idle)
}

/// The number of a trial that is told.
fn called(log: &TrialLog<'_>, whom: Whom) -> Answer<usize> {
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
