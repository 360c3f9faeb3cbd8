//! Estimated maxima, and the information that points bring about the maximum, against tables.
//! Scores along a posterior of four points.

use gittins::acquisition::MaximumEstimate;
use gittins::acquisition::{Belief, PointBeliefCost};
use gittins::internals::{
    IndependentMaximum, confidence_lambda, confidence_target, equivalent_lambda,
};
use gittins::{
    Acquisition, CostForm, ErrorKind, Hyperparameters, KernelFamily, Points, Pointwise, Policy,
    Posterior,
};
use serde_json::Value;

use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::{
    DERIVATIVE, ESTIMATE, FIGURE, GAIN, GAIN_SLOPE, SMALL_POSTERIOR, TABLE_IN_DOUBLE, assert_within,
};

const FREE: PointBeliefCost = PointBeliefCost::Known(1.0);
const CONSISTENT: MaximumEstimate = MaximumEstimate::ConsistentHalfGaussian { offset: 1.0 };

/// The place of the smallest `nu`.
fn pick(target: f64, mean: &[f64], sd: &[f64]) -> usize {
    let score = |i: usize| {
        let acquisition =
            Acquisition::Pointwise(Pointwise::EstimatedMaximum { maximum: target, noise: 0.0 });
        acquisition
            .pointwise()
            .unwrap()
            .score(0.0, &Belief { mean: mean[i], sd: sd[i], cost: FREE })
            .value
    };
    (0..mean.len()).max_by(|&i, &j| score(i).total_cmp(&score(j)).then(j.cmp(&i))).unwrap()
}

#[test]
fn estimates_match_the_table() {
    let table = table("estimation");
    let step = number(&table["m_hat"]["step"]);
    for row in table["m_hat"]["rows"].as_array().unwrap() {
        let (mean, sd, best) = (numbers(&row["mu"]), numbers(&row["sigma"]), number(&row["m0"]));
        let of = |estimate: MaximumEstimate| estimate.maximum(&mean, &sd, best).unwrap();
        let name = &row["name"];
        let left_sum = of(MaximumEstimate::LeftSum { step });
        assert_within(name, left_sum, number(&row["estn"]), TABLE_IN_DOUBLE);
        assert_eq!(left_sum, of(MaximumEstimate::NUMERICAL));
        let exact = number(&row["estn_exact_integral"]);
        assert_within(
            name,
            of(MaximumEstimate::Integral),
            exact,
            ESTIMATE * (exact - best) + 4.0 * f64::EPSILON * exact.abs(),
        );
        // If the second sample is zero, the table has no number, and the best outcome is used.
        let analytic =
            if row["esta_is_nan"].as_bool().unwrap() { best } else { number(&row["esta"]) };
        assert_within(name, of(MaximumEstimate::ANALYTIC), analytic, TABLE_IN_DOUBLE);
        // If the sample rounds to 1, the table has no consistent fit, and the widest fit is used:
        // 50 offsets.
        let widest = best + 50.0 * (std::f64::consts::PI / 2.0).sqrt() * number(&row["g_at_m0"]);
        let consistent = row["esta_consistent"].as_f64().unwrap_or(widest);
        assert_within(name, of(CONSISTENT), consistent, TABLE_IN_DOUBLE);
        let variables = IndependentMaximum::new(&mean, &sd).unwrap();
        for (level, field) in [(best, "g_at_m0"), (best + 1.0, "g_at_m0_plus_1")] {
            assert_within(
                name,
                variables.exceedance(level),
                number(&row[field]),
                f64::EPSILON * mean.len() as f64,
            );
        }
        // The probability of improvement and the confidence bound choose the same point.
        let lambda = equivalent_lambda(left_sum, &mean, &sd);
        assert_within(
            name,
            lambda,
            number(&row["lambda_for_estn"]),
            TABLE_IN_DOUBLE / sd.iter().copied().fold(f64::MAX, f64::min),
        );
        assert_within(
            name,
            confidence_target(&mean, &sd, lambda),
            left_sum,
            8.0 * f64::EPSILON * left_sum.abs().max(best.abs()),
        );
        assert_eq!(
            pick(left_sum, &mean, &sd) as u64,
            row["pick_for_estn"].as_u64().unwrap(),
            "{name}"
        );
        let bound = |i: usize| mean[i] + lambda * sd[i];
        let by_bound =
            (0..mean.len()).max_by(|&i, &j| bound(i).total_cmp(&bound(j)).then(j.cmp(&i))).unwrap();
        assert_eq!(by_bound as u64, row["ucb_pick_with_that_lambda"].as_u64().unwrap(), "{name}");
    }
}

