//! Answers a job file through the public API. Another engine can be given the same file, and the
//! two compared.
//!
//! ```text
//! cargo run --release --bin job -- evaluate JOB.json    moments, acquisition values and gradients at the file's points
//! cargo run --release --bin job -- maximize JOB.json    one maximization of the acquisition function
//! cargo run --release --bin job -- fit      JOB.json    maximum marginal likelihood, from the file's hyper-parameters
//! cargo run --release --bin job -- suggest  JOB.json    a study's next point, from the file's data alone
//!
//! GITTINS_BACKEND=gpu cargo run --release --bin job -- evaluate JOB.json --precision f64
//! ```
//!
//! Prints one JSON object. `backend`, `adapter` and `precision` say what computed its numbers.
//! `fallback` says why it was another backend than the one asked for. `basins`, for a search, says
//! what found the places from which the host climbed. A fit is always made on the host.
//!
//! All `seconds` exclude reading the file and what a process does once: starting threads, opening
//! and testing a device, building its shaders, measuring from which batch on it is quicker. The
//! same work is done beforehand for that; for `suggest` on the CPU a smaller study does it.
//! `maximize` includes the factorization of the posterior and sending it. `suggest` reads the data,
//! the cost and the acquisition function. Model and search are a study's defaults.

#[path = "../../../../tests/support/job_file.rs"]
mod job_file;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use frontend::Result;
use gittins::backend::{Choice, Precision, Provenance};
use gittins::math::Sobol;
use gittins::model::{Mean, Noise, Priors};
use gittins::study::Why;
use gittins::{
    Acquisition, Backend, BackendOptions, Cost, Error, ErrorKind, GaussianProcess, Hyperparameters,
    Maximize, Outcome, Pointwise, Scores, Space, Study,
};
use job_file::{CostSpec, JobFile};
use serde_json::{Value, json};

/// Answers a job file with one JSON object.
#[derive(Parser)]
struct Args {
    /// What to do with the file.
    verb: Verb,
    /// The job file.
    job: PathBuf,
    /// Who evaluates: auto, cpu or gpu; `GITTINS_BACKEND` unless set, and without that auto.
    #[arg(long)]
    backend: Option<Choice>,
    /// A part of the adapter's name; `GITTINS_ADAPTER` unless set, and without that the best
    /// hardware.
    #[arg(long)]
    adapter: Option<String>,
    /// Numbers on the device: f32 or f64; unless set, f32 where it is fit and else f64. The CPU has
    /// f64 alone.
    #[arg(long)]
    precision: Option<Precision>,
    /// Seed of the Sobol points and of the starts; for `suggest`, of the study.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// One line even on a terminal, as always when piped.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The backend that was asked for; what was not said is as the environment says.
    fn options(&self) -> gittins::Result<BackendOptions> {
        let environment = BackendOptions::from_env()?;
        Ok(BackendOptions {
            choice: self.backend.unwrap_or(environment.choice),
            adapter: self.adapter.clone().or(environment.adapter),
            precision: self.precision.or(environment.precision),
        })
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Verb {
    Evaluate,
    Maximize,
    Fit,
    Suggest,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let options = args.options()?;
    if (options.choice, options.precision) == (Choice::Cpu, Some(Precision::F32)) {
        return Err(io::Error::other(
            "--precision f32: expected f64, the CPU backend computes in double precision only",
        )
        .into());
    }
    let place = |error: &dyn std::fmt::Display| {
        io::Error::other(format!("{}: {error}", args.job.display()))
    };
    let text = std::fs::read_to_string(&args.job).map_err(|e| place(&e))?;
    let file: JobFile = serde_json::from_str(&text).map_err(|e| place(&e))?;
    let answer = match args.verb {
        Verb::Evaluate => evaluate(&file, &*options.open()),
        Verb::Maximize => maximize(&file, &*options.open(), args.seed),
        Verb::Fit => fit(&file, args.seed),
        Verb::Suggest => suggest(&file, options.open(), options.choice, args.seed),
    };
    let answer = answer.map_err(|e| place(&e))?;
    if io::stdout().is_terminal() && !args.json {
        println!("{answer:#}");
    } else {
        println!("{answer}");
    }
    Ok(())
}

fn evaluate(file: &JobFile, backend: &dyn Backend) -> gittins::Result<Value> {
    let work = file.work()?;
    let points = file.points()?;
    let job = work.job();
    // This score is the mean and needs no cost: what remains is the moments.
    let moments_job = job
        .acquisition(&Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 0.0 }))
        .gradient(false);
    let (mut scores, mut moments) = (Scores::default(), Scores::default());
    backend.evaluate(&job, &points, &mut scores)?;
    backend.evaluate(&moments_job, &points, &mut moments)?;

