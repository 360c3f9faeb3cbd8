//! Regret, money and hindsight of runs made by hand, and summaries against `NumPy`.

use gittins::data::Direction;
use gittins::study::Search;
use gittins::{ErrorKind, Outcome, Space, Study};
use gittins_papers::evaluation::{
    Course, Divisor, Hindsight, Interpolation, Mark, Summary, fixed_iteration, percentile,
};

use crate::support::golden;
use crate::support::runs::SUMMARY;
use crate::support::tolerance::assert_within;

fn found(hindsight: Hindsight) -> (usize, f64) {
    (hindsight.mark, hindsight.regret)
}

/// A course with marks after 0, 1, 2, ... suggested trials.
fn course(direction: Direction, marks: &[(f64, f64)]) -> Course {
    let mark = |(adaptive, &(spent, best)): (usize, &(f64, f64))| Mark { adaptive, spent, best };
    Course::new(direction, marks.iter().enumerate().map(mark).collect()).unwrap()
}

fn by_hand() -> Course {
    course(Direction::Minimize, &[(0.0, 8.0), (2.0, 5.0), (3.0, 5.0), (7.0, 2.0), (15.0, 1.5)])
}

#[test]
fn regrets_are_what_they_are_defined_to_be() {
    let course = by_hand();
    assert_eq!(course.simple_regret(1.0), [7.0, 4.0, 4.0, 1.0, 0.5]);
    assert_eq!(course.cost_adjusted_regret(1.0, 0.5), [7.0, 5.0, 5.5, 4.5, 8.0]);
    // An outcome better than the given optimum has a negative regret.
    assert_eq!(course.simple_regret(2.0)[4], -0.5);
    let mirrored = self::course(
        Direction::Maximize,
        &[(0.0, -8.0), (2.0, -5.0), (3.0, -5.0), (7.0, -2.0), (15.0, -1.5)],
    );
    assert_eq!(mirrored.cost_adjusted_regret(-1.0, 0.5), course.cost_adjusted_regret(1.0, 0.5));
}

#[test]
fn hindsight_is_the_least_and_may_stop_at_once() {
    let course = by_hand();
    assert_eq!(found(course.hindsight(1.0, 0.5)), (3, 4.5));
    assert_eq!(found(course.hindsight(1.0, 10.0)), (0, 7.0));
    assert_eq!(found(course.hindsight(1.0, 0.0)), (4, 0.5));
    // At price zero marks 1 and 2 are equal. The first one counts.
    assert_eq!(
        self::course(Direction::Minimize, &[(0.0, 8.0), (2.0, 5.0), (3.0, 5.0)])
            .hindsight(0.0, 0.0)
            .mark,
        1
    );
    // A mark without any outcome has an infinite regret.
    let nothing = self::course(Direction::Minimize, &[(0.0, f64::INFINITY), (1.0, 3.0)]);
    assert_eq!(found(nothing.hindsight(0.0, 1e-3)), (1, 3.001));
}

#[test]
fn one_iteration_for_all_runs_is_where_their_mean_is_least() {
    let curves =
        vec![vec![4.0, 2.0, 1.0, 9.0, 0.0], vec![4.0, 1.0, 6.0, 7.0], vec![4.0, 6.0, 2.0, 1.0]];
    // The means are 4, 3, 3, 17/3. The last mark of the first run lies beyond the ends of the
    // others.
    assert_eq!(found(fixed_iteration(&curves).unwrap()), (1, 3.0));
    for curves in [vec![], vec![vec![1.0], vec![]]] {
        assert_eq!(fixed_iteration(&curves).unwrap_err().kind(), ErrorKind::Empty);
    }
}

#[test]
fn best_value_against_money_in_steps_and_along_lines() {
    let course = by_hand();
    for (money, steps, linear) in [
        (-1.0, 8.0, 8.0),
        (0.0, 8.0, 8.0),
        (1.0, 8.0, 6.5),
        (2.0, 5.0, 5.0),
        (2.5, 5.0, 5.0),
        (4.0, 5.0, 4.25),
        (11.0, 2.0, 1.75),
        (15.0, 1.5, 1.5),
        (99.0, 1.5, 1.5),
    ] {
        assert_eq!(course.best_at(money, Interpolation::default()), steps, "{money}");
        assert_eq!(course.best_at(money, Interpolation::Linear), linear, "{money}");
    }
    // If marks have the same money, the last one counts. A line cannot start from an unknown
    // outcome.
    let twice = self::course(
        Direction::Maximize,
        &[(0.0, f64::NEG_INFINITY), (1.0, 2.0), (1.0, 3.0), (2.0, 5.0)],
    );
    assert_eq!(twice.best_at(1.0, Interpolation::Linear), 3.0);
    assert_eq!(twice.best_at(1.5, Interpolation::Linear), 4.0);
    assert_eq!(twice.best_at(0.5, Interpolation::Linear), f64::NEG_INFINITY);
}

