//! The best outcome so far, after each suggested trial.

use crate::data::{Direction, Observations, State};
use crate::math::decimal::decimal;
use crate::math::saturating::difference;
use crate::stop::StopContext;

/// The best outcome after the design and after each suggested trial, of those that hold all limits,
/// turned so that larger is better; minus infinity before there is such a trial. The `t` suggested
/// trials are assumed to be the last `t` that were told. If trials were told out of order, or imported
/// ones are among them, these take the place of as many earlier ones.
pub struct BestSoFar(Vec<f64>);

impl BestSoFar {
    /// Those of a run.
    pub fn new(context: &StopContext<'_>) -> Self {
        let observations = context.observations();
        let design = observations.len().saturating_sub(context.counts().adaptive);
        let mut best = running_best(observations);
        Self(if design == 0 {
            best.insert(0, f64::NEG_INFINITY);
            best
        } else {
            best.split_off(design - 1)
        })
    }

    /// The best outcomes that are known.
    pub fn known(&self) -> impl Iterator<Item = f64> {
        self.0.iter().copied().filter(|best| best.is_finite())
    }

    /// The number of suggested trials.
    pub fn trials(&self) -> usize {
        self.0.len() - 1
    }

    /// By how much the best outcome rose over the last trials; infinity if there were fewer trials,
    /// or nothing is known.
    pub fn progress(&self, window: usize) -> f64 {
        let now = self.0.last();
        let before = self.trials().checked_sub(window).and_then(|at| self.0.get(at));
        match (now, before) {
            (Some(now), Some(before)) if before.is_finite() => difference(*now, *before),
            _ => f64::INFINITY,
        }
    }

    /// The progress over a window in words.
    pub fn words(&self, context: &StopContext<'_>, window: usize, progress: f64) -> String {
        let trials = self.trials();
        match self.0.last() {
            Some(best) if progress.is_finite() => {
                format!(
                    "best {}, better by {} than {window} trials ago",
                    context.outcome_tag(*best),
                    decimal(progress, 3)
                )
            }
            Some(best) if best.is_finite() => {
                format!("{} of {window} trials to look back over", trials.min(window))
            }
            _ => "there is no incumbent yet".to_owned(),
        }
    }
}

fn running_best(observations: &Observations) -> Vec<f64> {
    let sign = Direction::sign(observations.direction());
    let mut best = f64::NEG_INFINITY;
    let after = |observation: &crate::data::Observation| {
        if let (State::Complete, true, Some(outcome)) =
            (observation.state, observation.holds, observation.outcome)
        {
            best = best.max(sign * outcome);
        }
        best
    };
    observations.iter().map(after).collect()
}
