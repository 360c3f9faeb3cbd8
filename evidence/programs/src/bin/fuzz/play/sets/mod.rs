//! A study of control sets.

mod advice;
mod tells;

use std::fmt::Debug;

use gittins::study::{Origin, TrialState};
use gittins::{Domain, ErrorKind, Result, Space, Value};
use gittins_papers::control::{
    SetScore, SubsetAsk, SubsetEvent, SubsetStudy, SubsetTrial, SubsetWhy,
};

use super::pair::{Kept, Pair};
use super::player::{Answer, Halt, attempt, called};
use crate::calls::Call;
use crate::invariants::{Held, expected, must};
use crate::said::{Line, Quantity, Said};
use crate::trial_log::{Entry, Played, TrialLog};
use crate::view::View;
use crate::world::World;
use crate::world::kind;
use crate::world::sets::SetSettings;

pub struct Player<'w> {
    world: &'w World,
    view: &'w View,
    settings: SetSettings,
    space: Space,
    kinds: Vec<&'w kind::Kind>,
    pair: Pair<SubsetStudy>,
    log: TrialLog<'w>,
    /// The price of the set that the last verdict was about, until there is news.
    next: Option<f64>,
}

impl Kept for SubsetStudy {
    type Event = SubsetEvent;

    fn events(&self) -> &[SubsetEvent] {
        self.events()
    }

    fn shown(&self) -> String {
        format!("{:?} {:?} {:?}", self.history(), self.best(), self.spent())
    }
}

impl<'w> Player<'w> {
    pub fn new(world: &'w World, view: &'w View) -> Held<Self> {
        let settings = SetSettings::draw(world, world.sets.unwrap_or_default());
        let built = attempt(|| settings.builder(world, view).build())?;
        let Some(study) = expected(built, &[], &[])? else { unreachable!("a study or a break") };
        let samples = study.samples();
        let inside = samples.rows().flatten().all(|u| (0.0..=1.0).contains(u));
        must!(inside && samples.len() == settings.samples, PointsAreInside, "{samples:?}")?;
        let log = TrialLog::new(world, view);
        let Domain::Space(space) = log.domain().clone() else { unreachable!("a space") };
        let kinds = world.domain.kinds();
        let pair = Pair::new(study);
        Ok(Self { world, view, settings, space, kinds, pair, log, next: None })
    }
}

impl super::player::Player for Player<'_> {
    fn answer(&mut self, call: &Call) -> Answer {
        let any = |which: usize| which % (self.log.entries.len() + 1);
        match call {
            Call::Ask { count } => self.ask(*count),
            Call::Tell { whom, word } => self.tell(called(&self.log, *whom)?, *word),
            Call::Import { place, word } => self.import(place, *word),
            Call::Withdraw { which } => self.withdraw(any(*which)),
            Call::Correct { which, word } => self.correct(any(*which), *word),
            Call::Verdict => self.verdict(),
            Call::Recommendation => self.recommend(),
            Call::Resume => {
                let (settings, world, view) = (&self.settings, self.world, self.view);
                self.pair.resume(|events| settings.builder(world, view).resume(events))
            }
            // There is nothing like it.
            _ => Err(Halt::Idle),
        }
    }

    fn check(&mut self) -> Held {
        let (study, log) = (&self.pair.study, &self.log);
        let (history, own) = (study.history(), log.entries.len());
        must!(history.len() == own, HistoryIsWhatWasTold, "{history:?}, expected {own}")?;
        for (trial, entry) in history.iter().zip(&log.entries) {
            let (played, values) = (entry.played.as_ref(), trial.values.as_ref());
            let chosen = played.map_or(&[][..], |played| &played.chosen);
            let known = values.map_or_else(Vec::new, |values| typeless(values));
            let same = (trial.set, &trial.chosen[..], known, trial.outcome, trial.cost)
                == (
                    played.map(|played| played.set),
                    chosen,
                    entry.values.clone(),
                    entry.outcome,
                    entry.cost,
                )
                && (trial.state, trial.origin) == (entry.state, entry.origin);
            must!(same, HistoryIsWhatWasTold, "{trial:?}, expected {entry:?}")?;
        }
        let (spent, expected) = (study.spent(), self.spent());
        let near = (spent - expected).abs() <= 2.0 * own as f64 * f64::EPSILON * expected;
        must!(near, MoneyIsWhatWasPaid, "spent {spent}, expected {expected}")?;
        let best = study.best().map(|trial| trial.id.index());
        let expected = log.best_of(&log.in_state(TrialState::Complete));
        must!(best == expected, BestIsBest, "trial {best:?}, expected {expected:?}")?;
        self.pair.go_along()
    }
}

fn typeless(numbers: &[f64]) -> Vec<Value> {
    numbers.iter().copied().map(Value::Float).collect()
}

fn numbers(values: &[Value]) -> Vec<f64> {
    values.iter().map(|value| value.number().unwrap_or(f64::NAN)).collect()
}