#[test]
fn confidence_multipliers_match_the_table() {
    for row in table("estimation")["ucb_lambda"].as_array().unwrap() {
        let (size, t) =
            (row["size"].as_u64().unwrap() as usize, row["t"].as_u64().unwrap() as usize);
        let expected = number(&row["value"]);
        assert_within(
            row,
            confidence_lambda(size, t, number(&row["delta"])),
            expected,
            4.0 * f64::EPSILON * expected,
        );
    }
}

/// The posterior of the table's example without its linear mean. The slope is added to the answers.
struct Example {
    posterior: Posterior,
    best: f64,
}

const SLOPE: f64 = 0.1;

impl Example {
    fn new(example: &Value) -> Self {
        let (inputs, outcomes) = (numbers(&example["X"]), numbers(&example["y"]));
        let noise = number(&example["noise_sd"]).powi(2);
        let hyperparameters =
            Hyperparameters { lengthscales: vec![0.1], outputscale: 1.0, noise, mean: 1.0 };
        let residuals: Vec<f64> =
            inputs.iter().zip(&outcomes).map(|(x, y)| y - SLOPE * x).collect();
        let inputs = Points::from_rows(1, inputs).unwrap();
        let posterior =
            Posterior::new(KernelFamily::Matern32, &hyperparameters, &inputs, &residuals).unwrap();
        Self { posterior, best: outcomes.iter().copied().fold(f64::MIN, f64::max) }
    }

    /// Returns means and variances.
    fn moments(&self, points: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let moments =
            self.posterior.moments(&Points::from_rows(1, points.to_vec()).unwrap()).unwrap();
        (
            moments.mean.iter().zip(points).map(|(mean, x)| mean + SLOPE * x).collect(),
            moments.variance,
        )
    }
}

