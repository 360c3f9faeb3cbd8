//! Acquisition functions against mpmath, and against answers that are known by hand.

use gittins::acquisition::{Belief, PointBeliefCost, Score};
use gittins::internals::{LOG_ZERO, Quantity, cooling_exponent, ucb_beta, ucb_beta_unscaled};
use gittins::{Acquisition, CostForm, ErrorKind, Pointwise};
use serde_json::Value;

use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::{DERIVATIVE, INDEX, LOG_OF_NORMAL, NORMAL, assert_within};

const FREE: PointBeliefCost = PointBeliefCost::Known(1.0);

pub fn score(
    acquisition: &Acquisition,
    incumbent: f64,
    mean: f64,
    sd: f64,
    cost: PointBeliefCost,
) -> Score {
    acquisition.pointwise().unwrap().score(incumbent, &Belief { mean, sd, cost })
}

/// 1 if the row maximizes, -1 if it minimizes. A minimized outcome changes its sign on the way in,
/// and its derivatives on the way out.
fn sign(row: &Value) -> f64 {
    if row["direction"] == "minimize" { -1.0 } else { 1.0 }
}

#[test]
fn improvement_matches_the_table() {
    for row in table("pbgi")["log_ei"].as_array().unwrap() {
        let (sign, sd, u) = (sign(row), number(&row["sigma"]), number(&row["u"]));
        let of = |acquisition: Acquisition| {
            score(&acquisition, sign * number(&row["best"]), sign * number(&row["mu"]), sd, FREE)
        };
        let (ei, log_ei) = (
            of(Acquisition::Pointwise(Pointwise::ExpectedImprovement)),
            of(Acquisition::Pointwise(Pointwise::LogExpectedImprovement)),
        );
        let (pi, log_pi) = (
            of(Acquisition::Pointwise(Pointwise::ProbabilityOfImprovement)),
            of(Acquisition::Pointwise(Pointwise::LogProbabilityOfImprovement)),
        );
        // u is rounded. This changes a density by the square of u in units of the last place.
        let tail = 1.0 + u * u;
        let expected = |name: &str| number(&row[name]);
        assert_within(
            format!("{row} ei"),
            ei.value,
            expected("ei"),
            tail * DERIVATIVE * expected("ei"),
        );
        assert_within(
            format!("{row} pi"),
            pi.value,
            expected("pi"),
            tail * NORMAL * expected("pi"),
        );
        assert_within(
            format!("{row} log_ei"),
            log_ei.value,
            expected("log_ei"),
            LOG_OF_NORMAL * expected("log_ei").abs().max(1.0),
        );
        assert_within(
            format!("{row} log_pi"),
            log_pi.value,
            expected("log_pi"),
            LOG_OF_NORMAL * expected("log_pi").abs().max(1.0),
        );
        let d_mean = sign * expected("dlog_ei_dmu");
        assert_within(format!("{row} d_mean"), log_ei.d_mean, d_mean, DERIVATIVE * d_mean);
        let d_sd = expected("dlog_ei_dsigma");
        // The table computes (1 - u/m)/sigma, and its 50 digits cancel to about 1e-49. The library
        // computes r/(sigma m), which does not cancel.
        assert_within(format!("{row} d_sd"), log_ei.d_sd, d_sd, DERIVATIVE * d_sd + 1e-48 / sd);
    }
}

#[test]
fn improvement_per_cost_matches_the_table() {
    let form = CostForm::default();
    for row in table("pbgi")["log_eipc"].as_array().unwrap() {
        let exponent = number(&row["cost_exponent"]);
        let (best, mean, sd) = (number(&row["best"]), number(&row["mu"]), number(&row["sigma"]));
        let cost = PointBeliefCost::Known(number(&row["cost"]));
        let expected = number(&row["log_eipc"]);
        let logarithm = score(
            &Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost { exponent, form }),
            best,
            mean,
            sd,
            cost,
        );
        // The value is a difference of two logarithms.
        let bound = LOG_OF_NORMAL * (number(&row["log_ei"]).abs() + expected.abs() + 1.0);
        assert_within(row, logarithm.value, expected, bound);
        assert_eq!((logarithm.d_log_cost, logarithm.d_log_cost_variance), (-exponent, 0.0));
        let plain = score(
            &Acquisition::Pointwise(Pointwise::ExpectedImprovementPerCost { exponent, form }),
            best,
            mean,
            sd,
            cost,
        );
        assert_within(row, plain.value, expected.exp(), 5.0 * DERIVATIVE * expected.exp());
    }
}

