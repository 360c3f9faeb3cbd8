//! Whether `auto` chooses well: CPU, device and `auto` take turns at batches of all sizes, so that
//! other work on the machine slows all of them alike. Prints the medians and what `auto` takes in
//! units of the CPU and of the quicker of the two.
//!
//! `--quick` takes fewer turns. `GITTINS_ADAPTER` names the adapter.

use std::env;
use std::thread;
use std::time::{Duration, Instant};

use gittins::backend::Choice;
use gittins::internals::gpu::is_opening;
use gittins::math::Sobol;
use gittins::{Backend, BackendOptions, Job, Scores};
use gittins_benches::device::{is_test, milliseconds};

const SIZES: [(usize, usize); 3] = [(2, 50), (8, 200), (32, 1000)];
const POINTS: [usize; 6] = [64, 256, 1024, 4096, 16_384, 65_536];

/// Seconds after which a case is left out.
const LONGEST: f64 = 2.0;

fn main() {
    let quick = env::args().any(|argument| argument == "--quick");
    let (sizes, counts, turns) = match (is_test(), quick) {
        (true, _) => (&SIZES[..1], &POINTS[..1], 1),
        (false, true) => (&SIZES[..], &POINTS[..], 5),
        (false, false) => (&SIZES[..], &POINTS[..], 15),
    };
    let Some(device) = gittins_benches::device::device() else { return };
    println!("{}, driver {}", device.report().name, device.report().driver);
    drop(device);
    let adapter = env::var("GITTINS_ADAPTER").ok().filter(|name| !name.is_empty());
    let open = |choice| BackendOptions { choice, adapter: adapter.clone(), precision: None }.open();
    let backends = [open(Choice::Cpu), open(Choice::Gpu), open(Choice::Auto)];
    println!(
        "{:>6} {:>4} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  auto asked",
        "n", "d", "points", "gradient", "cpu ms", "device ms", "auto ms", "/ cpu", "/ least"
    );
    let (mut worst, mut worst_of_least) = (0.0_f64, 0.0_f64);
    for &(d, n) in sizes {
        let posterior = gittins_benches::noisy_posterior(d, n);
        let mut too_long = [false; 2];
        for &count in counts {
            let points = Sobol::new(d, 2).points(0, count);
            for gradient in [false, true] {
                if too_long[usize::from(gradient)] {
                    println!(
                        "{n:>6} {d:>4} {count:>8} {gradient:>9} left out: the smaller batch took more than {LONGEST} s on the device"
                    );
                    continue;
                }
                let job = (gittins_benches::job(&posterior)).gradient(gradient);
                let [cpu, device, auto] = take_turns(&backends, &job, &points, turns);
                too_long[usize::from(gradient)] = device.seconds > LONGEST;
                let (of_cpu, of_least) =
                    (auto.seconds / cpu.seconds, auto.seconds / cpu.seconds.min(device.seconds));
                (worst, worst_of_least) = (worst.max(of_cpu), worst_of_least.max(of_least));
                let [cpu, device, took] =
                    [cpu.seconds, device.seconds, auto.seconds].map(milliseconds);
                println!(
                    "{n:>6} {d:>4} {count:>8} {gradient:>9} {cpu:>9} {device:>9} {took:>9} {of_cpu:>9.3} {of_least:>9.3}  {}",
                    auto.answered
                );
            }
        }
    }
    println!("worst: {worst:.3} of the CPU, {worst_of_least:.3} of the quicker");
}

/// The median of one backend, and who answered it.
struct Took {
    seconds: f64,
    answered: String,
}

/// The least seconds of a turn. Shorter calls are repeated and divided.
const SHORTEST: f64 = 5e-3;

/// One turn of each after another. Before that each answers once, which sends. The first batch that
/// is worth a device lets `auto` open and measure one, which is waited for.
/// After the device the CPU answers once unmeasured, because a software adapter leaves spinning
/// threads and its own data in the caches. Then CPU and `auto` alternate in coming first.
fn take_turns(
    backends: &[std::sync::Arc<dyn Backend>; 3],
    job: &Job<'_>,
    points: &gittins::Points,
    turns: usize,
) -> [Took; 3] {
    let mut scores = Scores::default();
    let mut answered: [String; 3] = Default::default();
    let mut time = |which: usize, calls: usize| {
        let started = Instant::now();
        for _ in 0..calls {
            backends[which].evaluate(job, points, &mut scores).expect("scores");
        }
        answered[which] = scores.provenance.backend.to_string() + " " + scores.provenance.precision;
        started.elapsed().as_secs_f64() / calls as f64
    };
    let [cpu, device, auto] = [0, 1, 2];
    let calls = [cpu, device, auto].map(|which| {
        time(which, 1);
        while is_opening() {
            thread::sleep(Duration::from_millis(10));
        }
        time(which, 1);
        (SHORTEST / time(which, 1)).ceil() as usize
    });
    let mut samples: [Vec<f64>; 3] = Default::default();
    for turn in 0..turns {
        samples[device].push(time(device, calls[device]));
        time(cpu, calls[cpu]);
        for which in if turn % 2 == 0 { [cpu, auto] } else { [auto, cpu] } {
            samples[which].push(time(which, calls[which]));
        }
    }
    let mut answered = answered.into_iter();
    samples.map(|mut samples| {
        samples.sort_by(f64::total_cmp);
        Took { seconds: samples[samples.len() / 2], answered: answered.next().unwrap_or_default() }
    })
}
