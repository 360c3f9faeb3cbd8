//! Studies of runs in stages: what is asked, what reports lead to, and what is kept.

use gittins::study::{Advice, Event, Stages, StudyBuilder, TrialState};
use gittins::{ErrorKind, Outcome, Policy, Space, Study, Table};

/// The loss of a setting after a share of a run: a decay to an end that depends on the setting.
fn loss(x: f64, y: f64, share: f64) -> f64 {
    let end = (x - 0.3).powi(2) + 0.5 * (y - 0.8).powi(2);
    end + 0.6 * (-(4.0 + 8.0 * x) * share).exp()
}

fn space() -> Space {
    Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0)
}

fn stages() -> Stages {
    Stages::of(27.0).reports([3.0, 9.0, 27.0])
}

fn study() -> StudyBuilder {
    Study::minimize(space()).stages(stages()).seed(3)
}

fn numbers(ask: &gittins::Ask) -> (f64, f64) {
    (ask.get::<f64>("x").unwrap(), ask.get::<f64>("y").unwrap())
}

/// One ask, followed to its pause or end. A unit of progress costs `1 + y`.
fn step(study: &mut Study) {
    let ask = study.ask().unwrap();
    let (x, y) = numbers(&ask);
    let (mut from, mut until) = (ask.resume().unwrap_or(0.0), ask.until());
    loop {
        let cost = (1.0 + y) * (until - from);
        match study.report(ask.id(), until, loss(x, y, until / 27.0), cost).unwrap() {
            Advice::Continue { until: next } => (from, until) = (until, next),
            _ => return,
        }
    }
}

#[test]
fn money_goes_where_it_is_worth_most() {
    let mut study = study().budget(700.0).build().unwrap();
    while !study.verdict().unwrap().is_stop() {
        step(&mut study);
    }
    let best = study.best().unwrap().outcome.unwrap();
    assert!(best < 0.02, "{best}");
    // Most runs are left early, and some come to their end.
    let finished = study.history().iter().filter(|run| run.state == TrialState::Complete).count();
    assert!(finished >= 3 && 2 * finished < study.history().len(), "{finished}");
    let paid: f64 = study.history().iter().map(|run| run.cost.unwrap()).sum();
    assert!((study.total_cost() - paid).abs() < 1e-9 && paid < 700.0 + 60.0);
}

#[test]
fn a_price_stops_the_study() {
    let mut dear = study().policy(Policy::gittins(0.01)).build().unwrap();
    let mut cheap = study().policy(Policy::gittins(0.0002)).build().unwrap();
    for study in [&mut dear, &mut cheap] {
        let mut asked = 0;
        while !study.verdict().unwrap().is_stop() {
            step(study);
            asked += 1;
            assert!(asked < 300);
        }
        assert!(study.best().is_some());
    }
    assert!(
        dear.total_cost() < 0.7 * cheap.total_cost(),
        "{} {}",
        dear.total_cost(),
        cheap.total_cost()
    );
    // It answers after that too.
    step(&mut dear);
}

/// Where most settings end at chance the study looks on: it stops neither by the first ends, nor by the
/// noise of what is at chance, and finishes little of that.
#[test]
fn a_plateau_is_no_end() {
    let mut study = study().policy(Policy::gittins(0.0005)).build().unwrap();
    // One setting in eight learns, and most of that late.
    let learned = |x: f64, y: f64, share: f64| {
        if (x - 0.3).abs() < 0.0625 {
            0.7 - (0.5 - 0.1 * (y - 0.8).abs()) * share.sqrt()
        } else {
            0.7 + 1e-4 * (40.0 * x + 7.0 * y).sin()
        }
    };
    let mut finished = 0;
    while !study.verdict().unwrap().is_stop() {
        let ask = study.ask().unwrap();
        let ((x, y), mut from) = (numbers(&ask), ask.resume().unwrap_or(0.0));
        let mut until = ask.until();
        while let Advice::Continue { until: next } =
            study.report(ask.id(), until, learned(x, y, until / 27.0), until - from).unwrap()
        {
            (from, until) = (until, next);
        }
        finished = study.history().iter().filter(|run| run.state == TrialState::Complete).count();
        assert!(study.history().len() < 300);
    }
    assert!(finished >= 4 || study.history().len() >= 40, "{finished} {}", study.history().len());
    let best = study.best().unwrap().outcome.unwrap();
    assert!(best < 0.25, "{best}");
    let at_chance = study.history().iter().filter(|run| run.outcome.is_some_and(|end| end > 0.69));
    assert!(2 * at_chance.count() <= finished + 1);
}

