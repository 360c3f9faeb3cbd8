//! What hardware should take for values and gradients, on paper: from bytes and operations of each
//! pass, and the peak rates of the hardware. The tables say for each pass what bounds it.
//!
//! Without arguments these are some machines that nothing was measured on. With
//! `--peak SINGLE,DOUBLE,BANDWIDTH` (TFLOP/s in 32-bit and in 64-bit floats, 0 for none, and GB/s)
//! it is the device of `GITTINS_ADAPTER`, or the best hardware, and what it takes stands beside.

use std::env;
use std::process::ExitCode;
use std::time::Instant;

use gittins::backend::Precision;
use gittins::backend::gpu::{Device, Gpu};
use gittins::math::Sobol;
use gittins::{Backend, Scores};
use gittins_benches::device::{device, is_test, precisions};
use gittins_benches::roof::{Case, Machine};

const SIZES: [(usize, usize); 4] = [(8, 200), (16, 500), (32, 1000), (100, 2000)];

const POINTS: usize = 4096;

/// Repetitions of a measurement; the median counts.
const REPETITIONS: usize = 9;

/// Seconds that a pass needs to start, and a submission to be noticed by the host. Drivers differ;
/// these are common.
const LAUNCH: f64 = 5e-6;
const SUBMISSION: f64 = 50e-6;

/// A machine from TFLOP/s, TFLOP/s and GB/s.
fn machine(name: &str, [single, double, bandwidth, link]: [f64; 4]) -> Machine {
    Machine {
        name: name.to_string(),
        single: 1e12 * single,
        double: Some(1e12 * double).filter(|rate| *rate > 0.0),
        bandwidth: 1e9 * bandwidth,
        link: 1e9 * link,
        launch: LAUNCH,
        submission: SUBMISSION,
    }
}

/// What the makers say, without tensor units; the link of the first is `PCIe` 5. On the others, host
/// and device share the memory.
fn machines() -> [Machine; 3] {
    [
        machine("H100", [67.0, 34.0, 3350.0, 50.0]),
        machine("Apple M3", [3.6, 0.0, 100.0, 100.0]),
        machine("integrated", [1.0, 0.0, 50.0, 50.0]),
    ]
}

fn main() -> ExitCode {
    let peak = match peak() {
        Ok(peak) => peak,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    };
    let Some([single, double, bandwidth]) = peak else {
        println!("Nothing here is measured.\n");
        paper(&machines());
        return ExitCode::SUCCESS;
    };
    let Some(device) = device() else { return ExitCode::SUCCESS };
    let link = if is_discrete(&device) { bandwidth.min(50.0) } else { bandwidth };
    let machine = machine(&device.report().name, [single, double, bandwidth, link]);
    paper(std::slice::from_ref(&machine));
    measured(&machine, &device);
    ExitCode::SUCCESS
}

fn is_discrete(device: &Device) -> bool {
    device.report().kind == gittins::backend::gpu::AdapterKind::Discrete
}

/// The three numbers after `--peak`; none without it.
fn peak() -> Result<Option<[f64; 3]>, String> {
    let mut arguments = env::args().skip_while(|argument| argument != "--peak");
    if arguments.next().is_none() {
        return Ok(None);
    }
    let text = arguments.next().unwrap_or_default();
    let numbers: Vec<f64> =
        text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
    match numbers[..] {
        [single, double, bandwidth] if single > 0.0 && double >= 0.0 && bandwidth > 0.0 => {
            Ok(Some([single, double, bandwidth]))
        }
        _ => Err(format!("--peak: expected TFLOP/s,TFLOP/s,GB/s such as 67,34,3350, got '{text}'")),
    }
}

fn cases() -> impl Iterator<Item = Case> {
    SIZES.into_iter().map(|(d, n)| Case { d, n, q: POINTS })
}

/// Microseconds, to whole ones.
fn microseconds(seconds: f64) -> String {
    format!("{:.0}", 1e6 * seconds)
}

/// Microseconds of each pass with its bound, and in all.
fn paper(machines: &[Machine]) {
    let [(d, n), ..] = SIZES;
    let passes = Case { d, n, q: POINTS }.passes(Precision::F32, true);
    let names: Vec<&str> = passes.iter().map(|pass| pass.name).collect();
    println!(
        "| µs; a: arithmetic, m: memory, l: launch | d, n | {} | value | value and gradient |\n|{}",
        names.join(" | "),
        " --- |".repeat(names.len() + 4)
    );
    for machine in machines {
        for precision in [Precision::F32, Precision::F64] {
            let Some(rate) = machine.rate(precision) else { continue };
            for case in cases() {
                let passes: Vec<String> = case
                    .passes(precision, true)
                    .iter()
                    .map(|pass| {
                        let (seconds, bound) = machine.seconds(pass, rate);
                        format!("{} {}", microseconds(seconds), bound.letter())
                    })
                    .collect();
                let totals = machine.totals(case, precision).unwrap_or_default().map(microseconds);
                println!(
                    "| {} {precision} | {}, {} | {} | {} |",
                    machine.name,
                    case.d,
                    case.n,
                    passes.join(" | "),
                    totals.join(" | ")
                );
            }
        }
    }
}

/// What is expected beside the medians.
fn measured(machine: &Machine, device: &Device) {
    println!(
        "\n| µs | d, n | value, on paper | measured | share | value and gradient, on paper | measured | share |\n|{}",
        " --- |".repeat(8)
    );
    for &precision in precisions(device) {
        let gpu = Gpu::new(device.clone()).precision(precision);
        for case in cases().take(if is_test() { 1 } else { SIZES.len() }) {
            let Some(paper) = machine.totals(case, precision) else { continue };
            let took = [false, true].map(|gradient| median(&gpu, case, gradient));
            let cells: Vec<String> = paper
                .into_iter()
                .zip(took)
                .map(|(paper, took)| {
                    let (share, paper) = (paper / took, microseconds(paper));
                    format!("{paper} | {} | {share:.3}", microseconds(took))
                })
                .collect();
            println!("| {precision} | {}, {} | {} |", case.d, case.n, cells.join(" | "));
        }
    }
}

fn median(gpu: &Gpu, case: Case, gradient: bool) -> f64 {
    let posterior = gittins_benches::noisy_posterior(case.d, case.n);
    let job = gittins_benches::job(&posterior).gradient(gradient);
    let points = Sobol::new(case.d, 2).points(0, case.q);
    let mut scores = Scores::default();
    let mut once = || {
        let started = Instant::now();
        gpu.evaluate(&job, &points, &mut scores).expect("scores");
        assert_eq!(scores.provenance.fallback, None);
        started.elapsed().as_secs_f64()
    };
    // The first call sends the posterior, and the second one knows the pace.
    once();
    once();
    let mut times: Vec<f64> =
        (0..if is_test() { 1 } else { REPETITIONS }).map(|_| once()).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
