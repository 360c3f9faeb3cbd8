//! Answers a job file through the public API, so that any other engine can be given the same work and the two compared.
//!
//! ```text
//! cargo run --release --example job -- evaluate JOB.json    moments, acquisition values and gradients at the file's points
//! cargo run --release --example job -- maximize JOB.json    one maximization of the acquisition function
//! cargo run --release --example job -- fit      JOB.json    maximum marginal likelihood, from the file's hyper-parameters
//! ```
//!
//! Prints one JSON object. All `seconds` exclude reading the file. `evaluate` times the second of two calls, so that threads and caches
//! are warm; `maximize` includes the factorization of the posterior.

#[path = "support/failure.rs"]
mod failure;
#[path = "support/job_file.rs"]
mod job_file;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use failure::{Failure, Result};
use gittins::backend::Provenance;
use gittins::model::{Mean, Noise, Priors};
use gittins::{Backend, Cpu, GaussianProcess, Job, Maximize, Scores};
use job_file::JobFile;
use serde_json::{Value, json};

/// Answers a job file with one JSON object.
#[derive(Parser)]
struct Args {
    /// What to do with the file.
    verb: Verb,
    /// The job file.
    job: PathBuf,
    /// Who evaluates; `auto` is the CPU as long as there is no other backend.
    #[arg(long, value_enum, default_value = "auto")]
    backend: BackendChoice,
    /// Floating-point precision.
    #[arg(long, value_enum, default_value = "f64")]
    precision: Precision,
    /// Seed of the Sobol points and of the starts.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// One line even on a terminal, as always when piped.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Verb {
    Evaluate,
    Maximize,
    Fit,
}

#[derive(Clone, Copy, ValueEnum)]
enum BackendChoice {
    Auto,
    Cpu,
    Gpu,
}

#[derive(Clone, Copy, ValueEnum)]
enum Precision {
    F32,
    F64,
}

fn main() -> Result<()> {
    let args = Args::parse();
    if let BackendChoice::Gpu = args.backend {
        return Err(Failure::new("--backend gpu: expected auto or cpu, there is no GPU backend yet"));
    }
    if let Precision::F32 = args.precision {
        return Err(Failure::new("--precision f32: expected f64, the CPU backend computes in double precision only"));
    }
    let place = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", args.job.display()));
    let text = std::fs::read_to_string(&args.job).map_err(|e| place(&e))?;
    let file: JobFile = serde_json::from_str(&text).map_err(|e| place(&e))?;
    let answer = match args.verb {
        Verb::Evaluate => evaluate(&file),
        Verb::Maximize => maximize(&file, args.seed),
        Verb::Fit => fit(&file, args.seed),
    };
    let answer = answer.map_err(|e| place(&e))?;
    if std::io::stdout().is_terminal() && !args.json { println!("{answer:#}") } else { println!("{answer}") }
    Ok(())
}

fn evaluate(file: &JobFile) -> gittins::Result<Value> {
    let (work, points) = (file.work()?, file.points()?);
    let job = Job { posterior: &work.posterior, cost: work.cost(), acquisition: work.acquisition, incumbent: work.incumbent, gradient: true };
    let mut scores = Scores::default();
    Cpu.evaluate(&job, &points, &mut scores)?;

    let start = Instant::now();
    let moments = work.posterior.moments(&points)?;
    let seconds_moments = start.elapsed().as_secs_f64();
    let start = Instant::now();
    Cpu.evaluate(&job, &points, &mut scores)?;
    let seconds = start.elapsed().as_secs_f64();

    let gradient: Vec<&[f64]> = scores.gradient.chunks_exact(points.dim()).collect();
    let answer = json!({
        "seconds_moments": seconds_moments, "seconds_value_and_gradient": seconds, "mean": moments.mean, "variance": moments.variance,
        "value": scores.value, "gradient": gradient, "floored": scores.floored, "jitter": work.posterior.jitter(),
    });
    Ok(made_by(answer, &scores.provenance))
}

fn maximize(file: &JobFile, seed: u64) -> gittins::Result<Value> {
    let start = Instant::now();
    let work = file.work()?;
    let job = Job { posterior: &work.posterior, cost: work.cost(), acquisition: work.acquisition, incumbent: work.incumbent, gradient: true };
    let search = Maximize { raw: file.raw, starts: file.restarts, max_iterations: file.max_iterations, seed, deadline: None, cancel: None };
    let found = search.run(&Cpu, &job, &file.incumbent()?)?;
    let answer = json!({
        "seconds": start.elapsed().as_secs_f64(), "point": found.point, "value": found.value, "evaluations": found.evaluations,
        "rounds": found.rounds, "converged_starts": found.converged_starts,
    });
    Ok(made_by(answer, &found.provenance))
}

/// The mean is profiled: for each kernel the best constant is known in closed form, so the maximum is that over the mean as well.
fn fit(file: &JobFile, seed: u64) -> gittins::Result<Value> {
    let (inputs, start) = (file.inputs()?, file.model.hyperparameters());
    let model = GaussianProcess::new().kernel(file.model.family()).noise(Noise::Fixed(start.noise)).priors(Priors::None);
    let model = model.mean(Mean::Profiled).lengthscale_bounds(1e-3, 1e4);
    let clock = Instant::now();
    let fit = model.fit(&inputs, &file.outcomes, Some(&start), seed)?;
    let seconds = clock.elapsed().as_secs_f64();
    let found = &fit.hyperparameters;
    let answer = json!({
        "seconds": seconds, "log_marginal_likelihood": fit.log_marginal_likelihood, "mean": found.mean, "lengthscales": found.lengthscales,
        "outputscale": found.outputscale, "evaluations": fit.evaluations, "status": format!("{:?}", fit.status),
    });
    Ok(made_by(answer, &Provenance { backend: "cpu", adapter: None, precision: "f64" }))
}

fn made_by(mut answer: Value, provenance: &Provenance) -> Value {
    answer["backend"] = json!(provenance.backend);
    answer["adapter"] = json!(provenance.adapter);
    answer["precision"] = json!(provenance.precision);
    answer
}
