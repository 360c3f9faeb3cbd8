//! Judging: verdicts and recommendations of a study in a file.

use crate::data::TrialId;
use crate::data::trial::Trial;
use crate::error::{Error, ErrorKind, Result};
use crate::journal::journal::Journal;
use crate::stop::Verdict;
use crate::study::{Forecast, Recommendation, Study};

impl Journal {
    /// Whether to stop, after what all processes told, as [`Study::verdict`] says. It is written, for
    /// other processes and for people who look at the study with other programs. One that is known
    /// already is not computed again. A rule is known by its name: one of the same name with other
    /// numbers repeats the verdict until something is told.
    ///
    /// # Errors
    /// Those of [`Study::verdict`]; `InvalidSetting` if the study was [resumed](Self::resume) without
    /// its rule; `Storage`.
    ///
    /// [`Study::verdict`]: crate::Study::verdict
    pub fn verdict(&mut self) -> Result<Verdict> {
        self.sync()?;
        if let Some(verdict) = self.fold.study.judge.verdict.as_ref() {
            return Ok(verdict.clone());
        }
        if let (Some(rule), None) = (&self.settings.rule, self.fold.study.judge.rule.as_ref()) {
            let message = format!("the study stops by the rule {rule:?}: open it with the rule");
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        self.find(Study::verdict)
    }

    /// Whether to ask for no other trial while some are pending, as [`Study::verdict_on_another`]
    /// says. The [`verdict`](Self::verdict) is written; what is said beside the pending trials is
    /// not, since it changes with the time that they take. The study is told of these times first,
    /// as in [`ask`](Self::ask).
    ///
    /// # Errors
    /// Those of [`verdict`](Self::verdict).
    ///
    /// [`Study::verdict_on_another`]: crate::Study::verdict_on_another
    pub fn verdict_on_another(&mut self) -> Result<Verdict> {
        let verdict = self.verdict()?;
        if verdict.is_stop() {
            return Ok(verdict);
        }
        self.sync()?;
        self.note_times()?;
        self.find(Study::verdict_on_another)
    }

    /// The expected cost of a pending trial, and the cost still to come, as [`Study::forecast`]
    /// says. If the unit of cost is a time, the study is told first for how long it has been
    /// running.
    ///
    /// # Errors
    /// Those of [`Study::forecast`]; `Storage`.
    ///
    /// [`Study::forecast`]: crate::Study::forecast
    pub fn forecast(&mut self, id: impl Into<TrialId>) -> Result<Option<Forecast>> {
        self.sync()?;
        self.note_times()?;
        self.find(|study| study.forecast(id))
    }

    /// The trial to use once the run ends, as [`Study::recommendation`] says.
    ///
    /// # Errors
    /// Those of [`Study::recommendation`]; `Storage`.
    ///
    /// [`Study::recommendation`]: crate::Study::recommendation
    pub fn recommendation(&mut self) -> Result<Option<Recommendation>> {
        self.sync()?;
        self.find(Study::recommendation)
    }

    /// The trials of which no other is as good in every objective, as [`Study::front`] says.
    ///
    /// # Errors
    /// Those of [`Study::front`]; `Storage`.
    ///
    /// [`Study::front`]: crate::Study::front
    pub fn front(&mut self) -> Result<Vec<Trial>> {
        self.sync()?;
        self.find(Study::front)
    }

    /// The price of a unit of cost for a budget, as [`Study::lambda_from_budget`] says.
    ///
    /// # Errors
    /// Those of [`Study::lambda_from_budget`]; `Storage`.
    ///
    /// [`Study::lambda_from_budget`]: crate::Study::lambda_from_budget
    pub fn lambda_from_budget(&mut self, budget: f64) -> Result<f64> {
        self.sync()?;
        self.find(|study| study.lambda_from_budget(budget))
    }
}
