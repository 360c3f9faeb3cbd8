//! Control sets against numpy and mpmath: laws, expected upper bounds, recommendations, selection
//! and schedules.

use gittins::data::ParameterKind;
use gittins::model::{Mean, Noise};
use gittins::{
    Acquisition, Cpu, GaussianProcess, Hyperparameters, KernelFamily, Outcome, Points, Pointwise,
    Posterior, Space,
};
use gittins_papers::control::internals::{
    BoundSets, ExpectedBound, Exploration, SetPurse, UnitLaw, expected, expected_mean, select,
};
use gittins_papers::control::{ControlSets, Law, Plays, Sampling, SubsetStudy};
use serde_json::Value;

use crate::support::control as allowed;
use crate::support::families::STATIONARY;
use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::assert_within;

fn scale_of(law: &UnitLaw) -> f64 {
    let UnitLaw::TruncatedNormal { scale, .. } = law else { panic!("{law:?}") };
    *scale
}

#[test]
fn laws_have_the_scales_and_quantiles_of_the_table() {
    for row in table("subsets")["truncated_normal"].as_array().unwrap() {
        let variance = number(&row["variance"]);
        let law = UnitLaw::with_variance(variance).unwrap();
        assert_eq!(
            Law::centered(variance).on(&ParameterKind::LogFloat { low: 1e-3, high: 1e2 }).unwrap(),
            law
        );
        let scale = number(&row["scale"]);
        assert_within(row, scale_of(&law), scale, allowed::SCALE_OF_LAW * scale);
        for (u, quantile) in numbers(&row["u"]).into_iter().zip(numbers(&row["quantiles"])) {
            assert_within(
                format!("{row} at {u}"),
                law.quantile(u),
                quantile,
                allowed::QUANTILE_OF_LAW,
            );
        }
    }
}

#[test]
fn any_law_has_its_quantiles_moments_and_factors() {
    let table = table("subset_laws");
    let rows = table["laws"].as_array().unwrap();
    assert_eq!(rows.len(), 9);
    for row in rows {
        let (mean, scale) = (number(&row["mean"]), number(&row["scale"]));
        let law = UnitLaw::TruncatedNormal { mean, scale };
        for pair in row["quantiles"].as_array().unwrap() {
            let [u, quantile] = numbers(pair)[..] else { panic!("{pair}") };
            assert_within(
                format!("N({mean}, {scale}) at {u}"),
                law.quantile(u),
                quantile,
                allowed::ANY_QUANTILE,
            );
        }
        for triple in row["factors"].as_array().unwrap() {
            let [z, lengthscale, factor] = numbers(triple)[..] else { panic!("{triple}") };
            let what = format!("N({mean}, {scale}), {z} {lengthscale}");
            assert_within(
                what,
                law.expected_factor(z, lengthscale),
                factor,
                allowed::expected_factor(factor, lengthscale),
            );
        }
        // The draws are the midpoints of equal shares of the probability.
        let draws: Vec<f64> = (0..allowed::SHARES)
            .map(|k| law.quantile((k as f64 + 0.5) / allowed::SHARES as f64))
            .collect();
        let share = 1.0 / draws.len() as f64;
        let first = share * draws.iter().sum::<f64>();
        let second = share * draws.iter().map(|x| (x - first).powi(2)).sum::<f64>();
        assert_within(
            format!("N({mean}, {scale}) mean"),
            first,
            number(&row["expectation"]),
            allowed::MOMENT_BY_SHARES,
        );
        assert_within(
            format!("N({mean}, {scale}) variance"),
            second,
            number(&row["variance"]),
            allowed::MOMENT_BY_SHARES,
        );
    }
    for triple in table["uniform_factors"].as_array().unwrap() {
        let [z, lengthscale, factor] = numbers(triple)[..] else { panic!("{triple}") };
        assert_within(
            triple,
            UnitLaw::Uniform.expected_factor(z, lengthscale),
            factor,
            allowed::expected_factor(factor, lengthscale),
        );
    }
    // The factor by its definition.
    let values = [0.2, 0.35, 0.35, 0.9];
    let law = UnitLaw::Samples(values.to_vec().into());
    let by_hand = |z: f64, l: f64| {
        values.iter().map(|x| (-(x - z) * (x - z) / (2.0 * l * l)).exp()).sum::<f64>() / 4.0
    };
    for (z, l) in [(0.0, 0.1), (0.35, 1e-3), (0.4, 1e3)] {
        assert_within(
            format!("{z} {l}"),
            law.expected_factor(z, l),
            by_hand(z, l),
            allowed::expected_factor(by_hand(z, l), l),
        );
    }
    // The law is so flat that in doubles its density is the same at both ends.
    let flat = UnitLaw::TruncatedNormal { mean: 0.3, scale: 1e200 };
    for u in [0.0, 1e-9, 0.2, 0.5, 0.9, 1.0] {
        assert_within(u, flat.quantile(u), u, allowed::ANY_QUANTILE);
        let uniform = UnitLaw::Uniform.expected_factor(u, 0.3);
        assert_within(
            u,
            flat.expected_factor(u, 0.3),
            uniform,
            allowed::expected_factor(uniform, 0.3),
        );
    }
    assert_eq!(
        [0.0, 0.24, 0.25, 0.74, 0.75, 1.0].map(|u| law.quantile(u)),
        [0.2, 0.2, 0.35, 0.35, 0.9, 0.9]
    );
    assert_eq!([0.0, 0.3, 1.0].map(|u| UnitLaw::Uniform.quantile(u)), [0.0, 0.3, 1.0]);
}

