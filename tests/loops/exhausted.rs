//! Finite spaces with as many pending trials as they have settings, or more.

use std::collections::HashSet;
use std::sync::Arc;

use gittins::data::{Condition, Requirement};
use gittins::study::{Request, Stages};
use gittins::suggest::Incumbent;
use gittins::{Acquisition, Ask, Cost, Cpu, ErrorKind, Outcome, Pointwise, Result, Space, Study};

fn eight() -> Space {
    Space::new().int("a", 1, 4).flag("b")
}

/// Spaces and the number of their settings.
fn spaces() -> Vec<(&'static str, Space, usize)> {
    let branches = Space::new()
        .choice("kind", ["a", "b", "c"])
        .int("p", 0, 3)
        .when("kind", ["a"])
        .flag("q")
        .when("kind", ["b"]);
    // Without its conditions it would have more settings than are scored one by one.
    let deep = (0..6).fold(Space::new().int("branch", 0, 5), |space, branch| {
        space.int(format!("p{branch}"), 1, 4).when("branch", [branch])
    });
    let sums = (0..10).fold(Space::new(), |space, k| space.int(format!("n{k}"), 0, 9));
    let sums = sums.at_most((0..10).map(|k| (format!("n{k}"), 1.0)), 1.0);
    vec![
        ("ints and a flag", eight(), 8),
        ("branches", branches, 7),
        ("many branches", deep, 24),
        ("a small sum", sums, 11),
        ("allowed", eight().allow("odd", |point| point.get::<i64>("a").unwrap() % 2 == 1), 4),
        ("steps", Space::new().steps("x", 0.0, 0.3, 0.1).numbers("n", [1.0, 8.0]), 8),
        ("names in order", Space::new().ordinal("o", ["s", "m", "l"]).log_int("n", 1, 2), 6),
        // There are six floats from zero on.
        ("floats next to zero", Space::new().float("x", 0.0, 2.5e-323).constant("c", 1), 6),
    ]
}

fn key(ask: &Ask) -> String {
    format!("{:?}", ask.values())
}

fn outcome(ask: &Ask) -> f64 {
    ask.numbers().iter().filter(|number| !number.is_nan()).sum()
}

/// Asks until nothing is left, and says how many of the asks differ, and how many there were.
fn drained(study: &mut Study, most: usize) -> (usize, usize) {
    let mut seen = HashSet::new();
    for count in 0..most {
        match study.ask() {
            Ok(ask) => drop(seen.insert(key(&ask))),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Exhausted, "{error}");
                return (seen.len(), count);
            }
        }
    }
    (seen.len(), most)
}

#[test]
fn a_finite_space_is_asked_for_once_before_anything_is_told() {
    for (name, space, settings) in spaces() {
        for initial in [None, Some(1), Some(20)] {
            let study = Study::minimize(space.clone()).backend(Arc::new(Cpu)).seed(3);
            let mut study = match initial {
                None => study.build().unwrap(),
                Some(initial) => study.initial(initial).build().unwrap(),
            };
            assert_eq!(drained(&mut study, 40), (settings, settings), "{name}, {initial:?}");
        }
    }
}

#[test]
fn what_is_under_way_is_not_asked_for_again_once_some_are_told() {
    for (name, space, settings) in spaces() {
        let policies: [Acquisition; 2] =
            [Pointwise::LogExpectedImprovement.into(), Acquisition::gittins(1e-3)];
        for policy in policies {
            let study = Study::minimize(space.clone()).policy(policy).backend(Arc::new(Cpu));
            let mut study = study.seed(4).build().unwrap();
            for _ in 0..3 {
                let ask = study.ask().unwrap();
                study.tell(ask.id(), Outcome::new(outcome(&ask))).unwrap();
            }
            let (different, asked) = drained(&mut study, 40);
            // Where the model believes in noise, the three may be asked for once more.
            assert_eq!(different, asked, "{name}");
            assert!((settings - 3..=settings).contains(&asked), "{name}: {asked}");
            assert_eq!(study.counts().pending, asked);
        }
    }
}

