//! Contexts: parameters that are given and not chosen.

use std::sync::Arc;

use gittins::data::{Condition, Requirement};
use gittins::journal::Journal;
use gittins::study::{AskTell, Context, Objective, Request, Stages, StudyBuilder};
use gittins::{Cpu, ErrorKind, Outcome, Policy, Space, Study, Table, Value};

fn space() -> Space {
    Space::new().float("x", 0.0, 1.0).choice("machine", ["old", "new"]).float("heat", 0.0, 1.0)
}

fn study() -> StudyBuilder {
    Study::minimize(space()).policy(Policy::gittins(0.02)).seed(4).backend(Arc::new(Cpu))
}

fn on(machine: &str) -> Context {
    Context::new([Condition {
        parameter: "machine".to_owned(),
        requirement: Requirement::Is(vec![machine.into()]),
    }])
}

fn at(heat: f64) -> Context {
    Context::new([Condition {
        parameter: "heat".to_owned(),
        requirement: Requirement::Is(vec![heat.into()]),
    }])
}

/// The old machine is worse everywhere, and best elsewhere. The best x grows with the heat.
fn loss(values: &[Value]) -> f64 {
    let [x, heat] = [0, 2].map(|index: usize| values[index].number().unwrap());
    let (best, level) = if values[1] == "old" { (0.2, 1.0) } else { (0.5, 0.0) };
    (x - best - 0.3 * heat).powi(2) * 4.0 + level
}

fn step(study: &mut dyn AskTell, context: &Context) {
    for ask in study.ask_for(&Request::new().context(context)).unwrap() {
        study.tell(ask.id(), Outcome::new(loss(ask.values()))).unwrap();
    }
}

#[test]
fn each_context_has_its_own_end_and_its_own_best_setting() {
    let mut study = study().build().unwrap();
    let mut steps = [0, 0];
    for (machine, steps) in ["new", "old"].into_iter().zip(&mut steps) {
        while !on(machine).verdict(&mut study).unwrap().is_stop() {
            step(&mut study, &on(machine));
            *steps += 1;
            assert!(*steps < 40);
        }
    }
    // The worse machine is looked at for its own sake, though the first trials were not on it.
    assert!(steps[1] >= 2, "{steps:?}");
    for (machine, level) in [("new", 0.0), ("old", 1.0)] {
        let context = on(machine);
        let setting = context.recommendation(&mut study).unwrap().unwrap();
        assert_eq!(setting.values[1], Value::from(machine));
        let true_loss = loss(&setting.values);
        assert!(true_loss - level < 0.03, "{machine}: {setting} {true_loss}");
        assert!((setting.mean - true_loss).abs() <= 4.0 * setting.sd + 0.03, "{setting}");
    }
    // A heat at which nothing was tried has a setting that the model moves there.
    let setting = at(0.5).recommendation(&mut study).unwrap().unwrap();
    assert_eq!(setting.values[2], Value::from(0.5));
    assert_eq!(setting.values[1], Value::from("new"));
    let found = &study.history()[setting.trial.index()];
    assert!(found.values[2] != setting.values[2] && found.values[0] == setting.values[0]);
}

#[test]
fn a_context_that_is_everything_recommends_what_the_study_does() {
    let mut study = study().build().unwrap();
    for _ in 0..12 {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), Outcome::new(loss(ask.values()))).unwrap();
    }
    let everywhere = Context::new([Condition {
        parameter: "x".to_owned(),
        requirement: Requirement::AtLeast(0.0),
    }]);
    let here = everywhere.recommendation(&mut study).unwrap().unwrap();
    let there = study.recommendation().unwrap().unwrap();
    assert_eq!((here.trial, here.mean, here.sd), (there.trial, there.mean, there.sd));
}

#[test]
fn a_file_a_batch_and_conditions_beside_a_context() {
    let folder = std::env::temp_dir().join(format!("gittins-context-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("machines.log");
    for round in 0..8 {
        let mut journal = Journal::open(&path, study()).unwrap();
        let context = on(["old", "new"][round % 2]);
        let narrow =
            Condition { parameter: "heat".to_owned(), requirement: Requirement::AtMost(0.4) };
        let request = Request::new().count(2).jointly().given([narrow]).context(&context);
        let asks = journal.ask_for(&request).unwrap();
        assert_eq!(asks.len(), 2);
        for ask in asks {
            assert!(ask.values()[2].number().unwrap() <= 0.4);
            let machine = ["old", "new"][round % 2];
            assert_eq!(ask.values()[1], Value::from(machine));
            journal.tell(ask.id(), Outcome::new(loss(ask.values()))).unwrap();
        }
    }
    let mut journal = Journal::open(&path, study()).unwrap();
    let setting = on("old").recommendation(&mut journal).unwrap().unwrap();
    assert!(loss(&setting.values) < 1.1, "{setting}");
    on("old").verdict(&mut journal).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_no_context_can_be_is_said_in_words() {
    let mut unpriced = Study::minimize(space()).seed(1).build().unwrap();
    let verdict = on("new").verdict(&mut unpriced).unwrap();
    assert!(!verdict.is_stop() && verdict.reason().to_string().contains("no price and no budget"));
    assert!(on("new").recommendation(&mut unpriced).unwrap().is_none());
    let error = on("odd").verdict(&mut unpriced).unwrap_err();
    assert!(error.to_string().contains("odd"), "{error}");
    let error = at(2.0).verdict(&mut unpriced).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfBounds);
    let mut staged = study().stages(Stages::of(3.0).reports([1.0, 3.0])).build().unwrap();
    let error = staged.ask_for(&Request::new().context(&on("new"))).unwrap_err().to_string();
    assert!(error.contains("no context"), "{error}");
    let error = on("new").verdict(&mut staged).unwrap_err().to_string();
    assert!(error.contains("in stages"), "{error}");
    let table = Table::new(["a"], vec![vec![1.0], vec![2.0]]).unwrap();
    let mut rows = Study::minimize(table).build().unwrap();
    let error = on("new").verdict(&mut rows).unwrap_err().to_string();
    assert!(error.contains("a table has rows"), "{error}");
    let mut two = study().objective("late", Objective::minimize()).build().unwrap();
    for _ in 0..6 {
        let ask = two.ask().unwrap();
        let outcome = Outcome::new(loss(ask.values())).measured("late", ask.numbers()[0]);
        two.tell(ask.id(), outcome).unwrap();
    }
    let error = on("new").recommendation(&mut two).unwrap_err().to_string();
    assert!(error.contains("one objective"), "{error}");
}
