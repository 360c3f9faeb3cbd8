//! What a study is asked: points, verdicts, prices.

use gittins::data::{Condition, Requirement};
use gittins::study::{Request, TrialState, Why};
use gittins::{Acquisition, Ask, ErrorKind, Joint, Pointwise, Study, Trial, Value};

use crate::calls::Side;
use crate::invariants::{self, Held, must};
use crate::oracles;
use crate::play::{Answer, Halt, Player};
use crate::said::{Advice, Asked, Judged, Said, Thought};
use crate::world::rule::RuleSpec;

/// How points were asked for.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// Each beside those before it.
    InTurn,
    /// Each beside all others, which the oracle of values does not know of.
    Jointly,
    /// Within a limit, beyond which all of the design may be.
    Within,
    /// In a part of the space, of which nothing may be left.
    Where,
}

impl Player<'_> {
    pub(super) fn ask(&mut self, count: usize) -> Answer {
        let mut asked = Vec::with_capacity(count);
        for _ in 0..count {
            let (faults, excuses) = self.refusals();
            let ask = self.attempt(&faults, &excuses, Study::ask).inspect_err(|_| {
                // It may have fitted, of which no record tells.
                self.books.is_watched = false;
            })?;
            asked.extend(self.enter(&[ask], Way::InTurn)?);
        }
        Ok(Said::Asked(asked))
    }

    /// Several at once. If some of them may be refused, they are asked for one by one: what a round
    /// that ends with an error has entered comes without its words.
    pub(super) fn ask_together(&mut self, count: usize, jointly: bool) -> Answer {
        let runs_out = self.books.points_left().is_some_and(|left| left < count);
        if runs_out || self.books.may_run_out() || !self.excuses().is_empty() {
            return self.ask(count);
        }
        let (way, request) = match jointly {
            false => (Way::InTurn, Request::new().count(count)),
            true => (Way::Jointly, Request::new().count(count).jointly()),
        };
        let asks = self.attempt(&[], &[], |study| study.ask_for(&request))?;
        let found = asks.len();
        must!(found == count, HistoryIsWhatWasTold, "{found} of {count} points")?;
        Ok(Said::Asked(self.enter(&asks, way)?))
    }

    /// A point within so many times the usual cost.
    pub(super) fn ask_within(&mut self, factor: f64) -> Answer {
        let costs = self.books.entries.iter().filter_map(|entry| entry.cost);
        let (sum, count) = costs.fold((0.0, 0.0), |(sum, count), cost| (sum + cost, count + 1.0));
        let limit = factor * if count > 0.0 { sum / count } else { self.view.money };
        let (mut faults, mut excuses) = self.refusals();
        if limit.is_nan() || limit <= 0.0 {
            faults = vec![ErrorKind::InvalidSetting];
        } else if limit.is_finite() {
            // Before a table ends, it may end within the limit, which is no error.
            excuses.append(&mut faults);
            if !(self.books.knows_costs() && self.books.knows_outcomes()) {
                excuses.push(ErrorKind::Empty);
            }
        }
        self.books.is_watched = false;
        let request = Request::new().within(limit);
        let asks = self.attempt(&faults, &excuses, |study| study.ask_for(&request))?;
        if asks.is_empty() {
            must!(limit.is_finite(), HistoryIsWhatWasTold, "no point without a limit")?;
            return Ok(Said::Taken);
        }
        if let Why::Suggested(said) = asks[0].why() {
            // The cost is computed again for the whole suggestion.
            let near = said.cost <= limit * (1.0 + 1e-9);
            must!(near, ValuesAreOfTheirNumbers, "{said:?} within {limit}")?;
        }
        Ok(Said::Asked(self.enter(&asks, Way::Within)?))
    }

    /// A point at which a parameter is what it is in a trial, or on one side of that.
    pub(super) fn ask_where(&mut self, trial: usize, parameter: usize, side: Side) -> Answer {
        let values = &self.books.entries[trial].values;
        let place = parameter % values.len();
        let value = values[place].clone();
        let requirement = match (side, value.number()) {
            (_, None) if value == Value::Absent => return Err(Halt::Idle),
            (Side::Least, Some(bound)) => Requirement::AtLeast(bound),
            (Side::Most, Some(bound)) => Requirement::AtMost(bound),
            _ => Requirement::Is(vec![value.clone()]),
        };
        let name = self.books.domain().names()[place].to_owned();
        let condition = Condition { parameter: name, requirement: requirement.clone() };
        let faults = self.world.has_table().then_some(ErrorKind::InvalidSetting);
        let mut excuses = self.excuses();
        excuses.push(ErrorKind::Exhausted);
        self.books.is_watched = false;
        let request = Request::new().given([condition]);
        let asks = self.attempt(faults.as_slice(), &excuses, |study| study.ask_for(&request))?;
        let found = &asks[0].values()[place];
        // A number of the unit cube is rounded to one of its parameter.
        let near = |bound: f64| found.number().map(|number| (number - bound) / (1.0 + bound.abs()));
        let holds = *found == Value::Absent
            || match &requirement {
                Requirement::AtLeast(bound) => near(*bound).is_some_and(|above| above >= -1e-12),
                Requirement::AtMost(bound) => near(*bound).is_some_and(|above| above <= 1e-12),
                _ => {
                    *found == value
                        || value.number().and_then(near).is_some_and(|off| off.abs() <= 1e-12)
                }
            };
        must!(holds, ValuesAreOfTheirNumbers, "{asks:?} where {requirement:?}")?;
        Ok(Said::Asked(self.enter(&asks, Way::Where)?))
    }

    /// Errors that must and that may come where nothing is left. Where noise may make repeats worth
    /// it, points have an end only if the model says so.
    fn refusals(&self) -> (Vec<ErrorKind>, Vec<ErrorKind>) {
        let ends = self.books.is_exhausted();
        let faults = (ends && self.world.is_lucky()).then_some(ErrorKind::Exhausted);
        let mut excuses = self.excuses();
        excuses.extend((ends || self.books.may_run_out()).then_some(ErrorKind::Exhausted));
        (faults.into_iter().collect(), excuses)
    }

    /// Enters the last trials of the study, which were asked for.
    fn enter(&mut self, asks: &[Ask], way: Way) -> Held<Vec<Asked>> {
        let trials: Vec<Trial> =
            self.study.history().iter().rev().take(asks.len()).rev().cloned().collect();
        must!(trials.len() == asks.len(), HistoryIsWhatWasTold, "no trial after an ask")?;
        asks.iter().zip(trials).map(|(ask, trial)| self.enter_one(ask, trial, way)).collect()
    }

    fn enter_one(&mut self, ask: &Ask, trial: Trial, way: Way) -> Held<Asked> {
        invariants::ask(self.world, ask, &self.books.domain().names())?;
        invariants::point(self.world, self.books.domain(), &trial)?;
        let (stage, said) = match ask.why() {
            Why::Initial { .. } => ("design", None),
            Why::Suggested(said) => ("suggested", Some(said)),
            Why::Plateau { .. } => ("random_restart", None),
            _ => ("exploring", None),
        };
        let repeated = said.as_ref().is_some_and(|said| said.repeated);
        let new = !self.books.is_taken(&trial.unit);
        let allowed = new || self.may_repeat(stage, repeated, &trial.unit);
        must!(allowed, PointsAreNew, "{trial:?}")?;
        let blind = stage == "exploring" && self.books.never_varied();
        let suggests =
            self.books.knows_outcomes() && !["design", "random_restart"].contains(&stage) && !blind;
        must!((stage == "suggested") == suggests, HistoryIsWhatWasTold, "{stage}")?;
        if let Some(said) = said.filter(|_| !self.books.has_no_squares()) {
            let doubts = self.books.knows_failures() || self.books.knows_measures();
            invariants::suggestion(said, self.books.knows_costs(), doubts)?;
            if way != Way::Jointly {
                oracles::value(self.world, self.view, &self.books, said)?;
            }
        }
        let is_outcome = |acquisition: &Acquisition| {
            matches!(
                acquisition,
                Acquisition::Pointwise(Pointwise::UpperConfidenceBound { .. })
                    | Acquisition::Pointwise(Pointwise::Gittins { .. })
                    | Acquisition::Joint(Joint::ThompsonSample { .. })
            )
        };
        let thought = said.map(|said| Thought {
            value: said.value,
            is_outcome: is_outcome(&said.acquisition),
            mean: said.mean,
            sd: said.sd,
            cost: said.cost,
            price: if let Acquisition::Pointwise(Pointwise::Gittins { lambda }) = said.acquisition {
                Some(lambda)
            } else {
                None
            },
            repeated,
        });
        self.books.ask(ask, &trial, matches!(way, Way::Within | Way::Where))?;
        let Trial { values, unit, row, .. } = trial;
        Ok(Asked { set: None, values, unit, row, stage, said: thought })
    }

    /// Whether a point may come again: another outcome may be worth its price where the model
    /// believes in noise, but never while the first is pending.
    fn may_repeat(&self, stage: &str, repeated: bool, unit: &[f64]) -> bool {
        let under_way = self.books.is_under_way(unit);
        stage == "suggested" && repeated && !self.world.is_lucky() && !under_way
    }

    pub(super) fn verdict(&mut self) -> Answer {
        let mut excuses = self.excuses();
        let rule = self.world.rule.as_ref();
        if rule.is_some_and(RuleSpec::may_fail) {
            excuses.push(ErrorKind::Data);
        }
        if rule.is_some_and(|rule| rule.is_stray(self.world.domain.dim())) {
            excuses.push(ErrorKind::Dimension);
        }
        let before = self.books.verdict.clone();
        let verdict = self.attempt(&[], &excuses, Study::verdict)?;
        // Numbers whose squares are none have no moments.
        let speechless =
            rule.is_some_and(RuleSpec::may_be_speechless) || self.books.has_no_squares();
        invariants::verdict(
            &verdict,
            // Few trials leave a doubt whether one may hold all limits.
            rule.is_none_or(RuleSpec::fires_at_threshold)
                && !self.world.is_hurried()
                && self.world.measured.is_empty(),
            speechless,
        )?;
        let own = match () {
            () if self.books.is_broke() => Some(("budget", true)),
            () if self.books.is_evaluated()
                && (self.world.is_lucky() || verdict.reason().rule == "exhausted") =>
            {
                Some(("exhausted", true))
            }
            () if self.books.design_is_open() => Some(("initial design", false)),
            () if rule.is_none()
                && self.policy.price().is_none()
                && self.world.spec.budget.is_none() =>
            {
                Some(("none", false))
            }
            () => None,
        };
        let reason = verdict.reason();
        let named = match own {
            // A limit of trials may be reached amid the design.
            Some(("initial design", false)) if reason.rule == "number of trials" => true,
            Some((name, stop)) => reason.rule == name && verdict.is_stop() == stop,
            None => {
                let is_end = reason.rule == "exhausted" && self.books.may_run_out();
                is_end || !["exhausted", "initial design", "none"].contains(&reason.rule.as_str())
            }
        };
        must!(named, VerdictsHaveTheirForm, "{verdict:?}, expected {own:?}")?;
        if own.is_none()
            && let Some(rule) = self.world.rule_seen(self.view)
            // What a front gains is compared in logarithms, whatever the form.
            && !(self.world.is_front() && matches!(rule, RuleSpec::Priced { .. }))
        {
            oracles::statistic(&rule, &self.books, reason)?;
        }
        if let Some(before) = before {
            let same = format!("{before:?}") == format!("{verdict:?}");
            must!(same, VerdictsRepeat, "{before:?}, then {verdict:?}")?;
        }
        self.books.hear(&verdict);
        if verdict.is_stop() {
            self.tally.stop(&reason.rule);
        }
        Ok(Said::Judged(Judged::from(&verdict)))
    }

    /// A verdict to stop is the same beside pending trials; one to go on may turn.
    pub(super) fn another(&mut self) -> Answer {
        self.verdict()?;
        let excuses = self.excuses();
        let (alone, beside, pending) = self.attempt(&[], &excuses, |study| {
            let alone = study.verdict()?;
            Ok((alone, study.verdict_on_another()?, study.counts().pending))
        })?;
        let same = format!("{alone:?}") == format!("{beside:?}");
        let is_for_money = self.policy.price().is_some() || self.world.spec.budget.is_some();
        let is_full = beside.reason().rule == "number of trials";
        let free = pending > 0 && !alone.is_stop() && (is_for_money || is_full);
        must!(same || free, VerdictsRepeat, "{alone:?}, then {beside:?}")?;
        if !same {
            let at_threshold = !self.world.is_hurried() && self.world.measured.is_empty();
            invariants::verdict(&beside, at_threshold, self.books.has_no_squares())?;
        }
        Ok(Said::Judged(Judged::from(&beside)))
    }

    pub(super) fn recommendation(&mut self) -> Answer {
        let found = self.attempt(&[], &self.numbers(), Study::recommendation)?;
        // It may have fitted, of which no record tells.
        self.books.is_watched = false;
        // A number that has noise holds its limit by its mean.
        let known = match self.world.measured.is_empty() {
            _ if self.world.is_front() => found.is_none(),
            true => found.is_some() == self.books.knows_outcomes(),
            false => found.is_none() || self.books.knows_outcomes(),
        };
        must!(known, AdviceIsSound, "{found:?}")?;
        let Some(found) = found else { return Ok(Said::Advised(Vec::new())) };
        let trial = found.trial.index();
        let agrees = self.books.entries.get(trial).is_some_and(|entry| {
            (&entry.values, &entry.unit, entry.outcome)
                == (&found.values, &found.unit, Some(found.outcome))
                && entry.state == TrialState::Complete
                && entry.measures[..self.world.measured.len()]
                    .iter()
                    .all(|one| one.is_some_and(|one| !one.is_nan()))
        });
        let named = found.named().map(|(name, _)| name).eq(self.books.domain().names());
        let numbers = self.books.has_no_squares()
            || (found.mean.is_finite() && found.sd.is_finite() && found.sd >= 0.0);
        let sound = agrees && named && numbers && !found.to_string().is_empty();
        must!(sound, AdviceIsSound, "{found:?}")?;
        Ok(Said::Advised(vec![Advice {
            which: trial,
            values: found.values,
            expected: found.mean,
            spreads: vec![found.sd],
        }]))
    }

    /// The front: trials of use, each once, in the order in which they were told.
    pub(super) fn front(&mut self) -> Answer {
        let found = self.attempt(&[], &self.numbers(), Study::front)?;
        // It may have fitted, of which no record tells.
        self.books.is_watched = false;
        let ids: Vec<usize> = found.iter().map(|trial| trial.id.index()).collect();
        let order = self.books.order();
        let place = |id: &usize| order.iter().position(|told| told == id);
        let places: Vec<Option<usize>> = ids.iter().map(place).collect();
        let own =
            |id: &usize| self.books.entries.get(*id).is_some_and(|one| self.books.is_of_use(one));
        // A number that has noise holds its limit by its mean.
        let of_use = self.world.has_limits() || ids.iter().all(own);
        let sound = of_use && places.is_sorted() && places.iter().all(Option::is_some);
        let known = self.books.entries.iter().any(|entry| self.books.is_of_use(entry));
        let filled = self.world.has_limits() || known != ids.is_empty();
        must!(sound && filled, AdviceIsSound, "{ids:?} of {order:?}")?;
        let advice = |trial: Trial| Advice {
            which: trial.id.index(),
            values: trial.values,
            expected: trial.outcome.unwrap_or(f64::NAN),
            spreads: vec![0.0],
        };
        Ok(Said::Advised(found.into_iter().map(advice).collect()))
    }

    pub(super) fn lambda(&mut self, times: f64) -> Answer {
        let design = self.books.design_cost();
        // What the design cost is a difference of two sums that are rounded: nearer than that
        // nothing is expected.
        let budget = if times.is_finite() {
            (1.0 + times) * design + times * 1e-3 * self.view.money
        } else {
            times
        };
        let mut faults = Vec::new();
        if !self.books.knows_outcomes() {
            faults.push(ErrorKind::Empty);
        }
        if !budget.is_finite() || times <= 0.0 || !self.world.prices_budgets() {
            faults.push(ErrorKind::InvalidSetting);
        }
        let mut excuses = self.numbers();
        // Outcomes and money that are too far apart have no price.
        if self.books.is_extreme() {
            excuses.push(ErrorKind::InvalidSetting);
        }
        let price = self.attempt(&faults, &excuses, |study| study.price_from_budget(budget))?;
        self.books.is_watched = false;
        let positive = price.is_finite() && price > 0.0;
        must!(positive, NumbersAreNumbers, "a price of {price} for {budget}")?;
        Ok(Said::Price(price))
    }
}
