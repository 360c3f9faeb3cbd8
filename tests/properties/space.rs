//! Spaces: the map to the unit cube and back.

use gittins::{ErrorKind, Space};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::support::tolerance;

fn runner() -> TestRunner {
    TestRunner::new_with_rng(
        Config { cases: 512, failure_persistence: None, ..Config::default() },
        deterministic(),
    )
}

fn deterministic() -> proptest::test_runner::TestRng {
    proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha)
}

/// Spaces with bounds of many magnitudes and signs, one positive pair of bounds, and whole numbers.
fn spaces() -> impl Strategy<Value = (Space, [f64; 4], [i64; 2])> {
    let number =
        (-1.0..1.0f64, -12..12i32).prop_map(|(mantissa, exponent)| mantissa * 10f64.powi(exponent));
    let floats = (number.clone(), number)
        .prop_filter("bounds differ", |(a, b)| (a - b).abs() > 1e-9 * (a.abs() + b.abs()));
    let logs = (-280.0..280.0f64, 0.01..20.0f64)
        .prop_map(|(low, decades)| (10f64.powf(low), 10f64.powf(low + decades)));
    let ints = (-(1i64 << 48)..1 << 48, 0..40u32).prop_map(|(low, bits)| (low, low + (1 << bits)));
    (floats, logs, ints).prop_map(|((a, b), (c, d), (e, f))| {
        let (a, b) = (a.min(b), a.max(b));
        (Space::new().float("a", a, b).log_float("b", c, d).int("c", e, f), [a, b, c, d], [e, f])
    })
}

#[test]
fn a_point_comes_back_from_the_unit_cube() {
    let unit = prop::array::uniform3(prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64]);
    runner()
        .run(&(spaces(), unit), |((space, [low, high, log_low, log_high], [first, last]), unit)| {
            space.validate().unwrap();
            let values = space.numbers_at(&unit);
            prop_assert!((low..=high).contains(&values[0]));
            prop_assert!((log_low..=log_high).contains(&values[1]));
            prop_assert!(
                values[2].fract() == 0.0 && (first as f64..=last as f64).contains(&values[2])
            );

            let back = space.to_unit(&values).unwrap();
            let mut snapped = unit;
            space.snap(&mut snapped);
            prop_assert!((back[0] - unit[0]).abs() <= tolerance::affine_round_trip(low, high));
            prop_assert!((back[1] - unit[1]).abs() <= tolerance::log_round_trip(log_low, log_high));
            prop_assert_eq!(back[2], snapped[2], "a whole number lies at the center of its cell");
            prop_assert_eq!(&snapped[..2], &unit[..2], "snapping leaves real parameters alone");

            let again = space.numbers_at(&back);
            prop_assert!(
                (again[0] - values[0]).abs()
                    <= tolerance::affine_round_trip(low, high) * (high - low)
            );
            prop_assert!(
                (again[1] / values[1]).ln().abs()
                    <= tolerance::log_round_trip(log_low, log_high) * (log_high / log_low).ln()
            );
            prop_assert_eq!(again[2], values[2]);
            Ok(())
        })
        .unwrap();
}

#[test]
fn ends_of_the_cube_are_the_bounds_exactly() {
    let space = Space::new().float("a", 0.1, 0.3).log_float("b", 1e-5, 0.7).int("c", -3, 11);
    for beyond in [0.0, 1e-3, 5.0] {
        assert_eq!(space.numbers_at(&[-beyond; 3]), [0.1, 1e-5, -3.0]);
        assert_eq!(space.numbers_at(&[1.0 + beyond; 3]), [0.3, 0.7, 11.0]);
    }
    assert_eq!(space.to_unit(&[0.1, 1e-5, -3.0]).unwrap(), [0.0, 0.0, 0.5 / 15.0]);
    assert_eq!(space.to_unit(&[0.3, 0.7, 11.0]).unwrap(), [1.0, 1.0, 14.5 / 15.0]);
}

#[test]
fn every_whole_number_owns_an_equal_cell() {
    let space = Space::new().int("depth", 2, 12);
    let mut counts = [0; 11];
    for step in 0..1100 {
        counts[space.numbers_at(&[(f64::from(step) + 0.5) / 1100.0])[0] as usize - 2] += 1;
    }
    assert_eq!(counts, [100; 11]);
}

