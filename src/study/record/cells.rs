//! A record as a plain table of cells, for CSV and spreadsheets: what is the same for every kind of
//! row.

use crate::backend::Fallback;
use crate::data::trial::{Origin, TrialState};
use crate::data::{Direction, Measured, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Hyperparameters;

/// A visitor of the fields of a row, in the order of the columns.
pub trait Pass {
    /// A field that every row has.
    fn field<T: Cell>(&mut self, column: &str, field: &mut T) -> Result<()>;

    /// A field that not every row has.
    fn maybe<T: Cell>(&mut self, column: &str, field: &mut Option<T>) -> Result<()>;

    /// Several fields that a row has together or not at all. The column `marker` is empty if it has
    /// none of them.
    fn part<T>(
        &mut self,
        marker: &str,
        part: &mut Option<T>,
        blank: impl FnOnce() -> T,
        fields: impl FnOnce(&mut Self, &mut T) -> Result<()>,
    ) -> Result<()>;

    /// Whether measured numbers have a column.
    fn has_measured(&self) -> bool {
        true
    }
}

/// The rows of cells, one after another in the order of the rows.
///
/// # Errors
/// `Dimension` for a row with another number of cells than columns; those of `read`, naming the
/// row.
pub(super) fn read_rows<C: AsRef<str>, R>(
    header: &[C],
    rows: impl IntoIterator<Item = Vec<C>>,
    read: impl Fn(&mut Cells<'_, C>) -> Result<R>,
) -> Result<Vec<R>> {
    let one = |(number, cells): (usize, Vec<C>)| {
        if cells.len() != header.len() {
            let message = format!(
                "row {number}: expected {} cells, as many as columns, got {}",
                header.len(),
                cells.len()
            );
            return Err(Error::new(ErrorKind::Dimension, message));
        }
        read(&mut Cells { header, cells: &cells })
            .map_err(|error| error.at(format_args!("row {number}")))
    };
    rows.into_iter().enumerate().map(one).collect()
}

/// The names of the parameters, by the columns of their values.
pub(super) fn parameters<C: AsRef<str>>(header: &[C]) -> Vec<&str> {
    header.iter().filter_map(|name| name.as_ref().strip_prefix("value.")).collect()
}

/// The columns of the model behind a suggestion, with a lengthscale for each parameter; with all of
/// them in one column if a parameter has several columns of the unit cube (`names` is none).
pub(crate) fn model(
    pass: &mut impl Pass,
    model: &str,
    names: Option<&[&str]>,
    found: &mut Option<Hyperparameters>,
) -> Result<()> {
    let column = |what: &str| format!("suggestion.{model}.{what}");
    let blank = || Hyperparameters {
        lengthscales: vec![0.0; names.map_or(0, <[&str]>::len)],
        outputscale: 0.0,
        noise: 0.0,
        mean: 0.0,
    };
    pass.part(&column("outputscale"), found, blank, |pass, found| {
        pass.field(&column("outputscale"), &mut found.outputscale)?;
        pass.field(&column("noise"), &mut found.noise)?;
        pass.field(&column("mean"), &mut found.mean)?;
        let Some(names) = names else {
            return pass.field(&column("lengthscales"), &mut found.lengthscales);
        };
        let mut lengthscales = names.iter().zip(&mut found.lengthscales);
        lengthscales.try_for_each(|(name, lengthscale)| {
            pass.field(&column(&format!("lengthscale.{name}")), lengthscale)
        })
    })
}

/// Writes names and cells.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub columns: Vec<String>,
    pub cells: Vec<String>,
    /// Within a part that the row does not have.
    absent: bool,
    /// Whether measured numbers have a column.
    measured: bool,
}

impl Written {
    /// Nothing yet, of a record with or without measured numbers.
    pub fn new(measured: bool) -> Self {
        Self { measured, ..Self::default() }
    }
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

    fn has_measured(&self) -> bool {
        self.measured
    }
}

/// Reads the cells of a row.
#[derive(Debug)]
pub(super) struct Cells<'a, C> {
    pub header: &'a [C],
    pub cells: &'a [C],
}

impl<C: AsRef<str>> Cells<'_, C> {
    /// The text in a column. None for a column that there is not, and for an empty cell.
    fn text(&self, column: &str) -> Option<&str> {
        let place = self.header.iter().position(|name| name.as_ref() == column)?;
        Some(self.cells[place].as_ref()).filter(|text| !text.is_empty())
    }
}

