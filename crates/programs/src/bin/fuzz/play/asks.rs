//! What a study is asked: points, verdicts, prices.

use gittins::data::{Condition, Requirement};
use gittins::study::{Request, TrialState, Why};
use gittins::{Acquisition, Ask, ErrorKind, Joint, Pointwise, Study, Trial, Value};

use crate::calls::Side;
use crate::invariants::{self, Held, Invariant, hold};
use crate::oracles;
use crate::play::{Player, attempt};
use crate::transcript::{Advice, Asked, Judged, Said, Thought};
use crate::world::domain::DomainSpec;
use crate::world::policy::PolicySpec;
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
    pub(super) fn ask(&mut self, count: usize) -> Held<Said> {
        let mut asked = Vec::with_capacity(count);
        for _ in 0..count {
            let (faults, excuses) = self.refusals();
            let ask = match self.attempt(&faults, &excuses, Study::ask)? {
                Ok(ask) => ask,
                Err(kind) => {
                    // It may have fitted, of which no record tells.
                    self.books.is_watched = false;
                    return Ok(Said::Refused(kind));
                }
            };
            asked.extend(self.enter(&[ask], Way::InTurn)?);
        }
        Ok(Said::Asked(asked))
    }

    /// Several at once. If some of them may be refused, they are asked for one by one: what a round
    /// that ends with an error has entered comes without its words.
    pub(super) fn ask_together(&mut self, count: usize, jointly: bool) -> Held<Said> {
        let runs_out = self.books.rows_left().is_some_and(|rows| rows < count);
        if runs_out || !self.excuses().is_empty() {
            return self.ask(count);
        }
        let (way, request) = match jointly {
            false => (Way::InTurn, Request::new().count(count)),
            true => (Way::Jointly, Request::new().count(count).jointly()),
        };
        let asks = match self.attempt(&[], &[], |study| study.ask_for(&request))? {
            Ok(asks) => asks,
            Err(kind) => return Ok(Said::Refused(kind)),
        };
        hold(asks.len() == count, Invariant::HistoryIsWhatWasTold, || {
            format!("{} of {count} points", asks.len())
        })?;
        Ok(Said::Asked(self.enter(&asks, way)?))
    }

    /// A point within so many times the usual cost.
    pub(super) fn ask_within(&mut self, factor: f64) -> Held<Said> {
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
        let asks = match self.attempt(&faults, &excuses, |study| study.ask_for(&request))? {
            Ok(asks) => asks,
            Err(kind) => return Ok(Said::Refused(kind)),
        };
        if asks.is_empty() {
            hold(limit.is_finite(), Invariant::HistoryIsWhatWasTold, || {
                "no point without a limit".to_owned()
            })?;
            return Ok(Said::Taken);
        }
        if let Why::Suggested(said) = asks[0].why() {
            // The cost is computed again for the whole suggestion.
            let near = said.cost <= limit * (1.0 + 1e-9);
            hold(near, Invariant::ValuesAreOfTheirNumbers, || format!("{said:?} within {limit}"))?;
        }
        Ok(Said::Asked(self.enter(&asks, Way::Within)?))
    }

    /// A point at which a parameter is what it is in a trial, or on one side of that.
    pub(super) fn ask_where(&mut self, trial: usize, parameter: usize, side: Side) -> Held<Said> {
        let values = &self.books.entries[trial].values;
        let place = parameter % values.len();
        let value = values[place].clone();
        let requirement = match (side, value.number()) {
            (_, None) if value == Value::Absent => return Ok(Said::Idle),
            (Side::Least, Some(bound)) => Requirement::AtLeast(bound),
            (Side::Most, Some(bound)) => Requirement::AtMost(bound),
            _ => Requirement::Is(vec![value.clone()]),
        };
        let name = self.books.domain().names()[place].to_owned();
        let condition = Condition { parameter: name, requirement: requirement.clone() };
        let faults = match self.world.domain {
            DomainSpec::Table { .. } => vec![ErrorKind::InvalidSetting],
            _ => Vec::new(),
        };
        let mut excuses = self.excuses();
        excuses.push(ErrorKind::Exhausted);
        self.books.is_watched = false;
        let request = Request::new().given([condition]);
        let asks = match self.attempt(&faults, &excuses, |study| study.ask_for(&request))? {
            Ok(asks) => asks,
            Err(kind) => return Ok(Said::Refused(kind)),
        };
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
        hold(holds, Invariant::ValuesAreOfTheirNumbers, || {
            format!("{asks:?} where {requirement:?}")
        })?;
        Ok(Said::Asked(self.enter(&asks, Way::Where)?))
    }

    /// Errors that must and that may come where nothing is left. Where noise may make repeats worth
    /// it, a table has an end only if the model says so.
    fn refusals(&self) -> (Vec<ErrorKind>, Vec<ErrorKind>) {
        let ends = self.books.is_exhausted();
        let faults = (ends && self.world.lucky).then_some(ErrorKind::Exhausted);
        let mut excuses = self.excuses();
        excuses.extend(ends.then_some(ErrorKind::Exhausted));
        (faults.into_iter().collect(), excuses)
    }

    /// Enters the last trials of the study, which were asked for.
    fn enter(&mut self, asks: &[Ask], way: Way) -> Held<Vec<Asked>> {
        let trials: Vec<Trial> =
            self.study.history().iter().rev().take(asks.len()).rev().cloned().collect();
        hold(trials.len() == asks.len(), Invariant::HistoryIsWhatWasTold, || {
            "no trial after an ask".to_owned()
        })?;
        asks.iter().zip(trials).map(|(ask, trial)| self.enter_one(ask, trial, way)).collect()
    }

    fn enter_one(&mut self, ask: &Ask, trial: Trial, way: Way) -> Held<Asked> {
        invariants::ask(self.world, ask, &self.books.domain().names())?;
        invariants::point(self.world, self.books.domain(), &trial)?;
        let (stage, said) = match ask.why() {
            Why::Initial { .. } => ("design", None),
            Why::Suggested(said) => ("suggested", Some(said)),
            _ => ("exploring", None),
        };
        let repeated = said.as_ref().is_some_and(|said| said.repeated);
        let new = !self.books.is_taken(&trial.unit);
        // How many points a part has is not counted.
        let left_none = way == Way::Where && (repeated || stage != "suggested");
        hold(
            new || left_none || self.may_repeat(stage, repeated, &trial.unit),
            Invariant::PointsAreNew,
            || format!("{trial:?}"),
        )?;
        let suggests = self.books.knows_outcomes() && stage != "design";
        hold((stage == "suggested") == suggests, Invariant::HistoryIsWhatWasTold, || {
            stage.to_owned()
        })?;
        if let Some(said) = said.filter(|_| !self.books.has_no_squares()) {
            invariants::suggestion(said, self.books.knows_costs(), self.books.knows_failures())?;
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
        self.books.ask(ask, &trial, way == Way::Within)?;
        let Trial { values, unit, row, .. } = trial;
        Ok(Asked { set: None, values, unit, row, stage, said: thought })
    }

    /// Whether a point may come again: in a space only, where little is left or the search says
    /// that it found nothing else. A quasi-random point is tried 256 times, which misses an eighth
    /// of a grid with a probability of less than 1e-14.
    fn may_repeat(&self, stage: &str, repeated: bool, unit: &[f64]) -> bool {
        // Another outcome may be worth its price where the model believes in noise, but never while
        // the first is under way.
        let under_way = self.books.is_under_way(unit);
        if stage == "suggested" && repeated && !self.world.lucky && !under_way {
            return true;
        }
        // How many points are free, and their share among quasi-random ones.
        let whole = self.world.domain.points();
        let free = match &self.world.domain {
            DomainSpec::Table { .. } => return false,
            DomainSpec::Space(_) => whole.map(|whole| {
                let free = whole - self.books.count_taken();
                (free, free as f64 / whole as f64)
            }),
            DomainSpec::Mixed(space) => space.points().map(|points| {
                let taken = self.books.codes_taken();
                let free = points.iter().filter(|(point, _)| !taken.contains(*point));
                free.fold((0, 0.0), |(count, sum), (_, share)| (count + 1, sum + share))
            }),
        };
        match stage {
            "suggested" => {
                let nothing = free.is_some_and(|(count, _)| count == 0);
                repeated && (nothing || whole.is_none_or(|points| points > 4096))
            }
            _ => free.is_some_and(|(_, share)| share < 0.125),
        }
    }

    pub(super) fn verdict(&mut self) -> Held<Said> {
        let mut excuses = self.excuses();
        let rule = self.world.rule.as_ref();
        if rule.is_some_and(RuleSpec::may_fail) {
            excuses.push(ErrorKind::Data);
        }
        if rule.is_some_and(|rule| rule.is_stray(self.world.domain.dim())) {
            excuses.push(ErrorKind::Dimension);
        }
        let before = self.books.verdict.clone();
        let verdict = match self.attempt(&[], &excuses, Study::verdict)? {
            Ok(verdict) => verdict,
            Err(kind) => return Ok(Said::Refused(kind)),
        };
        // Numbers whose squares are none have no moments.
        let speechless =
            rule.is_some_and(RuleSpec::may_be_speechless) || self.books.has_no_squares();
        invariants::verdict(
            &verdict,
            rule.is_none_or(RuleSpec::fires_at_threshold) && !self.world.hurried,
            speechless,
        )?;
        let own = match () {
            () if self.books.is_broke() => Some(("budget", true)),
            () if self.books.is_evaluated()
                && (self.world.lucky || verdict.reason().rule == "exhausted") =>
            {
                Some(("exhausted", true))
            }
            () if self.books.design_is_open() => Some(("initial design", false)),
            () if rule.is_none()
                && self.policy.price().is_none()
                && self.world.budget.is_none() =>
            {
                Some(("none", false))
            }
            () => None,
        };
        let reason = verdict.reason();
        let named = match own {
            Some((name, stop)) => reason.rule == name && verdict.is_stop() == stop,
            None => !["exhausted", "initial design", "none"].contains(&reason.rule.as_str()),
        };
        hold(named, Invariant::VerdictsHaveTheirForm, || format!("{verdict:?}, expected {own:?}"))?;
        if own.is_none()
            && let Some(rule) = rule
        {
            oracles::statistic(rule, self.view, &self.books, reason)?;
        }
        if let Some(before) = before {
            hold(
                format!("{before:?}") == format!("{verdict:?}"),
                Invariant::VerdictsRepeat,
                || format!("{before:?}, then {verdict:?}"),
            )?;
        }
        self.books.hear(&verdict);
        if verdict.is_stop() {
            self.tally.stop(&reason.rule);
        }
        Ok(Said::Judged(Judged::from(&verdict)))
    }

    /// A verdict to stop is the same beside trials under way; one to go on may turn.
    pub(super) fn another(&mut self) -> Held<Said> {
        let alone = self.verdict()?;
        let Said::Judged(_) = &alone else { return Ok(alone) };
        let excuses = self.excuses();
        let said = self.attempt(&[], &excuses, |study| {
            let alone = study.verdict()?;
            Ok((alone, study.verdict_on_another()?, study.counts().pending))
        })?;
        let (alone, beside, pending) = match said {
            Ok(said) => said,
            Err(kind) => return Ok(Said::Refused(kind)),
        };
        let same = format!("{alone:?}") == format!("{beside:?}");
        let is_for_money = self.policy.price().is_some() || self.world.budget.is_some();
        let free = pending > 0 && !alone.is_stop() && is_for_money;
        hold(same || free, Invariant::VerdictsRepeat, || format!("{alone:?}, then {beside:?}"))?;
        if !same {
            invariants::verdict(&beside, !self.world.hurried, self.books.has_no_squares())?;
        }
        Ok(Said::Judged(Judged::from(&beside)))
    }

    pub(super) fn recommendation(&mut self) -> Held<Said> {
        let found = match self.attempt(&[], &self.numbers(), Study::recommendation)? {
            Ok(found) => found,
            Err(kind) => return Ok(Said::Refused(kind)),
        };
        // It may have fitted, of which no record tells.
        self.books.is_watched = false;
        hold(found.is_some() == self.books.knows_outcomes(), Invariant::AdviceIsSound, || {
            format!("{found:?}")
        })?;
        let Some(found) = found else { return Ok(Said::Advised(Vec::new())) };
        let trial = found.trial.index();
        let agrees = self.books.entries.get(trial).is_some_and(|entry| {
            (&entry.values, &entry.unit, entry.outcome)
                == (&found.values, &found.unit, Some(found.outcome))
                && entry.state == TrialState::Complete
        });
        let named = found.named().map(|(name, _)| name).eq(self.books.domain().names());
        let numbers = self.books.has_no_squares()
            || (found.mean.is_finite() && found.sd.is_finite() && found.sd >= 0.0);
        hold(
            agrees && named && numbers && !found.to_string().is_empty(),
            Invariant::AdviceIsSound,
            || format!("{found:?}"),
        )?;
        Ok(Said::Advised(vec![Advice {
            which: trial,
            values: found.values,
            expected: found.mean,
            spreads: vec![found.sd],
        }]))
    }

    pub(super) fn lambda(&mut self, times: f64) -> Held<Said> {
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
        Ok(match self.attempt(&faults, &excuses, |study| study.lambda_from_budget(budget))? {
            Ok(price) => {
                self.books.is_watched = false;
                hold(price.is_finite() && price > 0.0, Invariant::NumbersAreNumbers, || {
                    format!("a price of {price} for {budget}")
                })?;
                Said::Price(price)
            }
            Err(kind) => Said::Refused(kind),
        })
    }

    pub(super) fn change(&mut self, policy: &PolicySpec, wrong: bool) -> Held<Said> {
        let mut faults = Vec::new();
        if wrong {
            faults.extend([ErrorKind::InvalidSetting, ErrorKind::NonFinite, ErrorKind::Empty]);
        }
        if policy.price().is_none() && self.world.rule.as_ref().is_some_and(RuleSpec::needs_price) {
            faults.push(ErrorKind::InvalidSetting);
        }
        let built = attempt(|| policy.build(self.world.maximize, self.view))?;
        Ok(match self.attempt(&faults, &[], |study| study.change_policy(built))? {
            Ok(()) => {
                self.policy = policy.clone();
                self.changed = true;
                self.books.stray();
                Said::Taken
            }
            Err(kind) => Said::Refused(kind),
        })
    }
}
