//! A record as a plain table of cells, for CSV and spreadsheets.

use crate::backend::Fallback;
use crate::data::Direction;
use crate::error::{Error, ErrorKind, Result};
use crate::model::Hyperparameters;
use crate::study::record::{Judged, Made, Record, Row, Seconds, Suggested};
use crate::study::{Origin, TrialState};

impl Record {
    /// The names of the columns: those of [`Row`], with a dot before what is nested
    /// (`suggestion.mean`), and for each parameter `value.NAME` in the user's units, `unit.NAME` in
    /// the unit cube and its lengthscales.
    pub fn columns(&self) -> Vec<String> {
        let names: Vec<&str> = self.names().collect();
        let mut written = Written::default();
        // A row without its parts has their columns all the same, and nothing that is written can
        // fail.
        let _ = go_over(&mut blank(&names), &names, &mut written);
        written.columns
    }

    /// The cells of each row, one for each column; empty for what a row does not have.
    pub fn cells(&self) -> impl Iterator<Item = Vec<String>> {
        let names: Vec<&str> = self.names().collect();
        self.rows().iter().map(move |row| {
            let mut written = Written::default();
            let _ = go_over(&mut row.clone(), &names, &mut written);
            written.cells
        })
    }

    /// The record behind cells, by the names of their columns in any order. Columns of other names
    /// are left aside; what has no column, or an empty cell, the rows do not have.
    ///
    /// # Errors
    /// `UnknownParameter` for a column without which there is no record, `InvalidSetting` for a
    /// cell that is not what its column says, `Dimension` for a row with another number of cells,
    /// and those of [`Record::new`].
    pub fn from_cells<C: AsRef<str>>(
        header: &[C],
        cells: impl IntoIterator<Item = Vec<C>>,
    ) -> Result<Self> {
        let names: Vec<&str> =
            header.iter().filter_map(|name| name.as_ref().strip_prefix("value.")).collect();
        let read = |(number, cells): (usize, Vec<C>)| {
            if cells.len() != header.len() {
                let message = format!(
                    "row {number}: expected {} cells, as many as columns, got {}",
                    header.len(),
                    cells.len()
                );
                return Err(Error::new(ErrorKind::Dimension, message));
            }
            let mut row = blank(&names);
            go_over(&mut row, &names, &mut Cells { header, cells: &cells })
                .map_err(|error| error.at(format_args!("row {number}")))?;
            Ok(row)
        };
        Self::new(cells.into_iter().enumerate().map(read).collect::<Result<_>>()?)
    }
}

/// What is done with the fields of a row, one after another in the order of the columns.
trait Pass {
    /// A field that every row has.
    fn field<T: Cell>(&mut self, column: &str, field: &mut T) -> Result<()>;

    /// A field that not every row has.
    fn maybe<T: Cell>(&mut self, column: &str, field: &mut Option<T>) -> Result<()>;

    /// Several fields that a row has all or none of; `marker` is a column that is empty where it
    /// has none.
    fn part<T>(
        &mut self,
        marker: &str,
        part: &mut Option<T>,
        blank: impl FnOnce() -> T,
        fields: impl FnOnce(&mut Self, &mut T) -> Result<()>,
    ) -> Result<()>;
}

fn go_over(row: &mut Row, names: &[&str], pass: &mut impl Pass) -> Result<()> {
    pass.field("trial", &mut row.trial)?;
    pass.field("direction", &mut row.direction)?;
    pass.field("origin", &mut row.origin)?;
    pass.field("state", &mut row.state)?;
    for (name, value) in &mut row.values {
        pass.field(&format!("value.{name}"), value)?;
    }
    for (name, u) in names.iter().zip(&mut row.unit) {
        pass.field(&format!("unit.{name}"), u)?;
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
            for (model, found) in [
                ("outcome_model", &mut suggestion.outcome_model),
                ("cost_model", &mut suggestion.cost_model),
            ] {
                let column = |what: &str| format!("suggestion.{model}.{what}");
                pass.part(
                    &column("outputscale"),
                    found,
                    || blank_model(names),
                    |pass, found| {
                        pass.field(&column("outputscale"), &mut found.outputscale)?;
                        pass.field(&column("noise"), &mut found.noise)?;
                        pass.field(&column("mean"), &mut found.mean)?;
                        let mut lengthscales = names.iter().zip(&mut found.lengthscales);
                        lengthscales.try_for_each(|(name, lengthscale)| {
                            pass.field(&column(&format!("lengthscale.{name}")), lengthscale)
                        })
                    },
                )?;
            }
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
    pass.part("verdict.statistic", &mut row.verdict, Judged::default, |pass, verdict| {
        pass.field("verdict.rule", &mut verdict.rule)?;
        pass.field("verdict.statistic", &mut verdict.statistic)?;
        pass.field("verdict.threshold", &mut verdict.threshold)?;
        pass.field("verdict.fired", &mut verdict.fired)
    })?;
    pass.field("seconds.fit", &mut row.seconds.fit)?;
    pass.field("seconds.search", &mut row.seconds.search)?;
    pass.field("seconds.verdict", &mut row.seconds.verdict)
}

/// A row to be filled.
fn blank(names: &[&str]) -> Row {
    Row {
        trial: 0,
        direction: Direction::Minimize,
        origin: Origin::Initial,
        state: TrialState::Pending,
        values: names.iter().map(|name| (name.to_string(), 0.0)).collect(),
        unit: vec![0.0; names.len()],
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
        outcome_model: None,
        cost_model: None,
        basins: Made::default(),
        provenance: Made::default(),
        runners_up: Vec::new(),
    }
}

fn blank_model(names: &[&str]) -> Hyperparameters {
    Hyperparameters {
        lengthscales: vec![0.0; names.len()],
        outputscale: 0.0,
        noise: 0.0,
        mean: 0.0,
    }
}

/// Writes names and cells.
#[derive(Default)]
struct Written {
    columns: Vec<String>,
    cells: Vec<String>,
    /// Within a part that the row does not have.
    absent: bool,
}

impl Pass for Written {
    fn field<T: Cell>(&mut self, column: &str, field: &mut T) -> Result<()> {
        self.columns.push(column.to_owned());
        self.cells.push(if self.absent { String::new() } else { field.text() });
        Ok(())
    }

    fn maybe<T: Cell>(&mut self, column: &str, field: &mut Option<T>) -> Result<()> {
        self.columns.push(column.to_owned());
        self.cells.push(field.as_ref().filter(|_| !self.absent).map_or_else(String::new, T::text));
        Ok(())
    }

    fn part<T>(
        &mut self,
        _marker: &str,
        part: &mut Option<T>,
        blank: impl FnOnce() -> T,
        fields: impl FnOnce(&mut Self, &mut T) -> Result<()>,
    ) -> Result<()> {
        let outside = self.absent;
        self.absent |= part.is_none();
        fields(self, part.get_or_insert_with(blank))?;
        self.absent = outside;
        Ok(())
    }
}

/// Reads the cells of a row.
struct Cells<'a, C> {
    header: &'a [C],
    cells: &'a [C],
}

