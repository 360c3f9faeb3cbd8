//! Judging: verdicts and recommendations of a study in a file.

use crate::error::{Error, ErrorKind, Result};
use crate::journal::journal::Journal;
use crate::journal::operation::{STUDY_SYSTEM_ATTR, STUDY_USER_ATTR};
use crate::journal::said::{Change, FITS, Judgment, VERDICT, WORDS, json_of, words_of};
use crate::stop::Verdict;
use crate::study::{Fits, Forecast, Recommendation, TrialId};

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
        let verdict = self.fold.study.verdict()?;
        let state = self.fold.study.judge.state();
        let fits = self.fold.study.fits().since(&self.fold.recorded);
        let judgment = Judgment {
            verdict: verdict.clone(),
            revision: self.fold.study.trials.books.observations.revision(),
            seconds: self.fold.study.trials.books.seconds_of_verdict(),
            rule: Change::between(&self.fold.rule, &state),
            fits: fits.clone(),
        };
        let operations = vec![
            self.of_study(STUDY_SYSTEM_ATTR, VERDICT, json_of(&judgment)?),
            self.of_study(STUDY_USER_ATTR, WORDS, words_of(&verdict)),
        ];
        if self.write_found(operations, &fits)? {
            self.fold.rule = state;
        }
        Ok(verdict)
    }

    /// Whether to ask for no other trial while some are under way, as [`Study::verdict_on_another`]
    /// says. The [`verdict`](Self::verdict) is written; what is said beside the trials under way is
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
        let verdict = self.fold.study.verdict_on_another()?;
        self.write_fits()?;
        Ok(verdict)
    }

    /// The expected cost of a trial under way, and the cost still to come, as [`Study::forecast`]
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
        let forecast = self.fold.study.forecast(id)?;
        self.write_fits()?;
        Ok(forecast)
    }

    /// The trial to use once the run ends, as [`Study::recommendation`] says.
    ///
    /// # Errors
    /// Those of [`Study::recommendation`]; `Storage`.
    ///
    /// [`Study::recommendation`]: crate::Study::recommendation
    pub fn recommendation(&mut self) -> Result<Option<Recommendation>> {
        self.sync()?;
        let recommendation = self.fold.study.recommendation()?;
        self.write_fits()?;
        Ok(recommendation)
    }

    /// The price of a unit of cost for a budget, as [`Study::lambda_from_budget`] says.
    ///
    /// # Errors
    /// Those of [`Study::lambda_from_budget`]; `Storage`.
    ///
    /// [`Study::lambda_from_budget`]: crate::Study::lambda_from_budget
    pub fn lambda_from_budget(&mut self, budget: f64) -> Result<f64> {
        self.sync()?;
        let price = self.fold.study.lambda_from_budget(budget)?;
        self.write_fits()?;
        Ok(price)
    }

    /// Writes the fits that the file does not have yet.
    fn write_fits(&mut self) -> Result<()> {
        let fits = self.fold.study.fits().since(&self.fold.recorded);
        if !fits.is_empty() {
            let operation = self.of_study(STUDY_SYSTEM_ATTR, FITS, json_of(&fits)?);
            self.write_found(vec![operation], &fits)?;
        }
        Ok(())
    }

    /// Writes what was found in what was read, if the file may be written, and returns whether it
    /// may. Others may have told something in the meantime: the study is then read again.
    fn write_found(&mut self, operations: Vec<String>, fits: &Fits) -> Result<bool> {
        if !self.log.is_writable() {
            return Ok(false);
        }
        self.stale = true;
        let lock = self.log.lock()?;
        let others = self.log.rest(&lock)?;
        self.write(&lock, operations)?;
        self.fold.recorded.update(fits);
        self.stale |= !others.is_empty();
        Ok(true)
    }
}
