//! Problems that are read from files: small files made here, and the published ones where
//! `GITTINS_DATA` names a folder with them.

use std::io::Write;
use std::path::{Path, PathBuf};

use gittins::data::PointCost;
use gittins::{Cost, Domain, ErrorKind, Hyperparameters, KernelFamily, Points, Posterior, Result};
use gittins_problems::datasets::{
    Measurements, Surrogate, airfoil, lcbench, lda, logreg, nats_bench_size, plant,
};
use serde_json::{Value, json};

use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::datasets::{
    AT_MAXIMUM, COORDINATE, SLOPE, kernel_sum, log_normal, surrogate,
};

/// A folder of files that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("gittins-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let folder = Self(path);
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An error of the kind `Data` that names all of this.
fn assert_names<T: std::fmt::Debug>(result: Result<T>, culprits: &[&str]) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Data, "{error}");
    assert!(
        culprits.iter().all(|culprit| error.to_string().contains(culprit)),
        "{error} does not name all of {culprits:?}"
    );
}

/// Compares the gradients of objective and cost with five-point quotients.
fn assert_gradients(problem: &Surrogate, unit: &[f64]) {
    let d = problem.dim();
    let mut own = vec![f64::NAN; d];
    let mut of_cost = vec![f64::NAN; d];
    assert_eq!(problem.evaluate_unit_with_gradient(unit, &mut own), problem.evaluate_unit(unit));
    let cost = problem.cost_unit(unit, &mut of_cost);
    for (name, value, own, function) in [
        (
            "objective",
            problem.evaluate_unit(unit),
            own,
            &(|u: &[f64]| problem.evaluate_unit(u)) as &dyn Fn(&[f64]) -> f64,
        ),
        ("cost", cost, of_cost, &|u: &[f64]| problem.cost_unit(u, &mut vec![0.0; d])),
    ] {
        let largest =
            own.iter().fold(0.01 * value.abs(), |largest, slope| largest.max(slope.abs()));
        for (axis, own) in own.into_iter().enumerate() {
            let at = |h: f64| {
                function(
                    &unit
                        .iter()
                        .enumerate()
                        .map(|(k, u)| if k == axis { u + h } else { *u })
                        .collect::<Vec<_>>(),
                )
            };
            let h = 1e-3;
            let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            let error = (own - slope).abs();
            assert!(
                error <= SLOPE * largest,
                "{name} of {}, axis {axis} at {unit:?}: {own} and {slope}",
                problem.name()
            );
        }
    }
}

