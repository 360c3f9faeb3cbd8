//! Trials under way in time: forecasts, and trials that are overdue.

use std::sync::Arc;

use gittins::study::{StudyBuilder, Why};
use gittins::{Acquisition, Ask, Cost, Cpu, ErrorKind, Outcome, Space, Study, Table};

fn rows() -> Table {
    let rows = (0..40).map(|i| vec![f64::from(i) / 39.0, f64::from(i * 17 % 40) / 39.0]);
    Table::new(["x", "y"], rows.collect::<Vec<_>>()).unwrap()
}

fn outcome(at: &[f64]) -> f64 {
    (at[0] - 0.3).powi(2) + 0.4 * (at[1] - 0.6).powi(2) + 0.05 * (9.0 * at[0]).sin()
}

fn cost(at: &[f64]) -> f64 {
    (1.0 + 2.0 * at[0] + 0.3 * (23.0 * at[1]).sin()).exp()
}

fn builder() -> StudyBuilder {
    Study::minimize(rows())
        .backend(Arc::new(Cpu))
        .cost(Cost::learned())
        .policy(Acquisition::gittins(1e-4))
        .initial(5)
        .seed(11)
}

fn tell(study: &mut Study, ask: &Ask) {
    let at = ask.numbers();
    study.tell(ask.id(), Outcome::new(outcome(at)).cost(cost(at))).unwrap();
}

fn begun(builder: StudyBuilder, count: usize) -> Study {
    let mut study = builder.build().unwrap();
    for _ in 0..count {
        let ask = study.ask().unwrap();
        tell(&mut study, &ask);
    }
    study
}

fn value(ask: &Ask) -> f64 {
    match ask.why() {
        Why::Suggested(suggestion) => suggestion.value,
        why => panic!("{why}"),
    }
}

#[test]
fn a_forecast_is_that_of_the_model() {
    let mut study = begun(builder(), 12);
    let ask = study.ask().unwrap();
    let Why::Suggested(suggestion) = ask.why() else { panic!("a suggestion") };
    let forecast = study.forecast(ask.id()).unwrap().unwrap();
    // Noise is a part of what one trial costs, so its mean is not below that of the suggestion.
    assert!(forecast.expected() >= suggestion.cost * (1.0 - 1e-12));
    assert!(forecast.quantile(0.5) <= forecast.expected());
    assert!(forecast.quantile(0.1) < forecast.quantile(0.9));
    assert_eq!((forecast.so_far(), forecast.dead()), (0.0, 1.0 / 64.0));
    assert_eq!(forecast.rest(), forecast.expected());
    // ln c is normal: the median and one quantile fix it, and with it the mean and the rest.
    let (m, s) = {
        let (median, upper) = (forecast.quantile(0.5).ln(), forecast.quantile(0.841344746068543));
        (median, upper.ln() - median)
    };
    assert!((forecast.expected().ln() - m - 0.5 * s * s).abs() < 1e-9);
    for times in [0.5, 1.0, 2.0, 4.0] {
        let a = times * forecast.expected();
        study.note_running(ask.id(), a).unwrap();
        let forecast = study.forecast(ask.id()).unwrap().unwrap();
        // The mean excess as an integral of the survival: the trapezoidal rule over ln c.
        let survival = |x: f64| 1.0 - gittins::internals::normal::cdf((x.ln() - m) / s);
        let steps = 20_000;
        let (low, high) = (a.ln(), a.ln().max(m) + 12.0 * s);
        let width = (high - low) / f64::from(steps);
        let at = |i: i32| {
            let x = (low + width * f64::from(i)).exp();
            x * survival(x)
        };
        let sum: f64 = (1..steps).map(at).sum::<f64>() + 0.5 * (at(0) + at(steps));
        if survival(a) > 1e-6 {
            let expected = width * sum / survival(a);
            assert!((forecast.rest() / expected - 1.0).abs() < 1e-4, "{times}: {expected}");
        }
        assert_eq!(forecast.is_overdue(), times > 5.0);
        assert!(forecast.dead() >= 1.0 / 64.0 && forecast.rest() > 0.0);
    }
    assert_eq!(study.forecast(0).unwrap(), None, "it is over");
}

#[test]
fn what_makes_no_sense_is_an_error_and_what_has_no_answer_is_none() {
    let mut study = begun(builder(), 2);
    let ask = study.ask().unwrap();
    let kind = |error: gittins::Error| error.kind();
    assert_eq!(kind(study.note_running(77, 1.0).unwrap_err()), ErrorKind::UnknownTrial);
    assert_eq!(kind(study.note_running(0, 1.0).unwrap_err()), ErrorKind::InvalidSetting);
    assert_eq!(kind(study.note_running(ask.id(), -1.0).unwrap_err()), ErrorKind::NonPositiveCost);
    assert_eq!(kind(study.note_running(ask.id(), f64::NAN).unwrap_err()), ErrorKind::NonFinite);
    assert_eq!(kind(study.forecast(77).unwrap_err()), ErrorKind::UnknownTrial);
    study.note_running(ask.id(), 0.0).unwrap();
    study.tell_cost(ask.id(), 3.0).unwrap();
    assert_eq!(study.forecast(ask.id()).unwrap(), None, "its cost is known");
    let mut known = Study::minimize(rows()).build().unwrap();
    let ask = known.ask().unwrap();
    known.note_running(ask.id(), 1e9).unwrap();
    assert_eq!(known.forecast(ask.id()).unwrap(), None);
    for times in [0.5, f64::NAN, f64::INFINITY] {
        let error = builder().overdue(times).build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSetting, "{times}");
    }
}

