//! The published surrogates: their files, domains and best points.

use std::path::Path;
use std::sync::Arc;

use gittins::{Hyperparameters, KernelFamily, Points, Posterior, Result, Space};
use serde::Deserialize;

use crate::check::check_positive;
use crate::datasets::read::{json, rows, wrong};
use crate::datasets::surrogate::{KernelSum, LogCost, Surrogate};

/// The kernels that the files name.
#[derive(Deserialize, Clone, Copy)]
enum Kernel {
    #[serde(rename = "matern52_ard")]
    Matern52,
    #[serde(rename = "squared_exponential_ard")]
    SquaredExponential,
}

impl Kernel {
    fn family(self) -> KernelFamily {
        match self {
            Self::Matern52 => KernelFamily::Matern52,
            Self::SquaredExponential => KernelFamily::Rbf,
        }
    }
}

/// A process on outcomes `(y - outcome_mean) / outcome_std`.
#[derive(Deserialize)]
struct Process {
    kernel: Kernel,
    lengthscales: Vec<f64>,
    outputscale: f64,
    noise_variance: f64,
    mean_constant: f64,
    #[serde(default)]
    outcome_mean: f64,
    #[serde(default = "one")]
    outcome_std: f64,
}

fn one() -> f64 {
    1.0
}

impl Process {
    fn posterior(self, inputs: &Points, outcomes: impl Iterator<Item = f64>) -> Result<LogCost> {
        check_positive("outcome_std", self.outcome_std)?;
        let outcomes: Vec<f64> =
            outcomes.map(|outcome| (outcome - self.outcome_mean) / self.outcome_std).collect();
        let hyperparameters = Hyperparameters {
            lengthscales: self.lengthscales,
            outputscale: self.outputscale,
            noise: self.noise_variance,
            mean: self.mean_constant,
        };
        let posterior = Posterior::new(self.kernel.family(), &hyperparameters, inputs, &outcomes)?;
        Ok(LogCost { posterior, shift: self.outcome_mean, scale: self.outcome_std })
    }
}

/// An objective and a cost.
#[derive(Deserialize)]
struct Pair {
    objective: Process,
    log_cost: Process,
}

/// One training row of such a pair.
struct Sample {
    line: u64,
    inputs: Vec<f64>,
    objective: f64,
    cost: f64,
}

/// A surrogate of objective and cost from the samples of one file and the parameters of another.
fn pair(
    space: &Space,
    data: &Path,
    parameters: &Path,
    samples: &[Sample],
) -> Result<(KernelSum, Arc<LogCost>)> {
    let mut inputs = Points::new(space.dim());
    for sample in samples {
        let place = format!("{}: line {}", data.display(), sample.line);
        inputs.push(&space.to_unit(&sample.inputs).map_err(|error| wrong(&place, error))?);
        check_positive("cost", sample.cost).map_err(|error| wrong(&place, error))?;
    }
    let place = parameters.display();
    let Pair { objective, log_cost } = json(parameters)?;
    let mean = objective.posterior(&inputs, samples.iter().map(|sample| sample.objective));
    let mean = mean.map_err(|error| wrong(&place, format_args!("objective: {error}")))?;
    let cost = log_cost.posterior(&inputs, samples.iter().map(|sample| libm::log(sample.cost)));
    let cost = cost.map_err(|error| wrong(&place, format_args!("log_cost: {error}")))?;
    Ok((KernelSum::of_posterior(&mean.posterior, mean.shift, mean.scale), Arc::new(cost)))
}

/// Online variational inference of a topic model: minus the perplexity over the forgetting rate
/// `kappa` (0.5 to 1), the delay `tau0` (1 to 1024, log scale) and the `batch_size` (1 to 16384,
/// log scale), with its cost in hours (2 to 11), as in Astudillo et al. 2021, Section 5.
///
/// The data were measured on a grid by Snoek, Larochelle & Adams 2012 ("Practical Bayesian
/// optimization of machine learning algorithms") with the model of Hoffman, Blei & Bach 2010. They
/// are published with `HPOLib` under the GNU GPL and therefore not part of this crate. The best value
/// known, -1261.3424, lies off the grid and costs 4.80 hours.
///
/// Reads `lda_grid.csv` (columns `kappa`, `tau0`, `batch_size`, `perplexity`, `cost_seconds`; all
/// rows are data) and `lda_surrogate.json` (`objective` and `log_cost`, each with `kernel`,
/// `lengthscales`, `outputscale`, `noise_variance`, `mean_constant`, `outcome_mean`, `outcome_std`;
/// of minus the perplexity, and of the logarithm of the hours).
///
/// # Errors
/// [`ErrorKind::Data`](gittins::ErrorKind::Data) for a file that is missing or malformed, naming
/// line and column, and for numbers that make no posterior.
pub fn lda(folder: impl AsRef<Path>) -> Result<Surrogate> {
    let space = Space::new().float("kappa", 0.5, 1.0).log_float("tau0", 1.0, 1024.0).log_float(
        "batch_size",
        1.0,
        16384.0,
    );
    let data = folder.as_ref().join("lda_grid.csv");
    let rows = rows(&data, ["kappa", "tau0", "batch_size", "perplexity", "cost_seconds"])?;
    let samples: Vec<Sample> = rows
        .iter()
        .map(|row| {
            let [kappa, tau0, batch_size, perplexity, seconds] = row.values;
            Sample {
                line: row.line,
                inputs: vec![kappa, tau0, batch_size],
                objective: -perplexity,
                cost: seconds / 3600.0,
            }
        })
        .collect();
    let (objective, cost) =
        pair(&space, &data, &folder.as_ref().join("lda_surrogate.json"), &samples)?;
    let maximizer = vec![0.12740817197075568, 0.5370637521273053, 0.9637516858412181];
    Ok(Surrogate {
        name: "lda",
        space,
        objective,
        cost: Some(cost),
        maximum: -1261.3424204467979,
        maximizer,
    })
}

