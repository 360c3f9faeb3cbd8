//! What a study believes after what was told, and where its searches look.

use std::time::Instant;

use crate::acquisition::{Acquisition, Pointwise};
use crate::data::{Observations, Points};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::math::decimal::decimal;
use crate::stop::{StopContext, StopRule, Verdict};
use crate::study::beliefs::thinned::Thinned;
use crate::study::events::point::check_dim;
use crate::study::record::{Made, Suggested};
use crate::study::trials::trial_log::TrialLog;
use crate::study::trials::trials::Trials;
use crate::suggest::{Memo, Suggestion};
use crate::surrogate::{AlternateModel, Belief, PendingTrials, Setup, Surrogate};

/// Everything that is believed: the models, and what searches found.
#[derive(Debug)]
pub(in crate::study) struct Beliefs {
    /// The model that judges.
    pub first: Belief,
    pub second: Option<AlternateModel>,
    /// What the models were fitted to, if that is not all that was told.
    pub thinned: Option<Thinned>,
    /// Searches since something was told.
    pub memo: Memo,
    /// The best points of the last search: hints for the next.
    pub runners_up: Points,
}

impl Beliefs {
    /// Before anything was told.
    pub fn new(setup: &Setup) -> Self {
        Self {
            first: Belief::default(),
            second: AlternateModel::of(setup),
            thinned: None,
            memo: Memo::default(),
            runners_up: Points::new(setup.domain.dim()),
        }
    }

    /// The first model after the last fit. None while no trial is complete.
    pub fn surrogate(&self) -> Option<&Surrogate> {
        self.first.surrogate()
    }

    /// The observations that the models are fitted to.
    pub fn modeled<'a>(&'a self, trial_log: &'a TrialLog) -> &'a Observations {
        Thinned::or_all(self.thinned.as_ref(), &trial_log.observations)
    }

    /// The index among all observations of one of those that the models are fitted to.
    pub fn index_of(&self, row: usize) -> usize {
        self.thinned.as_ref().map_or(row, |thinned| thinned.rows[row])
    }

    /// Fits to what was told, once, as a part of something that ends at a deadline.
    ///
    /// # Errors
    /// Those of [`Surrogate::fit`].
    pub fn refit(
        &mut self,
        setup: &Setup,
        trial_log: &mut TrialLog,
        deadline: Deadline,
    ) -> Result<()> {
        if self.first.is_kept() {
            self.remodel(setup, trial_log, |belief, _| {
                belief.revive(|kept, seen| Surrogate::restored(setup, seen, kept, None));
                Ok(())
            })?;
        }
        if self.first.is_behind(&trial_log.observations) {
            let began = Instant::now();
            self.remodel(setup, trial_log, |belief, modeled| {
                let found = belief.next(setup, modeled, deadline)?;
                belief.take(found, modeled);
                Ok(())
            })?;
            trial_log.note_fit(began.elapsed().as_secs_f64());
        }
        Ok(())
    }

    /// Changes the first model by what was told.
    ///
    /// # Errors
    /// Those of the change.
    pub fn remodel(
        &mut self,
        setup: &Setup,
        trial_log: &TrialLog,
        change: impl FnOnce(&mut Belief, &Observations) -> Result<()>,
    ) -> Result<()> {
        let thinned = Thinned::of(setup, &trial_log.observations);
        change(&mut self.first, Thinned::or_all(thinned.as_ref(), &trial_log.observations))?;
        self.thinned = thinned;
        self.memo.clear();
        Ok(())
    }

    /// Takes up the best points of an earlier search.
    ///
    /// # Errors
    /// `OutOfBounds` for a point outside the unit cube.
    pub fn recall(&mut self, points: &[Vec<f64>]) -> Result<()> {
        let mut hints = Points::new(self.runners_up.dim());
        for point in points {
            check_dim(hints.dim(), point)?;
            hints.push(point);
        }
        self.memo.suggested(&self.runners_up);
        self.runners_up = hints;
        Ok(())
    }

