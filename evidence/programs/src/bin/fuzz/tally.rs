//! What was done: operations, errors and stops by kind.

use std::collections::BTreeMap;

use gittins::ErrorKind;
use serde_json::{Value, json};

/// Counts of a run.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    pub studies: usize,
    /// Settings that were to be refused, and were.
    pub refused: usize,
    operations: BTreeMap<String, usize>,
    errors: BTreeMap<String, usize>,
    stops: BTreeMap<String, usize>,
    twins: BTreeMap<&'static str, usize>,
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

    pub fn twin(&mut self, name: &'static str, operations: usize) {
        *self.twins.entry(name).or_default() += 1;
        self.shadowed += operations;
    }

    /// All operations of the studies themselves.
    pub fn operations(&self) -> usize {
        self.operations.values().sum()
    }

    /// How often an operation was done.
    #[cfg(test)]
    pub fn count(&self, name: &str) -> usize {
        self.operations.get(name).copied().unwrap_or(0)
    }

    pub fn add(&mut self, other: &Self) {
        fn join<K: Ord + Clone>(own: &mut BTreeMap<K, usize>, other: &BTreeMap<K, usize>) {
            other.iter().for_each(|(key, count)| *own.entry(key.clone()).or_default() += count);
        }
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
            "studies": self.studies, "refused_settings": self.refused, "operations": self.operations(), "operations_of_twins": self.shadowed,
            "by_kind": self.operations, "errors": self.errors, "stops": self.stops, "twins": self.twins,
        })
    }

    /// A table of everything.
    pub fn text(&self) -> String {
        fn part<K: std::fmt::Display>(title: &str, counts: &BTreeMap<K, usize>) -> String {
            let lines: String =
                counts.iter().map(|(key, count)| format!("  {key:<56} {count:>9}\n")).collect();
            format!("{title:<58} {:>9}\n{lines}", counts.values().sum::<usize>())
        }
        let parts = [
            part("operations", &self.operations),
            part("errors", &self.errors),
            part("stops", &self.stops),
            part("twins", &self.twins),
        ];
        let ends = [
            ("operations of twins", self.shadowed),
            ("studies", self.studies),
            ("settings refused", self.refused),
        ];
        let ends: String =
            ends.iter().map(|(title, count)| format!("{title:<58} {count:>9}\n")).collect();
        parts.concat() + &ends
    }
}
