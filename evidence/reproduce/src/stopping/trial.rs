//! One seed: every chooser's run at every price, and all stopping rules replayed over each.

use gittins::GittinsRule;
use gittins::stop::{Form, StallRule};
use gittins_papers::evaluation::{Replay, Replayed};
use gittins_papers::rules::{
    ConfidenceGapRule, GlobalWindowRule, ImprovementMedianRule, RegretGapRule,
    RegretProbabilityRule,
};
use serde::{Deserialize, Serialize};

use super::problem::{Chooser, Price, Problem};
use frontend::Result;

/// Prices of a unit of cost.
pub const LAMBDAS: [f64; 3] = [0.1, 0.01, 0.001];

pub const OWN_RULE: &str = "PBGI/LogEIPC";
pub const HINDSIGHT: &str = "Hindsight";
pub const IMMEDIATE: &str = "Immediate";

/// The extent of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Evaluations after the initial design.
    pub iterations: usize,
    /// Points of the grid that is searched.
    pub grid: usize,
    /// Points of the grid on which sampled paths are maximized.
    pub path_grid: usize,
}

/// The point at which one rule ended one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    pub price: Price,
    pub lambda: f64,
    pub chooser: Chooser,
    pub rule: String,
    /// Evaluations after the initial design that were paid for.
    pub stopped_at: usize,
    /// Whether the rule fired, or the run was at its end.
    pub fired: bool,
    pub spent: f64,
    pub regret: f64,
    /// The regret plus lambda times what was spent.
    pub adjusted: f64,
}

/// The points at which all rules ended all runs on the function of a seed.
///
/// # Errors
/// Those of draw, study and replay.
pub fn stops(seed: u64, extent: Extent) -> Result<Vec<Stop>> {
    let problem = Problem::new(extent.grid, seed)?;
    let mut stops = Vec::new();
    for price in Price::ALL {
        for chooser in Chooser::ALL {
            // Only the index looks at the price of a unit of cost when it chooses.
            let runs: Vec<&[f64]> = if chooser == Chooser::Gittins {
                LAMBDAS.chunks(1).collect()
            } else {
                vec![&LAMBDAS]
            };
            for lambdas in runs {
                let mut study = problem.study(price, chooser, lambdas[0]).build()?;
                problem.begin(&mut study)?;
                for _ in 0..extent.iterations {
                    problem.step(&mut study)?;
                }
                let mut replay = Replay::new(problem.study(price, chooser, lambdas[0]));
                for &lambda in lambdas {
                    let rule = GittinsRule::priced(lambda).form(Form::LogImprovementPerCost);
                    replay = replay.rule_named(format!("{OWN_RULE} {lambda}"), rule);
                }
                let replayed = replay
                    .rule_named("LogEIPC-med", ImprovementMedianRule::new())
                    .rule_named("SRGap-med", RegretGapRule::new())
                    .rule_named("UCB-LCB", ConfidenceGapRule::new(0.01))
                    .rule_named("GSS", GlobalWindowRule::new())
                    .rule_named("Convergence", StallRule::new())
                    .rule_named("PRB", RegretProbabilityRule::new(0.1).grid(extent.path_grid))
                    .until_fired()
                    .run_study(&study)?;
                for &lambda in lambdas {
                    stops.extend(judge(&replayed, price, chooser, lambda, problem.optimum));
                }
            }
        }
    }
    Ok(stops)
}

/// The cost-adjusted regret of each rule's stopping point, and of the best one in hindsight.
fn judge(
    replayed: &Replayed,
    price: Price,
    chooser: Chooser,
    lambda: f64,
    optimum: f64,
) -> Vec<Stop> {
    let course = &replayed.course;
    let regret = course.simple_regret(optimum);
    let adjusted = course.cost_adjusted_regret(optimum, lambda);
    let last = course.marks().len() - 1;
    let stop = |rule: &str, fired: Option<usize>| {
        let mark = fired.unwrap_or(last);
        Stop {
            price,
            lambda,
            chooser,
            rule: rule.to_owned(),
            stopped_at: mark,
            fired: fired.is_some(),
            spent: course.marks()[mark].spent,
            regret: regret[mark],
            adjusted: adjusted[mark],
        }
    };
    let own = format!("{OWN_RULE} {lambda}");
    let mut stops = vec![stop(HINDSIGHT, Some(course.hindsight(optimum, lambda).mark))];
    for series in &replayed.rules {
        if series.name == own {
            stops.push(stop(OWN_RULE, series.fired));
        } else if !series.name.starts_with(OWN_RULE) {
            stops.push(stop(&series.name, series.fired));
        }
    }
    stops.push(stop(IMMEDIATE, Some(0)));
    stops
}