/// The law of ln X, and the law of a whole number, is the law of the table in the unit coordinate.
#[test]
fn laws_follow_the_scale_of_their_variable() {
    let space = Space::new()
        .log_float("log", 1e-3, 1e2)
        .float("plain", -2.0, 6.0)
        .int("whole", 3, 12)
        .float("set", 0.0, 1.0);
    let width = 1e5f64.ln();
    let laws = [("log", 0.4, width), ("plain", 0.4, 8.0), ("whole", 0.42, 10.0)];
    let sets = laws
        .iter()
        .zip([1e-3 * (0.4 * width).exp(), 1.2, 6.7])
        .fold(ControlSets::new(), |sets, (&(name, _, width), mean)| {
            sets.law(name, Law::normal(mean, 0.3 * width))
        });
    let bound = sets.set("set", ["set"], 1.0).on(&space).unwrap();
    for (k, (name, mean, width)) in laws.into_iter().enumerate() {
        let Some(UnitLaw::TruncatedNormal { mean: unit, scale }) = bound.laws()[k] else {
            panic!("{name}")
        };
        let relative = allowed::IN_UNITS;
        assert_within(name, unit, mean, relative);
        assert_within(name, scale, 0.3, relative * 0.3 * width);
    }
    let measured = ControlSets::new().law("log", Law::samples(vec![1e2, 1e-3, 10f64.powf(-0.5)]));
    let measured = measured
        .law("plain", Law::Uniform)
        .law("whole", Law::samples(vec![12.0, 3.0]))
        .set("set", ["set"], 1.0);
    let bound = measured.on(&space).unwrap();
    let Some(UnitLaw::Samples(log)) = &bound.laws()[0] else { panic!() };
    let Some(UnitLaw::Samples(whole)) = &bound.laws()[2] else { panic!() };
    assert_eq!((log[0], log[2], &whole[..]), (0.0, 1.0, &[0.05, 0.95][..]));
    assert_within("the middle", log[1], 0.5, allowed::IN_UNITS);
}

/// A study whose one controlled variable is a whole number.
fn lattice(table: &Value, family: KernelFamily, laws: [Law; 2], samples: usize) -> SubsetStudy {
    let process = &table["process"];
    let [outputscale, noise, mean] =
        ["outputscale", "noise", "mean"].map(|name| number(&process[name]));
    let space = Space::new().int("a", 0, 3).float("b", 0.0, 1.0).float("c", 0.0, 1.0);
    let [b, c] = laws;
    let sets = ControlSets::new().set("one", ["a"], 1.0).law("b", b).law("c", c);
    let model = GaussianProcess::new()
        .kernel(family)
        .fixed_kernel(numbers(&process["lengthscales"]), outputscale);
    let model = model.noise(Noise::Fixed(noise)).mean(Mean::Fixed(mean));
    let mut study = SubsetStudy::maximize(space, sets)
        .model(model)
        .standardize(false)
        .initial(0)
        .samples(samples)
        .build()
        .unwrap();
    for (input, outcome) in
        process["inputs"].as_array().unwrap().iter().zip(numbers(&process["outcomes"]))
    {
        study.import(&numbers(input), Outcome::new(outcome)).unwrap();
    }
    study
}

