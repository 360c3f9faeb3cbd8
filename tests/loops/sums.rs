//! Studies over mixtures: parts that sum to something, and other linear constraints.

use std::sync::Arc;

use gittins::data::{Condition, Requirement};
use gittins::journal::Journal;
use gittins::study::{Advice, Request, Stages, StudyBuilder};
use gittins::{Ask, Cost, Cpu, ErrorKind, Outcome, Space, Study, Value};

const PARTS: [&str; 5] = ["resin", "hardener", "filler", "water", "dye"];

/// A mixture of five parts, of which the last is never more than a tenth.
fn mixture() -> Space {
    let space = PARTS[..4].iter().fold(Space::new(), |space, part| space.float(*part, 0.0, 1.0));
    space.float("dye", 0.0, 0.1).sum_to(PARTS, 1.0)
}

fn study(space: Space) -> StudyBuilder {
    Study::minimize(space).seed(3).backend(Arc::new(Cpu))
}

/// The least value, 0, is at an edge: no water, no dye.
fn loss(values: &[f64]) -> f64 {
    let best = [0.5, 0.2, 0.3, -0.2, -0.3];
    let beyond: f64 = best[3..].iter().map(|b| b * b).sum();
    values.iter().zip(best).map(|(x, b)| (x - b) * (x - b)).sum::<f64>() - beyond
}

fn numbers(values: &[Value]) -> Vec<f64> {
    values.iter().map(|value| value.number().unwrap()).collect()
}

fn sum(values: &[f64]) -> f64 {
    values.iter().sum()
}

#[test]
fn a_study_of_a_mixture_stays_within_it_and_finds_an_edge() {
    let mut study = study(mixture()).build().unwrap();
    let mut best = f64::INFINITY;
    for trial in 0..24 {
        let ask = study.ask().unwrap();
        let values = numbers(ask.values());
        assert!((sum(&values) - 1.0).abs() <= 1e-12, "{values:?}");
        assert!(values.iter().all(|x| (0.0..=1.0).contains(x)) && values[4] <= 0.1);
        if trial == 0 {
            // The middle of the mixture, in which each part is there.
            assert!(values.iter().all(|x| *x > 0.03), "{values:?}");
        }
        best = best.min(loss(&values));
        study.tell(ask.id(), Outcome::new(loss(&values))).unwrap();
    }
    assert!(best < 1e-3, "{best}");
    let recommended = study.recommendation().unwrap().unwrap().numbers();
    // The least is on the edge, which a climb finds exactly.
    assert!(recommended[3] == 0.0 && recommended[4] == 0.0, "{recommended:?}");
}

