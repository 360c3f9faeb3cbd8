//! The batch from which on the device is quicker than the CPU, measured on this machine.
//!
//! Device and CPU are timed on models of [`SIZES`] observations, with and without gradients, with
//! two batches each. That gives a latency and a time for each operation. The device is timed in a
//! wide space as well, which gives a time for each number that is sent and read. Between the sizes,
//! all are interpolated over `ln n`. Operations and numbers are counted for the `n` and `d` at hand.
//! Sending a posterior is timed too, with the inversion of its factor on the host, and counts for
//! the first batch.
//!
//! What was measured is kept in a file for the next process.

use std::fmt;
use std::time::Instant;

use super::activity::undisturbed;
use super::kept::{Kept, seconds};
use crate::acquisition::Acquisition;
use crate::backend::gpu::chunk::operations::{operations, operations_for};
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::kernels::pipelines::Pipelines;
use crate::backend::gpu::pass::engine::Engine;
use crate::backend::gpu::pass::scores::evaluate_alone;
use crate::backend::{Backend, Cpu, Job, JobCost, Precision, Scores};
use crate::data::Points;
use crate::math::sobol::Sobol;
use crate::model::{Hyperparameters, KernelFamily};
use crate::posterior::Posterior;

/// Observations of the models that are timed.
pub const SIZES: [usize; 3] = [64, 256, 1024];

/// Their dimension, and that of a model beside which more numbers are sent and read.
const DIM: usize = 8;
const WIDE: usize = 64;

/// The smaller batch. The larger one depends on how long the smaller takes.
const SMALL: usize = 64;

/// Repetitions; the quickest counts.
const REPETITIONS: usize = 3;

/// How often a measurement is made that other work disturbs.
const TRIES: usize = 3;

/// The time of a batch: a latency, and a time for each operation and each number.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Timing {
    /// Seconds.
    pub latency: f64,
    /// Seconds.
    pub operation: f64,
    /// Seconds to send or read a number; 0 on the CPU.
    pub number: f64,
}

/// The numbers of a point that are sent and read: coordinates, value, mean and variance, and the
/// gradient.
pub(in crate::backend::gpu) fn numbers_for(d: usize, gradient: bool) -> f64 {
    (d + 3 + if gradient { d } else { 0 }) as f64
}

/// What was measured at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct CrossoverRow {
    /// Observations.
    pub n: usize,
    /// On the CPU without and with gradients.
    pub cpu: [Timing; 2],
    /// On the device without and with gradients.
    pub device: [Timing; 2],
    /// Seconds to send the posterior.
    pub send: f64,
}

impl CrossoverRow {
    fn of_line(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let n = words.next()?.parse().ok()?;
        let mut next = || seconds(words.next()?);
        let send = next()?;
        let mut timing = || Some(Timing { latency: next()?, operation: next()?, number: next()? });
        let cpu = [timing()?, timing()?];
        let device = [timing()?, timing()?];
        words.next().is_none().then_some(Self { n, cpu, device, send })
    }
}

/// The measurements of one device in one precision, beside the CPU's.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Crossover {
    /// The device's precision.
    pub precision: Precision,
    /// One row for each of [`SIZES`].
    pub rows: Vec<CrossoverRow>,
}

/// Seconds that a batch is expected to take.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Expected {
    /// On the CPU.
    pub cpu: f64,
    /// On the device that holds the posterior.
    pub device: f64,
    /// To send the posterior there.
    pub send: f64,
}

