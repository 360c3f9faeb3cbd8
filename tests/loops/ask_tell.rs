//! Ask and tell: order, failures, pending trials, imports, and changes that must not change a
//! run.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gittins::maximize::Ended;
use gittins::study::{Origin, Search, StudyBuilder, TrialState, Why};
use gittins::{
    Acquisition, Backend, Cost, Cpu, ErrorKind, Job, Outcome, Points, Policy, Result, Scores,
    Space, Study, Table, TrialId,
};

use crate::support::tolerance::RESCALED_SUGGESTION;

pub fn square() -> Space {
    Space::new().float("x", -1.0, 2.0).float("y", 0.0, 5.0)
}

/// A bowl with its bottom at (0.5, 2).
pub fn bowl(values: &[f64]) -> f64 {
    (values[0] - 0.5).powi(2) + 0.2 * (values[1] - 2.0).powi(2)
}

/// Costs between 1 and 4.
fn price(values: &[f64]) -> f64 {
    1.0 + (values[0] + 1.0)
}

fn quick(builder: StudyBuilder) -> Study {
    builder.initial(5).search(Search::new(64, 4)).seed(3).build().unwrap()
}

/// Asks and tells `trials` times. Returns all points as bits.
fn drive(study: &mut Study, trials: usize, outcome: impl Fn(&[f64]) -> f64) -> Vec<u64> {
    let mut bits = Vec::new();
    for _ in 0..trials {
        let ask = study.ask().unwrap();
        bits.extend(ask.numbers().iter().map(|v| v.to_bits()));
        study
            .tell(ask.id(), Outcome::new(outcome(ask.numbers())).cost(price(ask.numbers())))
            .unwrap();
    }
    bits
}

#[test]
fn a_run_finds_the_bottom_of_a_bowl() {
    for cost in [Cost::uniform(1.0), Cost::known(price), Cost::learned()] {
        let mut study =
            quick(Study::minimize(square()).cost(cost.clone()).policy(Acquisition::gittins(1e-4)));
        drive(&mut study, 20, bowl);
        let best = study.best().unwrap();
        assert!(best.outcome.unwrap() < 0.02, "{cost:?}: {best:?}");
        assert_eq!(study.counts().adaptive, 15);
        let costs: Vec<f64> = study.history().iter().filter_map(|t| t.cost).collect();
        assert_eq!(study.total_cost(), costs.iter().sum::<f64>());
        assert_eq!(study.spent(), costs[5..].iter().sum::<f64>());
    }
}

#[test]
fn the_design_comes_first_and_everything_says_why() -> Result<()> {
    let mut study = Study::minimize(square()).search(Search::new(64, 4)).cost_unit("s").build()?;
    for number in 1..=4 {
        let ask = study.ask()?;
        assert_eq!(*ask.why(), Why::Initial { number, of: 4 });
        // The first is the middle.
        assert!(number > 1 || ask.numbers() == [0.5, 2.5]);
        assert_eq!(ask.get::<f64>("y")?, ask.numbers()[1]);
        assert!(ask.get::<f64>("z").unwrap_err().to_string().contains("\"x\""));
        study.tell(ask.id(), Outcome::new(bowl(ask.numbers())))?;
    }
    let ask = study.ask()?;
    let why = ask.why().to_string();
    for word in
        ["expected improvement per cost", "expected outcome", "expected cost", "rounds", "cpu"]
    {
        assert!(why.contains(word), "{why}");
    }
    let Why::Suggested(suggestion) = ask.why() else { panic!("{why}") };
    assert!(suggestion.sd > 0.0 && suggestion.cost == 1.0 && suggestion.evaluations >= 64);
    Ok(())
}

