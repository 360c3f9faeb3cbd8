//! Trust regions: reproducible, replayed, without effect before they begin, and what a verdict says
//! of one.

use gittins::evaluation::Replay;
use gittins::study::{Search, StudyBuilder, TrustRegion, Why};
use gittins::{
    Acquisition, Ask, Cost, ErrorKind, GittinsRule, Outcome, Space, StopRule, Study, Table, Verdict,
};

fn space(dim: usize) -> Space {
    (0..dim).fold(Space::new(), |space, k| space.float(format!("x{k}"), -5.0, 10.0))
}

/// Levy's function, whose minimum of 0 lies at 1 in every coordinate.
fn levy(x: &[f64]) -> f64 {
    use std::f64::consts::PI;
    let w: Vec<f64> = x.iter().map(|x| 1.0 + (x - 1.0) / 4.0).collect();
    let last = w[w.len() - 1];
    let middle = w[..w.len() - 1]
        .iter()
        .map(|w| (w - 1.0).powi(2) * (1.0 + 10.0 * (PI * w + 1.0).sin().powi(2)));
    (PI * w[0]).sin().powi(2)
        + middle.sum::<f64>()
        + (last - 1.0).powi(2) * (1.0 + (2.0 * PI * last).sin().powi(2))
}

fn settings(dim: usize, region: TrustRegion) -> StudyBuilder {
    Study::minimize(space(dim))
        .policy(Acquisition::gittins(1e-3))
        .cost(Cost::learned())
        .trust_region(region)
        .search(Search::new(64, 3))
        .seed(5)
}

fn tell(study: &mut Study, ask: &Ask) {
    let outcome = match ask.id().index() % 9 {
        7 => Outcome::failed().cost(0.5),
        8 => Outcome::infeasible().cost(0.5),
        _ => Outcome::new(levy(ask.numbers())).cost(1.0 + ask.numbers()[0].abs()),
    };
    study.tell(ask.id(), outcome).unwrap();
}

/// The points and the verdicts of a run, one trial at a time.
fn run(study: &mut Study, trials: usize) -> (Vec<Vec<u64>>, Vec<Verdict>) {
    let step = |_| {
        let ask = study.ask().unwrap();
        tell(study, &ask);
        let point = ask.numbers().iter().map(|value| value.to_bits()).collect();
        (point, study.verdict().unwrap())
    };
    (0..trials).map(step).unzip()
}

#[test]
fn a_region_that_has_not_begun_changes_nothing() {
    let found = |region| run(&mut settings(2, region).build().unwrap(), 20);
    let without = found(TrustRegion::never());
    assert_eq!(found(TrustRegion::default()), without);
    assert_eq!(found(TrustRegion::after(20)), without);
    assert_ne!(found(TrustRegion::after(8).nearest(6)), without);
}

#[test]
fn a_seed_fixes_the_run() {
    let found = || {
        let mut study = settings(3, TrustRegion::after(0).nearest(8)).build().unwrap();
        run(&mut study, 30)
    };
    assert_eq!(found(), found());
}

#[test]
fn a_replay_says_what_was_said_in_the_run() {
    let settings = || settings(2, TrustRegion::after(8).nearest(8));
    let mut study = settings().build().unwrap();
    let (_, verdicts) = run(&mut study, 60);
    let rules = ["initial design", "trust region"];
    let said: Vec<(u64, bool)> = verdicts
        .iter()
        .filter(|verdict| !rules.contains(&verdict.reason().rule.as_str()))
        .map(|verdict| (verdict.reason().statistic.to_bits(), verdict.is_stop()))
        .collect();
    let replayed = Replay::new(settings()).rule(GittinsRule::new()).run(&study.record()).unwrap();
    let again: Vec<(u64, bool)> = replayed.rules[0]
        .checks
        .iter()
        .map(|check| (check.statistic.to_bits(), check.fired))
        .collect();
    assert_eq!(again, said);
}

#[test]
fn a_verdict_says_that_it_judges_a_region() {
    let mut study = settings(2, TrustRegion::after(8).nearest(8)).build().unwrap();
    let (_, verdicts) = run(&mut study, 30);
    let words: Vec<String> = verdicts.iter().map(|v| v.reason().to_string()).collect();
    let of_region = |words: &String| words.contains("; judged in the region of side ");
    assert!(!words[..8].iter().any(of_region), "{words:#?}");
    let judged = words.iter().filter(|words| of_region(words)).count();
    assert!(judged > 15, "{words:#?}");
    assert!(words[20].contains("of side 0.") && words[20].contains("around trial "), "{words:#?}");
    assert!(words[25].contains("trials nearest to it"), "{words:#?}");
}

