//! Control sets against numpy: laws, expected upper bounds, selection and schedules.

use gittins::subsets::{
    BoundSets, ControlSets, ExpectedBound, Exploration, Law, Plays, Purse, Sampling, UnitLaw, expected, expected_mean, select,
};
use gittins::{Acquisition, Cpu, Hyperparameters, KernelFamily, Points, Posterior, Space};
use serde_json::Value;

use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::assert_within;

fn scale_of(law: &UnitLaw) -> f64 {
    let UnitLaw::TruncatedNormal { scale, .. } = law else { panic!("{law:?}") };
    *scale
}

#[test]
fn laws_have_the_scales_and_quantiles_of_the_table() {
    for row in table("subsets")["truncated_normal"].as_array().unwrap() {
        let law = UnitLaw::with_variance(number(&row["variance"])).unwrap();
        let scale = number(&row["scale"]);
        assert_within(row, scale_of(&law), scale, 1e-11 * scale);
        for (u, quantile) in numbers(&row["u"]).into_iter().zip(numbers(&row["quantiles"])) {
            assert_within(format!("{row} at {u}"), law.quantile(u), quantile, 1e-11);
        }
    }
}

/// The small posterior of the table.
fn posterior(setup: &Value) -> Posterior {
    let inputs = Points::from_rows(3, setup["X"].as_array().unwrap().iter().flat_map(numbers).collect()).unwrap();
    let hyperparameters = Hyperparameters { lengthscales: vec![0.35; 3], outputscale: 1.0, noise: number(&setup["noise"]), mean: 0.0 };
    Posterior::new(KernelFamily::Rbf, &hyperparameters, &inputs, &numbers(&setup["y"])).unwrap()
}

fn sets() -> (Space, BoundSets) {
    let names = ["a", "b", "c"];
    let space = names.iter().fold(Space::new(), |space, name| space.float(*name, 0.0, 1.0));
    let UnitLaw::TruncatedNormal { mean, scale } = UnitLaw::with_variance(0.04).unwrap() else { unreachable!() };
    let laws = names.iter().fold(ControlSets::new(), |sets, name| sets.law(*name, Law::normal(mean, scale)));
    let all = [vec![0], vec![1], vec![0, 2], vec![1, 2], vec![0, 1, 2]];
    let sets = all.iter().fold(laws, |sets, set| sets.set(format!("{set:?}"), set.iter().map(|&k| names[k]), 1.0));
    let bound = sets.on(&space).unwrap();
    (space, bound)
}

#[test]
fn expected_upper_bounds_match_the_table_in_both_forms() {
    let table = table("subsets");
    let setup = &table["expected_ucb_setup"];
    let posterior = posterior(setup);
    let beta = number(&setup["beta"]);
    let samples = Points::from_rows(3, setup["samples"].as_array().unwrap().iter().flat_map(numbers).collect()).unwrap();
    let (_, sets) = sets();
    let rows = table["expected_ucb"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    for row in rows {
        let control: Vec<usize> = numbers(&row["control"]).into_iter().map(|k| k as usize).collect();
        let set = sets.sets().iter().find(|set| set.controlled == control).unwrap();
        let query = numbers(&row["x_control"]);
        let queries = Points::from_rows(control.len(), query.clone()).unwrap();
        let factorized = ExpectedBound::new(&posterior, set, &samples, beta).unwrap();
        let ours = factorized.evaluate(&queries, true).unwrap();
        let acquisition = Acquisition::UpperConfidenceBound { beta: beta * beta };
        let general = expected(&Cpu, &posterior, &acquisition, (&[set], &samples), std::slice::from_ref(&queries), true).unwrap().remove(0);
        for found in [&ours, &general] {
            assert_within(row, found.value[0], number(&row["expected_ucb_16_samples"]), 1e-11);
            for (got, slope) in found.gradient.iter().zip(numbers(&row["gradient"])) {
                assert_within(format!("{row} slope"), *got, slope, 1e-8);
            }
        }
        let exact = expected_mean(&posterior, set, sets.laws(), &query).unwrap();
        assert_within(format!("{row} mean"), exact, number(&row["mean_part_exact"]), 1e-11);
        let mean = ExpectedBound::new(&posterior, set, &samples, 0.0).unwrap().evaluate(&queries, false).unwrap();
        assert_within(format!("{row} sampled mean"), mean.value[0], number(&row["mean_part_16_samples"]), 1e-11);
        if let Some(reference) = row.get("expected_ucb_reference") {
            // 2^14 Sobol points err by less than those of a plain sample, 3e-3 of a deviation, by far.
            let many = sets.samples(1 << 14, Sampling::QuasiRandom, 3);
            let bound = ExpectedBound::new(&posterior, set, &many, beta).unwrap().evaluate(&queries, false).unwrap();
            assert_within(format!("{row} reference"), bound.value[0], number(reference), 2e-4);
        }
    }
}

#[test]
fn sets_are_chosen_as_in_the_table() {
    for row in table("subsets")["selection"].as_array().unwrap() {
        let chosen = select(&numbers(&row["values"]), &numbers(&row["costs"]), number(&row["eps"]));
        assert_eq!(chosen, Some(number(&row["selected"]) as usize), "{row}");
    }
}

#[test]
fn schedules_play_as_often_as_in_the_table() {
    let rows = table("subsets")["etc_schedule"].clone();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 18);
    for row in rows {
        let costs = match row["costs"].as_str().unwrap() {
            "cheap" => [0.01, 0.1, 1.0],
            "moderate" => [0.1, 0.2, 1.0],
            _ => [0.6, 0.8, 1.0],
        };
        let plays = match row["variant"].as_str().unwrap() {
            "ETC-50" => Plays::Each(50),
            "ETC-100" => Plays::Each(100),
            _ => Plays::Money(4.0),
        };
        let budget = number(&row["budget"]);
        let (mut exploration, mut purse, mut counts) = (Exploration::new(&costs, plays), Purse::default(), [0.0; 3]);
        loop {
            let cost = exploration.turn().map_or(1.0, |(cost, _)| cost);
            if !purse.affords(cost, budget) {
                break;
            }
            exploration.play();
            purse.pay(cost);
            counts[costs.iter().position(|other| *other == cost).unwrap()] += 1.0;
        }
        assert_eq!(counts.to_vec(), numbers(&row["evaluations_per_group"]), "{row}");
    }
}
