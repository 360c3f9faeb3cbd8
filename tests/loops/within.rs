//! Asking within a limit of the cost.

use std::sync::{Arc, Mutex};

use gittins::stop::Statistic;
use gittins::study::{Request, StudyBuilder, Why};
use gittins::{
    Acquisition, Ask, Backend, Cost, Cpu, ErrorKind, Outcome, Points, Pointwise, Policy, Result,
    Scores, Space, StopContext, StopRule, Study, Table,
};

fn plane() -> Space {
    Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0)
}

fn rows() -> Table {
    let rows = (0..60).map(|i| vec![f64::from(i) / 59.0, f64::from(i * 23 % 60) / 59.0]);
    Table::new(["x", "y"], rows.collect::<Vec<_>>()).unwrap()
}

fn outcome(at: &[f64]) -> f64 {
    (at[0] - 0.8).powi(2) + 0.4 * (at[1] - 0.6).powi(2) + 0.05 * (9.0 * at[0]).sin()
}

fn cost(at: &[f64]) -> f64 {
    (1.0 + 2.0 * at[0] + 0.3 * (5.0 * at[1]).sin()).exp()
}

fn ask_within(study: &mut Study, limit: f64) -> Result<Option<Ask>> {
    Ok(study.ask_for(&Request::new().within(limit))?.pop())
}

fn tell(study: &mut Study, ask: &Ask) {
    let at = ask.numbers();
    let told = Outcome::new(outcome(at));
    let told = if study.cost_unit() == Some("learned") { told.cost(cost(at)) } else { told };
    study.tell(ask.id(), told).unwrap();
}

fn with(builder: StudyBuilder, learned: bool, policy: impl Into<Policy>) -> StudyBuilder {
    let builder = builder.backend(Arc::new(Cpu)).policy(policy).seed(5);
    if learned {
        builder.cost(Cost::learned()).cost_unit("learned")
    } else {
        builder.cost(Cost::known(cost))
    }
}

fn begun(builder: StudyBuilder, count: usize) -> Study {
    let mut study = builder.build().unwrap();
    for _ in 0..count {
        let ask = study.ask().unwrap();
        tell(&mut study, &ask);
    }
    study
}

fn suggested(ask: &Ask) -> &gittins::suggest::Suggestion {
    match ask.why() {
        Why::Suggested(suggestion) => suggestion,
        why => panic!("{why}"),
    }
}

fn policies() -> Vec<Policy> {
    vec![
        Acquisition::gittins(1e-4).into(),
        Acquisition::from(Pointwise::LogExpectedImprovement).into(),
        Acquisition::from(Pointwise::ExpectedImprovement).into(),
        Policy::thompson(),
        Policy::knowledge_gradient(4),
    ]
}

/// Every answer is within its limit, over limits from nothing to everything, and none is given only
/// if nothing is.
fn answers_are_within(builder: impl Fn() -> StudyBuilder, learned: bool) {
    for policy in policies() {
        let mut study = begun(with(builder(), learned, policy.clone()), 9);
        let (mut some, mut bound) = (0, 0);
        for limit in [0.5, 2.2, 2.6, 3.0, 5.0, 8.0, 12.0, 20.0, 1e6] {
            let before = study.history().len();
            if let Some(ask) = ask_within(&mut study, limit).unwrap() {
                let suggestion = suggested(&ask);
                assert!(suggestion.cost <= limit, "{policy:?} {limit}: {}", suggestion.cost);
                if !learned {
                    assert!(cost(ask.numbers()) <= limit * (1.0 + 1e-12), "{limit}");
                }
                bound += usize::from(suggestion.cost > 0.98 * limit);
                some += 1;
                tell(&mut study, &ask);
            } else {
                assert_eq!(study.history().len(), before);
                // The cost is at least exp(1 - 0.3) = 2.01. A learned one is larger where nothing
                // was told: its mean is exp(m + v/2).
                let sure = if learned { 12.0 } else { 3.1 };
                assert!(limit < sure, "{policy:?} {limit}");
            }
        }
        assert!(some >= 4, "{policy:?} {some}");
        // Improvement alone leads to the dear corner, and so to the limit.
        let is_bound = learned || study.domain().is_finite() || bound > 0;
        assert!(is_bound || policy != Acquisition::gittins(1e-4).into(), "{bound}");
    }
}

