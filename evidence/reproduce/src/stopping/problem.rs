//! One function of one variable, drawn from the process that the model assumes, on a grid that is a
//! table of candidates.

use std::sync::Arc;

use gittins::model::{Mean, Noise};
use gittins::study::StudyBuilder;
use gittins::suggest::Incumbent;
use gittins::{
    Acquisition, Cost, CostForm, Cpu, GaussianProcess, KernelFamily, Outcome, Pointwise, Policy,
    Result, Study, Table,
};
use gittins_problems::{GpDraw, costs};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

const LENGTHSCALE: f64 = 0.1;
const NOISE: f64 = 1e-6;
/// Sines and cosines of a draw.
const FEATURES: usize = 1024;
/// 2 (d + 1) points of the initial design.
const DESIGN: usize = 4;

/// The cost of evaluations. Both are 1 on average.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Price {
    Uniform,
    Linear,
}

/// The policies that choose the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Chooser {
    #[serde(rename = "LogEIPC")]
    LogImprovementPerCost,
    #[serde(rename = "PBGI")]
    Gittins,
    #[serde(rename = "LCB")]
    ConfidenceBound,
    #[serde(rename = "TS")]
    Thompson,
}

impl Price {
    pub const ALL: [Self; 2] = [Self::Uniform, Self::Linear];

    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Linear => "linear",
        }
    }

    fn cost(self) -> Cost {
        match self {
            Self::Uniform => Cost::uniform(1.0),
            Self::Linear => Cost::known_with_gradient(costs::linear_mean_one),
        }
    }
}

impl Chooser {
    pub const ALL: [Self; 4] =
        [Self::LogImprovementPerCost, Self::Gittins, Self::ConfidenceBound, Self::Thompson];

    pub fn name(self) -> &'static str {
        match self {
            Self::LogImprovementPerCost => "LogEIPC",
            Self::Gittins => "PBGI",
            Self::ConfidenceBound => "LCB",
            Self::Thompson => "TS",
        }
    }

    /// Whether the index's own stopping rule matches it.
    pub fn is_meant(self) -> bool {
        matches!(self, Self::LogImprovementPerCost | Self::Gittins)
    }

    fn policy(self, lambda: f64) -> Policy {
        match self {
            Self::LogImprovementPerCost => {
                Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                    exponent: 1.0,
                    form: CostForm::Expected,
                })
                .into()
            }
            Self::Gittins => Acquisition::gittins(lambda).into(),
            Self::ConfidenceBound => Policy::ucb(),
            Self::Thompson => Policy::thompson(),
        }
    }
}

/// A function to maximize.
pub struct Problem {
    table: Table,
    values: Vec<f64>,
    design: Vec<usize>,
    seed: u64,
    /// The largest value on the grid.
    pub optimum: f64,
}

impl Problem {
    pub fn new(grid: usize, seed: u64) -> Result<Self> {
        let draw = GpDraw::new(KernelFamily::Matern52, &[LENGTHSCALE], 1.0, FEATURES, seed)?;
        let places: Vec<Vec<f64>> = (0..grid).map(|i| vec![i as f64 / (grid - 1) as f64]).collect();
        let values: Vec<f64> = places.iter().map(|x| draw.value(x)).collect();
        // Independent uniform points, as in the published runs.
        let mut random = Pcg64::seed_from_u64(seed);
        let mut design: Vec<usize> = Vec::new();
        while design.len() < DESIGN {
            let row = random.random_range(0..grid);
            if !design.contains(&row) {
                design.push(row);
            }
        }
        let optimum = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(Self { table: Table::new(["x"], places)?, values, design, seed, optimum })
    }

    /// A study with the true kernel. Only the constant mean is fitted.
    pub fn study(&self, price: Price, chooser: Chooser, lambda: f64) -> StudyBuilder {
        let model = GaussianProcess::new()
            .kernel(KernelFamily::Matern52)
            .fixed_kernel(vec![LENGTHSCALE], 1.0)
            .noise(Noise::Fixed(NOISE))
            .mean(Mean::Profiled);
        Study::maximize(self.table.clone())
            .cost(price.cost())
            .incumbent(Incumbent::BestOutcome)
            .policy(chooser.policy(lambda))
            .model(model)
            .standardize(false)
            .initial(DESIGN)
            .seed(self.seed)
            // Seeds run side by side. None of them needs a device.
            .backend(Arc::new(Cpu))
    }

    /// Tells a new study the initial design.
    pub fn begin(&self, study: &mut Study) -> Result<()> {
        for &row in &self.design {
            study.import(self.table.row(row), Outcome::new(self.values[row]))?;
        }
        Ok(())
    }

    /// Asks once and tells the outcome.
    pub fn step(&self, study: &mut Study) -> Result<()> {
        let ask = study.ask()?;
        let row = ask.row().expect("a study of a table asks for rows");
        study.tell(ask.id(), Outcome::new(self.values[row]))
    }
}