/// The published files: all points of the table, the largest values, gradients.
#[test]
fn surrogates_agree_with_the_published_ones() {
    let test = "surrogates_agree_with_the_published_ones";
    let Ok(folder) = std::env::var("GITTINS_DATA") else {
        let _ = writeln!(
            std::io::stderr(),
            "skipped: {test}: GITTINS_DATA names no folder with the published data"
        );
        return;
    };
    // Data, outputscale and noise of the objective, its unit, and the same of ln c.
    let objective = |n, s: f64, noise, unit: f64| surrogate(n, s, noise) * s.sqrt() * unit;
    let cost = |n, s: f64, noise, unit: f64| log_normal(surrogate(n, s, noise), s.sqrt() * unit);
    for row in table("datasets")["surrogates"].as_array().unwrap() {
        let name = row["problem"].as_str().unwrap();
        let (problem, bound, of_cost) = match name {
            "lda" => {
                (lda(&folder), objective(289, 13.89, 7.07e-4, 722.5), cost(289, 0.606, 1e-3, 0.456))
            }
            "logreg" => (
                logreg(&folder),
                objective(1200, 2.476, 9.36e-4, 0.152),
                cost(1200, 3.016, 0.0116, 0.875),
            ),
            "airfoil" => (airfoil(&folder), objective(1503, 0.918, 4.38e-3, 1.0), 0.0),
            _ => (plant(&folder), kernel_sum(0.774 * 520.0), 0.0),
        };
        let problem = problem.unwrap();
        assert_eq!(problem.name(), name);
        let points: Vec<Vec<f64>> = row["points"].as_array().unwrap().iter().map(numbers).collect();
        let (mut worst, mut worst_cost) = (0.0_f64, 0.0_f64);
        for (index, (point, expected)) in points.iter().zip(numbers(&row["values"])).enumerate() {
            let got = problem.evaluate_unit(point);
            worst = worst.max((got - expected).abs());
            assert!(
                (got - expected).abs() <= bound,
                "{name} at {point:?}: {got} instead of {expected}, bound {bound:e}"
            );
            let values = problem.space().numbers_at(point);
            assert!(
                (problem.evaluate(&values).unwrap() - got).abs() <= bound,
                "{name} in its own units"
            );
            let paid = problem.cost_unit(point, &mut vec![0.0; point.len()]);
            let expected = row.get("costs").map_or(1.0, |costs| number(&costs[index]));
            worst_cost = worst_cost.max((paid / expected - 1.0).abs());
            assert!(
                (paid - expected).abs() <= of_cost * expected,
                "{name} at {point:?}: cost {paid} instead of {expected}"
            );
        }
        println!(
            "{name}: values differ by {worst:e} (bound {bound:e}), costs by {worst_cost:e} (bound {of_cost:e})"
        );
        points
            .iter()
            .filter(|point| point.iter().all(|u| (0.01..0.99).contains(u)))
            .for_each(|point| assert_gradients(&problem, point));

        let maximum = number(&row["maximum"]);
        let reached = problem.evaluate_unit(problem.maximizer());
        assert!(
            (reached - maximum).abs() <= AT_MAXIMUM * maximum.abs().max(1.0),
            "{name}: {reached} and {maximum}"
        );
        assert!(
            (problem.maximum() - maximum).abs() <= AT_MAXIMUM * maximum.abs().max(1.0),
            "{name}"
        );
        if let Some(expected) = row.get("cost_at_maximum").map(number) {
            let paid = problem.cost_unit(problem.maximizer(), &mut [0.0; 3]);
            assert!(
                (paid - expected).abs() <= of_cost * expected,
                "{name}: cost {paid} instead of {expected}"
            );
        }
    }
}

fn process(dim: usize, mean: f64, std: f64) -> Value {
    json!({
        "kernel": "matern52_ard", "lengthscales": vec![0.4; dim], "outputscale": 1.5, "noise_variance": 1e-3, "mean_constant": 0.2,
        "outcome_mean": mean, "outcome_std": std
    })
}

fn pair(dim: usize) -> String {
    json!({ "inputs": "ignored", "objective": process(dim, -1500.0, 200.0), "log_cost": process(dim, 1.0, 0.5) }).to_string()
}

const LDA: &str = "kappa,tau0,batch_size,perplexity,cost_seconds\n0.5,1,1,1500,3600\n1.0,1024.0,16384.0,1300,7200\n0.75,32,128,1800,36000\n";

