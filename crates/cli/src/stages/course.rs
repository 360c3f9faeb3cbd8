//! The reports of one process of a run, in their order: which of them are told to the study.

use super::bill::Meter;
use super::line::Said;
use crate::words::show;
use gittins::internals::reaches;

/// A report that can be told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Due {
    /// How far the run is.
    pub progress: f64,
    /// Its outcome there.
    pub outcome: f64,
    /// What it cost since the report before.
    pub cost: f64,
    /// When it was printed, in seconds.
    pub at: f64,
}

/// What a line makes of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// Nothing that is told now.
    Nothing,
    /// The next stage is reached.
    Stage(Due),
    /// It cannot go on.
    Broken(String),
    /// It goes on after its end.
    Beyond(f64),
}

/// What the reports of a run are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// What the run had come to.
    Curve,
    /// Folds, none of which may be left out.
    Folds,
    /// Items, each of which is a line. A process has those of one stage.
    Items,
}

/// What was heard of a process so far.
#[derive(Debug)]
pub struct Course {
    total: f64,
    kind: Kind,
    /// The sum of the outcomes of items since the last report.
    sum: f64,
    /// The progress that a process of items ends at.
    batch: f64,
    /// The progress of the next stage.
    until: f64,
    /// The last progress that the study knows.
    told: f64,
    /// The last progress that this process printed.
    seen: f64,
    /// From where the run goes on, if it was left before.
    resumed: Option<f64>,
    meter: Meter,
    /// The last report that was not told.
    last: Option<Due>,
    /// The complaints that were made, each once.
    complaints: Vec<&'static str>,
    heard: bool,
}

impl Course {
    /// The course of a process that begins, or goes on from the progress that was told, until the
    /// next stage.
    pub fn new(total: f64, kind: Kind, (told, until): (f64, f64), meter: Meter) -> Self {
        let resumed = (told > 0.0).then_some(told);
        Self {
            total,
            kind,
            sum: 0.0,
            batch: until,
            until,
            told,
            // A process of items goes on where the one before ended.
            seen: if kind == Kind::Items { told } else { 0.0 },
            resumed,
            meter,
            last: None,
            complaints: Vec::new(),
            heard: false,
        }
    }

    /// Takes a report that was printed at a moment. A complaint comes once of each kind.
    pub fn hear(&mut self, said: Said, at: f64, complain: &mut dyn FnMut(String)) -> Heard {
        self.heard = true;
        let Some(progress) = said.progress else { return self.hear_item(&said, at, complain) };
        let progress = match progress {
            Ok(progress) if progress.is_finite() && progress >= 0.0 => progress,
            Ok(progress) => {
                self.complain("number", complain, || {
                    format!("reports the progress {progress}, which is left out")
                });
                return Heard::Nothing;
            }
            Err(why) => {
                self.complain("number", complain, || format!("reports no progress: {why}"));
                return Heard::Nothing;
            }
        };
        let number = show::number(progress);
        let cost = self.meter.line(said.cost.as_ref());
        if reaches(self.told, self.total) {
            let beyond = progress > self.told;
            return if beyond { Heard::Beyond(progress) } else { Heard::Nothing };
        }
        if let (Some(from), false) = (self.resumed, self.seen > 0.0)
            && progress <= from
            && progress > 0.0
        {
            let from = show::number(from);
            self.complain("again", complain, || {
                format!(
                    "was resumed at {from} and reports {number}: what it does again is paid again"
                )
            });
        }
        if progress <= self.seen && self.seen > 0.0 {
            let seen = show::number(self.seen);
            self.complain("growth", complain, || {
                format!("reports {number} after {seen}: a progress that does not grow is left out")
            });
            return Heard::Nothing;
        }
        self.seen = progress;
        // What was measured before a run began to learn, and what it does again.
        if progress <= self.told {
            return Heard::Nothing;
        }
        let stage = reaches(progress, self.until);
        let end = self.total;
        if progress > end {
            let end = show::number(end);
            self.complain("end", complain, || {
                format!("reports {number}, beyond its end at {end}, which counts as {end}")
            });
        }
        let progress = progress.min(end);
        if self.kind == Kind::Folds && progress != self.until {
            let next = show::number(self.until);
            return Heard::Broken(format!("reported fold {number} where fold {next} comes next"));
        }
        let outcome = match (said.outcome, cost) {
            (Ok(outcome), Ok(())) if outcome.is_finite() => outcome,
            _ if !stage => return Heard::Nothing,
            (Ok(outcome), Ok(())) => {
                return Heard::Broken(format!("the outcome at {number} is {outcome}"));
            }
            (Err(why), _) => return Heard::Broken(format!("no outcome at {number}: {why}")),
            (_, Err(why)) => return Heard::Broken(format!("no cost at {number}: {why}")),
        };
        let due = Due { progress, outcome, cost: self.meter.due(at, progress), at };
        self.last = Some(due);
        if stage { Heard::Stage(due) } else { Heard::Nothing }
    }

