//! From what was told to the next point: the flow on one page.
//!
//! ```text
//! observations -> scaling -> fits -> posteriors -> pending trials as fantasies -> job -> search -> suggestion
//! ```

pub mod candidates;
pub mod estimation;
mod finalists;
mod fitted;
pub mod incumbent;
pub(crate) mod inward;
pub(crate) mod knowledge_gradient;
mod known;
pub mod lambda;
mod learned;
mod lookahead;
mod memo;
pub mod max_value;
pub mod policy;
pub mod step;
pub(crate) mod streams;
pub mod surrogate;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::acquisition::Acquisition;
use crate::backend::{Backend, Fallback, Provenance};
use crate::data::{Cost, Domain, Observations, Points, Scaling};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::math::decimal::decimal;
use crate::maximize::{Ended, Maximize};
use crate::model::{FitStatus, GaussianProcess};

pub use candidates::Taken;
pub use estimation::{Deviation, Equivalents, Estimation};
pub use incumbent::Incumbent;
pub use max_value::{MaxValueEntropy, MaximaSource};
pub use memo::Memo;
pub(crate) use policy::price_floor;
pub use policy::{Policy, Progress};
pub use step::Step;
pub use surrogate::Surrogate;

/// What stays the same from one suggestion to the next.
#[derive(Clone)]
pub struct Setup {
    /// What is searched.
    pub domain: Domain,
    /// What is known of the cost.
    pub cost: Cost,
    /// What no cost is taken to lie below, if anything: observations and known costs may then be
    /// zero.
    pub cost_floor: Option<f64>,
    /// The model of the outcome.
    pub model: GaussianProcess,
    /// The model of `ln c` where the cost is learned.
    pub cost_model: GaussianProcess,
    /// Whether outcomes are standardized before they are modeled.
    pub standardize: bool,
    /// What a new trial is to improve upon.
    pub incumbent: Incumbent,
    /// Who evaluates batches; what is reported is made on the host in double precision, whoever
    /// found it.
    pub backend: Arc<dyn Backend>,
    /// How hard a space is searched; each search has a seed of its own.
    pub search: Maximize,
    /// How hard the plans of a lookahead are.
    pub trees: Maximize,
    /// How long a suggestion or a verdict may take, fits included, before it ends with the best
    /// found so far.
    pub time_limit: Option<Duration>,
    /// The seed of the run.
    pub seed: u64,
}

/// Where to evaluate next, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The point of the unit cube.
    pub unit: Vec<f64>,
    /// Its row, in a table.
    pub row: Option<usize>,
    /// The acquisition that chose it, its price in the user's units.
    pub acquisition: Acquisition,
    /// The acquisition's value in the user's outcome units; an index or a bound is turned back to
    /// the user's direction.
    pub value: f64,
    /// The expected outcome, in the user's units.
    pub mean: f64,
    /// The standard deviation of the outcome, in the user's units.
    pub sd: f64,
    /// The expected cost, in the user's units; NaN as long as costs are learned and none is known.
    pub cost: f64,
    /// Where the maximum was estimated, the target and the confidence bound that would have chosen
    /// the same point.
    pub equivalents: Option<Equivalents>,
    /// Whether the point was evaluated before: the noise makes another outcome there worth its
    /// price, or nothing else is left of a space of whole numbers.
    pub repeated: bool,
    /// Why the search ended.
    pub ended: Ended,
    /// Batches of values and gradients that the search took.
    pub rounds: usize,
    /// Points that the search evaluated.
    pub evaluations: usize,
    /// What had to be added to the diagonal of the outcome's covariance beside the noise,
    /// standardized; zero as a rule.
    pub jitter: f64,
    /// How the fit of the outcome's model ended.
    pub fit: FitStatus,
    /// How the fit of the cost's model ended, where the cost is learned.
    pub cost_fit: Option<FitStatus>,
    /// Who found the basins of the search, or in a table its shortlist: the same as below, unless
    /// it was a device.
    pub basins: Provenance,
    /// Who made the numbers above: the host, in double precision; with the reason, if it had to
    /// answer in place of a device.
    pub provenance: Provenance,
}

/// What is under way or forbidden, and where to look first.
#[derive(Debug, Clone, Copy)]
pub struct Hints<'a> {
    /// Points asked for and not told yet.
    pub pending: &'a Points,
    /// Those of them whose cost was not told either.
    pub unpaid: &'a Points,
    /// Points that are not to be suggested again.
    pub taken: &'a Taken,
    /// The best points of the search before.
    pub runners_up: &'a Points,
    /// What was searched for since something was told, by this or by a stopping rule.
    pub memo: &'a Memo,
}