#[test]
fn trials_are_told_in_any_order() -> Result<()> {
    let mut study = quick(Study::minimize(square()).policy(Acquisition::gittins(1e-3)));
    let mut open: Vec<(TrialId, Vec<f64>)> = Vec::new();
    for round in 0..6 {
        for _ in 0..3 {
            let ask = study.ask()?;
            open.push((ask.id(), ask.numbers().to_vec()));
        }
        for _ in 0..2 {
            let (id, values) = open.remove(if round % 2 == 0 { open.len() - 1 } else { 0 });
            study.tell(id, Outcome::new(bowl(&values)))?;
        }
    }
    assert_eq!(study.counts().pending, open.len());
    for (id, values) in open {
        study.tell(id, Outcome::new(bowl(&values)))?;
    }
    assert!(
        study
            .history()
            .iter()
            .all(|t| t.state == TrialState::Complete && t.outcome == Some(bowl(&t.numbers())))
    );
    let lowest = study.history().iter().filter_map(|t| t.outcome).fold(f64::INFINITY, f64::min);
    assert_eq!(study.best().unwrap().outcome, Some(lowest));
    Ok(())
}

#[test]
fn trials_under_way_are_not_asked_for_again() -> Result<()> {
    let mut study = quick(Study::minimize(square()).policy(Acquisition::gittins(1e-3)));
    drive(&mut study, 8, bowl);
    let pending: Vec<Vec<f64>> =
        (0..4).map(|_| Ok(study.ask()?.numbers().to_vec())).collect::<Result<_>>()?;
    for (i, a) in pending.iter().enumerate() {
        for b in &pending[..i] {
            let distance = (a[0] - b[0]).hypot(a[1] - b[1]);
            assert!(distance > 1e-3, "{a:?} and {b:?}");
        }
    }
    Ok(())
}

#[test]
fn a_failure_is_not_asked_for_again_and_is_no_outcome() -> Result<()> {
    let mut study = quick(Study::minimize(square()).policy(Acquisition::gittins(1e-3)));
    drive(&mut study, 7, bowl);
    let best = study.best().unwrap().clone();
    let failed = study.ask()?;
    study.tell(failed.id(), Outcome::failed().cost(7.0))?;
    assert_eq!(study.best(), Some(&best));
    assert_eq!(
        study.total_cost(),
        7.0 + study.history()[..7].iter().filter_map(|t| t.cost).sum::<f64>()
    );
    let next = study.ask()?;
    let distance =
        (next.numbers()[0] - failed.numbers()[0]).hypot(next.numbers()[1] - failed.numbers()[1]);
    assert!(distance > 1e-3, "{distance}");
    Ok(())
}

#[test]
fn an_infeasible_trial_counts_as_failed() -> Result<()> {
    let suggestion = |outcome: Outcome| -> Result<Vec<f64>> {
        let mut study = quick(Study::minimize(square()).policy(Acquisition::gittins(1e-3)));
        drive(&mut study, 7, bowl);
        let ask = study.ask()?;
        study.tell(ask.id(), outcome)?;
        Ok(study.ask()?.numbers().to_vec())
    };
    assert_eq!(suggestion(Outcome::infeasible())?, suggestion(Outcome::failed())?);
    assert_ne!(suggestion(Outcome::infeasible())?, suggestion(Outcome::new(bowl(&[0.5, 2.0])))?);
    Ok(())
}

#[test]
fn without_any_outcome_the_points_stay_quasi_random() -> Result<()> {
    let mut study = quick(Study::minimize(square()).policy(Acquisition::gittins(1e-3)));
    let mut seen = HashSet::new();
    for trial in 0..8 {
        let ask = study.ask()?;
        assert!(seen.insert(ask.numbers()[0].to_bits()));
        assert_eq!(*ask.why() == Why::Exploring, trial >= 5);
        study.tell(ask.id(), Outcome::failed())?;
    }
    assert!(!study.verdict()?.is_stop());
    Ok(())
}

#[test]
fn imports_count_toward_the_design() -> Result<()> {
    let mut study = quick(Study::minimize(square()).policy(Acquisition::gittins(1e-3)));
    for i in 0..5 {
        let values = [f64::from(i) / 4.0, f64::from((3 * i) % 5)];
        let id = study.import(&values, Outcome::new(bowl(&values)).cost(2.0))?;
        assert_eq!(study.history()[id.index()].values, values);
    }
    assert!(matches!(study.ask()?.why(), Why::Suggested(_)));
    assert_eq!((study.total_cost(), study.spent(), study.counts().adaptive), (10.0, 0.0, 0));
    assert!(study.history()[..5].iter().all(|t| t.origin == Origin::Imported));
    Ok(())
}

