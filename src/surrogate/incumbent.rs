//! The incumbent: the outcome that a run would keep if it ended now.
//!
//! Without noise the incumbent is the best outcome. With noise the best outcome is a lucky one: of
//! many equally good trials it has the luckiest noise, and its error grows with the number of
//! trials. A run can keep the function at a point, not an outcome. So the incumbent is the largest
//! posterior mean at a complete trial. This trial is also the recommendation.
//!
//! **The stopping rule.** Let `V` be the incumbent, the mean at the trial `x*`. If a run ends now
//! and uses its recommendation, it expects exactly `V`. One more trial at `x` moves the mean at
//! `x`. Then the run may recommend `x` or the earlier trial. What counts is how far the mean at `x`
//! moves *relative to the mean at `x*`*: if both move together, nothing is gained. So the incumbent
//! is treated as known. Let `v(x)` be the variance that is left at `x` once the function at `x*` is
//! known to be `V`. One outcome with noise `n` then makes the mean at `x` normal with mean `mu(x)`
//! and standard deviation `s = v / sqrt(v + n)` ([`Job::noise`](crate::Job::noise)):
//!
//! ```text
//! E[max(mu_next(x) - V, 0)] = s h((mu(x) - V)/s)  >  lambda c(x)     iff     g(x) > V
//! ```
//!
//! with the Gittins index `g` of a box of mean `mu` and standard deviation `s`. The rule is "no
//! index above the incumbent". It stops as soon as no single outcome is expected to raise the
//! recommendation by more than its price. Without noise `V` is the best outcome, `v` the posterior
//! variance and `s` its root: nothing changes.
//!
//! Other choices are worse. With the best outcome as `V`, one lucky outcome would end the run. With
//! the standard deviation of the function as `s`, the rule would pay for improvements that no
//! outcome can show: at a trial evaluated `k` times it would go on until
//! `sqrt(n/k) < 2.5 lambda c`. If `V` were not treated as known, the rule would keep paying for
//! `x*` itself and for all points that move with it, until `sqrt(n)/k < 2.5 lambda c`, although the
//! recommendation would not change.
//!
//! **Limits.** Only trials that hold all limits on measured numbers are feasible, and the
//! recommendation is one of them. While there is none, `V` is the smallest posterior mean at a
//! complete trial, and a suggestion looks for the largest chance of any use per cost
//! ([`Policy`](crate::Policy)).
//!
//! The formula ignores two effects. An outcome at `x*` itself may reveal that another trial is
//! better; this trial then has an index of its own. Several outcomes at `x` may be worth their
//! price although one is not; this matters if the noise is many times as large as the uncertainty
//! of the function.

use std::collections::HashMap;

use crate::data::{Observation, Observations, State};
use crate::posterior::Posterior;

/// The value that a new trial must improve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Incumbent {
    /// The largest posterior mean at a complete trial. Improvements are those that one noisy
    /// outcome can show.
    #[default]
    PosteriorMean,
    /// The best outcome, lucky or not. Improvements are those of the function itself. Published
    /// experiments use this. It is right if outcomes have no noise.
    BestOutcome,
}

/// Noise counts as real from this share of the prior's variance on. Below it, an outcome gives the
/// function to a thirtieth of its variation. A stationary kernel is not accurate beyond that: it
/// often shows a little noise if the function is rougher in some places than in others, and so does
/// the kink of a warp at the median.
const REAL_NOISE: f64 = 1e-3;

/// The complete trial with the largest posterior mean among the feasible ones, of equals the first:
/// its index among all observations, and the mean. `posterior` has the complete observations first,
/// in their order.
pub(super) fn recommended(
    observations: &Observations,
    posterior: &Posterior,
    feasible: &[bool],
) -> Option<(usize, f64)> {
    let means = means(observations, posterior).filter(|(index, _)| feasible[*index]);
    means.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// The complete observations and their posterior means.
fn means(observations: &Observations, posterior: &Posterior) -> impl Iterator<Item = (usize, f64)> {
    let is_complete = |observation: &Observation| observation.state == State::Complete;
    let complete = observations.iter().enumerate().filter(move |(_, one)| is_complete(one));
    complete.map(|(index, _)| index).zip(posterior.means_at_data())
}

/// The value that a trial must improve while none is feasible, and the trial closest to
/// feasibility: the value is the smallest posterior mean at a complete trial. Who has nothing is
/// taken to be as badly off as with the worst that was seen.
pub(super) fn without_any(
    observations: &Observations,
    posterior: &Posterior,
    nearest: Option<usize>,
) -> Option<(usize, f64)> {
    let worst = means(observations, posterior).map(|(_, mean)| mean).reduce(f64::min)?;
    nearest.map(|nearest| (nearest, worst))
}

/// Whether a second outcome at an evaluated point may be informative: the model believes in noise, and
/// the data do not refute it. Outcomes that never varied show none.
pub(super) fn worth_repeating(observations: &Observations, posterior: &Posterior) -> bool {
    let complete = observations.iter().filter(|one| one.state == State::Complete);
    !observations.never_varied()
        && is_noisy(
            posterior,
            complete.filter_map(|one| Some((one.point.as_slice(), one.outcome?))),
        )
}

/// Whether the model of some numbers believes in noise, and the numbers that were told do not refute it.
/// They refute it if some point was evaluated twice and no point has two different numbers.
pub(super) fn is_noisy<'a>(
    posterior: &Posterior,
    told: impl Iterator<Item = (&'a [f64], f64)>,
) -> bool {
    let hyperparameters = posterior.hyperparameters();
    hyperparameters.noise > REAL_NOISE * hyperparameters.outputscale && !always_repeat(told)
}

fn always_repeat<'a>(told: impl Iterator<Item = (&'a [f64], f64)>) -> bool {
    // Next to a point the outcome may be next to its own without noise. Adding zero turns -0 into 0.
    let key = |point: &[f64]| point.iter().map(|u| (u + 0.0).to_bits()).collect();
    let mut first: HashMap<Vec<u64>, f64> = HashMap::new();
    let mut twice = false;
    for (point, number) in told {
        match first.insert(key(point), number) {
            Some(other) if other != number => return false,
            Some(_) => twice = true,
            None => {}
        }
    }
    twice
}
