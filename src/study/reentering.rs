//! A record that is entered into a study again, event by event.

use std::collections::HashMap;
use std::iter::Peekable;
use std::slice::Iter;

use crate::data::trial::{Origin, TrialState};
use crate::data::{Direction, State, TrialId, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::study::event::{Changing, Event};
use crate::study::outcome::Outcome;
use crate::study::record::{Record, Row, RowPoint};

/// The rows of a record that are still to be entered.
pub(crate) type Rows<'r, P, S> = Peekable<Iter<'r, Row<P, S>>>;

/// A study into which a record can be entered again.
pub(crate) trait Reentered: Changing {
    /// The point of a row.
    type Point: RowPoint;
    /// The suggestion of a row.
    type Suggestion;
    /// Whether a trial happens at a point that is told with its outcome.
    const IS_TOLD_PLACE: bool;

    /// The trial that is entered next.
    fn next_id(&self) -> TrialId;

    /// Which outcomes are better.
    fn to(&self) -> Direction;

    /// The names of the parameters.
    fn named(&self) -> &[String];

    /// Whether costs are learned.
    fn learns_costs(&self) -> bool;

    /// The trial that a row says was asked for.
    ///
    /// # Errors
    /// Those of a row that is not one of this study.
    fn asked(&mut self, row: &Row<Self::Point, Self::Suggestion>) -> Result<Self::Asked>;

    /// Where a row says that its trial happened.
    ///
    /// # Errors
    /// Those of a point that is not one of this study.
    fn place(&self, point: &Self::Point) -> Result<Vec<Value>>;

    /// Takes the models that the record says were in use after what was told so far, in place of
    /// fitting them again. Models that it does not name are fitted.
    ///
    /// # Errors
    /// Those of the models.
    fn believe(&mut self, suggestion: &Self::Suggestion) -> Result<()>;

    /// Checks that a record is to what the study is to.
    ///
    /// # Errors
    /// `InvalidSetting`.
    fn check_direction(&self, record: &Record<Self::Point, Self::Suggestion>) -> Result<()> {
        match record.direction().filter(|&other| other != self.to()) {
            None => Ok(()),
            Some(other) => {
                let message = format!("the record is to {other}, and the study to {}", self.to());
                Err(Error::new(ErrorKind::InvalidSetting, message))
            }
        }
    }

    /// Enters the trials that were asked for or imported before the telling of number `place`. A
    /// trial that was withdrawn is withdrawn from the start, and so is one of others that is told
    /// later.
    ///
    /// # Errors
    /// Naming the trial, those of a row that is not one of this study.
    fn reenter(
        &mut self,
        rows: &mut Rows<'_, Self::Point, Self::Suggestion>,
        place: usize,
    ) -> Result<()> {
        while let Some(row) = rows.next_if(|row| row.seen <= place) {
            // It is imported when it is told, unless others were entered in between.
            let is_last = rows.peek().is_none_or(|next| next.seen > place);
            if row.origin != Origin::Imported || row.told != Some(place) || !is_last {
                self.reenter_one(row).map_err(|error| error.at(place_of(row)))?;
            }
        }
        Ok(())
    }

    fn reenter_one(&mut self, row: &Row<Self::Point, Self::Suggestion>) -> Result<()> {
        self.check_names(row)?;
        let trial = TrialId::from(row.trial);
        let is_withdrawn = if row.origin == Origin::Imported {
            let values = if Self::IS_TOLD_PLACE { Vec::new() } else { self.place(&row.point)? };
            self.happens(Event::Announced { values })?;
            row.state != TrialState::Pending
        } else {
            let asked = self.asked(row)?;
            self.happens(Event::Asked { trial, asked, policy: None })?;
            row.state == TrialState::Withdrawn
        };
        if is_withdrawn { self.happens(Event::Withdrawn { trial }) } else { Ok(()) }
    }

    /// Checks that a row has the parameters of the study.
    fn check_names(&self, row: &Row<Self::Point, Self::Suggestion>) -> Result<()> {
        if row.point.names().eq(self.named()) {
            return Ok(());
        }
        let message = format!(
            "its {} {:?} are not those of the study, {:?}",
            Self::Point::NAMED,
            row.point.names().collect::<Vec<_>>(),
            self.named()
        );
        Err(Error::new(ErrorKind::UnknownParameter, message))
    }

    /// Tells a trial as the record has it, or its cost alone.
    ///
    /// # Errors
    /// Naming the trial, those of the call.
    fn retell(&mut self, row: &Row<Self::Point, Self::Suggestion>, cost_alone: bool) -> Result<()> {
        self.told(row, cost_alone)
            .and_then(|event| self.happens(event))
            .map_err(|error| error.at(place_of(row)))
    }

    fn told(
        &self,
        row: &Row<Self::Point, Self::Suggestion>,
        cost_alone: bool,
    ) -> Result<Event<Self::Asked>> {
        let trial = TrialId::from(row.trial);
        if let Some(cost) = row.cost.filter(|_| cost_alone) {
            return Ok(Event::Paid { trial, cost });
        }
        let state = row.state.told()?;
        // A cost that came first is in the books already. One that came later, or never, is
        // announced if it is learned.
        let late = row.cost.is_none() || row.paid > row.told;
        let cost_later = late && state == State::Complete && self.learns_costs();
        let cost = row.cost.filter(|_| row.paid.is_none());
        let measured = row.measured.clone();
        let outcome = Outcome { state, value: row.outcome, cost, cost_later, measured };
        if trial == self.next_id() {
            self.check_names(row)?;
            return Ok(Event::Imported { values: self.place(&row.point)?, outcome });
        }
        let values = if Self::IS_TOLD_PLACE { self.place(&row.point)? } else { Vec::new() };
        Ok(Event::Told { trial, values, outcome })
    }

    /// The study after all that a record has.
    ///
    /// # Errors
    /// Those of [`StudyBuilder::continue_from`](crate::study::StudyBuilder::continue_from).
    fn after_record(mut self, record: &Record<Self::Point, Self::Suggestion>) -> Result<Self> {
        self.check_direction(record)?;
        let models = models(record);
        let mut rows = record.rows().iter().peekable();
        for (place, row, cost_alone) in record.tellings() {
            self.reenter(&mut rows, place)?;
            self.retell(row, cost_alone)?;
            if let Some(suggestion) = models.get(&(place + 1)) {
                self.believe(suggestion).map_err(|error| error.at(place_of(row)))?;
            }
        }
        self.reenter(&mut rows, usize::MAX)?;
        Ok(self)
    }
}

/// The suggestions with the models behind them, by how much had been told.
pub(crate) fn models<P, S>(record: &Record<P, S>) -> HashMap<usize, &S> {
    record.rows().iter().filter_map(|row| Some((row.seen, row.suggestion.as_ref()?))).collect()
}

/// The place of an error.
pub(crate) fn place_of<P, S>(row: &Row<P, S>) -> String {
    format!("trial {} of the record", row.trial)
}