#[test]
fn notes_of_nothing_change_nothing() {
    let (mut plain, mut noted) = (begun(builder(), 10), begun(builder(), 10));
    for _ in 0..4 {
        let (a, b) = (plain.ask().unwrap(), noted.ask().unwrap());
        assert_eq!(a.values(), b.values());
        noted.note_running(b.id(), 0.0).unwrap();
    }
    let next = [plain.ask().unwrap(), noted.ask().unwrap()];
    assert_eq!(value(&next[0]).to_bits(), value(&next[1]).to_bits());
    assert_eq!(next[0].row(), next[1].row());
}

#[test]
fn an_overdue_trial_is_not_waited_for_and_its_point_stays_taken() {
    let mut study = begun(builder(), 12);
    let mut twin = begun(builder(), 12);
    let (slow, same) = (study.ask().unwrap(), twin.ask().unwrap());
    assert_eq!(slow.row(), same.row());
    let expected = study.forecast(slow.id()).unwrap().unwrap().expected();

    // The longer it runs, the less is expected of it, and the more of others. Lower is better.
    let mut best = f64::INFINITY;
    let mut values = Vec::new();
    for times in [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.9, 5.1] {
        let mut study = begun(builder(), 12);
        let slow = study.ask().unwrap();
        study.note_running(slow.id(), times * expected).unwrap();
        let next = study.ask().unwrap();
        assert_ne!(next.row(), slow.row());
        // Both are expectations by quadrature, of a trial under way and without it.
        assert!(value(&next) <= best * (1.0 + 1e-4), "{times}: {} after {best}", value(&next));
        best = value(&next);
        values.push(best);
    }
    assert!(values[7] < values[0] - 1e-9, "{values:?}");

    // Beyond the threshold how late it is does not matter.
    study.note_running(slow.id(), 5.1 * expected).unwrap();
    assert!(study.forecast(slow.id()).unwrap().unwrap().is_overdue());
    let next = study.ask().unwrap();
    assert_eq!(value(&next), best);
    assert_ne!(next.row(), slow.row());

    // Withdrawn, its row comes again. And its outcome is taken as ever.
    twin.withdraw(same.id()).unwrap();
    assert_eq!(twin.ask().unwrap().row(), same.row());
    tell(&mut study, &slow);
    assert_eq!(study.counts().pending, 1);
    assert_eq!(study.forecast(slow.id()).unwrap(), None);
    tell(&mut study, &next);
    assert!(study.verdict().unwrap().reason().to_string().len() > 5);
}

#[test]
fn another_threshold_is_a_setting() {
    let mut study = begun(builder().overdue(2.0), 12);
    let slow = study.ask().unwrap();
    let expected = study.forecast(slow.id()).unwrap().unwrap().expected();
    study.note_running(slow.id(), 1.9 * expected).unwrap();
    assert!(!study.forecast(slow.id()).unwrap().unwrap().is_overdue());
    study.note_running(slow.id(), 2.1 * expected).unwrap();
    assert!(study.forecast(slow.id()).unwrap().unwrap().is_overdue());
}

#[test]
fn a_verdict_beside_does_not_wait_for_what_is_overdue() {
    let mut study = begun(builder(), 14);
    let slow = study.ask().unwrap();
    let alone = study.verdict().unwrap();
    let waiting = study.verdict_on_another().unwrap();
    let expected = study.forecast(slow.id()).unwrap().unwrap().expected();
    study.note_running(slow.id(), 6.0 * expected).unwrap();
    let overdue = study.verdict_on_another().unwrap();
    let statistic = |verdict: &gittins::Verdict| verdict.reason().statistic;
    // Its row is excluded, so the best of the others is at most the best of all.
    assert!(statistic(&waiting) <= statistic(&overdue), "{waiting:?} {overdue:?}");
    assert!(statistic(&overdue) <= statistic(&alone));
}

#[test]
fn a_space_asks_beside_an_overdue_trial_again() {
    let space = Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0);
    let study = Study::minimize(space).backend(Arc::new(Cpu)).cost(Cost::learned());
    let mut study = begun(study.policy(Acquisition::gittins(1e-4)).seed(3), 10);
    let slow = study.ask().unwrap();
    let expected = study.forecast(slow.id()).unwrap().unwrap().expected();
    study.note_running(slow.id(), 10.0 * expected).unwrap();
    let again = study.ask().unwrap();
    let distance = |a: &Ask, b: &Ask| {
        a.numbers().iter().zip(b.numbers()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    // Nothing was learned, so the best place is where it was; but not the same point.
    let gap = distance(&slow, &again);
    assert!(gap > 0.0 && gap < 0.05, "{gap}");
}
