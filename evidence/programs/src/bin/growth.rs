//! How time and memory grow with the number of trials and of parameters: a study takes over `n`
//! trials, then asks, is told and judges a few times. Each cell of the table is a process of its
//! own, so that its memory is its own.

use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use clap::Parser;
use frontend::{Console, Result};
use gittins::{Acquisition, Cost, Cpu, Outcome, Space, Study};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;
use serde_json::{Value, json};

/// Measures seconds and megabytes of long studies in many dimensions, on the CPU: the first
/// suggestions with all fits, then the median and the slowest of the next, a tell, and a verdict.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    console: Console,
    /// Numbers of trials that the study begins with.
    #[arg(long, value_delimiter = ',', default_value = "500,1000,2000,4000,8000")]
    trials: Vec<usize>,
    /// Numbers of parameters.
    #[arg(long, value_delimiter = ',', default_value = "10,100,300")]
    dims: Vec<usize>,
    /// Steps of asking and telling that are timed after the first suggestion.
    #[arg(long, default_value_t = 5)]
    steps: usize,
    /// Learns the cost too, a second model of the same size.
    #[arg(long)]
    learned: bool,
    /// Measures one cell and prints it; the program calls itself so.
    #[arg(long, hide = true)]
    cell: bool,
}

/// What is timed, in the order of the columns.
const COLUMNS: [&str; 6] = ["first", "ask", "slowest", "tell", "verdict", "megabytes"];

/// A valley around a place, with ripples. It has an optimum of zero.
fn valley(point: &[f64], place: &[f64]) -> f64 {
    let ripple = |z: f64| z * z + 0.3 * (1.0 - (3.0 * std::f64::consts::TAU * z).cos());
    let sum: f64 = point.iter().zip(place).map(|(x, p)| ripple(x - p)).sum();
    sum / point.len() as f64
}

/// Trials as a run leaves them: the first anywhere, later ones closer and closer to the optimum.
fn cell(dim: usize, count: usize, steps: usize, learned: bool) -> Result<Value> {
    let mut generator = Pcg64::seed_from_u64(1);
    let place: Vec<f64> = (0..dim).map(|_| 0.2 + 0.6 * generator.random::<f64>()).collect();
    let space = (0..dim).fold(Space::new(), |space, k| space.float(format!("x{k}"), 0.0, 1.0));
    let study = Study::minimize(space).backend(Arc::new(Cpu)).policy(Acquisition::gittins(1e-9));
    let mut study = if learned { study.cost(Cost::learned()) } else { study }.build()?;
    let outcome = |point: &[f64]| {
        let outcome = Outcome::new(valley(point, &place));
        if learned { outcome.cost(1.0 + point[0]) } else { outcome }
    };
    for i in 0..count {
        let width = 0.5 * (-(4.0 * i as f64) / count as f64).exp();
        let near = |p: &f64| {
            let normal: f64 = StandardNormal.sample(&mut generator);
            (p + width * normal).clamp(0.0, 1.0)
        };
        let point: Vec<f64> = place.iter().map(near).collect();
        study.import(&point, outcome(&point))?;
    }
    let timed = |study: &mut Study| -> Result<[f64; 2]> {
        let start = Instant::now();
        let ask = study.ask()?;
        let asked = start.elapsed().as_secs_f64();
        let outcome = outcome(ask.numbers());
        let start = Instant::now();
        study.tell(ask.id(), outcome)?;
        Ok([asked, start.elapsed().as_secs_f64()])
    };
    // With many parameters two models take turns, and each has a first fit.
    let first = timed(&mut study)?[0].max(timed(&mut study)?[0]);
    let mut seconds = [const { Vec::new() }; 3];
    for _ in 0..steps.max(1) {
        let [asked, told] = timed(&mut study)?;
        seconds[0].push(asked);
        seconds[1].push(told);
    }
    let slowest = seconds[0].iter().copied().fold(0.0, f64::max);
    for _ in 0..steps.div_ceil(2) {
        let start = Instant::now();
        study.verdict()?;
        seconds[2].push(start.elapsed().as_secs_f64());
        // The search of the verdict is taken over by the suggestion, which is not timed.
        timed(&mut study)?;
    }
    let median = |all: &mut Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let [ask, tell, verdict] = seconds.each_mut().map(median);
    Ok(json!({
        "dim": dim, "trials": count, "first": first, "ask": ask, "slowest": slowest,
        "tell": tell, "verdict": verdict, "megabytes": peak_megabytes(),
    }))
}

/// The largest resident memory of this process so far; none where the system does not say.
fn peak_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

fn number(value: &Value) -> String {
    match value.as_f64() {
        None => "-".into(),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.4}"),
    }
}

/// The slope of a quantity over the number of trials, both in logarithms, from the larger half.
fn exponent(cells: &[Value], name: &str) -> Option<f64> {
    let [.., a, b] = cells else { return None };
    let log = |cell: &Value, name: &str| cell[name].as_f64().map(f64::ln);
    Some((log(b, name)? - log(a, name)?) / (log(b, "trials")? - log(a, "trials")?))
}

fn main() -> Result<()> {
    let Args { console, trials, dims, steps, learned, cell: child } = Args::parse();
    if child {
        println!("{}", cell(dims[0], trials[0], steps, learned)?);
        return Ok(());
    }
    let heads = COLUMNS.map(|name| format!("{name:>10}")).join("");
    let title = format!("{:>5}{:>8}{heads}", "d", "trials");
    let progress = console.progress(title, (trials.len() * dims.len()) as u64);
    let mut table = Vec::new();
    let mut exponents = String::new();
    for dim in &dims {
        let mut column = Vec::new();
        for count in &trials {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["--cell", "--steps", &steps.to_string()]);
            command.args(["--dims", &dim.to_string(), "--trials", &count.to_string()]);
            command.args(learned.then_some("--learned"));
            let output = command.output()?;
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr);
                return Err(std::io::Error::other(format!("d = {dim}, n = {count}: {said}")).into());
            }
            let cell: Value = serde_json::from_slice(&output.stdout)?;
            let cells = COLUMNS.map(|name| format!("{:>10}", number(&cell[name]))).join("");
            progress.step(format_args!("{dim:>5}{count:>8}{cells}"));
            column.push(cell);
        }
        let slopes = COLUMNS.map(|name| match exponent(&column, name) {
            Some(slope) => format!("{slope:>10.1}"),
            None => format!("{:>10}", "-"),
        });
        exponents += &format!("{dim:>5}{:>8}{}\n", "", slopes.join(""));
        table.extend(column);
    }
    let text = format!(
        "seconds, and megabytes of memory; growth exponents between the last two sizes:\n{exponents}"
    );
    console.result(progress, &json!(table), text.trim_end());
    Ok(())
}
