//! A study in a file: how long it takes to open it, and to append to it beside the floor, which is
//! to append as many bytes to another file and to wait until they are on the disk.
//!
//! The file has a run of 60 trials with all that is kept of them, over and over again.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use gittins::journal::Journal;
use gittins::study::StudyBuilder;
use gittins::{Acquisition, Cost, Cpu, Outcome, Space, Study};
use serde_json::Value;

const DIM: usize = 8;
const TRIALS: [usize; 2] = [60, 2000];

fn settings() -> StudyBuilder {
    let space = (0..DIM).fold(Space::new(), |space, k| space.float(format!("x{k}"), 0.0, 1.0));
    Study::minimize(space)
        .cost(Cost::learned())
        .policy(Acquisition::gittins(1e-3))
        .backend(Arc::new(Cpu))
}

fn outcome(point: &[f64]) -> Outcome {
    Outcome::new(point.iter().map(|x| (x - 0.3).powi(2)).sum()).cost(1.0 + point[0])
}

/// A file of so many trials.
fn file(folder: &Path, trials: usize) -> PathBuf {
    let path = folder.join(format!("{trials}.log"));
    let mut journal = Journal::open(&path, settings()).unwrap();
    for _ in 0..TRIALS[0] {
        journal.verdict().unwrap();
        let ask = journal.ask().unwrap();
        journal.tell(ask.id(), outcome(ask.numbers())).unwrap();
    }
    drop(journal);
    let text = fs::read_to_string(&path).unwrap();
    let read = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let lines: Vec<Value> = text.lines().map(read).filter(|line| line["op_code"] != 0).collect();
    let mut out = fs::OpenOptions::new().append(true).open(&path).unwrap();
    for copy in 1..trials.div_ceil(TRIALS[0]) {
        for mut line in lines.clone() {
            if let Some(trial) = line["trial_id"].as_u64() {
                line["trial_id"] = (trial + (copy * TRIALS[0]) as u64).into();
            }
            writeln!(out, "{line}").unwrap();
        }
    }
    path
}

fn journal(criterion: &mut Criterion) {
    let folder = std::env::temp_dir().join(format!("gittins-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let mut group = criterion.benchmark_group("journal");
    group.sample_size(20).measurement_time(Duration::from_secs(5));
    for trials in TRIALS {
        let path = file(&folder, trials);
        group.bench_function(format!("open/{trials}"), |bencher| {
            bencher.iter(|| Journal::open(&path, settings()).unwrap());
        });
        let mut journal = Journal::open(&path, settings()).unwrap();
        let before = fs::metadata(&path).unwrap().len();
        let point = vec![0.25; DIM];
        group.bench_function(format!("append/{trials}"), |bencher| {
            bencher.iter(|| journal.import(&point, outcome(&point)).unwrap());
        });
        let imports = (journal.study().history().len() - TRIALS[0]) as u64;
        let bytes = (fs::metadata(&path).unwrap().len() - before) / imports.max(1);
        let mut plain =
            OpenOptions::new().create(true).append(true).open(folder.join("plain")).unwrap();
        group.bench_function(format!("floor/{trials}"), |bencher| {
            bencher.iter_batched(
                || vec![b'x'; bytes.max(1) as usize],
                |bytes| {
                    plain.write_all(&bytes).unwrap();
                    plain.sync_data().unwrap();
                },
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
    fs::remove_dir_all(&folder).unwrap();
}

criterion_group!(benches, journal);
criterion_main!(benches);
