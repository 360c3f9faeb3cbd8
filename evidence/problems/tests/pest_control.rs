//! Pest control against values of the published benchmark.

use gittins_problems::PestControl;

use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::simulators as tolerance;

#[test]
fn scores_and_prices_agree_with_the_table() {
    let golden = table("simulators");
    let rows = golden["pest_control"].as_array().unwrap();
    assert_eq!(rows.len(), 15);
    for row in rows {
        let policy = numbers(&row["policy"]);
        let got = PestControl.evaluate(&policy);
        for (got, expected) in [(got.score, &row["score_to_minimise"]), (got.price, &row["price"])]
        {
            assert!(
                (got - number(expected)).abs() <= tolerance::PEST_CONTROL,
                "{policy:?}: {got} instead of {expected}"
            );
        }
        assert_eq!(PestControl.price(&policy), got.price);
        let unit: Vec<f64> = policy.iter().map(|choice| (choice + 0.3) / 5.0).collect();
        assert_eq!(PestControl.evaluate_unit(&unit), got);
    }
}

#[test]
fn known_policies_have_their_known_scores() {
    let constant = |choice: f64| vec![choice; PestControl.dim()];
    for (choice, score) in [(0.0, 21.95), (1.0, 20.02), (2.0, 14.03), (3.0, 12.28), (4.0, 12.52)] {
        let got = PestControl.evaluate(&constant(choice)).score;
        assert!((got - score).abs() <= tolerance::TWO_DECIMALS, "{choice}: {got}");
    }
    let in_turn: Vec<f64> = (0..PestControl.dim()).map(|stage| (stage % 5) as f64).collect();
    assert!((PestControl.evaluate(&in_turn).score - 18.72).abs() <= tolerance::TWO_DECIMALS);
}

/// By hand: 24 uses of pesticide 3 cost `24 * 0.7 (1 - 0.3 * 24/25) = 11.9616`, and 3 of 100
/// simulations start above a tenth.
#[test]
fn no_single_change_improves_the_best_known_policy() {
    let mut policy = vec![3.0; PestControl.dim()];
    policy[24] = 0.0;
    let best = PestControl.evaluate(&policy).score;
    assert!((best - 11.9916).abs() <= tolerance::PEST_CONTROL, "{best}");
    for stage in 0..policy.len() {
        for choice in 0..5 {
            let mut other = policy.clone();
            other[stage] = f64::from(choice);
            assert!(
                PestControl.evaluate(&other).score >= best || other == policy,
                "{choice} at stage {stage}"
            );
        }
    }
}

#[test]
fn choices_beyond_the_range_count_as_its_ends() {
    let mut wild = vec![2.0; PestControl.dim()];
    wild[..7].copy_from_slice(&[
        f64::NAN,
        -3.0,
        f64::NEG_INFINITY,
        4.9,
        1e300,
        f64::INFINITY,
        2.999,
    ]);
    let mut tame = vec![2.0; PestControl.dim()];
    tame[..6].copy_from_slice(&[0.0, 0.0, 0.0, 4.0, 4.0, 4.0]);
    assert_eq!(PestControl.evaluate(&wild), PestControl.evaluate(&tame));
    let free = PestControl.evaluate_unit(&[0.0; 25]);
    assert_eq!(free.price, 0.0);
    let mut cheapest = vec![0.0; PestControl.dim()];
    cheapest[9] = 4.0;
    assert!(PestControl::COST_FLOOR < PestControl.price(&cheapest));
}

#[test]
#[should_panic(expected = "as many choices as there are stages")]
fn another_number_of_stages_is_refused() {
    PestControl.evaluate(&[0.0; 24]);
}