impl Crossover {
    /// What an earlier process has kept, otherwise what is measured now. If batches on the CPU
    /// disturb it, it is measured again, [`TRIES`] times at most, and then serves this process
    /// alone.
    pub fn of(
        pipelines: &Pipelines,
        precision: Precision,
        kept: Option<&Kept>,
    ) -> Result<Self, Failure> {
        // Another tiling has other times.
        let what = format!("crossover {precision}, {}", pipelines.tiling(precision));
        if let Some(crossover) =
            kept.and_then(|kept| kept.read(&what, |text| Self::of_text(precision, text)))
        {
            return Ok(crossover);
        }
        let measure = || undisturbed(|| Self::measure(pipelines, precision));
        let (mut measured, mut is_undisturbed) = measure();
        for _ in 1..TRIES {
            if is_undisturbed || measured.is_err() {
                break;
            }
            (measured, is_undisturbed) = measure();
        }
        if let (Ok(measured), Some(kept), true) = (&measured, kept, is_undisturbed) {
            kept.write(&what, &measured.to_text());
        }
        measured
    }

    /// A line for each size: observations, what sending takes, and the two times of CPU and device.
    fn to_text(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            text += &format!("{} {:e}", row.n, row.send);
            for Timing { latency, operation, number } in row.cpu.into_iter().chain(row.device) {
                text += &format!(" {latency:e} {operation:e} {number:e}");
            }
            text += "\n";
        }
        text
    }

    fn of_text(precision: Precision, text: &str) -> Option<Self> {
        let rows: Vec<_> = text.lines().map(CrossoverRow::of_line).collect::<Option<_>>()?;
        let sizes = rows.iter().map(|row| row.n);
        sizes.eq(SIZES).then_some(Self { precision, rows })
    }

    /// Measures; takes some tenths of a second on hardware.
    pub fn measure(pipelines: &Pipelines, precision: Precision) -> Result<Self, Failure> {
        let rows = SIZES
            .iter()
            .map(|&n| measure_row(pipelines, precision, n))
            .collect::<Result<_, _>>()?;
        Ok(Self { precision, rows })
    }

    /// The time that a batch of `b` points is expected to take with `n` observations in `d`
    /// dimensions.
    pub fn expected(&self, n: usize, d: usize, b: usize, gradient: bool) -> Expected {
        let numbers = b as f64 * numbers_for(d, gradient);
        self.of_batch(n, b as f64 * operations_for(n, d, gradient), numbers, gradient)
    }

    pub(in crate::backend::gpu) fn of_batch(
        &self,
        n: usize,
        operations: f64,
        numbers: f64,
        gradient: bool,
    ) -> Expected {
        // The share of the larger size. Outside the sizes the nearest one stands.
        let above =
            self.rows.iter().position(|row| row.n >= n).unwrap_or(self.rows.len() - 1).max(1);
        let low = &self.rows[above - 1];
        let high = &self.rows[above];
        let share = ((n.max(1) as f64 / low.n as f64).ln() / (high.n as f64 / low.n as f64).ln())
            .clamp(0.0, 1.0);
        let between = |low: f64, high: f64| low + share * (high - low);
        let side = |low: Timing, high: Timing| {
            between(low.latency, high.latency)
                + operations * between(low.operation, high.operation)
                + numbers * between(low.number, high.number)
        };
        let with = usize::from(gradient);
        // Inverting grows with the cube of n, and dominates past the last size.
        let beyond = (n as f64 / high.n as f64).max(1.0).powi(3);
        Expected {
            cpu: side(low.cpu[with], high.cpu[with]),
            device: side(low.device[with], high.device[with]),
            send: between(low.send, high.send) * beyond,
        }
    }

    /// The smallest batch for which the device is quicker if it holds the posterior; `None` if
    /// there is none up to a million points.
    pub fn points(&self, n: usize, d: usize, gradient: bool) -> Option<usize> {
        (0..=20).map(|power| 1 << power).find(|&b| {
            let Expected { cpu, device, .. } = self.expected(n, d, b, gradient);
            device < cpu
        })
    }
}

