//! The functions of the experiments, on the unit cube. Larger is better.

use std::ops::Range;
use std::sync::Arc;

use gittins::model::{Mean, Noise, Priors};
use gittins::{Cost, GaussianProcess, KernelFamily, Outcome, Space};
use gittins_problems::optimum::{optimum, published_optimum};
use gittins_problems::pushing::FAR_TARGETS;
use gittins_problems::{GpDraw, PestControl, Pushing4, Pushing14, costs};
use serde::{Deserialize, Serialize};

use crate::slug::slug;
use crate::store::Store;
use frontend::Result;

/// Sines and cosines of a draw.
const FEATURES: usize = 1024;
/// The variance of the noise that the models of Xie et al. 2024 assume.
const NOISE: f64 = 1e-4;

/// The places of the durations among the parameters of the pushing tasks with one hand and with
/// two.
const DURATION: usize = 2;
const DURATIONS: [usize; 2] = [4, 10];

/// A problem, up to the seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Problem {
    /// Functions drawn from a Gaussian process with one lengthscale for all coordinates and
    /// variance 1.
    Draw { family: KernelFamily, dim: usize, lengthscale: f64 },
    /// Ackley's function in this number of dimensions.
    Ackley(usize),
    /// Levy's.
    Levy(usize),
    /// Rosenbrock's.
    Rosenbrock(usize),
    /// Pest control in 25 stages.
    PestControl,
    /// A hand that pushes a disk, in 4 parameters.
    Pushing4,
    /// Two hands that push a box and a disk, in 14 parameters.
    Pushing14,
}

/// What an evaluation costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Price {
    /// 1.
    Uniform,
    /// `1 + 20 mean(z)`, known.
    Linear,
    /// The problem's own price, known beforehand.
    Known,
    /// The cost that the problem reports, to be learned.
    Learned,
}

/// How acquisitions are maximized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// As in the published runs: `200 d` quasi-random points, `10 d` climbs from some of them, and
    /// nothing else (1024 points and 20 climbs for Thompson sampling).
    Published,
    /// The library's own search. It also looks around the best trials, around the end of the last
    /// search, and along lines.
    Own,
}

/// When a run ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Budget {
    /// After this number of evaluations beyond the design, each at the price of 1.
    Evaluations(usize),
    /// With the evaluation that spends the last of this money.
    Money(f64),
}

/// A problem with its seed.
pub enum Instance {
    Draw(Box<GpDraw>),
    Function(gittins_problems::Problem),
    PestControl,
    Pushing4(Pushing4, Space),
    Pushing14(Pushing14, Space),
}

/// The result of an evaluation.
#[derive(Debug, Clone, Copy)]
pub struct Evaluation {
    /// Larger is better.
    pub score: f64,
    /// The costs that the problem reports, if it does: known beforehand, and measured.
    pub bills: Option<[f64; 2]>,
}

/// The optima against which the best values of a draw are measured.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Reference {
    /// The optimum by the search of the published code. Published regrets are measured against it.
    published_effort: f64,
    /// The optimum by a thorough search. It takes half a minute and is left out of quick runs.
    searched: Option<f64>,
}

impl Problem {
    /// The name in letters fit for a file.
    pub fn slug(self) -> String {
        match self {
            Self::Draw { family, dim, lengthscale } => {
                format!("{}-{lengthscale}-d{dim}", slug(&format!("{family:?}")))
            }
            Self::Ackley(dim) => format!("ackley-d{dim}"),
            Self::Levy(dim) => format!("levy-d{dim}"),
            Self::Rosenbrock(dim) => format!("rosenbrock-d{dim}"),
            Self::PestControl => "pest-control".into(),
            Self::Pushing4 => "pushing4".into(),
            Self::Pushing14 => "pushing14".into(),
        }
    }

    /// The number of inputs.
    pub fn dim(self) -> usize {
        match self {
            Self::Draw { dim, .. }
            | Self::Ackley(dim)
            | Self::Levy(dim)
            | Self::Rosenbrock(dim) => dim,
            Self::PestControl => 25,
            Self::Pushing4 => 4,
            Self::Pushing14 => 14,
        }
    }

    /// Points of the initial design.
    pub fn design(self) -> usize {
        2 * (self.dim() + 1)
    }

    /// The problem of a seed.
    ///
    /// # Errors
    /// Those of the draw.
    pub fn instance(self, seed: u64) -> Result<Instance> {
        Ok(match self {
            Self::Draw { family, dim, lengthscale } => Instance::Draw(Box::new(GpDraw::new(
                family,
                &vec![lengthscale; dim],
                1.0,
                FEATURES,
                seed,
            )?)),
            Self::Ackley(dim) => Instance::Function(gittins_problems::ackley(dim)),
            Self::Levy(dim) => Instance::Function(gittins_problems::levy(dim)),
            Self::Rosenbrock(dim) => Instance::Function(gittins_problems::rosenbrock(dim)),
            Self::PestControl => Instance::PestControl,
            Self::Pushing4 => {
                let task = Pushing4::new(FAR_TARGETS[0]);
                let space = task.space();
                Instance::Pushing4(task, space)
            }
            Self::Pushing14 => {
                let task = Pushing14::default();
                let space = task.space();
                Instance::Pushing14(task, space)
            }
        })
    }