    /// Takes one more item. What a process prints beyond those of its stage is left out.
    fn hear_item(&mut self, said: &Said, at: f64, complain: &mut dyn FnMut(String)) -> Heard {
        if reaches(self.seen, self.batch) {
            let end = show::number(self.batch);
            self.complain("more", complain, || {
                format!("prints more numbers than it was given items, to {end}: they are left out")
            });
            return Heard::Nothing;
        }
        let item = show::number(self.seen + 1.0);
        let outcome = match (&said.outcome, self.meter.line(said.cost.as_ref())) {
            (Ok(outcome), Ok(())) if outcome.is_finite() => *outcome,
            (Ok(outcome), Ok(())) => {
                return Heard::Broken(format!("the outcome of item {item} is {outcome}"));
            }
            (Err(why), _) => return Heard::Broken(format!("no outcome of item {item}: {why}")),
            (_, Err(why)) => return Heard::Broken(format!("no cost of item {item}: {why}")),
        };
        self.seen += 1.0;
        self.sum += outcome;
        let mean = self.sum / (self.seen - self.told);
        let due =
            Due { progress: self.seen, outcome: mean, cost: self.meter.due(at, self.seen), at };
        self.last = Some(due);
        if reaches(self.seen, self.until) { Heard::Stage(due) } else { Heard::Nothing }
    }

    /// A report was told. The next stage is reached at `until`.
    pub fn told(&mut self, due: &Due, until: f64) {
        self.meter.paid(due.at, due.progress);
        self.told = due.progress;
        self.until = until;
        self.sum = 0.0;
        self.last = None;
    }

    /// The last report, if it was not told.
    pub fn last(&self) -> Option<Due> {
        self.last
    }

    /// What is to be paid at a moment.
    pub fn owed(&self, now: f64) -> f64 {
        self.meter.due(now, self.seen.max(self.told).min(self.total))
    }

    /// The last progress that the study knows or that was printed.
    pub fn progress(&self) -> f64 {
        self.seen.max(self.told)
    }

    /// Whether any line was a report.
    pub fn has_heard(&self) -> bool {
        self.heard
    }