/// A study that takes the events of another, as text, goes on as that does, to the bit.
#[test]
fn events_make_the_same_study() {
    let mut live = study().build().unwrap();
    for asked in 0..24 {
        step(&mut live);
        if asked % 4 != 3 {
            continue;
        }
        let text = serde_json::to_string(live.events()).unwrap();
        let events: Vec<Event> = serde_json::from_str(&text).unwrap();
        let mut again = study().resume(events).unwrap();
        assert_eq!(again.history(), live.history());
        let verdicts = [&mut again, &mut live].map(|study| study.verdict().unwrap());
        assert_eq!(verdicts[0], verdicts[1]);
        assert_eq!(again.ask().unwrap(), live.ask().unwrap());
        // Both take the run back, so that the live one goes on.
        let last = live.history().iter().rposition(|run| matches!(run.state, TrialState::Pending));
        live.withdraw(last.unwrap()).unwrap();
    }
}

#[test]
fn runs_that_cannot_be_resumed_go_on_or_end() {
    let pruned = stages().resumable(false);
    let mut study = Study::minimize(space()).stages(pruned).seed(1).budget(700.0).build().unwrap();
    while !study.verdict().unwrap().is_stop() {
        let before = study.history().len();
        step(&mut study);
        assert_eq!(study.history().len(), before + 1);
    }
    let states = |state| study.history().iter().filter(|run| run.state == state).count();
    assert_eq!(states(TrialState::Paused), 0);
    assert!(states(TrialState::Abandoned) > 3 && states(TrialState::Complete) > 2);
    assert!(study.best().unwrap().outcome.unwrap() < 0.05);
}

/// Several workers get different runs, and what is pending is not resumed by another.
#[test]
fn a_correction_on_the_way_leaves_what_is_known_of_ends() {
    let mut study = study().build().unwrap();
    let runs = [(); 2].map(|()| study.ask().unwrap().id());
    study.note_report(runs[0], 27.0, 0.3, 1.0).unwrap();
    study.note_report(runs[1], 3.0, 0.9, 1.0).unwrap();
    assert_eq!(study.recommendation().unwrap().unwrap().trial, runs[0]);
    study.correct(runs[1], Outcome::new(0.8)).unwrap();
    let found = study.recommendation().unwrap().unwrap();
    assert_eq!(found.trial, runs[0]);
    let mut again = self::study().resume(study.events().to_vec()).unwrap();
    assert_eq!(again.recommendation().unwrap(), Some(found));
}

#[test]
fn workers_do_not_meet() {
    let mut study = study().build().unwrap();
    for round in 0..8 {
        let asks: Vec<_> = (0..4).map(|_| study.ask().unwrap()).collect();
        for (at, ask) in asks.iter().enumerate() {
            assert!(asks[..at].iter().all(|other| other.id() != ask.id()), "round {round}");
        }
        for ask in asks {
            let (x, y) = numbers(&ask);
            let advice = study.report(ask.id(), ask.until(), loss(x, y, ask.until() / 27.0), 1.0);
            if let Advice::Continue { .. } = advice.unwrap() {
                study.withdraw(ask.id()).unwrap();
            }
        }
    }
}

#[test]
fn runs_may_break_or_be_lost() {
    let mut study = study().initial(4).build().unwrap();
    for asked in 0..20 {
        let ask = study.ask().unwrap();
        let (x, y) = numbers(&ask);
        match asked % 5 {
            // What diverges on the right breaks there.
            _ if x > 0.7 => study.tell(ask.id(), Outcome::failed().cost(0.5)).unwrap(),
            3 => study.withdraw(ask.id()).unwrap(),
            _ => {
                study.report(ask.id(), ask.until(), loss(x, y, ask.until() / 27.0), 1.0).unwrap();
                if let TrialState::Pending = study.history()[ask.id().index()].state {
                    study.withdraw(ask.id()).unwrap();
                }
            }
        }
    }
    let broke = study.history().iter().filter(|run| run.state == TrialState::Failed).count();
    assert!((1..8).contains(&broke), "{broke}");
}