impl<C: AsRef<str>> Cells<'_, C> {
    /// What stands in a column; none where there is no such column, or nothing stands there.
    fn text(&self, column: &str) -> Option<&str> {
        let place = self.header.iter().position(|name| name.as_ref() == column)?;
        Some(self.cells[place].as_ref()).filter(|text| !text.is_empty())
    }
}

impl<C: AsRef<str>> Pass for Cells<'_, C> {
    fn field<T: Cell>(&mut self, column: &str, field: &mut T) -> Result<()> {
        match self.text(column) {
            Some(text) => *field = read(column, text)?,
            // A record is whole without the seconds that it took, and a search in a table leaves no
            // runners-up.
            None if column.starts_with("seconds.") || column == "suggestion.runners_up" => {}
            None => {
                return Err(Error::new(
                    ErrorKind::UnknownParameter,
                    format!("column {column:?}: a record needs it, and finds nothing there"),
                ));
            }
        }
        Ok(())
    }

    fn maybe<T: Cell>(&mut self, column: &str, field: &mut Option<T>) -> Result<()> {
        *field = self.text(column).map(|text| read(column, text)).transpose()?;
        Ok(())
    }

    fn part<T>(
        &mut self,
        marker: &str,
        part: &mut Option<T>,
        blank: impl FnOnce() -> T,
        fields: impl FnOnce(&mut Self, &mut T) -> Result<()>,
    ) -> Result<()> {
        match self.text(marker) {
            Some(_) => fields(self, part.insert(blank())),
            None => Ok(()),
        }
    }
}

fn read<T: Cell>(column: &str, text: &str) -> Result<T> {
    let wrong = || {
        Error::new(ErrorKind::InvalidSetting, format!("column {column:?}: {text:?} cannot be read"))
    };
    T::parse(text).ok_or_else(wrong)
}

/// What stands in a cell.
trait Cell: Sized {
    fn text(&self) -> String;
    fn parse(text: &str) -> Option<Self>;
}

impl Cell for f64 {
    fn text(&self) -> String {
        // The shortest digits that are read back to the same bits, with an exponent where there
        // would be many zeros.
        format!("{self:?}")
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Cell for Vec<Vec<f64>> {
    /// Points apart by semicolons, and their coordinates by spaces.
    fn text(&self) -> String {
        let point = |point: &Vec<f64>| point.iter().map(f64::text).collect::<Vec<_>>().join(" ");
        self.iter().map(point).collect::<Vec<_>>().join("; ")
    }

    fn parse(text: &str) -> Option<Self> {
        text.split(';').map(|point| point.split_whitespace().map(f64::parse).collect()).collect()
    }
}

macro_rules! cell_as_displayed {
    ($($kind:ty),*) => {
        $(impl Cell for $kind {
            fn text(&self) -> String {
                self.to_string()
            }

            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        })*
    };
}

cell_as_displayed!(usize, bool, String);

/// By the name that the feature `serde` writes too.
macro_rules! cell_by_name {
    ($($kind:ident { $($variant:ident = $name:literal),* $(,)? })*) => {
        $(impl Cell for $kind {
            fn text(&self) -> String {
                match self {
                    $(Self::$variant => $name.to_owned(),)*
                }
            }

            fn parse(text: &str) -> Option<Self> {
                match text {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }
        })*
    };
}

cell_by_name! {
    Direction { Minimize = "minimize", Maximize = "maximize" }
    Origin { Initial = "initial", Suggested = "suggested", Imported = "imported" }
    TrialState {
        Pending = "pending",
        Complete = "complete",
        Failed = "failed",
        Infeasible = "infeasible",
        Withdrawn = "withdrawn",
    }
    Fallback {
        NotBuilt = "not_built",
        NoAdapter = "no_adapter",
        SelfTest = "self_test",
        DeviceLost = "device_lost",
        OutOfMemory = "out_of_memory",
        Validation = "validation",
        Unfit = "unfit",
        Overflow = "overflow",
        HostOnly = "host_only",
    }
}