#[test]
fn estimates_along_a_posterior_match_the_table() {
    let table = table("estimation");
    let table = &table["gp_example"];
    let example = Example::new(table);
    assert_eq!(example.best, number(&table["m0"]));
    let grid: Vec<f64> = (0..201).map(|i| -2.0 + 4.0 * f64::from(i) / 200.0).collect();
    let (mean, variance) = example.moments(&grid);
    for (tag, noise) in [("latent", 0.0), ("predictive", 0.01)] {
        let expected = &table["results"][tag];
        let sd: Vec<f64> = variance.iter().map(|v| (v + noise).sqrt()).collect();
        let of = |estimate: MaximumEstimate| estimate.maximum(&mean, &sd, example.best).unwrap();
        let exact = number(&expected["estn_exact_integral"]);
        assert_within(
            tag,
            of(MaximumEstimate::Integral),
            exact,
            ESTIMATE * (exact - example.best) + SMALL_POSTERIOR,
        );
        let (numerical, analytic) = (of(MaximumEstimate::NUMERICAL), of(MaximumEstimate::ANALYTIC));
        assert_within(tag, numerical, number(&expected["estn"]), TABLE_IN_DOUBLE);
        assert_within(tag, analytic, number(&expected["esta"]), TABLE_IN_DOUBLE);
        for (rule, target) in
            [("pick_estn", numerical), ("pick_esta", analytic), ("pick_pi", example.best + 0.1)]
        {
            let expected = &expected[rule];
            assert_eq!(
                pick(target, &mean, &sd) as u64,
                expected["index"].as_u64().unwrap(),
                "{tag} {rule}"
            );
            assert_within(
                rule,
                equivalent_lambda(target, &mean, &sd),
                number(&expected["nu"]),
                1e2 * TABLE_IN_DOUBLE,
            );
        }
    }
    // The criterion and its gradient with the latent deviation.
    let target = number(&table["results"]["latent"]["estn"]);
    let points = numbers(&table["criterion_points"]);
    let moments = example
        .posterior
        .moments_with_gradients(&Points::from_rows(1, points.clone()).unwrap())
        .unwrap();
    for (i, x) in points.iter().enumerate() {
        let (mean, sd) = (moments.mean[i] + SLOPE * x, moments.variance[i].sqrt());
        let expected = |field: &str| numbers(&table[field])[i];
        assert_within(x, mean, expected("criterion_mean"), SMALL_POSTERIOR);
        assert_within(x, sd, expected("criterion_latent_sd"), SMALL_POSTERIOR / sd);
        let score = Pointwise::EstimatedMaximum { maximum: target, noise: 0.0 }
            .score(0.0, &Belief { mean, sd, cost: FREE });
        let off = SMALL_POSTERIOR / (sd * sd);
        assert_within(x, -score.value, expected("criterion"), off * (1.0 + score.value.abs()));
        let (mean_part, sd_part) = (
            score.d_mean * (moments.mean_gradient[i] + SLOPE),
            score.d_sd * moments.variance_gradient[i] / (2.0 * sd),
        );
        let size = mean_part.abs() + sd_part.abs() + expected("criterion_gradient").abs();
        assert_within(x, -(mean_part + sd_part), expected("criterion_gradient"), off * 10.0 * size);
    }
}

#[test]
fn information_matches_the_table() {
    let table = table("max_value_entropy");
    let entropy = |maxima: Vec<f64>| {
        Acquisition::Pointwise(Pointwise::MaxValueEntropy {
            maxima: maxima.into(),
            exponent: 0.0,
            form: CostForm::Expected,
        })
    };
    for row in table["distances"].as_array().unwrap() {
        let (g, gain, slope) = (number(&row["g"]), number(&row["gain"]), number(&row["slope"]));
        // The mean -g has exactly the distance g to a maximum of 0.
        let score = entropy(vec![0.0])
            .pointwise()
            .unwrap()
            .score(0.0, &Belief { mean: -g, sd: 1.0, cost: FREE });
        assert_within(g, score.value, gain, GAIN * gain + f64::MIN_POSITIVE);
        assert_within(g, score.d_mean, -slope, GAIN_SLOPE * slope.abs() + f64::MIN_POSITIVE);
        assert_within(
            g,
            score.d_sd,
            -slope * g,
            GAIN_SLOPE * (slope * g).abs() + 64.0 * f64::MIN_POSITIVE,
        );
    }
    for row in table["means"].as_array().unwrap() {
        let (mean, sd, maxima, gain) = (
            number(&row["mu"]),
            number(&row["sigma"]),
            numbers(&row["maxima"]),
            number(&row["gain"]),
        );
        // Distances are rounded. In the tail the rounding counts with their square.
        let g = maxima.iter().map(|f| ((f - mean) / sd).powi(2)).fold(1.0, f64::max);
        let score = entropy(maxima.clone())
            .pointwise()
            .unwrap()
            .score(0.0, &Belief { mean, sd, cost: FREE });
        assert_within(row, score.value, gain, (GAIN + 2.0 * f64::EPSILON * g) * gain);
        // The score per unit of cost.
        let priced = Acquisition::Pointwise(Pointwise::MaxValueEntropy {
            maxima: maxima.into(),
            exponent: 0.5,
            form: CostForm::Expected,
        });
        let priced = priced
            .pointwise()
            .unwrap()
            .score(0.0, &Belief { mean, sd, cost: PointBeliefCost::Known(4.0) });
        assert_within(row, priced.value, score.value / 2.0, 2.0 * f64::EPSILON * gain);
        assert_within(row, priced.d_log_cost, -0.5 * priced.value, DERIVATIVE * gain);
    }
}