#[test]
fn rows_of_a_table_are_taken_once() {
    let rows: Vec<Vec<f64>> =
        (0..12).map(|k| vec![f64::from(k) / 11.0, f64::from(k * 5 % 12)]).collect();
    let table = Table::new(["x", "y"], rows).unwrap();
    let mut study = Study::minimize(table).stages(stages()).build().unwrap();
    let mut exhausted = None;
    for _ in 0..60 {
        match study.ask() {
            Ok(ask) => {
                let x = ask.get::<f64>("x").unwrap();
                let advice =
                    study.report(ask.id(), ask.until(), loss(x, 0.8, ask.until() / 27.0), 1.0);
                if let Advice::Continue { .. } = advice.unwrap() {
                    study.withdraw(ask.id()).unwrap();
                }
            }
            Err(error) => {
                exhausted = Some(error.kind());
                break;
            }
        }
    }
    assert_eq!(exhausted, Some(ErrorKind::Exhausted));
    assert_eq!(study.history().len(), 12);
    assert!(study.history().iter().all(|run| run.state == TrialState::Complete));
}

/// A progress that falls short of the end by its rounding is the end.
/// Fewer settings than the design wants: once all have begun, those that were left go on.
#[test]
fn a_few_settings_come_to_their_ends() {
    for count in [2, 4] {
        let space = Space::new().ordinal("x", ["0", "1", "2", "3"].into_iter().take(count));
        let mut study = Study::minimize(space).stages(stages()).build().unwrap();
        while !study.verdict().unwrap().is_stop() {
            let ask = study.ask().unwrap();
            let x: f64 = ask.choice("x").unwrap().parse().unwrap();
            let mut until = ask.until();
            while let Advice::Continue { until: next } =
                study.report(ask.id(), until, loss(0.3 * x, 0.8, until / 27.0), until).unwrap()
            {
                until = next;
            }
        }
        assert_eq!(study.history().len(), count);
        assert!(study.history().iter().all(|run| run.state == TrialState::Complete));
        assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    }
    // While nothing was reported, nobody knows what to go on with.
    let mut study = Study::minimize(Space::new().flag("x")).stages(stages()).build().unwrap();
    (0..2).for_each(|_| drop(study.ask().unwrap()));
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
}

#[test]
fn an_end_that_is_summed_is_the_end() {
    let mut study = study().initial(3).build().unwrap();
    let end = 27.0 - 8.0 * f64::EPSILON;
    for _ in 0..6 {
        let ask = study.ask().unwrap();
        let (x, y) = numbers(&ask);
        assert_eq!(study.report(ask.id(), end, loss(x, y, 1.0), 27.0).unwrap(), Advice::Done);
        study.verdict().unwrap();
    }
}

