//! The device that is measured, and what was measured on it.

use std::cell::RefCell;
use std::env;
use std::fmt::Write;
use std::time::{Duration, Instant};

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, measurement::WallTime};
use gittins::backend::Precision;
use gittins::backend::gpu::Device;

/// The adapter that `GITTINS_ADAPTER` names, otherwise hardware. If there is none, it says so; the
/// caller calls it once.
pub fn device() -> Option<Device> {
    let name = env::var("GITTINS_ADAPTER").ok().filter(|name| !name.is_empty());
    let opened = Device::open(name.as_deref());
    opened
        .inspect_err(|error| {
            eprintln!("skipped: {error}; GITTINS_ADAPTER names a software adapter");
        })
        .ok()
}

/// The precisions it has.
pub fn precisions(device: &Device) -> &'static [Precision] {
    if device.has_double() { &[Precision::F32, Precision::F64] } else { &[Precision::F32] }
}

/// Whether this is `cargo test --benches`, or criterion's `--test`: each case then runs once.
pub fn is_test() -> bool {
    let arguments: Vec<String> = env::args().collect();
    !arguments.iter().any(|argument| argument == "--bench")
        || arguments.iter().any(|argument| argument == "--test")
}

/// Whether cases were asked for by name.
pub fn is_filtered() -> bool {
    env::args().skip(1).any(|argument| !argument.starts_with('-'))
}

/// A group's name, and its columns by name.
type Row = (String, Vec<(String, Cell)>);

/// What stands in a column.
#[derive(Clone, Copy)]
enum Cell {
    Median(f64),
    Share(f64),
}

/// Medians by group and column, for a table in the end.
#[derive(Default)]
pub struct Table {
    rows: RefCell<Vec<Row>>,
}

impl Table {
    /// Times a case and keeps the median of its samples. Keeps nothing if criterion leaves the case
    /// out.
    pub fn time(
        &self,
        group: &mut BenchmarkGroup<'_, WallTime>,
        row: &str,
        column: &str,
        mut once: impl FnMut(),
    ) {
        let mut samples: Vec<f64> = Vec::new();
        group.bench_function(BenchmarkId::from_parameter(column), |bencher| {
            bencher.iter_custom(|iterations| {
                let started = Instant::now();
                (0..iterations).for_each(|_| once());
                let took = started.elapsed();
                samples.push(took.as_secs_f64() / iterations as f64);
                took
            });
        });
        if !samples.is_empty() {
            samples.sort_by(f64::total_cmp);
            self.note(row, column, Cell::Median(samples[samples.len() / 2]));
        }
    }

    /// Adds a column that says what share of the second of two columns the first one is. Adds
    /// nothing if one of them was not measured.
    pub fn share(&self, row: &str, column: &str, [part, whole]: [&str; 2]) {
        if let (Some(part), Some(whole)) = (self.median(row, part), self.median(row, whole)) {
            self.note(row, column, Cell::Share(part / whole));
        }
    }

    fn median(&self, row: &str, column: &str) -> Option<f64> {
        let rows = self.rows.borrow();
        let (_, cells) = rows.iter().find(|(name, _)| name == row)?;
        let (_, cell) = cells.iter().find(|(name, _)| name == column)?;
        match cell {
            Cell::Median(seconds) => Some(*seconds),
            Cell::Share(_) => None,
        }
    }

    fn note(&self, row: &str, column: &str, cell: Cell) {
        let mut rows = self.rows.borrow_mut();
        match rows.iter_mut().find(|(name, _)| name == row) {
            Some((_, cells)) => cells.push((column.to_string(), cell)),
            None => rows.push((row.to_string(), vec![(column.to_string(), cell)])),
        }
    }

    /// The table in Markdown, milliseconds and shares; empty if nothing was measured.
    pub fn markdown(&self, columns: &[String]) -> String {
        let rows = self.rows.borrow();
        if rows.is_empty() {
            return String::new();
        }
        let mut text =
            format!("| ms | {} |\n|{}\n", columns.join(" | "), " --- |".repeat(columns.len() + 1));
        for (name, cells) in rows.iter() {
            let cell = |column: &String| {
                let found = cells.iter().find(|(name, _)| name == column);
                match found {
                    Some((_, Cell::Median(seconds))) => milliseconds(*seconds),
                    Some((_, Cell::Share(share))) => format!("{share:.2}"),
                    None => "-".to_string(),
                }
            };
            let cells: Vec<String> = columns.iter().map(cell).collect();
            let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
        }
        text
    }
}

/// Three digits.
pub fn milliseconds(seconds: f64) -> String {
    let ms = 1e3 * seconds;
    let decimals = if ms < 10.0 { 2 } else { usize::from(ms < 100.0) };
    format!("{ms:.decimals$}")
}

/// A group of few, short samples: a device's times vary little, and there are many cases.
pub fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    group
}