    /// Forgets both models. A fit that starts from a wrong one may end elsewhere than without it.
    pub fn forget_models(&mut self) {
        self.first.forget();
        self.second.iter_mut().for_each(AlternateModel::forget);
    }

    /// The verdict of a rule, beside the pending trials if they count.
    ///
    /// # Errors
    /// Those of the rule.
    pub fn judge(
        &self,
        setup: &Setup,
        trials: &Trials,
        rule: &mut dyn StopRule,
        pending_trials: Option<&PendingTrials>,
        deadline: Deadline,
    ) -> Result<Verdict> {
        let context = StopContext::new(
            setup,
            self.surrogate(),
            &trials.trial_log.observations,
            &trials.evaluated,
            &self.runners_up,
            &trials.ledger,
        );
        let context = context.modeling(self.modeled(&trials.trial_log)).until(deadline);
        let context = match pending_trials {
            Some(pending_trials) => context.awaiting(pending_trials),
            None => context.sharing(&self.memo),
        };
        let statistic = rule.check(&context)?;
        let words = self.lacking(trials);
        Ok(statistic.judged(words).verdict(rule.name()))
    }

    /// A suggestion as the record has it, with the models that made it and hints for the next search.
    pub fn said(
        &self,
        setup: &Setup,
        trial_log: &TrialLog,
        suggestion: &Suggestion,
        runners_up: &Points,
    ) -> Suggested {
        let lambda = match suggestion.acquisition {
            Acquisition::Pointwise(Pointwise::Gittins { lambda }) => Some(lambda),
            _ => None,
        };
        let models = self
            .surrogate()
            .map(|surrogate| surrogate.hyperparameters(setup, self.modeled(trial_log)));
        let (outcome_model, cost_model) =
            models.map_or((None, None), |(outcome, cost)| (Some(outcome), cost));
        let foreseen = self.surrogate().and_then(|first| first.foreseen(&suggestion.unit));
        Suggested {
            acquisition: suggestion.acquisition.name().to_owned(),
            lambda,
            value: suggestion.value,
            mean: suggestion.mean,
            sd: suggestion.sd,
            foreseen,
            cost: Some(suggestion.cost).filter(|cost| !cost.is_nan()),
            random_restart: suggestion.random_restart,
            outcome_model,
            cost_model,
            basins: Made::from(&suggestion.basins),
            provenance: Made::from(&suggestion.provenance),
            runners_up: runners_up.rows().map(<[f64]>::to_vec).collect(),
        }
    }

    /// The trial closest to feasibility, and the limits that it violates; none while some trial
    /// holds them.
    fn lacking(&self, trials: &Trials) -> Option<String> {
        let surrogate = self.surrogate().filter(|surrogate| !surrogate.has_incumbent())?;
        let observations = &trials.trial_log.observations;
        let index = self.index_of(surrogate.recommended());
        let observation = observations.get(index)?;
        let measures = observations.measures();
        let numbers = measures.limits().zip(&observation.measured);
        let mut lacks: Vec<String> = numbers
            .filter(|((_, limit), number)| !limit.holds(**number))
            .map(|((name, limit), number)| {
                if number.is_nan() {
                    format!("{name} was not measured")
                } else {
                    format!("{name} is {}, which must be {limit}", decimal(*number, 4))
                }
            })
            .collect();
        let objectives = measures.objectives();
        let unmeasured = objectives.filter(|(at, ..)| observation.measured[*at].is_nan());
        lacks.extend(unmeasured.map(|(_, name, _)| format!("{name} was not measured")));
        let ([_, holds], nearest) = (measures.condition(), trials.trial_log.told[index]);
        Some(if lacks.is_empty() {
            format!("no trial {holds} for sure; the nearest is {nearest}")
        } else {
            format!("no trial {holds}; the nearest is {nearest}: {}", lacks.join(", "))
        })
    }
}
