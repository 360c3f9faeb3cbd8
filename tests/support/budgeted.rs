//! The two posteriors of the tables about budgets, of an objective and of a logarithmic cost, on
//! six points.

use gittins::{Hyperparameters, KernelFamily, Points, Posterior};
use serde_json::Value;

use super::golden::{number, numbers, table};

/// The beliefs of the table's problem, in the user's units.
pub struct Problem {
    pub outcome: Posterior,
    pub log_cost: Posterior,
    pub best: f64,
    pub budget: f64,
}

/// The problem of the table.
pub fn problem() -> Problem {
    let table = table("budgeted");
    let problem = &table["gp_problem"];
    let log_costs: Vec<f64> = numbers(&problem["cost"]).iter().map(|cost| cost.ln()).collect();
    Problem {
        outcome: posterior(problem, "objective_hyper", &numbers(&problem["y"]), "y_mean", "y_std"),
        log_cost: posterior(problem, "logcost_hyper", &log_costs, "logcost_mean", "logcost_std"),
        best: number(&problem["best"]),
        budget: number(&problem["budget"]),
    }
}

/// A posterior from standardized hyper-parameters and numbers in the user's units.
fn posterior(
    problem: &Value,
    which: &str,
    numbers_told: &[f64],
    mean: &str,
    deviation: &str,
) -> Posterior {
    let found = &problem[which];
    let standardized = Hyperparameters {
        lengthscales: numbers(&found["ls"]),
        outputscale: number(&found["outscale"]),
        noise: number(&found["noise"]),
        mean: number(&found["const"]),
    };
    let hyperparameters =
        standardized.rescaled(number(&problem[mean]), number(&problem[deviation]));
    let inputs =
        Points::from_rows(2, problem["X"].as_array().unwrap().iter().flat_map(numbers).collect())
            .unwrap();
    Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, numbers_told).unwrap()
}