    /// The model of the published runs. Draws at a uniform price are modeled by their own kernel.
    /// At a varying price the published code does not pass the kernel on: it learns Matern-5/2 with
    /// a lengthscale for each input, whatever the kernel of the draw.
    pub fn model(self, price: Price) -> GaussianProcess {
        match (self, price) {
            (Self::Draw { family, dim, lengthscale }, Price::Uniform) => GaussianProcess::new()
                .kernel(family)
                .fixed_kernel(vec![lengthscale; dim], 1.0)
                .noise(Noise::Fixed(NOISE))
                .mean(Mean::Profiled),
            _ => learned(),
        }
    }

    /// The model of `ln c` if the cost is learned.
    pub fn cost_model(self) -> GaussianProcess {
        learned()
    }

    /// Draws are modeled without standardization.
    pub fn standardizes(self) -> bool {
        !matches!(self, Self::Draw { .. })
    }

    /// Whether the optimum is known, so that the regret is shown.
    pub fn shows_regret(self) -> bool {
        !matches!(self, Self::PestControl | Self::Pushing4 | Self::Pushing14)
    }

    /// Whether regrets fall over decades.
    pub fn is_logarithmic(self) -> bool {
        matches!(self, Self::Ackley(_) | Self::Levy(_) | Self::Rosenbrock(_))
    }

    /// The arm that keeps the optima of draws.
    pub fn reference_arm(self, quick: bool) -> Option<String> {
        let word = if quick { "optimum-quick" } else { "optimum" };
        matches!(self, Self::Draw { .. }).then(|| format!("{}_{word}", self.slug()))
    }

    /// Searches a draw for its optimum.
    ///
    /// # Errors
    /// If it is no draw.
    pub fn reference(self, seed: u64, quick: bool) -> Result<Reference> {
        let Instance::Draw(draw) = self.instance(seed)? else {
            return Err(std::io::Error::other("only draws are searched for their optimum").into());
        };
        let searched = (!quick).then(|| optimum(&draw).value);
        Ok(Reference { published_effort: published_optimum(&draw).value, searched })
    }

    /// The value that a figure shows for a best score.
    pub fn shown(self, best: f64, reference: Option<&Reference>) -> f64 {
        match (self, reference) {
            (Self::Draw { .. }, Some(reference)) => reference.published_effort - best,
            // The figures show the functions unscaled. Their least value is 0.
            (Self::Levy(_), _) => -100.0 * best,
            (Self::Rosenbrock(_), _) => -1e5 * best,
            (Self::PestControl | Self::Pushing4 | Self::Pushing14, _) => best,
            _ => -best,
        }
    }

    /// The remark of the report on the reference.
    ///
    /// # Errors
    /// If an optimum is missing.
    pub fn note(self, seeds: Range<u64>, store: &Store) -> Result<Option<String>> {
        let Some(arm) = self.reference_arm(false) else { return Ok(None) };
        let optima =
            seeds.map(|seed| store.get::<Reference>(&arm, seed)).collect::<Result<Vec<_>>>()?;
        let mean =
            |of: fn(&Reference) -> f64| optima.iter().map(of).sum::<f64>() / optima.len() as f64;
        let published = mean(|reference| reference.published_effort);
        let searched = mean(|reference| reference.searched.unwrap_or(f64::NAN));
        Ok(Some(format!(
            "{}: regrets are measured, like the published ones, against an optimum that 1024 d quasi-random points and 20 d climbs find, on average {published:.3}; a \
             proper search finds {searched:.3}, so that true regrets are larger by {:.3} on average, for all methods alike.",
            self.slug(),
            searched - published
        )))
    }
}

fn learned() -> GaussianProcess {
    GaussianProcess::new()
        .kernel(KernelFamily::Matern52)
        .noise(Noise::Fixed(NOISE))
        .mean(Mean::Profiled)
        .priors(Priors::Gamma)
}

impl Instance {
    /// The number of inputs.
    pub fn dim(&self) -> usize {
        match self {
            Self::Draw(draw) => draw.dim(),
            Self::Function(problem) => problem.dim(),
            Self::PestControl => PestControl.dim(),
            Self::Pushing4(task, _) => task.dim(),
            Self::Pushing14(task, _) => task.dim(),
        }
    }

