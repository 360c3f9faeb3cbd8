//! Spaces with names, flags, lists, conditions and constraints: values, columns, and what must not
//! matter.

use gittins::data::Requirement;
use gittins::{
    ErrorKind, Hyperparameters, KernelFamily, Outcome, Points, Posterior, Space, Study, Value,
};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A space with a parameter of every kind, conditions over two levels and on a number.
fn every_kind() -> Space {
    Space::new()
        .float("float", -1.0, 2.0)
        .log_float("log_float", 1e-4, 10.0)
        .int("int", -3, 4)
        .log_int("log_int", 1, 1000)
        .steps("steps", 0.0, 1.0, 0.1)
        .powers_of_two("powers", 8, 128)
        .ordinal("size", ["small", "medium", "large"])
        .choice("solver", ["adam", "sgd", "lbfgs"])
        .flag("bias")
        .constant("version", 3)
        .float("momentum", 0.0, 0.99)
        .when("solver", ["sgd"])
        .flag("nesterov")
        .when("solver", ["sgd"])
        .choice("warmup", ["linear", "cosine", "none"])
        .when("nesterov", [true])
        .int("second", 1, 9)
        .when_at_least("int", 2)
}

fn draws(space: &Space, count: usize, seed: u64) -> Vec<Vec<Value>> {
    let mut study = Study::minimize(space.clone()).initial(count).seed(seed).build().unwrap();
    (0..count).map(|_| study.ask().unwrap().values().to_vec()).collect()
}

#[test]
fn values_come_back_from_the_cube() {
    let space = every_kind();
    space.validate().unwrap();
    let mut seen = [false; 2];
    for values in draws(&space, 300, 1) {
        let unit = space.to_unit(&values).unwrap();
        assert_eq!(unit.len(), space.dim());
        assert!(unit.iter().all(|u| (0.0..=1.0).contains(u)), "{unit:?}");
        let back = space.values_at(&unit);
        for (told, back) in values.iter().zip(&back) {
            match (told, back) {
                // Numbers on a line are rounded.
                (Value::Float(a), Value::Float(b)) => {
                    assert!((a - b).abs() <= 1e-14 * (1.0 + a.abs()), "{a} {b}");
                }
                _ => assert_eq!(told, back),
            }
        }
        let mut snapped = unit.clone();
        space.snap(&mut snapped);
        assert_eq!(snapped, unit);
        assert_eq!(space.typed(&values).unwrap(), values);
        seen[usize::from(values[10] == Value::Absent)] = true;
    }
    assert_eq!(seen, [true; 2]);
}

#[test]
fn typed_values_have_the_kinds_of_their_parameters() {
    let space = every_kind();
    let told: Vec<Value> = vec![
        0.into(),
        1.into(),
        2.0.into(),
        10.0.into(),
        0.3.into(),
        64.0.into(),
        "large".into(),
        "adam".into(),
        true.into(),
        3.0.into(),
        Value::Absent,
        Value::Absent,
        Value::Absent,
        9.0.into(),
    ];
    let typed = space.typed(&told).unwrap();
    assert_eq!(typed[0], Value::Float(0.0));
    assert_eq!(typed[2], Value::Int(2));
    assert_eq!(typed[3], Value::Int(10));
    assert_eq!(typed[5], Value::Int(64));
    assert_eq!(typed[9], Value::Int(3));
    assert_eq!(typed[13], Value::Int(9));
}

#[test]
fn what_is_absent_does_not_matter() {
    let space = every_kind();
    let absent = |values: &[Value]| {
        let mut columns = vec![];
        let unit = space.to_unit(values).unwrap();
        for k in 0..unit.len() {
            let mut moved = unit.clone();
            moved[k] = if moved[k] < 0.4 { 0.9 } else { 0.1 };
            let mut snapped = moved.clone();
            space.snap(&mut snapped);
            if snapped == unit && space.values_at(&moved) == space.values_at(&unit) {
                columns.push(k);
            }
        }
        columns
    };
    // momentum, nesterov, three columns of warmup, second: all are absent beside adam and int < 2.
    // The column of adam itself is read beside those of the other names, which are at 0.
    let values: Vec<Value> = vec![
        0.0.into(),
        1.0.into(),
        1.into(),
        10.into(),
        0.3.into(),
        64.into(),
        "large".into(),
        "adam".into(),
        true.into(),
        3.into(),
        Value::Absent,
        Value::Absent,
        Value::Absent,
        Value::Absent,
    ];
    assert_eq!(absent(&values), [7, 11, 12, 13, 14, 15, 16]);
}

