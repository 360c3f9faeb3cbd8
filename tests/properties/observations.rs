//! Observations and the scaling of outcomes.

use gittins::data::{Direction, Observation, State};
use gittins::internals::Scaling;
use gittins::{ErrorKind, Observations};

use crate::support::tolerance;

fn some(direction: Direction) -> Observations {
    let mut observations = Observations::new(1, direction);
    let told = [
        (0.1, State::Complete, Some(3.0), Some(1.0)),
        (0.2, State::Failed, None, Some(2.0)),
        (0.3, State::Complete, Some(-1.0), None),
        (0.4, State::Infeasible, Some(-9.0), None),
        (0.1, State::Complete, Some(3.0), Some(4.0)),
    ];
    for (index, (u, state, outcome, cost)) in told.into_iter().enumerate() {
        assert_eq!(observations.push(&[u], state, outcome, cost).unwrap(), index);
    }
    observations
}

/// Returns point, outcome, cost, whether the cost was told, and state.
fn fields(observation: &Observation) -> (&[f64], Option<f64>, Option<f64>, bool, State) {
    let Observation { point, outcome, cost, cost_told, state, .. } = observation;
    (point, *outcome, *cost, *cost_told, *state)
}

#[test]
fn larger_is_better_inside() {
    let (down, up) = (some(Direction::Minimize), some(Direction::Maximize));
    assert_eq!(down.complete().1, [-3.0, 1.0, -3.0]);
    assert_eq!(up.complete().1, [3.0, -1.0, 3.0]);
    assert_eq!(down.complete().0.values(), &[0.1, 0.3, 0.1]);
    assert_eq!(
        (down.best(), down.worst()),
        (Some(2), Some(0)),
        "the first among equals; an infeasible outcome does not count"
    );
    assert_eq!((up.best(), up.worst()), (Some(0), Some(2)));
}

#[test]
fn costs_count_whatever_the_state() {
    let (points, costs) = some(Direction::Minimize).costs();
    assert_eq!((points.values(), &costs[..]), (&[0.1, 0.2, 0.1][..], &[1.0, 2.0, 4.0][..]));
}

#[test]
fn nothing_complete_has_no_best() {
    let mut observations = Observations::new(2, Direction::Maximize);
    assert_eq!(
        (observations.best(), observations.worst(), observations.is_empty()),
        (None, None, true)
    );
    observations.push(&[0.5, 0.5], State::Failed, None, None).unwrap();
    assert_eq!((observations.best(), observations.len(), observations.dim()), (None, 1, 2));
    assert!(observations.complete().0.is_empty());
    let expected = (&[0.5, 0.5][..], None, None, false, State::Failed);
    assert_eq!((observations.get(0).map(fields), observations.get(1)), (Some(expected), None));
}

/// A point, a state, an outcome and a cost.
type Told<'a> = (&'a [f64], State, Option<f64>, Option<f64>);

