//! The columns of a study's record.

use crate::data::{Direction, Value};
use crate::error::Result;
use crate::study::record::cells::{self, Cells, Pass, Written};
use crate::study::record::parts::{Made, Seconds, Suggested};
use crate::study::record::record::Record;
use crate::study::record::row::Row;
use crate::study::trial::{Origin, TrialState};

impl Record {
    /// The names of the columns: those of [`Row`], with a dot before what is nested
    /// (`suggestion.mean`), and for each parameter `value.NAME` in the user's units, `unit.NAME` in
    /// the unit cube and its lengthscales. In a space in which some parameter has not exactly one
    /// column of the unit cube, the point stands in one column `unit`, and the lengthscales in one.
    pub fn columns(&self) -> Vec<String> {
        let names: Vec<&str> = self.names().collect();
        let mut written = Written::default();
        // A row without its parts has their columns all the same, and nothing that is written can
        // fail.
        let mut row = self.rows().first().cloned().unwrap_or_else(|| blank(&names, true));
        let _ = go_over(&mut row, &names, &mut written);
        written.columns
    }

    /// The cells of each row, one for each column. A cell is empty if the row does not have it.
    pub fn cells(&self) -> impl Iterator<Item = Vec<String>> {
        let names: Vec<&str> = self.names().collect();
        self.rows().iter().map(move |row| {
            let mut written = Written::default();
            let _ = go_over(&mut row.clone(), &names, &mut written);
            written.cells
        })
    }

    /// The record behind cells, by the names of their columns in any order. Columns of other names
    /// are left aside. The rows do not have what has no column, or an empty cell.
    ///
    /// # Errors
    /// `UnknownParameter` for a missing column without which there is no record; `InvalidSetting`
    /// for a cell that is not what its column says; `Dimension` for a row with another number of
    /// cells; those of [`Record::new`].
    pub fn from_cells<C: AsRef<str>>(
        header: &[C],
        cells: impl IntoIterator<Item = Vec<C>>,
    ) -> Result<Self> {
        let names = cells::parameters(header);
        let single = !header.iter().any(|name| name.as_ref() == "unit");
        let read = |cells: &mut Cells<'_, C>| {
            let mut row = blank(&names, single);
            go_over(&mut row, &names, cells)?;
            Ok(row)
        };
        Self::new(cells::read_rows(header, cells, read)?)
    }
}

fn go_over(row: &mut Row, names: &[&str], pass: &mut impl Pass) -> Result<()> {
    pass.field("trial", &mut row.trial)?;
    pass.field("direction", &mut row.direction)?;
    pass.field("origin", &mut row.origin)?;
    pass.field("state", &mut row.state)?;
    for (name, value) in &mut row.values {
        pass.field(&format!("value.{name}"), value)?;
    }
    let single = (row.unit.len() == names.len()).then_some(names);
    match single {
        Some(names) => {
            for (name, u) in names.iter().zip(&mut row.unit) {
                pass.field(&format!("unit.{name}"), u)?;
            }
        }
        None => pass.field("unit", &mut row.unit)?,
    }
    pass.maybe("row", &mut row.row)?;
    pass.field("seen", &mut row.seen)?;
    pass.maybe("told", &mut row.told)?;
    pass.maybe("paid", &mut row.paid)?;
    pass.maybe("outcome", &mut row.outcome)?;
    pass.maybe("cost", &mut row.cost)?;
    pass.maybe("spent", &mut row.spent)?;
    pass.maybe("best", &mut row.best)?;
    pass.part(
        "suggestion.acquisition",
        &mut row.suggestion,
        blank_suggestion,
        |pass, suggestion| {
            pass.field("suggestion.acquisition", &mut suggestion.acquisition)?;
            pass.maybe("suggestion.lambda", &mut suggestion.lambda)?;
            pass.field("suggestion.value", &mut suggestion.value)?;
            pass.field("suggestion.mean", &mut suggestion.mean)?;
            pass.field("suggestion.sd", &mut suggestion.sd)?;
            pass.maybe("suggestion.cost", &mut suggestion.cost)?;
            pass.maybe("suggestion.unguided", &mut suggestion.unguided)?;
            cells::model(pass, "outcome_model", single, &mut suggestion.outcome_model)?;
            cells::model(pass, "cost_model", single, &mut suggestion.cost_model)?;
            for (who, made) in
                [("basins", &mut suggestion.basins), ("provenance", &mut suggestion.provenance)]
            {
                let column = |what: &str| format!("suggestion.{who}.{what}");
                pass.field(&column("backend"), &mut made.backend)?;
                pass.maybe(&column("adapter"), &mut made.adapter)?;
                pass.field(&column("precision"), &mut made.precision)?;
                pass.maybe(&column("fallback"), &mut made.fallback)?;
            }
            pass.field("suggestion.runners_up", &mut suggestion.runners_up)
        },
    )?;
    cells::verdict(pass, &mut row.verdict)?;
    cells::seconds(pass, &mut row.seconds)
}

/// A row to be filled, of a space with a single column for each parameter or of another.
fn blank(names: &[&str], single: bool) -> Row {
    Row {
        trial: 0,
        direction: Direction::Minimize,
        origin: Origin::Initial,
        state: TrialState::Pending,
        values: names.iter().map(|name| (name.to_string(), Value::Absent)).collect(),
        unit: vec![0.0; if single { names.len() } else { 0 }],
        row: None,
        seen: 0,
        told: None,
        paid: None,
        outcome: None,
        cost: None,
        spent: None,
        best: None,
        suggestion: None,
        verdict: None,
        seconds: Seconds::default(),
    }
}

fn blank_suggestion() -> Suggested {
    Suggested {
        acquisition: String::new(),
        lambda: None,
        value: 0.0,
        mean: 0.0,
        sd: 0.0,
        cost: None,
        unguided: None,
        outcome_model: None,
        cost_model: None,
        basins: Made::default(),
        provenance: Made::default(),
        runners_up: Vec::new(),
    }
}