#[test]
fn maximizing_mirrors_minimizing() {
    let policies = || {
        [
            Policy::gittins_decay(0.1, 2.0),
            Policy::ucb(),
            Policy::log_eipc_cooled(20.0),
            Acquisition::gittins(1e-3).into(),
        ]
    };
    for (minimized, maximized) in policies().into_iter().zip(policies()) {
        let mut down =
            quick(Study::minimize(square()).cost(Cost::known(price)).policy(minimized.clone()));
        let mut up = quick(Study::maximize(square()).cost(Cost::known(price)).policy(maximized));
        assert_eq!(drive(&mut down, 9, bowl), drive(&mut up, 9, |x| -bowl(x)), "{minimized:?}");
    }
}

#[test]
fn one_seed_fixes_the_run_on_any_number_of_threads() {
    let run = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let study =
                Study::minimize(square()).cost(Cost::learned()).policy(Acquisition::gittins(1e-3));
            drive(&mut quick(study.seed(seed).backend(Arc::new(Cpu))), 9, bowl)
        })
    };
    let one = run(1, 5);
    assert_eq!(one, run(2, 5));
    assert_eq!(one, run(3, 5));
}

#[test]
fn whole_numbers_are_asked_for_as_such_and_each_point_once() -> Result<()> {
    let space = Space::new().int("depth", 1, 4).int("width", 0, 3);
    let mut study = Study::minimize(space)
        .policy(Acquisition::gittins(1e-3))
        .initial(3)
        .search(Search::new(32, 4))
        .build()?;
    let mut seen = HashSet::new();
    for _ in 0..16 {
        let ask = study.ask()?;
        let (depth, width): (f64, f64) = (ask.get("depth")?, ask.get("width")?);
        assert_eq!(ask.get::<i64>("depth")? as f64, depth);
        assert!(depth.fract() == 0.0 && width.fract() == 0.0);
        assert!(seen.insert((depth as i64, width as i64)), "asked twice: {depth}, {width}");
        study.tell(ask.id(), Outcome::new((depth - 3.0).powi(2) + width))?;
    }
    // All sixteen points were evaluated, so nothing left can be worth its price.
    assert!(study.verdict()?.is_stop());
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    Ok(())
}

#[test]
fn a_space_of_both_kinds_of_parameters_is_searched_on_its_grid() -> Result<()> {
    let space =
        Space::new().float("x", 0.0, 1.0).int("k", 0, 1_000_000).log_float("rate", 1e-4, 1.0);
    let mut study = Study::minimize(space.clone())
        .policy(Acquisition::gittins(1e-4))
        .initial(8)
        .search(Search::new(128, 6))
        .seed(1)
        .build()?;
    for _ in 0..24 {
        let ask = study.ask()?;
        let (x, k, rate): (f64, f64, f64) = (ask.get("x")?, ask.get("k")?, ask.get("rate")?);
        assert_eq!(k.fract(), 0.0);
        study.tell(
            ask.id(),
            Outcome::new(
                (x - 0.3).powi(2) + (k / 1e6 - 0.7).powi(2) + (rate.log10() + 2.0).powi(2),
            ),
        )?;
    }
    assert!(study.best().unwrap().outcome.unwrap() < 0.02, "{:?}", study.best());
    // The model gets the place of the evaluation: the center of the whole number's cell.
    let k = |unit: &[f64]| unit[1];
    assert!(study.history().iter().all(|t| k(&t.unit) == k(&space.to_unit(&t.values).unwrap())));
    Ok(())
}

/// A value is an integer if it is whole, for any parameter. The ends of 64 bits are included.
#[test]
fn whole_numbers_are_integers_and_others_are_refused() -> Result<()> {
    let columns = vec![-(2.0_f64.powi(63)), 2.0_f64.powi(62), -0.0, 0.5, 2.0_f64.powi(63)];
    let names = ["least", "large", "zero", "half", "beyond"];
    let table = Table::new(names, vec![columns])?;
    let ask = Study::minimize(table).build()?.ask()?;
    let [least, large, zero] = [i64::MIN, 1 << 62, 0];
    assert_eq!((ask.get::<i64>("least")?, ask.get::<i64>("large")?), (least, large));
    assert_eq!(ask.get::<i64>("zero")?, zero);
    for (name, says) in
        [("half", "\"half\": expected a whole number"), ("beyond", "a whole number of 64 bits")]
    {
        let error = ask.get::<i64>(name).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSetting);
        assert!(error.to_string().contains(says), "{error}");
    }
    assert_eq!(ask.get::<i64>("none").unwrap_err(), ask.get::<f64>("none").unwrap_err());
    Ok(())
}

