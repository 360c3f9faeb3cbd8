//! Answers a job file through the public API, so that any other engine can be given the same work and the two compared.
//!
//! ```text
//! cargo run --release --example job -- evaluate JOB.json    moments, acquisition values and gradients at the file's points
//! cargo run --release --example job -- maximize JOB.json    one maximization of the acquisition function
//! cargo run --release --example job -- fit      JOB.json    maximum marginal likelihood, from the file's hyper-parameters
//! cargo run --release --example job -- suggest  JOB.json    a study's next point, from the file's data alone
//! ```
//!
//! Prints one JSON object. All `seconds` exclude reading the file. `evaluate` times the second of two calls, so that threads and caches
//! are warm; `maximize` includes the factorization of the posterior. `suggest` reads the data, what is known of the cost and the
//! acquisition function; model and search are those a study has by itself.

#[path = "support/failure.rs"]
mod failure;
#[path = "support/job_file.rs"]
mod job_file;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use failure::Result;
use gittins::backend::Provenance;
use gittins::model::{Mean, Noise, Priors};
use gittins::study::Why;
use gittins::{Backend, Cost, Cpu, Error, ErrorKind, GaussianProcess, Hyperparameters, Job, Maximize, Outcome, Scores, Space, Study};
use job_file::{CostSpec, JobFile};
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
    /// Seed of the Sobol points and of the starts; for `suggest`, of the study.
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
    Suggest,
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
        return Err(io::Error::other("--backend gpu: expected auto or cpu, there is no GPU backend yet").into());
    }
    if let Precision::F32 = args.precision {
        return Err(io::Error::other("--precision f32: expected f64, the CPU backend computes in double precision only").into());
    }
    let place = |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", args.job.display()));
    let text = std::fs::read_to_string(&args.job).map_err(|e| place(&e))?;
    let file: JobFile = serde_json::from_str(&text).map_err(|e| place(&e))?;
    let answer = match args.verb {
        Verb::Evaluate => evaluate(&file),
        Verb::Maximize => maximize(&file, args.seed),
        Verb::Fit => fit(&file, args.seed),
        Verb::Suggest => suggest(&file, args.seed),
    };
    let answer = answer.map_err(|e| place(&e))?;
    if io::stdout().is_terminal() && !args.json {
        println!("{answer:#}")
    } else {
        println!("{answer}")
    }
    Ok(())
}

fn evaluate(file: &JobFile) -> gittins::Result<Value> {
    let (work, points) = (file.work()?, file.points()?);
    let job = Job {
        posterior: &work.posterior,
        cost: work.cost(),
        acquisition: work.acquisition,
        incumbent: work.incumbent,
        gradient: true,
        keep: None,
    };
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
    let job = Job {
        posterior: &work.posterior,
        cost: work.cost(),
        acquisition: work.acquisition,
        incumbent: work.incumbent,
        gradient: true,
        keep: None,
    };
    let search = Maximize { raw: file.raw, starts: file.restarts, max_iterations: file.max_iterations, seed, deadline: None, cancel: None };
    let found = search.run(&Cpu, &job, &file.incumbent()?)?;
    let answer = json!({
        "seconds": start.elapsed().as_secs_f64(), "point": found.point, "value": found.value, "evaluations": found.evaluations,
        "rounds": found.rounds, "converged_starts": found.converged_starts,
    });
    Ok(made_by(answer, &found.provenance))
}

/// Lengthscales and outputscales at which further climbs of a fit begin, the same lengthscale for all inputs: a marginal likelihood has
/// several maxima, and which one a climb ends in depends on where it began.
const LENGTHSCALES: [f64; 4] = [0.2, 0.4, 0.8, 1.6];
const OUTPUTSCALES: [f64; 2] = [1.0, 3.0];