#[test]
fn a_learned_cost_divides_by_its_log_normal_moment() {
    for row in table("pbgi")["unknown_cost"].as_array().unwrap() {
        let (mean, variance) = (number(&row["mean_log_cost"]), number(&row["var_log_cost"]));
        let exponent = number(&row["cost_exponent"]);
        let cost = PointBeliefCost::LogNormal { mean, variance };
        for (form, divisor, sign) in [
            (CostForm::Expected, "log_divisor_exp_form", 1.0),
            (CostForm::ExpectedInverse, "log_divisor_inv_form", -1.0),
        ] {
            let divisor = number(&row[divisor]);
            // The mean is one standard deviation above the incumbent. Its ln EI is
            // 0.08002621884930694.
            let logarithm = score(
                &Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                    exponent,
                    form,
                }),
                0.0,
                1.0,
                1.0,
                cost,
            );
            assert_within(
                row,
                logarithm.value,
                0.080_026_218_849_306_94 - divisor,
                LOG_OF_NORMAL * (1.0 + divisor.abs()),
            );
            assert_eq!(
                (logarithm.d_log_cost, logarithm.d_log_cost_variance),
                (-exponent, -sign * exponent * exponent / 2.0)
            );
            let plain = score(
                &Acquisition::Pointwise(Pointwise::ExpectedImprovementPerCost { exponent, form }),
                0.0,
                1.0,
                1.0,
                cost,
            );
            assert_within(
                row,
                plain.value.ln(),
                logarithm.value,
                LOG_OF_NORMAL * (1.0 + divisor.abs()),
            );
        }
        // The index pays the expected cost.
        let learned = score(&Acquisition::gittins(0.01), 0.0, 0.3, 0.8, cost);
        let known = score(
            &Acquisition::gittins(0.01),
            0.0,
            0.3,
            0.8,
            PointBeliefCost::Known(number(&row["mean_cost"])),
        );
        assert_within(row, learned.value, known.value, 4.0 * INDEX);
        assert_within(
            row,
            learned.d_log_cost_variance,
            0.5 * known.d_log_cost,
            DERIVATIVE * known.d_log_cost.abs(),
        );
    }
}

#[test]
fn index_matches_the_table() {
    for row in table("pbgi")["pbgi"].as_array().unwrap() {
        let (mean, sd, u) = (number(&row["mu"]), number(&row["sigma"]), number(&row["u"]));
        let gittins = Acquisition::gittins(number(&row["lam"]));
        let cost = PointBeliefCost::Known(number(&row["cost"]));
        let bound = INDEX * mean.abs().max(sd * u.abs().max(1.0));
        assert_within(
            row,
            score(&gittins, 0.0, mean, sd, cost).value,
            number(&row["g_max"]),
            bound,
        );
        assert_within(
            row,
            -score(&gittins, 0.0, -mean, sd, cost).value,
            number(&row["g_min"]),
            bound,
        );
    }
}