impl fmt::Display for Crossover {
    /// A line for each size: the smallest batch for which the device is quicker, without and with
    /// gradients.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:>6} {:>12} {:>12} {:>14} {:>14} {:>10}",
            self.precision, "points", "with grad", "cpu Gop/s", "device Gop/s", "send ms"
        )?;
        for row in &self.rows {
            let points = |gradient| {
                self.points(row.n, DIM, gradient)
                    .map_or("never".to_string(), |points| points.to_string())
            };
            let rate = |timing: &[Timing; 2]| {
                format!("{:.1} {:.1}", 1e-9 / timing[0].operation, 1e-9 / timing[1].operation)
            };
            let cpu = rate(&row.cpu);
            let device = rate(&row.device);
            let send = 1e3 * row.send;
            writeln!(
                f,
                "n={:<5} {:>11} {:>12} {cpu:>14} {device:>14} {send:>10.2}",
                row.n,
                points(false),
                points(true)
            )?;
        }
        Ok(())
    }
}

fn measure_row(
    pipelines: &Pipelines,
    precision: Precision,
    n: usize,
) -> Result<CrossoverRow, Failure> {
    let posterior = model(n, DIM)?;
    let wide = model(n, WIDE)?;
    let acquisition = &Acquisition::gittins(1e-2);
    let mut row = CrossoverRow { n, cpu: [NONE; 2], device: [NONE; 2], send: 0.0 };
    let mut engine = Engine::new(pipelines.clone())?;
    let mut scores = Scores::default();
    for gradient in [false, true] {
        let job = Job::new(&posterior, JobCost::Uniform(1.0), acquisition, 1.0).gradient(gradient);
        let small = Sobol::new(DIM, 2).points(0, SMALL);
        if !gradient {
            // The first call builds pipelines and sends. The second one only sends.
            evaluate_alone(&mut engine, &job, &small, precision, &mut scores)?;
            let fresh = model(n, DIM)?;
            let started = Instant::now();
            let job = job.posterior(&fresh);
            evaluate_alone(&mut engine, &job, &small, precision, &mut scores)?;
            row.send = started.elapsed().as_secs_f64();
        }
        let with = usize::from(gradient);
        let mut on_device = |job: &Job<'_>| {
            line(job, |points| evaluate_alone(&mut engine, job, points, precision, &mut scores))
        };
        let in_wide = job.posterior(&wide);
        let narrow = on_device(&job)?;
        let wide = on_device(&in_wide)?;
        row.device[with] = narrow.timing_beside(&wide);
        row.cpu[with] =
            line(&job, |points| Cpu.evaluate(&job, points, &mut scores).map_err(Failure::from))?
                .timing();
    }
    row.send = (row.send - row.device[0].latency).max(0.0);
    Ok(row)
}

const NONE: Timing = Timing { latency: 0.0, operation: 0.0, number: 0.0 };

/// A model of so many observations. It is rough and noisy, so that single precision is fit at every
/// size.
fn model(n: usize, d: usize) -> Result<Posterior, Failure> {
    let inputs = Sobol::new(d, 1).points(0, n);
    let outcomes: Vec<f64> =
        inputs.rows().map(|x| x.iter().map(|x| (5.0 * x).sin()).sum()).collect();
    let lengthscale = 0.5 * (d as f64 / DIM as f64).sqrt();
    let hyperparameters = Hyperparameters {
        lengthscales: vec![lengthscale; d],
        outputscale: 1.0,
        noise: 1e-2,
        mean: 0.0,
    };
    Ok(Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &outcomes)?)
}

/// The seconds of a batch of a job: those of none, and those of each point.
struct Line {
    operations: f64,
    numbers: f64,
    latency: f64,
    per_point: f64,
}

impl Line {
    /// The time of a batch if only operations count.
    fn timing(&self) -> Timing {
        Timing { latency: self.latency, operation: self.per_point / self.operations, number: 0.0 }
    }