/// Logistic regression on MNIST: minus the validation error over the `learning_rate` (0 to 10), the
/// weight of the squared penalty `l2_regularisation` (0 to 1), the `batch_size` (20 to 2560, log
/// scale) and the `epochs` (5 to 2560, log scale), with its cost in seconds (1.7 to 222).
///
/// The data were measured on a grid. They are published with `HPOLib` under the GNU GPL and therefore
/// not part of this crate. The surrogate is in the code of Astudillo et al. 2021, but not in the
/// paper. It is fitted to 1200 of the 9680 rows. The best value known, -0.016015, lies on two faces
/// of the cube. It is beyond what any row measured (0.0685 at best).
///
/// Reads `logreg_grid.csv` (columns `learning_rate`, `l2_regularisation`, `batch_size`, `epochs`,
/// `valid_error`, `cost_seconds`, `surrogate_order`; rows with an order of at least zero are data,
/// in that order) and `logreg_surrogate.json` (as for [`lda`]; of minus the error, and of the
/// logarithm of the seconds).
///
/// # Errors
/// As for [`lda`].
pub fn logreg(folder: impl AsRef<Path>) -> Result<Surrogate> {
    let space = Space::new().float("learning_rate", 0.0, 10.0).float("l2_regularisation", 0.0, 1.0);
    let space = space.log_float("batch_size", 20.0, 2560.0).log_float("epochs", 5.0, 2560.0);
    let data = folder.as_ref().join("logreg_grid.csv");
    let columns = [
        "learning_rate",
        "l2_regularisation",
        "batch_size",
        "epochs",
        "valid_error",
        "cost_seconds",
        "surrogate_order",
    ];
    let mut rows = rows(&data, columns)?;
    rows.retain(|row| row.values[6] >= 0.0);
    rows.sort_by(|a, b| a.values[6].total_cmp(&b.values[6]));
    if rows.is_empty() {
        return Err(wrong(
            data.display(),
            "expected a row with a \"surrogate_order\" of at least zero, got none",
        ));
    }
    let samples: Vec<Sample> = rows
        .iter()
        .map(|row| Sample {
            line: row.line,
            inputs: row.values[..4].to_vec(),
            objective: -row.values[4],
            cost: row.values[5],
        })
        .collect();
    let (objective, cost) =
        pair(&space, &data, &folder.as_ref().join("logreg_surrogate.json"), &samples)?;
    let maximizer = vec![0.07941071319352869, 0.0, 0.6293265472475751, 0.0];
    Ok(Surrogate {
        name: "logreg",
        space,
        objective,
        cost: Some(cost),
        maximum: -0.016014702434062444,
        maximizer,
    })
}

/// Self-noise of an airfoil: the standardized sound pressure level over `frequency` (200 to 20000
/// Hz, log scale), `angle` of attack (0 to 22.2 degrees), `chord` length (0.0254 to 0.3048 m),
/// free-stream `velocity` (31.7 to 71.3 m/s) and suction-side displacement `thickness` (0.000400682
/// to 0.0584113 m, log scale), as in Tay et al. 2023, Section 5. It has no cost.
///
/// The 1503 measurements are the UCI data set "Airfoil Self-Noise" of Brooks, Pope & Marcolini
/// (<https://archive.ics.uci.edu/dataset/291/airfoil+self+noise>, CC BY 4.0), scaled in
/// <https://github.com/sebtsh/bocvs>. The largest value known is 2.6140.
///
/// Reads `airfoil_scaled.csv` (columns `log_frequency`, `angle_of_attack`, `chord_length`,
/// `velocity`, `log_displacement_thickness`, all scaled to the unit interval, and
/// `sound_pressure_standardised`) and `airfoil_gp.json` (`kernel`, `lengthscales`, `outputscale`,
/// `noise_variance`, `mean_constant`).
///
/// # Errors
/// As for [`lda`].
pub fn airfoil(folder: impl AsRef<Path>) -> Result<Surrogate> {
    let space = Space::new()
        .log_float("frequency", 200.0, 20000.0)
        .float("angle", 0.0, 22.2)
        .float("chord", 0.0254, 0.3048);
    let space = space.float("velocity", 31.7, 71.3).log_float("thickness", 0.000400682, 0.0584113);
    let columns = [
        "log_frequency",
        "angle_of_attack",
        "chord_length",
        "velocity",
        "log_displacement_thickness",
        "sound_pressure_standardised",
    ];
    let rows = rows(&folder.as_ref().join("airfoil_scaled.csv"), columns)?;
    let mut inputs = Points::with_capacity(space.dim(), rows.len());
    for row in &rows {
        inputs.push(&row.values[..5]);
    }
    let parameters = folder.as_ref().join("airfoil_gp.json");
    let process: Process = json(&parameters)?;
    let mean = process
        .posterior(&inputs, rows.iter().map(|row| row.values[5]))
        .map_err(|error| wrong(parameters.display(), error))?;
    let objective = KernelSum::of_posterior(&mean.posterior, mean.shift, mean.scale);
    let maximizer = vec![
        0.18088581162810546,
        0.48240139992438996,
        0.26913952425175086,
        1.0,
        0.8069225503146139,
    ];
    Ok(Surrogate {
        name: "airfoil",
        space,
        objective,
        cost: None,
        maximum: 2.614005842386308,
        maximizer,
    })
}

