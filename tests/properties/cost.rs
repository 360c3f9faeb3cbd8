//! Costs: checks, gradients on the unit cube, whole numbers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gittins::data::{BoundCost, PointCost};
use gittins::math::Sobol;
use gittins::{Cost, Domain, ErrorKind, Result, Space, Table};

use crate::support::tolerance;

fn bound(cost: &Cost, domain: impl Into<Domain>) -> BoundCost {
    match cost {
        Cost::Known(known) => known.on(&domain.into()),
        other => panic!("{other:?} is no function"),
    }
}

fn with_gradient(cost: &impl PointCost, unit: &[f64]) -> Result<(f64, Vec<f64>)> {
    let mut gradient = vec![f64::NAN; unit.len()];
    let value = cost.cost(unit, Some(&mut gradient))?;
    Ok((value, gradient))
}

fn space() -> Space {
    Space::new().float("a", -1.0, 3.0).log_float("b", 1e-2, 10.0)
}

fn smooth(v: &[f64]) -> f64 {
    2.0 + v[0].sin() + v[0] * v[1] / 20.0 + v[1]
}

/// The user's gradient times the derivative of the map equals differences of the cost itself.
#[test]
fn a_given_gradient_is_carried_to_the_unit_cube() {
    let cost = bound(
        &Cost::known_with_gradient(|v, gradient| {
            gradient[0] = v[0].cos() + v[1] / 20.0;
            gradient[1] = v[0] / 20.0 + 1.0;
            smooth(v)
        }),
        space(),
    );
    for unit in [[0.2, 0.7], [0.55, 0.1], [0.9, 0.95]] {
        let (value, gradient) = with_gradient(&cost, &unit).unwrap();
        assert_eq!(value, smooth(&space().numbers_at(&unit)));
        assert_eq!(value, cost.cost(&unit, None).unwrap());
        for axis in 0..2 {
            let at = |sign: f64| {
                let mut moved = unit;
                moved[axis] += sign * tolerance::STEP;
                cost.cost(&moved, None).unwrap()
            };
            let difference = (at(1.0) - at(-1.0)) / (2.0 * tolerance::STEP);
            // The third derivatives in the cube are below 4^3, and below 11.5 * ln(1000)^3 along
            // the log scale.
            let error = tolerance::central_difference(value, 11.5 * 1e3f64.ln().powi(3));
            assert!(
                (gradient[axis] - difference).abs() <= error,
                "axis {axis} at {unit:?}: {} against {difference}",
                gradient[axis]
            );
        }
    }
}

/// The library's differences inside the cube, at its faces and beside them equal the gradient by
/// hand.
#[test]
fn without_a_gradient_differences_stand_for_it() {
    let cost = bound(&Cost::known(smooth), space());
    for unit in [[0.3, 0.6], [0.0, 0.0], [1.0, 1.0], [1e-6, 1.0 - 1e-6], [0.0, 1.0]] {
        let v = space().numbers_at(&unit);
        let slopes = space().derivative(&unit);
        let expected = [(v[0].cos() + v[1] / 20.0) * slopes[0], (v[0] / 20.0 + 1.0) * slopes[1]];
        let (value, gradient) = with_gradient(&cost, &unit).unwrap();
        assert_eq!(value, smooth(&v));
        for axis in 0..2 {
            let error = tolerance::one_sided_difference(16.0, 11.5 * 1e3f64.ln().powi(3));
            assert!(
                (gradient[axis] - expected[axis]).abs() <= error,
                "axis {axis} at {unit:?}: {gradient:?} against {expected:?}"
            );
        }
    }
}

