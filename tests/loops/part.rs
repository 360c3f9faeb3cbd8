//! Asking within a part of the space.

use gittins::data::{Condition, Requirement};
use gittins::model::Noise;
use gittins::study::{Request, TrialState};
use gittins::{Ask, Cost, ErrorKind, GaussianProcess, Outcome, Result, Space, Study, Value};

fn within(name: &str, low: f64, high: f64) -> [Condition; 2] {
    [Requirement::AtLeast(low), Requirement::AtMost(high)]
        .map(|requirement| Condition { parameter: name.to_owned(), requirement })
}

fn is(name: &str, value: impl Into<Value>) -> Condition {
    Condition { parameter: name.to_owned(), requirement: Requirement::Is(vec![value.into()]) }
}

fn outcome(x: f64, y: f64) -> Outcome {
    Outcome::new((x - y).powi(2) + 0.1 * (x - 0.9).powi(2))
}

fn ask_where(study: &mut Study, conditions: &[Condition]) -> Result<Ask> {
    let asks = study.ask_for(&Request::new().given(conditions.iter().cloned()))?;
    Ok(asks.into_iter().next().expect("there is no limit"))
}

fn told(space: Space, trials: usize) -> Result<Study> {
    let mut study = Study::minimize(space).seed(3).build()?;
    for _ in 0..trials {
        let ask = study.ask()?;
        study.tell(ask.id(), outcome(ask.get("x")?, ask.get("y")?))?;
    }
    Ok(study)
}

fn plane() -> Space {
    Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0)
}

