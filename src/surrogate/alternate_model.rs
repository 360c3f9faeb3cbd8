//! A second model of the outcome, beside the first.
//!
//! Each model believes in one kind of function, and is blind for what it does not believe in. The
//! second one believes in another kind.
//!
//! - *Up to [`FEW_INPUTS`] inputs* it models outcomes as they are, without the
//!   [warp](crate::data::Warping). It has a turn when the study's watch finds the first one
//!   stuck. As a rule the warp is better: models that take turns all the time lose to it.
//! - *With more inputs* the models take turns. With many inputs and few outcomes, two kinds of
//!   functions explain the same outcomes: those in which every input matters a little, and those in
//!   which a few inputs matter much. The prior of the first model, whose lengthscales all grow with
//!   the root of the dimension, believes in the former. Maximum likelihood without a prior
//!   (Papenmeier et al. 2025, "Understanding high-dimensional Bayesian optimization") finds the
//!   latter, and is overconfident about it. Each is far behind the other on functions of the other
//!   kind. So they take turns, and each sees the results of the other's suggestions.
//!
//! Only the first model judges. A verdict to stop from a model without a prior would come too early,
//! because its variances are too small where inputs outnumber outcomes.

use crate::data::{Domain, Observations, Warping};
use crate::math::clock::Deadline;
use crate::surrogate::belief::Belief;
use crate::surrogate::setup::Setup;
use crate::surrogate::surrogate::Surrogate;

/// Up to this number of inputs the second model waits for the watch. The prior of the first one was
/// chosen by runs in 2 to 20 dimensions.
const FEW_INPUTS: usize = 20;

/// Up to this number of suggestions the models take turns one by one; beyond, a turn grows by one in
/// [`GROWTH`] suggestions more. A model that follows its own plan for a while gets further than one
/// that is interrupted at each step.
const ONE_BY_ONE: usize = 100;
const GROWTH: usize = 20;

/// The second model and what is believed by it.
#[derive(Debug)]
pub(crate) struct AlternateModel {
    /// The setup of the study with another model of the outcome.
    setup: Setup,
    belief: Belief,
    takes_turns: bool,
}

impl AlternateModel {
    /// The second model of a study, if there is another one than the first.
    pub fn of(setup: &Setup) -> Option<Self> {
        let takes_turns =
            setup.domain.varied() > FEW_INPUTS && matches!(setup.domain, Domain::Space(_));
        let setup = match takes_turns {
            // None if a model was set whose priors are not the usual ones.
            true => Setup { model: setup.model.without_lengthscale_prior()?, ..setup.clone() },
            false if setup.warps() => Setup { warping: Warping::None, ..setup.clone() },
            false => return None,
        };
        Some(Self { setup, belief: Belief::default(), takes_turns })
    }

    /// Whether the models take turns, whatever comes of it.
    pub fn takes_turns(&self) -> bool {
        self.takes_turns
    }

    /// Whether it makes the suggestion of this number, the first being 1, in a study whose models
    /// take turns.
    pub fn is_turn(suggestion: usize) -> bool {
        let (mut end, mut turns) = (1, 0);
        while end < suggestion {
            end += 1 + end.saturating_sub(ONE_BY_ONE) / GROWTH;
            turns += 1;
        }
        turns % 2 == 1
    }

    /// The second model after what the first was fitted to, as a part of something that ends at a
    /// deadline. None if it cannot be fitted; the first then takes its turn.
    pub fn beside(
        &mut self,
        first: &Surrogate,
        observations: &Observations,
        deadline: Deadline,
    ) -> Option<&Surrogate> {
        let setup = &self.setup;
        self.belief.revive(|kept, seen| Surrogate::restored(setup, seen, kept, Some(first)));
        if self.belief.is_behind(observations) {
            let before = self.belief.surrogate();
            match first.beside(setup, observations, before, deadline) {
                Ok(found) => self.belief.take(found, observations),
                Err(error) => {
                    log::warn!("the second model could not be fitted: {error}");
                    self.forget();
                }
            }
        }
        self.belief.surrogate()
    }

    /// The last fit of the second model.
    pub fn belief(&self) -> &Belief {
        &self.belief
    }

    /// The last fit of the second model, to be changed.
    pub fn belief_mut(&mut self) -> &mut Belief {
        &mut self.belief
    }

    /// Forgets the fit.
    pub fn forget(&mut self) {
        self.belief.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_grow_beyond_a_hundred_suggestions() {
        let turns: Vec<bool> = (1..=2000).map(AlternateModel::is_turn).collect();
        assert_eq!(turns[..4], [false, true, false, true]);
        let lengths: Vec<usize> = turns.chunk_by(|a, b| a == b).map(<[bool]>::len).collect();
        assert!(lengths[..100].iter().all(|length| *length == 1), "{lengths:?}");
        assert!(lengths[..lengths.len() - 1].is_sorted(), "{lengths:?}");
        // A twentieth of the suggestions beyond a hundred.
        let ended = 2000 - lengths[lengths.len() - 1] - lengths[lengths.len() - 2];
        assert_eq!(lengths[lengths.len() - 2], 1 + (ended - 100) / 20, "{lengths:?}");
        let share = turns.iter().filter(|turn| **turn).count();
        assert!((800..1200).contains(&share), "{share}");
    }
}