/// Outcomes that are all the same, also zero, and stages that cost nothing are no trouble.
#[test]
fn outcomes_without_a_difference_are_taken() {
    for outcome in [0.0, 3.0, -1e300, 1e-300] {
        let mut study = study().initial(3).policy(Policy::gittins(0.01)).build().unwrap();
        for asked in 0..24 {
            let ask = study.ask().unwrap();
            let cost = if asked % 2 == 0 { 0.0 } else { 1.0 };
            let advice = study.report(ask.id(), ask.until(), outcome, cost).unwrap();
            if let Advice::Continue { .. } = advice {
                study.withdraw(ask.id()).unwrap();
            }
            study.verdict().unwrap();
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let kind = |result: gittins::Result<Advice>| {
        let error = result.unwrap_err();
        assert!(error.to_string().contains("trial 0"), "{error}");
        error.kind()
    };
    let mut study = study().build().unwrap();
    let ask = study.ask().unwrap();
    for (progress, outcome, cost, expected) in [
        (0.0, 1.0, 1.0, ErrorKind::InvalidSetting),
        (28.0, 1.0, 1.0, ErrorKind::InvalidSetting),
        (f64::NAN, 1.0, 1.0, ErrorKind::InvalidSetting),
        (3.0, f64::NAN, 1.0, ErrorKind::NonFinite),
        (3.0, 1.0, f64::INFINITY, ErrorKind::NonFinite),
        (3.0, 1.0, -1.0, ErrorKind::NonPositiveCost),
    ] {
        assert_eq!(kind(study.report(ask.id(), progress, outcome, cost)), expected);
    }
    // Nothing of that was taken.
    assert_eq!((study.total_cost(), study.history()[0].reports.len()), (0.0, 0));
    study.report(ask.id(), 5.0, 1.0, 1.0).unwrap();
    assert_eq!(study.history()[0].state, TrialState::Paused);
    // Its worker may not have heard of it; what it says is not lost.
    study.report(ask.id(), 9.0, 0.9, 1.0).unwrap();
    assert_eq!((study.total_cost(), study.history()[0].reports.len()), (2.0, 2));
    study.report(ask.id(), 27.0, 0.8, 1.0).unwrap();
    assert_eq!(kind(study.report(ask.id(), 27.0, 0.8, 1.0)), ErrorKind::InvalidSetting);
    assert_eq!(study.report(9, 3.0, 1.0, 1.0).unwrap_err().kind(), ErrorKind::UnknownTrial);
    for (stages, words) in [
        (Stages::of(0.0), "total"),
        (Stages::of(5.0).reports([3.0, 3.0]), "report 2"),
        (Stages::of(5.0).reports([-1.0]), "report 1"),
        (Stages::of(5.0).reports([6.0]), "report 1"),
    ] {
        let error = Study::minimize(space()).stages(stages).build().unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    assert!(
        Study::minimize(space()).stages(stages()).policy(Policy::gittins(0.0)).build().is_err()
    );
    assert!(Study::minimize(space()).stages(stages()).initial(0).build().is_err());
}

/// A loss that falls and then rises again, the sooner the larger `x` is.
fn overfitting(x: f64, y: f64, share: f64) -> f64 {
    loss(x, y, share) + 0.8 * (x + 0.2) * share
}

/// Follows a study with such losses until its verdict, or for so many asks.
fn overfit(study: &mut Study, asks: usize) {
    for _ in 0..asks {
        if study.verdict().unwrap().is_stop() {
            return;
        }
        let ask = study.ask().unwrap();
        let (x, y) = numbers(&ask);
        let (mut from, mut until) = (ask.resume().unwrap_or(0.0), ask.until());
        loop {
            let outcome = overfitting(x, y, until / 27.0);
            match study.report(ask.id(), until, outcome, until - from).unwrap() {
                Advice::Continue { until: next } => (from, until) = (until, next),
                _ => break,
            }
        }
    }
}

/// Where any stage counts, what is in hand is the best of all reports, and it is before the end.
#[test]
fn a_checkpoint_in_the_middle_is_shipped() {
    let stages = Stages::of(27.0).reports([1.0, 3.0, 6.0, 9.0, 15.0, 27.0]);
    let best = [false, true].map(|any| {
        let stages = stages.clone().any_stage_counts(any);
        let mut study =
            Study::minimize(space()).stages(stages).seed(2).budget(300.0).build().unwrap();
        overfit(&mut study, usize::MAX);
        let (run, report) = (study.best().unwrap(), *study.best_report().unwrap());
        let reported = study.history().iter().flat_map(|run| &run.reports);
        let least = reported.map(|report| report.outcome).fold(f64::INFINITY, f64::min);
        if any {
            assert_eq!(report.outcome, least);
            assert_eq!(run.best_report(study.direction()), Some(&report));
            assert!(report.progress < 27.0);
        } else {
            assert_eq!((Some(report.outcome), report.progress), (run.outcome, 27.0));
        }
        report.outcome
    });
    assert!(best[1] < best[0] - 0.05, "{best:?}");
}

/// What runs had counts whatever became of them.
#[test]
fn what_is_left_lost_or_broken_is_in_hand() {
    let stages = stages().resumable(false).any_stage_counts(true);
    let mut study = Study::maximize(space()).stages(stages).initial(9).build().unwrap();
    for outcome in [1.0, 4.0, 3.0, 2.0] {
        let ask = study.ask().unwrap();
        study.report(ask.id(), 3.0, outcome, 1.0).unwrap();
        if study.history()[ask.id().index()].state == TrialState::Pending {
            study.report(ask.id(), 9.0, outcome - 2.0, 1.0).unwrap();
        }
        if let TrialState::Pending = study.history()[ask.id().index()].state {
            study.tell(ask.id(), Outcome::failed().cost(1.0)).unwrap();
        }
    }
    assert_eq!(study.best().unwrap().id.index(), 1);
    assert_eq!(study.best_report().map(|report| report.outcome), Some(4.0));
    assert!(study.history().iter().all(|run| run.state != TrialState::Complete));
}

/// With one report at the end there is nothing else to count: the same study, to the bit.
#[test]
fn runs_of_one_stage_are_the_same_whether_any_stage_counts() {
    let whole = Stages::of(27.0).reports([27.0]);
    let events = [false, true].map(|any| {
        let stages = whole.clone().any_stage_counts(any);
        let study = Study::minimize(space())
            .stages(stages)
            .initial(4)
            .policy(Policy::gittins(1e-4))
            .seed(5);
        let mut study = study.build().unwrap();
        overfit(&mut study, 14);
        study.events().to_vec()
    });
    assert!(events[0].len() > 24);
    assert_eq!(events[0], events[1]);
}

/// A forecast changes nothing, is mostly right, and says what is to be paid.
#[test]
fn forecasts_come_true_and_change_nothing() {
    let builder = || study().initial(12).cost_unit("s").policy(Policy::gittins(1e-3));
    let [mut watched, mut alone] = [(); 2].map(|()| builder().build().unwrap());
    assert!(watched.forecast_end(0).is_err_and(|error| error.kind() == ErrorKind::UnknownTrial));
    let mut errors = Vec::new();
    for asked in 0..40 {
        step(&mut alone);
        step(&mut watched);
        for run in watched.history() {
            let Some(forecast) = watched.forecast_end(run.id).unwrap() else {
                assert!(asked < 12 || run.state == TrialState::Complete);
                continue;
            };
            let [x, y] = [0, 1].map(|k| run.values[k].number().unwrap());
            // It goes on as so far: a unit of progress costs `1 + y`.
            let rest = (1.0 + y) * (27.0 - run.progress());
            assert!((forecast.cost / rest).ln().abs() < 1e-9, "{forecast} {rest}");
            assert!(forecast.sd > 0.0 && forecast.index.is_finite());
            let error = (forecast.mean - loss(x, y, 1.0)) / forecast.sd;
            errors.push(error.abs());
        }
    }
    assert_eq!(watched.events(), alone.events());
    // A normal law has 0.3 % beyond three deviations; that of curves of a model has more.
    let outside = errors.iter().filter(|error| **error > 3.0).count();
    assert!(errors.len() > 400 && 10 * outside < errors.len(), "{outside} of {}", errors.len());
    let paused = watched.history().iter().find(|run| run.state == TrialState::Paused).unwrap();
    let words = watched.forecast_end(paused.id).unwrap().unwrap().to_string();
    assert!(words.starts_with("expected ") && words.ends_with(" s"), "{words}");
    // So does a study that takes the events, without a decision of its own.
    let again = builder().resume(watched.events().to_vec()).unwrap();
    let [live, again] =
        [&watched, &again].map(|study| study.forecast_end(paused.id).unwrap().unwrap());
    // Two orders of one factor.
    assert!((live.mean - again.mean).abs() < 1e-7 * live.sd, "{live} {again}");
}

/// The page has each setting by its name.
#[test]
fn the_page_has_each_setting() {
    let page = include_str!("../../docs/stages.md");
    for name in Stages::KEYS.iter().map(|key| format!("`stages.{}`", key.name)) {
        assert!(page.contains(&name), "docs/stages.md lacks {name}");
    }
}
