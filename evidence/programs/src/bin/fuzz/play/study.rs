//! A study of trials, whole or in stages.

use std::fmt::Debug;

use gittins::{ErrorKind, Result, Study};

use super::pair::Pair;
use super::player::{Answer, Halt, attempt, called};
use crate::calls::Call;
use crate::dice::Dice;
use crate::invariants::{self, Held, expected};
use crate::said::Said;
use crate::trial_log::TrialLog;
use crate::view::View;
use crate::world::World;
use crate::world::policy::PolicySpec;
use crate::world::units::seen;

pub struct Player<'w> {
    pub world: &'w World,
    pub view: &'w View,
    pub pair: Pair<Study>,
    pub log: TrialLog<'w>,
    pub policy: PolicySpec,
    /// Whether a policy was a path, which cannot be written.
    strayed: bool,
    /// Whether the acquisition was changed, so that the settings are no longer those of the run.
    pub changed: bool,
}

impl<'w> Player<'w> {
    pub fn new(world: &'w World, view: &'w View) -> Held<Self> {
        let built = attempt(|| world.settings(view).and_then(|settings| settings.build()))?;
        let Some(study) = expected(built, &[], &[])? else { unreachable!("a study or a break") };
        let mut dice = Dice::new(world.seed);
        let points: Vec<Vec<f64>> = (0..8).map(|_| dice.point(world.domain.dim())).collect();
        let log = TrialLog::new(world, view);
        invariants::cube(world, log.domain(), &points)?;
        let policy = world.policy.clone();
        let pair = Pair::new(study);
        let strayed = matches!(policy, PolicySpec::OwnPath { .. });
        Ok(Self { world, view, pair, log, policy, strayed, changed: false })
    }
}

impl super::player::Player for Player<'_> {
    fn answer(&mut self, call: &Call) -> Answer {
        let any = |which: usize| which % (self.log.entries.len() + 1);
        match call {
            Call::Ask { count } => self.ask(*count),
            Call::AskTogether { count, jointly } => self.ask_together(*count, *jointly),
            Call::AskWithin { factor } => self.ask_within(factor.0),
            Call::AskWhere { which, parameter, side } => {
                let trial = which.checked_rem(self.log.entries.len()).ok_or(Halt::Idle)?;
                self.ask_where(trial, *parameter, *side)
            }
            Call::Tell { whom, word } => self.tell(called(&self.log, *whom)?, *word),
            Call::TellCost { which, factor } => self.tell_cost(any(*which), factor.0),
            Call::Report { which, at, decides, word } => self.report(*which, *at, *decides, *word),
            Call::Advise { which } => self.advise(any(*which)),
            Call::Forecast { which } => self.forecast(any(*which)),
            Call::ForecastEnd { which } => self.forecast_end(any(*which)),
            Call::Import { place, word } => self.import(place, *word),
            Call::Announce { place } => self.announce(place),
            Call::Withdraw { which } => self.withdraw(any(*which)),
            Call::Correct { which, word } => self.correct(any(*which), *word),
            Call::NoteRunning { which, factor } => self.note_running(any(*which), factor.0),
            Call::Verdict => self.verdict(),
            Call::VerdictOnAnother => self.verdict_on_another(),
            Call::PriceForBudget { times } => self.price_for_budget(times.0),
            Call::ChangePolicy(policy) => self.change(policy),
            Call::Recommendation => self.recommend(),
            Call::Record => Ok(self.record().map(|_| Said::Taken)?),
            Call::Replay => Ok(self.replay().map(|()| Said::Taken)?),
            Call::SpoilRecord(seed) => Ok(self.spoil(*seed).map(|()| Said::Taken)?),
            Call::Resume => self.resume(),
        }
    }

    fn check(&mut self) -> Held {
        self.log.compare(&self.pair.study)?;
        self.pair.go_along()
    }
}

