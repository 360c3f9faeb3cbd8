//! What a study and its record show against the log.

use std::fmt::Debug;

use gittins::study::{Measured, Origin, Report, Row};
use gittins::{Record, Study, Trial, Value};

use super::{Entry, ReportTold, TrialLog, sum};
use crate::invariants::{Held, must};

/// Whether two things are written alike: what is no number is no other's equal.
fn alike(a: &impl Debug, b: &impl Debug) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

impl TrialLog<'_> {
    /// Sums of the same numbers in another order differ by at most this; a cost that was replaced
    /// may have stood among them.
    pub fn rounding(&self) -> f64 {
        let sum = sum(self.entries.iter().flat_map(|entry| [entry.cost, entry.known]).flatten());
        let reports: usize = self.entries.iter().map(|entry| entry.reports.len()).sum();
        4.0 * (self.entries.len() + reports) as f64 * f64::EPSILON * sum
    }

    /// What the suggested trials had cost when a trial was told, itself included.
    fn spent_at(&self, id: usize) -> Option<f64> {
        let place = self.place(id, false)?;
        if self.stages().is_some() {
            return self.entries[id].spent;
        }
        let cost =
            |(id, entry): (usize, &Entry)| match (self.place(id, false), self.place(id, true)) {
                (_, Some(paid)) if paid <= place => entry.cost,
                (Some(told), Some(_)) if told <= place => entry.known,
                (Some(told), None) if told <= place => entry.cost,
                _ => None,
            };
        let entries = self.entries.iter().enumerate();
        let suggested = entries.filter(|(_, entry)| entry.origin == Origin::Suggested);
        Some(sum(suggested.filter_map(cost)))
    }

    fn measured(&self, entry: &Entry, measured: &Measured) -> bool {
        let known = self.world.measured.iter().zip(entry.measures);
        let told = known.filter_map(|(one, number)| Some((one.name.as_str(), number?.to_bits())));
        let mut own: Vec<(&str, u64)> = told.collect();
        own.sort_unstable();
        own.into_iter().eq(measured.iter().map(|(name, number)| (name, number.to_bits())))
    }

    fn difference(&self, id: usize, entry: &Entry, trial: &Trial) -> Option<&'static str> {
        let said = |own: &ReportTold, report: &Report| {
            (own.progress, own.outcome, own.cost) == (report.progress, report.outcome, report.cost)
        };
        let reports = entry.reports.len() == trial.reports.len()
            && entry.reports.iter().zip(&trial.reports).all(|(own, report)| said(own, report));
        let cost = match (entry.cost, trial.cost) {
            (Some(own), Some(found)) if self.stages().is_some() => {
                (own - found).abs() <= 1e-9 * own
            }
            (own, found) => own == found,
        };
        first_wrong(&[
            ("its number", trial.id.index() == id),
            ("its values", entry.values == trial.values),
            ("its point", (&entry.unit, entry.row) == (&trial.unit, trial.row)),
            ("its origin", entry.origin == trial.origin),
            ("its state", entry.state == trial.state),
            ("its outcome", entry.outcome == trial.outcome),
            ("its cost", cost),
            ("what was measured", self.measured(entry, &trial.measured)),
            ("its reports", reports),
            ("how far it goes", entry.until == trial.until),
        ])
    }

    pub fn compare(&self, study: &Study) -> Held {
        let history = study.history();
        let (found, own) = (history.len(), self.entries.len());
        must!(found == own, HistoryIsWhatWasTold, "{found} trials, expected {own}")?;
        for (id, (entry, trial)) in self.entries.iter().zip(history).enumerate() {
            if let Some(what) = self.difference(id, entry, trial) {
                must!(false, HistoryIsWhatWasTold, "{what}: {trial:?}, expected {entry:?}")?;
            }
        }
        let money = [(study.total_cost(), self.costs(|_| true)), (study.spent(), self.spent())];
        let paid = money.iter().all(|(got, expected)| (got - expected).abs() <= self.rounding());
        must!(paid, MoneyIsWhatWasPaid, "total and spent: {money:?}")?;
        let counts = study.counts();
        let pending = self.count(Entry::is_pending);
        let own = (self.adaptive(), self.told_of_own(), pending);
        let counted = (counts.adaptive, counts.told, counts.pending) == own;
        must!(counted, CountsCount, "{counts:?}, expected {own:?}")?;
        let best = study.best().map(|trial| trial.id.index());
        let expected = match self.stages() {
            Some(stages) => self.best_in_stages(stages),
            None => self.best_of(&self.order()).filter(|_| !self.world.is_front()),
        };
        // By items the best is one of the model.
        let by_model = self.stages().is_some_and(|stages| stages.are_items());
        let is_best = best == expected || by_model && best.is_some() == expected.is_some();
        must!(is_best, BestIsBest, "trial {best:?}, expected {expected:?}")
    }

    pub fn compare_record(&self, record: &Record) -> Held {
        let rows = record.rows();
        must!(rows.len() == self.entries.len(), RecordIsTheLog, "{} rows", rows.len())?;
        let told = record.in_order_of_telling();
        let (order, own) = (Vec::from_iter(told.iter().map(|row| row.trial)), self.order());
        must!(order == own, RecordIsTheLog, "told in the order {order:?}, expected {own:?}")?;
        for (id, (entry, row)) in self.entries.iter().zip(rows).enumerate() {
            if let Some(what) = self.difference_of_row(id, entry, row) {
                let told = &self.news;
                must!(false, RecordIsTheLog, "{what}: {row:?}, not {entry:?}, told {told:?}")?;
            }
        }
        Ok(())
    }

    fn difference_of_row(&self, id: usize, entry: &Entry, row: &Row) -> Option<&'static str> {
        let values: Vec<Value> = row.point.values.iter().map(|(_, value)| value.clone()).collect();
        let names = row.point.values.iter().map(|(name, _)| name.as_str()).eq(self.domain.names());
        let order = self.order();
        let place = order.iter().position(|&told| told == id);
        let best = place.and_then(|place| self.best_outcome_of(&order[..=place]));
        let spent = match (row.spent, self.spent_at(id)) {
            (Some(got), Some(expected)) => (got - expected).abs() <= self.rounding(),
            (got, expected) => got == expected,
        };
        let cost = self.stages().is_some() || row.cost == entry.cost;
        let suggested = row.suggestion.as_ref().map(|said| [said.value, said.mean, said.sd]);
        let found = row
            .verdict
            .as_ref()
            .map(|said| (&said.rule, said.statistic, said.threshold, said.fired));
        let heard = entry
            .heard
            .as_ref()
            .map(|heard| (&heard.rule, heard.statistic, heard.threshold, heard.stops));
        let seconds = [row.seconds.fit, row.seconds.search, row.seconds.verdict]
            .iter()
            .all(|s| s.is_finite() && *s >= 0.0);
        let point =
            (&values, &row.point.unit, row.point.row) == (&entry.values, &entry.unit, entry.row);
        first_wrong(&[
            ("its number", row.trial == id),
            ("its names", names),
            ("its point", point),
            ("its origin", row.origin == entry.origin),
            ("the result", (row.state, row.outcome) == (entry.state, entry.outcome)),
            ("its cost", cost),
            ("what was measured", self.measured(entry, &row.measured)),
            ("when it was asked for", row.seen == entry.seen),
            ("when it was told", row.told == self.place(id, false)),
            ("when its cost was told", row.paid == self.place(id, true)),
            ("what was spent", spent),
            ("the best", row.best == best),
            ("what was suggested", alike(&suggested, &entry.suggested)),
            ("the verdict", alike(&found, &heard)),
            ("its seconds", seconds),
        ])
    }
}

/// The first of some properties that does not hold.
fn first_wrong(checks: &[(&'static str, bool)]) -> Option<&'static str> {
    checks.iter().find(|(_, holds)| !holds).map(|(what, _)| *what)
}
