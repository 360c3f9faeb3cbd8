//! Stopping rules in a replay of a record answer as they would have answered in the run.

use gittins::model::Noise;
use gittins::stop::{Form, SpendingLimit, StallRule, Steadying, TrialLimit};
use gittins::study::{Origin, Row, Search, StudyBuilder};
use gittins::{
    Acquisition, Cost, Domain, ErrorKind, GaussianProcess, GittinsRule, Outcome, Pointwise, Record,
    Result, Space, StopContext, StopRule, Study, Table, Verdict,
};
use gittins_papers::evaluation::{Course, Replay};
use gittins_papers::rules::{
    ConfidenceGapRule, GittinsBeforeRule, GlobalWindowRule, ImprovementMedianRule, RegretGapRule,
};

fn line() -> Space {
    Space::new().float("x", 0.0, 1.0).float("y", -1.0, 1.0)
}

fn table() -> Table {
    Table::new(
        ["x", "y"],
        (0..40).map(|i| vec![f64::from(i % 8) / 7.0, f64::from(i / 8) / 2.0 - 1.0]).collect(),
    )
    .unwrap()
}

fn wave(values: &[f64]) -> f64 {
    (6.0 * values[0]).sin() + 0.5 * values[0] + values[1] * values[1]
}

fn price(values: &[f64]) -> f64 {
    0.5 + values[0]
}

fn settings(domain: impl Into<Domain>, cost: Cost) -> StudyBuilder {
    Study::minimize(domain)
        .cost(cost)
        .policy(Acquisition::gittins(1e-2))
        .initial(4)
        .search(Search::new(32, 3))
        .seed(11)
}

/// A rule with a memory. It reads everything that a context offers.
struct Remembers(Vec<f64>);

impl StopRule for Remembers {
    fn name(&self) -> &'static str {
        "remembers"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<gittins::stop::Statistic> {
        let best = context
            .maximize(&Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 4.0 }))?;
        let model =
            context.surrogate().map_or(0.0, |s| s.posterior().hyperparameters().lengthscales[0]);
        self.0.push(best.map_or(0.0, |best| best.value) + model + context.total_cost());
        let mean = self.0.iter().sum::<f64>() / self.0.len() as f64;
        Ok(gittins::stop::Statistic::at_most(mean, self.0[0]))
    }
}

type Rules = Vec<Box<dyn StopRule>>;

fn rules() -> Rules {
    vec![
        Box::new(GittinsRule::new()),
        Box::new(GittinsRule::new().form(Form::LogImprovementPerCost).debounced(2)),
        Box::new(GittinsRule::priced(1e-4).smoothed(3).after(2)),
        Box::new(TrialLimit::new(5)),
        Box::new(SpendingLimit::new(3.0)),
        Box::new(Remembers(Vec::new())),
        Box::new(GittinsBeforeRule::new()),
        Box::new(ConfidenceGapRule::new(0.5)),
        Box::new(ImprovementMedianRule::new().first(3)),
        Box::new(RegretGapRule::new().first(3)),
        Box::new(StallRule::new().window(3)),
        Box::new(GlobalWindowRule::new()),
    ]
}

fn replay(builder: StudyBuilder) -> Replay {
    rules().into_iter().fold(Replay::new(builder), gittins_papers::evaluation::Replay::rule)
}

/// Tells a trial: most trials are complete, some fail or are forbidden.
fn tell(study: &mut Study, id: gittins::TrialId, values: &[f64]) {
    let outcome = match id.index() % 7 {
        5 => Outcome::failed().cost(0.3),
        6 => Outcome::infeasible().cost(0.2),
        _ => Outcome::new(wave(values)).cost(price(values)),
    };
    study.tell(id, outcome).unwrap();
}

/// Runs one trial at a time. Returns the verdict after each trial.
fn alone(study: &mut Study) -> Vec<Verdict> {
    let step = |study: &mut Study| {
        let ask = study.ask().unwrap();
        tell(study, ask.id(), ask.numbers());
        study.verdict().unwrap()
    };
    (0..14).map(|_| step(study)).collect()
}

/// Three workers that finish in another order than they began, from the design on, with imports
/// before and between.
fn together(study: &mut Study) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let values = |row: usize| table().row(row).to_vec();
    let mut open: Vec<_> = (0..3).map(|_| study.ask().unwrap()).collect();
    for step in 0..14 {
        if step == 1 || step == 6 {
            let values = values(17 + step);
            study.import(&values, Outcome::new(wave(&values)).cost(1.0)).unwrap();
        } else {
            let ask = open.remove((step * 5) % 3);
            tell(study, ask.id(), ask.numbers());
        }
        verdicts.push(study.verdict().unwrap());
        while open.len() < 3 {
            open.push(study.ask().unwrap());
        }
    }
    verdicts
}

