//! What the models advise: the trial to use, what trials will cost, what money is worth.

use crate::data::trial::reports::Advice;
use crate::data::trial::trial::{Trial, TrialState};
use crate::data::{Cost, Domain, Points, TrialId};
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::Deadline;
use crate::study::events::recommendation::Recommendation;
use crate::study::stages::{self, RunForecast, no_stages};
use crate::study::study::Study;
use crate::study::trials::running::Forecast;
use crate::suggest::{Surrogate, lambda_for_budget};

impl Study {
    /// In stages, what a pending trial should do at its last report, if others are begun as they were
    /// lately: it goes on if its rest brings more for its cost than most of them, and more than its
    /// price if the study has one. It goes on as long as there is no incumbent. Others that the rest
    /// of a budget does not reach are worth nothing. Call it once after each report: what it is told
    /// to do is kept.
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` without stages. Those of the model.
    pub fn advise(&mut self, id: impl Into<TrialId>) -> Result<Advice> {
        stages::advise(self, id.into())
    }

    /// In stages, what a trial is expected to come to, if it is taken to its end; none before the first
    /// models, which come with the first decision after the design, and none for a trial that is at
    /// its end or broke. Reports after the last fit count, and pending trials do not. It changes
    /// nothing.
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` without stages. Those of the model.
    pub fn forecast_end(&self, id: impl Into<TrialId>) -> Result<Option<RunForecast>> {
        self.seen().ok_or_else(no_stages)?.forecast(id.into())
    }

    /// The complete trial with the largest posterior mean (the smallest, if outcomes are
    /// minimized) among those that hold all limits, the first told among equals. None while there is no
    /// such trial, and if there are several objectives, which have a [front](Self::front). Without noise
    /// it is the [best](Self::best) trial. With noise the best outcome is a lucky one: the
    /// recommended trial is not chosen by its luck, and `mean +- sd` is what to expect of it. Of
    /// [means of items](crate::study::Stages::items) it is the trial with the largest mean over all items,
    /// also those that it never saw, less 0.75 of its deviation.
    ///
    /// # Errors
    /// Those of the model.
    pub fn recommendation(&mut self) -> Result<Option<Recommendation>> {
        if self.stages.as_ref().is_some_and(|own| own.stages.are_items()) {
            return stages::recommended(self);
        }
        self.refit(self.setup.deadline())?;
        self.beliefs.surrogate().map_or(Ok(None), |surrogate| recommended(self, surrogate))
    }

    /// The trials of which no other is as good in every objective and better in one, in the order in which
    /// they were told; those that hold all limits alone. An objective without noise counts by its numbers
    /// as they were told, one with noise by posterior means. Empty while there is none. With one objective
    /// it is the [recommended](Self::recommendation) trial.
    ///
    /// # Errors
    /// Those of the model.
    pub fn front(&mut self) -> Result<Vec<Trial>> {
        self.refit(self.setup.deadline())?;
        let surrogate = self.beliefs.surrogate().filter(|surrogate| surrogate.has_incumbent());
        let Some(surrogate) = surrogate else { return Ok(Vec::new()) };
        let trial_log = &self.trials.trial_log;
        let trial = |row: usize| trial_log.trials[trial_log.told[row].index()].clone();
        Ok(match surrogate.front() {
            Some(rows) => rows.iter().map(|row| trial(*row)).collect(),
            None => vec![trial(self.beliefs.index_of(surrogate.recommended()))],
        })
    }

    /// The expected cost of a pending trial and, after what was [noted](Self::note_running), what
    /// is still to come. None for a trial that is over or whose cost was told, and unless costs are
    /// learned, a trial is complete and some cost is known.
    ///
    /// # Errors
    /// `UnknownTrial`; those of the model.
    pub fn forecast(&mut self, id: impl Into<TrialId>) -> Result<Option<Forecast>> {
        let id = id.into();
        let trial = self.trials.trial_log.trial(id)?;
        let is_open = trial.state == TrialState::Pending && trial.cost.is_none();
        if !is_open || !matches!(self.setup.cost, Cost::Learned) {
            return Ok(None);
        }
        self.refit(self.setup.deadline())?;
        Ok(self.trials.forecasts(self.beliefs.surrogate(), &[id])?.pop())
    }

    /// The price of a unit of cost, in the user's outcome units, at which a run that stops by its
    /// [`GittinsRule`](crate::GittinsRule) is expected to cost no more than `budget` in all, the
    /// initial design included: `U / (B - C_0)`. `C_0` is what the design cost. `U` is the
    /// expected supremum of the fitted model above its
    /// mean (Xie et al. 2025, Cost-aware Stopping for Bayesian Optimization).
    ///
    /// # Errors
    /// `Empty` while no trial is complete; `InvalidSetting` if the budget does not exceed
    /// `C_0`, or if outcomes and money are so far apart in magnitude that the price is no positive
    /// number of double precision; those of the fit and of the expected supremum.
    pub fn price_from_budget(&mut self, budget: f64) -> Result<f64> {
        self.refit(Deadline::NEVER)?;
        let missing = || {
            Error::new(
                ErrorKind::Empty,
                "a price for a budget needs a fitted model, and no trial is complete yet",
            )
        };
        let surrogate = self.beliefs.surrogate().ok_or_else(missing)?;
        lambda_for_budget(&self.setup, surrogate, budget, self.trials.cost_of_design())
    }
}

/// What these models recommend, in their context if they are of one.
pub(in crate::study) fn recommended(
    study: &Study,
    surrogate: &Surrogate,
) -> Result<Option<Recommendation>> {
    if !surrogate.has_incumbent() || surrogate.front().is_some() {
        return Ok(None);
    }
    let trial_log = &study.trials.trial_log;
    let recommended = study.beliefs.index_of(surrogate.recommended());
    let trial = &trial_log.trials[trial_log.told[recommended].index()];
    let unit = surrogate.recommended_point().to_vec();
    let values = match &study.setup.domain {
        Domain::Space(space) if unit != trial.unit => space.values_at(&unit),
        _ => trial.values.clone(),
    };
    let moments = surrogate.posterior().moments(&Points::from_rows(unit.len(), unit.clone())?)?;
    let scale = surrogate.scale();
    Ok(trial.outcome.map(|outcome| Recommendation {
        trial: trial.id,
        names: study.trials.names.to_vec(),
        values,
        unit,
        row: trial.row,
        outcome,
        measured: trial.measured.clone(),
        mean: surrogate.direction().sign() * scale.undo(moments.mean[0]),
        sd: scale.undo_deviation(moments.mean[0], moments.variance[0]),
        covers: false,
    }))
}
