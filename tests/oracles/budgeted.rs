//! Expected improvement per unit of an unknown cost (EI-PUC and, cooled, EI-PUC-CC), against 40
//! digits and along two small posteriors.
//!
//! The published code of these rules raises both variances to at least 1e-6, in the units of the
//! outcome and of `ln c`. So its values differ if a deviation is below 1e-3. In the table this
//! happens at the closed form with deviations of 1e-6: by 5e-7 of the value. This library has no
//! such floor.

use gittins::acquisition::{Belief, PointBeliefCost};
use gittins::internals::{Chance, Scaling, affordable, cooling_exponent};
use gittins::model::{Mean, Noise, Prior, Priors};
use gittins::{
    Acquisition, Backend, CostForm, Cpu, ErrorKind, GaussianProcess, Hyperparameters, Job, JobCost,
    KernelFamily, Points, Pointwise, Posterior, Scores,
};

use crate::support::budgeted::{Problem, problem};
use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::{self, DERIVATIVE, LOG_OF_NORMAL, assert_within, five_point_slope};

fn plain(exponent: f64) -> Acquisition {
    Acquisition::Pointwise(Pointwise::ExpectedImprovementPerCost {
        exponent,
        form: CostForm::ExpectedInverse,
    })
}

fn logarithm(exponent: f64) -> Acquisition {
    Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
        exponent,
        form: CostForm::ExpectedInverse,
    })
}

#[test]
fn closed_forms_match_the_table() {
    let (mut cooled, mut overspent) = (0, 0);
    for row in table("budgeted")["closed_forms"].as_array().unwrap() {
        let [mean, sd, best] = ["mu", "sigma", "best"].map(|name| number(&row[name]));
        let [log_mean, log_sd, nu] =
            ["mu_logcost", "sigma_logcost", "nu"].map(|name| number(&row[name]));
        let cost = PointBeliefCost::LogNormal { mean: log_mean, variance: log_sd * log_sd };
        let score = |acquisition: Acquisition| {
            acquisition.pointwise().unwrap().score(best, &Belief { mean, sd, cost })
        };
        let log_ei = number(&row["log_ei"]);
        assert_within(
            row,
            score(Acquisition::Pointwise(Pointwise::LogExpectedImprovement)).value,
            log_ei,
            LOG_OF_NORMAL * log_ei.abs().max(1.0),
        );
        let tail = 1.0 + ((mean - best) / sd).min(0.0).powi(2);
        let ei = number(&row["ei"]);
        assert_within(
            row,
            score(Acquisition::Pointwise(Pointwise::ExpectedImprovement)).value,
            ei,
            tail * DERIVATIVE * ei,
        );
        let (money, q1) = (number(&row["budget"]), number(&row["q1"]));
        let zeta = ((money.max(f64::MIN_POSITIVE).ln() - log_mean) / log_sd).min(0.0);
        let bound = (tail + 1.0 + zeta * zeta) * DERIVATIVE * q1;
        assert_within(
            format!("{row} q1"),
            score(Acquisition::Pointwise(Pointwise::ExpectedImprovement)).value
                * affordable(cost, money).value,
            q1,
            bound,
        );
        for (exponent, name) in [(1.0, "ei_puc"), (nu, "ei_puc_cc")] {
            if exponent < 0.0 {
                // Spending beyond the budget would turn the cost into a reward. Here the cost no
                // longer counts then.
                assert_eq!(
                    plain(exponent).validate().unwrap_err().kind(),
                    ErrorKind::InvalidSetting
                );
                assert_eq!(cooling_exponent(1.0, 1.0 - exponent), 0.0);
                overspent += 1;
                continue;
            }
            let expected = number(&row[name]);
            let log_divisor = exponent * log_mean - 0.5 * (exponent * log_sd).powi(2);
            let bound = LOG_OF_NORMAL * (1.0 + log_ei.abs() + log_divisor.abs());
            let got = score(logarithm(exponent));
            assert_within(format!("{row} ln {name}"), got.value, expected.ln(), bound);
            assert_eq!(
                (got.d_log_cost, got.d_log_cost_variance),
                (-exponent, 0.5 * exponent * exponent)
            );
            assert_within(
                format!("{row} {name}"),
                score(plain(exponent)).value,
                expected,
                (tail + log_divisor.abs()) * DERIVATIVE * expected,
            );
            cooled += 1;
        }
    }
    assert_eq!((cooled, overspent), (19, 1));
}