/// Whatever the categories are called, and in whatever order they stand, the model is the same.
#[test]
fn names_and_their_order_change_nothing() {
    let mut random = Pcg64::seed_from_u64(4);
    let names = ["a", "b", "c", "d", "e"];
    for round in 0..20 {
        let mut order = names;
        order.shuffle(&mut random);
        let space = |names: [&'static str; 5]| {
            Space::new().float("x", 0.0, 1.0).choice("k", names).choice("pair", ["u", "v"])
        };
        let (one, other) = (space(names), space(order));
        let flipped =
            Space::new().float("x", 0.0, 1.0).choice("k", order).choice("pair", ["v", "u"]);
        let hyperparameters = |dim: usize| Hyperparameters {
            lengthscales: (0..dim).map(|k| [0.3, 0.8, 0.8, 0.8, 0.8, 0.8, 1.4][k]).collect(),
            outputscale: 1.3,
            noise: 1e-3,
            mean: 0.2,
        };
        let data: Vec<[Value; 3]> = (0..12)
            .map(|_| {
                let k = names[random.random_range(0..5)];
                let pair = ["u", "v"][random.random_range(0..2)];
                [random.random::<f64>().into(), k.into(), pair.into()]
            })
            .collect();
        let outcomes: Vec<f64> = (0..12).map(|_| random.random()).collect();
        let moments = |space: &Space| {
            let rows = |data: &[[Value; 3]]| {
                let unit: Vec<f64> = data.iter().flat_map(|v| space.to_unit(v).unwrap()).collect();
                Points::from_rows(space.dim(), unit).unwrap()
            };
            let (told, asked) = (rows(&data[..8]), rows(&data[8..]));
            let at = hyperparameters(space.dim());
            let posterior =
                Posterior::new(KernelFamily::Matern52, &at, &told, &outcomes[..8]).unwrap();
            posterior.moments(&asked).unwrap()
        };
        let expected = moments(&one);
        for space in [&other, &flipped] {
            let got = moments(space);
            for (a, b) in expected
                .mean
                .iter()
                .chain(&expected.variance)
                .zip(got.mean.iter().chain(&got.variance))
            {
                // Sums in another order: the condition number is below 1e4.
                assert!((a - b).abs() < 1e-11, "round {round}: {a} {b}");
            }
        }
    }
}

#[test]
fn constraints_hold_at_every_trial() {
    let mixture = Space::new()
        .float("a", 0.0, 1.0)
        .float("b", 0.0, 1.0)
        .float("c", 0.0, 1.0)
        .int("n", 1, 20)
        .flag("wet")
        .at_most([("a", 1.0), ("b", 1.0), ("c", 1.0)], 1.0)
        .at_least([("a", 1.0), ("n", 0.05)], 0.3)
        .allow("wet is thin", |point| {
            !point.get::<bool>("wet").unwrap() || point.get::<i64>("n").unwrap() <= 12
        });
    mixture.validate().unwrap();
    let mut study = Study::minimize(mixture.clone()).seed(3).build().unwrap();
    let mut best = f64::INFINITY;
    for _ in 0..40 {
        let ask = study.ask().unwrap();
        let [a, b, c, n, wet] = ask.numbers() else { unreachable!() };
        assert!(a + b + c <= 1.0 + 1e-8 && a + 0.05 * n >= 0.3 - 1e-8, "{:?}", ask.values());
        assert!(*wet == 0.0 || *n <= 12.0);
        assert!(mixture.admits(&mixture.to_unit(ask.values()).unwrap()));
        // Its minimum is on the border, at a = b = 1/2.
        let outcome =
            (a - 0.8).powi(2) + (b - 0.8).powi(2) + c + 0.01 * (n - 7.0).abs() - 0.1 * wet;
        best = best.min(outcome);
        study.tell(ask.id(), Outcome::new(outcome)).unwrap();
    }
    // At the optimum 2 * 0.3^2 - 0.1; a step of 0.03 along the border costs 2 * 0.03^2.
    assert!(best < 0.18 - 0.1 + 0.01, "{best}");
}

