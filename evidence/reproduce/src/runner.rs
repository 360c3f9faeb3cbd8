//! Runs the missing tasks on all threads and keeps each result at once.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::experiment::{Experiment, Size, Task};
use crate::store::Store;
use frontend::console::Progress;
use frontend::{Console, Result};

/// Runs the tasks of the experiments that the store lacks. A task that several experiments share
/// runs once. Returns the progress at its end.
///
/// Results do not depend on the order or on the number of threads: the name and the seed of a task
/// decide its result.
///
/// # Errors
/// The first error of a task, after the tasks that had begun.
pub fn run(
    experiments: &[(&dyn Experiment, &Size)],
    store: &Store,
    console: &Console,
) -> Result<Progress> {
    let mut tasks: Vec<(&str, Task)> = Vec::new();
    let mut known = BTreeSet::new();
    let mut shared = 0;
    for (experiment, size) in experiments {
        for task in experiment.tasks(size) {
            if !known.insert((task.arm.clone(), task.seed)) {
                continue;
            }
            if store.has(&task.arm, task.seed)? {
                shared += 1;
            } else {
                tasks.push((experiment.name(), task));
            }
        }
    }
    let threads = rayon::current_num_threads();
    let expected = expected_seconds(&tasks, store)?;
    let total: f64 =
        tasks.iter().map(|(_, task)| expected.get(&task.arm).copied().unwrap_or(0.0)).sum();
    let unknown = tasks.iter().filter(|(_, task)| !expected.contains_key(&task.arm)).count();
    let mut title = format!("{} runs on {threads} threads", tasks.len());
    if shared > 0 {
        title += &format!(" ({shared} more are there already)");
    }
    if total > 0.0 {
        title += &format!(", expected to take {}", duration(total / threads as f64));
        if unknown > 0 {
            title += &format!(" (without {unknown} runs of which nothing is known)");
        }
    }
    let progress = console.progress(title, tasks.len() as u64);
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    // A task that a thread steals while it waits for a batch would hold up the batch. So each
    // thread takes whole tasks from here, one after another, and shares only batches.
    rayon::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|_| {
                while let Some((name, task)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let began = Instant::now();
                    let added = (task.work)().and_then(|result| {
                        store.add(&task.arm, task.seed, began.elapsed().as_secs_f64(), result)
                    });
                    if let Err(error) = added {
                        next.store(tasks.len(), Ordering::Relaxed);
                        let told = io::Error::other(format!(
                            "{name}: {}, seed {}: {error:?}",
                            task.arm, task.seed
                        ));
                        failure
                            .lock()
                            .unwrap_or_else(std::sync::PoisonError::into_inner)
                            .get_or_insert(told);
                        return;
                    }
                    let number = 1 + done.fetch_add(1, Ordering::Relaxed);
                    let took = duration(began.elapsed().as_secs_f64());
                    progress.step(format_args!(
                        "{number:>5}/{} {name:<20} {} seed {} {took}",
                        tasks.len(),
                        task.arm,
                        task.seed
                    ));
                }
            });
        }
    });
    match failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some(error) => Err(error.into()),
        None => Ok(progress),
    }
}

/// Seconds of one thread by arm, measured on earlier seeds or by a probe.
fn expected_seconds(tasks: &[(&str, Task)], store: &Store) -> Result<BTreeMap<String, f64>> {
    let mut arms: BTreeMap<&str, &Task> = BTreeMap::new();
    for (_, task) in tasks {
        arms.entry(&task.arm).or_insert(task);
    }
    let mut expected = BTreeMap::new();
    for (arm, task) in arms {
        let seconds = match (store.seconds(arm)?, &task.probe) {
            (Some(seconds), _) => Some(seconds),
            (None, Some(probe)) => Some(probe()?),
            (None, None) => None,
        };
        seconds.map(|seconds| expected.insert(arm.to_owned(), seconds));
    }
    Ok(expected)
}

/// `1 h 03 min`, `2 min 05 s`, `4.2 s`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        3600.. => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
        60.. => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{seconds:.1} s"),
    }
}