/// The posterior that the files describe, built by hand: inputs of 0, 1 and 1/2 in each coordinate.
#[test]
fn lda_is_the_posterior_of_its_file() {
    let folder = Folder::new("lda", &[("lda_grid.csv", LDA), ("lda_surrogate.json", &pair(3))]);
    let problem = lda(&folder).unwrap();
    assert_eq!((problem.dim(), problem.name()), (3, "lda"));
    let inputs =
        Points::from_rows(3, [0.0, 1.0, 0.5].into_iter().flat_map(|u| [u; 3]).collect()).unwrap();
    let hyperparameters =
        Hyperparameters { lengthscales: vec![0.4; 3], outputscale: 1.5, noise: 1e-3, mean: 0.2 };
    let posterior = |y: [f64; 3]| {
        Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &y).unwrap()
    };
    let objective =
        posterior([1500.0, 1300.0, 1800.0].map(|perplexity: f64| (1500.0 - perplexity) / 200.0));
    let log_cost = posterior([1.0_f64, 2.0, 10.0].map(|hours| (hours.ln() - 1.0) / 0.5));
    let bound = surrogate(3, 1.5, 1e-3);
    for unit in [[0.2, 0.3, 0.9], [0.5, 0.5, 0.5], [0.9, 0.1, 0.4]] {
        let point = Points::from_rows(3, unit.to_vec()).unwrap();
        let mean = objective.moments(&point).unwrap().mean[0];
        let moments = log_cost.moments(&point).unwrap();
        let value = problem.evaluate_unit(&unit);
        assert!(
            (value - (-1500.0 + 200.0 * mean)).abs() <= 200.0 * 1.5_f64.sqrt() * bound,
            "{value} and {mean}"
        );
        let cost = (1.0 + 0.5 * moments.mean[0] + 0.125 * moments.variance[0]).exp();
        let paid = problem.cost_unit(&unit, &mut [0.0; 3]);
        assert!(
            (paid - cost).abs() <= log_normal(bound, 0.5 * 1.5_f64.sqrt()) * cost,
            "{paid} and {cost}"
        );
        assert_gradients(&problem, &unit);
    }
    assert!(problem.cost_unit(&[f64::NAN; 3], &mut [0.0; 3]).is_nan());
    assert_eq!(problem.evaluate(&[0.4, 1.0, 1.0]).unwrap_err().kind(), ErrorKind::OutOfBounds);

    // The cost as a study takes it, on the values and back on the cube.
    let Cost::Known(known) = problem.cost() else { panic!("a known cost") };
    let bound = known.on(&Domain::from(problem.space().clone()));
    let mut got = [0.0; 3];
    let mut expected = [0.0; 3];
    let cost = bound.cost(&[0.2, 0.3, 0.9], Some(&mut got)).unwrap();
    let paid = problem.cost_unit(&[0.2, 0.3, 0.9], &mut expected);
    assert!((cost - paid).abs() <= 100.0 * COORDINATE * paid, "{cost} and {paid}");
    assert!(
        got.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 100.0 * COORDINATE * b.abs()),
        "{got:?} and {expected:?}"
    );
}

/// Rows without an order are no data: with other numbers in them the function is the same.
#[test]
fn logreg_takes_the_rows_with_an_order() {
    let file = |unused: &str| {
        format!(
            "learning_rate,l2_regularisation,batch_size,epochs,valid_error,second_error,cost_seconds,surrogate_order\n\
             10,1,2560,2560,0.2,0,50,1\n{unused}\n0,0,20,5,0.1,0,4,0\n"
        )
    };
    let folder = Folder::new("logreg", &[("logreg_surrogate.json", &pair(4))]);
    let values = ["5,0.5,200,100,0.9,0,90,-1", "1,0.1,200,100,0.1,0,9,-1"].map(|unused| {
        folder.write("logreg_grid.csv", &file(unused));
        let problem = logreg(&folder).unwrap();
        assert_eq!(
            problem.evaluate(&[10.0, 1.0, 2560.0, 2560.0]).unwrap(),
            problem.evaluate_unit(&[1.0; 4])
        );
        assert_gradients(&problem, &[0.4, 0.3, 0.2, 0.6]);
        problem.evaluate_unit(&[0.4, 0.3, 0.2, 0.6])
    });
    assert_eq!(values[0], values[1]);
    folder.write("logreg_grid.csv", &file("1,0.1,200,100,0.1,0,9,2"));
    assert_ne!(logreg(&folder).unwrap().evaluate_unit(&[0.4, 0.3, 0.2, 0.6]), values[0]);
    folder.write(
        "logreg_grid.csv",
        &file("1,0.1,200,100,0.1,0,9,-1").replace(",50,1", ",50,-1").replace(",4,0", ",4,-1"),
    );
    assert_names(logreg(&folder), &["logreg_grid.csv", "surrogate_order"]);
}

