//! What can be asked of a study of runs in stages and told to it, wherever it lives.

use super::ask::StagedAsk;
use super::event::Advice;
use super::study::StagedStudy;
use crate::data::TrialId;
use crate::error::Result;
use crate::stop::Verdict;

/// A study of runs in stages: a [`StagedStudy`] in memory, or one in a file
/// (`gittins::journal::StagedJournal`). Each call is described at the study; a journal says what it
/// does besides.
///
/// ```
/// use gittins::staged::{Advice, AskReport, StagedStudy, Stages};
/// use gittins::{Result, Space};
///
/// /// One run, until it is left.
/// fn step(study: &mut dyn AskReport) -> Result<()> {
///     let ask = study.ask()?;
///     let mut until = ask.until();
///     while let Advice::Continue { until: next } = study.report(ask.id(), until, 0.5, 1.0)? {
///         until = next;
///     }
///     Ok(())
/// }
///
/// let space = Space::new().float("x", -1.0, 2.0);
/// let mut study = StagedStudy::minimize(space, Stages::epochs(9)).build()?;
/// step(&mut study)?;
/// assert_eq!(study.runs().len(), 1);
/// # Ok::<(), gittins::Error>(())
/// ```
///
/// # Errors
/// Those of the study's calls; of a study in a file also those of its journal.
pub trait AskReport {
    /// The study as it was after the last call: everything that reads.
    fn study(&self) -> &StagedStudy;

    /// Takes what other processes told since. A study in memory has no others.
    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    /// What to begin or to resume, and how far it is to go before it reports.
    fn ask(&mut self) -> Result<StagedAsk>;

    /// Takes what a run says at a progress: its outcome so far, and its cost since its last report.
    fn report(&mut self, run: TrialId, progress: f64, outcome: f64, cost: f64) -> Result<Advice>;

    /// Takes that a run broke, and what it cost since its last report.
    fn fail(&mut self, run: TrialId, cost: f64) -> Result<()>;

    /// Takes that a run under way was lost with its worker.
    fn withdraw(&mut self, run: TrialId) -> Result<()>;

    /// Whether to stop, and why.
    fn verdict(&mut self) -> Result<Verdict>;
}

/// The calls of a type by its own methods of the same names, and those that differ.
macro_rules! reports_by_its_own {
    ($kind:ty { $($other:item)* }) => {
        impl AskReport for $kind {
            $($other)*

            fn ask(&mut self) -> Result<StagedAsk> {
                Self::ask(self)
            }

            fn report(
                &mut self,
                run: TrialId,
                progress: f64,
                outcome: f64,
                cost: f64,
            ) -> Result<Advice> {
                Self::report(self, run, progress, outcome, cost)
            }

            fn fail(&mut self, run: TrialId, cost: f64) -> Result<()> {
                Self::fail(self, run, cost)
            }

            fn withdraw(&mut self, run: TrialId) -> Result<()> {
                Self::withdraw(self, run)
            }

            fn verdict(&mut self) -> Result<Verdict> {
                Self::verdict(self)
            }
        }
    };
}
#[cfg(feature = "journal")]
pub(crate) use reports_by_its_own;

reports_by_its_own!(StagedStudy {
    fn study(&self) -> &StagedStudy {
        self
    }
});
