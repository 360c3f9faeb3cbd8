//! The columns of a record.

use crate::model::Hyperparameters;
use crate::study::record::cells::Cells;
use crate::study::record::record::Record;
use crate::study::record::row::Row;

impl Record {
    /// The names of the columns: those of [`Row`], with a dot before what is nested
    /// (`suggestion.mean`), and for each parameter `value.NAME` in the user's units, `unit.NAME` in
    /// the unit cube and its lengthscales. In a space in which some parameter has not exactly one
    /// column of the unit cube, the point stands in one column `unit`, and the lengthscales in one.
    /// Only if some row of a table has a label is there a column `label`.
    /// Only if some trial has measured numbers is there a column `measured`, with text such as
    /// `latency_ms=17.2;size=3`. In a name there, `%3B`, `%3D` and `%25` stand for `;`, `=` and `%`.
    pub fn columns(&self) -> Vec<String> {
        self.filled(self.rows().first()).columns
    }

    /// The cells of each row, one for each column. A cell is empty if the row does not have it.
    pub fn cells(&self) -> impl Iterator<Item = Vec<String>> {
        self.rows().iter().map(|row| self.filled(Some(row)).cells)
    }

    /// Columns and cells of a row; without one all cells are empty.
    fn filled(&self, row: Option<&Row>) -> Cells {
        let mut cells = Cells::default();
        cells.put("trial", row.map(|row| &row.trial));
        cells.put("direction", row.map(|row| &row.direction));
        cells.put("origin", row.map(|row| &row.origin));
        cells.put("state", row.map(|row| &row.state));
        self.put_point(&mut cells, row);
        cells.put("seen", row.map(|row| &row.seen));
        cells.put("told", row.and_then(|row| row.told.as_ref()));
        cells.put("paid", row.and_then(|row| row.paid.as_ref()));
        cells.put("outcome", row.and_then(|row| row.outcome.as_ref()));
        if self.rows().iter().any(|row| !row.measured.is_empty()) {
            cells.put("measured", row.map(|row| &row.measured));
        }
        cells.put("cost", row.and_then(|row| row.cost.as_ref()));
        cells.put("spent", row.and_then(|row| row.spent.as_ref()));
        cells.put("best", row.and_then(|row| row.best.as_ref()));
        self.put_suggestion(&mut cells, row);
        let verdict = row.and_then(|row| row.verdict.as_ref());
        cells.put("verdict.rule", verdict.map(|verdict| &verdict.rule));
        cells.put("verdict.statistic", verdict.map(|verdict| &verdict.statistic));
        cells.put("verdict.threshold", verdict.map(|verdict| &verdict.threshold));
        cells.put("verdict.fired", verdict.map(|verdict| &verdict.fired));
        let worth = verdict.and_then(|verdict| verdict.worth.as_ref());
        cells.put("verdict.gain", worth.map(|worth| &worth.gain));
        cells.put("verdict.price", worth.map(|worth| &worth.price));
        let seconds = row.map(|row| &row.seconds);
        cells.put("seconds.fit", seconds.map(|seconds| &seconds.fit));
        cells.put("seconds.search", seconds.map(|seconds| &seconds.search));
        cells.put("seconds.verdict", seconds.map(|seconds| &seconds.verdict));
        cells
    }

    /// Whether each parameter has a single column of the unit cube.
    fn is_single(&self) -> bool {
        self.rows().first().is_none_or(|row| row.point.is_single())
    }

    fn put_point(&self, cells: &mut Cells, row: Option<&Row>) {
        let point = row.map(|row| &row.point);
        for (at, name) in self.names().enumerate() {
            cells.put(format!("value.{name}"), point.map(|point| &point.values[at].1));
        }
        if self.is_single() {
            for (at, name) in self.names().enumerate() {
                cells.put(format!("unit.{name}"), point.map(|point| &point.unit[at]));
            }
        } else {
            cells.put("unit", point.map(|point| &point.unit));
        }
        cells.put("row", point.and_then(|point| point.row.as_ref()));
        if self.rows().iter().any(|row| row.point.label.is_some()) {
            cells.put("label", point.and_then(|point| point.label.as_ref()));
        }
    }

    fn put_suggestion(&self, cells: &mut Cells, row: Option<&Row>) {
        let found = row.and_then(|row| row.suggestion.as_ref());
        cells.put("suggestion.acquisition", found.map(|found| &found.acquisition));
        cells.put("suggestion.lambda", found.and_then(|found| found.lambda.as_ref()));
        cells.put("suggestion.value", found.map(|found| &found.value));
        cells.put("suggestion.mean", found.map(|found| &found.mean));
        cells.put("suggestion.sd", found.map(|found| &found.sd));
        cells.put("suggestion.cost", found.and_then(|found| found.cost.as_ref()));
        cells.put(
            "suggestion.random_restart",
            found.and_then(|found| found.random_restart.as_ref()),
        );
        let models = [
            ("outcome_model", found.and_then(|found| found.outcome_model.as_ref())),
            ("cost_model", found.and_then(|found| found.cost_model.as_ref())),
        ];
        for (name, model) in models {
            self.put_model(&format!("suggestion.{name}"), cells, model);
        }
        let makers = [
            ("basins", found.map(|found| &found.basins)),
            ("provenance", found.map(|found| &found.provenance)),
        ];
        for (who, made) in makers {
            let column = |what: &str| format!("suggestion.{who}.{what}");
            cells.put(column("backend"), made.map(|made| &made.backend));
            cells.put(column("adapter"), made.and_then(|made| made.adapter.as_ref()));
            cells.put(column("precision"), made.map(|made| &made.precision));
            cells.put(column("fallback"), made.and_then(|made| made.fallback.as_ref()));
        }
        cells.put("suggestion.runners_up", found.map(|found| &found.runners_up));
    }

    /// The columns of the model behind a suggestion, with a lengthscale for each parameter; with all of
    /// them in one column if a parameter has several columns of the unit cube.
    fn put_model(&self, model: &str, cells: &mut Cells, found: Option<&Hyperparameters>) {
        cells.put(format!("{model}.outputscale"), found.map(|found| &found.outputscale));
        cells.put(format!("{model}.noise"), found.map(|found| &found.noise));
        cells.put(format!("{model}.mean"), found.map(|found| &found.mean));
        if !self.is_single() {
            cells.put(format!("{model}.lengthscales"), found.map(|found| &found.lengthscales));
            return;
        }
        for (at, name) in self.names().enumerate() {
            let lengthscale = found.and_then(|found| found.lengthscales.get(at));
            cells.put(format!("{model}.lengthscale.{name}"), lengthscale);
        }
    }
}
