//! Regrets of partial queries against the table, and several runs over money by hand.

use gittins::ErrorKind;
use gittins::data::Direction;
use gittins_papers::control::{Regrets, over_money};
use gittins_papers::evaluation::Interpolation;
use gittins_papers::evaluation::{Course, Divisor, Mark};

use crate::support::control;
use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::assert_within;

#[test]
fn regrets_are_those_of_the_table() {
    let example = &table("subsets")["regret"];
    let regrets = Regrets::new(
        number(&example["best"]),
        &numbers(&example["chosen_values"]),
        &numbers(&example["costs"]),
    )
    .unwrap();
    for (own, name) in [
        (&regrets.simple, "simple_regret"),
        (&regrets.cumulative, "cumulative_regret"),
        (&regrets.cost_weighted, "cost_weighted_cumulative"),
    ] {
        let expected = numbers(&example[name]);
        assert_eq!(own.len(), expected.len());
        own.iter()
            .zip(expected)
            .for_each(|(own, expected)| assert_within(name, *own, expected, control::SUM_OF_FEW));
    }
    // The amounts of money are exact.
    assert_eq!(regrets.spent, numbers(&example["spent"]));
    let course = regrets.course(&regrets.simple).unwrap();
    assert_eq!(course.direction(), Direction::Minimize);
    let simple = |money| course.best_at(money, Interpolation::Steps);
    for (money, at) in
        [(0.0, 0), (0.1, 0), (0.15, 0), (0.2, 1), (0.4, 2), (1.3, 2), (1.4, 3), (9.0, 3)]
    {
        assert_eq!(simple(money), regrets.simple[at], "{money}");
    }
}

/// Added one by one, these payments miss 50 by some units of rounding, and each order gives another
/// sum. Here all orders give the same sum.
#[test]
fn money_does_not_drift() {
    let costs = |orders: [(f64, usize); 3]| {
        orders.into_iter().flat_map(|(cost, count)| vec![cost; count]).collect::<Vec<f64>>()
    };
    for orders in [
        [(0.1, 50), (0.2, 50), (1.0, 35)],
        [(1.0, 35), (0.2, 50), (0.1, 50)],
        [(0.2, 50), (0.1, 50), (1.0, 35)],
    ] {
        let costs = costs(orders);
        let regrets = Regrets::new(1.0, &vec![0.5; costs.len()], &costs).unwrap();
        assert_eq!(regrets.spent.last(), Some(&50.0), "{orders:?}");
        assert!(regrets.spent.windows(2).all(|pair| pair[0] < pair[1]));
    }
    assert_eq!(Regrets::new(1.0, &[0.0; 3], &[0.1; 3]).unwrap().spent, [0.1, 0.2, 0.3]);
}

fn course(marks: &[(f64, f64)]) -> Course {
    let mark = |(adaptive, &(spent, best)): (usize, &(f64, f64))| Mark { adaptive, spent, best };
    Course::new(Direction::Minimize, marks.iter().enumerate().map(mark).collect()).unwrap()
}

/// `0.1 + 0.2` is not `0.3` in doubles, but it is the same amount of money. The first run has its
/// first regret before it pays. The second run keeps its last regret. Payments beyond the limit do
/// not count.
#[test]
fn runs_are_steps_over_the_amounts_of_all() {
    let courses =
        [course(&[(0.3, 4.0), (1.0, 2.0), (3.0, 0.5)]), course(&[(0.1, 8.0), (0.1 + 0.2, 6.0)])];
    let steps = over_money(&courses, 2.0, Divisor::Sample).unwrap();
    let means: Vec<(f64, f64)> =
        steps.iter().map(|(money, summary)| (*money, summary.mean)).collect();
    assert_eq!(means, [(0.1, 6.0), (0.3, 5.0), (1.0, 4.0), (2.0, 4.0)]);
    // The two runs deviate from their mean by 2 in both directions: 8 over the divisor, over two
    // runs.
    for (divisor, squares) in [(Divisor::Sample, 8.0), (Divisor::Population, 4.0)] {
        let (_, summary) = over_money(&courses, 2.0, divisor).unwrap()[2];
        assert_within(
            "two standard errors",
            summary.two_standard_errors.unwrap(),
            2.0 * f64::sqrt(squares / 2.0),
            control::SUM_OF_FEW,
        );
    }
    // A payment that ends exactly at the limit counts.
    assert_eq!(
        over_money(&courses[..1], 3.0, Divisor::Sample)
            .unwrap()
            .last()
            .map(|(_, summary)| summary.mean),
        Some(0.5)
    );
    assert_eq!(
        over_money(&courses, f64::NAN, Divisor::Sample).unwrap_err().kind(),
        ErrorKind::InvalidSetting
    );
    assert_eq!(over_money(&[], 2.0, Divisor::Sample).unwrap_err().kind(), ErrorKind::Empty);
}

#[test]
fn what_makes_no_regret_is_named() {
    for (best, values, costs, kind, culprit) in [
        (1.0, vec![], vec![], ErrorKind::Empty, "evaluation"),
        (1.0, vec![0.0], vec![], ErrorKind::Dimension, "1 values and 0 costs"),
        (f64::NAN, vec![0.0], vec![1.0], ErrorKind::NonFinite, "best"),
        (1.0, vec![0.0, f64::NAN], vec![1.0, 1.0], ErrorKind::NonFinite, "value of evaluation 1"),
        (
            1.0,
            vec![0.0, 0.0],
            vec![1.0, f64::INFINITY],
            ErrorKind::NonFinite,
            "cost of evaluation 1",
        ),
        (1.0, vec![0.0, 0.0], vec![1.0, 0.0], ErrorKind::NonPositiveCost, "cost of evaluation 1"),
    ] {
        let error = Regrets::new(best, &values, &costs).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(culprit), "{error}");
    }
    let regrets = Regrets::new(1.0, &[0.0], &[1.0]).unwrap();
    assert_eq!(regrets.course(&[1.0, 2.0]).unwrap_err().kind(), ErrorKind::Dimension);
}
