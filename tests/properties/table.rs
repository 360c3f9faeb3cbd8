//! Tables of candidates.

use gittins::{Domain, ErrorKind, Outcome, Study, Table, Value};

use crate::support::tolerance;

fn table() -> Table {
    let rows = vec![
        vec![16.0, 1e-4, 3.0],
        vec![64.0, 1e-2, 3.0],
        vec![32.0, 1e-3, 3.0],
        vec![16.0, 1e-4, 3.0],
    ];
    Table::new(["batch", "rate", "layers"], rows).unwrap()
}

#[test]
fn columns_are_scaled_by_their_own_ends() {
    let table = table();
    assert_eq!((table.len(), table.dim(), table.is_empty()), (4, 3, false));
    assert_eq!(table.points().row(0), &[0.0, 0.0, 0.5]);
    assert_eq!(table.points().row(1), &[1.0, 1.0, 0.5]);
    assert!(
        (table.points().row(2)[0] - 1.0 / 3.0).abs() <= tolerance::affine_round_trip(16.0, 64.0)
    );
    let logged = table.log("rate").unwrap();
    assert!((logged.points().row(2)[1] - 0.5).abs() <= tolerance::log_round_trip(1e-4, 1e-2));
    assert_eq!(logged.row(2), &[32.0, 1e-3, 3.0], "the user's values stay");
}

/// The order of bounds and log scale does not matter. A value outside widens the bounds.
#[test]
fn columns_are_scaled_by_given_bounds() {
    let bounded = table().within("batch", 16.0, 112.0).unwrap().within("layers", 1.0, 5.0).unwrap();
    assert_eq!(bounded.points().row(1), &[0.5, 1.0, 0.5]);
    for logged in [
        table().within("rate", 1e-4, 1.0).unwrap().log("rate").unwrap(),
        table().log("rate").unwrap().within("rate", 1e-4, 1.0).unwrap(),
    ] {
        assert!((logged.points().row(2)[1] - 0.25).abs() <= tolerance::log_round_trip(1e-4, 1.0));
        assert_eq!(logged.row_of(logged.row(2)).unwrap(), 2);
    }
    assert_eq!(
        table().within("layers", 1.0, 2.0).unwrap().points().row(0)[2],
        1.0,
        "3 is outside of [1, 2]"
    );
    for (bounded, kind, culprit) in [
        (table().within("depth", 1.0, 2.0), ErrorKind::UnknownParameter, "depth"),
        (table().within("rate", 1.0, 1.0), ErrorKind::InvalidSetting, "rate"),
        (table().within("rate", 0.0, f64::NAN), ErrorKind::NonFinite, "rate"),
        (table().within("rate", -1.0, 1.0).unwrap().log("rate"), ErrorKind::InvalidSetting, "rate"),
        (table().log("rate").unwrap().within("rate", 0.0, 1.0), ErrorKind::InvalidSetting, "rate"),
    ] {
        let error = bounded.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(culprit), "{error}");
    }
}

#[test]
fn extreme_columns_stay_finite() {
    let table =
        Table::new(["a", "b"], vec![vec![-1.7e308, 1e-300], vec![1.7e308, 1e300], vec![0.0, 1.0]])
            .unwrap()
            .log("b")
            .unwrap();
    assert_eq!(table.points().values(), &[0.0, 0.0, 1.0, 1.0, 0.5, 0.5]);
}

#[test]
fn rows_are_found_by_their_values() {
    let table = table().log("rate").unwrap();
    for (row, first) in [(0, 0), (1, 1), (2, 2), (3, 0)] {
        assert_eq!(table.row_of(table.row(row)).unwrap(), first);
    }
    let zeros = Table::new(["a"], vec![vec![1.0], vec![0.0], vec![-0.0]]).unwrap();
    assert_eq!(
        (zeros.row_of(&[-0.0]).unwrap(), zeros.twins(2)),
        (1, &[1, 2][..]),
        "zero has no sign"
    );
}

#[test]
fn twins_share_a_point() {
    let table = table();
    assert_eq!(table.twins(0), &[0, 3]);
    assert_eq!(table.twins(3), &[0, 3]);
    assert_eq!(table.twins(1), &[1]);
    assert_eq!(Table::new(["a"], vec![vec![5.0]; 3]).unwrap().twins(1), &[0, 1, 2]);
}

