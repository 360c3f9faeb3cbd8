//! Studies whose trials fail: what failures teach, and that nothing of them is left once they are
//! corrected.

use gittins::study::{Search, StudyBuilder, TrialState, Why};
use gittins::{Acquisition, Outcome, Pointwise, Policy, Space, Study};

fn square() -> Space {
    Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0)
}

/// Lower to the right, where trials fail.
fn slope(values: &[f64]) -> Option<f64> {
    let [x, y] = values else { return None };
    (*x < 2.0 / 3.0).then(|| 2.0 * (1.0 - x) + 4.0 * (y - 0.4).powi(2))
}

fn quick(builder: StudyBuilder) -> Study {
    builder.initial(5).search(Search::new(64, 4)).seed(3).build().unwrap()
}

fn told(values: &[f64]) -> Outcome {
    slope(values).map_or_else(Outcome::failed, Outcome::new)
}

fn suggested(study: &mut Study) -> (Vec<u64>, Option<f64>, String) {
    let ask = study.ask().unwrap();
    let Why::Suggested(suggestion) = ask.why() else { panic!("{}", ask.why()) };
    let bits = ask.numbers().iter().map(|v| v.to_bits()).collect();
    (bits, suggestion.usable, suggestion.to_string())
}

/// A study after `count` trials.
fn after(policy: impl Into<Policy>, count: usize, outcome: impl Fn(&[f64]) -> Outcome) -> Study {
    let mut study = quick(Study::minimize(square()).policy(policy));
    for _ in 0..count {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), outcome(ask.numbers())).unwrap();
    }
    study
}

fn policies() -> [Policy; 3] {
    [
        Acquisition::gittins(1e-3).into(),
        Acquisition::Pointwise(Pointwise::LogExpectedImprovement).into(),
        Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
            exponent: 1.0,
            form: gittins::CostForm::Expected,
        })
        .into(),
    ]
}

#[test]
fn a_suggestion_reports_the_probability_once_something_failed() {
    let mut study = after(Acquisition::gittins(1e-3), 8, |x| Outcome::new(x[0] + x[1]));
    let (_, success, text) = suggested(&mut study);
    assert_eq!((success, text.contains("usable")), (None, false));
    let mut study = after(Acquisition::gittins(1e-3), 8, told);
    assert!(study.history().iter().any(|trial| trial.state == TrialState::Failed));
    let (_, success, text) = suggested(&mut study);
    let p = success.unwrap();
    assert!(0.0 < p && p < 1.0 && text.contains("usable with probability 0."), "{text}");
}

#[test]
fn trials_that_are_likely_to_fail_become_rare() {
    for policy in policies() {
        let study = after(policy.clone(), 25, told);
        let failed = |trials: &[gittins::Trial]| {
            trials.iter().filter(|trial| trial.state == TrialState::Failed).count()
        };
        let late = failed(&study.history()[13..]);
        // The optimum lies at the edge of the third that fails.
        assert!(late <= 6, "{policy:?}: {late} of the last 12 failed");
        assert!(study.best().unwrap().outcome.unwrap() < 0.85, "{policy:?}");
    }
}

#[test]
fn a_corrected_failure_leaves_no_trace() {
    for policy in policies() {
        let mut plain = after(policy.clone(), 9, |x| Outcome::new(x[0] - x[1]));
        let mut corrected = quick(Study::minimize(square()).policy(policy.clone()));
        for trial in 0..9 {
            let ask = corrected.ask().unwrap();
            let right = Outcome::new(ask.numbers()[0] - ask.numbers()[1]);
            if trial == 8 {
                corrected.tell(ask.id(), Outcome::failed()).unwrap();
                let now = corrected.ask().unwrap();
                let Why::Suggested(suggestion) = now.why() else { panic!() };
                assert!(suggestion.usable.is_some());
                corrected.withdraw(now.id()).unwrap();
                corrected.correct(ask.id(), right).unwrap();
            } else {
                corrected.tell(ask.id(), right).unwrap();
            }
        }
        let (_, success, _) = suggested(&mut corrected);
        assert_eq!(success, None, "{policy:?}");
        assert_eq!(suggested(&mut plain).1, None);
    }
}

#[test]
fn a_constraint_that_is_broken_counts_as_a_failure() {
    let with = |state: fn() -> Outcome| {
        let mut study =
            after(Acquisition::gittins(1e-3), 9, |x| slope(x).map_or_else(state, Outcome::new));
        suggested(&mut study)
    };
    assert_eq!(with(Outcome::failed), with(Outcome::infeasible));
}
