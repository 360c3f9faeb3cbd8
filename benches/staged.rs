//! Runs in stages: the index of one run, and a decision of a study after a report, with its fits
//! apart.

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use gittins::acquisition::{Stage, staged_offset};
use gittins::math::Sobol;
use gittins::study::{Advice, Event, Stages, StudyBuilder};
use gittins::{Policy, Space, Study};
use serde_json::json;

const DIM: usize = 7;

/// The progress at reports.
const REPORTS: [f64; 6] = [3.0, 5.0, 9.0, 16.0, 29.0, 52.0];

/// At how many reports runs are left, in turn: most early, one at its end.
const DEPTHS: [usize; 10] = [1, 1, 2, 1, 3, 1, 1, 2, 1, 6];

/// Stages of growing prices that tell less and less.
fn stages(count: usize) -> Vec<Stage> {
    let stage = |k: usize| Stage::new(0.7f64.powi(k as i32), 0.002 * 1.7f64.powi(k as i32));
    (0..count).map(stage).collect()
}

fn pass(c: &mut Criterion) {
    let mut group = c.benchmark_group("staged: index of a run");
    for count in [1, 3, 6, 10] {
        let stages = stages(count);
        group.bench_function(BenchmarkId::new("stages", count), |b| {
            b.iter(|| staged_offset(black_box(&stages)).expect("an index"));
        });
    }
    group.finish();
}

/// A decay to an end that is the negated Ackley function.
fn loss(unit: &[f64], progress: f64) -> f64 {
    (-4.0 * progress / REPORTS[5]).exp() - gittins_benches::ackley(unit)
}

fn builder() -> StudyBuilder {
    let space = (0..DIM).fold(Space::new(), |space, k| space.float(format!("x{k}"), 0.0, 1.0));
    let study = Study::minimize(space).stages(Stages::of(52.0).reports(REPORTS));
    study.initial(1).policy(Policy::gittins(1e-4)).seed(1)
}

/// What happened until so many reports; a fit is not among it. With `beyond`, another run has begun.
fn history(reports: usize, beyond: bool) -> Vec<Event> {
    let points = Sobol::new(DIM, 1).points(0, reports + 1);
    let (mut events, mut told) = (Vec::new(), 0);
    for (run, unit) in points.rows().enumerate() {
        let ends = told == reports;
        if ends && !beyond {
            break;
        }
        events.push(json!({ "began": { "unit": unit, "until": REPORTS[0] } }));
        if ends {
            break;
        }
        for stage in 0..DEPTHS[run % DEPTHS.len()].min(reports - told) {
            let until = REPORTS[stage];
            let from = if stage == 0 { 0.0 } else { REPORTS[stage - 1] };
            if stage > 0 {
                events.push(json!({ "resumed": { "run": run, "until": until } }));
            }
            let cost = (1.0 + unit[0]) * (until - from);
            let outcome = loss(unit, until);
            events.push(json!({ "reported": { "run": run, "progress": until, "outcome": outcome, "cost": cost } }));
            told += 1;
        }
    }
    serde_json::from_value(events.into()).expect("events")
}

/// The study after so many reports, in which models were fitted after the last of them.
fn fitted(reports: usize) -> Vec<Event> {
    let mut study = builder().resume(history(reports, false)).expect("a study");
    study.verdict().expect("a verdict");
    study.events().to_vec()
}

fn decisions(c: &mut Criterion) {
    let mut group = c.benchmark_group(format!("staged: decision, d={DIM}"));
    group.sample_size(10);
    for reports in [8, 100, 500, 2000] {
        let mut events = fitted(reports);
        let began = history(reports, true).pop();
        events.extend(began);
        let run = events.iter().filter(|event| matches!(event, Event::Asked { .. })).count() - 1;
        let study = || {
            let mut study = builder().resume(events.clone()).expect("a study");
            study.verdict().expect("a verdict");
            study
        };
        group.bench_function(BenchmarkId::new("report and ask", reports), |b| {
            b.iter_batched_ref(
                study,
                |study| {
                    // So poor that the run is left.
                    let advice = study.report(run, REPORTS[0], 60.0, 3.0).expect("an advice");
                    assert_eq!(advice, Advice::Pause);
                    study.ask().expect("an ask")
                },
                BatchSize::PerIteration,
            );
        });
        group.bench_function(BenchmarkId::new("first fit, and a decision", reports), |b| {
            let events = history(reports, false);
            b.iter_batched_ref(
                || builder().resume(events.clone()).expect("a study"),
                |study| study.verdict().expect("a verdict"),
                BatchSize::PerIteration,
            );
        });
        // A fit is due once reports have grown by an eighth; they begin from the one before.
        let mut before = fitted(reports - reports / 8 - 2);
        let earlier = history(reports - reports / 8 - 2, false).len();
        before.extend(history(reports, false).into_iter().skip(earlier));
        group.bench_function(BenchmarkId::new("later fit, and a decision", reports), |b| {
            b.iter_batched_ref(
                || builder().resume(before.clone()).expect("a study"),
                |study| study.verdict().expect("a verdict"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, pass, decisions);
criterion_main!(benches);
