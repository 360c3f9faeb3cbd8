//! The index of a run in stages against quadrature outside the crate, and against what is known of
//! it.

use gittins::acquisition::{Belief, PointBeliefCost, Stage, staged_offset};
use gittins::internals::{staged_bounds, staged_offset_with_slopes};
use gittins::{Acquisition, ErrorKind, Pointwise};
use serde_json::Value;

use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::{
    INDEX_ROOT, STAGED_DIFFERENCE, STAGED_OFFSET, STAGED_SLOPE, STAGED_STEP, assert_within,
};

fn stages(row: &Value) -> Vec<Stage> {
    let [sds, prices, survivals] = ["sds", "prices", "survivals"].map(|name| numbers(&row[name]));
    let stage = |((sd, price), survival)| Stage { survival, ..Stage::new(sd, price) };
    sds.into_iter().zip(prices).zip(survivals).map(stage).collect()
}

fn rows() -> Vec<Value> {
    let Value::Array(rows) = table("staged") else { panic!("rows are expected") };
    rows
}

#[test]
fn offsets_match_the_table() {
    for row in rows() {
        let offset = staged_offset(&stages(&row)).unwrap();
        assert_within(&row, offset, number(&row["offset"]), STAGED_OFFSET);
    }
}

#[test]
fn bounds_hold() {
    for row in rows() {
        let [low, high] = staged_bounds(&stages(&row)).unwrap();
        let offset = number(&row["offset"]);
        assert!(low <= offset + STAGED_OFFSET && offset <= high + STAGED_OFFSET, "{row}");
    }
}

#[test]
fn one_stage_is_a_whole_run() {
    for price in [1e-9, 3e-5, 0.01, 0.3, 2.0, 40.0] {
        let whole = Acquisition::Pointwise(Pointwise::Gittins { lambda: 1.0 });
        let belief = Belief { mean: 0.3, sd: 0.7, cost: PointBeliefCost::Known(price) };
        let score = whole.pointwise().unwrap().score(0.0, &belief);
        let staged = staged_offset_with_slopes(&[Stage::new(0.7, price)]).unwrap();
        let size = 1.0 + score.value.abs();
        assert_within(price, 0.3 + staged.value, score.value, 4.0 * INDEX_ROOT * size);
        let slope = staged.by_stage[0];
        assert_within(price, slope.sd, score.d_sd, STAGED_SLOPE * score.d_sd);
        // The index moves with the logarithm of the cost.
        let by_log = price * slope.price;
        assert_within(price, by_log, score.d_log_cost, STAGED_SLOPE * by_log.abs());
    }
}

/// All slopes are those of differences, by the logarithms of what they belong to.
#[test]
fn slopes_match_differences() {
    for row in rows().iter().step_by(3) {
        let stages = stages(row);
        let slopes = staged_offset_with_slopes(&stages).unwrap();
        assert_eq!(slopes.value, staged_offset(&stages).unwrap(), "{row}");
        for (k, slope) in slopes.by_stage.iter().enumerate() {
            // A chance cannot exceed one: all steps go down.
            let difference = |part: fn(&mut Stage) -> &mut f64| {
                let at = |steps: f64| {
                    let mut stages = stages.clone();
                    *part(&mut stages[k]) *= (-steps * STAGED_STEP).exp();
                    staged_offset(&stages).unwrap()
                };
                let [a, b, c, d, e] = [0.0, 1.0, 2.0, 3.0, 4.0].map(at);
                (25.0 * a - 48.0 * b + 36.0 * c - 16.0 * d + 3.0 * e) / (12.0 * STAGED_STEP)
            };
            let Stage { sd, price, survival } = stages[k];
            for (name, slope, difference) in [
                ("sd", sd * slope.sd, difference(|stage| &mut stage.sd)),
                ("price", price * slope.price, difference(|stage| &mut stage.price)),
                ("survival", survival * slope.survival, difference(|stage| &mut stage.survival)),
            ] {
                let bound = STAGED_DIFFERENCE * (1.0 + difference.abs());
                assert_within(format!("{row} stage {k} {name}"), slope, difference, bound);
            }
        }
    }
}

/// `h(a s, a p) = a h(s, p)`.
#[test]
fn units_do_not_matter() {
    for row in rows().iter().step_by(7) {
        let stages = stages(row);
        let offset = staged_offset(&stages).unwrap();
        for unit in [1e-12, 0.3, 1e9] {
            let scaled: Vec<Stage> = stages
                .iter()
                .map(|stage| Stage { sd: unit * stage.sd, price: unit * stage.price, ..*stage })
                .collect();
            let got = staged_offset(&scaled).unwrap();
            assert_within(row, got, unit * offset, unit * STAGED_OFFSET);
        }
    }
}

/// A stage that tells nothing is a payment. At the end it belongs to the stage before it, and in
/// front of all others to the first.
#[test]
fn stages_that_tell_nothing_are_payments() {
    for price in [1e-4, 0.01, 0.2] {
        let plain = [Stage::new(0.8, 0.02 + price), Stage::new(0.6, 0.05)];
        let before = [Stage::new(0.0, price), Stage::new(0.8, 0.02), Stage::new(0.6, 0.05)];
        let [got, expected] = [&before[..], &plain].map(|stages| staged_offset(stages).unwrap());
        assert_within(price, got, expected, STAGED_OFFSET);
        let sure = [Stage::new(0.0, price), Stage::new(0.0, price)];
        assert_within(price, staged_offset(&sure).unwrap(), -2.0 * price, STAGED_OFFSET);
    }
}

#[test]
fn what_is_out_of_range_is_named() {
    let fine = Stage::new(1.0, 0.1);
    let refused = |stages: &[Stage]| staged_offset(stages).unwrap_err();
    assert_eq!(refused(&[]).kind(), ErrorKind::Empty);
    for (stage, what) in [
        (Stage::new(-1.0, 0.1), "deviation"),
        (Stage::new(f64::NAN, 0.1), "deviation"),
        (Stage::new(1.0, 0.0), "price"),
        (Stage::new(1.0, f64::INFINITY), "price"),
        (Stage { survival: 0.0, ..fine }, "survival"),
        (Stage { survival: 1.1, ..fine }, "survival"),
    ] {
        let error = refused(&[fine, stage]);
        assert_eq!(error.kind(), ErrorKind::InvalidSetting);
        let words = error.to_string();
        assert!(words.contains("stage 2") && words.contains(what), "{words}");
    }
}