#[test]
fn curves_over_four_points_have_their_maxima_where_they_were_published() {
    let table = table("pbgi");
    let example = &table["four_point_gp"];
    let of = |field: &str| number(&example[field]);
    let hyperparameters = Hyperparameters {
        lengthscales: vec![of("lengthscale")],
        outputscale: of("outputscale"),
        noise: of("noise"),
        mean: of("mean"),
    };
    let inputs = Points::from_rows(1, numbers(&example["X"])).unwrap();
    let posterior =
        Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &numbers(&example["Y"]))
            .unwrap();
    let grid = Points::from_rows(1, (0..=1000).map(|i| f64::from(i) / 1000.0).collect()).unwrap();
    let moments = posterior.moments(&grid).unwrap();
    for (acquisition, value, place) in [
        (Acquisition::Pointwise(Pointwise::ExpectedImprovement), 0.70776946, 365),
        (Acquisition::gittins(1.0), 0.60019592, 358),
        (Acquisition::gittins(1e-5), 7.07039997, 860),
    ] {
        let score = |i: usize| {
            let belief =
                Belief { mean: moments.mean[i], sd: moments.variance[i].sqrt(), cost: FREE };
            acquisition.pointwise().unwrap().score(of("best_f"), &belief).value
        };
        let best = (0..=1000).max_by(|&i, &j| score(i).total_cmp(&score(j))).unwrap();
        assert_eq!(best, place, "{acquisition:?}");
        assert_within(acquisition.name(), score(best), value, FIGURE * value.max(1.0));
    }
}

#[test]
fn sets_that_make_no_sense_are_named() {
    let estimate = |mean: &[f64], sd: &[f64], best: f64| {
        MaximumEstimate::Integral.maximum(mean, sd, best).unwrap_err()
    };
    for (error, kind, culprit) in [
        (estimate(&[], &[], 0.0), ErrorKind::Empty, "empty"),
        (
            estimate(&[0.0], &[1.0, 2.0], 0.0),
            ErrorKind::Dimension,
            "1 means and 2 standard deviations",
        ),
        (estimate(&[0.0, f64::NAN], &[1.0, 1.0], 0.0), ErrorKind::NonFinite, "mean 1"),
        (
            estimate(&[0.0, 0.0], &[f64::INFINITY, 1.0], 0.0),
            ErrorKind::NonFinite,
            "standard deviation 0",
        ),
        (estimate(&[0.0], &[-1.0], 0.0), ErrorKind::InvalidSetting, "standard deviation 0"),
        (
            estimate(&[0.0, f64::MAX], &[f64::MAX, 1.0], 0.0),
            ErrorKind::NonFinite,
            "range of numbers",
        ),
        (estimate(&[0.0], &[1.0], f64::NAN), ErrorKind::NonFinite, "best outcome"),
        (
            Policy::estimation(MaximumEstimate::LeftSum { step: 0.0 }).validate().unwrap_err(),
            ErrorKind::InvalidSetting,
            "step",
        ),
        (
            Policy::estimation(MaximumEstimate::HalfGaussian { offset: f64::NAN })
                .validate()
                .unwrap_err(),
            ErrorKind::InvalidSetting,
            "offset",
        ),
        (
            Policy::estimation(MaximumEstimate::ConsistentHalfGaussian { offset: -1.0 })
                .validate()
                .unwrap_err(),
            ErrorKind::InvalidSetting,
            "offset",
        ),
    ] {
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(culprit), "{error}");
    }
}