#[test]
fn gradient_of_the_index_matches_the_table() {
    for row in table("pbgi")["pbgi_gradient"].as_array().unwrap() {
        let (mean, sd, cost) = (number(&row["mu"]), number(&row["sigma"]), number(&row["cost"]));
        let (d_mean, d_sd, d_cost) =
            (number(&row["dmu"]), number(&row["dsigma"]), number(&row["dcost"]));
        let gittins = Acquisition::gittins(number(&row["lam"]));
        let index = score(&gittins, 0.0, mean, sd, PointBeliefCost::Known(cost));
        // The coefficient of sigma is phi(u)/Phi(u). Rounding u in the last place changes the
        // coefficient by u^2 of itself.
        let (coefficient, u) = (number(&row["coef_dsigma"]), number(&row["u"]));
        assert_within(
            row,
            index.d_sd,
            coefficient,
            DERIVATIVE * (1.0 + u * u) * coefficient + f64::MIN_POSITIVE,
        );
        let coefficient = number(&row["coef_dlogcost"]);
        assert_within(row, index.d_log_cost, -coefficient, DERIVATIVE * coefficient);
        let terms = [index.d_mean * d_mean, index.d_sd * d_sd, index.d_log_cost * d_cost / cost];
        let size: f64 = terms.iter().map(|term| term.abs()).sum();
        assert_within(row, terms.iter().sum(), number(&row["dg_max"]), DERIVATIVE * size);
        // If the outcome is minimized, the mean's gradient and the result change their sign.
        let index = score(&gittins, 0.0, -mean, sd, PointBeliefCost::Known(cost));
        let mirrored =
            -(index.d_mean * -d_mean + index.d_sd * d_sd + index.d_log_cost * d_cost / cost);
        assert_within(row, mirrored, number(&row["dg_min"]), DERIVATIVE * size);
    }
}

#[test]
fn scores_along_a_posterior_of_four_points() {
    let table = table("pbgi");
    let example = &table["four_point_gp"];
    let best = number(&example["best_f"]);
    for row in example["rows"].as_array().unwrap() {
        let (mean, sd) = (number(&row["mean"]), number(&row["sd"]));
        let u = (mean - best) / sd;
        // The table rounds mean and deviation, each by at most half a unit.
        let bound = |slope: f64| 4.0 * f64::EPSILON * (1.0 + slope * (1.0 + u.abs()));
        let log_ei =
            score(&Acquisition::Pointwise(Pointwise::LogExpectedImprovement), best, mean, sd, FREE);
        assert_within(
            row,
            log_ei.value,
            number(&row["log_ei"]),
            bound(sd * log_ei.d_mean) + LOG_OF_NORMAL * log_ei.value.abs(),
        );
        for (lambda, name) in [(1.0, "pbgi_lambda_1"), (1e-5, "pbgi_lambda_1e-5")] {
            let index = score(&Acquisition::gittins(lambda), best, mean, sd, FREE);
            assert_within(
                row,
                index.value,
                number(&row[name]),
                bound(1.0) * index.value.abs().max(1.0),
            );
        }
    }
}

#[test]
fn independent_boxes_are_opened_in_the_order_of_the_index() {
    for row in table("pbgi")["independent_boxes"].as_array().unwrap() {
        let gittins = Acquisition::gittins(number(&row["lam"]));
        let boxes: Vec<Vec<f64>> =
            row["boxes_mu_sigma_cost"].as_array().unwrap().iter().map(numbers).collect();
        let indices: Vec<f64> = boxes
            .iter()
            .map(|b| score(&gittins, 0.0, b[0], b[1], PointBeliefCost::Known(b[2])).value)
            .collect();
        for (got, expected) in indices.iter().zip(numbers(&row["index"])) {
            assert_within(row, *got, expected, 10.0 * INDEX);
        }
        let mut order: Vec<usize> = (0..boxes.len()).collect();
        order.sort_by(|&a, &b| indices[b].total_cmp(&indices[a]));
        let expected: Vec<usize> =
            numbers(&row["opening_order"]).iter().map(|&i| i as usize).collect();
        assert_eq!(order, expected);
    }
}

#[test]
fn confidence_schedule_matches_the_table() {
    for row in table("pbgi")["ucb_beta"].as_array().unwrap() {
        let (d, t) = (number(&row["d"]) as usize, number(&row["t"]) as usize);
        let delta = number(&row["delta"]);
        let (full, scaled) = (number(&row["beta_full"]), number(&row["beta_scaled"]));
        assert_within(row, ucb_beta_unscaled(d, t, delta), full, 4.0 * f64::EPSILON * full);
        assert_within(row, ucb_beta(d, t, delta), scaled, 4.0 * f64::EPSILON * scaled);
        let bound = score(
            &Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: scaled }),
            0.0,
            -0.5,
            2.0,
            FREE,
        );
        let width = number(&row["sqrt_beta_scaled"]);
        assert_within(
            row,
            bound.value,
            -0.5 + 2.0 * width,
            4.0 * f64::EPSILON * (1.0 + 2.0 * width),
        );
        assert_eq!((bound.d_mean, bound.d_log_cost), (1.0, 0.0));
        assert_within(row, bound.d_sd, width, 4.0 * f64::EPSILON * width);
    }
}

