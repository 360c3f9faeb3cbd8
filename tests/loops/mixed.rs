//! Studies over names, flags, lists, conditions and constraints.

use std::sync::Arc;

use gittins::{
    Acquisition, Cost, Cpu, ErrorKind, GittinsRule, Outcome, Policy, Record, Space, Study, Table,
    Value,
};
use gittins_papers::evaluation::Replay;

use super::duplicates::policies;

/// Two branches of five parameters each; the second has a better bottom.
fn branches() -> Space {
    let space = Space::new().choice("branch", ["left", "right"]);
    ["left", "right"].into_iter().fold(space, |space, branch| {
        (0..5).fold(space, |space, k| {
            space.float(format!("{branch} {k}"), 0.0, 1.0).when("branch", [branch])
        })
    })
}

fn outcome_of_branches(values: &[f64]) -> f64 {
    let (branch, place) = (values[0] as usize, [0.3, 0.6][values[0] as usize]);
    let own = &values[1 + 5 * branch..6 + 5 * branch];
    assert!(own.iter().all(|value| !value.is_nan()));
    own.iter().map(|x| (x - place).powi(2)).sum::<f64>() + [0.3, 0.0][branch]
}

#[test]
fn a_run_spends_its_trials_in_the_better_branch() {
    for seed in [1, 2] {
        let mut study = Study::minimize(branches()).seed(seed).initial(12).build().unwrap();
        let mut taken = Vec::new();
        for _ in 0..50 {
            let ask = study.ask().unwrap();
            let values = ask.numbers().to_vec();
            taken.push(ask.choice("branch").unwrap() == "right");
            let other = if taken[taken.len() - 1] { "left 0" } else { "right 0" };
            assert_eq!(ask.get::<Option<f64>>(other).unwrap(), None);
            assert_eq!(ask.get::<f64>(other).unwrap_err().kind(), ErrorKind::InvalidSetting);
            study.tell(ask.id(), Outcome::new(outcome_of_branches(&values))).unwrap();
        }
        assert!(taken.contains(&true) && taken.contains(&false));
        let late = taken[25..].iter().filter(|right| **right).count();
        assert!(late >= 18, "seed {seed}: {late} of 25 in the better branch");
        assert!(study.best().unwrap().outcome.unwrap() < 0.02);
        let best = study.recommendation().unwrap().unwrap();
        assert_eq!(best.values[0], "right");
        // What is absent is not printed.
        assert!(!best.to_string().contains("left"), "{best}");
    }
}

fn pipeline() -> Space {
    Space::new()
        .choice("kernel", ["linear", "poly", "rbf", "sigmoid"])
        .log_float("C", 1e-2, 1e2)
        .int("degree", 1, 5)
        .when("kernel", ["poly"])
        .log_float("gamma", 1e-3, 10.0)
        .when("kernel", ["rbf", "sigmoid"])
        .powers_of_two("batch", 1, 1024)
        .flag("scaled")
        .allow("no unscaled sigmoid", |point| {
            point.choice("kernel") != Ok("sigmoid") || point.get("scaled") == Ok(true)
        })
}

fn loss(values: &[f64]) -> f64 {
    let [kernel, c, degree, gamma, batch, scaled] = values else { panic!("six values") };
    let inner = match *kernel as usize {
        0 => 0.6,
        1 => 0.1 * (degree - 3.0).abs() + 0.2,
        2 => 0.1 * (gamma / 0.3).ln().powi(2),
        _ => 0.3 + 0.05 * gamma.ln().abs(),
    };
    inner + 0.05 * (c / 3.0).ln().powi(2) + 0.03 * (batch.log2() - 5.0).abs() - 0.1 * scaled
}

