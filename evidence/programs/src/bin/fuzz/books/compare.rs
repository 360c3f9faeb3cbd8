//! What a study and its record show against the books.

use gittins::study::{Measured, Origin, Row, TrialState};
use gittins::{Record, Study, Trial, Value};

use crate::books::{Books, Entry, sum};
use crate::invariants::{Held, must};

impl Books<'_> {
    fn total(&self) -> f64 {
        sum(self.entries.iter().filter_map(|entry| entry.cost))
    }

    /// Sums of the same numbers in another order differ by at most this; a cost that was replaced
    /// may have stood among them.
    pub fn rounding(&self) -> f64 {
        let sum = sum(self.entries.iter().flat_map(|entry| [entry.cost, entry.known]).flatten());
        4.0 * self.entries.len() as f64 * f64::EPSILON * sum
    }

    /// What the suggested trials had cost at a place in the order of what was told, itself
    /// included.
    fn spent_at(&self, place: usize) -> f64 {
        let cost = |(id, entry): (usize, &Entry)| {
            let at = |cost_alone: bool| {
                self.tellings.iter().position(|telling| *telling == (id, cost_alone))
            };
            match (at(false), at(true)) {
                (_, Some(paid)) if paid <= place => entry.cost,
                (Some(told), Some(_)) if told <= place => entry.known,
                (Some(told), None) if told <= place => entry.cost,
                _ => None,
            }
        };
        sum(self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.origin == Origin::Suggested)
            .filter_map(cost))
    }

    /// The best of some trials, the first among equals.
    fn best_of(&self, trials: &[usize]) -> Option<usize> {
        let up = self.world.is_up(&self.view);
        let complete = trials.iter().copied().filter(|&id| self.is_of_use(&self.entries[id]));
        complete.reduce(|best, id| {
            let (old, new) = (self.entries[best].outcome, self.entries[id].outcome);
            if (up && new > old) || (!up && new < old) { id } else { best }
        })
    }

    /// The best outcome, turned so that larger is better, after each trial told.
    pub fn running_best(&self) -> Vec<Option<f64>> {
        let sign = self.world.sign(&self.view);
        let order = self.order();
        let best = |count: usize| {
            self.best_of(&order[..=count])
                .and_then(|id| self.entries[id].outcome)
                .map(|outcome| sign * outcome)
        };
        (0..order.len()).map(best).collect()
    }

    /// Whether measured numbers are those of an entry.
    fn measured(&self, entry: &Entry, measured: &Measured) -> bool {
        let known = self.world.measured.iter().zip(entry.measures);
        let told = known.filter_map(|(one, number)| Some((one.name.as_str(), number?.to_bits())));
        let mut own: Vec<(&str, u64)> = told.collect();
        own.sort_unstable();
        own.into_iter().eq(measured.iter().map(|(name, number)| (name, number.to_bits())))
    }

    /// Everything that a study shows against the books.
    pub fn compare(&self, study: &Study) -> Held {
        let history = study.history();
        let same = |(entry, trial): (&Entry, &Trial)| {
            let own = (
                &entry.values,
                &entry.unit,
                entry.row,
                entry.origin,
                entry.state,
                entry.outcome,
                entry.cost,
            );
            own == (
                &trial.values,
                &trial.unit,
                trial.row,
                trial.origin,
                trial.state,
                trial.outcome,
                trial.cost,
            )
        };
        let measured = self.entries.iter().zip(history);
        if let Some(pair) =
            measured.into_iter().find(|(entry, trial)| !self.measured(entry, &trial.measured))
        {
            return must!(false, HistoryIsWhatWasTold, "expected and found {pair:?}");
        }
        let numbered = history.iter().enumerate().all(|(index, trial)| trial.id.index() == index);
        let agrees = history.len() == self.entries.len() && numbered;
        must!(agrees, HistoryIsWhatWasTold, "{history:?}, expected {}", self.entries.len())?;
        if let Some(pair) = self.entries.iter().zip(history).find(|pair| !same(*pair)) {
            return must!(false, HistoryIsWhatWasTold, "expected and found {pair:?}");
        }
        let money = [(study.total_cost(), self.total()), (study.spent(), self.spent())];
        let paid = money.iter().all(|(got, expected)| (got - expected).abs() <= self.rounding());
        must!(paid, MoneyIsWhatWasPaid, "total and spent: {money:?}")?;
        let (counts, pending) = (study.counts(), self.in_state(TrialState::Pending).len());
        let own = (self.adaptive(), self.told_of_own(), pending);
        let counted = (counts.adaptive, counts.told, counts.pending) == own;
        must!(counted, CountsCount, "{counts:?}, expected {own:?}")?;
        let best = study.best().map(|trial| trial.id.index());
        let expected = self.best_of(&self.order()).filter(|_| !self.world.is_front());
        must!(best == expected, BestIsBest, "trial {best:?}, expected {expected:?}")
    }

    /// The rows of a record against the books.
    pub fn compare_record(&self, record: &Record) -> Held {
        let rows = record.rows();
        must!(rows.len() == self.entries.len(), RecordIsTheBooks, "{} rows", rows.len())?;
        let told = record.in_order_of_telling();
        let (order, own) = (Vec::from_iter(told.iter().map(|row| row.trial)), self.order());
        must!(order == own, RecordIsTheBooks, "told in the order {order:?}, expected {own:?}")?;
        for (id, (entry, row)) in self.entries.iter().zip(rows).enumerate() {
            if let Some(what) = self.difference(id, entry, row) {
                let told = &self.tellings;
                must!(false, RecordIsTheBooks, "{what}: {row:?}, not {entry:?}, told {told:?}")?;
            }
        }
        Ok(())
    }

    /// What of a row is not as in the books.
    fn difference(&self, id: usize, entry: &Entry, row: &Row) -> Option<&'static str> {
        let values: Vec<Value> = row.point.values.iter().map(|(_, value)| value.clone()).collect();
        let names = row.point.values.iter().map(|(name, _)| name.as_str()).eq(self.domain.names());
        let at = |cost_alone: bool| {
            self.tellings.iter().position(|telling| *telling == (id, cost_alone))
        };
        let (told, order) = (at(false), self.order());
        let place = order.iter().position(|&told| told == id);
        let best = place
            .and_then(|place| self.best_of(&order[..=place]))
            .and_then(|best| self.entries[best].outcome);
        let spent = match (row.spent, told.map(|place| self.spent_at(place))) {
            (Some(got), Some(expected)) => (got - expected).abs() <= self.rounding(),
            (got, expected) => got == expected,
        };
        let suggested = row.suggestion.as_ref().map(|said| [said.value, said.mean, said.sd]);
        let heard = row
            .verdict
            .as_ref()
            .map(|said| (said.rule.clone(), [said.statistic, said.threshold], said.fired));
        // What is no number is no other's equal, but it is written alike.
        let heard =
            format!("{heard:?}") == format!("{:?}", entry.heard.as_ref().map(|(_, said)| said));
        let suggested = format!("{suggested:?}") == format!("{:?}", entry.suggested);
        let seconds = [row.seconds.fit, row.seconds.search, row.seconds.verdict]
            .iter()
            .all(|s| s.is_finite() && *s >= 0.0);
        let point = (&values, &row.point.unit, row.point.row, row.origin)
            == (&entry.values, &entry.unit, entry.row, entry.origin);
        let came = (row.state, row.outcome, row.cost) == (entry.state, entry.outcome, entry.cost);
        let checks = [
            ("its number", row.trial == id),
            ("its names", names),
            ("its point", point),
            ("the result", came),
            ("what was measured", self.measured(entry, &row.measured)),
            ("when it was asked for", row.seen == entry.seen),
            ("when it was told", row.told == told),
            ("when its cost was told", row.paid == at(true)),
            ("what was spent", spent),
            ("the best", row.best == best),
            ("what was suggested", suggested),
            ("the verdict", heard),
            ("its seconds", seconds),
        ];
        checks.into_iter().find(|(_, holds)| !holds).map(|(what, _)| what)
    }

    /// The number of suggested trials told, and the best outcome, as a course ends with them.
    pub fn end(&self) -> (usize, Option<f64>) {
        (self.adaptive(), self.best_of(&self.order()).and_then(|best| self.entries[best].outcome))
    }
}