/// The user's function gets whole numbers only. Between them, value and gradient belong to one
/// continuous function.
#[test]
fn whole_numbers_are_interpolated() {
    let price = |v: &[f64]| {
        assert!(v[1].fract() == 0.0 && v[2].fract() == 0.0, "asked between whole numbers: {v:?}");
        1.0 + v[0] * v[0] + v[1] * v[2] + 0.5 * v[2]
    };
    let space = Space::new().float("a", 0.0, 2.0).int("b", 1, 7).int("c", 2, 12);
    let given = Cost::known_with_gradient(move |v, gradient| {
        gradient[0] = 2.0 * v[0];
        price(v)
    });
    for cost in [bound(&given, space.clone()), bound(&Cost::known(price), space.clone())] {
        for b in 1..=7 {
            for c in 2..=12 {
                let values = [0.7, f64::from(b), f64::from(c)];
                let unit = space.to_unit(&values).unwrap();
                assert_eq!(
                    cost.cost(&unit, None).unwrap(),
                    price(&space.numbers_at(&unit)),
                    "exact where an evaluation can take place"
                );
                assert!(
                    with_gradient(&cost, &unit).unwrap().1.iter().all(|slope| slope.is_finite())
                );
            }
        }
        // The points lie inside a simplex, with either coordinate ahead, and in the flat outer
        // halves of the outermost cells.
        for unit in [
            [0.3, 0.45, 0.57],
            [0.3, 0.33, 0.35],
            [0.8, 0.71, 0.2],
            [0.5, 0.05, 0.4],
            [0.5, 0.97, 0.99],
        ] {
            let (value, gradient) = with_gradient(&cost, &unit).unwrap();
            assert!((value - cost.cost(&unit, None).unwrap()).abs() <= 4.0 * f64::EPSILON * value);
            for axis in 0..3 {
                let at = |sign: f64| {
                    let mut moved = unit;
                    moved[axis] += sign * tolerance::STEP;
                    cost.cost(&moved, None).unwrap()
                };
                let difference = (at(1.0) - at(-1.0)) / (2.0 * tolerance::STEP);
                // The function is piecewise linear or quadratic, so only the rounding of both
                // differences is allowed.
                let error = 2.0 * tolerance::central_difference(value, 0.0);
                assert!(
                    (gradient[axis] - difference).abs() <= error,
                    "axis {axis} at {unit:?}: {} against {difference}",
                    gradient[axis]
                );
            }
        }
        // The cost is continuous across the centers and edges of cells, and across the diagonal
        // between simplices.
        for unit in [[0.3, 0.5, 0.5], [0.3, 2.0 / 7.0, 3.0 / 11.0], [0.3, 1.75 / 7.0, 3.75 / 11.0]]
        {
            let at = |shift: f64| cost.cost(&unit.map(|u| u + shift), None).unwrap();
            assert!((at(1e-9) - at(-1e-9)).abs() <= 1e-9 * 1e3, "a jump at {unit:?}");
        }
    }
}

/// A gradient in many dimensions, half of them whole numbers, takes few values. It is exact if
/// floats and whole numbers do not interact, or if few corners have a weight. Otherwise its error
/// is at most an eighth of the change of the slope along the corners.
#[test]
fn many_whole_numbers_take_few_values() {
    const HALF: usize = 40;
    let mut space = Space::new();
    for k in 0..HALF {
        space = space.float(format!("f{k}"), -1.0, 2.0).int(format!("i{k}"), 0, 9);
    }
    let floats = |v: &[f64]| v.iter().step_by(2).map(|x| x.exp()).sum::<f64>();
    let ints = |v: &[f64]| v.iter().skip(1).step_by(2).sum::<f64>();
    type Price = fn(f64, f64) -> f64;
    // A sum, and a product whose slope along a float rises with the whole numbers. Each comes with
    // its derivative by the sum over the floats.
    let prices: [(Price, Price, bool); 2] = [
        (|f, i| 1.0 + f + i * i, |_, _| 1.0, false),
        (|f, i| 1.0 + f * (1.0 + i), |_, i| 1.0 + i, true),
    ];
    for (price, by_floats, meet) in prices {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let differences = bound(
            &Cost::known(move |v| {
                count.fetch_add(1, Ordering::Relaxed);
                assert!(
                    v.iter().skip(1).step_by(2).all(|k| k.fract() == 0.0),
                    "asked between whole numbers: {v:?}"
                );
                price(floats(v), ints(v))
            }),
            space.clone(),
        );
        let given = bound(
            &Cost::known_with_gradient(move |v, gradient| {
                for k in (0..v.len()).step_by(2) {
                    gradient[k] = by_floats(floats(v), ints(v)) * v[k].exp();
                }
                price(floats(v), ints(v))
            }),
            space.clone(),
        );
        for (seed, between) in [(1, HALF), (2, HALF), (3, 7), (4, 0)] {
            let mut unit = Sobol::new(2 * HALF, seed).points(5, 1).row(0).to_vec();
            let mut snapped = unit.clone();
            space.snap(&mut snapped);
            // `between` whole numbers lie between their neighbors, each by another fraction. The
            // others lie on whole numbers. So `between + 1` corners have a weight.
            (0..HALF).filter(|k| *k >= between).for_each(|k| unit[2 * k + 1] = snapped[2 * k + 1]);
            asked.store(0, Ordering::Relaxed);
            let (value, gradient) = with_gradient(&differences, &unit).unwrap();
            let values = asked.load(Ordering::Relaxed);
            assert!(values <= HALF + 1 + 2 * HALF * 8.min(between + 1), "{values} values");
            let (expected_value, expected) = with_gradient(&given, &unit).unwrap();
            assert_eq!((value, value), (expected_value, differences.cost(&unit, None).unwrap()));
            let (v, derivative) = (space.numbers_at(&unit), space.derivative(&unit));
            for k in 0..2 * HALF {
                // Rounding of values of some hundreds, and the third derivative of an exponential
                // over a range of 3.
                let rounding = tolerance::one_sided_difference(value, 27.0 * expected[k].abs());
                // From the first corner to the last, each whole number rises by one.
                let varies = if meet && between >= 8 && k % 2 == 0 {
                    HALF as f64 * v[k].exp() * derivative[k] / 8.0
                } else {
                    0.0
                };
                assert!(
                    (gradient[k] - expected[k]).abs() <= rounding + varies,
                    "axis {k}: {} against {}",
                    gradient[k],
                    expected[k]
                );
                assert!(k % 2 == 0 || gradient[k] == expected[k], "by whole numbers it is exact");
            }
        }
    }
}