    fn complain(
        &mut self,
        kind: &'static str,
        complain: &mut dyn FnMut(String),
        words: impl FnOnce() -> String,
    ) {
        if !self.complaints.contains(&kind) {
            self.complaints.push(kind);
            complain(words());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stages::bill::Bill;

    fn said(progress: f64, outcome: f64) -> Said {
        Said { progress: Some(Ok(progress)), outcome: Ok(outcome), cost: None }
    }

    struct Told {
        course: Course,
        complaints: Vec<String>,
    }

    impl Told {
        fn new(told: f64, until: f64) -> Self {
            let meter = Meter::new(Bill::WallTime, 20.0, (0.0, told), 0.0);
            Self {
                course: Course::new(20.0, Kind::Curve, (told, until), meter),
                complaints: Vec::new(),
            }
        }

        fn hear(&mut self, progress: f64, outcome: f64, at: f64) -> Heard {
            let complaints = &mut self.complaints;
            self.course.hear(said(progress, outcome), at, &mut |words| complaints.push(words))
        }
    }

    #[test]
    fn a_report_is_told_that_reaches_the_next_stage() {
        let mut run = Told::new(0.0, 3.0);
        for (progress, at) in [(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)] {
            assert_eq!(run.hear(progress, 0.5, at), Heard::Nothing);
        }
        let Heard::Stage(due) = run.hear(3.0, 0.4, 4.0) else { panic!() };
        assert_eq!(due, Due { progress: 3.0, outcome: 0.4, cost: 4.0, at: 4.0 });
        run.course.told(&due, 6.0);
        assert_eq!((run.hear(4.0, 0.3, 5.5), run.course.owed(6.0)), (Heard::Nothing, 2.0));
        assert_eq!(run.course.last().unwrap().cost, 1.5);
        // A stage that is passed over is reached.
        let Heard::Stage(due) = run.hear(8.0, 0.2, 7.0) else { panic!() };
        assert_eq!((due.progress, due.cost), (8.0, 3.0));
        assert!(run.complaints.is_empty());
    }

    #[test]
    fn what_does_not_grow_is_left_out_and_said_once() {
        let mut run = Told::new(0.0, 3.0);
        for progress in [2.0, 2.0, 1.0, -1.0, f64::NAN] {
            assert_eq!(run.hear(progress, 0.5, 1.0), Heard::Nothing);
        }
        assert_eq!(
            run.complaints,
            [
                "reports 2 after 2: a progress that does not grow is left out",
                "reports the progress -1, which is left out"
            ]
        );
    }

    #[test]
    fn a_resumed_run_may_go_on_from_an_earlier_checkpoint() {
        let mut run = Told::new(6.0, 10.0);
        assert_eq!(run.hear(5.0, 0.5, 1.0), Heard::Nothing);
        assert_eq!(run.hear(6.0, 0.5, 2.0), Heard::Nothing);
        assert_eq!(run.course.last(), None);
        let Heard::Stage(due) = run.hear(10.0, 0.5, 3.0) else { panic!() };
        assert_eq!(due.cost, 3.0);
        assert_eq!(run.complaints.len(), 1);
    }

    #[test]
    fn what_is_no_number_breaks_a_run_where_it_is_told() {
        let mut run = Told::new(0.0, 3.0);
        assert_eq!(run.hear(2.0, f64::NAN, 1.0), Heard::Nothing);
        assert_eq!(run.hear(3.0, f64::NAN, 1.0), Heard::Broken("the outcome at 3 is NaN".into()));
    }

    #[test]
    fn a_fold_comes_after_the_one_before() {
        for (progress, breaks) in [(1.0, false), (2.0, false), (3.0, true), (2.5, true)] {
            let meter = Meter::new(Bill::Share, 5.0, (0.0, 1.0), 0.0);
            let mut course = Course::new(5.0, Kind::Folds, (1.0, 2.0), meter);
            let heard = course.hear(said(progress, 0.5), 1.0, &mut |_| {});
            let why = format!("reported fold {progress} where fold 2 comes next");
            assert_eq!(heard == Heard::Broken(why), breaks, "{heard:?}");
        }
    }

    #[test]
    fn the_end_is_the_end() {
        let mut run = Told::new(12.0, 20.0);
        let Heard::Stage(due) = run.hear(24.0, 0.5, 1.0) else { panic!() };
        assert_eq!(due.progress, 20.0);
        run.course.told(&due, 20.0);
        assert_eq!(run.hear(25.0, 0.5, 1.0), Heard::Beyond(25.0));
        assert_eq!(run.complaints.len(), 1);
    }

    #[test]
    fn items_are_counted_and_a_stage_has_their_mean() {
        let meter = Meter::new(Bill::WallTime, 20.0, (0.0, 4.0), 0.0);
        let mut course = Course::new(20.0, Kind::Items, (4.0, 7.0), meter);
        let mut complaints = Vec::new();
        let mut hear = |course: &mut Course, outcome: f64, at: f64| {
            let said = Said { progress: None, outcome: Ok(outcome), cost: None };
            course.hear(said, at, &mut |words| complaints.push(words))
        };
        assert_eq!(hear(&mut course, 1.0, 1.0), Heard::Nothing);
        assert_eq!(hear(&mut course, 0.0, 2.0), Heard::Nothing);
        // What is told if nothing more comes.
        assert_eq!(course.last().map(|due| (due.progress, due.outcome)), Some((6.0, 0.5)));
        let Heard::Stage(due) = hear(&mut course, 0.5, 3.0) else { panic!() };
        assert_eq!(due, Due { progress: 7.0, outcome: 0.5, cost: 3.0, at: 3.0 });
        course.told(&due, 12.0);
        // The next stage is that of another process.
        assert_eq!(hear(&mut course, 1.0, 3.0), Heard::Nothing);
        assert_eq!((course.progress(), complaints.len()), (7.0, 1));
        let meter = Meter::new(Bill::WallTime, 20.0, (0.0, 0.0), 0.0);
        let mut course = Course::new(20.0, Kind::Items, (0.0, 7.0), meter);
        let said = Said { progress: None, outcome: Ok(f64::NAN), cost: None };
        let heard = course.hear(said, 1.0, &mut |_| {});
        assert_eq!(heard, Heard::Broken("the outcome of item 1 is NaN".into()));
    }
}