#[test]
fn a_simplex_of_ten_parts_is_no_empty_space() {
    let names: Vec<String> = (0..10).map(|k| format!("part {k}")).collect();
    let space = names.iter().fold(Space::new(), |space, name| space.float(name, 0.0, 1.0));
    let space = space.at_most(names.iter().map(|name| (name.as_str(), 1.0)), 1.0);
    // One point in 3.6 million is allowed.
    space.validate().unwrap();
    for values in draws(&space, 200, 5) {
        let sum: f64 = values.iter().filter_map(Value::number).sum();
        assert!(sum <= 1.0 + 1e-8, "{sum}");
    }
}

#[test]
fn bad_spaces_and_values_name_the_culprit() {
    use ErrorKind::{Dimension, Empty, InvalidSetting, NonFinite, OutOfBounds, UnknownParameter};
    let x = || Space::new().float("x", 0.0, 1.0);
    let cases: Vec<(&str, Space, ErrorKind, &str)> = vec![
        ("no parameter", Space::new(), Empty, "at least one parameter"),
        ("constants only", Space::new().constant("c", 1), Empty, "constants"),
        ("no name", x().choice("c", [""; 0]), InvalidSetting, "\"c\""),
        ("a name twice", x().choice("c", ["a", "b", "a"]), InvalidSetting, "\"c\""),
        ("falling numbers", x().numbers("n", [4.0, 2.0]), InvalidSetting, "\"n\""),
        ("an infinite number", x().numbers("n", [4.0, f64::INFINITY]), NonFinite, "\"n\""),
        ("no step", x().steps("s", 0.0, 1.0, 0.0), InvalidSetting, "\"s\""),
        ("too long a step", x().steps("s", 0.0, 1.0, 1.5), InvalidSetting, "\"s\""),
        ("log of zero", x().log_int("n", 0, 9), InvalidSetting, "\"n\""),
        ("unknown parent", x().flag("f").when("y", [true]), UnknownParameter, "\"f\""),
        ("no values", x().flag("f").when("x", Vec::<f64>::new()), InvalidSetting, "\"x\""),
        ("impossible value", x().flag("f").when("x", [2.0]), OutOfBounds, "[0, 1]"),
        (
            "bound on a name",
            x().choice("c", ["a", "b"]).flag("f").when_at_least("c", 1),
            InvalidSetting,
            "\"c\"",
        ),
        ("itself", x().flag("f").when("f", [true]), InvalidSetting, "circle"),
        (
            "a circle",
            x().flag("a").when("c", [true]).flag("b").when("a", [true]).flag("c").when("b", [true]),
            InvalidSetting,
            "\"a\"",
        ),
        ("unknown term", x().at_most([("y", 1.0)], 1.0), UnknownParameter, "\"y\""),
        (
            "a term with names",
            x().choice("c", ["a", "b"]).at_most([("c", 1.0)], 1.0),
            InvalidSetting,
            "\"c\"",
        ),
        ("an infinite weight", x().at_most([("x", f64::NAN)], 1.0), NonFinite, "weights"),
        ("empty", x().at_most([("x", 1.0)], -1.0), Empty, "the sum is from 0 to 1"),
        (
            "empty of whole numbers",
            Space::new().int("n", 0, 5).at_most([("n", 1.0)], -1.0),
            Empty,
            "16384 points were tried",
        ),
        ("never allowed", x().allow("never", |_| false), Empty, "\"never\""),
    ];
    for (what, space, kind, word) in cases {
        let error = space.validate().unwrap_err();
        assert_eq!(error.kind(), kind, "{what}: {error}");
        assert!(error.to_string().contains(word), "{what}: {error}");
        assert_eq!(Study::minimize(space).build().unwrap_err(), error, "{what}");
    }
    let space = Space::new()
        .choice("solver", ["adam", "sgd"])
        .float("momentum", 0.0, 0.9)
        .when("solver", ["sgd"])
        .flag("bias")
        .numbers("batch", [16.0, 32.0])
        .at_most([("momentum", 1.0), ("bias", 1.0)], 1.5);
    let sgd = |momentum: Value| [Value::from("sgd"), momentum, true.into(), 32.into()];
    let values: Vec<(&str, Vec<Value>, ErrorKind, &str)> = vec![
        ("too few", vec!["adam".into()], Dimension, "expected 4"),
        (
            "another name",
            vec!["rms".into(), Value::Absent, true.into(), 16.into()],
            OutOfBounds,
            "\"solver\"",
        ),
        (
            "a number for a name",
            vec![1.into(), Value::Absent, true.into(), 16.into()],
            OutOfBounds,
            "\"solver\"",
        ),
        (
            "a number for a flag",
            vec!["adam".into(), Value::Absent, 1.into(), 16.into()],
            OutOfBounds,
            "\"bias\"",
        ),
        (
            "not on the list",
            vec!["adam".into(), Value::Absent, true.into(), 17.into()],
            OutOfBounds,
            "\"batch\"",
        ),
        (
            "there without its condition",
            vec!["adam".into(), 0.5.into(), true.into(), 16.into()],
            OutOfBounds,
            "\"momentum\"",
        ),
        ("absent with its condition", sgd(Value::Absent).to_vec(), OutOfBounds, "absent"),
        ("out of bounds", sgd(0.95.into()).to_vec(), OutOfBounds, "\"momentum\""),
        ("not finite", sgd(f64::NAN.into()).to_vec(), NonFinite, "\"momentum\""),
        ("breaks a constraint", sgd(0.7.into()).to_vec(), OutOfBounds, "constraint"),
    ];
    for (what, values, kind, word) in values {
        let error = space.to_unit(&values).unwrap_err();
        assert_eq!(error.kind(), kind, "{what}: {error}");
        assert!(error.to_string().contains(word), "{what}: {error}");
    }
    let condition = &space.parameters()[1].conditions()[0];
    assert_eq!(condition.requirement, Requirement::Is(vec!["sgd".into()]));
}