#[test]
fn a_space_ends_once_all_of_it_was_told_without_noise() -> Result<()> {
    // The model does not believe in noise.
    let study = Study::minimize(eight()).incumbent(Incumbent::BestOutcome);
    let study = study.backend(Arc::new(Cpu)).cost(Cost::uniform(1.0));
    let mut study = study.seed(5).build()?;
    let mut seen = HashSet::new();
    while !study.verdict()?.is_stop() {
        let ask = study.ask()?;
        assert!(seen.insert(key(&ask)), "{} is asked for again", key(&ask));
        study.tell(ask.id(), Outcome::new((outcome(&ask) - 2.0).powi(2)))?;
    }
    assert_eq!(study.verdict()?.reason().to_string(), "stop: all 8 settings were evaluated");
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    Ok(())
}

#[test]
fn more_than_all_at_once_is_an_error_that_keeps_each_setting_once() {
    for jointly in [false, true] {
        for told in [0, 3, 6] {
            let study = Study::minimize(eight()).backend(Arc::new(Cpu));
            let mut study = study.seed(6).build().unwrap();
            for _ in 0..told {
                let ask = study.ask().unwrap();
                study.tell(ask.id(), Outcome::new(outcome(&ask))).unwrap();
            }
            let request = Request::new().count(12);
            let request = if jointly { request.jointly() } else { request };
            let error = study.ask_for(&request).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Exhausted, "{error}");
            let open = || study.history().iter().skip(told);
            let different: HashSet<String> =
                open().map(|trial| format!("{:?}", trial.values)).collect();
            assert_eq!(different.len(), open().count());
            assert!((8 - told..=8).contains(&different.len()));
        }
    }
}

#[test]
fn a_part_of_one_setting_is_asked_for_once() {
    let space = Space::new()
        .choice("kind", ["grid", "free"])
        .int("n", 1, 3)
        .when("kind", ["grid"])
        .float("x", 0.0, 1.0)
        .when("kind", ["free"]);
    let is = |name: &str, value: gittins::Value| Condition {
        parameter: name.into(),
        requirement: Requirement::Is(vec![value]),
    };
    for (given, settings) in [
        (vec![is("kind", "grid".into())], 3),
        (vec![is("n", 2.into())], 1),
        (vec![is("x", 0.25.into())], 1),
    ] {
        for told in [0, 4] {
            let study = Study::minimize(space.clone()).backend(Arc::new(Cpu));
            let mut study = study.seed(7).build().unwrap();
            for _ in 0..told {
                let ask = study.ask().unwrap();
                study.tell(ask.id(), Outcome::new(outcome(&ask))).unwrap();
            }
            let request = Request::new().given(given.clone());
            let mut asked = HashSet::new();
            let error = loop {
                match study.ask_for(&request) {
                    Ok(asks) => assert!(asked.insert(key(&asks[0])), "{given:?}: {:?}", asks[0]),
                    Err(error) => break error,
                }
            };
            assert_eq!(error.kind(), ErrorKind::Exhausted, "{error}");
            assert!(asked.len() <= settings && (told > 0 || asked.len() == settings));
            // The rest of the space is as free as it was.
            assert!(study.ask().is_ok());
        }
    }
}

#[test]
fn a_withdrawn_setting_is_free_again() -> Result<()> {
    let mut study = Study::minimize(eight()).backend(Arc::new(Cpu)).seed(8).build()?;
    let asks = study.ask_many(8)?;
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    study.withdraw(asks[5].id())?;
    assert_eq!(key(&study.ask()?), key(&asks[5]));
    Ok(())
}

#[test]
fn runs_in_stages_begin_at_each_setting_once() {
    for (name, space, settings) in spaces() {
        let stages = Stages::epochs(4);
        let mut study = Study::minimize(space).stages(stages).seed(9).build().unwrap();
        let mut seen = HashSet::new();
        let error = loop {
            match study.ask() {
                Ok(ask) => assert!(seen.insert(format!("{:?}", ask.values())), "{name}"),
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), ErrorKind::Exhausted, "{name}: {error}");
        assert_eq!(seen.len(), settings, "{name}");
    }
}
