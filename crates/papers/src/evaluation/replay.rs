//! Stopping rules over a recorded run: when would each have ended it?

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use gittins::study::{Event, StudyBuilder};
use gittins::{Error, ErrorKind, Record, Result, StopRule, Study, Verdict};

use crate::evaluation::retelling::{check_recorded, fits_of, place_of, reenter, retell};
use crate::evaluation::telling::{Telling, tellings};
use crate::evaluation::{Course, Mark};

/// Stopping rules, asked after each trial of a recorded run what they would have said.
///
/// A rule says here what it says in a study of the same settings that asks it after each trial
/// told, and only then. All rules see one model for each mark, and the same search is made once for
/// all rules that ask for it. Each rule has a state of its own and goes on after it has fired. The
/// models are those of the study, to the bit: [`run_study`](Self::run_study) takes its fits from its
/// events, and [`run`](Self::run) makes them again, in the same order, from a record alone.
///
/// ```
/// use gittins::stop::SpendingLimit;
/// use gittins_papers::evaluation::Replay;
/// use gittins::{GittinsRule, Outcome, Policy, Space, Study};
///
/// let settings = || Study::minimize(Space::new().float("x", 0.0, 1.0)).policy(Policy::gittins(1e-3)).initial(3).seed(7);
/// let mut study = settings().build()?;
/// for _ in 0..12 {
///     let ask = study.ask()?;
///     study.tell(ask.id(), Outcome::new((ask.get::<f64>("x")? - 0.3).powi(2)))?;
/// }
/// let replayed = Replay::new(settings()).rule(GittinsRule::new()).rule_named("five", SpendingLimit::new(5.0)).run_study(&study)?;
/// assert_eq!(replayed.rules[1].fired, Some(5));
/// assert_eq!(replayed.course.marks()[5].spent, 5.0);
/// # Ok::<(), gittins::Error>(())
/// ```
pub struct Replay {
    builder: StudyBuilder,
    rules: Vec<(String, Box<dyn StopRule>)>,
    cap: usize,
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
            .field("until_fired", &self.until_fired)
            .finish()
    }
}

impl Replay {
    /// A replay with the settings of the recorded study, whose own stopping rule is not asked.
    pub fn new(builder: StudyBuilder) -> Self {
        Self { builder, rules: Vec::new(), cap: usize::MAX, until_fired: false }
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

    /// Asks no rule again after it has fired: for stopping times alone, when rules are slow.
    pub fn until_fired(mut self) -> Self {
        self.until_fired = true;
        self
    }

    /// Walks along a study, or one that was [made again](StudyBuilder::resume) from its events: these
    /// settings are its own. Its fits are taken and not made again, unless something was corrected or
    /// taken back, or the events stand in a file.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub fn run_study(self, study: &Study) -> Result<Replayed> {
        self.walk(&study.record(), &fits_of(study))
    }

    /// Walks along a record. Models are fitted when the study fitted them, and whenever a rule is
    /// asked: by these settings, with another model too.
    ///
    /// # Errors
    /// Those of [`StudyBuilder::build`]; `Empty` without a rule, and for a record that ends before
    /// the initial design does; those of the rules' validation and, naming the trial, of their
    /// statistics; naming the trial as well: `InvalidSetting`, `UnknownParameter`, `OutOfBounds`
    /// and the like for a record that is not one of this study.
    pub fn run(self, record: &Record) -> Result<Replayed> {
        self.walk(record, &HashMap::new())
    }

    fn walk(mut self, record: &Record, fits: &HashMap<usize, Vec<&Event>>) -> Result<Replayed> {
        if self.rules.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "expected at least one stopping rule to replay, got none",
            ));
        }
        let study = self.builder.build()?;
        check_recorded(&study, record)?;
        let direction = study.direction();
        let suggested = record.rows().iter().filter(|row| row.suggestion.is_some());
        let suggested: BTreeSet<usize> = suggested.map(|row| row.seen).collect();
        let checks = vec![Vec::new(); self.rules.len()];
        let mut walk = Walk { study, marks: Vec::new(), checks, until_fired: self.until_fired };
        walk.ask(&mut self.rules)?;
        let mut rows = record.rows().iter().peekable();
        for Telling { place, row, cost_alone } in tellings(record) {
            if walk.study.counts().adaptive >= self.cap && !walk.marks.is_empty() {
                break;
            }
            reenter(&mut walk.study, &mut rows, place)?;
            retell(&mut walk.study, row, cost_alone)?;
            let told = place + 1;
            for fit in fits.get(&told).into_iter().flatten() {
                walk.study.happens((*fit).clone())?;
            }
            let fitted = if suggested.contains(&told) && !walk.is_over() {
                walk.study.recommendation().map(drop)
            } else {
                Ok(())
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
        for (at, (name, rule)) in rules.iter_mut().enumerate() {
            if !self.is_asked(at) {
                continue;
            }
            let verdict = self.study.judged_by(&mut **rule);
            let verdict = verdict.map_err(|error| error.at(format_args!("the rule {name:?}")))?;
            let Some(verdict) = verdict else { return Ok(()) };
            self.checks[at].push(Check::of(&verdict));
        }
        let (adaptive, spent) = (self.study.counts().adaptive, self.study.spent());
        // A smaller cost may replace one that was known beforehand, and a sum made anew rounds
        // otherwise. Money that was counted does not come back.
        let spent = self.marks.last().map_or(spent, |last| spent.max(last.spent));
        let best = self.best().unwrap_or(-self.study.direction().sign() * f64::INFINITY);
        self.marks.push(Mark { adaptive, spent, best });
        Ok(())
    }

    /// The best outcome of the trials that hold all limits.
    fn best(&self) -> Option<f64> {
        if self.study.objectives().len() > 0 {
            return self.study.record().in_order_of_telling().last()?.best;
        }
        self.study.best()?.outcome
    }
}