#[test]
fn a_course_counts_the_suggested_trials_alone() {
    let mut study = Study::maximize(Space::new().float("x", 0.0, 1.0))
        .initial(2)
        .search(Search::new(16, 2))
        .build()
        .unwrap();
    study.import(&[0.9], Outcome::new(1.0).cost(100.0)).unwrap();
    let design = study.ask().unwrap();
    study.tell(design.id(), Outcome::new(2.0).cost(50.0)).unwrap();
    for (value, cost) in [(Some(1.5), 3.0), (None, 0.5), (Some(4.0), 2.0)] {
        let ask = study.ask().unwrap();
        let outcome = value.map_or_else(Outcome::failed, Outcome::new).cost(cost);
        study.tell(ask.id(), outcome).unwrap();
    }
    study.import(&[0.1], Outcome::new(7.0).cost(9.0)).unwrap();
    let record = study.record();
    let marks = |course: &Course| {
        course.marks().iter().map(|mark| (mark.adaptive, mark.spent, mark.best)).collect::<Vec<_>>()
    };
    let course = Course::of(&record).unwrap();
    assert_eq!(
        marks(&course),
        [(0, 0.0, 2.0), (1, 3.0, 2.0), (2, 3.5, 2.0), (3, 5.5, 4.0), (3, 5.5, 7.0)]
    );
    // The same choices with another measure of outcome and of cost.
    let measured = Course::measured(
        &record,
        |row| -row.outcome.unwrap() - 10.0,
        |row| row.cost.map(|cost| 2.0 * cost),
    )
    .unwrap();
    assert_eq!(
        marks(&measured),
        [(0, 0.0, -12.0), (1, 6.0, -12.0), (2, 7.0, -12.0), (3, 11.0, -14.0), (3, 11.0, -17.0)]
    );
}

#[test]
fn marks_that_make_no_course_are_refused() {
    let refused = |marks: &[(usize, f64, f64)]| {
        let marks =
            marks.iter().map(|&(adaptive, spent, best)| Mark { adaptive, spent, best }).collect();
        Course::new(Direction::Minimize, marks).unwrap_err()
    };
    assert_eq!(refused(&[]).kind(), ErrorKind::Empty);
    for marks in [
        &[(0, 1.0, 0.0), (1, 0.5, 0.0)][..],
        &[(2, 1.0, 0.0), (1, 2.0, 0.0)],
        &[(0, 0.0, 0.0), (1, f64::NAN, 0.0)],
    ] {
        let error = refused(marks);
        assert_eq!(
            (error.kind(), error.to_string().starts_with("mark 1: ")),
            (ErrorKind::InvalidSetting, true),
            "{error}"
        );
    }
    for marks in [&[(0, -1.0, 0.0)], &[(0, f64::INFINITY, 0.0)], &[(0, 0.0, f64::NAN)]] {
        assert!(refused(marks).to_string().starts_with("mark 0: "));
    }
    let study = Study::minimize(Space::new().float("x", 0.0, 1.0)).build().unwrap();
    assert_eq!(Course::of(&study.record()).unwrap_err().kind(), ErrorKind::Empty);
}

#[test]
fn summaries_agree_with_numpy() {
    for row in golden::table("percentiles").as_array().unwrap() {
        let values = golden::numbers(&row["values"]);
        let largest = values.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let bound = SUMMARY * values.len() as f64 * largest;
        let percents = golden::numbers(&row["percents"]);
        let expected = golden::numbers(&row["percentiles"]);
        for (percent, expected) in percents.iter().zip(&expected) {
            assert_within(
                format_args!("{percent} % of {}", values.len()),
                percentile(&values, *percent).unwrap(),
                *expected,
                bound,
            );
        }
        for (k, divisor) in [Divisor::Sample, Divisor::Population].into_iter().enumerate() {
            let summary = Summary::of(&values, divisor).unwrap();
            assert_eq!(summary.count, values.len());
            assert_within("lower quartile", summary.lower_quartile, expected[2], bound);
            assert_within("median", summary.median, expected[4], bound);
            assert_within("upper quartile", summary.upper_quartile, expected[5], bound);
            assert_within("mean", summary.mean, golden::number(&row["mean"]), bound);
            match (summary.two_standard_errors, row["two_standard_errors"][k].as_f64()) {
                (Some(got), Some(expected)) => {
                    assert_within("two standard errors", got, expected, bound);
                }
                (got, expected) => assert_eq!(got, expected),
            }
        }
    }
}

#[test]
fn summaries_refuse_what_has_no_order() {
    assert_eq!(Summary::of(&[], Divisor::Sample).unwrap_err().kind(), ErrorKind::Empty);
    let error = percentile(&[1.0, f64::NAN], 50.0).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::NonFinite, "number 1 is NaN")
    );
    for percent in [-0.1, 100.1, f64::NAN] {
        assert_eq!(percentile(&[1.0], percent).unwrap_err().kind(), ErrorKind::InvalidSetting);
    }
    // Infinite regrets of some runs do not change the median of many.
    let summary =
        Summary::of(&[1.0, 2.0, 3.0, f64::INFINITY, f64::INFINITY], Divisor::Sample).unwrap();
    assert_eq!(
        (summary.median, summary.upper_quartile, summary.mean),
        (3.0, f64::INFINITY, f64::INFINITY)
    );
}
