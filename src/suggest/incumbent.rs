//! What is in hand: the outcome that a run would keep if it ended now.
//!
//! Without noise that is the best outcome. With noise the best outcome is a lucky one: of many trials that are equally good it is the one whose noise was
//! kindest, and it is the further off the more trials there are. What can be kept is the function at a point, not an outcome. So what is in hand is the largest
//! posterior mean at a complete trial, which is also what is recommended.
//!
//! **The stopping rule.** Let `V_t` be the largest posterior mean at a trial after `t` trials. A run that ends now and uses its recommendation expects exactly
//! `V_t`. One more trial at `x` moves the mean there to a normal with mean `mu(x)` and deviation `s(x) = v / sqrt(v + noise)`
//! ([`Job::noise`](crate::Job::noise)), and the run may then recommend either `x` or what it had:
//!
//! ```text
//! E[V_(t+1)] - V_t  ~  E[max(mu_(t+1)(x) - V_t, 0)] = s h((mu(x) - V_t)/s)  >  lambda c(x)     iff     g(x; s) > V_t
//! ```
//!
//! with `g` the Gittins index of a box of deviation `s`. So the rule "no index above what is in hand" stops as soon as no single outcome is expected to raise the
//! recommendation by more than its price, and, since expected rises of `V` add up, the run pays no more in expectation than it gains. With the deviation of the
//! function itself the same rule would pay for improvements that no outcome can show: at a trial with noise `n` evaluated `k` times it would go on until
//! `sqrt(n/k) < 2.5 lambda c`, the square of the number of repeats of `sqrt(n)/k < 2.5 lambda c`.
//!
//! What the formula leaves out: that an outcome at `x` also moves the mean at the old recommendation (both move together when they are close, and the true gain
//! is then smaller), and that several outcomes at `x` may be worth their price when one is not (the true gain is then larger; it matters if the noise is many
//! times as large as what is unknown of the function).

use std::collections::HashMap;

use crate::data::{Observations, State};
use crate::posterior::Posterior;
use crate::suggest::candidates::key;

/// What a new trial is to improve upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Incumbent {
    /// The largest posterior mean at a complete trial. Improvements are those that one noisy outcome can show.
    #[default]
    PosteriorMean,
    /// The best outcome, lucky or not, and improvements of the function itself: what published experiments use, and right if outcomes have no noise.
    BestOutcome,
}

/// The share of the prior's variance from which on noise is believed in. Below, the outcome at a point is known to three digits of what is to be learned, and
/// another one there would tell nothing.
const REAL_NOISE: f64 = 1e-6;

/// The complete trial with the largest posterior mean, the first among equals: its place among all observations, and the mean. `posterior` has the complete
/// observations first, in their order.
pub(super) fn recommended(observations: &Observations, posterior: &Posterior) -> Option<(usize, f64)> {
    let complete = observations.iter().enumerate().filter(|(_, observation)| observation.state == State::Complete);
    let means = complete.map(|(index, _)| index).zip(posterior.means_at_data());
    means.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// Whether another outcome at a point that has one may tell something: the model believes in noise, and the data do not say that there is none. They do if some
/// point was evaluated twice and no point has two different outcomes.
pub(super) fn worth_repeating(observations: &Observations, posterior: &Posterior) -> bool {
    let hyperparameters = posterior.hyperparameters();
    hyperparameters.noise > REAL_NOISE * hyperparameters.outputscale && !always_repeats_itself(observations)
}

fn always_repeats_itself(observations: &Observations) -> bool {
    let mut first: HashMap<Vec<u64>, f64> = HashMap::new();
    let mut twice = false;
    for observation in observations.iter().filter(|observation| observation.state == State::Complete) {
        let Some(outcome) = observation.outcome else { continue };
        match first.insert(key(&observation.point), outcome) {
            Some(other) if other != outcome => return false,
            Some(_) => twice = true,
            None => {}
        }
    }
    twice
}
