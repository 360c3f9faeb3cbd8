//! Stopping rules over a recorded run: when would each have ended it?

use std::fmt;

use crate::error::{Error, ErrorKind, Result};
use crate::evaluation::{Course, Mark};
use crate::stop::{StopRule, Verdict};
use crate::study::{
    Record, Study, StudyBuilder, believe, check_recorded, models, place_of, reenter, retell,
};

/// Stopping rules, asked after each trial of a recorded run what they would have said.
///
/// A rule says here what it says in a study of the same settings that asks it after each trial
/// told, and only then. All rules see one model for each mark, and the same search is made once for
/// all rules that ask for it. Each rule has a state of its own and goes on after it has fired. The
/// models are those that the record names. If it names none, as after the last trial, they are
/// fitted as the study fitted them.
///
/// ```
/// use gittins::evaluation::Replay;
/// use gittins::stop::SpendingLimit;
/// use gittins::{GittinsRule, Outcome, Policy, Space, Study};
///
/// let settings = || Study::minimize(Space::new().float("x", 0.0, 1.0)).policy(Policy::gittins(1e-3)).initial(3).seed(7);
/// let mut study = settings().build()?;
/// for _ in 0..12 {
///     let ask = study.ask()?;
///     study.tell(ask.id(), Outcome::new((ask.get::<f64>("x")? - 0.3).powi(2)))?;
/// }
/// let replayed = Replay::new(settings()).rule(GittinsRule::new()).rule_named("five", SpendingLimit::new(5.0)).run(&study.record())?;
/// assert_eq!(replayed.rules[1].fired, Some(5));
/// assert_eq!(replayed.course.marks()[5].spent, 5.0);
/// # Ok::<(), gittins::Error>(())
/// ```
pub struct Replay {
    builder: StudyBuilder,
    rules: Vec<(String, Box<dyn StopRule>)>,
    cap: usize,
    refit: bool,
    until_fired: bool,
}

/// The verdicts of the rules.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Replayed {
    /// The run as far as the rules saw it, a mark for each time that they were asked.
    pub course: Course,
    /// The rules in their order.
    pub rules: Vec<Series>,
}

/// The verdicts of one rule, all along the course.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Series {
    /// The name of the rule.
    pub name: String,
    /// The verdict at each mark of the course, with [`Replay::until_fired`] as far as it was asked.
    pub checks: Vec<Check>,
    /// The mark at which it first fired. None if it never did.
    pub fired: Option<usize>,
}

/// The verdict of a rule at one mark.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Check {
    /// Its statistic: minus infinity if nothing was left to evaluate, infinity if nothing was known
    /// yet.
    pub statistic: f64,
    /// The value at or below which it fires.
    pub threshold: f64,
    /// Whether it fired.
    pub fired: bool,
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<&str> = self.rules.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Replay")
            .field("builder", &self.builder)
            .field("rules", &rules)
            .field("cap", &self.cap)
            .field("refit", &self.refit)
            .field("until_fired", &self.until_fired)
            .finish()
    }
}

impl Replay {
    /// A replay with the settings of the recorded study, whose own stopping rule is not asked.
    pub fn new(builder: StudyBuilder) -> Self {
        Self { builder, rules: Vec::new(), cap: usize::MAX, refit: false, until_fired: false }
    }

    /// One more rule, under its own name.
    pub fn rule(self, rule: impl StopRule + 'static) -> Self {
        let name = rule.name().to_owned();
        self.rule_named(name, rule)
    }

    /// One more rule under another name, for instance a name that says its settings.
    pub fn rule_named(mut self, name: impl Into<String>, rule: impl StopRule + 'static) -> Self {
        self.rules.push((name.into(), Box::new(rule)));
        self
    }

    /// No mark after this number of suggested trials; the whole record unless set.
    pub fn cap(mut self, adaptive: usize) -> Self {
        self.cap = adaptive;
        self
    }

    /// Fits every model anew, whatever the record names: to use another model, or to check.
    pub fn refit(mut self) -> Self {
        self.refit = true;
        self
    }

    /// Asks no rule again after it has fired: for stopping times alone, when rules are slow.
    pub fn until_fired(mut self) -> Self {
        self.until_fired = true;
        self
    }