/// Whether a study asks for nothing but possible trials, whatever chooses them.
#[test]
fn every_policy_suggests_possible_trials() {
    let plan = Acquisition::budgeted_lookahead(2, &[2]).budget(30.0).into();
    for policy in policies().into_iter().chain([plan]) {
        let what = format!("{policy:?}");
        let space = pipeline();
        let mut study = Study::minimize(space.clone())
            .policy(policy)
            .cost(Cost::learned())
            .seed(5)
            .initial(8)
            .build()
            .unwrap();
        for trial in 0..12 {
            let ask = study.ask().unwrap();
            let unit = space.to_unit(ask.values()).unwrap_or_else(|e| panic!("{what}: {e}"));
            // Its point is the one place of its values.
            let asked = &study.history()[trial].unit;
            let far = unit.iter().zip(asked).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(far < 1e-12, "{what}: {unit:?} {asked:?}");
            let cost = 1.0 + ask.get::<f64>("batch").unwrap() / 100.0;
            study.tell(ask.id(), Outcome::new(loss(ask.numbers())).cost(cost)).unwrap();
            study.verdict().unwrap();
        }
    }
}

#[test]
fn a_mixed_space_is_searched_to_its_bottom() {
    let mut study = Study::minimize(pipeline())
        .policy(Acquisition::gittins(1e-3))
        .cost(Cost::known(|values| 1.0 + f64::from(u8::from(values[0] == 1.0))))
        .stop(GittinsRule::new())
        .seed(2)
        .build()
        .unwrap();
    let mut trials = 0;
    while !study.verdict().unwrap().is_stop() && trials < 60 {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), Outcome::new(loss(ask.numbers()))).unwrap();
        trials += 1;
        println!("{trials} {:.3} {:?} {}", loss(ask.numbers()), ask.values(), ask.why());
    }
    let best = study.best().unwrap();
    // The bottom is -0.1. A trial costs 0.001, and the polynomial kernel twice as much.
    assert!(best.outcome.unwrap() < -0.08, "{best:?}");
    assert!(trials < 60, "no stop");
    let polynomial = study.history().iter().filter(|trial| trial.values[0] == "poly").count();
    let paid = (trials + polynomial) as f64;
    assert_eq!(study.total_cost(), paid);
}

#[test]
fn small_finite_spaces_are_looked_through() {
    // 2 * 3 + 2 settings: the list exists only beside `true`.
    let space = Space::new()
        .flag("a")
        .numbers("list", [1.0, 2.0, 5.0])
        .when("a", [true])
        .choice("c", ["u", "v"]);
    let mut study = Study::minimize(space).initial(2).seed(9).build().unwrap();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..8 {
        let ask = study.ask().unwrap();
        assert!(seen.insert(format!("{:?}", ask.values())), "{:?} again", ask.values());
        let [a, list, c] = ask.numbers() else { unreachable!() };
        let outcome = a + if list.is_nan() { 0.0 } else { *list } + 0.1 * c;
        study.tell(ask.id(), Outcome::new(outcome)).unwrap();
    }
    assert_eq!(seen.len(), 8);
}

#[test]
fn tables_have_names() {
    let rows: Vec<Vec<Value>> = ["oak", "ash", "elm"]
        .into_iter()
        .flat_map(|tree| (0..4).map(move |age| vec![tree.into(), age.into(), (age > 1).into()]))
        .collect();
    let table = Table::new(["tree", "age", "old"], rows).unwrap();
    // Three columns of names, one of numbers, one flag.
    assert_eq!((table.dim(), table.names().count()), (5, 3));
    let mut study = Study::maximize(table.clone()).seed(3).build().unwrap();
    study.import(&["elm".into(), 3.into(), Value::from(true)], Outcome::new(2.0)).unwrap();
    let error = study.import(&["yew".into(), 3.into(), Value::from(true)], Outcome::new(2.0));
    assert_eq!(error.unwrap_err().kind(), ErrorKind::OutOfBounds);
    for _ in 0..11 {
        let ask = study.ask().unwrap();
        let row = ask.row().unwrap();
        assert_eq!(table.values(row), ask.values());
        let tall = if ask.choice("tree").unwrap() == "ash" { 2.0 } else { 0.0 };
        study.tell(ask.id(), Outcome::new(tall + ask.get::<f64>("age").unwrap())).unwrap();
    }
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    assert_eq!(study.best().unwrap().values[0], "ash");
}

