//! A sequence of calls on a study of control sets, each compared with the books.

use gittins::study::{Origin, TrialState};
use gittins::{ErrorKind, Result, Space, TrialId, Value};
use gittins_papers::control::{
    SetScore, SubsetAsk, SubsetRecommendation, SubsetStudy, SubsetTrial, SubsetWhy,
};

use crate::books::{Bill, Told};
use crate::calls::{Cost, Place, Saying, Word};
use crate::invariants::{self, Break, Held, Invariant, broken, expected, hold};
use crate::play::attempt;
use crate::said::{Advice, Asked, Judged, Said, Thought};
use crate::subsets::books::Books;
use crate::subsets::calls::{Stray, SubsetCall};
use crate::subsets::world::SubsetWorld;
use crate::tally::Tally;
use crate::view::View;
use crate::world::axis::Axis;

/// What a study said to all calls; or the first thing that did not hold.
pub fn play(
    world: &SubsetWorld,
    view: &View,
    calls: &[SubsetCall],
    tally: &mut Tally,
) -> Held<Vec<Said>> {
    let built = attempt(|| world.settings(view).build())?;
    let Some(study) = expected(built, &[], &[])? else { return Ok(Vec::new()) };
    let drawn = study.samples().rows().all(|row| row.iter().all(|u| (0.0..=1.0).contains(u)));
    hold(drawn && study.samples().len() == world.samples, Invariant::PointsAreInside, || {
        format!("{:?}", study.samples())
    })?;
    let mut player =
        Player { world, view, study, space: world.space(), books: Books::new(world, view), tally };
    let mut said = Vec::with_capacity(calls.len());
    for (number, call) in calls.iter().enumerate() {
        let answer = player
            .call(call)
            .and_then(|answer| player.books.compare(&player.study).map(|()| answer));
        said.push(answer.map_err(|error| Break { call: number, ..error })?);
    }
    Ok(said)
}

struct Player<'w> {
    world: &'w SubsetWorld,
    view: &'w View,
    study: SubsetStudy,
    space: Space,
    books: Books<'w>,
    tally: &'w mut Tally,
}