impl<C: AsRef<str>> Pass for Cells<'_, C> {
    fn field<T: Cell>(&mut self, column: &str, field: &mut T) -> Result<()> {
        match self.text(column) {
            Some(text) => *field = read(column, text)?,
            // A record is whole without the seconds that it took.
            None if column.starts_with("seconds.") || T::MAY_BE_EMPTY => {}
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

/// The content of a cell.
pub trait Cell: Sized {
    /// Whether it may have no text at all, as a list without a member.
    const MAY_BE_EMPTY: bool = false;

    /// As it is written.
    fn text(&self) -> String;

    /// As it is read. None for a text that says something else.
    fn parse(text: &str) -> Option<Self>;
}

impl Cell for f64 {
    fn text(&self) -> String {
        // The shortest digits that are read back to the same bits, with an exponent in place of
        // many zeros.
        format!("{self:?}")
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Cell for Value {
    const MAY_BE_EMPTY: bool = true;

    /// Nothing stands for what is absent. A name that would be read as something else stands in
    /// quotation marks.
    fn text(&self) -> String {
        match self {
            Self::Float(number) => number.text(),
            Self::Absent => String::new(),
            Self::Name(name) if name.is_empty() || Self::parse(name).as_ref() != Some(self) => {
                format!("\"{name}\"")
            }
            other => other.to_string(),
        }
    }

    /// A text in quotation marks is a name. Any other that reads like a number or a flag is one.
    /// The space knows better, if it has names like that.
    fn parse(text: &str) -> Option<Self> {
        let quoted = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        if let Some(name) = quoted {
            return Some(name.into());
        }
        let whole = text.parse().map(Self::Int).ok();
        let number = || text.parse().map(Self::Float).ok();
        let flag = || text.parse().map(Self::Flag).ok();
        whole.or_else(number).or_else(flag).or_else(|| Some(text.into()))
    }
}

impl Cell for Vec<f64> {
    const MAY_BE_EMPTY: bool = true;

    /// Apart by spaces.
    fn text(&self) -> String {
        self.iter().map(f64::text).collect::<Vec<_>>().join(" ")
    }

    fn parse(text: &str) -> Option<Self> {
        text.split_whitespace().map(f64::parse).collect()
    }
}

impl Cell for Vec<Vec<f64>> {
    const MAY_BE_EMPTY: bool = true;

    /// Points apart by semicolons, and their coordinates by spaces.
    fn text(&self) -> String {
        self.iter().map(Vec::text).collect::<Vec<_>>().join("; ")
    }

    fn parse(text: &str) -> Option<Self> {
        text.split(';').map(Vec::parse).collect()
    }
}

impl Cell for Vec<Option<f64>> {
    const MAY_BE_EMPTY: bool = true;

    /// Numbers apart by spaces, and a dash for a missing one.
    fn text(&self) -> String {
        let one = |value: &Option<f64>| value.map_or_else(|| "-".to_owned(), |value| value.text());
        self.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    fn parse(text: &str) -> Option<Self> {
        let one = |word| if word == "-" { Some(None) } else { f64::parse(word).map(Some) };
        text.split_whitespace().map(one).collect()
    }
}

impl Cell for Measured {
    const MAY_BE_EMPTY: bool = true;

    /// Names and numbers, apart by semicolons.
    fn text(&self) -> String {
        let one = |(name, number): (&str, f64)| format!("{}={}", escaped(name), number.text());
        self.iter().map(one).collect::<Vec<_>>().join(";")
    }

    fn parse(text: &str) -> Option<Self> {
        let mut measured = Self::default();
        for one in text.split(';') {
            let (name, number) = one.split_once('=')?;
            let name = unescaped(name)?;
            if measured.get(&name).is_some() {
                return None;
            }
            measured.set(name, f64::parse(number)?);
        }
        Some(measured)
    }
}

/// What has a meaning between measured numbers, and what stands for it in their names.
const ESCAPES: [(char, &str); 3] = [('%', "%25"), (';', "%3B"), ('=', "%3D")];

fn escaped(name: &str) -> String {
    ESCAPES.iter().fold(name.to_owned(), |name, (sign, by)| name.replace(*sign, by))
}

/// None for a percent sign that stands for nothing.
fn unescaped(name: &str) -> Option<String> {
    let mut parts = name.split('%');
    let mut found = parts.next()?.to_owned();
    for part in parts {
        let (sign, code) = ESCAPES.iter().find(|(_, code)| part.starts_with(&code[1..]))?;
        found.push(*sign);
        found.push_str(&part[code.len() - 1..]);
    }
    Some(found)
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

cell_as_displayed!(usize, bool, String, Origin, TrialState);

/// By the names that serde gives the variants.
macro_rules! cell_by_variant {
    ($($kind:ident { $($variant:ident: $name:literal),* })*) => {
        $(impl Cell for $kind {
            fn text(&self) -> String {
                match self {
                    $(Self::$variant => $name,)*
                }
                .to_owned()
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

cell_by_variant! {
    Direction { Minimize: "minimize", Maximize: "maximize" }
    Fallback {
        NotBuilt: "not_built",
        NoAdapter: "no_adapter",
        SelfTest: "self_test",
        DeviceLost: "device_lost",
        OutOfMemory: "out_of_memory",
        Validation: "validation",
        Unfit: "unfit",
        Overflow: "overflow",
        HostOnly: "host_only"
    }
}