#[test]
fn cooling_is_the_share_of_the_budget_that_is_left() {
    assert_eq!(cooling_exponent(8.0, 0.0), 1.0);
    assert_eq!(cooling_exponent(8.0, 2.0), 0.75);
    assert_eq!(cooling_exponent(8.0, 8.0), 0.0);
    assert_eq!(cooling_exponent(8.0, 11.0), 0.0);
    assert_eq!(cooling_exponent(0.0, 0.0), 0.0);
}

#[test]
fn without_uncertainty_scores_are_their_limits() {
    let cost = PointBeliefCost::Known(4.0);
    let of = |acquisition: Acquisition, mean| score(&acquisition, 1.0, mean, 0.0, cost);
    let plain = |value, d_mean, d_sd| Score {
        value,
        d_mean,
        d_sd,
        d_log_cost: 0.0,
        d_log_cost_variance: 0.0,
    };
    assert_eq!(
        of(Acquisition::Pointwise(Pointwise::ExpectedImprovement), 3.0),
        plain(2.0, 1.0, 0.0)
    );
    assert_eq!(
        of(Acquisition::Pointwise(Pointwise::ExpectedImprovement), -3.0),
        plain(0.0, 0.0, 0.0)
    );
    assert_eq!(
        of(Acquisition::Pointwise(Pointwise::ExpectedImprovement), 1.0),
        plain(0.0, 0.5, 0.398_942_280_401_432_7)
    );
    assert_eq!(
        of(Acquisition::Pointwise(Pointwise::LogExpectedImprovement), 3.0),
        plain(2f64.ln(), 0.5, 0.0)
    );
    assert_eq!(
        of(Acquisition::Pointwise(Pointwise::LogExpectedImprovement), 1.0),
        plain(LOG_ZERO, 0.0, 0.0)
    );
    assert_eq!(
        of(Acquisition::Pointwise(Pointwise::ProbabilityOfImprovement), 3.0),
        plain(1.0, 0.0, 0.0)
    );
    assert_eq!(
        of(Acquisition::Pointwise(Pointwise::ProbabilityOfImprovement), 1.0),
        plain(0.0, 0.0, 0.0)
    );
    assert_eq!(
        of(Acquisition::Pointwise(Pointwise::LogProbabilityOfImprovement), 3.0),
        plain(0.0, 0.0, 0.0)
    );
    assert_eq!(
        of(Acquisition::Pointwise(Pointwise::LogProbabilityOfImprovement), 1.0),
        plain(LOG_ZERO, 0.0, 0.0)
    );
    assert_eq!(
        of(Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 4.0 }), 3.0),
        plain(3.0, 1.0, 2.0)
    );
    let index =
        Score { value: 1.0, d_mean: 1.0, d_sd: 0.0, d_log_cost: -2.0, d_log_cost_variance: 0.0 };
    assert_eq!(of(Acquisition::gittins(0.5), 3.0), index);
    let log_normal = PointBeliefCost::LogNormal { mean: 4f64.ln() - 0.5, variance: 1.0 };
    let learned = score(&Acquisition::gittins(0.5), 1.0, 3.0, 0.0, log_normal);
    assert_within("learned cost", learned.value, 1.0, 4.0 * f64::EPSILON);
    assert_within("learned cost", learned.d_log_cost_variance, -1.0, 4.0 * f64::EPSILON);
}

#[test]
fn a_certain_improvement_is_the_gap() {
    for gap in [1.0, 3.0, 1e-5] {
        for sd in [1e-3, 3e-7, 7e-100, 5e-324].map(|sd| sd * gap) {
            let [plain, logarithm] = [
                Acquisition::Pointwise(Pointwise::ExpectedImprovement),
                Acquisition::Pointwise(Pointwise::LogExpectedImprovement),
            ]
            .map(|of| score(&of, 0.0, gap, sd, FREE));
            assert_eq!((plain.value, plain.d_mean, plain.d_sd), (gap, 1.0, 0.0));
            assert_eq!(
                (logarithm.value, logarithm.d_mean, logarithm.d_sd),
                (gap.ln(), 1.0 / gap, 0.0)
            );
        }
    }
}

