//! One trial of a record.

use crate::data::trial::trial::{Origin, TrialState};
use crate::data::{Direction, Measured};
use crate::error::{Error, ErrorKind, Result};
#[cfg(feature = "serde")]
use crate::math::number::maybe;
use crate::study::record::order::Telling;
use crate::study::record::parts::{Judged, Seconds, Suggested};
use crate::study::record::point::Point;

/// One trial of a [`Record`](crate::Record). Outcomes and costs are in the user's units.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Row {
    /// The trial's number.
    pub trial: usize,
    /// Which outcomes are better.
    pub direction: Direction,
    /// Where the trial came from.
    pub origin: Origin,
    /// How far it has come.
    pub state: TrialState,
    /// Where it was evaluated. Its fields are fields of the row in JSON.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub point: Point,
    /// How much had been told when it was asked for or imported: outcomes, failures and the like,
    /// and costs that were told apart from them.
    #[cfg_attr(feature = "serde", serde(default))]
    pub seen: usize,
    /// Its place in the order of what was told, from 0. None while it is pending, or once it was
    /// withdrawn. A trial that was told and taken back has no place. A trial that was corrected has
    /// its first place.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub told: Option<usize>,
    /// The place of its cost in that order, if it was told apart from the outcome.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub paid: Option<usize>,
    /// The outcome.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub outcome: Option<f64>,
    /// In a study by [items](crate::study::Stages::items), what is believed of the mean over all of
    /// them: the mean less 0.75 of its deviation, by which a trial is recommended. That of the items it
    /// has seen, while nothing is believed.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub believed: Option<f64>,
    /// The numbers that were measured beside the outcome.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Measured::is_empty"))]
    pub measured: Measured,
    /// The cost.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub cost: Option<f64>,
    /// The cost of the suggested trials, as far as it was told, at the moment at which this one was
    /// told, its own included. None for a trial that was not told.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub spent: Option<f64>,
    /// The best outcome up to that moment, its own included, of the trials that hold all limits. None
    /// while there is no such trial.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub best: Option<f64>,
    /// The suggestion, if the policy suggested it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub suggestion: Option<Suggested>,
    /// The last verdict asked for between the telling of this trial and of the next. None once
    /// something that it knew was corrected or taken back.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub verdict: Option<Judged>,
    /// How long the study took.
    #[cfg_attr(feature = "serde", serde(default))]
    pub seconds: Seconds,
}

impl Row {
    /// When it was asked for, and when it was told.
    pub(super) fn telling(&self) -> Telling {
        let Self { trial, state, seen, told, paid, .. } = *self;
        Telling { trial, state, seen, told, paid }
    }

    /// The outcome, if the trial is complete and feasible: with measured numbers it holds all
    /// limits, which shows in [`best`](Self::best).
    #[doc(hidden)]
    pub fn usable_outcome(&self) -> Option<f64> {
        let best = self.direction.better(self.best, self.outcome);
        let holds = self.measured.is_empty() || best == self.best;
        self.outcome.filter(|_| self.state == TrialState::Complete && holds)
    }

    /// Checks the row at `index` against the first one; its place in the order of telling is
    /// checked apart.
    pub(super) fn check(&self, index: usize, first: &Self) -> Result<()> {
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidSetting, message));
        self.telling().check_number(index)?;
        if self.direction != first.direction {
            return invalid(format!(
                "to {}, while trial 0 is to {}",
                self.direction, first.direction
            ));
        }
        if !self.point.names().eq(first.point.names()) {
            let [own, known] = [self, first].map(|row| row.point.names().collect::<Vec<_>>());
            let message = format!("its parameters {own:?} are not those of trial 0, {known:?}");
            return Err(Error::new(ErrorKind::UnknownParameter, message));
        }
        self.point.check(&first.point)?;
        if self.paid.is_some() && self.cost.is_none() {
            return invalid(
                "its cost was told apart from its outcome, and is not there".to_owned(),
            );
        }
        Ok(())
    }
}