impl Player<'_> {
    fn attempt<T: Debug>(
        &mut self,
        faults: &[ErrorKind],
        excuses: &[ErrorKind],
        act: impl Fn(&mut SubsetStudy) -> Result<T>,
    ) -> Answer<T> {
        self.pair.attempt(faults, excuses, act)
    }

    fn excuses(&self) -> Vec<ErrorKind> {
        self.log.has_no_squares().then_some(ErrorKind::NonFinite).into_iter().collect()
    }

    fn price(&self, set: usize) -> f64 {
        self.view.cost(self.settings.sets[set].price)
    }

    fn spent(&self) -> f64 {
        self.log.spent_on_sets(|set| self.price(set))
    }

    fn ask(&mut self, count: usize) -> Answer {
        let mut lines = Vec::with_capacity(count);
        for _ in 0..count {
            let mut excuses = self.excuses();
            // What leaves nothing to nature may run out.
            excuses.extend(self.space.is_finite().then_some(ErrorKind::Exhausted));
            let ask = self.attempt(&[], &excuses, SubsetStudy::ask)?;
            lines.push(self.enter(&ask)?);
        }
        Ok(Said::Answered(lines))
    }

    fn enter(&mut self, ask: &SubsetAsk) -> Held<Line> {
        let Some(trial) = self.pair.study.history().last() else {
            return Err(must!(false, HistoryIsWhatWasTold, "{ask:?} of no trial").unwrap_err());
        };
        self.check_ask(ask, trial)?;
        let (stage, said) = match ask.why() {
            SubsetWhy::Initial { .. } => ("design", None),
            SubsetWhy::Chosen(decision) => ("suggested", Some(decision)),
            _ => ("exploring", None),
        };
        let expected = match (self.log.designs(), self.log.knows_outcomes()) {
            (true, _) => "design",
            (false, true) => "suggested",
            (false, false) => "exploring",
        };
        // A design ends early if it has no other point.
        let ran_out = expected == "design" && self.space.is_finite();
        must!(stage == expected || ran_out, HistoryIsWhatWasTold, "{stage}, not {expected}")?;
        let set = ask.set_index();
        let mut line = Line {
            topic: stage.to_owned(),
            choice: format!("{set} {:?}", ask.values()),
            ..Line::default()
        };
        if let Some(decision) = said {
            let finite = decision.values.iter().flatten().all(|value| value.is_finite());
            let sound = decision.set == set && decision.value().is_finite() && finite;
            let sound = (sound || self.log.has_no_squares()) && !decision.to_string().is_empty();
            must!(sound, NumbersAreNumbers, "{decision:?}")?;
            if !self.log.has_no_squares() {
                self.is_chosen_by_relaxation(set, &decision.values)?;
            }
            let improves = matches!(self.settings.score, SetScore::ExpectedImprovement { .. });
            let of = if improves { Quantity::Any } else { Quantity::Outcome };
            line.choice += &format!(" {:?}", decision.query);
            line.worth = vec![of.is(decision.value()), Quantity::Any.is(ask.cost())];
        }
        let origin = if stage == "design" { Origin::Initial } else { Origin::Suggested };
        let mut entry = Entry::new(Vec::new(), Vec::new(), None, origin);
        entry.played = Some(Played { set, chosen: ask.values().to_vec() });
        self.log.begin(entry);
        self.next = None;
        Ok(line)
    }

    fn names(&self, set: usize) -> Vec<&str> {
        let names = Vec::from_iter(self.space.names());
        self.settings.sets[set].controlled().iter().map(|&k| names[k]).collect()
    }

    /// Whether values of some variables are inside their bounds.
    fn are_inside(&self, variables: &[usize], values: &[f64]) -> bool {
        let is_inside = |(&k, value): (&usize, &f64)| kind::contains(self.kinds[k], *value);
        values.len() == variables.len() && variables.iter().zip(values).all(is_inside)
    }

    fn check_ask(&self, ask: &SubsetAsk, trial: &SubsetTrial) -> Held {
        let set = &self.settings.sets[ask.set_index()];
        let named = ask.named().map(|(name, _)| name).eq(self.names(ask.set_index()));
        let played = ask.set() == set.name && ask.cost() == self.price(ask.set_index());
        let number = self.log.entries.len();
        let agrees = played && ask.id().index() == number && trial.chosen == ask.values();
        must!(agrees && named, HistoryIsWhatWasTold, "{ask:?}, {trial:?}")?;
        must!(self.are_inside(&set.controlled(), ask.values()), PointsAreInside, "{ask:?}")?;
        let nobody = ask.get("nobody");
        let unknown =
            nobody.as_ref().is_err_and(|error| error.kind() == ErrorKind::UnknownParameter);
        must!(unknown, ErrorsHaveTheirKind, "{nobody:?}")
    }

    /// Where a relaxation chooses the set: no set within it is cheaper, and the set chosen is
    /// within it. `values` are those of the sets, in the user's units.
    fn is_chosen_by_relaxation(&self, set: usize, values: &[Option<f64>]) -> Held {
        let trial = 1 + self.log.those(|entry| entry.origin == Origin::Suggested).len();
        let Some(relaxation) = self.settings.relaxation(self.view, trial) else { return Ok(()) };
        let improves = matches!(self.settings.score, SetScore::ExpectedImprovement { .. });
        let sign = if improves { 1.0 } else { self.world.sign(self.view) };
        let turned = |value: &Option<f64>| value.map_or(f64::NEG_INFINITY, |value| sign * value);
        let turned: Vec<f64> = values.iter().map(turned).collect();
        let largest = turned.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Values were rounded where they were turned to the user's units.
        let size = largest.abs().max(self.log.largest_outcome());
        let rounding = 64.0 * f64::EPSILON * (size + relaxation);
        let within = turned[set] + relaxation >= largest - rounding;
        let cheaper = |other: &usize| {
            turned[*other] + relaxation >= largest + rounding
                && self.price(*other) < self.price(set)
        };
        let found = (0..turned.len()).find(cheaper);
        let words = || format!("set {set} of {values:?} with a relaxation of {relaxation}");
        let holds = within && found.is_none();
        must!(holds, ValuesAreOfTheirNumbers, "{}, and {found:?} is cheaper", words())
    }

    fn at(&self, unit: &[f64]) -> Vec<f64> {
        self.kinds.iter().zip(unit).map(|(kind, u)| kind::code_at(kind, *u)).collect()
    }
}