    let start = Instant::now();
    backend.evaluate(&moments_job, &points, &mut moments)?;
    let seconds_moments = start.elapsed().as_secs_f64();
    let start = Instant::now();
    backend.evaluate(&job, &points, &mut scores)?;
    let seconds = start.elapsed().as_secs_f64();

    let gradient: Vec<&[f64]> = scores.gradient.chunks_exact(points.dim()).collect();
    let answer = json!({
        "seconds_moments": seconds_moments, "seconds_value_and_gradient": seconds, "mean": moments.mean, "variance": moments.variance,
        "value": scores.value, "gradient": gradient, "floored": scores.floored, "jitter": work.posterior.jitter(),
    });
    Ok(made_by(answer, &scores.provenance))
}

fn maximize(file: &JobFile, backend: &dyn Backend, seed: u64) -> gittins::Result<Value> {
    // A scan and a round with another posterior object. The timed search then still has to send its
    // own posterior.
    let work = file.work()?;
    let mut scores = Scores::default();
    for (gradient, count) in [(false, file.raw), (true, file.restarts)] {
        let points = Sobol::new(work.posterior.dim(), seed).points(0, count);
        backend.evaluate(&work.job().gradient(gradient), &points, &mut scores)?;
    }
    drop(work);

    let start = Instant::now();
    let work = file.work()?;
    let defaults = Maximize::new(work.posterior.dim()).seed(seed);
    let search = Maximize {
        raw: file.raw,
        starts: file.restarts,
        max_iterations: file.max_iterations,
        ..defaults
    };
    let found = search.run(backend, &work.job(), &file.incumbent()?)?;
    let answer = json!({
        "seconds": start.elapsed().as_secs_f64(), "point": found.point, "value": found.value, "evaluations": found.evaluations,
        "rounds": found.rounds, "converged_starts": found.converged_starts, "basins": made_by(json!({}), &found.basins),
    });
    Ok(made_by(answer, &found.provenance))
}

/// Lengthscales and outputscales of further starts of a fit, with the same lengthscale for all
/// inputs. A marginal likelihood has several maxima, and the start decides in which one a climb
/// ends.
const LENGTHSCALES: [f64; 4] = [0.2, 0.4, 0.8, 1.6];
const OUTPUTSCALES: [f64; 2] = [1.0, 3.0];

/// Lengthscales may grow to a million cubes. An input then no longer counts in any digit. A peer
/// without a bound would end there.
///
/// The mean is profiled: the best constant for a kernel is known in closed form. So the maximum is
/// over the mean as well.
fn fit(file: &JobFile, seed: u64) -> gittins::Result<Value> {
    let inputs = file.inputs()?;
    let given = file.model.hyperparameters();
    let model = GaussianProcess::new()
        .kernel(file.model.family())
        .noise(Noise::Fixed(given.noise))
        .priors(Priors::None);
    let model = model.mean(Mean::Profiled).lengthscale_bounds(1e-3, 1e6).tolerance(1e-10);
    let clock = Instant::now();
    let mut best = model.fit(&inputs, &file.outcomes, Some(&given), seed)?;
    let mut evaluations = best.evaluations;
    for (lengthscale, outputscale) in
        LENGTHSCALES.iter().flat_map(|&l| OUTPUTSCALES.map(|s| (l, s)))
    {
        let start = Hyperparameters {
            lengthscales: vec![lengthscale; inputs.dim()],
            outputscale,
            ..given.clone()
        };
        let fit = model.fit(&inputs, &file.outcomes, Some(&start), seed)?;
        evaluations += fit.evaluations;
        // A failed climb has no likelihood and never wins.
        if fit.log_marginal_likelihood > best.log_marginal_likelihood
            || best.log_marginal_likelihood.is_nan()
        {
            best = fit;
        }
    }
    let seconds = clock.elapsed().as_secs_f64();
    let found = &best.hyperparameters;
    let answer = json!({
        "seconds": seconds, "log_marginal_likelihood": best.log_marginal_likelihood, "mean": found.mean, "lengthscales": found.lengthscales,
        "outputscale": found.outputscale, "evaluations": evaluations, "status": format!("{:?}", best.status),
    });
    Ok(made_by(
        answer,
        &Provenance { backend: "cpu", adapter: None, precision: "f64", fallback: None },
    ))
}

