//! Runs that somebody else began: their reports, and what they are advised to do.

use super::event::{Advice, StagedEvent};
use super::run::RunState;
use super::study::StagedStudy;
use crate::data::Value;
use crate::error::Result;
use crate::study::{Located, TrialId};

impl StagedStudy {
    /// Enters a run that somebody else began at these values. It is under way until its first report,
    /// and is told like a run that was asked for.
    ///
    /// ```
    /// # use gittins::Space;
    /// # use gittins::staged::{Stages, StagedStudy};
    /// let space = Space::new().float("rate", 0.0, 1.0);
    /// let mut study = StagedStudy::minimize(space, Stages::epochs(9)).build()?;
    /// let run = study.announce(&[0.3])?;
    /// study.note_report(run, 1.0, 0.7, 2.5)?; // it goes on, whatever its outcome
    /// println!("{:?}", study.advise(run)?); // whether it should
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Dimension`, `NonFinite` or `OutOfBounds` for the values, naming the parameter; for a table
    /// also those of values that no row has.
    pub fn announce<V: Into<Value> + Clone>(&mut self, values: &[V]) -> Result<TrialId> {
        let drawn = Located::new(&self.domain, values)?.drawn;
        let (unit, row, until) = (drawn.unit, drawn.row, self.progress[0]);
        self.happens(StagedEvent::Began { unit, row, until })?;
        Ok(TrialId::from(self.runs.len() - 1))
    }

    /// Takes what a run says at a progress, and decides nothing: the run stays under way. One that was
    /// abandoned stays so, unless this is its end.
    ///
    /// # Errors
    /// Those of [`report`](Self::report), but none of the model.
    pub fn note_report(
        &mut self,
        run: impl Into<TrialId>,
        progress: f64,
        outcome: f64,
        cost: f64,
    ) -> Result<()> {
        let id = run.into();
        self.happens(StagedEvent::Reported { run: id, progress, outcome, cost })?;
        if self.run(id)?.state != RunState::Paused {
            return Ok(());
        }
        let advice = Advice::Continue { until: self.next_progress(progress) };
        self.happens(StagedEvent::Advised { run: id, advice })
    }

    /// What a run under way should do at its last report, by everything that was told since. It is
    /// what [`report`](Self::report) would have answered. A run without a report goes on.
    ///
    /// # Errors
    /// `UnknownTrial`. Those of the model, after which the run is left.
    pub fn advise(&mut self, run: impl Into<TrialId>) -> Result<Advice> {
        let id = run.into();
        let run = self.run(id)?;
        match run.state {
            RunState::Running { until } if run.reports.is_empty() => {
                Ok(Advice::Continue { until })
            }
            RunState::Running { .. } => {
                self.happens(StagedEvent::Advised { run: id, advice: Advice::Pause })?;
                self.decide_on(id)
            }
            _ => self.decide_on(id),
        }
    }
}
