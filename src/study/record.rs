//! A run as a table of numbers: what was asked, why, what came of it, and what the stopping rule
//! saw.

use crate::backend::{Fallback, Provenance};
use crate::data::Direction;
use crate::error::{Error, ErrorKind, Result};
#[cfg(feature = "serde")]
use crate::math::number::{list, maybe, one};
use crate::model::Hyperparameters;
use crate::stop::Verdict;
use crate::study::{Origin, TrialState};

/// A run, one [`Row`] for each trial in the order in which trials were asked for or imported.
///
/// Rows are what is written and read. As JSON lines each is a line of its own,
/// `serde_json::to_string(row)`; as CSV they have [`columns`](Self::columns) and
/// [`cells`](Self::cells). Numbers survive both to the last bit, if the reader of JSON rounds
/// correctly (`serde_json` does with its feature `float_roundtrip`). What was read back is as good
/// as what was recorded: to [judge](crate::evaluation::Course) the run, or to
/// [replay](crate::evaluation::Replay) stopping rules over it.
///
#[cfg_attr(feature = "serde", doc = "```")]
#[cfg_attr(not(feature = "serde"), doc = "```ignore")]
/// use gittins::{Cost, Outcome, Record, Space, Study, study::record::Row};
/// let mut study = Study::minimize(Space::new().float("x", 0.0, 1.0)).cost(Cost::learned()).initial(3).build()?;
/// for _ in 0..5 {
///     let ask = study.ask()?;
///     let x = ask.get("x")?;
///     study.tell(ask.id(), Outcome::new((x - 0.3).abs()).cost(1.0 + x))?;
/// }
/// let record = study.record();
/// let lines: Vec<String> = record.rows().iter().map(|row| serde_json::to_string(row).unwrap()).collect();
/// let rows: Vec<Row> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
/// assert_eq!(Record::new(rows)?, record);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    rows: Vec<Row>,
}

/// One trial of a [`Record`]. Outcomes and costs are in the user's units.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Row {
    /// The trial's number.
    pub trial: usize,
    /// Which outcomes are better.
    pub direction: Direction,
    /// Where the trial came from.
    pub origin: Origin,
    /// How far it has come.
    pub state: TrialState,
    /// The parameters' names and values in their order.
    #[cfg_attr(feature = "serde", serde(with = "named"))]
    pub values: Vec<(String, f64)>,
    /// The same point in the unit cube.
    #[cfg_attr(feature = "serde", serde(with = "list"))]
    pub unit: Vec<f64>,
    /// Its row, in a table.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub row: Option<usize>,
    /// How much had been told when it was asked for or imported: outcomes, failures and the like,
    /// and costs that were told apart from them.
    #[cfg_attr(feature = "serde", serde(default))]
    pub seen: usize,
    /// Its place in the order of what was told, from 0; none as long as it is under way, or once it
    /// was withdrawn. What was told and taken back has no place, and what was corrected has its
    /// first.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub told: Option<usize>,
    /// The place of its cost in that order, if it was told apart from the outcome.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub paid: Option<usize>,
    /// What came out.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub outcome: Option<f64>,
    /// What it cost.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub cost: Option<f64>,
    /// The cost of the suggested trials, as far as it was told, at the moment at which this one was
    /// told, its own included; none without an outcome told.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub spent: Option<f64>,
    /// The best outcome up to that moment, its own included; none as long as no trial is complete.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub best: Option<f64>,
    /// What was thought of it beforehand, where the policy suggested it.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub suggestion: Option<Suggested>,
    /// The last verdict asked for between the telling of this trial and of the next; none once
    /// something that it knew was corrected or taken back.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub verdict: Option<Judged>,
    /// How long the study took.
    #[cfg_attr(feature = "serde", serde(default))]
    pub seconds: Seconds,
}