#[test]
fn settings_without_sense_are_named() {
    let form = CostForm::default();
    for (acquisition, setting, kind) in [
        (Acquisition::gittins(0.0), "lambda", ErrorKind::InvalidSetting),
        (Acquisition::gittins(-1.0), "lambda", ErrorKind::InvalidSetting),
        (Acquisition::gittins(f64::NAN), "lambda", ErrorKind::NonFinite),
        (Acquisition::gittins(f64::INFINITY), "lambda", ErrorKind::NonFinite),
        (
            Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: -1e-9 }),
            "beta",
            ErrorKind::InvalidSetting,
        ),
        (
            Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: f64::NAN }),
            "beta",
            ErrorKind::NonFinite,
        ),
        (
            Acquisition::Pointwise(Pointwise::ExpectedImprovementPerCost { exponent: -1.0, form }),
            "exponent",
            ErrorKind::InvalidSetting,
        ),
        (
            Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                exponent: f64::INFINITY,
                form,
            }),
            "exponent",
            ErrorKind::NonFinite,
        ),
    ] {
        let error = acquisition.validate().unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(
            error.to_string().contains(setting) && error.to_string().contains(acquisition.name()),
            "{error}"
        );
    }
    for acquisition in [
        Acquisition::gittins(f64::MIN_POSITIVE),
        Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 0.0 }),
        Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost { exponent: 0.0, form }),
        Acquisition::Pointwise(Pointwise::ExpectedImprovement),
    ] {
        assert_eq!(acquisition.validate(), Ok(()));
    }
}

#[test]
fn traits_of_the_variants() {
    let form = CostForm::default();
    let variants = [
        (
            Acquisition::Pointwise(Pointwise::ExpectedImprovement),
            "expected improvement",
            false,
            true,
        ),
        (
            Acquisition::Pointwise(Pointwise::LogExpectedImprovement),
            "log expected improvement",
            false,
            false,
        ),
        (
            Acquisition::Pointwise(Pointwise::ProbabilityOfImprovement),
            "probability of improvement",
            false,
            false,
        ),
        (
            Acquisition::Pointwise(Pointwise::LogProbabilityOfImprovement),
            "log probability of improvement",
            false,
            false,
        ),
        (
            Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 2.0 }),
            "upper confidence bound",
            false,
            true,
        ),
        (
            Acquisition::Pointwise(Pointwise::ExpectedImprovementPerCost { exponent: 1.0, form }),
            "expected improvement per cost",
            true,
            true,
        ),
        (
            Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                exponent: 0.0,
                form,
            }),
            "log expected improvement per cost",
            false,
            false,
        ),
        (Acquisition::gittins(1.0), "Gittins index", true, true),
    ];
    for (acquisition, name, uses_cost, in_outcome_units) in variants {
        assert_eq!((acquisition.name(), acquisition.uses_cost()), (name, uses_cost));
        assert_eq!(
            matches!(acquisition.quantity(), Quantity::Level | Quantity::Gain),
            in_outcome_units,
            "{name}"
        );
        // Checks the claims by trial: another cost, and all outcome units times 8.
        let at = |acquisition: &Acquisition, scale: f64, cost| {
            score(acquisition, 0.25 * scale, 0.5 * scale, scale, PointBeliefCost::Known(cost)).value
        };
        assert_eq!(at(&acquisition, 1.0, 2.0) != at(&acquisition, 1.0, 3.0), uses_cost, "{name}");
        let scaled = if let Acquisition::Pointwise(Pointwise::Gittins { .. }) = acquisition {
            Acquisition::gittins(8.0)
        } else {
            acquisition.clone()
        };
        assert_eq!(
            at(&scaled, 8.0, 2.0) == 8.0 * at(&acquisition, 1.0, 2.0),
            in_outcome_units,
            "{name}"
        );
    }
}