/// At a datum without neighbors within several lengthscales the mean is
/// `m + (y - m) s / (s + noise)`.
#[test]
fn airfoil_is_the_posterior_of_its_file() {
    let parameters = json!({ "kernel": "matern52_ard", "lengthscales": vec![0.02; 5], "outputscale": 0.9, "noise_variance": 0.1, "mean_constant": -0.5 });
    let rows = "log_frequency,angle_of_attack,chord_length,velocity,log_displacement_thickness,sound_pressure_standardised\n\
                0,0,0,0,0,1.5\n1,1,1,1,1,-2\n";
    let folder = Folder::new(
        "airfoil",
        &[("airfoil_scaled.csv", rows), ("airfoil_gp.json", &parameters.to_string())],
    );
    let problem = airfoil(&folder).unwrap();
    for (unit, outcome) in [(0.0, 1.5), (1.0, -2.0)] {
        let expected = -0.5 + (outcome + 0.5) * 0.9 / 1.0;
        assert!(
            (problem.evaluate_unit(&[unit; 5]) - expected).abs() <= surrogate(2, 0.9, 0.1),
            "{expected}"
        );
    }
    assert_eq!(problem.evaluate_unit(&[0.5; 5]), -0.5);
    assert!(matches!(problem.cost(), Cost::Uniform(1.0)));
    assert_eq!(problem.cost_unit(&[0.5; 5], &mut [1.0; 5]), 1.0);
    let at = problem.space().numbers_at(&[0.5, 0.0, 0.0, 1.0, 1.0]);
    assert!((at[0] - 2000.0).abs() <= 1e3 * COORDINATE * 2000.0 && at[3] == 71.3, "{at:?}");
}

const PLANT: &str = "ca,b,nh3,k,ph,weight\n1,1,1,9,3,2.0\n5,2,8,11,6,-0.5\n";

fn plant_parameters() -> Value {
    json!({
        "kernel": "squared_exponential_ard", "lengthscales": [2.0, 1.0, 4.0, 1.5, 1.0], "variance": 0.7, "lower": [0.0, 0.0, 0.0, 8.9, 2.5],
        "upper": [7.7, 3.5, 10.4, 11.3, 6.5], "mean_constant": 0.25, "destandardise": { "mean": 1.0, "std": 2.0 }
    })
}

/// Against the formula in natural units.
#[test]
fn plant_is_the_sum_of_its_file() {
    let folder = Folder::new(
        "plant",
        &[("plant_gp.csv", PLANT), ("plant_gp.json", &plant_parameters().to_string())],
    );
    let problem = plant(&folder).unwrap();
    for x in [[1.0, 1.0, 1.0, 9.0, 3.0], [3.0, 1.5, 4.0, 10.0, 5.0], [7.7, 3.5, 10.4, 11.3, 6.5]] {
        let term = |center: [f64; 5], weight: f64| {
            let scaled = [2.0, 1.0, 4.0, 1.5, 1.0]
                .iter()
                .zip(x.iter().zip(center))
                .map(|(l, (x, c))| ((x - c) / l).powi(2));
            0.7 * weight * (-0.5 * scaled.sum::<f64>()).exp()
        };
        let expected =
            0.25 + term([1.0, 1.0, 1.0, 9.0, 3.0], 2.0) + term([5.0, 2.0, 8.0, 11.0, 6.0], -0.5);
        let got = problem.evaluate(&x).unwrap();
        assert!(
            (got - expected).abs() <= kernel_sum(0.25 + 0.7 * 2.5),
            "{got} instead of {expected}"
        );
    }
    assert_gradients(&problem, &[0.3, 0.4, 0.3, 0.5, 0.4]);
}

