//! What is in hand: the outcome that a run would keep if it ended now.
//!
//! Without noise that is the best outcome. With noise the best outcome is a lucky one: of many
//! trials that are equally good it is the one whose noise was kindest, and it is the further off
//! the more trials there are. What can be kept is the function at a point, not an outcome. So what
//! is in hand is the largest posterior mean at a complete trial, which is also what is recommended.
//!
//! **The stopping rule.** Let `V` be the mean in hand, at the trial `x*`. A run that ends now and
//! uses its recommendation expects exactly `V`. One more trial at `x` moves the mean there, and the
//! run may then recommend either `x` or what it had. By how much the mean at `x` moves *against
//! that at `x*`* is what counts: if both move together, nothing is gained by knowing so. So what is
//! in hand is taken as known, and with `v(x)` the variance that is left at `x` once the function at
//! `x*` is known to be `V`, one outcome with noise `n` moves the mean at `x` to a normal with mean
//! `mu(x)` and deviation `s = v / sqrt(v + n)` ([`Job::noise`](crate::Job::noise)):
//!
//! ```text
//! E[max(mu_next(x) - V, 0)] = s h((mu(x) - V)/s)  >  lambda c(x)     iff     g(x) > V
//! ```
//!
//! with `g` the Gittins index of a box of mean `mu` and deviation `s`. The rule "no index above
//! what is in hand" stops as soon as no single outcome is expected to raise the recommendation by
//! more than its price. Without noise `V` is the best outcome, `v` the posterior variance and `s`
//! its root: nothing changes.
//!
//! With the best outcome in place of `V`, one lucky outcome would end the run. With the function's
//! deviation in place of `s`, the rule would pay for improvements that no outcome can show, and at
//! a trial evaluated `k` times go on until `sqrt(n/k) < 2.5 lambda c`. Without taking `V` as known
//! it would go on paying for `x*` itself, and for all that moves with it, until
//! `sqrt(n)/k < 2.5 lambda c`, though the recommendation would stay where it is.
//!
//! What the formula leaves out: that an outcome at `x*` itself may reveal that another trial is
//! better (which then has an index of its own), and that several outcomes at `x` may be worth their
//! price if one is not (that matters if the noise is many times as large as what is unknown of the
//! function).

use std::collections::HashMap;

use crate::data::{Observations, State};
use crate::posterior::Posterior;
use crate::suggest::taken::key;

/// What a new trial is to improve upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Incumbent {
    /// The largest posterior mean at a complete trial. Improvements are those that one noisy
    /// outcome can show.
    #[default]
    PosteriorMean,
    /// The best outcome, lucky or not, and improvements of the function itself: what published
    /// experiments use, and right if outcomes have no noise.
    BestOutcome,
}

/// The share of the prior's variance from which on noise is believed in. Below, an outcome tells
/// the function to a hundredth of what it varies by, which is as far as a stationary kernel can be
/// trusted: a little noise is often what it makes of a function that is rougher in some places than
/// in others.
const REAL_NOISE: f64 = 1e-4;

/// The complete trial with the largest posterior mean, the first among equals: its place among all
/// observations, and the mean. `posterior` has the complete observations first, in their order.
pub(super) fn recommended(
    observations: &Observations,
    posterior: &Posterior,
) -> Option<(usize, f64)> {
    let complete = observations
        .iter()
        .enumerate()
        .filter(|(_, observation)| observation.state == State::Complete);
    let means = complete.map(|(index, _)| index).zip(posterior.means_at_data());
    means.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// Whether another outcome at a point that has one may tell something: the model believes in noise,
/// and the data do not say that there is none. They do if some point was evaluated twice and no
/// point has two different outcomes.
pub(super) fn worth_repeating(observations: &Observations, posterior: &Posterior) -> bool {
    let hyperparameters = posterior.hyperparameters();
    hyperparameters.noise > REAL_NOISE * hyperparameters.outputscale
        && !always_repeats_itself(observations)
}

fn always_repeats_itself(observations: &Observations) -> bool {
    let mut first: HashMap<Vec<u64>, f64> = HashMap::new();
    let mut twice = false;
    for observation in
        observations.iter().filter(|observation| observation.state == State::Complete)
    {
        let Some(outcome) = observation.outcome else { continue };
        match first.insert(key(&observation.point), outcome) {
            Some(other) if other != outcome => return false,
            Some(_) => twice = true,
            None => {}
        }
    }
    twice
}