#[test]
fn a_circle_is_named_in_the_order_of_its_conditions() {
    let space = Space::new()
        .flag("a")
        .when("c", [true])
        .flag("b")
        .when("a", [true])
        .flag("c")
        .when("b", [true])
        .flag("outside")
        .when("a", [true]);
    let message = space.validate().unwrap_err().to_string();
    let circles = [
        "\"a\" -> \"b\" -> \"c\" -> \"a\"",
        "\"b\" -> \"c\" -> \"a\" -> \"b\"",
        "\"c\" -> \"a\" -> \"b\" -> \"c\"",
    ];
    assert!(circles.iter().any(|circle| message.contains(circle)), "{message}");
}

/// Up to the largest bound, a whole number on a log scale comes back from its coordinate.
#[test]
fn large_whole_numbers_on_a_log_scale_come_back() {
    let space = |high: i64| Space::new().log_int("n", 1, high).flag("f");
    let error = space((1 << 40) + 1).validate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSetting);
    assert!(error.to_string().contains("\"n\""), "{error}");
    let space = space(1 << 40);
    space.validate().unwrap();
    let mut random = Pcg64::seed_from_u64(8);
    for draw in 0..4000 {
        let whole = if draw < 200 { (1 << 40) - draw } else { random.random_range(1..=1 << 40) };
        let values = [Value::Int(whole), true.into()];
        let unit = space.to_unit(&values).unwrap();
        assert_eq!(space.values_at(&unit), values);
        let mut snapped = unit.clone();
        space.snap(&mut snapped);
        assert_eq!(snapped, unit);
    }
}

/// A sum that needs more than the real numbers can give is made up by the others.
#[test]
fn what_is_moved_to_a_constraint_stays_in_the_cube() {
    let space =
        Space::new().float("x", 0.0, 1.0).int("n", 0, 9).at_least([("x", 1.0), ("n", 0.1)], 1.5);
    let mut study = Study::minimize(space.clone()).initial(60).seed(3).build().unwrap();
    for trial in 0..60 {
        let ask = study.ask().unwrap();
        let unit = &study.history()[trial].unit;
        assert!(unit.iter().all(|u| (0.0..=1.0).contains(u)), "{unit:?}");
        space.to_unit(ask.values()).unwrap();
    }
}