/// The expected outcome of the best of four choices, the model's uncertainty about it, and the
/// spread of single outcomes.
#[test]
fn recommendations_say_what_to_expect_and_how_sure_that_is() {
    let table = table("subset_laws");
    let process = &table["process"];
    let (n, outputscale, noise) = (
        numbers(&process["outcomes"]).len(),
        number(&process["outputscale"]),
        number(&process["noise"]),
    );
    for family in STATIONARY {
        let name = format!("{family:?}").to_lowercase();
        let samples = table["samples"].as_array().unwrap();
        let normals = table["normals"].as_array().unwrap();
        let laws = [0, 1].map(|k| Law::samples(numbers(&samples[k])));
        let densities =
            [0, 1].map(|k| Law::normal(numbers(&normals[k])[0], numbers(&normals[k])[1]));
        // Among 2^k quasi-random draws every value of the samples comes equally often.
        for (laws, rows, by_samples) in [
            (laws, &table["by_samples"][&name], true),
            (densities, &table["by_normals"][&name], false),
        ] {
            let Some(rows) = rows.as_array() else { continue };
            let best = (0..4)
                .reduce(|a, b| {
                    if number(&rows[b]["expected"]) > number(&rows[a]["expected"]) { b } else { a }
                })
                .unwrap();
            let [expected, error, spread] =
                ["expected", "error", "spread"].map(|name| number(&rows[best][name]));
            let advice = lattice(&table, family, laws, 1024).recommendation().unwrap().unwrap();
            assert_eq!(
                (advice.set, advice.name.as_str(), advice.cost, &advice.values[..]),
                (0, "one", 1.0, &[best as f64][..])
            );
            let sampled = if by_samples { 0.0 } else { allowed::quasi_random_mean(256) };
            let what = format!("{family:?}, by samples: {by_samples}");
            let of = |value: f64| allowed::deviation(n, (outputscale, noise), value);
            assert_within(
                format!("{what}, expected"),
                advice.expected,
                expected,
                allowed::advice(n, outputscale, noise) + sampled,
            );
            assert_within(
                format!("{what}, error"),
                advice.error,
                error,
                of(error) + sampled * error,
            );
            assert_within(
                format!("{what}, spread"),
                advice.spread,
                spread,
                of(spread) + sampled * spread,
            );
        }
    }
}

/// The small posterior of the table.
fn posterior(setup: &Value) -> Posterior {
    let inputs =
        Points::from_rows(3, setup["X"].as_array().unwrap().iter().flat_map(numbers).collect())
            .unwrap();
    let hyperparameters = Hyperparameters {
        lengthscales: vec![0.35; 3],
        outputscale: 1.0,
        noise: number(&setup["noise"]),
        mean: 0.0,
    };
    Posterior::new(KernelFamily::Rbf, &hyperparameters, &inputs, &numbers(&setup["y"])).unwrap()
}

fn sets() -> (Space, BoundSets) {
    let names = ["a", "b", "c"];
    let space = names.iter().fold(Space::new(), |space, name| space.float(*name, 0.0, 1.0));
    let laws =
        names.iter().fold(ControlSets::new(), |sets, name| sets.law(*name, Law::centered(0.04)));
    let all = [vec![0], vec![1], vec![0, 2], vec![1, 2], vec![0, 1, 2]];
    let sets = all
        .iter()
        .fold(laws, |sets, set| sets.set(format!("{set:?}"), set.iter().map(|&k| names[k]), 1.0));
    let bound = sets.on(&space).unwrap();
    (space, bound)
}

