//! A study of control sets.

use std::fmt::Debug;

use gittins::study::{Origin, TrialState};
use gittins::{Domain, ErrorKind, Result, Space, TrialId, Value};
use gittins_control::{
    SetScore, SubsetAsk, SubsetEvent, SubsetRecommendation, SubsetStudy, SubsetTrial, SubsetWhy,
};

use super::pair::{Kept, Pair};
use super::{Answer, Halt, attempt, called};
use crate::calls::{Call, Cost, Place, Word};
use crate::dice::Dice;
use crate::invariants::{Held, expected, must};
use crate::said::{Line, Quantity, Said};
use crate::trial_log::{CostTold, Entry, Played, Telling, TrialLog};
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
        let (kinds, pair) = (world.domain.kinds(), Pair::new(study));
        Ok(Self { world, view, settings, space, kinds, pair, log, next: None })
    }
}

impl super::Player for Player<'_> {
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

    fn told(&self, word: Word, values: &[f64], price: f64) -> Telling {
        if !self.log.faults_of_values(&typeless(values)).is_empty() {
            return Telling::nothing(word);
        }
        let unit = self.space.to_unit(values).unwrap_or_default();
        let told = self.log.told(word, &typeless(values), &unit, price);
        // A set has its price.
        let cost = if word.cost == Cost::Fitting { CostTold::Silent } else { told.cost };
        Telling { cost, ..told }
    }

    fn price_of(&self, id: usize) -> Option<f64> {
        let played = self.log.entries.get(id)?.played.as_ref()?;
        Some(self.settings.sets[played.set].price)
    }

    /// What nature made of a trial, and what is wrong with it: those variables that were set keep
    /// their values unless they stray.
    fn happened(&self, id: usize) -> (Vec<f64>, Vec<ErrorKind>) {
        let dim = self.kinds.len();
        let mut dice =
            Dice::new(self.world.seed ^ id as u64 ^ (self.log.entries.len() as u64) << 32);
        let mut values = self.at(&dice.point(dim));
        let mut faults = Vec::new();
        let stray = dice.index(&[0.7, 0.08, 0.08, 0.08, 0.03, 0.03]);
        if let Some(Played { set, chosen }) =
            self.log.entries.get(id).and_then(|entry| entry.played.as_ref())
        {
            let controlled = self.settings.sets[*set].controlled();
            controlled.iter().zip(chosen).for_each(|(&k, value)| values[k] = *value);
            let (first, kind) = (controlled[0], self.kinds[controlled[0]]);
            let unit =
                |values: &[f64]| self.space.to_unit(values).ok().map_or(0.5, |unit| unit[first]);
            let (asked, tolerance) = (unit(&values), self.settings.tolerance);
            let side = if asked > 0.5 { -1.0 } else { 1.0 };
            match stray {
                // The first variable that was set is off by less than what is tolerated.
                1 if kind::is_real(kind) && tolerance > 1e-12 => {
                    values[first] = kind::code_at(kind, asked + 0.4 * tolerance * side);
                    // In a range that numbers hardly resolve the way back may lead further than
                    // half of it.
                    if (unit(&values) - asked).abs() > 0.5 * tolerance {
                        values[first] = chosen[0];
                    }
                }
                // It is told at the other end of its range.
                2 => {
                    values[first] = kind::code_at(kind, f64::from(u8::from(side > 0.0)));
                    faults.push(ErrorKind::Contradiction);
                }
                _ => {}
            }
        }
        match stray {
            3 => values[dim - 1] = dice.pick(&[f64::NAN, f64::INFINITY, f64::MAX, -1e305]),
            4 => values.push(0.5),
            5 => drop(values.pop()),
            _ => {}
        }
        faults.extend(self.log.faults_of_values(&typeless(&values)));
        (values, faults)
    }

    fn tell(&mut self, id: usize, word: Word) -> Answer {
        let (values, faults) = self.happened(id);
        let told = self.told(word, &values, self.price_of(id).unwrap_or(1.0));
        let faults = [faults, self.log.faults_of_tell(id, &told)].concat();
        let (outcome, trial) = (told.outcome(self.view, &[]), TrialId::from(id));
        self.attempt(&faults, &[], |study| study.tell(trial, &values, outcome.clone()))?;
        self.settle(id, values, &told);
        Ok(Said::Taken)
    }

    fn settle(&mut self, id: usize, values: Vec<f64>, told: &Telling) {
        let price = self.price_of(id).map(|price| self.view.cost(price));
        self.log.settle(id, told);
        let entry = &mut self.log.entries[id];
        entry.values = typeless(&values);
        if !matches!(told.cost, CostTold::Paid(_)) {
            entry.cost = price;
        }
        self.next = None;
    }

    fn import(&mut self, place: &Place, word: Word) -> Answer {
        let known = self.log.entries.iter().map(|entry| &entry.values);
        let known: Vec<_> = known.filter(|values| !values.is_empty()).collect();
        let values = numbers(&place.values(&self.world.domain, &known));
        let told = self.told(word, &values, 1.0);
        let faults = self.log.faults_of_values(&typeless(&values));
        let faults = [faults, self.log.faults(&told, false)].concat();
        let (outcome, number) = (told.outcome(self.view, &[]), self.log.entries.len());
        let id = self.attempt(&faults, &[], |study| study.import(&values, outcome.clone()))?;
        must!(id.index() == number, HistoryIsWhatWasTold, "{id}, expected {number}")?;
        self.log.begin(Entry::new(Vec::new(), Vec::new(), None, Origin::Imported));
        self.settle(number, values, &told);
        Ok(Said::Taken)
    }

    fn withdraw(&mut self, id: usize) -> Answer {
        let faults = self.log.faults_of_withdrawal(id);
        self.attempt(&faults, &[], |study| study.withdraw(id))?;
        self.log.withdraw(id);
        self.log.entries[id].values.clear();
        self.next = None;
        Ok(Said::Taken)
    }

    fn correct(&mut self, id: usize, word: Word) -> Answer {
        let values = self.log.entries.get(id).map(|entry| numbers(&entry.values));
        let values = values.filter(|values| !values.is_empty());
        let values = values.unwrap_or_else(|| self.at(&vec![0.5; self.kinds.len()]));
        let told = self.told(word, &values, self.price_of(id).unwrap_or(1.0));
        let faults = self.log.faults_of_correction(id, &told);
        let outcome = told.outcome(self.view, &[]);
        self.attempt(&faults, &[], |study| study.correct(id, outcome.clone()))?;
        self.log.settle(id, &told);
        self.next = None;
        Ok(Said::Taken)
    }

    fn verdict(&mut self) -> Answer {
        let verdict = self.attempt(&[], &self.excuses(), SubsetStudy::verdict)?;
        let (reason, spent) = (verdict.reason(), self.spent());
        let said = Said::Answered(vec![(&verdict).into()]);
        if reason.rule == "exhausted" && self.space.is_finite() && verdict.is_stop() {
            return Ok(said);
        }
        let form = match self.settings.budget.map(|budget| self.view.cost(budget)) {
            None => reason.rule == "none" && !verdict.is_stop(),
            Some(budget) => {
                let (left, rounding) = (budget - spent, 1e-12 * (spent + budget));
                let sets = 0..self.settings.sets.len();
                let known = sets.map(|set| self.price(set)).any(|price| price == reason.threshold);
                let fires = verdict.is_stop() == (reason.threshold > left)
                    || (reason.threshold - left).abs() <= rounding;
                let near = (reason.statistic - left).abs() <= rounding;
                reason.rule == "budget" && near && known && fires
            }
        };
        let form = form && !reason.to_string().is_empty();
        must!(form, VerdictsHaveTheirForm, "{verdict:?}, spent {spent}")?;
        if let Some(before) = self.next {
            let now = reason.threshold;
            must!(before == now, VerdictsRepeat, "{before}, then {now}")?;
        }
        self.next = Some(reason.threshold);
        Ok(said)
    }

    /// The best set, and all of them in their order.
    fn recommend(&mut self) -> Answer {
        let best = self.attempt(&[], &self.excuses(), SubsetStudy::recommendation)?;
        let all = self.attempt(&[], &self.excuses(), SubsetStudy::recommendations)?;
        let is_known = self.log.knows_outcomes();
        let count = if is_known { self.settings.sets.len() } else { 0 };
        let counts = best.is_some() == is_known && all.len() == count;
        must!(counts, AdviceIsSound, "{best:?} of {all:?}, expected {count}")?;
        for trial in self.pair.study.history() {
            let text = serde_json::to_string(trial).unwrap_or_else(|error| error.to_string());
            let again = serde_json::from_str::<SubsetTrial>(&text);
            let again = again.map(|trial| serde_json::to_string(&trial).unwrap_or_default());
            let survives = again.as_ref().is_ok_and(|again| *again == text);
            must!(survives, RecordSurvives, "{text}, then {again:?}")?;
        }
        let sign = self.world.sign(self.view);
        let sorted = all.is_sorted_by(|one, next| sign * one.expected >= sign * next.expected);
        must!(sorted || self.log.has_no_squares(), AdviceIsSound, "not sorted: {all:?}")?;
        let advice: Vec<_> = best.into_iter().chain(all).collect();
        advice.iter().try_for_each(|one| self.check_advice(one))?;
        let line = |one: &SubsetRecommendation| Line {
            topic: "sets".to_owned(),
            choice: format!("{} {:?}", one.set, one.values),
            worth: vec![
                Quantity::Outcome.is(one.expected),
                Quantity::Difference.is(one.error),
                Quantity::Difference.is(one.spread),
            ],
            ..Line::default()
        };
        Ok(Said::Answered(advice.iter().map(line).collect()))
    }

    fn check_advice(&self, one: &SubsetRecommendation) -> Held {
        let spreads =
            [one.error, one.spread].iter().all(|spread| spread.is_finite() && *spread >= 0.0);
        // Numbers whose squares are none have no spread.
        let numbers = self.log.has_no_squares() || (one.expected.is_finite() && spreads);
        let set = &self.settings.sets[one.set];
        let is_set = one.name == set.name && one.cost == self.price(one.set);
        let names = one.variables.iter().map(String::as_str).eq(self.names(one.set));
        let inside = self.are_inside(&set.controlled(), &one.values)
            && one.query.iter().all(|u| (0.0..=1.0).contains(u));
        let sound = numbers && is_set && names && inside && !one.to_string().is_empty();
        must!(sound, AdviceIsSound, "{one:?}")
    }
}
