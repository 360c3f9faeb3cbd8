//! The columns of the record of a run with control sets.

use crate::data::Direction;
use crate::error::Result;
use crate::study::cells::{self, Cells, Pass, Written};
use crate::study::{Origin, Seconds, TrialState};
use crate::subsets::record::chosen::Chosen;
use crate::subsets::record::record::SubsetRecord;
use crate::subsets::record::row::SubsetRow;

impl SubsetRecord {
    /// The names of the columns: those of [`SubsetRow`], with a dot before what is nested
    /// (`suggestion.value`), and for each variable `value.NAME` (what happened), `chosen.NAME` (what
    /// was asked for), `query.NAME` (the same in the unit cube) and its lengthscale.
    pub fn columns(&self) -> Vec<String> {
        let names: Vec<&str> = self.names().collect();
        let mut written = Written::default();
        // A row without its parts has their columns all the same, and nothing that is written can
        // fail.
        let _ = go_over(&mut blank(&names), &names, &mut written);
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
    /// cells; those of [`SubsetRecord::new`].
    pub fn from_cells<C: AsRef<str>>(
        header: &[C],
        cells: impl IntoIterator<Item = Vec<C>>,
    ) -> Result<Self> {
        let names = cells::parameters(header);
        let read = |cells: &mut Cells<'_, C>| {
            let mut row = blank(&names);
            go_over(&mut row, &names, cells)?;
            Ok(row)
        };
        Self::new(cells::read_rows(header, cells, read)?)
    }
}

fn go_over(row: &mut SubsetRow, names: &[&str], pass: &mut impl Pass) -> Result<()> {
    pass.field("trial", &mut row.trial)?;
    pass.field("direction", &mut row.direction)?;
    pass.field("origin", &mut row.origin)?;
    pass.field("state", &mut row.state)?;
    pass.maybe("set", &mut row.set)?;
    pass.maybe("price", &mut row.price)?;
    go_over_query(row, names, pass)?;
    for (name, value) in &mut row.values {
        pass.maybe(&format!("value.{name}"), value)?;
    }
    pass.field("seen", &mut row.seen)?;
    pass.maybe("told", &mut row.told)?;
    pass.maybe("outcome", &mut row.outcome)?;
    pass.maybe("cost", &mut row.cost)?;
    pass.maybe("spent", &mut row.spent)?;
    pass.maybe("best", &mut row.best)?;
    pass.part("suggestion.score", &mut row.suggestion, blank_suggestion, |pass, suggestion| {
        pass.field("suggestion.score", &mut suggestion.score)?;
        pass.field("suggestion.value", &mut suggestion.value)?;
        pass.field("suggestion.values", &mut suggestion.values)?;
        let exploring = &mut suggestion.exploring;
        let price = "suggestion.exploring.price";
        pass.part(
            price,
            exploring,
            || (0.0, 0),
            |pass, exploring| {
                pass.field(price, &mut exploring.0)?;
                pass.field("suggestion.exploring.plays", &mut exploring.1)
            },
        )?;
        cells::model(pass, "outcome_model", Some(names), &mut suggestion.outcome_model)?;
        pass.field("suggestion.ends", &mut suggestion.ends)
    })?;
    cells::verdict(pass, &mut row.verdict)?;
    cells::seconds(pass, &mut row.seconds)
}

/// The columns of the controlled variables: a pair for each variable, empty for those that the set
/// leaves to nature.
fn go_over_query(row: &mut SubsetRow, names: &[&str], pass: &mut impl Pass) -> Result<()> {
    let of = |name: &&str| {
        let place = row.chosen.iter().position(|(chosen, _)| chosen == name);
        place.map_or([None; 2], |k| [Some(row.chosen[k].1), Some(row.query[k])])
    };
    let mut all: Vec<[Option<f64>; 2]> = names.iter().map(of).collect();
    for (name, [chosen, query]) in names.iter().zip(&mut all) {
        pass.maybe(&format!("chosen.{name}"), chosen)?;
        pass.maybe(&format!("query.{name}"), query)?;
    }
    let chosen = names.iter().zip(&all);
    row.chosen =
        chosen.filter_map(|(name, [value, _])| Some((name.to_string(), (*value)?))).collect();
    row.query = all.iter().filter_map(|[_, u]| *u).collect();
    Ok(())
}

/// A row to be filled.
fn blank(names: &[&str]) -> SubsetRow {
    SubsetRow {
        trial: 0,
        direction: Direction::Minimize,
        origin: Origin::Initial,
        state: TrialState::Pending,
        set: None,
        price: None,
        chosen: Vec::new(),
        query: Vec::new(),
        values: names.iter().map(|name| (name.to_string(), None)).collect(),
        seen: 0,
        told: None,
        outcome: None,
        cost: None,
        spent: None,
        best: None,
        suggestion: None,
        verdict: None,
        seconds: Seconds::default(),
    }
}

fn blank_suggestion() -> Chosen {
    Chosen {
        score: String::new(),
        value: 0.0,
        values: Vec::new(),
        exploring: None,
        outcome_model: None,
        ends: Vec::new(),
    }
}