#[test]
fn expected_upper_bounds_match_the_table_in_both_forms() {
    let table = table("subsets");
    let setup = &table["expected_ucb_setup"];
    let posterior = posterior(setup);
    let beta = number(&setup["beta"]);
    let samples = Points::from_rows(
        3,
        setup["samples"].as_array().unwrap().iter().flat_map(numbers).collect(),
    )
    .unwrap();
    let (_, sets) = sets();
    let rows = table["expected_ucb"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    for row in rows {
        let control: Vec<usize> =
            numbers(&row["control"]).into_iter().map(|k| k as usize).collect();
        let set = sets.sets().iter().find(|set| set.controlled == control).unwrap();
        let query = numbers(&row["x_control"]);
        let queries = Points::from_rows(control.len(), query.clone()).unwrap();
        let factorized = ExpectedBound::new(&posterior, set, &samples, beta).unwrap();
        let ours = factorized.evaluate(&queries, true).unwrap();
        let acquisition =
            Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: beta * beta });
        let general = expected(
            &Cpu,
            &posterior,
            &acquisition,
            &[set],
            &samples,
            std::slice::from_ref(&queries),
            true,
        )
        .unwrap()
        .remove(0);
        for found in [&ours, &general] {
            assert_within(
                row,
                found.value[0],
                number(&row["expected_ucb_16_samples"]),
                allowed::TABLE,
            );
            for (got, slope) in found.gradient.iter().zip(numbers(&row["gradient"])) {
                assert_within(format!("{row} slope"), *got, slope, allowed::TABLE_SLOPE);
            }
        }
        let exact = expected_mean(&posterior, set, sets.laws(), &query).unwrap();
        assert_within(
            format!("{row} mean"),
            exact,
            number(&row["mean_part_exact"]),
            allowed::TABLE,
        );
        let mean = ExpectedBound::new(&posterior, set, &samples, 0.0)
            .unwrap()
            .evaluate(&queries, false)
            .unwrap();
        assert_within(
            format!("{row} sampled mean"),
            mean.value[0],
            number(&row["mean_part_16_samples"]),
            allowed::TABLE,
        );
        if let Some(reference) = row.get("expected_ucb_reference") {
            const MANY: usize = 1 << 14;
            let many = sets.samples(MANY, Sampling::QuasiRandom, 3);
            let bound = ExpectedBound::new(&posterior, set, &many, beta)
                .unwrap()
                .evaluate(&queries, false)
                .unwrap();
            assert_within(
                format!("{row} reference"),
                bound.value[0],
                number(reference),
                allowed::quasi_random_mean(MANY),
            );
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
            _ => Plays::MostExpensive(4.0),
        };
        let budget = number(&row["budget"]);
        let (mut exploration, mut purse, mut counts) =
            (Exploration::new(&costs, plays), SetPurse::default(), [0.0; 3]);
        loop {
            let cost = exploration.turn().map_or(1.0, |(cost, _)| cost);
            if !purse.affords(cost, budget) {
                break;
            }
            exploration.use_up(cost);
            purse.pay(cost);
            counts[costs.iter().position(|other| *other == cost).unwrap()] += 1.0;
        }
        assert_eq!(counts.to_vec(), numbers(&row["evaluations_per_group"]), "{row}");
    }
}

/// The unit of the costs does not matter: exploring is worth a number of plays of the dearest set.
#[test]
fn exploring_does_not_depend_on_the_unit_of_money() {
    for unit in [1e-6, 0.01, 1.0, 100.0, 3e7] {
        let costs = [0.1, 0.8, 0.1, 1.0].map(|cost| unit * cost);
        let mut exploration = Exploration::new(&costs, Plays::MostExpensive(4.0));
        let mut plays = Vec::new();
        while let Some(turn) = exploration.turn() {
            plays.push(turn.0);
            exploration.use_up(turn.0);
        }
        assert_eq!(
            (plays.len(), plays.iter().filter(|cost| **cost == costs[0]).count()),
            (45, 40),
            "{unit}"
        );
    }
    assert_eq!(Exploration::new(&[2.0, 2.0], Plays::MostExpensive(4.0)).turn(), None);
}