#[test]
fn answers_in_a_space_are_within_the_limit_if_the_cost_is_known() {
    answers_are_within(|| Study::minimize(plane()), false);
}

#[test]
fn answers_in_a_space_are_within_the_limit_if_the_cost_is_learned() {
    answers_are_within(|| Study::minimize(plane()), true);
}

#[test]
fn answers_in_a_table_are_within_the_limit() {
    answers_are_within(|| Study::minimize(rows()), false);
    answers_are_within(|| Study::minimize(rows()), true);
}

#[test]
fn answers_in_mixed_spaces_are_within_the_limit() {
    for whole in [20, 2_000_000] {
        let space = || Space::new().float("x", 0.0, 1.0).int("k", 0, whole).flag("dear");
        let price = move |at: &[f64]| 1.0 + at[0] + at[1] / whole as f64 + 3.0 * at[2];
        let builder = Study::minimize(space()).backend(Arc::new(Cpu)).seed(2);
        let mut study = builder.cost(Cost::known(price)).initial(6).build().unwrap();
        for limit in [9.0; 6].into_iter().chain([1.01, 1.5, 2.0, 2.5, 4.1, 5.0, 6.0]) {
            let ask = ask_within(&mut study, limit).unwrap().expect("the cheapest point costs 1");
            assert!(price(ask.numbers()) <= limit, "{limit}: {:?}", ask.values());
            let at = ask.numbers();
            let better = (at[0] - 0.9).powi(2) - at[1] / whole as f64 - 0.3 * at[2];
            study.tell(ask.id(), Outcome::new(better)).unwrap();
        }
    }
}

#[test]
fn a_limit_above_all_costs_changes_nothing() {
    for learned in [false, true] {
        for domain in [false, true] {
            for limit in [1e9, f64::INFINITY] {
                let builder =
                    || if domain { Study::minimize(plane()) } else { Study::minimize(rows()) };
                let policy = Acquisition::gittins(1e-4);
                // The first cost has to be known.
                let mut plain = begun(with(builder(), learned, policy.clone()), 1);
                let mut limited = begun(with(builder(), learned, policy), 1);
                for number in 0..12 {
                    let a = plain.ask().unwrap();
                    let b = ask_within(&mut limited, limit).unwrap().unwrap();
                    let bits = |ask: &Ask| -> Vec<u64> {
                        ask.numbers().iter().map(|number| number.to_bits()).collect()
                    };
                    assert_eq!(bits(&a), bits(&b), "{learned} {domain} {number}");
                    if number % 3 > 0 {
                        tell(&mut plain, &a);
                        tell(&mut limited, &b);
                    }
                }
            }
        }
    }
}

/// Looks at the best value over many points within a limit, by the models of a study.
struct Dense {
    acquisition: Acquisition,
    points: Points,
    best: Arc<Mutex<f64>>,
}

impl StopRule for Dense {
    fn name(&self) -> &'static str {
        "dense"
    }

    fn check(&mut self, context: &StopContext<'_>) -> gittins::Result<Statistic> {
        let surrogate = context.surrogate().expect("trials were told");
        let standardized = surrogate.standardized(&self.acquisition);
        let mut scores = Scores::default();
        let job = surrogate.job(&standardized).gradient(false);
        Cpu.evaluate(&job, &self.points, &mut scores)?;
        let best = scores.value.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        *self.best.lock().unwrap() = surrogate.value_in_direction(&self.acquisition, best);
        Ok(Statistic::unknown(0.0))
    }
}

#[test]
fn the_answer_is_as_good_as_the_best_of_a_dense_grid() {
    let side = 401;
    let mut at_limit = 0;
    for acquisition in [Acquisition::gittins(1e-4), Pointwise::LogExpectedImprovement.into()] {
        for limit in [2.4, 3.0, 4.5, 7.0, 11.0] {
            let mut points = Points::new(2);
            for i in 0..side * side {
                let point = [f64::from(i % side) / 400.0, f64::from(i / side) / 400.0];
                if cost(&point) <= limit {
                    points.push(&point);
                }
            }
            let best = Arc::new(Mutex::new(f64::NAN));
            let rule = Dense { acquisition: acquisition.clone(), points, best: best.clone() };
            let builder = with(Study::minimize(plane()), false, acquisition.clone()).stop(rule);
            let mut study = begun(builder, 10);
            study.verdict().unwrap();
            let ask = ask_within(&mut study, limit).unwrap().unwrap();
            at_limit += usize::from(suggested(&ask).cost > 0.999 * limit);
            let (found, best) = (suggested(&ask).value, *best.lock().unwrap());
            // An index of a minimized outcome is better if it is lower.
            let is_index = acquisition.name().contains("Gittins");
            let sign = if is_index { -1.0 } else { 1.0 };
            let (found, best) = (sign * found, sign * best);
            // The loss on the limit is of the order of a millionth of the spread.
            assert!(found >= best - 1e-5, "{acquisition:?} {limit}: {found} {best}");
        }
    }
    assert!(at_limit >= 2, "{at_limit}");
}