    /// The time of a batch of which operations and numbers count, by the line of a job in a wide
    /// space. The two times for each point are two equations. A time below zero is none, and this
    /// job then gives the other one.
    fn timing_beside(&self, wide: &Self) -> Timing {
        let determinant = self.operations * wide.numbers - wide.operations * self.numbers;
        let operation =
            (self.per_point * wide.numbers - wide.per_point * self.numbers) / determinant;
        let number =
            (self.operations * wide.per_point - wide.operations * self.per_point) / determinant;
        match (operation > 0.0, number > 0.0) {
            (true, true) => Timing { latency: self.latency, operation, number },
            (false, true) => Timing {
                latency: self.latency,
                operation: 0.0,
                number: self.per_point / self.numbers,
            },
            _ => self.timing(),
        }
    }
}

/// Times a small and a larger batch, and draws the line through both.
fn line(
    job: &Job<'_>,
    mut run: impl FnMut(&Points) -> Result<(), Failure>,
) -> Result<Line, Failure> {
    let mut quickest = |count: usize| -> Result<f64, Failure> {
        let points = Sobol::new(job.posterior.dim(), 2).points(0, count);
        run(&points)?;
        let mut best = f64::INFINITY;
        for _ in 0..REPETITIONS {
            let started = Instant::now();
            run(&points)?;
            best = best.min(started.elapsed().as_secs_f64());
            if best > 0.05 {
                break;
            }
        }
        Ok(best)
    };
    let first = quickest(SMALL)?;
    let count = match first {
        t if t < 2e-3 => 32 * SMALL,
        t if t < 2e-2 => 8 * SMALL,
        _ => 2 * SMALL,
    };
    let second = quickest(count)?;
    let per_point = ((second - first) / (count - SMALL) as f64).max(0.0);
    Ok(Line {
        operations: operations(job, false),
        numbers: numbers_for(job.posterior.dim(), job.gradient),
        latency: (first - per_point * SMALL as f64).max(0.0),
        per_point,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_and_numbers_are_told_apart_by_a_wide_job() {
        for gradient in [false, true] {
            let of = |operation: f64, number: f64| {
                let [narrow, wide] = [DIM, WIDE].map(|d| {
                    let operations = operations_for(64, d, gradient);
                    let numbers = numbers_for(d, gradient);
                    let per_point = operation * operations + number * numbers;
                    Line { operations, numbers, latency: 1e-4, per_point }
                });
                narrow.timing_beside(&wide)
            };
            let Timing { latency, operation, number } = of(1e-12, 3e-9);
            assert_eq!(latency, 1e-4);
            approx::assert_relative_eq!(operation, 1e-12, max_relative = 1e-9);
            approx::assert_relative_eq!(number, 3e-9, max_relative = 1e-9);
            // Noise may make one of them less than nothing.
            assert_eq!(of(1e-12, -1e-12).number, 0.0);
            assert_eq!(of(-1e-14, 3e-9).operation, 0.0);
        }
    }

    #[test]
    fn a_crossover_is_read_as_it_is_written() {
        let timing = |k: f64| Timing { latency: k / 3.0, operation: k * 1e-13, number: 0.0 };
        let row = |n| CrossoverRow {
            n,
            cpu: [timing(1.0), timing(2.0)],
            device: [timing(3.0), timing(4.0)],
            send: 1e-4,
        };
        let precision = Precision::F32;
        let crossover = Crossover { precision, rows: SIZES.map(row).to_vec() };
        let text = crossover.to_text();
        assert_eq!(Crossover::of_text(precision, &text), Some(crossover));
        for wrong in [
            text.replace("256 ", "257 "),
            text.replace("1e-4", "-1e-4"),
            text.replace("1e-4", "inf"),
            text.replace(" 1e-4", ""),
            text.replace('\n', " 1\n"),
            text.lines().take(2).map(|line| format!("{line}\n")).collect(),
            String::new(),
        ] {
            assert_ne!(wrong, text);
            assert_eq!(Crossover::of_text(precision, &wrong), None, "{wrong}");
        }
    }
}