/// The number of observations of the study that warms the CPU up.
const WARM_UP: usize = 10;

/// Cold: a fit from nothing and a search. Warm: the same after one more observation, with a fit
/// from the last hyper-parameters. The new observation is the suggested point with the outcome and
/// the cost that were expected of it.
fn suggest(
    file: &JobFile,
    backend: Arc<dyn Backend>,
    choice: Choice,
    seed: u64,
) -> gittins::Result<Value> {
    // The first study is thrown away, so that the timed one starts no threads and no device. A
    // small one is enough for the CPU.
    let warm_up = if choice == Choice::Cpu { WARM_UP } else { file.outcomes.len() };
    told(file, warm_up, backend.clone(), seed)?.ask()?;

    let mut study = told(file, file.outcomes.len(), backend, seed)?;
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
        "rounds": found.rounds, "fit": format!("{:?}", found.fit), "basins": made_by(json!({}), &found.basins),
    });
    Ok(made_by(answer, &found.provenance))
}

/// A study of the unit cube that was told the first `count` observations of the file.
fn told(
    file: &JobFile,
    count: usize,
    backend: Arc<dyn Backend>,
    seed: u64,
) -> gittins::Result<Study> {
    let inputs = file.inputs()?;
    let outcomes = &file.outcomes;
    let numbers = |field: &str, got: usize| {
        let message = format!(
            "{field}: expected one number for each of the {} inputs, got {got}",
            inputs.len()
        );
        if got == inputs.len() { Ok(()) } else { Err(Error::new(ErrorKind::Dimension, message)) }
    };
    numbers("outcomes", outcomes.len())?;
    let (cost, log_costs) = match &file.cost {
        CostSpec::Uniform { value } => (Cost::uniform(*value), None),
        CostSpec::Linear(linear) => {
            let linear = *linear;
            (
                Cost::known_with_gradient(move |values, gradient| {
                    linear.at(values, Some(gradient))
                }),
                None,
            )
        }
        CostSpec::LogGp { log_costs, .. } => {
            numbers("log_costs", log_costs.len())?;
            (Cost::learned(), Some(log_costs))
        }
    };
    let space =
        (0..inputs.dim()).fold(Space::new(), |space, k| space.float(format!("x{k}"), 0.0, 1.0));
    let (acquisition, _) = file.acquisition();
    let study = Study::maximize(space).cost(cost).policy(acquisition).initial(0).seed(seed);
    let mut study = study.backend(backend).build()?;
    for (i, point) in inputs.rows().enumerate().take(count) {
        let outcome = Outcome::new(outcomes[i]);
        study.import(
            point,
            match log_costs {
                Some(log_costs) => outcome.cost(log_costs[i].exp()),
                None => outcome,
            },
        )?;
    }
    Ok(study)
}

fn made_by(mut answer: Value, provenance: &Provenance) -> Value {
    answer["backend"] = json!(provenance.backend);
    answer["adapter"] = json!(provenance.adapter.as_deref());
    answer["precision"] = json!(provenance.precision);
    if let Some(fallback) = provenance.fallback {
        answer["fallback"] = json!(fallback.to_string());
    }
    answer
}