fn judged(verdicts: &[Verdict]) -> Vec<(u64, u64, bool)> {
    let of_rules = verdicts.iter().filter(|verdict| verdict.reason().rule != "initial design");
    of_rules
        .map(|verdict| {
            (
                verdict.reason().statistic.to_bits(),
                verdict.reason().threshold.to_bits(),
                verdict.is_stop(),
            )
        })
        .collect()
}

#[test]
fn a_replay_says_what_the_rules_said_in_the_run() {
    type Drive = fn(&mut Study) -> Vec<Verdict>;
    let mut fired = [0, 0];
    for drive in [alone as Drive, together as Drive] {
        for domain in [Domain::from(line()), Domain::from(table())] {
            let known =
                GaussianProcess::new().fixed_kernel(vec![0.3, 0.5], 1.0).noise(Noise::Fixed(1e-6));
            let learned = GaussianProcess::new();
            let models = [&learned, &learned, &learned, &known];
            for (cost, model) in
                [Cost::learned(), Cost::known(price), Cost::uniform(2.0), Cost::uniform(2.0)]
                    .into_iter()
                    .zip(models)
            {
                let builder = || settings(domain.clone(), cost.clone()).model(model.clone());
                let live: Vec<(Vec<Verdict>, Study)> = rules()
                    .into_iter()
                    .map(|rule| {
                        let mut study = builder().stop(rule).build().unwrap();
                        (drive(&mut study), study)
                    })
                    .collect();
                let (study, record) = (&live[0].1, &live[0].1.record());
                let again = replay(builder()).run_study(study).unwrap();
                let resumed = builder().resume(study.events().to_vec()).unwrap();
                assert_eq!(replay(builder()).run_study(&resumed).unwrap(), again);
                let refitted = replay(builder()).run(record).unwrap();
                assert_eq!(again, refitted, "fits taken from the events and fits made again");
                for ((verdicts, _), series) in live.iter().zip(&again.rules) {
                    let checks: Vec<_> = series
                        .checks
                        .iter()
                        .map(|check| {
                            (check.statistic.to_bits(), check.threshold.to_bits(), check.fired)
                        })
                        .collect();
                    assert_eq!(checks, judged(verdicts), "{}, {domain:?}, {cost:?}", series.name);
                    assert_eq!(series.fired, checks.iter().position(|check| check.2));
                    fired[usize::from(series.fired.is_some())] += 1;
                    // No rule beats hindsight.
                    for lambda in [0.0, 1e-2, 1.0] {
                        let regrets = again.course.cost_adjusted_regret(-1.0, lambda);
                        assert!(
                            again.course.hindsight(-1.0, lambda).regret <= regrets[series.stop()]
                        );
                    }
                }
                let (course, marks) = (Course::of(record).unwrap(), again.course.marks());
                assert_eq!(course.marks(), &marks[marks.len() - course.marks().len()..]);
                assert_eq!(
                    marks.last().map(|mark| (mark.spent, mark.adaptive)),
                    record
                        .rows()
                        .iter()
                        .filter_map(|row| Some((row.told?, row.spent?)))
                        .max_by_key(|told| told.0)
                        .map(|told| {
                            (
                                told.1,
                                record
                                    .rows()
                                    .iter()
                                    .filter(|row| {
                                        row.origin == Origin::Suggested && row.told.is_some()
                                    })
                                    .count(),
                            )
                        })
                );
            }
        }
    }
    assert!(fired[0] > 5 && fired[1] > 20, "{fired:?}");
}