/// Stops by what it counts, and asks no model.
struct Counts;

impl StopRule for Counts {
    fn name(&self) -> &str {
        "counts"
    }

    fn check(
        &mut self,
        context: &gittins::StopContext<'_>,
    ) -> gittins::Result<gittins::stop::Statistic> {
        let left = 20.0 - context.observations().len() as f64;
        Ok(gittins::stop::Statistic::at_most(left, 0.0).note("by count"))
    }
}

#[test]
fn a_rule_that_asks_no_model_judges_no_region_and_sees_every_trial() {
    let mut study = settings(2, TrustRegion::after(4).nearest(4)).stop(Counts).build().unwrap();
    let (_, verdicts) = run(&mut study, 20);
    let last = verdicts.last().unwrap();
    assert!(last.is_stop());
    assert_eq!(last.reason().to_string(), "stop: by count");
}

#[test]
fn a_region_that_fails_gives_way_to_another() {
    let mut study = settings(2, TrustRegion::after(0).nearest(20)).build().unwrap();
    let mut fresh = Vec::new();
    for trial in 0..60 {
        let ask = study.ask().unwrap();
        // No trial is better than the first, which is the middle.
        let outcome = ask.numbers().iter().map(|x| (x - 2.5).powi(2)).sum::<f64>();
        if let Why::Region { number, of } = ask.why() {
            fresh.push((trial, *number, *of));
            assert!(ask.why().to_string().contains("new trust region"));
            let verdict = study.verdict().unwrap();
            assert!(!verdict.is_stop());
            assert_eq!(verdict.reason().rule, "trust region");
        }
        study.tell(ask.id(), Outcome::new(outcome).cost(1.0)).unwrap();
    }
    // The design of four points, then seven times four failures. The new region has four points.
    let expected: Vec<_> = (0..4).map(|k| (32 + k, 1 + k, 4)).collect();
    assert_eq!(fresh, expected);
    // The recommended trial is one of the whole study, near the best. Twenty trials so close to each
    // other differ by what the model takes for noise.
    let recommended = study.recommendation().unwrap().unwrap();
    assert!(recommended.outcome < 0.1, "{recommended}");
}

#[test]
fn trials_in_parallel_corrections_and_withdrawals_are_taken() {
    let mut study = settings(2, TrustRegion::after(6).nearest(6)).build().unwrap();
    let mut open: Vec<Ask> = (0..3).map(|_| study.ask().unwrap()).collect();
    for step in 0..60 {
        let ask = open.remove((5 * step) % 3);
        tell(&mut study, &ask);
        match step % 10 {
            4 => study.correct(ask.id(), Outcome::new(50.0).cost(1.0)).unwrap(),
            7 => study.withdraw(ask.id()).unwrap(),
            9 => {
                let values = [step as f64 / 10.0, 0.0];
                study.import(&values, Outcome::new(levy(&values)).cost(1.0)).unwrap();
            }
            _ => {}
        }
        study.verdict().unwrap();
        assert!(study.recommendation().unwrap().is_some());
        open.push(study.ask().unwrap());
    }
}

#[test]
fn levys_function_in_twenty_dimensions_gets_better() {
    let mut study = Study::minimize(space(20))
        .trust_region(TrustRegion::after(0).nearest(60))
        .search(Search::new(200, 4))
        .seed(3)
        .build()
        .unwrap();
    let mut best = Vec::new();
    for _ in 0..130 {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), Outcome::new(levy(ask.numbers()))).unwrap();
        best.push(study.best().unwrap().outcome.unwrap());
    }
    assert!(best[129] < 0.3 * best[13], "{best:?}");
}

#[test]
fn only_spaces_of_many_points_have_regions() {
    let table = Table::new(["x"], (0..9).map(|i| vec![f64::from(i)]).collect()).unwrap();
    let grid = Space::new().int("i", 0, 9).int("j", 0, 9);
    let kind = |builder: StudyBuilder| builder.build().err().map(|error| error.kind());
    let asked = || TrustRegion::after(3);
    let wrong = Some(ErrorKind::InvalidSetting);
    assert_eq!(kind(Study::minimize(table.clone()).trust_region(asked())), wrong);
    assert_eq!(kind(Study::minimize(grid.clone()).trust_region(asked())), wrong);
    assert_eq!(kind(Study::minimize(space(2)).trust_region(asked().nearest(0))), wrong);
    assert_eq!(kind(Study::minimize(table)), None);
    assert_eq!(kind(Study::minimize(grid).trust_region(TrustRegion::never())), None);
}