    /// Walks along the record.
    ///
    /// # Errors
    /// Those of [`StudyBuilder::build`]; `Empty` without a rule, and for a record that ends before
    /// the initial design does; those of the rules' validation and, naming the trial, of their
    /// statistics; naming the trial as well: `InvalidSetting`, `UnknownParameter`, `OutOfBounds`
    /// and the like for a record that is not one of this study.
    pub fn run(mut self, record: &Record) -> Result<Replayed> {
        if self.rules.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "expected at least one stopping rule to replay, got none",
            ));
        }
        let study = self.builder.build()?;
        let price = study.trials.ledger.price;
        for (name, rule) in &self.rules {
            rule.validate(price).map_err(|error| error.at(format_args!("the rule {name:?}")))?;
        }
        check_recorded(&study, record)?;
        let direction = study.direction();
        let models = models(record);
        let checks = vec![Vec::new(); self.rules.len()];
        let mut walk = Walk { study, marks: Vec::new(), checks, until_fired: self.until_fired };
        walk.ask(&mut self.rules)?;
        let mut rows = record.rows().iter().peekable();
        for (place, row, cost_alone) in record.tellings() {
            if walk.study.counts().adaptive >= self.cap && !walk.marks.is_empty() {
                break;
            }
            reenter(&mut walk.study, &mut rows, place)?;
            retell(&mut walk.study, row, cost_alone)?;
            let fitted = match models.get(&(place + 1)) {
                Some(_) if walk.is_over() => Ok(()),
                Some(_) if self.refit => walk.study.refit(walk.study.setup.deadline()),
                Some(suggestion) => believe(&mut walk.study, suggestion),
                None => Ok(()),
            };
            let asked =
                fitted.and_then(|()| if cost_alone { Ok(()) } else { walk.ask(&mut self.rules) });
            asked.map_err(|error| error.at(place_of(row)))?;
        }
        let Walk { marks, checks, .. } = walk;
        let missing = |error: Error| error.at("the record ends before the initial design is told");
        let course = Course::new(direction, marks).map_err(missing)?;
        let series = |((name, _), checks): ((String, _), Vec<Check>)| {
            let fired = checks.iter().position(|check| check.fired);
            Series { name, checks, fired }
        };
        Ok(Replayed { course, rules: self.rules.into_iter().zip(checks).map(series).collect() })
    }
}

impl Series {
    /// The mark at which this rule ends the run: the first at which it fired, otherwise the last.
    pub fn stop(&self) -> usize {
        self.fired.unwrap_or(self.checks.len().saturating_sub(1))
    }
}

impl Check {
    fn of(verdict: &Verdict) -> Self {
        let reason = verdict.reason();
        Self { statistic: reason.statistic, threshold: reason.threshold, fired: verdict.is_stop() }
    }
}

/// A walk along a record.
struct Walk {
    study: Study,
    marks: Vec<Mark>,
    checks: Vec<Vec<Check>>,
    until_fired: bool,
}

impl Walk {
    /// Whether no rule is asked any more.
    fn is_over(&self) -> bool {
        !(0..self.checks.len()).any(|rule| self.is_asked(rule))
    }

    fn is_asked(&self, rule: usize) -> bool {
        !self.until_fired || self.checks[rule].last().is_none_or(|check| !check.fired)
    }

    /// Asks the rules, from the end of the initial design on.
    fn ask(&mut self, rules: &mut [(String, Box<dyn StopRule>)]) -> Result<()> {
        let asked: Vec<usize> = (0..rules.len()).filter(|&rule| self.is_asked(rule)).collect();
        if !asked.is_empty() {
            let rules = rules
                .iter_mut()
                .enumerate()
                .filter(|(rule, _)| asked.contains(rule))
                .map(|(_, (name, rule))| (name.as_str(), rule));
            let Some(verdicts) = self.study.judge_by(rules)? else { return Ok(()) };
            asked
                .into_iter()
                .zip(&verdicts)
                .for_each(|(rule, verdict)| self.checks[rule].push(Check::of(verdict)));
        }
        let sign = self.study.direction().sign();
        let best = self.study.trials.best_turned().unwrap_or(f64::NEG_INFINITY);
        let ledger = &self.study.trials.ledger;
        // A smaller cost may replace one that was known beforehand, and a sum made anew rounds
        // otherwise. Money that was counted does not come back.
        let spent = self.marks.last().map_or(ledger.spent, |last| ledger.spent.max(last.spent));
        self.marks.push(Mark { adaptive: ledger.counts.adaptive, spent, best: sign * best });
        Ok(())
    }
}