#[test]
fn what_cannot_be_answered_is_an_error() {
    let mut study =
        with(Study::minimize(plane()), true, Acquisition::gittins(1e-3)).build().unwrap();
    for limit in [0.0, -1.0, f64::NAN] {
        assert_eq!(ask_within(&mut study, limit).unwrap_err().kind(), ErrorKind::InvalidSetting);
    }
    assert_eq!(ask_within(&mut study, 1.0).unwrap_err().kind(), ErrorKind::Empty);
    let ask = ask_within(&mut study, f64::INFINITY).unwrap().unwrap();
    study.tell(ask.id(), Outcome::failed().cost(2.0)).unwrap();
    assert_eq!(ask_within(&mut study, 1.0).unwrap_err().kind(), ErrorKind::Empty);
    assert_eq!(study.history().len(), 1);

    let mut study = Study::minimize(rows()).cost(Cost::known(cost)).initial(2).build().unwrap();
    for _ in 0..60 {
        let ask = ask_within(&mut study, 1e3).unwrap().unwrap();
        study.tell(ask.id(), Outcome::new(outcome(ask.numbers()))).unwrap();
    }
    assert_eq!(ask_within(&mut study, 1e3).unwrap_err().kind(), ErrorKind::Exhausted);
    // Everything is known: a row that is too dear is then no question any more.
    assert_eq!(ask_within(&mut study, 0.1).unwrap_err().kind(), ErrorKind::Exhausted);
}

#[test]
fn the_design_is_drawn_within_the_limit() {
    for domain in [false, true] {
        let builder = if domain { Study::minimize(plane()) } else { Study::minimize(rows()) };
        let mut study =
            with(builder, false, Acquisition::gittins(1e-3)).initial(8).build().unwrap();
        let mut seen = Vec::new();
        for number in 1..=8 {
            let ask = ask_within(&mut study, 4.0).unwrap().unwrap();
            assert!(matches!(ask.why(), Why::Initial { number: n, of: 8 } if *n == number));
            assert!(cost(ask.numbers()) <= 4.0);
            assert!(!seen.contains(&ask.numbers().to_vec()));
            seen.push(ask.numbers().to_vec());
            tell(&mut study, &ask);
        }
        assert!(ask_within(&mut study, 2.0).unwrap().is_none());
    }
}

#[test]
fn trials_under_way_count_within_a_limit_too() {
    for domain in [false, true] {
        let builder = if domain { Study::minimize(plane()) } else { Study::minimize(rows()) };
        let mut study = begun(with(builder, true, Acquisition::gittins(1e-4)), 9);
        let mut seen: Vec<Vec<f64>> = Vec::new();
        for _ in 0..6 {
            let ask = ask_within(&mut study, 5.0).unwrap().unwrap();
            assert!(suggested(&ask).cost <= 5.0);
            assert!(!seen.contains(&ask.numbers().to_vec()));
            seen.push(ask.numbers().to_vec());
        }
        assert_eq!(study.counts().pending, 6);
    }
}

#[test]
fn a_plan_of_several_steps_stays_within_the_limit() {
    let plan = || Acquisition::multi_step_lookahead(2, &[3]);
    for domain in [false, true] {
        let builder = if domain { Study::minimize(plane()) } else { Study::minimize(rows()) };
        let mut study = begun(with(builder, true, plan()), 8);
        for limit in [3.0, 6.0, 30.0] {
            let Some(ask) = ask_within(&mut study, limit).unwrap() else { continue };
            assert!(suggested(&ask).cost <= limit);
            tell(&mut study, &ask);
        }
        assert!(study.history().len() >= 10);
    }
}