#[test]
fn a_record_keeps_names_and_what_is_absent() {
    let settings =
        || Study::minimize(pipeline()).policy(Acquisition::gittins(1e-3)).initial(6).seed(4);
    let mut study = settings().build().unwrap();
    let known: Vec<Value> =
        vec!["linear".into(), 1.0.into(), Value::Absent, Value::Absent, 64.into(), true.into()];
    study.import(&known, Outcome::new(0.7)).unwrap();
    for _ in 0..12 {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), Outcome::new(loss(ask.numbers()))).unwrap();
        study.verdict().unwrap();
    }
    let record = study.record();
    let header = record.columns();
    assert!(header.contains(&"value.kernel".to_owned()) && header.contains(&"unit".to_owned()));
    assert!(record.cells().all(|cells| cells.len() == header.len()));
    #[cfg(feature = "serde")]
    {
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    }
    let verdicts = Replay::new(settings()).rule(GittinsRule::new()).run(&record).unwrap();
    assert!(!verdicts.rules[0].checks.is_empty());
}

/// Names that look like numbers, flags or nothing stand in cells as names.
#[test]
fn names_stand_in_cells_as_names() {
    let names = ["7", "1.0", "1e-3", "true", "nan", "inf", "", "\"", "\"7\"", "\"\"", "plain", "-"];
    let settings = || Study::minimize(Space::new().choice("c", names).flag("f")).initial(2).seed(1);
    let mut study = settings().build().unwrap();
    for (index, name) in names.into_iter().enumerate() {
        study.import(&[name.into(), Value::from(true)], Outcome::new(index as f64)).unwrap();
    }
    let record = study.record();
    let cells: Vec<Vec<String>> = record.cells().collect();
    let column = record.columns().iter().position(|name| name == "value.c").unwrap();
    for (cells, name) in cells.iter().zip(names) {
        // A name that cannot be mistaken stands as it is.
        let expected =
            if ["\"", "plain", "-"].contains(&name) { name } else { &format!("\"{name}\"") };
        assert_eq!(cells[column], expected);
    }
    Replay::new(settings()).rule(GittinsRule::priced(1e-3)).run(&record).unwrap();
}

#[test]
fn no_name_is_favored_by_its_place() {
    let mut firsts = [0usize; 4];
    for seed in 0..200 {
        let space = Space::new().choice("c", ["a", "b", "c", "d"]).float("x", 0.0, 1.0);
        let mut study = Study::minimize(space).seed(seed).build().unwrap();
        firsts[study.ask().unwrap().numbers()[0] as usize] += 1;
    }
    // The square of deviations over 50 has three degrees of freedom: above 16.3 once in a thousand.
    let squares: f64 = firsts.iter().map(|count| (*count as f64 - 50.0).powi(2) / 50.0).sum();
    assert!(squares < 16.3, "{firsts:?}");
}

/// A verdict searches for the next suggestion as well. Where points without a real number are beside
/// others, it leaves out what was evaluated, as the suggestion does.
#[test]
fn a_verdict_decides_nothing_about_the_next_suggestion() {
    let asked = |seed: u64, with_verdicts: bool| {
        let space = Space::new()
            .choice("way", ["old", "new"])
            .log_float("rate", 1e-3, 1.0)
            .when("way", ["new"])
            .int("n", 1, 30);
        let mut study = Study::maximize(space)
            .policy(Policy::gittins(0.01))
            .initial(3)
            .seed(seed)
            .backend(Arc::new(Cpu))
            .build()
            .unwrap();
        let step = |trial: usize| {
            if with_verdicts {
                study.verdict().unwrap();
            }
            let ask = study.ask().unwrap();
            let n: f64 = ask.get("n").unwrap();
            let outcome = match trial {
                1 => Outcome::failed(),
                _ => {
                    Outcome::new(-(n - 11.0).abs() + 0.3 * ask.choice("way").unwrap().len() as f64)
                }
            };
            study.tell(ask.id(), outcome).unwrap();
            ask.values().to_vec()
        };
        (0..10).map(step).collect::<Vec<_>>()
    };
    for seed in 0..8 {
        assert_eq!(asked(seed, true), asked(seed, false), "seed {seed}");
    }
}
