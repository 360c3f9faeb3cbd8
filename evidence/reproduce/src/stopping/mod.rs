//! When do stopping rules stop? The experiment in one dimension of "Cost-aware Stopping for
//! Bayesian Optimization" (Xie et al. 2025, section 4.1).
//!
//! Functions are drawn from a Gaussian process with a Matern-5/2 kernel of lengthscale 0.1 and
//! searched on a grid of 10 001 points by four acquisitions, 100 evaluations after 4 random points,
//! at a uniform and at a linear cost. Each run is recorded once, and all rules are replayed over it
//! with a price of 0.1, 0.01 and 0.001 for a unit of cost. A rule is judged by the regret that it
//! leaves plus lambda times what it spent.

mod panel;
mod problem;
mod trial;

use std::sync::Arc;

use crate::experiment::{Digest, Experiment, Size, Task};
use crate::store::Store;
use frontend::Result;

use panel::Cost;
use problem::Price;
use trial::{Extent, LAMBDAS, Stop};

/// The function of seed 0 is drawn from this one, that of seed 1 from the next.
const FIRST_SEED: u64 = 7;

/// Stopping rules over recorded runs on functions of one variable.
pub struct Stopping;

impl Stopping {
    fn extent(size: &Size) -> Extent {
        if size.quick {
            Extent { iterations: 30, grid: 1001, path_grid: 201 }
        } else {
            Extent { iterations: 100, grid: 10_001, path_grid: 1001 }
        }
    }

    fn arm(size: &Size) -> String {
        let Extent { iterations, grid, path_grid } = Self::extent(size);
        format!("stopping-1d_n{iterations}_grid{grid}_paths{path_grid}")
    }
}

impl Experiment for Stopping {
    fn name(&self) -> &'static str {
        "stopping-1d"
    }

    fn title(&self) -> String {
        "stopping rules in one dimension (Xie et al. 2025, section 4.1)".to_owned()
    }

    fn seeds(&self) -> u64 {
        50
    }

    fn tasks(&self, size: &Size) -> Vec<Task> {
        let extent = Self::extent(size);
        let task = |seed: u64| {
            let work = Arc::new(move || {
                Ok(serde_json::to_value(trial::stops(FIRST_SEED + seed, extent)?)?)
            });
            Task { arm: Self::arm(size), seed, work, probe: None }
        };
        size.seeds(self.seeds()).map(task).collect()
    }

    fn digest(&self, size: &Size, store: &Store) -> Result<Digest> {
        let arm = Self::arm(size);
        let seeds = size
            .seeds(self.seeds())
            .map(|seed| store.get::<Vec<Stop>>(&arm, seed))
            .collect::<Result<Vec<_>>>()?;
        let mut digest = Digest::default();
        for price in Price::ALL {
            for lambda in LAMBDAS {
                let cost = Cost::new(&seeds, price, lambda);
                // Nothing was published of so few evaluations.
                digest.panels.push(cost.panel(!size.quick)?);
                // At the least price of a unit the rule goes on for longer than most runs are
                // worth, as published.
                if lambda > LAMBDAS[2] {
                    digest.claims.push(cost.claim()?);
                }
            }
        }
        digest.notes = NOTES.map(str::to_owned).to_vec();
        Ok(digest)
    }
}

const NOTES: [&str; 5] = [
    "Means over the functions of the regret left plus lambda times what was spent; hindsight is the best moment to have stopped, which no rule knows.",
    "Rules see the run after the last evaluation; the published code sees it one evaluation earlier and charges for both. Its own rule on runs of LogEIPC and \
     PBGI goes on for about ten evaluations more at lambda 0.001, as it does where the model assumes noise of 1e-4 rather than the 1e-6 that is stated and \
     run here.",
    "PRB maximizes its sample paths over 1001 points and takes its decisions by the level test with a guarantee.",
    "The least mean hindsight and the mean regret of stopping at once are printed in the published notebook, the other numbers are read off its stored \
     pictures, to 1.5 pixels. Its largest bar is printed too and is 271 pixels high (542 at lambda 0.001 and for the uniform cost at lambda 0.1), so that \
     1.5 pixels are 0.028, 0.0055 and 0.00032 at the uniform cost and 0.054, 0.0056 and 0.00032 at the linear one. Where a bar is printed as well, the \
     two are 1.6 pixels apart (root of the mean square of six).",
    "Published numbers are means of 50 other functions, without errors: theirs are taken to be ours.",
];
