//! A job file: one piece of work for any engine. It contains every number, so two engines can get
//! the same job.
//!
//! ```text
//! inputs       n x d, in the unit cube         outcomes  n, larger is better, standardized
//! model        {"kernel": "matern12|matern32|matern52|rbf", "lengthscales": [d], "outputscale": s2, "noise": v, "mean": m}
//! cost         {"kind": "uniform", "value": c} | {"kind": "linear", "intercept": a, "slope": b}     c(x) = a + b mean(x)
//!              | {"kind": "log_gp", "log_costs": [n], "model": {..}}                                ln c is a Gaussian process
//! acquisition  {"name": "ei|log_ei|log_eipc|pi|ucb|pbgi", "best": y*, "beta": b, "lambda": l}
//! points       q x d, where to evaluate        raw, restarts, max_iterations: how hard to maximize
//! ```

use gittins::data::PointCost;
use gittins::{
    Acquisition, CostForm, Error, ErrorKind, Hyperparameters, Job, JobCost, KernelFamily, Points,
    Pointwise, Posterior, Result,
};
use serde::Deserialize;

/// The contents of the file.
#[derive(Deserialize)]
pub struct JobFile {
    inputs: Vec<Vec<f64>>,
    /// The `n` outcomes.
    pub outcomes: Vec<f64>,
    /// The model of the outcome.
    pub model: ModelSpec,
    /// The kind of cost.
    #[serde(default)]
    pub cost: CostSpec,
    acquisition: AcquisitionSpec,
    points: Vec<Vec<f64>>,
    /// The number of Sobol points that are scored before the ascents.
    pub raw: usize,
    /// The number of ascents.
    pub restarts: usize,
    /// The largest number of iterations of each ascent.
    pub max_iterations: usize,
}

/// A Gaussian process with its hyper-parameters.
#[derive(Deserialize)]
pub struct ModelSpec {
    kernel: Kernel,
    lengthscales: Vec<f64>,
    outputscale: f64,
    noise: f64,
    mean: f64,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Kernel {
    Matern12,
    Matern32,
    Matern52,
    Rbf,
}

/// The kinds of cost.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CostSpec {
    /// A cost that is the same everywhere.
    Uniform {
        /// The cost.
        value: f64,
    },
    /// A known function.
    Linear(Linear),
    /// A cost to be learned.
    LogGp {
        /// The `n` logarithms of costs.
        log_costs: Vec<f64>,
        /// The model of the logarithms.
        model: ModelSpec,
    },
}

impl Default for CostSpec {
    fn default() -> Self {
        Self::Uniform { value: 1.0 }
    }
}

/// A cost that grows with the mean of the inputs.
#[derive(Deserialize, Clone, Copy)]
pub struct Linear {
    intercept: f64,
    slope: f64,
}

impl Linear {
    /// The cost. Its gradient is written if asked for.
    pub fn at(&self, unit: &[f64], gradient: Option<&mut [f64]>) -> f64 {
        let d = unit.len() as f64;
        if let Some(gradient) = gradient {
            gradient.fill(self.slope / d);
        }
        self.intercept + self.slope * unit.iter().sum::<f64>() / d
    }
}

impl PointCost for Linear {
    fn cost(&self, unit: &[f64], gradient: Option<&mut [f64]>) -> Result<f64> {
        Ok(self.at(unit, gradient))
    }
}

#[derive(Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
enum AcquisitionSpec {
    Ei { best: f64 },
    LogEi { best: f64 },
    LogEipc { best: f64 },
    Pi { best: f64 },
    Ucb { best: f64, beta: f64 },
    Pbgi { best: f64, lambda: f64 },
}

/// The parts of a job.
pub struct Work {
    /// The posterior of the outcome.
    pub posterior: Posterior,
    cost: Price,
    acquisition: Acquisition,
    incumbent: f64,
}

enum Price {
    Uniform(f64),
    Linear(Linear),
    Learned(Box<Posterior>),
}