/// A sum of kernels, and its box.
#[derive(Deserialize)]
struct Sum {
    kernel: Kernel,
    lengthscales: Vec<f64>,
    variance: f64,
    lower: Vec<f64>,
    upper: Vec<f64>,
    mean_constant: f64,
}

/// Plant growth: the standardized maximum leaf area over the concentrations of calcium, boron,
/// ammonium and potassium (`ca`, `b`, `nh3`, `k`, in log micromolar) and the `ph`, as in Tay et al.
/// 2023, Section 5. It has no cost.
///
/// The measurements are private. <https://github.com/sebtsh/bocvs> (MIT) publishes a sparse
/// Gaussian process whose posterior mean is a sum of squared exponentials at 79 places,
/// `f(x) = m + s sum_i w_i exp(-1/2 sum_k ((x_k - x_ik) / l_k)^2)`. It is near zero over most of
/// the box and has one peak of 2.19412.
///
/// Reads `plant_gp.csv` (columns `ca`, `b`, `nh3`, `k`, `ph`, `weight`) and `plant_gp.json`
/// (`kernel`, `lengthscales`, `variance`, `lower`, `upper`, `mean_constant`), both in natural
/// units.
///
/// # Errors
/// As for [`lda`].
pub fn plant(folder: impl AsRef<Path>) -> Result<Surrogate> {
    const NAMES: [&str; 5] = ["ca", "b", "nh3", "k", "ph"];
    let parameters = folder.as_ref().join("plant_gp.json");
    let place = parameters.display();
    let sum: Sum = json(&parameters)?;
    for (name, list) in [("lower", &sum.lower), ("upper", &sum.upper)] {
        if list.len() != NAMES.len() {
            return Err(wrong(
                &place,
                format_args!("{name}: expected {} numbers, got {}", NAMES.len(), list.len()),
            ));
        }
    }
    let bounds = sum.lower.iter().zip(&sum.upper);
    let space = NAMES
        .iter()
        .zip(bounds.clone())
        .fold(Space::new(), |space, (name, (&low, &high))| space.float(*name, low, high));
    space.validate().map_err(|error| wrong(&place, error))?;
    // A parameter with one value has no column, and no lengthscale in the unit of its range.
    if let Some(name) = NAMES
        .iter()
        .zip(bounds.clone())
        .find_map(|(name, (low, high))| (low == high).then_some(name))
    {
        return Err(wrong(&place, format_args!("{name:?}: expected a range, got one value")));
    }
    let hyperparameters = Hyperparameters {
        lengthscales: sum.lengthscales,
        outputscale: sum.variance,
        noise: 0.0,
        mean: sum.mean_constant,
    };
    hyperparameters.validate(NAMES.len()).map_err(|error| wrong(&place, error))?;
    // The kernel in units of the cube. A center may lie outside of the cube.
    let lengthscales: Vec<f64> = hyperparameters
        .lengthscales
        .iter()
        .zip(bounds.clone())
        .map(|(l, (low, high))| l / (high - low))
        .collect();
    let rows =
        rows(&folder.as_ref().join("plant_gp.csv"), ["ca", "b", "nh3", "k", "ph", "weight"])?;
    let mut centers = Points::with_capacity(NAMES.len(), rows.len());
    for row in &rows {
        let center: Vec<f64> = row
            .values
            .iter()
            .zip(bounds.clone())
            .map(|(x, (low, high))| (x - low) / (high - low))
            .collect();
        centers.push(&center);
    }
    let weights = rows.iter().map(|row| row.values[5]).collect();
    let objective = KernelSum::new(
        sum.kernel.family(),
        sum.variance,
        &centers,
        &lengthscales,
        weights,
        sum.mean_constant,
    );
    let maximizer = vec![
        0.9475857234708248,
        0.9811391966209463,
        0.6643033378519146,
        0.22462383265946065,
        0.7498262695858923,
    ];
    Ok(Surrogate {
        name: "plant",
        space,
        objective,
        cost: None,
        maximum: 2.1941161756534515,
        maximizer,
    })
}