/// Lengthscales may grow to a million cubes, where an input no longer counts in any digit: a peer without a bound would end there.
///
/// The mean is profiled: for each kernel the best constant is known in closed form, so the maximum is that over the mean as well.
fn fit(file: &JobFile, seed: u64) -> gittins::Result<Value> {
    let (inputs, given) = (file.inputs()?, file.model.hyperparameters());
    let model = GaussianProcess::new().kernel(file.model.family()).noise(Noise::Fixed(given.noise)).priors(Priors::None);
    let model = model.mean(Mean::Profiled).lengthscale_bounds(1e-3, 1e6).tolerance(1e-10);
    let clock = Instant::now();
    let mut best = model.fit(&inputs, &file.outcomes, Some(&given), seed)?;
    let mut evaluations = best.evaluations;
    for (lengthscale, outputscale) in LENGTHSCALES.iter().flat_map(|&l| OUTPUTSCALES.map(|s| (l, s))) {
        let start = Hyperparameters { lengthscales: vec![lengthscale; inputs.dim()], outputscale, ..given.clone() };
        let fit = model.fit(&inputs, &file.outcomes, Some(&start), seed)?;
        evaluations += fit.evaluations;
        // A climb that failed has no likelihood, and is greater than nothing.
        if fit.log_marginal_likelihood > best.log_marginal_likelihood || best.log_marginal_likelihood.is_nan() {
            best = fit;
        }
    }
    let seconds = clock.elapsed().as_secs_f64();
    let found = &best.hyperparameters;
    let answer = json!({
        "seconds": seconds, "log_marginal_likelihood": best.log_marginal_likelihood, "mean": found.mean, "lengthscales": found.lengthscales,
        "outputscale": found.outputscale, "evaluations": evaluations, "status": format!("{:?}", best.status),
    });
    Ok(made_by(answer, &Provenance { backend: "cpu", adapter: None, precision: "f64", fallback: None }))
}

/// Observations of the study that is thrown away.
const WARM_UP: usize = 10;

/// Cold, a fit from nothing and a search; warm, the same after one more observation, the fit from the last hyper-parameters. The new
/// observation is the suggested point with the outcome and the cost that were expected of it.
fn suggest(file: &JobFile, seed: u64) -> gittins::Result<Value> {
    // A small study first, so that what is timed starts no threads.
    told(file, WARM_UP, seed)?.ask()?;

    let mut study = told(file, file.outcomes.len(), seed)?;
    let clock = Instant::now();
    let cold = study.ask()?;
    let seconds_cold = clock.elapsed().as_secs_f64();
    let Why::Suggested(found) = cold.why() else {
        return Err(Error::new(ErrorKind::Empty, "outcomes: none"));
    };
    let clock = Instant::now();
    study.tell(cold.id(), Outcome::new(found.mean).cost(found.cost))?;
    let warm = study.ask()?;
    let seconds_warm = clock.elapsed().as_secs_f64();
    let answer = json!({
        "seconds_cold": seconds_cold, "seconds_warm": seconds_warm, "point": cold.values(), "point_warm": warm.values(),
        "value": found.value, "mean": found.mean, "sd": found.sd, "cost": found.cost, "evaluations": found.evaluations,
        "rounds": found.rounds, "fit": format!("{:?}", found.fit),
    });
    Ok(made_by(answer, &found.provenance))
}

/// A study of the unit cube that was told the first `count` observations of the file.
fn told(file: &JobFile, count: usize, seed: u64) -> gittins::Result<Study> {
    let (inputs, outcomes) = (file.inputs()?, &file.outcomes);
    let numbers = |field: &str, got: usize| {
        let message = format!("{field}: expected one number for each of the {} inputs, got {got}", inputs.len());
        if got == inputs.len() { Ok(()) } else { Err(Error::new(ErrorKind::Dimension, message)) }
    };
    numbers("outcomes", outcomes.len())?;
    let (cost, log_costs) = match &file.cost {
        CostSpec::Uniform { value } => (Cost::uniform(*value), None),
        CostSpec::Linear(linear) => {
            let linear = *linear;
            (Cost::known_with_gradient(move |values, gradient| linear.at(values, Some(gradient))), None)
        }
        CostSpec::LogGp { log_costs, .. } => {
            numbers("log_costs", log_costs.len())?;
            (Cost::learned(), Some(log_costs))
        }
    };
    let space = (0..inputs.dim()).fold(Space::new(), |space, k| space.float(format!("x{k}"), 0.0, 1.0));
    let (acquisition, _) = file.acquisition();
    let mut study = Study::maximize(space).cost(cost).acquisition(acquisition).initial(0).seed(seed).build()?;
    for (i, point) in inputs.rows().enumerate().take(count) {
        let outcome = Outcome::new(outcomes[i]);
        study.import(point, log_costs.map_or(outcome, |log_costs| outcome.cost(log_costs[i].exp())))?;
    }
    Ok(study)
}

fn made_by(mut answer: Value, provenance: &Provenance) -> Value {
    answer["backend"] = json!(provenance.backend);
    answer["adapter"] = json!(provenance.adapter.as_deref());
    answer["precision"] = json!(provenance.precision);
    answer
}
