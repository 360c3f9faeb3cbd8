//! The record of a study: against the log, through JSON, replayed, and spoiled.

use gittins::stop::{StallRule, TrialLimit};
use gittins::study::Row;
use gittins::{ErrorKind, GittinsRule, Record};
use gittins_papers::evaluation::{Course, Replay};
use serde_json::{from_value, json, to_value};

use super::player::attempt;
use super::study::Player;
use crate::dice::Dice;
use crate::invariants::{Break, Held, Invariant, expected, must};
use crate::spoiled::spoil;
use crate::world::rule::RuleSpec;

impl Player<'_> {
    /// The record against the log, and through JSON and back.
    pub fn record(&mut self) -> Held<Record> {
        let record = attempt(|| self.pair.study.record())?;
        self.log.compare_record(&record)?;
        let survives = |what: &str, again: std::result::Result<Record, String>| {
            let same =
                again.as_ref().is_ok_and(|again| format!("{again:?}") == format!("{record:?}"));
            must!(same, RecordSurvives, "{what}: {again:?}\n  of {record:?}")
        };
        let json = |row: &Row| -> std::result::Result<Row, String> {
            let text = serde_json::to_string(row).map_err(|error| error.to_string())?;
            serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))
        };
        let rows: std::result::Result<Vec<Row>, String> = record.rows().iter().map(json).collect();
        let read =
            attempt(|| rows.and_then(|rows| Record::new(rows).map_err(|error| error.to_string())))?;
        survives("JSON", read)?;
        let width = record.columns().len();
        let is_table = attempt(|| record.cells().all(|cells| cells.len() == width))?;
        must!(is_table, RecordSurvives, "a row has not a cell for each of {width} columns")?;
        let course = attempt(|| Course::of(&record))?;
        let faults: &[ErrorKind] = if record.rows().is_empty() { &[ErrorKind::Empty] } else { &[] };
        match expected(course, faults, &[])? {
            Some(course) => self.ends(&course).map(|()| record),
            None => Ok(record),
        }
    }

    /// A course ends where the run stands.
    fn ends(&self, course: &Course) -> Held {
        let (adaptive, best) = (self.log.adaptive(), self.log.best_outcome());
        let end = course.marks().last().copied();
        let ends = end.is_some_and(|mark| {
            mark.adaptive == adaptive && best.is_none_or(|best| best == mark.best)
        });
        must!(ends, RecordReplays, "ends at {end:?}, expected {adaptive} trials and {best:?}")
    }

    /// The record replayed by rules of little work, and by the study's own where it was asked as a
    /// replay asks. One in stages has no reports, and is refused.
    pub fn replay(&mut self) -> Held {
        let record = self.record()?;
        let is_over = self.log.is_evaluated() || self.log.is_broke();
        let most = self.world.rule.as_ref().and_then(RuleSpec::most_trials);
        let is_full = most.is_some_and(|most| self.log.told_of_own() >= most);
        let is_open = self.log.design_is_open() && !is_over && !is_full;
        let mut faults = self.refused_in_stages();
        faults.extend(is_open.then_some(ErrorKind::Empty));
        let settings = attempt(|| self.world.settings(self.view))?;
        let Some(settings) = expected(settings, &[], &[])? else { return Ok(()) };
        let mut replay = Replay::new(settings).rule(TrialLimit::new(3)).rule(StallRule::new());
        let judged = self.world.rule_seen(self.view).filter(|rule| self.is_asked_alike(rule));
        if let Some(rule) = &judged {
            let built = attempt(|| rule.build())?;
            let Some(rule) = expected(built, &[], &[])? else { return Ok(()) };
            replay = replay.rule_named("own", rule);
        } else if record.rows().len() < 12 {
            replay =
                replay.rule(GittinsRule::priced(self.view.price(0.01 * self.world.objective.unit)));
        }
        let replayed = attempt(|| replay.run(&record))?;
        let mut excuses = self.numbers();
        // A cost that is told alone may end the design, and no rule is asked then.
        let spent = self.log.is_short() || self.log.is_broke();
        excuses.extend(spent.then_some(ErrorKind::Empty));
        let replayed =
            expected(replayed, &faults, &excuses).map_err(|error| match error.invariant {
                Invariant::NoPanic => error,
                _ => Break { invariant: Invariant::RecordReplays, ..error },
            })?;
        let Some(replayed) = replayed else { return Ok(()) };
        self.ends(&replayed.course)?;
        let own = replayed.rules.iter().find(|series| series.name == "own" && judged.is_some());
        let Some(series) = own else { return Ok(()) };
        let heard = self.log.verdicts();
        let checks: Vec<(f64, f64, bool)> = series
            .checks
            .iter()
            .map(|check| (check.statistic, check.threshold, check.fired))
            .collect();
        // A model made anew from its hyper-parameters is that of the run but for rounding, which a
        // time limit and a factor that grew leave in it.
        let share = 1e-6 + self.rounding_of_variances(&record);
        let near = |a: f64, b: f64| {
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= share * a.abs().max(b.abs())
        };
        let alike = |(a, b): (&(f64, f64, bool), &(f64, f64, bool))| {
            near(a.0, b.0) && near(a.1, b.1) && (a.2 == b.2 || near(a.0, a.1))
        };
        let same = checks.len() == heard.len() && checks.iter().zip(&heard).all(alike);
        must!(same, RecordReplays, "replayed {checks:?}, heard {heard:?}")
    }

    /// Whether a replay asks a rule as the study did: a rule of the user's counts its own checks.
    fn is_asked_alike(&self, rule: &RuleSpec) -> bool {
        self.log.is_replayable()
            // No record has the models of measured numbers, so a replay fits them anew.
            && self.world.measured.is_empty()
            && !self.changed
            // What failures teach in no time depends on the machine.
            && (!self.world.is_hurried() || !self.log.knows_failures())
            && !rule.may_fail()
            // It speaks before anything was told.
            && rule.most_trials() != Some(0)
            && !rule.may_be_speechless()
    }

    /// The relative rounding of a variance where something failed: the run then keeps a factor that
    /// a replay makes anew. With the ratio `r` of outputscale and noise the condition of `n` trials
    /// is at most `n r`, and a variance may be `1/r` of that whose rounding it has.
    fn rounding_of_variances(&self, record: &Record) -> f64 {
        if !self.log.knows_failures() {
            return 0.0;
        }
        let models =
            record.rows().iter().filter_map(|row| row.suggestion.as_ref()?.outcome_model.as_ref());
        let largest = models.map(|model| model.outputscale / model.noise).fold(0.0, f64::max);
        f64::EPSILON * record.rows().len() as f64 * largest * largest
    }

    /// A record in which something is not as it was: whatever is made of it, nothing panics.
    pub fn spoil(&mut self, seed: u64) -> Held {
        let record = attempt(|| self.pair.study.record())?;
        let mut dice = Dice::new(seed);
        let mut rows = to_value(record.rows()).unwrap_or_default();
        let Some(last) = record.rows().len().checked_sub(1) else { return Ok(()) };
        for _ in 0..dice.whole(1, 3) {
            spoil(&mut rows, &[json!(1e300), json!(u64::MAX), json!(last + 1)], &mut dice);
        }
        if dice.chance(0.1)
            && let Some(rows) = rows.as_array_mut()
        {
            rows.swap(0, dice.whole(0, last));
        }
        let Ok(rows) = attempt(|| from_value::<Vec<Row>>(rows))? else { return Ok(()) };
        let Ok(spoiled) = attempt(|| Record::new(rows))? else { return Ok(()) };
        attempt(|| Course::of(&spoiled).is_ok())?;
        attempt(|| spoiled.cells().count())?;
        let settings = attempt(|| self.world.settings(self.view))?;
        let Some(settings) = expected(settings, &[], &[])? else { return Ok(()) };
        let replay = Replay::new(settings).rule(TrialLimit::new(3)).rule(StallRule::new());
        attempt(|| replay.run(&spoiled).is_ok()).map(drop)
    }
}
