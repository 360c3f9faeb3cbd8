//! A sequence of calls on a study, each compared with the books.

mod asks;
mod records;
mod tells;

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use gittins::study::TrialState;
use gittins::{ErrorKind, Result, Study};

use crate::books::Books;
use crate::calls::Call;
use crate::dice::Dice;
use crate::invariants::{self, Break, Held, Invariant, broken, expected, hold};
use crate::tally::Tally;
use crate::transcript::Said;
use crate::view::View;
use crate::world::World;
use crate::world::policy::PolicySpec;

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

/// What a study said to all calls; or the first thing that did not hold.
pub fn play(world: &World, view: &View, calls: &[Call], tally: &mut Tally) -> Held<Vec<Said>> {
    let built = attempt(|| world.settings(view).and_then(|settings| settings.build()))?;
    let Some(study) = expected(built, &[], &[])? else { return Ok(Vec::new()) };
    let mut player = Player {
        world,
        view,
        study,
        books: Books::new(world, view),
        policy: world.policy.clone(),
        changed: false,
        tally,
    };
    let mut dice = Dice::new(world.seed);
    let points: Vec<Vec<f64>> = (0..8).map(|_| dice.point(world.domain.dim())).collect();
    invariants::cube(world, player.books.domain(), &points)?;
    let mut said = Vec::with_capacity(calls.len());
    for (number, call) in calls.iter().enumerate() {
        let answer = player
            .call(call)
            .and_then(|answer| player.books.compare(&player.study).map(|()| answer));
        said.push(answer.map_err(|error| Break { call: number, ..error })?);
    }
    Ok(said)
}

/// What a call of the study comes to: a value, or an error of a kind that was to be expected.
type Answer<T> = Held<std::result::Result<T, ErrorKind>>;

struct Player<'w> {
    world: &'w World,
    view: &'w View,
    study: Study,
    books: Books<'w>,
    policy: PolicySpec,
    /// Whether the acquisition was changed, so that the settings are no longer those of the run.
    changed: bool,
    tally: &'w mut Tally,
}

impl Player<'_> {
    fn call(&mut self, call: &Call) -> Held<Said> {
        let one_of =
            |trials: Vec<usize>, which: usize| trials.get(which % trials.len().max(1)).copied();
        let any = |which: usize| which % (self.books.entries.len() + 1);
        let said = match call {
            Call::Ask => self.ask(1)?,
            Call::AskSeveral(count) => self.ask(*count)?,
            Call::AskTogether { count, jointly } => self.ask_together(*count, *jointly)?,
            Call::AskWithin(factor) => self.ask_within(*factor)?,
            Call::AskWhere { which, parameter, side } => {
                let asked = self.books.entries.len();
                if asked == 0 {
                    return Ok(Said::Idle);
                }
                self.ask_where(which % asked, *parameter, *side)?
            }
            Call::Tell { which, word } => {
                match one_of(self.books.in_state(TrialState::Pending), *which) {
                    Some(id) => self.tell(id, *word)?,
                    None => return Ok(Said::Idle),
                }
            }
            Call::TellLate { which, word } => {
                match one_of(self.books.in_state(TrialState::Withdrawn), *which) {
                    Some(id) => self.tell(id, *word)?,
                    None => return Ok(Said::Idle),
                }
            }
            Call::TellAgain { which, word } => match one_of(self.books.told(), *which) {
                Some(id) => self.tell(id, *word)?,
                None => return Ok(Said::Idle),
            },
            Call::TellUnknown { beyond, word } => {
                self.tell(self.books.entries.len() + beyond, *word)?
            }
            Call::TellCost { which, factor } => self.tell_cost(any(*which), *factor)?,
            Call::Import { place, word } => self.import(place, *word)?,
            Call::Withdraw { which } => self.withdraw(any(*which))?,
            Call::Correct { which, word } => self.correct(any(*which), *word)?,
            Call::Verdict => self.verdict()?,
            Call::VerdictTwice => {
                let first = self.verdict()?;
                let second = self.verdict()?;
                if let Said::Judged(_) = &first {
                    hold(
                        format!("{first:?}") == format!("{second:?}"),
                        Invariant::VerdictsRepeat,
                        || format!("{first:?}, then {second:?}"),
                    )?;
                }
                second
            }
            Call::NoteRunning { which, factor } => self.note_running(any(*which), *factor)?,
            Call::Another => self.another()?,
            Call::LambdaFromBudget(times) => self.lambda(*times)?,
            Call::ChangeAcquisition { policy, wrong } => self.change(policy, *wrong)?,
            Call::Recommendation => self.recommendation()?,
            Call::Record => self.record().map(|_| Said::Taken)?,
            Call::Replay => self.replay().map(|()| Said::Taken)?,
            Call::Spoil(seed) => self.spoil(*seed).map(|()| Said::Taken)?,
        };
        self.tally.operation(call.name(), call.operations());
        if let Said::Refused(kind) = said {
            self.tally.error(kind);
        }
        Ok(said)
    }

    /// A call of the study with what is expected of it.
    fn attempt<T>(
        &mut self,
        faults: &[ErrorKind],
        excuses: &[ErrorKind],
        act: impl FnOnce(&mut Study) -> Result<T>,
    ) -> Answer<T> {
        let result = attempt(|| act(&mut self.study))?;
        let kind = result.as_ref().err().map(gittins::Error::kind);
        Ok(expected(result, faults, excuses)?.ok_or_else(|| kind.unwrap_or(ErrorKind::Data)))
    }

    /// Errors that settings and outcomes lead to wherever model or cost are asked: a cost function
    /// that says nonsense, outcomes without squares.
    fn numbers(&self) -> Vec<ErrorKind> {
        let mut excuses = Vec::new();
        if self.world.bill.is_faulty() {
            excuses.extend([ErrorKind::NonFinite, ErrorKind::NonPositiveCost]);
        }
        if self.books.has_no_squares() {
            excuses.push(ErrorKind::NonFinite);
        }
        excuses
    }

    /// Errors that the policy leads to where it is asked, besides.
    fn excuses(&self) -> Vec<ErrorKind> {
        let mut excuses = self.numbers();
        if self.policy.is_stray(self.world.domain.dim()) {
            excuses.push(ErrorKind::Dimension);
        }
        // A budget that the design has used up, or no formula for it.
        if matches!(self.policy, PolicySpec::DecayFromBudget { .. }) {
            excuses.push(ErrorKind::InvalidSetting);
        }
        excuses
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

    #[test]
    fn the_books_notice_what_a_study_was_told_behind_their_back() {
        let world = World::draw(&mut crate::dice::Dice::new(5));
        let mut study = world.settings(&View::PLAIN).unwrap().build().unwrap();
        let mut books = Books::new(&world, &View::PLAIN);
        books.compare(&study).unwrap();
        let ask = study.ask().unwrap();
        assert_eq!(books.compare(&study).unwrap_err().invariant, Invariant::HistoryIsWhatWasTold);
        books.ask(&ask, &study.history()[0], false).unwrap();
        books.compare(&study).unwrap();
        study.tell_cost(ask.id(), 3.0).unwrap();
        assert!(books.compare(&study).is_err());
        books.pay(0, 3.0);
        books.compare(&study).unwrap();
        assert_eq!(books.faults_of_cost(0, 1.0), [ErrorKind::DuplicateTrial]);
        assert_eq!(
            expected::<()>(Ok(()), &[ErrorKind::DuplicateTrial], &[]).unwrap_err().invariant,
            Invariant::IllegalCallsAreRefused
        );
    }
}
