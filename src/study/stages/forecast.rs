//! What a trial in stages is expected to come to.

use std::borrow::Cow;
use std::fmt;

use super::stages_view::StagesView;
use crate::data::{Points, TrialId};
use crate::error::Result;
use crate::math::decimal::decimal;
use crate::math::saturating::saturated;
use crate::suggest::policy::stages::decision::Remainder;
use crate::surrogate::curves::StagedFit;
use crate::surrogate::curves::belief::Belief;
use crate::surrogate::curves::costs::Rates;

/// What a run is expected to come to, by all reports so far. All numbers are in the user's units.
///
/// ```
/// # use gittins::{Space, Study};
/// # use gittins::study::Stages;
/// # let space = Space::new().float("rate", 0.0, 1.0);
/// let mut study = Study::minimize(space).stages(Stages::of(9.0)).initial(4).build()?;
/// for _ in 0..6 {
///     let ask = study.ask()?;
///     let rate = ask.get::<f64>("rate")?;
///     study.report(ask.id(), ask.until(), rate + 1.0 / ask.until(), 2.0)?;
///     if let Some(forecast) = study.forecast_end(ask.id())? {
///         println!("{forecast}"); // expected 0.52 +- 0.03 at the end for another 41
///     }
/// }
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RunForecast {
    /// The mean of the outcome at its end.
    pub mean: f64,
    /// Its deviation, that of a report about the curve included.
    pub sd: f64,
    /// What the rest of the run is expected to cost.
    pub cost: f64,
    /// The index of the run: the incumbent's outcome at which its next stage is just worth its
    /// price.
    pub index: f64,
    /// The unit of the cost, if the study has one.
    pub cost_unit: Option<String>,
}

impl fmt::Display for RunForecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [mean, sd, cost] = [(self.mean, 4), (self.sd, 2), (self.cost, 3)]
            .map(|(number, digits)| decimal(number, digits));
        write!(f, "expected {mean} +- {sd} at the end for another {cost}")?;
        self.cost_unit.iter().try_for_each(|unit| write!(f, " {unit}"))
    }
}

impl<'a> StagesView<'a> {
    /// What a trial is expected to come to.
    ///
    /// # Errors
    /// Those of [`Study::forecast_end`](crate::Study::forecast_end).
    pub fn forecast(self, id: TrialId) -> Result<Option<RunForecast>> {
        let run = self.trials.trial_log.trial(id)?;
        let (Some(fit), false) = (&self.staging.fit, run.state.is_told()) else { return Ok(None) };
        let known = self.believed(fit)?;
        let (belief, rates) = &*known;
        let moment = self.moment(belief, rates)?;
        let number = run.id.index();
        let done = moment.share_of(number);
        let rate = if run.reports.is_empty() {
            rates.of_settings(&Points::from_rows(run.unit.len(), run.unit.clone())?)?[0]
        } else {
            rates.of_run(run)
        };
        let costs = rates.stages(rate, done, moment.coming(done));
        let outlook = moment.outlooks_of(&[number])?.remove(0);
        let rest = Remainder { costs, usable: moment.usable_of(number) };
        let (index, _) = moment.index(&outlook, &rest)?;
        let (mean, sd) = outlook.outcome();
        let scale = belief.scale;
        Ok(Some(RunForecast {
            mean: scale.back(mean),
            sd: saturated(sd * scale.unit),
            cost: saturated(rest.costs.iter().sum()),
            index: scale.back(index),
            cost_unit: self.trials.ledger.cost_unit.clone(),
        }))
    }

    /// What is believed after all reports, with the parameters of a fit.
    pub fn believed(self, fit: &StagedFit) -> Result<Cow<'a, (Belief, Rates)>> {
        let mut known = match &self.staging.belief {
            Some(known) if known.0.has(self.runs(), &self.staging.log) => {
                return Ok(Cow::Borrowed(known));
            }
            Some(known) => known.clone(),
            None => self.believe(fit)?,
        };
        known.0.extend(self.runs(), &self.staging.log)?;
        Ok(Cow::Owned(known))
    }
}
