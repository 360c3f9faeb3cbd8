//! A sequence of calls on a study, each compared with the books.

mod asks;
mod records;
mod resumed;
mod tells;

use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gittins::study::TrialState;
use gittins::{ErrorKind, Result, Study};

use crate::books::Books;
use crate::calls::{Call, Whom};
use crate::dice::Dice;
use crate::invariants::{self, Break, Held, Invariant, broken, expected, must};
use crate::said::{Said, told};
use crate::tally::Tally;
use crate::view::View;
use crate::world::World;
use crate::world::policy::PolicySpec;
use crate::world::units::seen;

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
    let mut dice = Dice::new(world.seed);
    let points: Vec<Vec<f64>> = (0..8).map(|_| dice.point(world.domain.dim())).collect();
    let mut player = Player {
        world,
        view,
        study,
        again: None,
        along: 0,
        strayed: matches!(world.policy, PolicySpec::OwnPath { .. }),
        books: Books::new(world, view),
        policy: world.policy.clone(),
        changed: false,
        tally,
    };
    invariants::cube(world, player.books.domain(), &points)?;
    let mut said = Vec::with_capacity(calls.len());
    for (number, call) in calls.iter().enumerate() {
        let answer = player.call(call).and_then(|answer| {
            player.books.compare(&player.study)?;
            player.go_along()?;
            Ok(answer)
        });
        said.push(answer.map_err(|error| Break { call: number, ..error })?);
    }
    Ok(said)
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

struct Player<'w> {
    world: &'w World,
    view: &'w View,
    study: Study,
    /// The study made again from its events, which is called as the study is.
    again: Option<Study>,
    /// How many more calls it goes along for.
    along: usize,
    /// Whether something happened of which no event tells: a policy went on in an ask that came to
    /// nothing, or was a path, which cannot be written.
    strayed: bool,
    books: Books<'w>,
    policy: PolicySpec,
    /// Whether the acquisition was changed, so that the settings are no longer those of the run.
    changed: bool,
    tally: &'w mut Tally,
}

impl Player<'_> {
    fn call(&mut self, call: &Call) -> Held<Said> {
        let said = match self.answer(call) {
            Ok(said) => said,
            Err(Halt::Broken(broken)) => return Err(broken),
            Err(Halt::Idle) => return Ok(Said::Idle),
            Err(Halt::Refused(kind)) => {
                self.tally.error(kind);
                Said::Refused(kind)
            }
        };
        self.tally.operation(call.name(), call.operations());
        Ok(said)
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let any = |which: usize| which % (self.books.entries.len() + 1);
        match call {
            Call::Ask { count } => self.ask(*count),
            Call::AskTogether { count, jointly } => self.ask_together(*count, *jointly),
            Call::AskWithin { factor } => self.ask_within(*factor),
            Call::AskWhere { which, parameter, side } => {
                let trial = which.checked_rem(self.books.entries.len()).ok_or(Halt::Idle)?;
                self.ask_where(trial, *parameter, *side)
            }
            Call::Tell { whom, word } => {
                let one_of = |trials: Vec<usize>, which: usize| {
                    which.checked_rem(trials.len()).map(|place| trials[place]).ok_or(Halt::Idle)
                };
                let id = match *whom {
                    Whom::UnderWay(which) => {
                        one_of(self.books.in_state(TrialState::Pending), which)?
                    }
                    Whom::Withdrawn(which) => {
                        one_of(self.books.in_state(TrialState::Withdrawn), which)?
                    }
                    Whom::Told(which) => one_of(self.books.told(), which)?,
                    Whom::Beyond(beyond) => self.books.entries.len() + beyond,
                };
                self.tell(id, *word)
            }
            Call::TellCost { which, factor } => self.tell_cost(any(*which), *factor),
            Call::Import { place, word } => self.import(place, *word),
            Call::Withdraw { which } => self.withdraw(any(*which)),
            Call::Correct { which, word } => self.correct(any(*which), *word),
            Call::Verdict => self.verdict(),
            Call::VerdictTwice => {
                let first = self.verdict()?;
                let second = self.verdict()?;
                let same = format!("{first:?}") == format!("{second:?}");
                must!(same, VerdictsRepeat, "{first:?}, then {second:?}")?;
                Ok(second)
            }
            Call::NoteRunning { which, factor } => self.note_running(any(*which), *factor),
            Call::VerdictOnAnother => self.another(),
            Call::PriceForBudget { times } => self.lambda(*times),
            Call::ChangePolicy(policy) => self.change(policy),
            Call::SpoilPolicy(seed) => {
                let wrong = PolicySpec::draw_wrong(&mut Dice::new(*seed));
                let faults = [ErrorKind::InvalidSetting, ErrorKind::NonFinite, ErrorKind::Empty];
                self.attempt(&faults, &[], |study| study.change_policy(wrong.clone()))?;
                Ok(Said::Taken)
            }
            Call::Recommendation if self.world.is_front() => {
                self.recommendation()?;
                self.front()
            }
            Call::Recommendation => self.recommendation(),
            Call::RecordAndBack => Ok(self.record().map(|_| Said::Taken)?),
            Call::Replay => Ok(self.replay().map(|()| Said::Taken)?),
            Call::Resume => self.resume(),
            Call::SpoilRecord(seed) => Ok(self.spoil(*seed).map(|()| Said::Taken)?),
        }
    }

    /// A call of the study with what is expected of it, and the same call of the study that was
    /// made again.
    fn attempt<T: Debug>(
        &mut self,
        faults: &[ErrorKind],
        excuses: &[ErrorKind],
        act: impl Fn(&mut Study) -> Result<T>,
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
        if self.policy.may_lack_a_price() {
            excuses.push(ErrorKind::InvalidSetting);
        }
        excuses
    }

    fn change(&mut self, policy: &PolicySpec) -> Answer {
        let mut faults = Vec::new();
        let needs_price = self.world.rule.as_ref().is_some_and(|rule| rule.needs_price());
        if policy.price().is_none() && needs_price {
            faults.push(ErrorKind::InvalidSetting);
        }
        let heeds = policy.heeds_limits() && (policy.improves_fronts() || !self.world.is_front());
        if !self.world.measured.is_empty() && !heeds {
            faults.push(ErrorKind::InvalidSetting);
        }
        let built = attempt(|| seen(policy, self.view, self.world.maximizes()).policy())?;
        let Some(built) = expected(built, &[], &[])? else { return Err(Halt::Idle) };
        self.attempt(&faults, &[], |study| study.change_policy(built.clone()))?;
        self.strayed |= matches!(policy, PolicySpec::OwnPath { .. });
        self.policy = policy.clone();
        (self.changed, self.again) = (true, None);
        self.books.stray();
        Ok(Said::Taken)
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