#[test]
fn surrogates_name_what_is_wrong_with_their_files() {
    let folder = Folder::new("wrong", &[]);
    assert_names(lda(folder.0.join("nowhere")), &["nowhere", "lda_grid.csv"]);
    folder.write("lda_grid.csv", LDA);
    assert_names(lda(&folder), &["lda_surrogate.json"]);
    folder.write("lda_surrogate.json", &pair(3));
    lda(&folder).unwrap();
    for (rows, culprits) in [
        (LDA.replace("tau0", "tau"), &["lda_grid.csv", "line 1", "\"tau0\"", "batch_size"][..]),
        (LDA.replace("1024.0", "many"), &["line 3", "\"tau0\"", "\"many\""]),
        (LDA.replace("1300", "NaN"), &["line 3", "\"perplexity\"", "NaN"]),
        (LDA.replace(",7200", ""), &["lda_grid.csv", "line: 3"]),
        (LDA.replace("0.75", "0.4"), &["line 4", "\"kappa\"", "0.4"]),
        (LDA.replace("36000", "0"), &["line 4", "cost", "0"]),
        (LDA.lines().next().unwrap().to_string(), &["lda_grid.csv", "at least one row"]),
        (String::new(), &["lda_grid.csv", "\"kappa\""]),
    ] {
        folder.write("lda_grid.csv", &rows);
        assert_names(lda(&folder), culprits);
    }
    folder.write("lda_grid.csv", LDA);
    for (parameters, culprits) in [
        (
            pair(3).replace("outputscale", "scale"),
            &["lda_surrogate.json", "outputscale", "line 1"][..],
        ),
        (pair(3).replace("matern52_ard", "linear"), &["lda_surrogate.json", "linear"]),
        (pair(3).replace("1.5", "-1.5"), &["lda_surrogate.json", "objective", "outputscale"]),
        (pair(3).replace("0.5", "0.0"), &["lda_surrogate.json", "log_cost", "outcome_std"]),
        (pair(2), &["lda_surrogate.json", "objective", "lengthscales"]),
        ("{".to_string(), &["lda_surrogate.json", "line 1"]),
    ] {
        folder.write("lda_surrogate.json", &parameters);
        assert_names(lda(&folder), culprits);
    }

    folder.write("plant_gp.csv", PLANT);
    for (field, value, culprits) in [
        ("upper", json!([7.7, 3.5, 10.4, 8.9, 6.5]), &["plant_gp.json", "\"k\""][..]),
        ("upper", json!([7.7]), &["plant_gp.json", "upper", "5"]),
        ("lengthscales", json!([2.0, 1.0, 4.0, 1.5, 0.0]), &["plant_gp.json", "lengthscale 4"]),
        ("variance", json!(-1.0), &["plant_gp.json", "outputscale"]),
    ] {
        let mut parameters = plant_parameters();
        parameters[field] = value;
        folder.write("plant_gp.json", &parameters.to_string());
        assert_names(plant(&folder), culprits);
    }
}

/// A run as in the published file, with a column in each group that is not read.
fn run(layers: u32, rate: &str, accuracy: &str, time: &str) -> String {
    format!(
        r#"{{"config": {{"batch_size": 16, "imputation_strategy": "mean", "max_dropout": 0.25, "mlp_shape": "funnel", "max_units": 64, "num_layers": {layers}, "learning_rate": {rate}, "momentum": 0.545, "weight_decay": 0.050005}}, "log": {{"time": {time}, "epoch": [0, 1], "Train/loss": [NaN, -Infinity]}}, "results": {{"model_parameters": 5000, "final_val_cross_entropy": Infinity, "final_val_accuracy": {accuracy}, "final_test_accuracy": 70.5, "OpenML_task_id": 126025, "instances": 100, "classes": 2, "features": 10}}}}"#
    )
}

/// Three data sets of one file, the second with three configurations.
fn lcbench_file(runs: &[String]) -> String {
    let runs: Vec<String> =
        runs.iter().enumerate().map(|(index, run)| format!("\"{index}\": {run}")).collect();
    let other = format!("{{\"0\": {}}}", run(2, "0.01", "NaN", "[Infinity]"));
    format!("{{\"APSFailure\": {other}, \"adult\": {{{}}}, \"made up\": {other}}}", runs.join(", "))
}