impl Player<'_> {
    pub fn attempt<T: Debug>(
        &mut self,
        faults: &[ErrorKind],
        excuses: &[ErrorKind],
        act: impl Fn(&mut Study) -> Result<T>,
    ) -> Answer<T> {
        self.pair.attempt(faults, excuses, act)
    }

    pub fn in_stages(&self) -> bool {
        self.world.stages().is_some()
    }

    pub fn refused_in_stages(&self) -> Vec<ErrorKind> {
        self.in_stages().then_some(ErrorKind::InvalidSetting).into_iter().collect()
    }

    pub fn refused_without_stages(&self) -> Vec<ErrorKind> {
        (!self.in_stages()).then_some(ErrorKind::InvalidSetting).into_iter().collect()
    }

    /// Errors that settings and outcomes lead to wherever model or cost are asked: a cost function
    /// that says nonsense, outcomes without squares.
    pub fn numbers(&self) -> Vec<ErrorKind> {
        let mut excuses = Vec::new();
        if self.world.bill.is_faulty() {
            excuses.extend([ErrorKind::NonFinite, ErrorKind::NonPositiveCost]);
        }
        if self.log.has_no_squares() {
            excuses.push(ErrorKind::NonFinite);
        }
        excuses
    }

    /// Errors that the policy leads to where it is asked, besides.
    pub fn excuses(&self) -> Vec<ErrorKind> {
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
        let built = attempt(|| seen(policy, self.view, self.world.maximizes()).policy())?;
        let Some(built) = expected(built, &[], &[])? else { return Err(Halt::Idle) };
        let needs_price = self.world.rule.as_ref().is_some_and(|rule| rule.needs_price());
        let heeds = policy.heeds_limits() && (policy.improves_fronts() || !self.world.is_front());
        let is_wrong = built.validate().is_err()
            || policy.price().is_none() && needs_price
            || !self.world.measured.is_empty() && !heeds
            || self.in_stages() && !policy.is_an_index();
        let faults = if is_wrong { POLICY_FAULTS } else { &[] };
        self.attempt(faults, &[], |study| study.change_policy(built.clone()))?;
        self.strayed |= matches!(policy, PolicySpec::OwnPath { .. });
        self.policy = policy.clone();
        self.changed = true;
        self.log.stray();
        Ok(Said::Taken)
    }

    fn resume(&mut self) -> Answer {
        let late = self.world.rule.as_ref().is_some_and(|rule| rule.goes_on_late());
        // Notes of what a trial has cost so far are no events.
        let noted = self.log.those(|entry| entry.noted && entry.is_pending());
        // Without time the machine decides.
        if late || self.strayed || !noted.is_empty() || self.world.is_hurried() {
            return Err(Halt::Idle);
        }
        let (world, view) = (self.world, self.view);
        let said = self.pair.resume(|events| world.settings(view)?.resume(events))?;
        // Other last bits of what is believed may decide otherwise.
        if world.stages().is_some_and(|stages| stages.are_items()) {
            self.pair.part();
        }
        Ok(said)
    }
}

/// Kinds of error of a policy that makes no sense.
const POLICY_FAULTS: &[ErrorKind] =
    &[ErrorKind::InvalidSetting, ErrorKind::NonFinite, ErrorKind::Empty];

#[cfg(test)]
mod tests {
    use gittins::study::TrialState;

    use super::*;
    use crate::invariants::Invariant;

    #[test]
    fn the_log_notices_what_a_study_was_told_behind_its_back() {
        let mut dice = Dice::new(5);
        let is_simple = |world: &World| world.sets.is_none() && world.stages().is_none();
        let world = std::iter::repeat_with(|| World::draw(&mut dice)).find(is_simple).unwrap();
        let mut study = world.settings(&View::PLAIN).unwrap().build().unwrap();
        let mut log = TrialLog::new(&world, &View::PLAIN);
        log.compare(&study).unwrap();
        let ask = study.ask().unwrap();
        assert_eq!(log.compare(&study).unwrap_err().invariant, Invariant::HistoryIsWhatWasTold);
        log.ask(&ask, &study.history()[0], false).unwrap();
        log.compare(&study).unwrap();
        study.tell_cost(ask.id(), 3.0).unwrap();
        assert!(log.compare(&study).is_err());
        log.pay(0, 3.0);
        log.compare(&study).unwrap();
        assert_eq!(log.faults_of_cost(0, 1.0), [ErrorKind::DuplicateTrial]);
        assert_eq!(log.in_state(TrialState::Pending), [0]);
        assert_eq!(
            expected::<()>(Ok(()), &[ErrorKind::DuplicateTrial], &[]).unwrap_err().invariant,
            Invariant::IllegalCallsAreRefused
        );
    }
}