    /// The result of a point of the unit cube.
    pub fn evaluate(&self, z: &[f64]) -> Evaluation {
        match self {
            Self::Draw(draw) => Evaluation { score: draw.value(z), bills: None },
            Self::Function(problem) => Evaluation { score: problem.score(z), bills: None },
            Self::PestControl => {
                let controlled = PestControl.evaluate_unit(z);
                Evaluation { score: -controlled.score, bills: Some([controlled.price; 2]) }
            }
            Self::Pushing4(task, space) => {
                let values = space.numbers_at(z);
                let pushed = task.evaluate(&values);
                Evaluation {
                    score: pushed.objective,
                    bills: Some([task.duration(&values), pushed.cost]),
                }
            }
            Self::Pushing14(task, space) => {
                let values = space.numbers_at(z);
                let pushed = task.evaluate(&values);
                Evaluation {
                    score: pushed.objective,
                    bills: Some([task.longest_duration(&values), pushed.cost]),
                }
            }
        }
    }

    /// The price that is known beforehand, and its gradient.
    fn known_price(&self, z: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        match self {
            // The price is a step function: a choice owns a fifth of its interval.
            Self::PestControl => PestControl.price(&z.iter().map(|u| 5.0 * u).collect::<Vec<_>>()),
            Self::Pushing4(task, space) => {
                gradient[DURATION] = space.derivative(z)[DURATION];
                task.duration(&space.numbers_at(z))
            }
            Self::Pushing14(task, space) => {
                let values = space.numbers_at(z);
                let [first, second] = DURATIONS;
                let longest = if values[first] >= values[second] { first } else { second };
                gradient[longest] = space.derivative(z)[longest];
                task.longest_duration(&values)
            }
            Self::Draw(_) | Self::Function(_) => 1.0,
        }
    }
}

impl Price {
    /// The name in letters fit for a file.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Linear => "linear",
            Self::Known => "known",
            Self::Learned => "learned",
        }
    }

    /// Whether a study learns the price from what it pays.
    pub fn is_learned(self) -> bool {
        self == Self::Learned
    }

    /// The name of the axis.
    pub fn axis(self) -> &'static str {
        if self == Self::Uniform { "evaluations" } else { "money spent" }
    }

    /// What the study knows of the price.
    pub fn cost(self, instance: &Arc<Instance>) -> Cost {
        match self {
            Self::Uniform => Cost::uniform(1.0),
            Self::Linear => Cost::known_with_gradient(costs::linear),
            Self::Known => {
                let instance = instance.clone();
                Cost::known_with_gradient(move |z, gradient| instance.known_price(z, gradient))
            }
            Self::Learned => Cost::learned(),
        }
    }

    /// The floor of the price: a policy without pesticide is free.
    pub fn floor(self) -> Option<f64> {
        (self == Self::Known).then_some(PestControl::COST_FLOOR)
    }

    /// The price that is paid for an evaluation.
    pub fn paid(self, z: &[f64], evaluation: &Evaluation) -> f64 {
        match self {
            Self::Uniform => 1.0,
            Self::Linear => costs::linear(z, &mut vec![0.0; z.len()]),
            Self::Known => evaluation.bills.map_or(1.0, |[known, _]| known),
            Self::Learned => evaluation.bills.map_or(1.0, |[_, measured]| measured),
        }
    }

    /// What a study is told of an evaluation, with its cost if that is learned.
    pub fn outcome(self, z: &[f64], evaluation: &Evaluation) -> Outcome {
        let outcome = Outcome::new(evaluation.score);
        if self.is_learned() { outcome.cost(self.paid(z, evaluation)) } else { outcome }
    }
}

impl Budget {
    /// The budget in units of cost.
    pub fn money(self) -> f64 {
        match self {
            Self::Evaluations(count) => count as f64,
            Self::Money(money) => money,
        }
    }

    /// The name in letters fit for a file.
    pub fn slug(self) -> String {
        match self {
            Self::Evaluations(count) => format!("n{count}"),
            Self::Money(money) => format!("b{money}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known price is what is paid. Its slope is that of the durations, 29 to a side of the
    /// cube.
    #[test]
    fn known_prices_are_what_is_paid() {
        for problem in [Problem::PestControl, Problem::Pushing4, Problem::Pushing14] {
            let instance = problem.instance(0).unwrap();
            for k in 0..20u32 {
                let z: Vec<f64> = (0..problem.dim())
                    .map(|i| (f64::from(k + 1) * (i as f64 + 1.0).sqrt()).fract())
                    .collect();
                let mut gradient = vec![f64::NAN; z.len()];
                let known = instance.known_price(&z, &mut gradient);
                assert_eq!(
                    Some(known),
                    instance.evaluate(&z).bills.map(|[known, _]| known),
                    "{problem:?} at {z:?}"
                );
                let steep: Vec<usize> = (0..z.len()).filter(|&i| gradient[i] != 0.0).collect();
                match problem {
                    Problem::PestControl => assert!(steep.is_empty()),
                    _ => assert!(
                        steep.len() == 1
                            && gradient[steep[0]] == 29.0
                            && (known - 1.0 - 29.0 * z[steep[0]]).abs() < 1e-12
                    ),
                }
            }
        }
    }
}
