//! Medians and means over the functions, with their sampling errors, beside what was published.

use std::fmt::Write;

use serde::Serialize;

use crate::bandit::Run;

/// Rule by rule: median T, median r, mean T, mean r.
const PUBLISHED: [[f64; 4]; 6] = [
    [79.5, 0.051, 78.4, 0.107],
    [53.0, 0.000, 50.9, 0.000],
    [8.0, 0.088, 9.77, 0.295],
    [7.0, 0.487, 8.32, 0.562],
    [26.0, 0.000, 26.1, 0.024],
    [23.0, 0.000, 21.9, 0.043],
];
/// The same of another implementation (NumPy), with other functions, on this grid, with the deviation of an observation.
const ANOTHER: [[f64; 4]; 6] = [
    [63.5, 0.054, 69.7, 0.105],
    [51.0, 0.000, 49.3, 0.000],
    [8.0, 0.182, 9.8, 0.377],
    [7.0, 0.458, 8.1, 0.562],
    [26.5, 0.000, 25.8, 0.008],
    [20.0, 0.000, 21.6, 0.034],
];

/// A mean or a median, and the standard error of either.
#[derive(Serialize, Clone, Copy)]
pub struct Estimate {
    pub value: f64,
    pub error: f64,
}

/// One rule over all functions.
#[derive(Serialize)]
pub struct Summary {
    pub rule: &'static str,
    pub median_round: Estimate,
    pub median_regret: Estimate,
    pub mean_round: Estimate,
    pub mean_regret_at_end: Estimate,
    /// The mean of the regrets after all rounds.
    pub mean_regret_over_rounds: Estimate,
    /// By round.
    pub mean_regret: Vec<f64>,
}

impl Summary {
    pub fn new(rule: &'static str, runs: &[Run]) -> Self {
        let rounds: Vec<f64> = runs.iter().map(|run| run.reached as f64).collect();
        let regrets: Vec<f64> = runs.iter().filter_map(|run| run.regret.last().copied()).collect();
        let averages: Vec<f64> = runs.iter().map(|run| run.regret.iter().sum::<f64>() / run.regret.len() as f64).collect();
        let length = runs.first().map_or(0, |run| run.regret.len());
        let mean_regret = (0..length).map(|t| runs.iter().map(|run| run.regret[t]).sum::<f64>() / runs.len() as f64).collect();
        Self {
            rule,
            median_round: median(rounds.clone()),
            median_regret: median(regrets.clone()),
            mean_round: mean(&rounds),
            mean_regret_at_end: mean(&regrets),
            mean_regret_over_rounds: mean(&averages),
            mean_regret,
        }
    }
}

fn mean(values: &[f64]) -> Estimate {
    let n = values.len() as f64;
    let value = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - value).powi(2)).sum::<f64>() / (n - 1.0);
    Estimate { value, error: (variance / n).sqrt() }
}

/// The error is half the distance of the order statistics `sqrt(n)/2` ranks off on either side: two thirds of the samples' medians lie between.
fn median(mut values: Vec<f64>) -> Estimate {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    let rank = |r: f64| values[(r.round().max(0.0) as usize).min(n - 1)];
    let (middle, off) = ((n - 1) as f64 / 2.0, (n as f64).sqrt() / 2.0);
    Estimate { value: 0.5 * (values[(n - 1) / 2] + values[n / 2]), error: 0.5 * (rank(middle + off) - rank(middle - off)) }
}

/// The table; what was published with the same deviation only.
pub fn table(summaries: &[Summary], latent: bool) -> String {
    let mut text =
        String::from("                          RAND           UCB            EI             PI             ESTa           ESTn\n");
    type Field = fn(&Summary) -> Estimate;
    let lines: [(&str, usize, Field); 4] = [
        ("median T", 1, |s| s.median_round),
        ("median r", 3, |s| s.median_regret),
        ("mean T", 1, |s| s.mean_round),
        ("mean r", 3, |s| s.mean_regret_at_end),
    ];
    for (k, (name, digits, field)) in lines.into_iter().enumerate() {
        let _ = write!(text, "{name:<9} here          ");
        for summary in summaries {
            let Estimate { value, error } = field(summary);
            let _ = write!(text, " {:<14}", format!("{value:.digits$} +- {error:.digits$}"));
        }
        text.push('\n');
        if latent {
            continue;
        }
        for (who, numbers) in [("published", &PUBLISHED), ("another code", &ANOTHER)] {
            let _ = write!(text, "          {who:<14}");
            for row in numbers {
                let _ = write!(text, " {:<14}", format!("{:.digits$}", row[k]));
            }
            text.push('\n');
        }
    }
    let _ = write!(text, "mean r over the rounds  ");
    for summary in summaries {
        let Estimate { value, error } = summary.mean_regret_over_rounds;
        let _ = write!(text, " {:<14}", format!("{value:.2} +- {error:.2}"));
    }
    text
}
