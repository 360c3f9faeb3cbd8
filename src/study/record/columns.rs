//! The columns of a record.

use crate::data::trial::{Origin, TrialState};
use crate::data::{Direction, Measured};
use crate::error::Result;
use crate::stop::Worth;
use crate::study::record::cells::{self, Cells, Pass, Written};
use crate::study::record::parts::{Judged, RowSuggestion, Seconds};
use crate::study::record::point::RowPoint;
use crate::study::record::record::Record;
use crate::study::record::row::Row;

impl<P: RowPoint, S: RowSuggestion> Record<P, S> {
    /// The names of the columns: those of [`Row`], with a dot before what is nested
    /// (`suggestion.mean`), and for each parameter `value.NAME` in the user's units, `unit.NAME` in
    /// the unit cube and its lengthscales. In a space in which some parameter has not exactly one
    /// column of the unit cube, the point stands in one column `unit`, and the lengthscales in one.
    /// Under control sets each variable has `value.NAME` (what happened), `chosen.NAME` (what was
    /// asked for), `query.NAME` (the same in the unit cube) and its lengthscale. Only if some trial
    /// has measured numbers is there a column `measured`, with text such as `latency_ms=17.2;size=3`.
    /// In a name there, `%3B`, `%3D` and `%25` stand for `;`, `=` and `%`.
    pub fn columns(&self) -> Vec<String> {
        let names: Vec<&str> = self.names().collect();
        let mut written = Written::new(self.has_measured());
        // A row without its parts has their columns all the same, and nothing that is written can
        // fail.
        let mut row = self.rows().first().cloned().unwrap_or_else(|| Row::blank(&names, true));
        let _ = row.go_over(&names, &mut written);
        written.columns
    }

    /// The cells of each row, one for each column. A cell is empty if the row does not have it.
    pub fn cells(&self) -> impl Iterator<Item = Vec<String>> {
        let names: Vec<&str> = self.names().collect();
        let measured = self.has_measured();
        self.rows().iter().map(move |row| {
            let mut written = Written::new(measured);
            let _ = row.clone().go_over(&names, &mut written);
            written.cells
        })
    }

    /// The record behind cells, by the names of their columns in any order. Columns of other names
    /// are left aside. The rows do not have what has no column, or an empty cell. The kind of the
    /// record may have to be said: `let record: Record = Record::from_cells(&header, cells)?`.
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
            let mut row = Row::blank(&names, single);
            row.go_over(&names, cells)?;
            Ok(row)
        };
        Self::new(cells::read_rows(header, cells, read)?)
    }

    /// Whether some trial has measured numbers.
    fn has_measured(&self) -> bool {
        self.rows().iter().any(|row| !row.measured.is_empty())
    }
}

impl<P: RowPoint, S: RowSuggestion> Row<P, S> {
    /// A row to be filled, of a space with a `single` column for each parameter or of another.
    fn blank(names: &[&str], single: bool) -> Self {
        Self {
            trial: 0,
            direction: Direction::Minimize,
            origin: Origin::Initial,
            state: TrialState::Pending,
            point: P::blank(names, single),
            seen: 0,
            told: None,
            paid: None,
            outcome: None,
            measured: Measured::default(),
            cost: None,
            spent: None,
            best: None,
            suggestion: None,
            verdict: None,
            seconds: Seconds::default(),
        }
    }

    fn go_over(&mut self, names: &[&str], pass: &mut impl Pass) -> Result<()> {
        pass.field("trial", &mut self.trial)?;
        pass.field("direction", &mut self.direction)?;
        pass.field("origin", &mut self.origin)?;
        pass.field("state", &mut self.state)?;
        self.point.go_over(names, pass)?;
        pass.field("seen", &mut self.seen)?;
        pass.maybe("told", &mut self.told)?;
        if P::PAID_APART {
            pass.maybe("paid", &mut self.paid)?;
        }
        pass.maybe("outcome", &mut self.outcome)?;
        if pass.has_measured() {
            pass.field("measured", &mut self.measured)?;
        }
        pass.maybe("cost", &mut self.cost)?;
        pass.maybe("spent", &mut self.spent)?;
        pass.maybe("best", &mut self.best)?;
        let names = self.point.is_single().then_some(names);
        pass.part(S::MARKER, &mut self.suggestion, S::default, |pass, suggestion| {
            suggestion.go_over(names, pass)
        })?;
        verdict(pass, &mut self.verdict)?;
        seconds(pass, &mut self.seconds)
    }
}

/// The columns of a verdict.
fn verdict(pass: &mut impl Pass, verdict: &mut Option<Judged>) -> Result<()> {
    pass.part("verdict.statistic", verdict, Judged::default, |pass, verdict| {
        pass.field("verdict.rule", &mut verdict.rule)?;
        pass.field("verdict.statistic", &mut verdict.statistic)?;
        pass.field("verdict.threshold", &mut verdict.threshold)?;
        pass.field("verdict.fired", &mut verdict.fired)?;
        pass.part("verdict.gain", &mut verdict.worth, Worth::default, |pass, worth| {
            pass.field("verdict.gain", &mut worth.gain)?;
            pass.field("verdict.price", &mut worth.price)
        })
    })
}

/// The columns of the seconds.
fn seconds(pass: &mut impl Pass, seconds: &mut Seconds) -> Result<()> {
    pass.field("seconds.fit", &mut seconds.fit)?;
    pass.field("seconds.search", &mut seconds.search)?;
    pass.field("seconds.verdict", &mut seconds.verdict)
}
