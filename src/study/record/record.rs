//! The record of a run.

use crate::data::Direction;
#[cfg(feature = "serde")]
use crate::error::Error;
use crate::error::Result;
use crate::study::record::order::Order;
use crate::study::record::row::Row;

/// A run, one [`Row`] for each trial in the order in which trials were asked for or imported.
///
/// A record is written and read whole (`serde_json::to_string(&record)`), or row by row. As JSON
/// lines each row is a line of its own, `serde_json::to_string(row)`. As CSV the rows have
/// [`columns`](Self::columns) and [`cells`](Self::cells). Numbers survive to the last bit, if the
/// reader of JSON rounds correctly (`serde_json` does with its feature `float_roundtrip`). Numbers
/// that JSON does not have are written as `"inf"`, `"-inf"` and `"NaN"`. What was read back is as
/// good as what was recorded: to judge the run, or to replay stopping rules over it, which is what
/// `evaluation` in the crate `gittins-papers` does. To go on with a study takes its
/// [events](crate::Study::events).
///
#[cfg_attr(feature = "serde", doc = "```")]
#[cfg_attr(not(feature = "serde"), doc = "```ignore")]
/// use gittins::{Cost, Outcome, Record, Space, Study, study::Row};
/// let space = Space::new().float("x", 0.0, 1.0);
/// let mut study = Study::minimize(space).cost(Cost::learned()).initial(3).build()?;
/// for _ in 0..5 {
///     let ask = study.ask()?;
///     let x: f64 = ask.get("x")?;
///     study.tell(ask.id(), Outcome::new((x - 0.3).abs()).cost(1.0 + x))?;
/// }
/// let record = study.record();
/// let text = serde_json::to_string(&record).unwrap();
/// assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
/// // The same as JSON lines.
/// let lines: Vec<String> =
///     record.rows().iter().map(|row| serde_json::to_string(row).unwrap()).collect();
/// let rows: Vec<Row> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
/// assert_eq!(Record::new(rows)?, record);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Rows"))]
pub struct Record {
    rows: Vec<Row>,
}

/// A record that was read, and is to be checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Rows {
    rows: Vec<Row>,
}

#[cfg(feature = "serde")]
impl TryFrom<Rows> for Record {
    type Error = Error;

    fn try_from(read: Rows) -> Result<Self> {
        Self::new(read.rows)
    }
}

impl Record {
    /// The rows of a run, in the order of their trials.
    ///
    /// # Errors
    /// Naming the trial: `UnknownTrial` for a number out of order; `InvalidSetting` for rows that
    /// differ in direction, for places in the order of telling that are not 0, 1, 2, ... for the
    /// trials neither pending nor withdrawn, and for a trial told before it was asked for;
    /// `UnknownParameter` for rows that differ in their parameters; `Dimension` for a point of
    /// another dimension.
    pub fn new(rows: Vec<Row>) -> Result<Self> {
        let mut order = Order::new(rows.iter().map(Row::telling));
        for (index, row) in rows.iter().enumerate() {
            row.check(index, &rows[0])
                .and_then(|()| order.take(row.telling()))
                .map_err(|error| error.at(format_args!("trial {index} of the record")))?;
        }
        Ok(Self { rows })
    }

    /// The names of the parameters in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.first().into_iter().flat_map(|row| row.point.names())
    }

    /// The record of rows that a study made.
    pub(crate) fn from_study(rows: Vec<Row>) -> Self {
        Self { rows }
    }

    /// Adds what is believed of means of items, by trial.
    pub(crate) fn believe(&mut self, believed: Vec<(usize, f64)>) {
        for (trial, mean) in believed {
            self.rows[trial].believed = Some(mean);
        }
    }

    /// The rows, one for each trial.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Which outcomes are better. None if there is no trial.
    pub fn direction(&self) -> Option<Direction> {
        self.rows.first().map(|row| row.direction)
    }

    /// The trials that were told, in the order in which they were.
    pub fn in_order_of_telling(&self) -> Vec<&Row> {
        let mut told: Vec<_> = self.rows.iter().filter(|row| row.told.is_some()).collect();
        told.sort_by_key(|row| row.told);
        told
    }
}
