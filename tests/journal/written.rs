//! Files that were written before: they open, give what they gave, and go on.

use std::fs;
use std::sync::Arc;

use gittins::journal::Journal;
use gittins::study::StudyBuilder;
use gittins::{Acquisition, Cost, Cpu, Outcome, Policy, Space, Study};
use serde_json::{Value as Json, json};

use super::play::Place;

/// Every kind of telling, a falling price, verdicts, and trials of Optuna: complete, running, pruned.
fn costs() -> StudyBuilder {
    let space = Space::new()
        .float("x", -1.0, 2.0)
        .int("n", 1, 9)
        .choice("solver", ["adam", "sgd"])
        .float("momentum", 0.0, 0.75)
        .when("solver", ["sgd"]);
    let builder = Study::minimize(space).cost(Cost::learned());
    builder.policy(Policy::gittins_decay(0.5, 2.0)).backend(Arc::new(Cpu)).seed(11).initial(4)
}

/// So many parameters that a second model is fitted, and rounds of two trials.
fn wide() -> StudyBuilder {
    let space = (0..22).fold(Space::new(), |space, i| space.float(format!("x{i}"), 0.0, 1.0));
    let builder = Study::maximize(space).policy(Acquisition::gittins(1e-3));
    builder.backend(Arc::new(Cpu)).seed(5).initial(3)
}

fn check(name: &str, written: &str, given: &str, settings: fn() -> StudyBuilder) {
    let given: Json = serde_json::from_str(given).unwrap();
    let place = Place::new(name);
    fs::write(place.path(), written).unwrap();
    let open = || Journal::open(place.path(), settings()).unwrap();
    let mut journal = open();
    let rows = |journal: &Journal| -> Vec<Json> {
        let record = journal.study().record();
        let rows = record.rows().iter().map(|row| serde_json::to_value(row).unwrap());
        rows.map(|mut row| {
            // They depend on the clock.
            row.as_object_mut().unwrap().remove("seconds");
            row
        })
        .collect()
    };
    assert_eq!(json!(rows(&journal)), given["rows"], "{name}");
    let left: Vec<_> =
        journal.left_out().iter().map(|(number, why)| json!([number, why])).collect();
    assert_eq!(json!(left), given["left_out"], "{name}");
    if let Some(verdict) = given.get("verdict") {
        assert_eq!(journal.verdict().unwrap().reason().to_string(), *verdict, "{name}");
        // It was not found again.
        assert_eq!(fs::read_to_string(place.path()).unwrap(), written, "{name}");
    }
    let ask = journal.ask().unwrap();
    journal.tell(ask.id(), Outcome::new(0.5).cost(1.0)).unwrap();
    let verdict = journal.verdict().unwrap();
    let mut again = open();
    assert_eq!(again.verdict().unwrap(), verdict);
    assert_eq!(again.study().history(), journal.study().history());
}

#[test]
fn a_file_of_before_gives_what_it_gave_and_goes_on() {
    let (written, given) = (include_str!("files/costs.log"), include_str!("files/costs.json"));
    check("costs", written, given, costs);
    let (written, given) = (include_str!("files/wide.log"), include_str!("files/wide.json"));
    check("wide", written, given, wide);
}
