//! The results of the trials of a study of control sets: told, imported, withdrawn, corrected.

use gittins::{Outcome, Result, TrialId};

use crate::control::study::event::SubsetEvent;
use crate::control::study::study::SubsetStudy;

impl SubsetStudy {
    /// Takes the result of a trial that was asked for: the full point that happened, in the order
    /// of the space, and the outcome, with its cost if it differs from the price of the set. A
    /// failed trial has its point, too. A trial that was [withdrawn](Self::withdraw) is paid for
    /// again.
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` for a trial told before, whose first outcome stands unless
    /// [`correct`](Self::correct) replaces it; `Dimension`, `NonFinite` or `OutOfBounds` for the
    /// point, naming the variable; `Contradiction`, naming it, for a controlled variable with
    /// another value than was asked for; `NonFinite` or `NonPositiveCost` for outcome and cost;
    /// `InvalidSetting` for a measured number, since a study of control sets has no limits.
    pub fn tell(&mut self, id: impl Into<TrialId>, values: &[f64], outcome: Outcome) -> Result<()> {
        self.happens(SubsetEvent::Told { trial: id.into(), values: values.to_vec(), outcome })
    }

    /// Takes an observation at a full point that was never asked for, and returns the identifier of
    /// its trial. It is not paid for from the budget. A complete one counts toward the initial
    /// design.
    ///
    /// # Errors
    /// `Dimension`, `NonFinite` or `OutOfBounds` for the point, naming the variable, and those of
    /// [`tell`](Self::tell) for the outcome.
    pub fn import(&mut self, values: &[f64], outcome: Outcome) -> Result<TrialId> {
        let id = self.books.next_id();
        self.happens(SubsetEvent::Imported { values: values.to_vec(), outcome })?;
        Ok(id)
    }

    /// Gives a trial up, or takes back what was told of it by mistake: point, outcome and payment.
    /// It is then neither pending nor told, and what it cost or was to cost is in the purse again.
    /// If it belonged to the initial design or to the exploration of cheap sets, another trial
    /// takes its place there. A result that comes all the same is taken by [`tell`](Self::tell),
    /// and paid for. If a trial happened at another point than was told, withdraw it and tell it
    /// anew.
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` for a trial that is withdrawn already, naming it. The study
    /// stays as it was.
    pub fn withdraw(&mut self, id: impl Into<TrialId>) -> Result<()> {
        self.happens(SubsetEvent::Withdrawn { trial: id.into() })
    }

    /// Replaces what was told of a trial, asked for or imported: how it ended, its outcome, and its
    /// cost if the new outcome has one, in which case the purse pays the difference. The point that
    /// happened stands. From then on it is as if the trial had been told so in its place: the model
    /// is fitted anew.
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a trial that is pending or withdrawn, since nothing
    /// stands to be corrected; those of [`tell`](Self::tell) for numbers. All name the trial, and
    /// the study stays as it was.
    pub fn correct(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        self.happens(SubsetEvent::Corrected { trial: id.into(), outcome })
    }
}
