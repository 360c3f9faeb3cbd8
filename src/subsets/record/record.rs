//! The record of a run with control sets.

use crate::data::Direction;
#[cfg(feature = "serde")]
use crate::error::Error;
use crate::error::Result;
use crate::study::order::Order;
use crate::subsets::record::row::SubsetRow;

/// A run with control sets, one [`SubsetRow`] for each trial in the order in which trials were
/// asked for or imported.
///
/// It is written and read as a [`Record`](crate::Record) is: whole, row by row, or as the
/// [cells](Self::cells) of a table. A study goes on from it where the recorded one stood
/// ([`SubsetStudyBuilder::resume`](crate::subsets::SubsetStudyBuilder::resume)).
///
#[cfg_attr(feature = "serde", doc = "```")]
#[cfg_attr(not(feature = "serde"), doc = "```ignore")]
/// use gittins::subsets::SubsetRecord;
/// use gittins::{Outcome, Space, ControlSets, Law, SubsetStudy};
///
/// let builder = || {
///     let space = Space::new().float("lime", 0.0, 4.0).float("rain", 200.0, 900.0);
///     let sets = ControlSets::new().set("field", ["lime"], 1.0).law("rain", Law::normal(600.0, 120.0));
///     SubsetStudy::maximize(space, sets).initial(2).seed(7)
/// };
/// let mut study = builder().build()?;
/// for rain in [480.0, 610.0, 550.0, 700.0] {
///     let ask = study.ask()?;
///     let lime = ask.get("lime")?;
///     study.tell(ask.id(), &[lime, rain], Outcome::new(-(lime - 2.0).powi(2) + rain / 500.0))?;
/// }
/// let text = serde_json::to_string(&study.record()).unwrap();
/// let record: SubsetRecord = serde_json::from_str(&text).unwrap();
/// let mut resumed = builder().resume(&record)?;
/// assert_eq!(resumed.ask()?, study.ask()?);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Rows"))]
pub struct SubsetRecord {
    rows: Vec<SubsetRow>,
}

/// A record that was read, and is to be checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Rows {
    rows: Vec<SubsetRow>,
}

#[cfg(feature = "serde")]
impl TryFrom<Rows> for SubsetRecord {
    type Error = Error;

    fn try_from(read: Rows) -> Result<Self> {
        Self::new(read.rows)
    }
}

impl SubsetRecord {
    /// The rows of a run, in the order of their trials.
    ///
    /// # Errors
    /// Naming the trial: `UnknownTrial` for a number out of order; `InvalidSetting` for rows that
    /// differ in direction, for places in the order of telling that are not 0, 1, 2, ... for the
    /// trials neither under way nor withdrawn, for a trial told before it was asked for, for a
    /// trial that was asked for without a set or imported with one, and for a trial that was told
    /// without its point or has one without having been told; `UnknownParameter` for rows that
    /// differ in their variables, and for a controlled variable that is none of them or not in
    /// their order; `Dimension` for a query of another dimension.
    pub fn new(rows: Vec<SubsetRow>) -> Result<Self> {
        let mut order = Order::new(rows.iter().map(SubsetRow::telling));
        for (index, row) in rows.iter().enumerate() {
            row.check(index, &rows[0])
                .and_then(|()| order.take(row.telling()))
                .map_err(|error| error.at(format_args!("trial {index} of the record")))?;
        }
        Ok(Self { rows })
    }

    /// The record of rows that a study made.
    pub(crate) fn from_study(rows: Vec<SubsetRow>) -> Self {
        Self { rows }
    }

    /// The rows, one for each trial.
    pub fn rows(&self) -> &[SubsetRow] {
        &self.rows
    }

    /// Which outcomes are better. None if there is no trial.
    pub fn direction(&self) -> Option<Direction> {
        self.rows.first().map(|row| row.direction)
    }

    /// The names of the variables in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.first().into_iter().flat_map(SubsetRow::names)
    }

    /// The trials that were told, in the order in which they were.
    pub fn in_order_of_telling(&self) -> Vec<&SubsetRow> {
        let mut told: Vec<&SubsetRow> = self.rows.iter().filter(|row| row.told.is_some()).collect();
        told.sort_by_key(|row| row.told);
        told
    }
}