#[test]
fn bits_repeat_and_a_file_goes_on() {
    let folder = std::env::temp_dir().join(format!("gittins-sums-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("mixture.log");
    let space = || mixture().at_most([("filler", 1.0), ("hardener", -2.0)], 0.05);
    let mut alone = study(space()).build().unwrap();
    for _ in 0..10 {
        let mut journal = Journal::open(&path, study(space())).unwrap();
        let (here, there) = (alone.ask().unwrap(), journal.ask().unwrap());
        assert_eq!(here.values(), there.values());
        let values = numbers(here.values());
        assert!((sum(&values) - 1.0).abs() <= 1e-12 && values[2] - 2.0 * values[1] <= 0.05 + 1e-12);
        alone.tell(here.id(), Outcome::new(loss(&values))).unwrap();
        journal.tell(there.id(), Outcome::new(loss(&values))).unwrap();
    }
    let other = mixture().at_most([("filler", 1.0), ("hardener", -2.0)], 0.06);
    let error = Journal::open(&path, study(other)).unwrap_err().to_string();
    assert!(error.contains("1 dye = 1") && error.contains("<= 0.06"), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// A part of the mixture that is given, a batch, a price and other parameters beside the parts.
#[test]
fn a_mixture_may_have_other_parameters_and_be_asked_in_parts() {
    let space = mixture()
        .choice("oven", ["old", "new"])
        .int("minutes", 5, 90)
        .log_float("rate", 1e-3, 1.0)
        .at_most([("minutes", 0.01), ("filler", 1.0)], 0.9);
    let mut study = study(space).cost(Cost::learned()).build().unwrap();
    let tell = |study: &mut Study, ask: &Ask| {
        let numbers = ask.numbers();
        assert!((sum(&numbers[..5]) - 1.0).abs() <= 1e-12, "{numbers:?}");
        // A constraint holds to 1e-9 of the sizes of its terms.
        assert!(0.01 * numbers[6] + numbers[2] <= 0.9 + 2e-9, "{numbers:?}");
        let outcome = loss(&numbers[..5]) + 0.1 * numbers[5] + 0.001 * numbers[6];
        study.tell(ask.id(), Outcome::new(outcome).cost(1.0 + numbers[6])).unwrap();
    };
    for _ in 0..8 {
        let ask = study.ask().unwrap();
        tell(&mut study, &ask);
    }
    let is = |name: &str, value: Value| Condition {
        parameter: name.to_owned(),
        requirement: Requirement::Is(vec![value]),
    };
    let given = [is("oven", "new".into()), is("dye", 0.05.into())];
    for _ in 0..4 {
        let asks = study.ask_for(&Request::new().count(2).given(given.clone())).unwrap();
        for ask in &asks {
            assert_eq!(ask.values()[5], Value::from("new"));
            assert!((ask.numbers()[4] - 0.05).abs() < 1e-12);
            tell(&mut study, ask);
        }
    }
}

/// What constraints leave one value keeps it, as does a sum that two bounds leave one value.
#[test]
fn constraints_that_leave_one_value_fix_it() {
    let floats = ["a", "b", "c", "d"].iter();
    let space = floats
        .fold(Space::new(), |space, name| space.float(*name, 0.0, 1.0))
        .at_most([("a", 1.0), ("b", 1.0)], 1.0)
        .at_least([("a", 1.0), ("b", -1.0)], 1.0)
        .at_most([("c", 1.0), ("d", 2.0)], 1.5)
        .at_least([("c", 1.0), ("d", 2.0)], 1.5);
    let mut study = study(space).build().unwrap();
    let (mut values, mut seen) = (Vec::new(), Vec::new());
    for _ in 0..20 {
        let ask = study.ask().unwrap();
        values = ask.numbers().to_vec();
        let [a, b, c, d] = values[..] else { unreachable!() };
        assert!((a - 1.0).abs() <= 1e-12 && b.abs() <= 1e-12, "{values:?}");
        assert!((c + 2.0 * d - 1.5).abs() <= 1e-12, "{values:?}");
        seen.push(c);
        study.tell(ask.id(), Outcome::new((c - 0.6) * (c - 0.6) + d)).unwrap();
    }
    // The design has seen much of the line, and the search its best point: c + 2 d = 1.5 has its
    // least at (c - 0.6)^2 + d for c = 0.85.
    seen.truncate(8);
    seen.sort_by(f64::total_cmp);
    assert!(seen[7] - seen[0] > 0.5, "{seen:?}");
    assert!(study.best().unwrap().outcome.unwrap() < 0.3875 + 1e-4, "{values:?}");
}

#[test]
fn runs_in_stages_are_of_mixtures() {
    let stages = Stages::of(9.0).reports([3.0, 9.0]);
    let mut study = study(mixture()).stages(stages).build().unwrap();
    for _ in 0..40 {
        let ask = study.ask().unwrap();
        let values = ask.numbers();
        assert!((sum(values) - 1.0).abs() <= 1e-12, "{values:?}");
        let mut until = ask.until();
        let at = |until: f64| loss(values) + 0.1 / until;
        while let Advice::Continue { until: next } =
            study.report(ask.id(), until, at(until), 3.0).unwrap()
        {
            until = next;
        }
    }
    assert!(study.history().len() > 10, "{}", study.history().len());
    assert!(study.best().unwrap().outcome.unwrap() < 0.1);
}

#[test]
fn what_makes_no_mixture_is_said_in_words() {
    let floats = |names: &[&str]| {
        names.iter().fold(Space::new(), |space, name| space.float(*name, 0.0, 1.0))
    };
    let cases = [
        (
            floats(&["a", "b"]).sum_to(["a", "b"], 2.5),
            ErrorKind::Empty,
            "no point satisfies 1 a + 1 b = 2.5: within the bounds the sum is from 0 to 2",
        ),
        (
            floats(&["a", "b", "c"])
                .at_most([("c", 1.0)], 0.5)
                .sum_to(["a", "b"], 1.5)
                .at_least([("a", 1.0), ("b", -1.0)], 0.8),
            ErrorKind::Empty,
            "no point satisfies 1 a + 1 b = 1.5 and -1 a + 1 b <= -0.8",
        ),
        (
            floats(&["a", "b"]).sum_to(["a", "b"], 2.0),
            ErrorKind::Empty,
            "1 a + 1 b = 2 leaves the one point \"a\" = 1, \"b\" = 1",
        ),
        (
            floats(&["a", "b"]).sum_to(["a", "b"], 1.0).equal_to([("a", 1.0), ("b", -1.0)], 0.5),
            ErrorKind::Empty,
            "leaves the one point \"a\" = 0.75, \"b\" = 0.25",
        ),
        (
            floats(&["a"]).log_float("b", 0.1, 1.0).sum_to(["a", "b"], 1.0),
            ErrorKind::InvalidSetting,
            "\"b\" is on a log scale",
        ),
        (
            floats(&["a"]).int("b", 0, 3).sum_to(["a", "b"], 1.0),
            ErrorKind::InvalidSetting,
            "\"b\" is a whole number",
        ),
        (
            floats(&["a"]).flag("f").float("b", 0.0, 1.0).when("f", [true]).sum_to(["a", "b"], 1.0),
            ErrorKind::InvalidSetting,
            "\"b\" exists only under conditions",
        ),
        (
            floats(&["a", "b"]).sum_to(["a", "c"], 1.0),
            ErrorKind::UnknownParameter,
            "no parameter is named \"c\"",
        ),
        (floats(&["a", "b"]).sum_to(["a", "b"], f64::NAN), ErrorKind::NonFinite, "finite"),
    ];
    for (space, kind, words) in cases {
        let error = space.validate().unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error} has no {words}");
        assert_eq!(study(space).build().unwrap_err().kind(), kind);
    }
    let mut study = study(mixture()).build().unwrap();
    let told = [0.5, 0.2, 0.3, 0.1, 0.0].map(Value::from);
    let error = study.import(&told, Outcome::new(1.0)).unwrap_err().to_string();
    assert!(error.contains("where the sum is 1.1"), "{error}");
}
