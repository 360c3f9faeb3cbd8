//! A second model of the outcome, which takes turns with the first in many dimensions.
//!
//! With many inputs and few outcomes, two kinds of functions explain the same outcomes: those in
//! which every input matters a little, and those in which a few inputs matter much. The prior of the
//! first model, whose lengthscales all grow with the root of the dimension, believes in the former.
//! Maximum likelihood without a prior (Papenmeier et al. 2025, "Understanding high-dimensional
//! Bayesian optimization") finds the latter, and is overconfident about it. Each is far behind the
//! other on functions of the other kind. So they take turns, and each sees what came of the other's
//! suggestions. At first every second suggestion is the second model's. As soon as each has made
//! [`LATEST`] of them, the model whose latest have the better median makes three of four.
//!
//! Only the first model judges. A verdict to stop from a model without a prior would come too early,
//! because its variances are too small where inputs outnumber outcomes.

use crate::data::{Direction, Domain, Observations};
use crate::math::clock::Deadline;
use crate::study::trial::{Trial, TrialId};
use crate::suggest::{Setup, Surrogate};

/// Up to this number of inputs the first model is alone. Its prior was chosen by runs in 2 to 20
/// dimensions.
const FEW_INPUTS: usize = 20;

/// Beyond this number of observations the first model is alone: it knows by then which inputs
/// matter, and a second factor would double the memory.
const MANY_OBSERVATIONS: usize = 2000;

/// The number of suggestions of each model that are compared: few enough to follow a change within
/// a run, and enough for a median.
const LATEST: usize = 8;

/// One suggestion in so many is made by the model that does worse.
const RARELY: usize = 4;

/// The second model and what it was fitted to.
#[derive(Debug)]
pub(super) struct Second {
    /// The setup of the study with the second model.
    setup: Setup,
    surrogate: Option<Surrogate>,
    /// The suggestions so far, and whether the second model made them.
    made: Vec<(TrialId, bool)>,
}

impl Second {
    /// The second model of a study over a space of many inputs; none if a model was set whose priors
    /// are not the usual ones.
    pub fn of(setup: &Setup) -> Option<Self> {
        let many = setup.domain.dim() > FEW_INPUTS && matches!(setup.domain, Domain::Space(_));
        let model = setup.model.without_lengthscale_prior().filter(|_| many)?;
        Some(Self { setup: Setup { model, ..setup.clone() }, surrogate: None, made: Vec::new() })
    }

    /// Whether it makes the next suggestion. `trials` are those of the study.
    pub fn has_turn(&self, trials: &[Trial], direction: Direction) -> bool {
        if trials.len() > MANY_OBSERVATIONS {
            return false;
        }
        let median = |by_second: bool| {
            let outcomes = self.made.iter().rev().filter(|(_, second)| *second == by_second);
            let mut latest: Vec<f64> = outcomes
                .filter_map(|(id, _)| Some(direction.sign() * trials[id.index()].outcome?))
                .take(LATEST)
                .collect();
            latest.sort_by(f64::total_cmp);
            (latest.len() == LATEST).then(|| latest[LATEST / 2])
        };
        let number = self.made.len() + 1;
        match median(false).zip(median(true)) {
            None => number.is_multiple_of(2),
            Some((first, second)) => (second > first) != number.is_multiple_of(RARELY),
        }
    }

    /// Notes who made a suggestion.
    pub fn note(&mut self, id: TrialId, by_second: bool) {
        self.made.push((id, by_second));
    }

    /// The second model after what the first was fitted to, as a part of something that ends at a
    /// deadline. None if it cannot be fitted; the first then takes its turn.
    pub fn beside(
        &mut self,
        first: &Surrogate,
        observations: &Observations,
        deadline: Deadline,
    ) -> Option<(&Setup, &Surrogate)> {
        let before = self.surrogate.take();
        let found = first.beside(&self.setup, observations, before.as_ref(), deadline);
        self.surrogate = found.unwrap_or_else(|error| {
            log::warn!("the model without a prior on lengthscales could not be fitted: {error}");
            None
        });
        self.surrogate.as_ref().map(|surrogate| (&self.setup, surrogate))
    }

    /// Forgets the fit, because the observations that it was made to have changed.
    pub fn forget(&mut self) {
        self.surrogate = None;
    }
}