impl Work {
    /// The job of values and gradients of all points.
    pub fn job(&self) -> Job<'_> {
        let cost = match &self.cost {
            Price::Uniform(value) => JobCost::Uniform(*value),
            Price::Linear(linear) => JobCost::Known(linear),
            Price::Learned(posterior) => JobCost::Learned(posterior),
        };
        let Self { posterior, acquisition, incumbent, .. } = self;
        Job::new(posterior, cost, acquisition, *incumbent).gradient(true)
    }
}

impl JobFile {
    /// The inputs of the data, `n x d`.
    pub fn inputs(&self) -> Result<Points> {
        points("inputs", &self.inputs)
    }

    /// The points to evaluate, `q x d`.
    pub fn points(&self) -> Result<Points> {
        points("points", &self.points)
    }

    /// The input with the best outcome.
    pub fn incumbent(&self) -> Result<Points> {
        let best =
            (0..self.outcomes.len()).max_by(|&i, &j| self.outcomes[i].total_cmp(&self.outcomes[j]));
        let row = best
            .and_then(|i| self.inputs.get(i))
            .ok_or_else(|| Error::new(ErrorKind::Empty, "outcomes: none"))?;
        points("inputs", std::slice::from_ref(row))
    }

    /// The score, and the best outcome that it uses.
    pub fn acquisition(&self) -> (Acquisition, f64) {
        match self.acquisition {
            AcquisitionSpec::Ei { best } => {
                (Acquisition::Pointwise(Pointwise::ExpectedImprovement), best)
            }
            AcquisitionSpec::LogEi { best } => {
                (Acquisition::Pointwise(Pointwise::LogExpectedImprovement), best)
            }
            // A learned cost divides by 1 / E[1/c], as in the other engines that use this format.
            AcquisitionSpec::LogEipc { best } => (
                Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                    exponent: 1.0,
                    form: CostForm::ExpectedInverse,
                }),
                best,
            ),
            AcquisitionSpec::Pi { best } => {
                (Acquisition::Pointwise(Pointwise::ProbabilityOfImprovement), best)
            }
            AcquisitionSpec::Ucb { best, beta } => {
                (Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta }), best)
            }
            AcquisitionSpec::Pbgi { best, lambda } => (Acquisition::gittins(lambda), best),
        }
    }

    /// Factors the posteriors and reads the rest.
    pub fn work(&self) -> Result<Work> {
        let inputs = self.inputs()?;
        let cost = match &self.cost {
            CostSpec::Uniform { value } => Price::Uniform(*value),
            CostSpec::Linear(linear) => Price::Linear(*linear),
            CostSpec::LogGp { log_costs, model } => Price::Learned(Box::new(
                model.posterior(&inputs, log_costs).map_err(|e| e.at("cost"))?,
            )),
        };
        let (acquisition, incumbent) = self.acquisition();
        Ok(Work {
            posterior: self.model.posterior(&inputs, &self.outcomes)?,
            cost,
            acquisition,
            incumbent,
        })
    }
}

impl ModelSpec {
    /// The kernel.
    pub fn family(&self) -> KernelFamily {
        match self.kernel {
            Kernel::Matern12 => KernelFamily::Matern12,
            Kernel::Matern32 => KernelFamily::Matern32,
            Kernel::Matern52 => KernelFamily::Matern52,
            Kernel::Rbf => KernelFamily::Rbf,
        }
    }

    /// The hyper-parameters.
    pub fn hyperparameters(&self) -> Hyperparameters {
        Hyperparameters {
            lengthscales: self.lengthscales.clone(),
            outputscale: self.outputscale,
            noise: self.noise,
            mean: self.mean,
        }
    }

    fn posterior(&self, inputs: &Points, outcomes: &[f64]) -> Result<Posterior> {
        Posterior::new(self.family(), &self.hyperparameters(), inputs, outcomes)
    }
}

fn points(field: &str, rows: &[Vec<f64>]) -> Result<Points> {
    let dim = rows.first().map_or(0, Vec::len);
    if let Some(at) = rows.iter().position(|row| row.len() != dim) {
        return Err(Error::new(
            ErrorKind::Dimension,
            format!("{field}: row {at} has {} numbers, row 0 has {dim}", rows[at].len()),
        ));
    }
    Points::from_rows(dim, rows.concat()).map_err(|error| error.at(field))
}