#[test]
fn two_posteriors_of_six_points_match_the_table() {
    let table = table("budgeted");
    let given = &table["gp_problem"];
    let Problem { outcome, log_cost, best, budget } = problem();
    let (of_outcome, of_cost) =
        (outcome.hyperparameters().clone(), log_cost.hyperparameters().clone());
    // Both engines are off by the condition number. Means are off by the same share of their scale,
    // which is ten deviations.
    let error = |of: &Hyperparameters| {
        let relative = 2.0 * tolerance::posterior(6, of.outputscale, of.noise);
        (10.0 * relative * of.outputscale.sqrt(), relative * of.outputscale)
    };
    let ((mean_error, variance_error), (log_mean_error, log_variance_error)) =
        (error(&of_outcome), error(&of_cost));
    let nu = number(&given["nu"]);
    let rows = table["pointwise"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    for row in rows {
        let point = Points::from_rows(2, numbers(&row["x"])).unwrap();
        let evaluate = |acquisition: &Acquisition| {
            let cost = JobCost::Learned(&log_cost);
            let job = Job::new(&outcome, cost, acquisition, best).gradient(true);
            let mut scores = Scores::default();
            Cpu.evaluate(&job, &point, &mut scores).unwrap();
            scores
        };
        let cost = log_cost.moments(&point).unwrap();
        assert_within(row, cost.mean[0], number(&row["mu_logcost"]), log_mean_error);
        assert_within(
            row,
            cost.variance[0],
            number(&row["sigma_logcost"]).powi(2),
            log_variance_error,
        );
        let slopes = log_cost.moments_with_gradients(&point).unwrap();
        let believed =
            PointBeliefCost::LogNormal { mean: cost.mean[0], variance: cost.variance[0] };
        let chance = affordable(believed, budget);
        for (exponent, name) in [(0.0, "ei"), (1.0, "ei_puc"), (nu, "ei_puc_cc")] {
            let (got, in_logarithm) = (evaluate(&plain(exponent)), evaluate(&logarithm(exponent)));
            let (mean, sd) = (got.mean[0], got.variance[0].sqrt());
            assert_within(row, mean, number(&row["mu"]), mean_error);
            assert_within(row, got.variance[0], number(&row["sigma"]).powi(2), variance_error);
            let belief = Belief { mean, sd, cost: believed };
            let slope = logarithm(exponent).pointwise().unwrap().score(best, &belief);
            // The logarithm changes with the belief. The value changes by the same share of itself,
            // and its tail rounds.
            let move_by = |mean: f64, variance: f64, log_mean: f64, log_variance: f64| {
                slope.d_mean * mean + slope.d_sd * variance / (2.0 * sd)
                    - slope.d_log_cost * log_mean
                    + slope.d_log_cost_variance * log_variance
            };
            let tail = 1.0 + ((mean - best) / sd).powi(2);
            let relative = move_by(mean_error, variance_error, log_mean_error, log_variance_error)
                + 4.0 * tail * DERIVATIVE;
            let expected = number(&row[name]);
            assert_within(format!("{row} {name}"), got.value[0], expected, relative * expected);
            assert_within(
                format!("{row} ln {name}"),
                in_logarithm.value[0],
                expected.ln(),
                relative,
            );
            // The error of the table's own differences: sums of about twenty terms round.
            let twenty = 20.0 * f64::EPSILON;
            let rounding = move_by(
                twenty * of_outcome.outputscale.sqrt(),
                twenty * of_outcome.outputscale,
                twenty * of_cost.outputscale.sqrt(),
                twenty * of_cost.outputscale,
            );
            for (axis, of_table) in numbers(&row[format!("grad_{name}")]).into_iter().enumerate() {
                let in_log = of_table / expected;
                let scale = in_log.abs() + 10.0 / 0.35;
                let bound = five_point_slope(1e-5, scale, rounding) + relative * 4.0 * scale;
                assert_within(
                    format!("{row} slope of ln {name}, axis {axis}"),
                    in_logarithm.gradient[axis],
                    in_log,
                    bound,
                );
                assert_within(
                    format!("{row} slope of {name}, axis {axis}"),
                    got.gradient[axis],
                    of_table,
                    bound * expected,
                );
            }
            if exponent > 0.0 {
                continue;
            }
            // The improvement that can be paid for also changes with the chance.
            let Chance { value, d_log_cost, d_log_cost_variance, .. } = chance;
            let of_chance = |log_mean: f64, log_variance: f64| {
                (d_log_cost * log_mean).abs() + (d_log_cost_variance * log_variance).abs()
            };
            let relative =
                relative + of_chance(log_mean_error, log_variance_error) / value + DERIVATIVE;
            let expected = number(&row["q1"]);
            assert_within(format!("{row} q1"), got.value[0] * value, expected, relative * expected);
            for (axis, of_table) in numbers(&row["grad_q1"]).into_iter().enumerate() {
                let by_cost = d_log_cost * slopes.mean_gradient[axis]
                    + d_log_cost_variance * slopes.variance_gradient[axis];
                let scale = of_table.abs() / expected + 10.0 / 0.35;
                let bound = five_point_slope(1e-5, scale, rounding) + relative * 4.0 * scale;
                let slope = got.gradient[axis] * value + got.value[0] * by_cost;
                assert_within(
                    format!("{row} slope of q1, axis {axis}"),
                    slope,
                    of_table,
                    bound * expected,
                );
            }
        }
    }
}

#[test]
fn the_chance_to_pay_has_its_slopes_and_its_limits() {
    let at =
        |mean, variance, money| affordable(PointBeliefCost::LogNormal { mean, variance }, money);
    for (mean, variance, money) in
        [(0.3, 0.5, 1.2), (-40.0, 2.0, 1e-18), (2.0, 1e-4, 7.4), (5.0, 9.0, 0.01)]
    {
        let sd = f64::sqrt(variance);
        let Chance { d_log_cost, d_log_cost_variance, d_money, .. } = at(mean, variance, money);
        // Each argument moves by a share of the scale on which the chance bends. In the tail the
        // logarithm of the chance is quadratic, and this shortens the scale.
        let zeta: f64 = (money.ln() - mean) / sd;
        let step = 1e-3 / (1.0 + zeta.abs());
        let quotient = |value: &dyn Fn(f64) -> f64, h: f64| {
            (8.0 * (value(h) - value(-h)) - (value(2.0 * h) - value(-2.0 * h))) / (12.0 * h)
        };
        for (name, slope, found, unit) in [
            ("mean", d_log_cost, quotient(&|h| at(mean + h, variance, money).value, step * sd), sd),
            (
                "variance",
                d_log_cost_variance,
                quotient(&|h| at(mean, variance + h, money).value, step * variance),
                variance,
            ),
            (
                "money",
                d_money,
                quotient(&|h| at(mean, variance, money * (1.0 + h)).value, step * sd) / money,
                sd * money,
            ),
        ] {
            let bound = tolerance::DIFFERENCE_QUOTIENT
                * at(mean, variance, money).value.max(f64::abs(slope) * unit)
                / unit;
            assert!(
                (slope - found).abs() <= bound,
                "{name} at {mean}, {variance}, {money}: {slope} and {found}"
            );
        }
    }
    let value = |cost, money| affordable(cost, money).value;
    assert_eq!(
        [0.5, 1.0, 1.5].map(|money| value(PointBeliefCost::Known(1.0), money)),
        [0.0, 1.0, 1.0]
    );
    assert_eq!([0.5, 1.0, 1.5].map(|money| at(0.0, 0.0, money).value), [0.0, 1.0, 1.0]);
    assert_eq!([-1.0, 0.0].map(|money| at(0.0, 1.0, money).value), [0.0, 0.0]);
    assert!(at(0.0, 1.0, f64::NAN).value.is_nan());
}

#[test]
fn what_a_fit_maximizes_matches_the_table_and_a_fit_finds_no_less() {
    let (budgeted, lookahead) = (table("budgeted"), table("lookahead"));
    let problem = &budgeted["gp_problem"];
    let inputs =
        Points::from_rows(2, problem["X"].as_array().unwrap().iter().flat_map(numbers).collect())
            .unwrap();
    let rows = lookahead["map_fit"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for (row, (which, told)) in
        rows.iter().zip([("objective_hyper", "y"), ("logcost_hyper", "cost")])
    {
        let told = numbers(&problem[told])
            .into_iter()
            .map(|value| if which == "logcost_hyper" { value.ln() } else { value });
        let outcomes: Vec<f64> = told.collect();
        let scaling = Scaling::standardize(&outcomes);
        let outcomes: Vec<f64> = outcomes.iter().map(|y| scaling.apply(*y)).collect();
        let given = &problem[which];
        let hyperparameters = Hyperparameters {
            lengthscales: numbers(&given["ls"]),
            outputscale: number(&given["outscale"]),
            noise: number(&given["noise"]),
            mean: number(&given["const"]),
        };
        let posterior =
            Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &outcomes).unwrap();
        let likelihood = number(&row["log_marginal_likelihood"]);
        let bound =
            10.0 * tolerance::posterior(6, hyperparameters.outputscale, hyperparameters.noise);
        assert_within(&row["which"], posterior.log_marginal_likelihood(), likelihood, bound);
        let [of_lengthscale, of_outputscale] =
            [(3.0, 6.0), (2.0, 0.15)].map(|(shape, rate)| Prior::Gamma { shape, rate });
        let lengthscales = hyperparameters
            .lengthscales
            .iter()
            .map(|lengthscale| of_lengthscale.log_density(*lengthscale).0);
        let prior =
            lengthscales.sum::<f64>() + of_outputscale.log_density(hyperparameters.outputscale).0;
        assert_within(
            &row["which"],
            prior,
            number(&row["log_prior"]),
            tolerance::LOG_OF_NORMAL * 20.0,
        );
        assert_within(
            &row["which"],
            (likelihood + prior) / 6.0,
            number(&row["objective"]),
            tolerance::LOG_OF_NORMAL * 20.0,
        );
        let noise = Noise::Learned { low: 1e-4, high: 1e-3 };
        let model = GaussianProcess::new()
            .priors(Priors::Gamma)
            .noise(noise)
            .mean(Mean::Learned)
            .tolerance(1e-12);
        let fit = model.fit(&inputs, &outcomes, None, 0).unwrap();
        assert!(
            fit.log_posterior > likelihood + prior,
            "{}: {} found, {} given",
            row["which"],
            fit.log_posterior,
            likelihood + prior
        );
    }
}