#[test]
fn a_table_is_priced_row_by_row() {
    let table = Table::new(["size"], vec![vec![1.0], vec![4.0], vec![2.0]]).unwrap();
    let cost = bound(&Cost::known(|v| 10.0 * v[0]), table.clone());
    let prices: Vec<f64> = table.points().rows().map(|row| cost.cost(row, None).unwrap()).collect();
    assert_eq!(prices, [10.0, 40.0, 20.0]);
    // Between the rows the cost is flat: it is the cost of the nearest row.
    assert_eq!(with_gradient(&cost, &[0.9]).unwrap(), (40.0, vec![0.0]));
}

#[test]
fn costs_that_are_no_price_are_refused() {
    for (cost, kind) in [
        (f64::NAN, ErrorKind::NonFinite),
        (f64::INFINITY, ErrorKind::NonFinite),
        (0.0, ErrorKind::NonPositiveCost),
        (-1.0, ErrorKind::NonPositiveCost),
    ] {
        let error = Cost::uniform(cost).validate(&space().into(), None).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        let error =
            bound(&Cost::known(move |_| cost), space()).cost(&[0.25, 1.0], None).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains("a = 0, b = 10"), "{error}");
        assert_eq!(error.to_string().contains("cost_floor"), cost == 0.0, "{error}");
    }
    let error = with_gradient(
        &bound(
            &Cost::known_with_gradient(|_, gradient| {
                gradient[1] = f64::NAN;
                1.0
            }),
            space(),
        ),
        &[0.25, 1.0],
    )
    .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NonFinite);
    assert!(error.to_string().contains("\"b\"") && error.to_string().contains("a = 0"), "{error}");
    let error = bound(&Cost::known(smooth), space()).cost(&[0.5], None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Dimension);
    for cost in [Cost::default(), Cost::learned(), Cost::known(smooth)] {
        cost.validate(&space().into(), None).unwrap();
    }
}

#[test]
fn below_the_floor_the_model_sees_the_floor_and_the_books_do_not() {
    let floor = 0.5;
    let free = |v: &[f64]| (v[0] + v[1]).max(0.0);
    let given = Cost::known_with_gradient(move |v, gradient| {
        if v[0] + v[1] > 0.0 {
            gradient.fill(1.0);
        }
        free(v)
    });
    for cost in [given, Cost::known(free)] {
        let floored = bound(&cost, space()).floored(Some(floor));
        for unit in [[0.0, 0.0], [0.05, 0.3], [0.3, 0.4], [0.8, 0.9]] {
            let paid = free(&space().numbers_at(&unit));
            let (value, gradient) = with_gradient(&floored, &unit).unwrap();
            assert_eq!(
                (value, floored.cost(&unit, None).unwrap(), floored.paid(&unit).unwrap()),
                (paid.max(floor), paid.max(floor), paid)
            );
            // Above the floor nothing changes. Below the floor the gradient is zero.
            let slope = if paid < floor {
                vec![0.0; 2]
            } else {
                with_gradient(&bound(&cost, space()), &unit).unwrap().1
            };
            assert_eq!(gradient, slope, "at {unit:?}");
            assert_eq!(paid < floor, slope[0] == 0.0);
        }
        // Without a floor a free evaluation is an error.
        assert_eq!(
            bound(&cost, space()).cost(&[0.0, 0.0], None).unwrap_err().kind(),
            ErrorKind::NonPositiveCost
        );
    }
    for (cost, kind) in [
        (-1e-300, ErrorKind::NonPositiveCost),
        (f64::NAN, ErrorKind::NonFinite),
        (f64::INFINITY, ErrorKind::NonFinite),
    ] {
        let error = bound(&Cost::known(move |_| cost), space())
            .floored(Some(floor))
            .cost(&[0.5, 0.5], None)
            .unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
    }
    Cost::uniform(0.0).validate(&space().into(), Some(floor)).unwrap();
    assert_eq!(
        Cost::uniform(-1.0).validate(&space().into(), Some(floor)).unwrap_err().kind(),
        ErrorKind::NonPositiveCost
    );
    for floor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Cost::learned().validate(&space().into(), Some(floor)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSetting);
        assert!(error.to_string().contains("cost floor"), "{error}");
    }
}