/// The best point of the acquisition that the policy gives, and the best points of this search as
/// hints for the next; `None` where every row of a table is taken. `progress` numbers the
/// suggestions of a run: each has its own random numbers. At the deadline it ends with the best
/// found so far.
///
/// # Errors
/// Those of the policy, of the posterior, of a known cost and of the backend.
pub fn suggest(
    setup: &Setup,
    surrogate: &Surrogate,
    observations: &Observations,
    policy: &mut Policy,
    hints: &Hints<'_>,
    progress: Progress,
    deadline: Deadline,
) -> Result<Option<(Suggestion, Points)>> {
    let surrogate = &*surrogate.with_pending(hints.pending)?;
    let under_way: Taken = hints.pending.rows().collect();
    // Of a finite domain everything that was evaluated is left out, unless another outcome may tell
    // something.
    let excluded = if surrogate.worth_repeating() { &under_way } else { hints.taken };
    let step = Step { setup, surrogate, observations, hints: *hints, excluded, progress, deadline };
    let Some((acquisition, found)) = policy.choose(&step)? else { return Ok(None) };
    let (scaling, sign) = (surrogate.scaling(), surrogate.direction().sign());
    let suggestion = Suggestion {
        value: surrogate.value_in_direction(&acquisition, found.value),
        mean: sign * scaling.undo(found.mean),
        sd: surrogate.sd_at(&found.unit, found.variance)?,
        cost: surrogate.expected_cost(&found.unit)?,
        equivalents: Equivalents::of(&acquisition, found.value, sign),
        repeated: hints.taken.contains(&found.unit),
        unit: found.unit,
        row: found.row,
        acquisition,
        ended: found.ended,
        rounds: found.rounds,
        evaluations: found.evaluations,
        jitter: surrogate.posterior().jitter(),
        fit: surrogate.outcome_fit().status.clone(),
        cost_fit: surrogate.cost_fit().map(|fit| fit.status.clone()),
        basins: found.basins,
        provenance: found.provenance,
    };
    Ok(Some((suggestion, found.runners_up)))
}

impl Setup {
    /// The scaling of outcomes that are to be modeled.
    fn scaling(&self, outcomes: &[f64]) -> Scaling {
        if self.standardize { Scaling::standardize(outcomes) } else { Scaling::identity() }
    }

    /// When a suggestion or a verdict that begins now is to end.
    pub fn deadline(&self) -> Deadline {
        Deadline::after(self.time_limit)
    }
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.acquisition.name();
        let [value, mean] = [self.value, self.mean].map(|number| decimal(number, 6));
        let cost =
            if self.cost.is_nan() { "not known yet".to_owned() } else { decimal(self.cost, 3) };
        write!(
            f,
            "{name} {value}; expected outcome {mean} +- {}, expected cost {cost}; ",
            decimal(self.sd, 2)
        )?;
        if let Some(equivalents) = &self.equivalents {
            write!(f, "{equivalents}; ")?;
        }
        write!(f, "the best of {} points in {} rounds", self.evaluations, self.rounds)?;
        write!(f, " on {}", self.basins)?;
        if !self.basins.is_host_double() {
            write!(f, ", settled on {}", self.provenance)?;
        }
        // That a machine has no device is no news for every line.
        if let Some(fallback) =
            self.provenance.fallback.filter(|fallback| *fallback != Fallback::NoAdapter)
        {
            write!(f, ", since {fallback}")?;
        }
        if self.ended == Ended::Deadline {
            write!(f, "; the time for the search was up")?;
        }
        if self.repeated {
            write!(
                f,
                "; evaluated before: the noise makes it worth another outcome, or nothing else is left"
            )?;
        }
        if self.jitter > 0.0 {
            write!(f, "; the covariance needed a jitter of {}", decimal(self.jitter, 2))?;
        }
        for (what, status) in [("outcome", Some(&self.fit)), ("cost", self.cost_fit.as_ref())] {
            match status {
                Some(FitStatus::KeptPrevious(why)) => {
                    write!(f, "; the {what} model kept its hyper-parameters: {why}")?
                }
                Some(&FitStatus::KEPT) => {
                    write!(
                        f,
                        "; the {what} model kept its hyper-parameters: there was no time for a fit"
                    )?;
                }
                Some(FitStatus::Deadline { observations, .. }) => {
                    write!(
                        f,
                        "; the {what} model was fitted to as many observations as there was time for, {observations}"
                    )?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}