fn usual_runs() -> Vec<String> {
    vec![
        run(4, "0.1", "80.25", "[0.1, 3.5, 7.25]"),
        run(1, "0.0001", "60", "[0.1, 12]").replace("\"model_parameters\": 5000, ", ""),
        run(3, "0.0031622776601683794", "70.5", "[1e-3]")
            .replace("\"model_parameters\": 5000, ", "")
            .replace("\"epoch\"", "\"model_parameters\": [4321, 4321], \"epoch\""),
    ]
}

#[test]
fn lcbench_is_read_from_its_published_structure() {
    let folder = Folder::new("lcbench", &[("data_2k_lw.json", &lcbench_file(&usual_runs()))]);
    let file = folder.0.join("data_2k_lw.json");
    let adult = lcbench(&file, "adult").unwrap();
    assert_eq!(adult.outcomes, [19.75, 40.0, 29.5]);
    assert_eq!(adult.test_errors, [29.5; 3]);
    assert_eq!(adult.costs, [7.25, 12.0, 1e-3]);
    // The second has none in the file: 10 features, 64 units, 2 classes.
    assert_eq!(adult.parameters, [5000.0, 11.0 * 64.0 + 65.0 * 2.0, 4321.0]);
    assert_eq!(
        adult.proxy_costs,
        adult.parameters.iter().map(|count| 0.001 * count).collect::<Vec<_>>()
    );
    assert_eq!(adult.best_test_accuracy, Some(83.00552211950115));
    let names: Vec<_> = adult.table.names().collect();
    assert_eq!(
        names,
        [
            "batch_size",
            "learning_rate",
            "momentum",
            "weight_decay",
            "num_layers",
            "max_units",
            "max_dropout"
        ]
    );
    assert_eq!(adult.table.row(0), [16.0, 0.1, 0.545, 0.050005, 4.0, 64.0, 0.25]);
    for (row, [rate, layers]) in [[1.0, 1.0], [0.0, 0.0], [0.5, 2.0 / 3.0]].into_iter().enumerate()
    {
        for (got, expected) in
            adult.table.points().row(row).iter().zip([0.0, rate, 0.5, 0.5, layers, 0.0, 0.25])
        {
            assert!((got - expected).abs() <= COORDINATE, "row {row}: {got} instead of {expected}");
        }
    }

    // Five layers widen their column, and a data set that the experiments do not use has no best
    // accuracy.
    let mut runs = usual_runs();
    runs[0] = run(5, "0.1", "80.25", "[0.1, 3.5, 7.25]");
    std::fs::write(&file, lcbench_file(&runs).replace("\"adult\"", "\"jasmine\"")).unwrap();
    let jasmine = lcbench(&file, "jasmine").unwrap();
    assert_eq!([0, 1, 2].map(|row| jasmine.table.points().row(row)[4]), [1.0, 0.0, 0.5]);
    assert_eq!(jasmine.best_test_accuracy, None);
}

#[test]
fn lcbench_names_what_is_wrong_with_its_file() {
    let text = lcbench_file(&usual_runs());
    let folder = Folder::new("lcbench-wrong", &[("six.json", &text)]);
    let file = folder.0.join("six.json");
    assert_names(lcbench(folder.0.join("seven.json"), "adult"), &["seven.json"]);
    assert_names(lcbench(&file, "iris"), &["six.json", "iris", "APSFailure, adult, made up"]);
    assert_names(
        lcbench(&file, "APSFailure"),
        &["APSFailure", "configuration 0", "results", "final_val_accuracy", "NaN"],
    );
    for (from, to, culprits) in [
        ("80.25", "Infinity", &["adult", "configuration 0", "final_val_accuracy", "Infinity"][..]),
        ("[0.1, 12]", "[0.1, null]", &["configuration 1", "log", "time", "null"]),
        ("[0.1, 12]", "[]", &["configuration 1", "time", "none"]),
        ("[0.1, 12]", "0", &["configuration 1", "time", "positive"]),
        (
            "\"learning_rate\": 0.0001",
            "\"rate\": 0.0001",
            &["configuration 1", "config", "learning_rate"],
        ),
        (
            "\"learning_rate\": 0.0001",
            "\"learning_rate\": -1",
            &["adult", "learning_rate", "positive"],
        ),
        (
            "\"results\": {\"final_val",
            "\"outcome\": {\"final_val",
            &["configuration 1", "results", "line 1"],
        ),
        ("\"adult\": {\"0\"", "\"adult\": {\"0\" 1", &["six.json", "line 1"]),
    ] {
        assert!(text.contains(from), "{from}");
        std::fs::write(&file, text.replacen(from, to, 1)).unwrap();
        assert_names(lcbench(&file, "adult"), culprits);
    }
    std::fs::write(&file, lcbench_file(&[])).unwrap();
    assert!(lcbench(&file, "adult").is_err());
    std::fs::write(&file, &text[..text.len() / 2]).unwrap();
    assert_names(lcbench(&file, "made up"), &["six.json", "EOF"]);
}

