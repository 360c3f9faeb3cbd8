//! Which points were taken, and how many are left.

use std::collections::HashSet;

use gittins::Domain;
use gittins::study::TrialState;

use super::{Entry, TrialLog};

fn key(unit: &[f64]) -> Vec<u64> {
    unit.iter().map(|u| (u + 0.0).to_bits()).collect()
}

impl TrialLog<'_> {
    pub fn is_taken(&self, unit: &[f64]) -> bool {
        let stands = |entry: &Entry| entry.state != TrialState::Withdrawn;
        self.entries.iter().any(|entry| stands(entry) && key(&entry.unit) == key(unit))
    }

    /// Whether a row, or a point of a space, is pending or was told: of rows at one point each has a
    /// turn of its own in stages.
    pub fn is_row_taken(&self, row: Option<usize>, unit: &[f64]) -> bool {
        let is_same = |entry: &Entry| entry.row == row && key(&entry.unit) == key(unit);
        self.entries.iter().any(|entry| entry.state != TrialState::Withdrawn && is_same(entry))
    }

    pub fn is_under_way(&self, unit: &[f64]) -> bool {
        self.entries.iter().any(|entry| entry.is_pending() && key(&entry.unit) == key(unit))
    }

    /// How many different rows of a table, or points of a space that has few, are those of no entry
    /// of which something holds.
    fn points_besides(&self, holds: impl Fn(&Entry) -> bool) -> Option<usize> {
        let entries = self.entries.iter().filter(|entry| holds(entry));
        if let Some(settings) = &self.settings {
            let codes = entries.map(|entry| key(&self.world.domain.codes(&entry.values)));
            return Some(settings.difference(&codes.collect()).count());
        }
        let Domain::Table(table) = &self.domain else { return None };
        let rows: HashSet<Vec<u64>> = table.points().rows().map(key).collect();
        Some(rows.difference(&entries.map(|entry| key(&entry.unit)).collect()).count())
    }

    /// How many different points are left to ask for, where that is known.
    pub fn points_left(&self) -> Option<usize> {
        self.points_besides(|entry| entry.state != TrialState::Withdrawn)
    }

    pub fn is_exhausted(&self) -> bool {
        self.points_left() == Some(0)
    }

    pub fn is_evaluated(&self) -> bool {
        self.points_besides(Entry::is_told) == Some(0)
    }

    /// Whether points may run out, and it is not known when: constraints may leave few of infinitely
    /// many.
    pub fn may_run_out(&self) -> bool {
        self.has_an_end() && self.points_left().is_none()
    }

    pub fn has_an_end(&self) -> bool {
        self.domain.is_finite() || self.world.domain.is_bound()
    }
}