impl Player<'_> {
    fn call(&mut self, call: &SubsetCall) -> Held<Said> {
        let one_of =
            |trials: Vec<usize>, which: usize| trials.get(which % trials.len().max(1)).copied();
        let count = self.books.entries.len();
        let said = match call {
            SubsetCall::Ask => self.ask(1)?,
            SubsetCall::AskSeveral(count) => self.ask(*count)?,
            SubsetCall::Tell { which, nature, stray, word } => {
                match one_of(self.books.in_state(TrialState::Pending), *which) {
                    Some(id) => self.tell(id, nature, *stray, *word)?,
                    None => return Ok(Said::Idle),
                }
            }
            SubsetCall::TellLate { which, nature, word } => {
                match one_of(self.books.in_state(TrialState::Withdrawn), *which) {
                    Some(id) => self.tell(id, nature, Stray::Nothing, *word)?,
                    None => return Ok(Said::Idle),
                }
            }
            SubsetCall::TellAgain { which, word } => {
                match one_of(self.books.those(|entry| entry.is_told()), *which) {
                    Some(id) => self.tell(id, &[], Stray::Nothing, *word)?,
                    None => return Ok(Said::Idle),
                }
            }
            SubsetCall::TellUnknown { beyond, word } => {
                self.tell(count + beyond, &[], Stray::Nothing, *word)?
            }
            SubsetCall::Import { place, word } => self.import(place, *word)?,
            SubsetCall::Withdraw { which } => self.withdraw(which % (count + 1))?,
            SubsetCall::Correct { which, word } => self.correct(which % (count + 1), *word)?,
            SubsetCall::Verdict => self.verdict()?,
            SubsetCall::VerdictTwice => {
                let first = self.verdict()?;
                let second = self.verdict()?;
                hold(
                    format!("{first:?}") == format!("{second:?}"),
                    Invariant::VerdictsRepeat,
                    || format!("{first:?}, then {second:?}"),
                )?;
                second
            }
            SubsetCall::Recommendation => self.recommendation()?,
            SubsetCall::Recommendations => self.recommendations()?,
        };
        self.tally.operation(call.name(), call.operations());
        if let Said::Refused(kind) = said {
            self.tally.error(kind);
        }
        Ok(said)
    }

    fn attempt<T>(
        &mut self,
        faults: &[ErrorKind],
        excuses: &[ErrorKind],
        act: impl FnOnce(&mut SubsetStudy) -> Result<T>,
    ) -> Held<std::result::Result<T, ErrorKind>> {
        let result = attempt(|| act(&mut self.study))?;
        let kind = result.as_ref().err().map(gittins::Error::kind);
        Ok(expected(result, faults, excuses)?.ok_or_else(|| kind.unwrap_or(ErrorKind::Data)))
    }

    fn excuses(&self) -> Vec<ErrorKind> {
        if self.books.has_no_squares() { vec![ErrorKind::NonFinite] } else { Vec::new() }
    }

    fn ask(&mut self, count: usize) -> Held<Said> {
        let mut asked = Vec::with_capacity(count);
        for _ in 0..count {
            let mut excuses = self.excuses();
            // What leaves nothing to nature may run out.
            excuses.extend(self.space.is_finite().then_some(ErrorKind::Exhausted));
            let ask = match self.attempt(&[], &excuses, SubsetStudy::ask)? {
                Ok(ask) => ask,
                Err(kind) => return Ok(Said::Refused(kind)),
            };
            let Some(trial) = self.study.history().last().cloned() else {
                return Err(broken(
                    Invariant::HistoryIsWhatWasTold,
                    "no trial after an ask".to_owned(),
                ));
            };
            self.check_ask(&ask, &trial)?;
            let (stage, said) = match ask.why() {
                SubsetWhy::Initial { .. } => ("design", None),
                SubsetWhy::Chosen(decision) => ("suggested", Some(decision)),
                _ => ("exploring", None),
            };
            let expected = match (self.books.designs(), self.books.knows_outcomes()) {
                (true, _) => "design",
                (false, true) => "suggested",
                (false, false) => "exploring",
            };
            // A design ends early if it has no other point.
            let ran_out = expected == "design" && self.space.is_finite();
            hold(stage == expected || ran_out, Invariant::HistoryIsWhatWasTold, || {
                format!("{stage}, expected {expected}")
            })?;
            if let Some(decision) = said {
                let values = decision.values.iter().flatten().all(|v| v.is_finite());
                let numbers =
                    decision.set == ask.set_index() && decision.value().is_finite() && values;
                let numbers = numbers || self.books.has_no_squares();
                hold(
                    numbers && !decision.to_string().is_empty(),
                    Invariant::NumbersAreNumbers,
                    || format!("{decision:?}"),
                )?;
                if !self.books.has_no_squares() {
                    self.books.chosen_by_relaxation(decision.set, &decision.values)?;
                }
            }
            let thought = said.map(|decision| Thought {
                value: decision.value(),
                is_outcome: !matches!(self.world.score, SetScore::ExpectedImprovement { .. }),
                mean: self.view.outcome(0.0),
                sd: 0.0,
                cost: ask.cost(),
                price: None,
                repeated: false,
            });
            self.books.ask(
                ask.set_index(),
                ask.values(),
                if stage == "design" { Origin::Initial } else { Origin::Suggested },
            );
            let unit = said.map_or(Vec::new(), |decision| decision.query.clone());
            let set = Some(ask.set_index());
            asked.push(Asked {
                set,
                values: ask.values().iter().copied().map(Value::from).collect(),
                unit,
                row: None,
                stage,
                said: thought,
            });
        }
        Ok(Said::Asked(asked))
    }

    fn controlled(&self, set: usize) -> Vec<usize> {
        let mut controlled = self.world.sets[set].1.clone();
        controlled.sort_unstable();
        controlled
    }

    fn axes(&self, set: usize) -> Vec<(String, Axis)> {
        self.controlled(set).iter().map(|&k| self.world.axes[k].clone()).collect()
    }

    fn check_ask(&self, ask: &SubsetAsk, trial: &SubsetTrial) -> Held {
        let (set, axes) = (ask.set_index(), self.axes(ask.set_index()));
        let named =
            ask.named().map(|(name, _)| name).eq(axes.iter().map(|(name, _)| name.as_str()));
        let played = ask.set() == self.world.sets[set].0 && ask.cost() == self.books.price(set);
        let agrees =
            played && ask.id().index() == self.books.entries.len() && trial.chosen == ask.values();
        hold(agrees && named, Invariant::HistoryIsWhatWasTold, || format!("{ask:?}, {trial:?}"))?;
        hold(invariants::inside(&axes, ask.values()), Invariant::PointsAreInside, || {
            format!("{ask:?}")
        })?;
        let unknown =
            ask.get("nobody").is_err_and(|error| error.kind() == ErrorKind::UnknownParameter);
        hold(unknown, Invariant::ErrorsHaveTheirKind, || format!("{:?}", ask.get("nobody")))
    }

    /// The values at a point of the unit cube.
    fn at(&self, unit: &[f64]) -> Vec<f64> {
        self.world.axes.iter().zip(unit).map(|((_, axis), u)| axis.value(*u)).collect()
    }

    fn told(&self, word: Word, values: &[f64], price: f64) -> Told {
        let objective = &self.world.objective;
        let value = match word.outcome {
            Saying::Objective | Saying::Failed | Saying::Infeasible => {
                objective.at(&self.space.to_unit(values).unwrap_or_default())
            }
            Saying::Like(which) => {
                let told: Vec<f64> =
                    self.books.entries.iter().filter_map(|entry| entry.outcome).collect();
                told.get(which % told.len().max(1))
                    .map_or(objective.unit, |outcome| self.view.outcome_back(*outcome))
            }
            Saying::Units(units) => units * objective.unit,
            Saying::Raw(raw) => raw,
        };
        let cost = match word.cost {
            Cost::Fitting | Cost::Silent => Bill::Silent,
            Cost::Times(factor) => Bill::Paid(price * factor),
            Cost::Later => Bill::Later,
            Cost::Raw(raw) => Bill::Paid(raw),
        };
        Told { value, cost, ..Told::nothing(word) }
    }

    /// What happened, and what is wrong with it.
    fn happened(&self, id: usize, nature: &[f64], stray: Stray) -> (Vec<f64>, Vec<ErrorKind>) {
        let dim = self.world.axes.len();
        let mut values = if nature.is_empty() { self.at(&vec![0.5; dim]) } else { self.at(nature) };
        let mut faults = Vec::new();
        if let Some(set) = self.books.entries.get(id).and_then(|entry| entry.set) {
            let (controlled, chosen) = (self.controlled(set), &self.books.entries[id].chosen);
            controlled.iter().zip(chosen).for_each(|(&k, value)| values[k] = *value);
            let (first, axis) = (controlled[0], self.world.axes[controlled[0]].1);
            let unit =
                |values: &[f64]| self.space.to_unit(values).ok().map_or(0.5, |unit| unit[first]);
            let asked = unit(&values);
            match stray {
                Stray::Tolerated
                    if !matches!(axis, Axis::Int(..)) && self.world.tolerance > 1e-12 =>
                {
                    values[first] = axis.value(
                        asked + 0.4 * self.world.tolerance * if asked > 0.5 { -1.0 } else { 1.0 },
                    );
                    // In a range that numbers hardly resolve the way back may lead further than
                    // half of it.
                    if (unit(&values) - asked).abs() > 0.5 * self.world.tolerance {
                        values[first] = chosen[0];
                    }
                }
                Stray::Contradiction => {
                    values[first] = axis.value(if asked > 0.5 { 0.0 } else { 1.0 });
                    faults.push(ErrorKind::Contradiction);
                }
                _ => {}
            }
        }
        match stray {
            Stray::Last(value) => values[dim - 1] = value,
            Stray::Long => values.push(0.5),
            Stray::Short => drop(values.pop()),
            _ => {}
        }
        faults.extend(self.books.faults_of_values(&values));
        (values, faults)
    }

    fn tell(&mut self, id: usize, nature: &[f64], stray: Stray, word: Word) -> Held<Said> {
        let (values, mut faults) = self.happened(id, nature, stray);
        let entry = self.books.entries.get(id);
        faults.extend(match entry.map(|entry| entry.is_told()) {
            None => Some(ErrorKind::UnknownTrial),
            Some(told) => told.then_some(ErrorKind::DuplicateTrial),
        });
        let price = entry.and_then(|entry| entry.set).map_or(1.0, |set| self.world.sets[set].2);
        let told = match self.books.faults_of_values(&values).is_empty() {
            true => self.told(word, &values, price),
            false => Told::nothing(word),
        };
        faults.extend(Books::faults(&told));
        let outcome = told.outcome(self.view, &[]);
        Ok(
            match self.attempt(&faults, &[], |study| {
                study.tell(TrialId::from(id), &values, outcome.clone())
            })? {
                Ok(()) => {
                    self.books.tell(id, values, &told);
                    Said::Taken
                }
                Err(kind) => Said::Refused(kind),
            },
        )
    }

    fn import(&mut self, place: &Place, word: Word) -> Held<Said> {
        let middle = self.at(&vec![0.5; self.world.axes.len()]);
        let values = match place {
            Place::At(unit) => self.at(unit),
            Place::Like(which) => {
                let told: Vec<&Vec<f64>> =
                    self.books.entries.iter().filter_map(|entry| entry.values.as_ref()).collect();
                told.get(which % told.len().max(1)).map_or(middle, |values| (*values).clone())
            }
            Place::Spoiled { unit, index, value } => {
                let mut values = self.at(unit);
                values[*index] = value.number().unwrap_or(f64::NAN);
                values
            }
            Place::Long => [middle, vec![0.5]].concat(),
            Place::Short => middle[1..].to_vec(),
        };
        let mut faults = self.books.faults_of_values(&values);
        let told = match faults.is_empty() {
            true => self.told(word, &values, 1.0),
            false => Told::nothing(word),
        };
        faults.extend(Books::faults(&told));
        let (outcome, number) = (told.outcome(self.view, &[]), self.books.entries.len());
        Ok(match self.attempt(&faults, &[], |study| study.import(&values, outcome.clone()))? {
            Ok(id) => {
                hold(id.index() == number, Invariant::HistoryIsWhatWasTold, || {
                    format!("{id}, expected {number}")
                })?;
                self.books.import(values, &told);
                Said::Taken
            }
            Err(kind) => Said::Refused(kind),
        })
    }

    fn withdraw(&mut self, id: usize) -> Held<Said> {
        let faults = match self.books.entries.get(id).map(|entry| entry.state) {
            None => vec![ErrorKind::UnknownTrial],
            Some(TrialState::Withdrawn) => vec![ErrorKind::DuplicateTrial],
            Some(_) => Vec::new(),
        };
        Ok(match self.attempt(&faults, &[], |study| study.withdraw(id))? {
            Ok(()) => {
                self.books.withdraw(id);
                Said::Taken
            }
            Err(kind) => Said::Refused(kind),
        })
    }

    fn correct(&mut self, id: usize, word: Word) -> Held<Said> {
        let entry = self.books.entries.get(id);
        let mut faults = match entry.map(|entry| entry.is_told()) {
            None => vec![ErrorKind::UnknownTrial],
            Some(false) => vec![ErrorKind::InvalidSetting],
            Some(true) => Vec::new(),
        };
        let values = entry
            .and_then(|entry| entry.values.clone())
            .unwrap_or_else(|| self.at(&vec![0.5; self.world.axes.len()]));
        let price = entry.and_then(|entry| entry.set).map_or(1.0, |set| self.world.sets[set].2);
        let told = self.told(word, &values, price);
        faults.extend(Books::faults(&told));
        let outcome = told.outcome(self.view, &[]);
        Ok(match self.attempt(&faults, &[], |study| study.correct(id, outcome.clone()))? {
            Ok(()) => {
                self.books.correct(id, &told);
                Said::Taken
            }
            Err(kind) => Said::Refused(kind),
        })
    }

    fn verdict(&mut self) -> Held<Said> {
        let verdict = match self.attempt(&[], &self.excuses(), SubsetStudy::verdict)? {
            Ok(verdict) => verdict,
            Err(kind) => return Ok(Said::Refused(kind)),
        };
        let (reason, spent) = (verdict.reason(), self.books.spent());
        if reason.rule == "exhausted" && self.space.is_finite() && verdict.is_stop() {
            return Ok(Said::Judged(Judged::from(&verdict)));
        }
        let form = match self.world.budget.map(|budget| self.view.cost(budget)) {
            None => reason.rule == "none" && !verdict.is_stop(),
            Some(budget) => {
                let (left, rounding) = (budget - spent, 1e-12 * (spent + budget));
                let known =
                    (0..self.world.sets.len()).any(|set| self.books.price(set) == reason.threshold);
                let fires = verdict.is_stop() == (reason.threshold > left)
                    || (reason.threshold - left).abs() <= rounding;
                reason.rule == "budget"
                    && (reason.statistic - left).abs() <= rounding
                    && known
                    && fires
            }
        };
        hold(form && !reason.to_string().is_empty(), Invariant::VerdictsHaveTheirForm, || {
            format!("{verdict:?}, spent {spent}")
        })?;
        if let Some(before) = self.books.next {
            hold(before == reason.threshold, Invariant::VerdictsRepeat, || {
                format!("{before}, then {}", reason.threshold)
            })?;
        }
        self.books.next = Some(reason.threshold);
        if verdict.is_stop() {
            self.tally.stop(&reason.rule);
        }
        Ok(Said::Judged(Judged::from(&verdict)))
    }

    fn recommendation(&mut self) -> Held<Said> {
        let advice = match self.attempt(&[], &self.excuses(), SubsetStudy::recommendation)? {
            Ok(advice) => advice,
            Err(kind) => return Ok(Said::Refused(kind)),
        };
        hold(advice.is_some() == self.books.knows_outcomes(), Invariant::AdviceIsSound, || {
            format!("{advice:?}")
        })?;
        self.advised(advice.as_slice())
    }

    fn recommendations(&mut self) -> Held<Said> {
        let advice = match self.attempt(&[], &self.excuses(), SubsetStudy::recommendations)? {
            Ok(advice) => advice,
            Err(kind) => return Ok(Said::Refused(kind)),
        };
        let count = if self.books.knows_outcomes() { self.world.sets.len() } else { 0 };
        hold(advice.len() == count, Invariant::AdviceIsSound, || {
            format!("{} pieces of advice, expected {count}", advice.len())
        })?;
        for trial in self.study.history() {
            let text = serde_json::to_string(trial).unwrap_or_else(|error| error.to_string());
            let again = serde_json::from_str::<SubsetTrial>(&text)
                .map(|trial| serde_json::to_string(&trial).unwrap_or_default());
            hold(
                again.as_ref().is_ok_and(|again| *again == text),
                Invariant::RecordSurvives,
                || format!("{text}, then {again:?}"),
            )?;
        }
        self.advised(&advice)
    }

    fn advised(&self, advice: &[SubsetRecommendation]) -> Held<Said> {
        let sign = if self.world.maximize == self.view.mirrored { -1.0 } else { 1.0 };
        let sorted =
            advice.windows(2).all(|pair| sign * pair[0].expected >= sign * pair[1].expected);
        hold(sorted || self.books.has_no_squares(), Invariant::AdviceIsSound, || {
            format!("not sorted: {advice:?}")
        })?;
        for one in advice {
            let axes = self.axes(one.set);
            let spreads =
                [one.error, one.spread].iter().all(|spread| spread.is_finite() && *spread >= 0.0);
            // Numbers whose squares are none have no spread.
            let numbers = self.books.has_no_squares() || (one.expected.is_finite() && spreads);
            let set =
                one.name == self.world.sets[one.set].0 && one.cost == self.books.price(one.set);
            let names = one.variables.iter().eq(axes.iter().map(|(name, _)| name));
            let inside = invariants::inside(&axes, &one.values)
                && one.query.iter().all(|u| (0.0..=1.0).contains(u));
            hold(
                numbers && set && names && inside && !one.to_string().is_empty(),
                Invariant::AdviceIsSound,
                || format!("{one:?}"),
            )?;
        }
        let told = |one: &SubsetRecommendation| {
            let spreads = vec![one.error, one.spread];
            Advice {
                which: one.set,
                values: one.values.iter().copied().map(Value::from).collect(),
                expected: one.expected,
                spreads,
            }
        };
        Ok(Said::Advised(advice.iter().map(told).collect()))
    }
}