#[test]
fn the_model_of_the_whole_knows_the_best_of_a_part() {
    let mut study = told(plane(), 25).unwrap();
    let before = study.best().unwrap().outcome.unwrap();
    assert!(before < 0.01);
    // Elsewhere than the optimum nothing improves. What is asked for there is where it might.
    let mut best = f64::INFINITY;
    for _ in 0..6 {
        let ask = ask_where(&mut study, &[is("x", 0.2), within("y", 0.0, 0.5)[1].clone()]).unwrap();
        let (x, y): (f64, f64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
        assert!((x - 0.2).abs() < 1e-15 && (0.0..=0.5 + 1e-15).contains(&y));
        best = best.min((x - y).abs());
        study.tell(ask.id(), outcome(x, y)).unwrap();
    }
    assert!(best < 0.1, "{best}");
    // The whole space is searched again afterwards.
    let ask = study.ask().unwrap();
    assert!(ask.get::<f64>("x").unwrap() > 0.5);
}

#[test]
fn points_of_the_design_lie_in_the_part() {
    let space = plane().choice("k", ["a", "b", "c"]).int("n", 1, 100);
    let mut study = Study::minimize(space).initial(12).build().unwrap();
    let conditions =
        [within("x", 0.25, 0.5).to_vec(), within("n", 40.0, 42.0).to_vec(), vec![is("k", "b")]];
    for _ in 0..12 {
        let ask = ask_where(&mut study, &conditions.concat()).unwrap();
        assert!((0.25..=0.5 + 1e-15).contains(&ask.get::<f64>("x").unwrap()));
        assert!((40..=42).contains(&ask.get::<i64>("n").unwrap()));
        assert_eq!(ask.choice("k").unwrap(), "b");
    }
}

#[test]
fn without_conditions_it_is_the_same_as_asking() {
    let (mut one, mut other) = (told(plane(), 8).unwrap(), told(plane(), 8).unwrap());
    assert_eq!(ask_where(&mut one, &[]).unwrap().values(), other.ask().unwrap().values());
}

#[test]
fn a_small_grid_gives_its_best_cell_in_the_part() {
    let space = Space::new().int("x", 0, 9).int("y", 0, 9);
    // A model that learns noise may believe in some, and ask for a cell again.
    let exact = GaussianProcess::new().noise(Noise::Fixed(1e-6));
    let mut study = Study::minimize(space).seed(1).model(exact).build().unwrap();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..20 {
        let ask = ask_where(&mut study, &within("x", 3.0, 4.0)).unwrap();
        let (x, y): (i64, i64) = (ask.get("x").unwrap(), ask.get("y").unwrap());
        assert!((3..=4).contains(&x) && seen.insert((x, y)), "{x} {y}");
        study.tell(ask.id(), Outcome::new(((x - 7).pow(2) + (y - 2).pow(2)) as f64)).unwrap();
    }
}

#[test]
fn what_cannot_hold_is_an_error_and_changes_nothing() {
    let mut study = told(plane(), 5).unwrap();
    let error = ask_where(&mut study, &within("x", 2.0, 3.0)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfBounds);
    assert!(error.to_string().contains("\"x\""), "{error}");
    assert_eq!(study.history().len(), 5);
}

#[test]
fn an_announced_trial_is_under_way_and_told_like_an_import() {
    let mut study = told(plane(), 12).unwrap();
    let next = study.ask().unwrap();
    let mut other = told(plane(), 12).unwrap();
    // Somebody else runs the very point.
    let id = other.announce(next.values()).unwrap();
    assert_eq!(other.history()[id.index()].state, TrialState::Pending);
    assert_ne!(other.ask().unwrap().values(), next.values());
    other.tell(id, Outcome::new(0.5)).unwrap();
    assert_eq!(other.counts().adaptive, study.counts().adaptive);
    let error = other.announce(&[2.0, 0.5]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfBounds);
}

/// `momentum` exists for `sgd` with three layers at least, `decay` from a momentum of 0.3 on, and
/// `layers` only if the model is deep.
fn branches() -> Space {
    Space::new()
        .float("x", 0.0, 1.0)
        .flag("deep")
        .choice("solver", ["adam", "sgd", "lion"])
        .int("layers", 1, 9)
        .when("deep", [true])
        .float("momentum", 0.0, 0.7)
        .when("solver", ["sgd"])
        .when_at_least("layers", 3)
        .float("decay", 0.0, 1.0)
        .when_at_least("momentum", 0.3)
}

fn asked_in_branches(conditions: &[Condition]) -> Vec<gittins::Ask> {
    let mut study = Study::minimize(branches()).seed(5).build().unwrap();
    let mut asked = Vec::new();
    // Points of the design, and points that are searched for.
    for _ in 0..14 {
        let ask = ask_where(&mut study, conditions).unwrap();
        let x: f64 = ask.get("x").unwrap();
        let momentum: Option<f64> = ask.get("momentum").unwrap();
        study.tell(ask.id(), Outcome::new(x + momentum.unwrap_or(0.5))).unwrap();
        asked.push(ask);
    }
    asked
}

#[test]
fn a_value_implies_the_branch_in_which_its_parameter_exists() {
    for ask in asked_in_branches(&[is("momentum", 0.5)]) {
        assert!((ask.get::<f64>("momentum").unwrap() - 0.5).abs() < 1e-15);
        assert_eq!(ask.choice("solver").unwrap(), "sgd");
        assert!(ask.get::<bool>("deep").unwrap());
        assert!(ask.get::<i64>("layers").unwrap() >= 3);
    }
    // The outcome draws the momentum to its lower bound, from which on `decay` exists.
    for ask in asked_in_branches(&[is("decay", 0.25)]) {
        assert_eq!(ask.get::<f64>("decay").unwrap(), 0.25);
        assert!(ask.get::<f64>("momentum").unwrap() >= 0.3);
    }
}

#[test]
fn a_bound_counts_only_if_the_parameter_exists() {
    let low = within("momentum", 0.0, 0.2)[1].clone();
    let if_present = Condition {
        parameter: "momentum".to_owned(),
        requirement: Requirement::IsIfPresent(vec![0.25.into()]),
    };
    for condition in [low, if_present] {
        let asked = asked_in_branches(std::slice::from_ref(&condition));
        let there = |ask: &gittins::Ask| ask.get::<Option<f64>>("momentum").unwrap();
        assert!(asked.iter().any(|ask| there(ask).is_none()), "{condition}");
        assert!(asked.iter().filter_map(there).all(|momentum| momentum <= 0.25 + 1e-15));
    }
}

#[test]
fn conditions_that_contradict_each_other_are_refused_by_the_names_of_both() {
    let mut study = Study::minimize(branches()).build().unwrap();
    for (conditions, names) in [
        (vec![is("momentum", 0.5), is("solver", "adam")], ["solver", "momentum"]),
        (vec![is("decay", 0.5), is("deep", false)], ["deep", "decay"]),
        (vec![is("decay", 0.5), is("momentum", 0.1)], ["momentum", "decay"]),
        (vec![within("layers", 1.0, 2.0)[1].clone(), is("momentum", 0.5)], ["layers", "momentum"]),
    ] {
        let error = ask_where(&mut study, &conditions).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfBounds);
        assert!(names.iter().all(|name| error.to_string().contains(name)), "{error}");
    }
    assert_eq!(study.history().len(), 0);
}

/// What is given wholly is one point, which no search of the space is made for: with a search the time would
/// grow with the power of the number of parameters.
#[test]
fn a_point_that_is_given_is_asked_for_once_in_a_design_that_looks_at_costs() -> Result<()> {
    let names: Vec<String> = (0..9).map(|k| format!("x{k}")).collect();
    let space = names.iter().fold(Space::new(), |space, name| space.float(name, 0.0, 1.0));
    let mut study = Study::minimize(space).cost(Cost::learned()).initial(8).seed(3).build()?;
    for cost in [1.0, 3.0, 2.0] {
        let ask = study.ask()?;
        study.tell(ask.id(), Outcome::new(cost).cost(cost))?;
    }
    let given: Vec<Condition> = names.iter().map(|name| is(name, 0.25)).collect();
    let ask = ask_where(&mut study, &given)?;
    assert!(ask.numbers().iter().all(|x| *x == 0.25));
    assert_eq!(ask_where(&mut study, &given).unwrap_err().kind(), ErrorKind::Exhausted);
    assert_eq!(study.history().len(), 4);
    Ok(())
}