/// As the script in the documentation writes it.
const NATS: &str = "c1,c2,c3,c4,c5,valid_accuracy,test_accuracy,train_seconds,valid_seconds,flops,params\r\n\
                    8,16,8,8,64,50.25,51.5,225.0,0.5,10.5,0.25\r\n64,8,36,8,8,51.0,52.75,315.0,0.75,11.5,1.25\r\n";

#[test]
fn nats_bench_is_read_from_its_export() {
    let name = |data_set: &str| format!("nats_sss_{data_set}.csv");
    let names = ["cifar10-valid", "cifar100", "ImageNet16-120"];
    let folder = Folder::new("nats", &names.map(name).each_ref().map(|name| (name.as_str(), NATS)));
    for (data_set, proxy, best) in [
        (names[0], [410.5, 411.5], 90.5),
        (names[1], [571.0, 573.0], 71.34),
        (names[2], [1010.5, 1011.5], 47.4),
    ] {
        let Measurements {
            table,
            outcomes,
            test_errors,
            costs,
            proxy_costs,
            parameters,
            best_test_accuracy,
        } = nats_bench_size(&folder, data_set).unwrap();
        assert_eq!((outcomes, test_errors), (vec![49.75, 49.0], vec![48.5, 47.25]));
        assert_eq!((costs, proxy_costs), (vec![225.5, 315.75], proxy.to_vec()));
        assert_eq!((parameters, best_test_accuracy), (vec![0.25, 1.25], Some(best)));
        assert_eq!(table.row(1), [64.0, 8.0, 36.0, 8.0, 8.0]);
        assert!((table.points().row(0)[1] - 1.0 / 7.0).abs() <= COORDINATE);
        assert_eq!(table.points().row(1), [1.0, 0.0, 0.5, 0.0, 0.0]);
    }
    assert_names(
        nats_bench_size(&folder, "cifar10"),
        &["\"cifar10\"", "cifar10-valid, cifar100, ImageNet16-120"],
    );
    assert_names(
        nats_bench_size(folder.0.join("nowhere"), "cifar100"),
        &["nowhere", "nats_sss_cifar100.csv"],
    );
    for (from, to, culprits) in [
        ("flops", "FLOPs", &["nats_sss_cifar100.csv", "line 1", "\"flops\""][..]),
        ("315.0", "None", &["line 3", "\"train_seconds\"", "None"]),
        ("225.0", "-1", &["line 2", "\"train_seconds\"", "positive"]),
    ] {
        folder.write("nats_sss_cifar100.csv", &NATS.replace(from, to));
        assert_names(nats_bench_size(&folder, "cifar100"), culprits);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_the_source_of_the_error() {
    use std::error::Error as _;
    let error = plant(Path::new("no such folder")).unwrap_err();
    assert!(error.source().unwrap().is::<std::io::Error>(), "{error:?}");
    let folder = Folder::new("a_file_that_cannot_be_read", &[("lcbench.json", "{")]);
    let error = lcbench(folder.as_ref().join("none.json"), "adult").unwrap_err();
    assert!(error.source().unwrap().is::<std::io::Error>(), "{error:?}");
}
