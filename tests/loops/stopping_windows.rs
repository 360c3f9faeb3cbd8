//! Rules that look only at the best outcome so far.

use gittins::data::Direction;
use gittins::stop::{StallRule, Steadying};
use gittins::{Space, StopRule};
use gittins_papers::rules::GlobalWindowRule;

use crate::support::stage::Stage;

/// The answers of a rule after a design of one outcome and after each of the other outcomes. `None`
/// is a failed trial.
fn verdicts(mut rule: impl StopRule, direction: Direction, outcomes: &[Option<f64>]) -> Vec<bool> {
    let mut stage = Stage::new(Space::new().float("x", 0.0, 1.0), direction, 0.3);
    let mut verdicts = Vec::new();
    for (i, outcome) in outcomes.iter().enumerate() {
        let x = [(i as f64 + 0.5) / outcomes.len() as f64];
        match outcome {
            Some(outcome) if i == 0 => stage.design(&x, *outcome),
            Some(outcome) => stage.tell(&x, *outcome, 1.0),
            None => stage.fail(&x),
        }
        // The rules see no model, so no model is fitted.
        verdicts.push(stage.without_model(&mut rule).fired);
    }
    verdicts
}

fn some(outcomes: &[f64]) -> Vec<Option<f64>> {
    outcomes.iter().copied().map(Some).collect()
}

#[test]
fn a_run_stalls_where_the_best_has_not_changed_over_the_window() {
    let outcomes = some(&[1.0, 0.5, 2.0, 1.9, 2.0, 1.0, 2.1, 0.0]);
    let rule = || StallRule::new().window(3);
    // Trials 1 to 7 follow the design. At trial 5 the best was the same 2 since trial 2.
    assert_eq!(
        verdicts(rule(), Direction::Maximize, &outcomes),
        [false, false, false, false, false, true, false, false]
    );
    let mirrored: Vec<_> = outcomes.iter().map(|y| y.map(|y| -y)).collect();
    assert_eq!(
        verdicts(rule(), Direction::Minimize, &mirrored),
        verdicts(rule(), Direction::Maximize, &outcomes)
    );
    // The default is five trials. The comparison is exact, so the smallest progress counts.
    let tiny = some(&[1.0, 0.0, 0.0, 0.0, 1.0 + f64::EPSILON, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(
        verdicts(StallRule::new(), Direction::Maximize, &tiny).iter().position(|&fired| fired),
        Some(9)
    );
}

#[test]
fn failures_are_trials_without_progress_and_nothing_known_does_not_stall() {
    let outcomes = [Some(1.0), None, None, None, None];
    assert_eq!(
        verdicts(StallRule::new().window(3), Direction::Maximize, &outcomes),
        [false, false, false, true, true]
    );
    let failed = [None; 6];
    assert_eq!(verdicts(StallRule::new().window(2), Direction::Maximize, &failed), [false; 6]);
    assert_eq!(
        verdicts(GlobalWindowRule::new().window(2).flat_after(0), Direction::Maximize, &failed),
        [false; 6]
    );
    // The first outcome is infinite progress. Then the window has to pass.
    let late = [None, None, Some(1.0), None, None, None];
    assert_eq!(
        verdicts(StallRule::new().window(2), Direction::Maximize, &late),
        [false, false, false, false, true, true]
    );
}

#[test]
fn progress_is_compared_with_the_spread_of_the_best_so_far() {
    // The best outcomes so far are 0, 4, 8, 8.1, 8.1, 8.12. The quartiles of the last history are 5
    // and 8.1.
    let outcomes = some(&[0.0, 4.0, 8.0, 8.1, 3.0, 8.12]);
    let rule = |fraction| GlobalWindowRule::new().window(2).fraction(fraction);
    let at = |fraction| verdicts(rule(fraction), Direction::Maximize, &outcomes);
    // The progress over two trials is 8, 4.1, 0.1, 0.02. The spreads are 4, 5.025, 4.1 and 3.1
    // (numpy's percentiles).
    assert_eq!(at(0.01), [false, false, false, false, false, true]);
    assert_eq!(at(0.03), [false, false, false, false, true, true]);
    assert_eq!(at(0.02 / 3.2), [false; 6]);
    assert!(at(0.02 / 3.0)[5]);
}

#[test]
fn a_history_without_spread_stops_the_run_but_not_early() {
    let flat = some(&[1.0; 12]);
    let verdicts = |after| {
        verdicts(GlobalWindowRule::new().window(3).flat_after(after), Direction::Minimize, &flat)
    };
    assert_eq!(verdicts(6).iter().position(|&fired| fired), Some(6));
    assert_eq!(verdicts(0).iter().position(|&fired| fired), Some(3));
    assert_eq!(verdicts(20), [false; 12]);
    // A trailing mean does not make the rule fire earlier.
    let smoothed = GlobalWindowRule::new().window(3).flat_after(6).smoothed(2);
    assert_eq!(
        self::verdicts(smoothed, Direction::Minimize, &flat).iter().position(|&fired| fired),
        Some(6)
    );
}

#[test]
fn without_a_design_the_window_starts_at_nothing() {
    let mut stage = Stage::new(Space::new().float("x", 0.0, 1.0), Direction::Maximize, 0.3);
    let mut rule = StallRule::new().window(2);
    assert!(!stage.without_model(&mut rule).fired);
    for (x, fired) in [(0.1, false), (0.2, false), (0.3, true)] {
        stage.tell(&[x], 1.0, 1.0);
        assert_eq!(stage.without_model(&mut rule).fired, fired);
    }
}
