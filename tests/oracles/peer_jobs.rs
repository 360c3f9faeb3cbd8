//! Jobs that another engine has answered (`BoTorch` 0.18 on `GPyTorch`, double precision): moments,
//! acquisition values and gradients of a batch. The tests use the public interface alone.

use std::path::{Path, PathBuf};

use gittins::model::{FitStatus, Mean, Noise, Priors};
use gittins::{Backend, Cpu, GaussianProcess, Maximize, Scores};
use serde_json::Value;

use crate::support::golden;
use crate::support::tolerance::{LIKELIHOOD_SLACK, PEER_AGREEMENT};

use crate::support::job_file::JobFile;

/// Known, linear and learned costs, the four kernel families, and every acquisition except UCB and
/// PI, whose jobs are large.
const GOLDEN: [&str; 6] = [
    "job_log_ei_d2_n20_matern52_uniform",
    "job_pbgi_d4_n60_matern52_linear",
    "job_log_eipc_d4_n60_matern32_linear",
    "job_pbgi_d8_n120_matern52_log_gp",
    "job_log_eipc_d8_n120_matern52_log_gp",
    "job_ei_d3_n40_rbf_uniform",
];

fn golden_job(name: &str) -> (JobFile, Value) {
    let mut table = golden::table(name);
    let job = serde_json::from_value(table["job"].take())
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    (job, table["answer"].take())
}

fn scores(file: &JobFile, gradient: bool) -> gittins::Result<Scores> {
    let work = file.work()?;
    let job = work.job().gradient(gradient);
    let mut scores = Scores::default();
    Cpu.evaluate(&job, &file.points()?, &mut scores)?;
    Ok(scores)
}

/// The largest difference, in units of the largest expected number.
fn apart(got: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let scale = expected.iter().fold(0.0_f64, |scale, value| scale.max(value.abs()));
    // A NaN must not hide behind `max`.
    assert!(got.iter().all(|value| value.is_finite()), "{got:?}");
    got.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / scale
}

fn assert_agrees(name: &str, file: &JobFile, answer: &Value) {
    let scores = scores(file, true).unwrap_or_else(|error| panic!("{name}: {error}"));
    let gradient: Vec<f64> =
        answer["gradient"].as_array().into_iter().flatten().flat_map(golden::numbers).collect();
    let arrays = [
        ("mean", &scores.mean, golden::numbers(&answer["mean"])),
        ("variance", &scores.variance, golden::numbers(&answer["variance"])),
        ("value", &scores.value, golden::numbers(&answer["value"])),
        ("gradient", &scores.gradient, gradient),
    ];
    for (array, got, expected) in arrays {
        let apart = apart(got, &expected);
        assert!(
            apart <= PEER_AGREEMENT,
            "{name}: {array} is {apart:.1e} of its scale away from the peer's"
        );
    }
}

#[test]
fn golden_jobs_agree_with_the_peer() {
    for name in GOLDEN {
        let (file, answer) = golden_job(name);
        assert_agrees(name, &file, &answer);
    }
}

/// Checks all jobs of a folder of jobs and answers beside the checkout, if there is such a folder.
#[test]
fn all_peer_jobs_agree_where_they_are_at_hand() {
    let peer = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/peer");
    let Ok(jobs) = std::fs::read_dir(peer.join("jobs")) else {
        println!(
            "skipped all_peer_jobs_agree_where_they_are_at_hand: there is no {}",
            peer.join("jobs").display()
        );
        return;
    };
    let mut jobs: Vec<PathBuf> =
        jobs.map(|entry| entry.expect("a readable folder").path()).collect();
    jobs.sort();
    assert!(!jobs.is_empty(), "{} is empty", peer.display());
    for path in jobs {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let read = |path: &Path| {
            std::fs::read_to_string(path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let file: JobFile =
            serde_json::from_str(&read(&path)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let answer: Value = serde_json::from_str(&read(&peer.join("answers").join(&name)))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_agrees(&name, &file, &answer);
    }
}

/// Leaving out the gradient changes no other number.
#[test]
fn values_do_not_depend_on_whether_gradients_are_asked_for() -> gittins::Result<()> {
    for name in GOLDEN {
        let (file, _) = golden_job(name);
        let (with, without) = (scores(&file, true)?, scores(&file, false)?);
        assert!(without.gradient.is_empty());
        let apart = apart(&without.value, &with.value);
        assert!(apart <= PEER_AGREEMENT, "{name}: {apart:.1e}");
    }
    Ok(())
}

/// A maximization ends in the unit cube and above every point of the file. Its value is the value
/// of an evaluation at its point.
#[test]
fn maximization_beats_every_listed_point() -> gittins::Result<()> {
    for name in GOLDEN {
        let (file, _) = golden_job(name);
        let work = file.work()?;
        let search = Maximize {
            raw: file.raw,
            starts: file.restarts,
            max_iterations: file.max_iterations,
            ..Maximize::new(work.posterior.dim())
        };
        let found = search.run(&Cpu, &work.job(), &file.incumbent()?)?;
        assert!(found.point.iter().all(|u| (0.0..=1.0).contains(u)), "{name}: {:?}", found.point);
        let listed = scores(&file, false)?.value.into_iter().fold(f64::NEG_INFINITY, f64::max);
        assert!(
            found.value >= listed,
            "{name}: found {}, a listed point has {listed}",
            found.value
        );
    }
    Ok(())
}

/// A fit that starts from the file's hyper-parameters ends no lower than its start.
#[test]
fn fit_climbs_from_the_files_hyperparameters() -> gittins::Result<()> {
    for name in GOLDEN {
        let (file, _) = golden_job(name);
        let start = file.model.hyperparameters();
        let model = GaussianProcess::new()
            .kernel(file.model.family())
            .noise(Noise::Fixed(start.noise))
            .priors(Priors::None);
        let fit =
            model.mean(Mean::Profiled).fit(&file.inputs()?, &file.outcomes, Some(&start), 0)?;
        let before = file.work()?.posterior.log_marginal_likelihood();
        assert!(!matches!(fit.status, FitStatus::KeptPrevious(_)), "{name}: {:?}", fit.status);
        let slack = LIKELIHOOD_SLACK * before.abs();
        assert!(
            fit.log_marginal_likelihood >= before - slack,
            "{name}: {} after, {before} before",
            fit.log_marginal_likelihood
        );
    }
    Ok(())
}