#[test]
fn derivative_is_that_of_the_map() {
    let space = Space::new().float("a", -3.0, 4.0).log_float("b", 1e-4, 10.0).int("c", 1, 8);
    let (unit, h) = ([0.37, 0.81, 0.5], tolerance::STEP);
    let derivative = space.derivative(&unit);
    for axis in 0..2 {
        let at = |sign: f64| {
            let mut moved = unit;
            moved[axis] += sign * h;
            space.numbers_at(&moved)[axis]
        };
        let difference = (at(1.0) - at(-1.0)) / (2.0 * h);
        // The third derivative over the first is ln(high / low)^2 on a log scale.
        let bound = tolerance::central_difference(1.0, 1e5f64.ln().powi(2));
        assert!(
            (derivative[axis] / difference - 1.0).abs() <= bound,
            "axis {axis}: {} against {difference}",
            derivative[axis]
        );
    }
    assert_eq!(derivative[2], 8.0);
}

#[test]
fn spaces_that_make_no_sense_are_refused() {
    let space = Space::new;
    let cases = [
        (space(), ErrorKind::Empty, "parameter"),
        (space().float("rate", 0.0, 1.0).int("rate", 0, 1), ErrorKind::UnknownParameter, "rate"),
        (
            space().float("a", 0.0, 1.0).float("", 0.0, 1.0),
            ErrorKind::InvalidSetting,
            "parameter 1",
        ),
        (space().float("rate", 1.0, 0.0), ErrorKind::InvalidSetting, "rate"),
        (space().log_float("rate", 1.0, 0.5), ErrorKind::InvalidSetting, "rate"),
        (space().int("depth", 4, 3), ErrorKind::InvalidSetting, "depth"),
        (space().int("depth", i64::MIN, i64::MAX), ErrorKind::InvalidSetting, "depth"),
        (space().float("rate", f64::NAN, 1.0), ErrorKind::NonFinite, "rate"),
        (space().float("rate", 0.0, f64::INFINITY), ErrorKind::NonFinite, "rate"),
        (space().float("rate", -1e308, 1e308), ErrorKind::InvalidSetting, "rate"),
        (space().log_float("rate", 0.0, 1.0), ErrorKind::InvalidSetting, "rate"),
        (space().log_float("rate", -1.0, 1.0), ErrorKind::InvalidSetting, "rate"),
    ];
    for (space, kind, culprit) in cases {
        let error = space.validate().unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(culprit), "{error}");
    }
}

#[test]
fn values_outside_a_space_are_refused() {
    let space = Space::new().float("a", 0.0, 2.0).log_float("b", 0.5, 2.0).int("c", 1, 4);
    let cases: [(&[f64], ErrorKind, &[&str]); 8] = [
        (&[1.0, 1.0], ErrorKind::Dimension, &["3", "2"]),
        (&[2.5, 1.0, 1.0], ErrorKind::OutOfBounds, &["\"a\"", "[0, 2]", "2.5"]),
        (&[-0.5, 1.0, 1.0], ErrorKind::OutOfBounds, &["\"a\"", "-0.5"]),
        (&[1.0, -1.0, 1.0], ErrorKind::OutOfBounds, &["\"b\"", "[0.5, 2]", "-1"]),
        (&[1.0, 1.0, 2.5], ErrorKind::OutOfBounds, &["\"c\"", "whole", "2.5"]),
        (&[1.0, 1.0, 5.0], ErrorKind::OutOfBounds, &["\"c\"", "[1, 4]", "5"]),
        (&[f64::NAN, 1.0, 1.0], ErrorKind::NonFinite, &["\"a\"", "NaN"]),
        (&[1.0, 1.0, f64::INFINITY], ErrorKind::NonFinite, &["\"c\"", "inf"]),
    ];
    for (values, kind, words) in cases {
        let error = space.to_unit(values).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(
            words.iter().all(|word| error.to_string().contains(word)),
            "{error} should name {words:?}"
        );
    }
}
