//! Values and gradients of 4096 points as a multiple of the floor, in one run and in turns.
//!
//! The floor is two triangular solves of `n x n` against `n x 4096` and one `n x 4096 x d` product by
//! faer on the same threads: the least that an exact posterior variance and its gradient need. What
//! else a point costs, in fused multiply-adds, beside the floor's `n^2 + n d`:
//!
//! - distances to the data: `n d`, and as many differences,
//! - the kernel and its slope: `n` exponentials, some 15 `n`,
//! - mean and variance: `2 n`,
//! - the gradients of both: `2 n d` and `n d` differences, of which the floor's product is a part,
//! - the acquisition: about 200 ns.
//!
//! A tile of `t` points reads the factor twice, `8 n^2` bytes, and `16 n t` bytes of kernel values and
//! slopes some six times. The data, `8 n d` bytes, are read once by the distances and `t / 4` times by
//! the gradients.
//!
//! `cargo bench -p gittins-benches --bench floor`; `-- --threads 1` for one thread.

use std::hint::black_box;
use std::time::Instant;

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, Mat, Par};
use gittins::math::Sobol;
use gittins::{Backend, Cpu, Scores};

const POINTS: usize = 4096;

/// Rounds, of which the medians count.
const ROUNDS: usize = 9;

/// The sizes of the other benches, and a late run in many dimensions.
const SIZES: [(usize, usize); 4] = [(8, 200), (16, 500), (32, 1000), (100, 2000)];

fn milliseconds(work: impl FnOnce()) -> f64 {
    let began = Instant::now();
    work();
    1e3 * began.elapsed().as_secs_f64()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn measure(dim: usize, n: usize) {
    let entry = |i: usize, j: usize| if i == j { 2.0 } else { 1.0 / (1.0 + i.abs_diff(j) as f64) };
    let lower = Mat::from_fn(n, n, entry);
    let right = Mat::from_fn(n, POINTS, |i, j| ((i * 7 + j * 3) % 11) as f64);
    let inputs = Mat::from_fn(n, dim, |i, j| ((i * 5 + j) % 13) as f64);
    let (mut solved, mut product) = (right.clone(), Mat::zeros(POINTS, dim));
    let posterior = gittins_benches::posterior(dim, n);
    let points = Sobol::new(dim, 2).points(0, POINTS);
    let job = gittins_benches::job(&posterior);
    let mut scores = Scores::default();
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        solved.copy_from(&right);
        times[0].push(milliseconds(|| {
            let par = Par::rayon(0);
            solve_lower_triangular_in_place(lower.as_ref(), solved.as_mut(), par);
            solve_upper_triangular_in_place(lower.transpose(), solved.as_mut(), par);
            let of = solved.transpose();
            matmul(product.as_mut(), Accum::Replace, of, inputs.as_ref(), 1.0, par);
        }));
        black_box(&product);
        for (times, gradient) in times[1..].iter_mut().zip([false, true]) {
            times.push(milliseconds(|| {
                let job = job.gradient(gradient);
                Cpu.evaluate(&job, black_box(&points), &mut scores).expect("scores");
            }));
        }
    }
    let [floor, value, gradient] = times.map(median);
    println!(
        "{dim:>5} {n:>6} {floor:>10.2} {value:>10.2} {gradient:>10.2} {:>8.2} {:>8.2}",
        value / floor,
        gradient / floor
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let threads = arguments.iter().position(|argument| argument == "--threads");
    let threads = threads.map_or(0, |at| {
        let count = arguments.get(at + 1).and_then(|count| count.parse().ok());
        count.expect("--threads takes a number")
    });
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    println!("{POINTS} points, milliseconds, {} threads", pool.current_num_threads());
    println!("    d      n      floor      value   gradient   value/floor, gradient/floor");
    pool.install(|| SIZES.iter().for_each(|&(dim, n)| measure(dim, n)));
}