/// Bills that come before the outcome, after it, long after it, or never, with several trials under
/// way.
#[test]
fn a_cost_told_apart_is_replayed_in_its_place() {
    let drive = |study: &mut Study, learned: bool| {
        let mut verdicts = Vec::new();
        let mut told = |study: &mut Study, id: gittins::TrialId, outcome: Outcome| {
            study.tell(id, outcome).unwrap();
            verdicts.push(study.verdict().unwrap());
        };
        let later = |x: f64| if learned { Outcome::new(x).cost_later() } else { Outcome::new(x) };
        for _ in 0..4 {
            let ask = study.ask().unwrap();
            told(study, ask.id(), Outcome::new(wave(ask.numbers())).cost(price(ask.numbers())));
        }
        for _ in 0..3 {
            let [early, late, never, lost] = [(); 4].map(|()| study.ask().unwrap());
            study.tell_cost(early.id(), price(early.numbers())).unwrap();
            told(study, late.id(), later(wave(late.numbers())));
            let between = study.ask().unwrap();
            told(study, early.id(), Outcome::new(wave(early.numbers())));
            study.tell_cost(late.id(), price(late.numbers())).unwrap();
            told(study, never.id(), later(wave(never.numbers())));
            told(study, lost.id(), Outcome::failed());
            study.tell_cost(lost.id(), 0.7).unwrap();
            told(
                study,
                between.id(),
                Outcome::new(wave(between.numbers())).cost(price(between.numbers())),
            );
        }
        verdicts
    };
    for cost in [Cost::learned(), Cost::known(|values: &[f64]| 1.0 + values[0])] {
        let builder = || settings(line(), cost.clone());
        let learned = matches!(cost, Cost::Learned);
        let mut first = None;
        for k in 0..rules().len() {
            let mut study = builder().stop(rules().swap_remove(k)).build().unwrap();
            let verdicts = drive(&mut study, learned);
            let study = first.get_or_insert(study);
            let record = study.record();
            for replayed in [replay(builder()).run_study(study), replay(builder()).run(&record)] {
                let replayed = replayed.unwrap();
                let series = &replayed.rules[k];
                let checks: Vec<_> = series
                    .checks
                    .iter()
                    .map(|check| {
                        (check.statistic.to_bits(), check.threshold.to_bits(), check.fired)
                    })
                    .collect();
                assert_eq!(checks, judged(&verdicts), "{}, {cost:?}", series.name);
                let spent: Vec<f64> =
                    record.in_order_of_telling()[3..].iter().filter_map(|row| row.spent).collect();
                assert_eq!(
                    replayed.course.marks().iter().map(|mark| mark.spent).collect::<Vec<_>>(),
                    spent
                );
            }
        }
        let record = first.unwrap().record();
        assert!(record.rows().iter().any(|row| row.paid < row.told && row.paid.is_some()));
        assert_eq!(record.rows()[5].paid, Some(7), "{:?}", record.rows()[5]);
        if learned {
            let marks = Course::of(&record).unwrap().marks().to_vec();
            let spent: Vec<f64> =
                record.in_order_of_telling()[3..].iter().filter_map(|row| row.spent).collect();
            assert_eq!(marks.iter().map(|mark| mark.spent).collect::<Vec<_>>(), spent);
        }
    }
}

#[test]
fn a_record_read_back_replays_to_the_bit() {
    let builder = || settings(line(), Cost::learned());
    let mut study = builder().build().unwrap();
    alone(&mut study);
    let record = study.record();
    let from_json = record
        .rows()
        .iter()
        .map(|row| serde_json::from_str(&serde_json::to_string(row).unwrap()).unwrap());
    let from_json = Record::new(from_json.collect()).unwrap();
    let replayed = replay(builder()).run(&record).unwrap();
    assert_eq!(replay(builder()).run(&from_json).unwrap(), replayed);
    // A table needs only points, states, outcomes and costs.
    let builder = || settings(table(), Cost::learned());
    let mut study = builder().build().unwrap();
    alone(&mut study);
    let record = study.record();
    let bare = |row: &Row| {
        let mut row = row.clone();
        (row.suggestion, row.verdict) = (None, None);
        (row.spent, row.best) = (None, None);
        row
    };
    let bare = Record::new(record.rows().iter().map(bare).collect()).unwrap();
    assert_eq!(replay(builder()).run(&bare).unwrap(), replay(builder()).run(&record).unwrap());
}

#[test]
fn a_rule_goes_on_after_it_fired_and_a_cap_ends_the_walk() {
    let mut study = settings(table(), Cost::uniform(1.0)).build().unwrap();
    alone(&mut study);
    let record = study.record();
    let run = |replay: Replay| {
        replay
            .rule_named("three", TrialLimit::new(4 + 3))
            .rule(TrialLimit::new(4 + 8))
            .run(&record)
            .unwrap()
    };
    let whole = run(Replay::new(settings(table(), Cost::uniform(1.0))));
    assert_eq!(whole.course.marks().len(), 11);
    let [three, eight] = &whole.rules[..] else { panic!() };
    assert_eq!((three.name.as_str(), eight.name.as_str()), ("three", "number of trials"));
    assert_eq!((three.fired, three.stop(), eight.fired), (Some(3), 3, Some(8)));
    assert_eq!(
        three.checks.iter().map(|check| check.statistic).collect::<Vec<_>>(),
        (0..11).map(|t| 3.0 - f64::from(t)).collect::<Vec<_>>()
    );
    assert!(three.checks[3..].iter().all(|check| check.fired));
    let capped = run(Replay::new(settings(table(), Cost::uniform(1.0))).cap(6));
    assert_eq!(capped.course.marks(), &whole.course.marks()[..7]);
    assert_eq!(
        (capped.rules[0].fired, capped.rules[1].fired, capped.rules[1].stop()),
        (Some(3), None, 6)
    );
}