#[test]
fn a_design_on_few_whole_numbers_takes_each_once() -> Result<()> {
    let mut study = Study::minimize(Space::new().int("k", -2, 2)).initial(5).build()?;
    let mut asked = (0..5).map(|_| Ok(study.ask()?.numbers()[0])).collect::<Result<Vec<_>>>()?;
    asked.sort_by(f64::total_cmp);
    assert_eq!(asked, [-2.0, -1.0, 0.0, 1.0, 2.0]);
    Ok(())
}

#[test]
fn a_corner_is_evaluated_once() -> Result<()> {
    let mut study = Study::maximize(Space::new().float("x", 0.0, 1.0))
        .initial(2)
        .search(Search::new(32, 4))
        .build()?;
    let mut seen = HashSet::new();
    for _ in 0..12 {
        let ask = study.ask()?;
        assert!(
            seen.insert(ask.numbers()[0].to_bits()),
            "{} was asked for twice",
            ask.numbers()[0]
        );
        study.tell(ask.id(), Outcome::new(ask.numbers()[0]))?;
    }
    assert_eq!(study.best().unwrap().values, [1.0]);
    Ok(())
}

#[test]
fn judging_does_not_change_what_is_suggested() -> Result<()> {
    let run = |judged: bool| -> Result<Vec<Vec<f64>>> {
        let mut study = quick(
            Study::minimize(square()).cost(Cost::learned()).policy(Acquisition::gittins(1e-3)),
        );
        let mut points = Vec::new();
        for _ in 0..9 {
            let ask = study.ask()?;
            study.tell(ask.id(), Outcome::new(bowl(ask.numbers())).cost(price(ask.numbers())))?;
            points.push(ask.numbers().to_vec());
            if judged {
                study.verdict()?;
            }
        }
        Ok(points)
    };
    assert_eq!(run(true)?, run(false)?);
    Ok(())
}

/// Evaluates on the CPU and counts the batches.
struct Counting(AtomicUsize);

impl Backend for Counting {
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Cpu.evaluate(job, points, scores)
    }
}

#[test]
fn a_backend_of_ones_own_sees_every_batch() -> Result<()> {
    let backend = Arc::new(Counting(AtomicUsize::new(0)));
    let mut study = quick(Study::minimize(square()).backend(backend.clone()));
    drive(&mut study, 5, bowl);
    assert_eq!(backend.0.load(Ordering::Relaxed), 0);
    let ask = study.ask()?;
    let Why::Suggested(suggestion) = ask.why() else { panic!("{}", ask.why()) };
    assert!(backend.0.load(Ordering::Relaxed) > suggestion.rounds);
    Ok(())
}

#[test]
fn a_study_can_move_to_another_thread() {
    let mut study = quick(Study::minimize(square()).policy(Acquisition::gittins(1e-3)));
    let best = std::thread::spawn(move || {
        drive(&mut study, 6, bowl);
        study.best().and_then(|trial| trial.outcome)
    });
    assert!(best.join().unwrap().is_some());
}

#[test]
fn without_standardizing_the_unit_of_the_outcome_does_matter() {
    let run = |scale: f64, standardize: bool| {
        let mut study = quick(
            Study::minimize(square())
                .standardize(standardize)
                .policy(Acquisition::gittins(1e-3 * scale)),
        );
        drive(&mut study, 7, |x| scale * bowl(x))
    };
    assert_eq!(run(1.0, true), run(64.0, true));
    assert_ne!(run(1.0, false), run(64.0, false));
}

/// A run whose outcomes and price are in units that are `scale` times smaller.
struct Scaled {
    values: Vec<f64>,
    stops: Vec<bool>,
    /// Index, expected outcome and deviation of each suggestion.
    reports: Vec<f64>,
}

