//! The order in which a record says that things were told.

use crate::data::trial::trial::TrialState;
use crate::error::{Error, ErrorKind, Result};

/// When a row's trial was asked for, and when it was told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Telling {
    /// The trial's number.
    pub trial: usize,
    /// How far the trial has come.
    pub state: TrialState,
    /// How much had been told when it was asked for or imported.
    pub seen: usize,
    /// Its place in the order of telling.
    pub told: Option<usize>,
    /// The place of its cost, if the cost was told apart from the outcome.
    pub paid: Option<usize>,
}

/// The places in the order of telling that are taken, row by row.
#[derive(Debug)]
pub(super) struct Order {
    taken: Vec<bool>,
    /// How much had been told when the row before was asked for.
    seen: usize,
}

impl Telling {
    /// Checks the number of the row at `index`.
    ///
    /// # Errors
    /// `UnknownTrial` for a number out of order.
    pub fn check_number(&self, index: usize) -> Result<()> {
        if self.trial == index {
            return Ok(());
        }
        let message = format!("trials are numbered from 0 in order, got number {}", self.trial);
        Err(Error::new(ErrorKind::UnknownTrial, message))
    }

    /// How many places the row takes.
    fn count(&self) -> usize {
        usize::from(self.state.is_told()) + usize::from(self.paid.is_some())
    }
}

impl Order {
    /// The order of these rows, with no place taken yet.
    pub fn new(rows: impl Iterator<Item = Telling>) -> Self {
        Self { taken: vec![false; rows.map(|row| row.count()).sum()], seen: 0 }
    }

    /// Takes the places of the next row.
    ///
    /// # Errors
    /// `InvalidSetting` for a place that there is not, that is taken, or that lies before the trial
    /// was asked for; for a trial that was asked for earlier than the row before; for a trial that
    /// was told and has no place, or the other way round.
    pub fn take(&mut self, row: Telling) -> Result<()> {
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidSetting, message));
        let taken = &mut self.taken;
        let mut take = |place: usize| match taken.get_mut(place) {
            Some(taken) if !*taken && row.seen <= place => {
                *taken = true;
                Ok(())
            }
            _ => invalid(format!(
                "told as number {place}, from 0, of {}, when {} had been told before it",
                taken.len(),
                row.seen
            )),
        };
        row.paid.map_or(Ok(()), &mut take)?;
        let before = std::mem::replace(&mut self.seen, row.seen);
        if row.seen < before {
            return invalid(format!(
                "asked for when {} had been told, after one asked for when {before} had been",
                row.seen
            ));
        }
        match row.told {
            None if !row.state.is_told() => Ok(()),
            Some(place) if row.state.is_told() => take(place),
            Some(place) => invalid(format!(
                "it is {}, but its place in the order of telling is {place}",
                row.state
            )),
            None => {
                invalid(format!("it is {}, but has no place in the order of telling", row.state))
            }
        }
    }
}