#[test]
fn a_rule_that_has_fired_need_not_be_asked_again() {
    let mut study = settings(table(), Cost::learned()).build().unwrap();
    alone(&mut study);
    let record = study.record();
    let replay = || {
        Replay::new(settings(table(), Cost::learned()))
            .rule(TrialLimit::new(4 + 3))
            .rule(GittinsRule::new())
            .rule(TrialLimit::new(usize::MAX))
    };
    let (whole, short) =
        (replay().run(&record).unwrap(), replay().until_fired().run(&record).unwrap());
    assert_eq!(short.course, whole.course);
    for (short, whole) in short.rules.iter().zip(&whole.rules) {
        assert_eq!((short.fired, short.stop()), (whole.fired, whole.stop()));
        assert_eq!(short.checks, whole.checks[..=whole.stop()]);
    }
    assert_eq!(short.rules[0].checks.len(), 4);
    // No rule is asked at the last marks, but the course still has them.
    let short = Replay::new(settings(table(), Cost::learned()))
        .rule(TrialLimit::new(4 + 3))
        .until_fired()
        .run(&record)
        .unwrap();
    assert_eq!(short.course, whole.course);
}

#[test]
fn without_a_design_the_first_mark_knows_nothing() {
    let builder = || settings(line(), Cost::uniform(1.0)).initial(0);
    let mut study = builder().stop(GittinsRule::new()).build().unwrap();
    let before = study.verdict().unwrap();
    let verdicts = [vec![before], alone(&mut study)].concat();
    let record = study.record();
    let replayed = Replay::new(builder()).rule(GittinsRule::new()).run(&record).unwrap();
    let statistics: Vec<u64> =
        replayed.rules[0].checks.iter().map(|check| check.statistic.to_bits()).collect();
    assert_eq!(
        statistics,
        verdicts.iter().map(|verdict| verdict.reason().statistic.to_bits()).collect::<Vec<_>>()
    );
    assert_eq!(
        (statistics[0], replayed.course.marks()[0].best),
        (f64::INFINITY.to_bits(), f64::INFINITY)
    );
    assert_eq!(replayed.course, Course::of(&record).unwrap());
}

#[test]
fn a_record_of_another_study_is_refused_by_name() {
    let mut study = settings(table(), Cost::learned()).build().unwrap();
    alone(&mut study);
    let record = study.record();
    let refused = |builder: StudyBuilder| {
        Replay::new(builder).rule(TrialLimit::new(2)).run(&record).unwrap_err()
    };
    let other =
        Table::new(["x", "z"], table().points().rows().map(<[f64]>::to_vec).collect()).unwrap();
    let small = Table::new(
        ["x", "y"],
        (0..3).map(|i| vec![f64::from(i), 0.5 * f64::from(i * i)]).collect(),
    )
    .unwrap();
    let wide = Space::new().float("x", 0.0, 1.0);
    for (error, kind, says) in [
        (
            refused(settings(other, Cost::learned())),
            ErrorKind::UnknownParameter,
            "trial 0 of the record: its parameters",
        ),
        (
            refused(settings(small, Cost::learned())),
            ErrorKind::OutOfBounds,
            "of the study's table of 3 rows",
        ),
        (
            refused(settings(wide, Cost::learned())),
            ErrorKind::UnknownParameter,
            "trial 0 of the record",
        ),
        (
            refused(settings(table(), Cost::learned()).initial(2)),
            ErrorKind::InvalidSetting,
            "trial 2 of the record: one point more than",
        ),
        (
            refused(settings(table(), Cost::learned()).initial(20)),
            ErrorKind::Empty,
            "the record ends before the initial design is told",
        ),
        (
            refused(Study::maximize(table()).initial(4)),
            ErrorKind::InvalidSetting,
            "the record is to minimize, and the study to maximize",
        ),
    ] {
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(says), "{error}, not {says}");
    }
    let none = Replay::new(settings(table(), Cost::learned())).run(&record).unwrap_err();
    assert_eq!(
        (none.kind(), none.to_string().contains("at least one stopping rule")),
        (ErrorKind::Empty, true)
    );
    let unpriced = Study::minimize(table()).cost(Cost::learned()).initial(4);
    let error =
        Replay::new(unpriced).rule_named("mine", GittinsRule::new()).run(&record).unwrap_err();
    assert!(
        error.to_string().starts_with("the rule \"mine\": the Gittins rule needs a price"),
        "{error}"
    );
}