fn scaled(scale: f64) -> Scaled {
    let mut study = quick(
        Study::minimize(square())
            .cost(Cost::known(price))
            .policy(Acquisition::gittins(0.003 * scale)),
    );
    let mut run = Scaled { values: Vec::new(), stops: Vec::new(), reports: Vec::new() };
    for _ in 0..12 {
        let ask = study.ask().unwrap();
        run.values.extend_from_slice(ask.numbers());
        if let Why::Suggested(why) = ask.why() {
            run.reports.extend([why.value, why.mean, why.sd]);
        }
        study.tell(ask.id(), Outcome::new(scale * bowl(ask.numbers()))).unwrap();
        run.stops.push(study.verdict().unwrap().is_stop());
    }
    run
}

#[test]
fn the_unit_of_the_outcome_does_not_matter() {
    let one = scaled(1.0);
    assert!(one.stops.contains(&true) && one.stops.contains(&false), "{:?}", one.stops);
    for power_of_two in [0.125, 1024.0] {
        let other = scaled(power_of_two);
        assert!(one.values.iter().zip(&other.values).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert_eq!(one.stops, other.stops);
        assert!(one.reports.iter().zip(&other.reports).all(|(a, b)| power_of_two * a == *b));
    }
    let tenfold = scaled(10.0);
    assert_eq!(one.stops, tenfold.stops);
    for (a, b) in one.values.iter().zip(&tenfold.values) {
        assert!((a - b).abs() < RESCALED_SUGGESTION, "{a} and {b}");
    }
}

#[test]
fn the_unit_of_the_cost_does_not_matter() {
    let run = |unit: f64, learned: bool| {
        let cost =
            if learned { Cost::learned() } else { Cost::known(move |values| unit * price(values)) };
        let mut study =
            quick(Study::minimize(square()).cost(cost).policy(Acquisition::gittins(0.003 / unit)));
        let (mut values, mut costs) = (Vec::new(), Vec::new());
        for _ in 0..10 {
            let ask = study.ask().unwrap();
            values.extend_from_slice(ask.numbers());
            if let Why::Suggested(suggestion) = ask.why() {
                costs.push((suggestion.cost / unit, price(ask.numbers())));
            }
            study
                .tell(ask.id(), Outcome::new(bowl(ask.numbers())).cost(unit * price(ask.numbers())))
                .unwrap();
        }
        (values, costs)
    };
    for learned in [false, true] {
        let (values, costs) = run(1.0, learned);
        let (others, other_costs) = run(3600.0, learned);
        assert!(
            values.iter().zip(&others).all(|(a, b)| (a - b).abs() < RESCALED_SUGGESTION),
            "{values:?}, {others:?}"
        );
        // The expected cost is in the user's unit. A known cost is exact. A cost learned from five
        // costs between 1 and 4 is close.
        let slack = if learned { 0.3 } else { 1e-12 };
        for (expected, truth) in costs.iter().chain(&other_costs) {
            assert!(
                (expected / truth - 1.0).abs() < slack,
                "{expected} for {truth}, learned: {learned}"
            );
        }
    }
}

#[test]
fn a_fit_that_fails_keeps_the_hyper_parameters_and_says_so() -> Result<()> {
    let mut study = quick(Study::minimize(square()).standardize(false));
    drive(&mut study, 6, bowl);
    // The square of this outcome overflows double precision.
    study.import(&[0.0, 1.0], Outcome::new(1e160))?;
    let why = study.ask()?.why().to_string();
    assert!(why.contains("the outcome model kept its hyper-parameters"), "{why}");
    Ok(())
}

#[test]
fn a_search_that_has_no_time_suggests_the_best_of_its_scan_and_says_so() {
    let mut study = Study::minimize(Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0))
        .time_limit(Duration::ZERO)
        .build()
        .unwrap();
    for _ in 0..8 {
        let ask = study.ask().unwrap();
        study
            .tell(ask.id(), Outcome::new((ask.numbers()[0] - 0.3).abs() + ask.numbers()[1]))
            .unwrap();
    }
    let Why::Suggested(suggestion) = study.ask().unwrap().why().clone() else {
        panic!("the design is told")
    };
    assert_eq!(suggestion.ended, Ended::Deadline);
    assert!(suggestion.to_string().contains("time"), "{suggestion}");
}