/// What a suggestion said.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Suggested {
    /// The acquisition's name.
    pub acquisition: String,
    /// Its price of a unit of cost, if it has one.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub lambda: Option<f64>,
    /// Its value, an index or a bound in the user's direction.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub value: f64,
    /// The expected outcome.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub mean: f64,
    /// The standard deviation of the outcome.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub sd: f64,
    /// The expected cost; none as long as costs are learned and none is known.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub cost: Option<f64>,
    /// The model of the (standardized) outcome; none once something that it was fitted to was
    /// corrected or taken back, like the next.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub outcome_model: Option<Hyperparameters>,
    /// The model of the standardized `ln c`, where the cost is learned.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub cost_model: Option<Hyperparameters>,
    /// Who found the basins.
    pub basins: Made,
    /// Who made the numbers.
    pub provenance: Made,
    /// Where else the search ended, best first: hints for the next search. None in a table.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub runners_up: Vec<Vec<f64>>,
}

/// What a stopping rule said.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Judged {
    /// The rule's name.
    pub rule: String,
    /// Its statistic.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub statistic: f64,
    /// The value at or below which it fires.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub threshold: f64,
    /// Whether it fired.
    pub fired: bool,
}

/// Seconds by the clock.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Seconds {
    /// Of the fits made after this trial was told and before the next one was; 0 where there was
    /// none.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub fit: f64,
    /// Of the search that suggested it; 0 where it was not suggested.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub search: f64,
    /// Of the last verdict asked for after it was told, fits not included; 0 where none was.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub verdict: f64,
}

/// Who made numbers: a [`Provenance`] to keep.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Made {
    /// `"cpu"`, or what another backend calls itself.
    pub backend: String,
    /// The adapter's name, none for the CPU.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub adapter: Option<String>,
    /// `"f64"` or `"f32"`.
    pub precision: String,
    /// Why another backend than the one asked answered.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub fallback: Option<Fallback>,
}

impl From<&Provenance> for Made {
    fn from(provenance: &Provenance) -> Self {
        Self {
            backend: provenance.backend.to_owned(),
            adapter: provenance.adapter.as_deref().map(str::to_owned),
            precision: provenance.precision.to_owned(),
            fallback: provenance.fallback,
        }
    }
}

impl From<&Verdict> for Judged {
    fn from(verdict: &Verdict) -> Self {
        let reason = verdict.reason();
        Self {
            rule: reason.rule.clone(),
            statistic: reason.statistic,
            threshold: reason.threshold,
            fired: verdict.is_stop(),
        }
    }
}

impl Record {
    /// The rows of a run, in the order of their trials.
    ///
    /// # Errors
    /// Naming the trial: `UnknownTrial` for a number out of order, `InvalidSetting` where rows
    /// differ in direction, where the places in the order of telling are not 0, 1, 2, ... for the
    /// trials neither under way nor withdrawn, or a trial was told before it was asked for;
    /// `UnknownParameter` where rows differ in their parameters, `Dimension` for a point of another
    /// dimension.
    pub fn new(rows: Vec<Row>) -> Result<Self> {
        let tellings = |row: &Row| usize::from(row.is_told()) + usize::from(row.paid.is_some());
        let mut places = vec![false; rows.iter().map(tellings).sum()];
        for (index, row) in rows.iter().enumerate() {
            let seen = index.checked_sub(1).map_or(0, |before| rows[before].seen);
            row.check(index, &rows[0], seen, &mut places)
                .map_err(|error| error.at(format_args!("trial {index} of the record")))?;
        }
        Ok(Self { rows })
    }

    /// Of rows that a study made.
    pub(super) fn from_study(rows: Vec<Row>) -> Self {
        Self { rows }
    }

    /// The rows, one for each trial.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Which outcomes are better; none where there is no trial.
    pub fn direction(&self) -> Option<Direction> {
        self.rows.first().map(|row| row.direction)
    }