/// On a grid every row is its own only twin. It is found again, and it is the nearest row to its
/// own point and to points around it.
#[test]
fn bisection_finds_every_row_of_a_grid() {
    let rows: Vec<Vec<f64>> = (0..6 * 7 * 5)
        .rev()
        .map(|i| vec![f64::from(i % 6), f64::from(i / 6 % 7) - 3.0, f64::from(i / 42)])
        .collect();
    let table = Table::new(["a", "b", "c"], rows).unwrap();
    let domain = Domain::from(table.clone());
    for row in 0..table.len() {
        assert_eq!(table.twins(row), &[row]);
        assert_eq!(table.row_of(table.row(row)).unwrap(), row);
        let unit = domain.to_unit(table.row(row)).unwrap();
        assert_eq!(unit, table.points().row(row));
        assert_eq!(domain.numbers_at(&unit), table.row(row));
        let beside: Vec<f64> = unit.iter().map(|u| u + 0.05).collect();
        assert_eq!(
            domain.numbers_at(&beside),
            table.row(row),
            "a point that is no row stands for the nearest one"
        );
    }
}

#[test]
fn bad_tables_are_refused() {
    let new = |names: &[&str], rows: &[&[f64]]| {
        Table::new(names.iter().copied(), rows.iter().map(|row| row.to_vec()).collect())
    };
    let cases = [
        (new(&[], &[&[]]), ErrorKind::Empty, "parameter"),
        (new(&["a"], &[]), ErrorKind::Empty, "row"),
        (new(&["a", "a"], &[&[1.0, 2.0]]), ErrorKind::UnknownParameter, "\"a\""),
        (new(&["a", ""], &[&[1.0, 2.0]]), ErrorKind::InvalidSetting, "parameter 1"),
        (new(&["a", "b"], &[&[1.0, 2.0], &[1.0]]), ErrorKind::Dimension, "row 1"),
        (
            new(&["a", "b"], &[&[1.0, 2.0], &[1.0, f64::NAN]]),
            ErrorKind::NonFinite,
            "row 1, column \"b\"",
        ),
        (
            new(&["a"], &[&[1.0]]).and_then(|table| table.log("b")),
            ErrorKind::UnknownParameter,
            "\"b\"",
        ),
        (
            new(&["a"], &[&[1.0], &[0.0]]).and_then(|table| table.log("a")),
            ErrorKind::InvalidSetting,
            "row 1, column \"a\"",
        ),
    ];
    for (table, kind, culprit) in cases {
        let error = table.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(culprit), "{error} should name {culprit}");
    }
}

#[test]
fn values_of_no_row_are_refused() {
    let table = table().log("rate").unwrap();
    let cases: [(&[f64], ErrorKind, &str); 5] = [
        (&[16.0, 1e-4], ErrorKind::Dimension, "expected 3"),
        (&[16.0, 1e-4, f64::NAN], ErrorKind::NonFinite, "layers"),
        (&[16.0, 1e-2, 3.0], ErrorKind::OutOfBounds, "batch = 16, rate = 0.01"),
        (&[16.0, 1e-4, 4.0], ErrorKind::OutOfBounds, "layers = 4"),
        (&[16.0, -1.0, 3.0], ErrorKind::OutOfBounds, "rate = -1"),
    ];
    for (values, kind, culprit) in cases {
        let error = table.row_of(values).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(culprit), "{error} should name {culprit}");
    }
}

/// A column of one name is one of the cube, also if there is no other. Rows without the name
/// differ.
#[test]
fn a_table_of_a_single_name_can_be_studied() {
    let table = Table::new(["tree"], vec![vec!["oak"], vec!["oak"]]).unwrap();
    assert_eq!((table.dim(), table.different()), (1, 1));
    let mut study = Study::minimize(table).build().unwrap();
    study.import(&["oak"], Outcome::new(1.0)).unwrap();
    assert_eq!(study.recommendation().unwrap().unwrap().values[0], "oak");
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    let gaps = Table::new(["tree"], vec![vec![Value::from("oak")], vec![Value::Absent]]).unwrap();
    assert_eq!(gaps.different(), 2);
    assert_eq!(gaps.row_of(&[Value::Absent]).unwrap(), 1);
    // A name may be read as a flag or a number, as that of several may.
    for (name, read) in [("true", Value::from(true)), ("3", Value::from(3))] {
        let table = Table::new(["tree"], vec![vec![name], vec![name]]).unwrap();
        assert_eq!(table.row_of(&[read]).unwrap(), 0);
    }
}

#[test]
fn a_column_has_values_of_one_kind() {
    let kinds: [Value; 3] = ["oak".into(), true.into(), 3.0.into()];
    for first in &kinds {
        for second in &kinds {
            let table = Table::new(["tree"], vec![vec![first], vec![second]]);
            // A flag among numbers is 0 or 1.
            let counts = (first, second) == (&kinds[2], &kinds[1]);
            if first == second || counts {
                drop(table.unwrap());
            } else {
                let error = table.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidSetting);
                assert!(error.to_string().contains("row 1, column \"tree\""), "{error}");
            }
        }
    }
}
