//! One page of all results.

mod page;
mod section;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use gittins::Backend;
use gittins::BackendOptions;
use gittins::backend::Choice;
use serde_json::json;

use crate::experiment::{Experiment, Part, Size};
use crate::output::{self, Summary};
use crate::store::Store;
use frontend::{Console, Result};
use section::{Section, Totals};

/// Writes `report.html` into a folder of results: every experiment with its complete seeds.
///
/// # Errors
/// If there is no result at all, or one cannot be read.
pub fn write(
    all: &[Box<dyn Experiment>],
    folder: &Path,
    quick: bool,
    console: &Console,
) -> Result<()> {
    let store = Store::read(folder);
    // Nothing is evaluated here, but tasks need a backend.
    let backend = BackendOptions { choice: Choice::Cpu, ..BackendOptions::default() }.open();
    let (mut sections, mut missing) = (Vec::new(), Vec::new());
    let progress =
        console.progress(format_args!("the results in {}", folder.display()), all.len() as u64);
    for experiment in all {
        let experiment = &**experiment;
        let seeds = whole_seeds(experiment, quick, &backend, &store)?;
        if seeds == 0 {
            missing.push((experiment.name(), experiment.title()));
            progress.step(format_args!("{:<20} not run", experiment.name()));
            continue;
        }
        let size = Size {
            seeds: Some(0..seeds),
            quick,
            backend: backend.clone(),
            data: None,
            part: Part::default(),
        };
        let digest = experiment.digest(&size, &store)?;
        sections.push(Section {
            summary: output::summary(experiment, &digest, &size),
            usual: experiment.seeds(),
            digest,
        });
        progress.step(format_args!(
            "{:<20} {seeds} of {} seeds",
            experiment.name(),
            experiment.seeds()
        ));
    }
    if sections.is_empty() {
        let told = format!(
            "{}: no experiment has all results of a seed; `reproduce run` makes them",
            folder.display()
        );
        return Err(io::Error::new(io::ErrorKind::NotFound, told).into());
    }
    let totals = Totals::of(&sections);
    let path = folder.join("report.html");
    fs::write(&path, page::page(&sections, &missing, &totals, quick))?;
    let summaries: Vec<&Summary> = sections.iter().map(|section| &section.summary).collect();
    let not_run: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
    let Totals { compared, agreeing, claims, holding } = totals;
    let object = json!({
        "report": path, "compared": compared, "agreeing": agreeing, "claims": claims, "claims_that_hold": holding,
        "not_run": not_run, "experiments": summaries,
    });
    let text = format!(
        "{} of {} experiments; {agreeing} of {compared} published numbers agree{}, {holding} of {claims} claims hold\n{}",
        sections.len(),
        all.len(),
        page::share(agreeing, compared).map_or(String::new(), |share| format!(" ({share})")),
        path.display()
    );
    console.result(progress, &object, text);
    Ok(())
}

/// The number of seeds, counted up from 0, that have all their results.
fn whole_seeds(
    experiment: &dyn Experiment,
    quick: bool,
    backend: &Arc<dyn Backend>,
    store: &Store,
) -> Result<u64> {
    let (mut known, mut seeds) = (BTreeSet::new(), 0);
    loop {
        let size = Size {
            seeds: Some(0..seeds + 1),
            quick,
            backend: backend.clone(),
            data: None,
            part: Part::default(),
        };
        let before = known.len();
        for task in experiment.tasks(&size) {
            let key = (task.arm, task.seed);
            if known.contains(&key) {
                continue;
            }
            if !store.has(&key.0, key.1)? {
                return Ok(seeds);
            }
            known.insert(key);
        }
        // An experiment without seeds has no more tasks for more seeds.
        if known.len() == before {
            return Ok(seeds);
        }
        seeds += 1;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::experiment::{Digest, Task};

    /// Two methods with a common reference.
    struct Pair;

    impl Experiment for Pair {
        fn name(&self) -> &'static str {
            "pair"
        }

        fn title(&self) -> String {
            "two methods".to_owned()
        }

        fn seeds(&self) -> u64 {
            3
        }

        fn tasks(&self, size: &Size) -> Vec<Task> {
            let task = |arm: &str, seed| Task {
                arm: arm.to_owned(),
                seed,
                work: Arc::new(|| Ok(Value::Null)),
                probe: None,
            };
            let seeds =
                size.seeds(self.seeds()).flat_map(|seed| [task("a", seed), task("b", seed)]);
            seeds.chain([task("reference", 0)]).collect()
        }

        fn digest(&self, _: &Size, _: &Store) -> Result<Digest> {
            Ok(Digest::default())
        }
    }

    /// Seeds count from 0 up to the first gap, also beyond the experiment's own number.
    #[test]
    fn seeds_are_whole_up_to_the_first_gap() {
        let folder = std::env::temp_dir().join(format!("reproduce-report-{}", std::process::id()));
        let backend = BackendOptions { choice: Choice::Cpu, ..BackendOptions::default() }.open();
        let store = Store::write(&folder).unwrap();
        let whole = || whole_seeds(&Pair, false, &backend, &store).unwrap();
        let add = |arm, seed| store.add(arm, seed, 0.0, Value::Null).unwrap();
        for (arm, seed, expected) in [
            ("a", 0, 0),
            ("b", 0, 0),
            ("reference", 0, 1),
            ("a", 1, 1),
            ("a", 2, 1),
            ("b", 2, 1),
            ("b", 1, 3),
            ("a", 3, 3),
            ("b", 3, 4),
        ] {
            add(arm, seed);
            assert_eq!(whole(), expected, "after {arm}, seed {seed}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