    /// The names of the parameters in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.first().into_iter().flat_map(|row| &row.values).map(|(name, _)| name.as_str())
    }

    /// What was told, one thing after another: a trial, or with `true` its cost alone.
    pub(crate) fn tellings(&self) -> Vec<(usize, &Row, bool)> {
        let told = |row| Row::told_at(row).into_iter().chain(Row::paid_at(row));
        let mut tellings: Vec<_> = self.rows.iter().flat_map(told).collect();
        tellings.sort_by_key(|(place, ..)| *place);
        tellings
    }

    /// The trials that were told, in the order in which they were.
    pub fn in_order_of_telling(&self) -> Vec<&Row> {
        let mut told: Vec<&Row> = self.rows.iter().filter(|row| row.told.is_some()).collect();
        told.sort_by_key(|row| row.told);
        told
    }
}

impl Row {
    fn check(&self, index: usize, first: &Row, seen: usize, places: &mut [bool]) -> Result<()> {
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidSetting, message));
        if self.trial != index {
            return Err(Error::new(
                ErrorKind::UnknownTrial,
                format!("trials are numbered from 0 in order, got number {}", self.trial),
            ));
        }
        if self.direction != first.direction {
            return invalid(format!(
                "{:?}, while trial 0 is to {:?}",
                self.direction, first.direction
            ));
        }
        if !self.values.iter().map(|(name, _)| name).eq(first.values.iter().map(|(name, _)| name)) {
            let message = format!(
                "its parameters {:?} are not those of trial 0, {:?}",
                self.values, first.values
            );
            return Err(Error::new(ErrorKind::UnknownParameter, message));
        }
        if self.unit.len() != self.values.len() {
            let message = format!(
                "a point of {} coordinates for {} parameters",
                self.unit.len(),
                self.values.len()
            );
            return Err(Error::new(ErrorKind::Dimension, message));
        }
        if self.paid.is_some() && self.cost.is_none() {
            return invalid(
                "its cost was told apart from its outcome, and is not there".to_owned(),
            );
        }
        let mut take = |place: usize| match places.get_mut(place) {
            Some(taken) if !*taken && self.seen <= place => {
                *taken = true;
                Ok(())
            }
            _ => invalid(format!(
                "told as number {place}, from 0, of {}, when {} had been told before it",
                places.len(),
                self.seen
            )),
        };
        self.paid.map_or(Ok(()), &mut take)?;
        if self.seen < seen {
            return invalid(format!(
                "asked for when {} had been told, after one asked for when {seen} had been",
                self.seen
            ));
        }
        match self.told {
            None if !self.is_told() => Ok(()),
            Some(place) if self.is_told() => take(place),
            told => invalid(format!(
                "{:?}, but its place in the order of telling is {told:?}",
                self.state
            )),
        }
    }

    fn is_told(&self) -> bool {
        !matches!(self.state, TrialState::Pending | TrialState::Withdrawn)
    }

    fn told_at(&self) -> Option<(usize, &Self, bool)> {
        Some((self.told?, self, false))
    }

    fn paid_at(&self) -> Option<(usize, &Self, bool)> {
        Some((self.paid?, self, true))
    }
}

/// Names and values as a map that keeps its order.
#[cfg(feature = "serde")]
mod named {
    use std::fmt;

    use serde::de::{MapAccess, Visitor};
    use serde::{Deserializer, Serializer};

    use crate::math::number::Number;

    pub fn serialize<S: Serializer>(
        values: &[(String, f64)],
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(values.iter().map(|(name, value)| (name, Number(*value))))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Vec<(String, f64)>, D::Error> {
        struct Values;
        impl<'de> Visitor<'de> for Values {
            type Value = Vec<(String, f64)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from names to numbers")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Self::Value, A::Error> {
                let mut values = Vec::new();
                while let Some((name, Number(value))) = map.next_entry()? {
                    values.push((name, value));
                }
                Ok(values)
            }
        }
        deserializer.deserialize_map(Values)
    }
}
