//! Points that a study is asked for.

use gittins::data::{Condition, Requirement};
use gittins::study::{Request, TrialState, Why};
use gittins::suggest::Suggestion;
use gittins::{Acquisition, Ask, ErrorKind, Joint, Pointwise, Study, Trial, Value};

use super::player::{Answer, Halt};
use super::study::Player;
use crate::calls::Side;
use crate::invariants::{self, Held, must};
use crate::oracles;
use crate::said::{Line, Quantity, Said};

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

struct Refusals {
    faults: Vec<ErrorKind>,
    excuses: Vec<ErrorKind>,
}

impl Player<'_> {
    pub fn ask(&mut self, count: usize) -> Answer {
        let mut asked = Vec::with_capacity(count);
        for _ in 0..count {
            let Refusals { faults, excuses } = self.refusals();
            let ask = self.attempt(&faults, &excuses, Study::ask).inspect_err(|_| {
                // It may have fitted, of which no record tells.
                self.log.is_watched = false;
            })?;
            asked.push(self.enter(&ask, Way::InTurn)?);
        }
        Ok(Said::Answered(asked))
    }

    /// Several at once. If some of them may be refused, they are asked for one by one: what a round
    /// that ends with an error has entered comes without its words.
    pub fn ask_together(&mut self, count: usize, jointly: bool) -> Answer {
        let mut request = Request::new().count(count);
        if jointly {
            request = request.jointly();
        }
        let refused = if jointly { self.refused_in_stages() } else { Vec::new() };
        let runs_out = self.log.points_left().is_some_and(|left| left < count);
        let may_end = runs_out || self.log.may_run_out() || !self.excuses().is_empty();
        if may_end && refused.is_empty() {
            return self.ask(count);
        }
        let asks = self.attempt(&refused, &[], |study| study.ask_for(&request))?;
        let found = asks.len();
        must!(found == count, HistoryIsWhatWasTold, "{found} of {count} points")?;
        let way = if jointly { Way::Jointly } else { Way::InTurn };
        let lines = asks.iter().map(|ask| self.enter(ask, way));
        Ok(Said::Answered(lines.collect::<Held<_>>()?))
    }

    /// A point within so many times the usual cost.
    pub fn ask_within(&mut self, factor: f64) -> Answer {
        let costs = Vec::from_iter(self.log.entries.iter().filter_map(|entry| entry.cost));
        let usual = match costs.len() {
            0 => self.view.money,
            count => costs.iter().sum::<f64>() / count as f64,
        };
        let limit = factor * usual;
        let Refusals { mut faults, mut excuses } = self.refusals();
        if limit.is_nan() || limit <= 0.0 {
            faults = vec![ErrorKind::InvalidSetting];
        } else if limit.is_finite() {
            // Before a table ends, it may end within the limit, which is no error.
            excuses.append(&mut faults);
            if !(self.log.knows_costs() && self.log.knows_outcomes()) {
                excuses.push(ErrorKind::Empty);
            }
            faults = self.refused_in_stages();
        }
        self.log.is_watched = false;
        let request = Request::new().within(limit);
        let asks = self.attempt(&faults, &excuses, |study| study.ask_for(&request))?;
        let Some(ask) = asks.first() else {
            must!(limit.is_finite(), HistoryIsWhatWasTold, "no point without a limit")?;
            return Ok(Said::Taken);
        };
        if let Why::Suggested(said) = ask.why() {
            // The cost is computed again for the whole suggestion.
            let near = said.cost <= limit * (1.0 + 1e-9);
            must!(near, ValuesAreOfTheirNumbers, "{said:?} within {limit}")?;
        }
        Ok(Said::Answered(vec![self.enter(ask, Way::Within)?]))
    }

    /// A point at which a parameter is what it is in a trial, or on one side of that.
    pub fn ask_where(&mut self, trial: usize, parameter: usize, side: Side) -> Answer {
        let values = &self.log.entries[trial].values;
        let place = parameter % values.len();
        let value = values[place].clone();
        let requirement = match (side, value.number()) {
            (_, None) if value == Value::Absent => return Err(Halt::Idle),
            (Side::Least, Some(bound)) => Requirement::AtLeast(bound),
            (Side::Most, Some(bound)) => Requirement::AtMost(bound),
            _ => Requirement::Is(vec![value.clone()]),
        };
        let name = self.log.domain().names()[place].to_owned();
        let condition = Condition { parameter: name, requirement: requirement.clone() };
        let is_refused = self.world.has_table() || self.in_stages();
        let faults = is_refused.then_some(ErrorKind::InvalidSetting);
        let excuses = [self.excuses(), vec![ErrorKind::Exhausted]].concat();
        self.log.is_watched = false;
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
        Ok(Said::Answered(vec![self.enter(&asks[0], Way::Where)?]))
    }

    /// Errors where nothing is left. Where noise may make repeats worth it, points have an end only
    /// if the model says so; in stages also if no trial waits to be resumed.
    fn refusals(&self) -> Refusals {
        let (ends, mut excuses) = (self.log.is_exhausted(), self.excuses());
        let must_end = ends && self.world.is_lucky() && !self.in_stages();
        let may_end = ends || self.log.may_run_out() || self.in_stages() && self.log.has_an_end();
        excuses.extend(may_end.then_some(ErrorKind::Exhausted));
        Refusals { faults: must_end.then_some(ErrorKind::Exhausted).into_iter().collect(), excuses }
    }

    fn enter(&mut self, ask: &Ask, way: Way) -> Held<Line> {
        let Some(trial) = self.pair.study.history().get(ask.id().index()).cloned() else {
            return Err(must!(false, HistoryIsWhatWasTold, "{ask:?} of no trial").unwrap_err());
        };
        invariants::ask(self.world, ask, &self.log.domain().names())?;
        invariants::point(self.world, self.log.domain(), &trial)?;
        let (stage, said) = match ask.why() {
            Why::Initial { .. } => ("design", None),
            Why::Suggested(said) => ("suggested", Some(&**said)),
            Why::Plateau { .. } => ("random_restart", None),
            Why::Stage(_) if ask.resume().is_some() => ("resumed", None),
            Why::Stage(_) => ("begun", None),
            _ => ("exploring", None),
        };
        if self.in_stages() {
            self.check_stage(ask, &trial)?;
        } else {
            self.check_suggestion(stage, said, &trial, way)?;
        }
        if ask.resume().is_some() {
            self.log.follow(ask.id().index(), &trial);
        } else {
            self.log.ask(ask, &trial, matches!(way, Way::Within | Way::Where))?;
        }
        Ok(line(stage, said, &trial))
    }

    /// A trial that begins is new, and one that goes on was paused.
    fn check_stage(&self, ask: &Ask, trial: &Trial) -> Held {
        let id = ask.id().index();
        let known = self.log.entries.get(id);
        let from = known.map_or(0.0, |entry| entry.progress());
        let agrees = match (known.map(|entry| entry.state), ask.resume()) {
            (None, None) => !self.log.is_row_taken(trial.row, &trial.unit),
            (Some(TrialState::Paused), Some(resume)) => resume == from,
            _ => false,
        };
        let total = self.world.stages().map_or(1.0, |stages| stages.total());
        let further = ask.until() > from && ask.until() <= total;
        must!(agrees && further, HistoryIsWhatWasTold, "{ask:?} of {trial:?}")
    }

    /// A whole trial: at a new point, by the model as soon as there is one, with a value that is that
    /// of its numbers.
    fn check_suggestion(
        &self,
        stage: &str,
        said: Option<&Suggestion>,
        trial: &Trial,
        way: Way,
    ) -> Held {
        // Another outcome may be worth its price where the model believes in noise, but never while
        // the first is pending.
        let repeats = said.is_some_and(|said| said.repeated)
            && !self.world.is_lucky()
            && !self.log.is_under_way(&trial.unit);
        must!(repeats || !self.log.is_taken(&trial.unit), PointsAreNew, "{trial:?}")?;
        let blind = stage == "exploring" && self.log.never_varied();
        let suggests =
            self.log.knows_outcomes() && !["design", "random_restart"].contains(&stage) && !blind;
        must!((stage == "suggested") == suggests, HistoryIsWhatWasTold, "{stage}")?;
        let Some(said) = said.filter(|_| !self.log.has_no_squares()) else { return Ok(()) };
        let doubts = self.log.knows_failures() || self.log.knows_measures();
        invariants::suggestion(said, self.log.knows_costs(), doubts)?;
        if way == Way::Jointly {
            return Ok(());
        }
        oracles::value(self.world, self.view, &self.log, said)
    }
}

fn line(stage: &str, said: Option<&Suggestion>, trial: &Trial) -> Line {
    use Quantity::{Any, Difference, Outcome, Price};
    let is_outcome = |acquisition: &Acquisition| {
        matches!(
            acquisition,
            Acquisition::Pointwise(
                Pointwise::UpperConfidenceBound { .. } | Pointwise::Gittins { .. }
            ) | Acquisition::Joint(Joint::ThompsonSample { .. })
        )
    };
    let Trial { id, values, unit, row, until, .. } = trial;
    let repeated = said.is_some_and(|said| said.repeated);
    let mut line = Line {
        topic: stage.to_owned(),
        choice: format!("{id} {values:?} {unit:?} {row:?} {until:?} {repeated}"),
        ..Line::default()
    };
    if let Some(said) = said {
        let of = if is_outcome(&said.acquisition) { Outcome } else { Any };
        line.tie = Some(0.0);
        line.worth.push(crate::said::Number { size: said.sd, ..of.is(said.value) });
        line.others = vec![Outcome.is(said.mean), Difference.is(said.sd), Any.is(said.cost)];
        if let Acquisition::Pointwise(Pointwise::Gittins { lambda }) = said.acquisition {
            line.others.push(Price.is(lambda));
        }
    }
    line
}
