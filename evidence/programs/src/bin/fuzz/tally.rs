//! What was done: operations, errors and stops by kind.

use std::collections::BTreeMap;

use gittins::ErrorKind;
use serde_json::{Value, json};

type Counts = BTreeMap<String, usize>;

#[derive(Debug, Clone, Default)]
pub struct Tally {
    pub studies: usize,
    /// Spoiled settings that were refused.
    pub refused: usize,
    operations: Counts,
    errors: Counts,
    stops: Counts,
    twins: Counts,
    /// Operations of the twins.
    pub shadowed: usize,
}

impl Tally {
    pub fn operation(&mut self, name: String, count: usize) {
        *self.operations.entry(name).or_default() += count;
    }

    pub fn error(&mut self, kind: ErrorKind) {
        *self.errors.entry(format!("{kind:?}")).or_default() += 1;
    }

    pub fn stop(&mut self, rule: &str) {
        *self.stops.entry(rule.to_owned()).or_default() += 1;
    }

    pub fn twin(&mut self, name: &str, operations: usize) {
        *self.twins.entry(name.to_owned()).or_default() += 1;
        self.shadowed += operations;
    }

    pub fn operations(&self) -> usize {
        self.operations.values().sum()
    }

    #[cfg(test)]
    pub fn count(&self, name: &str) -> usize {
        self.operations.get(name).copied().unwrap_or(0)
    }

    pub fn add(&mut self, other: &Self) {
        let join = |own: &mut Counts, other: &Counts| {
            for (key, count) in other {
                *own.entry(key.clone()).or_default() += count;
            }
        };
        self.studies += other.studies;
        self.refused += other.refused;
        self.shadowed += other.shadowed;
        join(&mut self.operations, &other.operations);
        join(&mut self.errors, &other.errors);
        join(&mut self.stops, &other.stops);
        join(&mut self.twins, &other.twins);
    }

    pub fn json(&self) -> Value {
        json!({
            "studies": self.studies, "refused_settings": self.refused,
            "operations": self.operations(), "operations_of_twins": self.shadowed,
            "by_kind": self.operations, "errors": self.errors, "stops": self.stops,
            "twins": self.twins,
        })
    }

    pub fn text(&self) -> String {
        let line = |indent, name: &str, count: usize| {
            format!("{:indent$}{name:<width$} {count:>9}\n", "", width = 58 - indent)
        };
        let part = |title, counts: &Counts| {
            let lines: String = counts.iter().map(|(key, count)| line(2, key, *count)).collect();
            line(0, title, counts.values().sum()) + &lines
        };
        [
            part("operations", &self.operations),
            part("errors", &self.errors),
            part("stops", &self.stops),
            part("twins", &self.twins),
            line(0, "operations of twins", self.shadowed),
            line(0, "studies", self.studies),
            line(0, "settings refused", self.refused),
        ]
        .concat()
    }
}