#[test]
fn bad_trials_are_refused_and_change_nothing() {
    use State::{Complete, Failed};
    let cases: [(Told<'_>, ErrorKind, &str); 10] = [
        ((&[0.5, 0.5], Complete, Some(1.0), None), ErrorKind::Dimension, "expected 1"),
        ((&[f64::NAN], Complete, Some(1.0), None), ErrorKind::NonFinite, "coordinate 0"),
        ((&[1.5], Complete, Some(1.0), None), ErrorKind::OutOfBounds, "1.5"),
        ((&[0.5], Complete, None, None), ErrorKind::InvalidSetting, "outcome"),
        ((&[0.5], Complete, Some(f64::NAN), None), ErrorKind::NonFinite, "NaN"),
        ((&[0.5], Complete, Some(f64::INFINITY), None), ErrorKind::NonFinite, "inf"),
        ((&[0.5], Complete, Some(1.0), Some(f64::NAN)), ErrorKind::NonFinite, "cost"),
        ((&[0.5], Complete, Some(1.0), Some(0.0)), ErrorKind::NonPositiveCost, "cost_floor"),
        ((&[0.5], Complete, Some(1.0), Some(-2.0)), ErrorKind::NonPositiveCost, "-2"),
        ((&[0.5], Failed, None, Some(f64::INFINITY)), ErrorKind::NonFinite, "cost"),
    ];
    let mut observations = some(Direction::Minimize);
    let before = observations.clone();
    for ((unit, state, outcome, cost), kind, culprit) in cases {
        let error = observations.push(unit, state, outcome, cost).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(
            error.to_string().contains("trial 5") && error.to_string().contains(culprit),
            "{error} should name {culprit}"
        );
    }
    assert_eq!(observations, before);
}

#[test]
fn a_missing_cost_is_added_once() {
    let mut observations = some(Direction::Minimize);
    let revision = observations.revision();
    assert_eq!(revision, 5);
    observations.tell_cost(2, 7.0).unwrap();
    observations.tell_cost(3, 5.0).unwrap();
    assert_eq!((observations.len(), observations.revision()), (5, revision + 2));
    assert_eq!(observations.costs().1, [1.0, 2.0, 7.0, 5.0, 4.0]);
    let before = observations.clone();
    for (index, cost, kind, culprit) in [
        (2, 1.0, ErrorKind::DuplicateTrial, "trial 2: its cost was told before as 7"),
        (1, 1.0, ErrorKind::DuplicateTrial, "trial 1"),
        (5, 1.0, ErrorKind::UnknownTrial, "one of the 5"),
    ] {
        let error = observations.tell_cost(index, cost).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(error.to_string().contains(culprit), "{error}");
    }
    let mut one = Observations::new(1, Direction::Minimize);
    one.push(&[0.5], State::Complete, Some(1.0), None).unwrap();
    for (cost, kind) in [
        (f64::NAN, ErrorKind::NonFinite),
        (0.0, ErrorKind::NonPositiveCost),
        (-1.0, ErrorKind::NonPositiveCost),
    ] {
        let error = one.tell_cost(0, cost).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(error.to_string().contains("trial 0"), "{error}");
    }
    assert_eq!((observations, one.revision()), (before, 1));
}

#[test]
fn a_cost_may_come_before_its_outcome() {
    let mut observations = some(Direction::Minimize);
    let ticket = observations.push_cost(&[0.7], 9.0).unwrap();
    let other = observations.push_cost(&[0.7], 9.0).unwrap();
    assert_eq!((observations.len(), observations.revision()), (5, 7));
    // The same point was paid for twice at the same price. These are two evaluations, in either
    // order.
    assert_eq!(observations.costs().1, [1.0, 2.0, 4.0, 9.0, 9.0]);
    assert_eq!(
        observations.push_paid(other, State::Complete, None).unwrap_err().kind(),
        ErrorKind::InvalidSetting
    );
    let index = observations.push_paid(other, State::Complete, Some(-5.0)).unwrap();
    assert_eq!((index, observations.best(), observations.len()), (5, Some(5), 6));
    let expected = (&[0.7][..], Some(-5.0), Some(9.0), true, State::Complete);
    assert_eq!(observations.get(5).map(fields), Some(expected));
    assert_eq!(observations.costs().1, [1.0, 2.0, 4.0, 9.0, 9.0]);
    observations.push_paid(ticket, State::Failed, None).unwrap();
    assert_eq!(observations.costs().1, [1.0, 2.0, 4.0, 9.0, 9.0]);
    let before = observations.clone();
    for used in [ticket, other, 99] {
        assert_eq!(
            observations.push_paid(used, State::Failed, None).unwrap_err().kind(),
            ErrorKind::UnknownTrial
        );
    }
    for (unit, cost, kind) in [
        (&[0.5, 0.5][..], 1.0, ErrorKind::Dimension),
        (&[2.0], 1.0, ErrorKind::OutOfBounds),
        (&[0.5], 0.0, ErrorKind::NonPositiveCost),
        (&[0.5], f64::INFINITY, ErrorKind::NonFinite),
    ] {
        assert_eq!(observations.push_cost(unit, cost).unwrap_err().kind(), kind);
    }
    assert_eq!(observations, before);
}

#[test]
fn a_known_cost_gives_way_to_the_one_that_is_told() {
    let mut observations = Observations::new(1, Direction::Minimize);
    observations.push_with_known_cost(&[0.5], State::Complete, Some(1.0), 3.0).unwrap();
    assert_eq!(observations.costs().1, [3.0]);
    observations.tell_cost(0, 4.0).unwrap();
    assert_eq!(observations.costs().1, [4.0]);
    assert_eq!(observations.tell_cost(0, 5.0).unwrap_err().kind(), ErrorKind::DuplicateTrial);
}

#[test]
fn what_was_told_by_mistake_is_replaced_or_removed() {
    let mut observations = some(Direction::Minimize);
    let ticket = observations.push_cost(&[0.7], 9.0).unwrap();
    assert_eq!((observations.revision(), observations.corrections()), (6, 0));
    // Without a new cost the old cost stays, told or not.
    observations.replace(2, State::Complete, Some(5.0), None).unwrap();
    observations.replace(0, State::Failed, None, Some(0.5)).unwrap();
    assert_eq!(
        (observations.revision(), observations.corrections(), observations.len()),
        (8, 2, 5)
    );
    assert_eq!(
        (observations.best(), observations.worst(), observations.range()),
        (Some(4), Some(2), 2.0)
    );
    assert_eq!(observations.costs().1, [0.5, 2.0, 4.0, 9.0]);
    assert_eq!(observations.tell_cost(0, 1.0).unwrap_err().kind(), ErrorKind::DuplicateTrial);
    // The observations after a removed one move up.
    let gone = observations.remove(1).unwrap();
    assert_eq!((gone.point, gone.cost, observations.len()), (vec![0.2], Some(2.0), 4));
    assert_eq!((observations.best(), observations.complete().1), (Some(3), vec![-5.0, -3.0]));
    assert_eq!(observations.costs().1, [0.5, 4.0, 9.0]);
    assert_eq!(observations.push_paid(ticket, State::Complete, Some(1.0)).unwrap(), 4);
    assert_eq!((observations.revision(), observations.corrections()), (10, 3));
    let before = observations.clone();
    for (index, outcome, cost, kind, culprit) in [
        (5, Some(1.0), None, ErrorKind::UnknownTrial, "trial 5: expected one of the 5"),
        (1, Some(f64::NAN), None, ErrorKind::NonFinite, "trial 1"),
        (1, None, None, ErrorKind::InvalidSetting, "trial 1"),
        (1, Some(1.0), Some(0.0), ErrorKind::NonPositiveCost, "trial 1"),
    ] {
        let error = observations.replace(index, State::Complete, outcome, cost).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(error.to_string().contains(culprit), "{error}");
    }
    assert_eq!(observations.remove(5).unwrap_err().kind(), ErrorKind::UnknownTrial);
    assert_eq!(observations, before);
}

#[test]
fn with_a_floor_a_cost_of_zero_is_kept_and_modeled_as_the_floor() {
    let mut observations = Observations::new(1, Direction::Minimize).with_cost_floor(Some(0.5));
    for (index, cost) in [0.0, 0.25, 0.5, 2.0].into_iter().enumerate() {
        assert_eq!(
            observations.push(&[0.5], State::Complete, Some(1.0), Some(cost)).unwrap(),
            index
        );
        assert_eq!(observations.get(index).unwrap().cost, Some(cost));
    }
    observations.push_cost(&[0.1], 0.0).unwrap();
    assert_eq!(observations.costs().1, [0.5, 0.5, 0.5, 2.0, 0.5]);
    for (cost, kind) in [
        (-1e-300, ErrorKind::NonPositiveCost),
        (f64::NAN, ErrorKind::NonFinite),
        (f64::INFINITY, ErrorKind::NonFinite),
    ] {
        assert_eq!(observations.push_cost(&[0.1], cost).unwrap_err().kind(), kind);
    }
}

#[test]
fn standardized_outcomes_have_mean_zero_and_deviation_one() {
    let values = [3.0, -1.0, 4.0, -1.5, 9.25, 2.0];
    for scale in [1e-300, 1e-12, 1.0, 1e150, 1e300] {
        let scaled: Vec<f64> = values.iter().map(|v| v * scale).collect();
        let scaling = Scaling::standardize(&scaled);
        let z: Vec<f64> = scaled.iter().map(|&v| scaling.apply(v)).collect();
        let n = z.len() as f64;
        let mean = z.iter().sum::<f64>() / n;
        let variance = z.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / (n - 1.0);
        assert!(mean.abs() <= tolerance::STANDARDIZED, "scale {scale}: mean {mean}");
        assert!(
            (variance - 1.0).abs() <= tolerance::STANDARDIZED,
            "scale {scale}: variance {variance}"
        );
        for (&v, &z) in scaled.iter().zip(&z) {
            assert!((scaling.undo(z) - v).abs() <= tolerance::STANDARDIZED * 9.25 * scale);
        }
        let difference = scaled[4] - scaled[0];
        let back = scaling.undo_difference(scaling.apply_difference(difference));
        assert!((back - difference).abs() <= tolerance::STANDARDIZED * difference);
        assert!(
            (scaling.apply_difference(difference) - (z[4] - z[0])).abs()
                <= tolerance::STANDARDIZED * 4.0
        );
    }
}

#[test]
fn without_spread_the_magnitude_is_the_scale_however_many_are_equal() {
    let map = |values: &[f64]| {
        let scaling = Scaling::standardize(values);
        (scaling.mean, scaling.sd)
    };
    assert_eq!(map(&[]), (0.0, 1.0));
    assert_eq!(map(&[0.0, 0.0]), (0.0, 1.0));
    assert_eq!(map(&[-3.0]), (-3.0, 3.0));
    assert_eq!(
        map(&[0.1; 7]),
        (0.1, 0.1),
        "the mean of equal values is that value to the last bit"
    );
    assert_eq!(map(&[1e300; 3]), (1e300, 1e300));
    assert_eq!(map(&[1.0; 99]).1, 1.0);
    assert_eq!(
        map(&[f64::MAX, -f64::MAX]).1,
        f64::MAX,
        "a deviation beyond the range is cut, not infinite"
    );
    for values in [&[5e-324][..], &[5e-324, 0.0], &[1.0, 1.0 + f64::EPSILON]] {
        assert!(
            Scaling::standardize(values).sd > 0.0
                && (1.0 / Scaling::standardize(values).sd).is_finite(),
            "{values:?}"
        );
    }
    assert_eq!(Scaling::identity().apply(4.5), 4.5);
}
