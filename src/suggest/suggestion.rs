//! Where to evaluate next, and why.

use std::fmt;

use crate::acquisition::Acquisition;
use crate::backend::{Fallback, Provenance};
use crate::math::decimal::decimal;
use crate::maximize::Ended;
use crate::model::FitStatus;
use crate::suggest::equivalents::Equivalents;

/// Where to evaluate next, and why.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The point in the unit cube.
    pub unit: Vec<f64>,
    /// Its row in a table; `None` in a space.
    pub row: Option<usize>,
    /// The acquisition that chose it, with its price in the user's units.
    pub acquisition: Acquisition,
    /// The acquisition's value in the user's outcome units. An index or a bound is in the user's
    /// direction.
    pub value: f64,
    /// The expected outcome, in the user's units.
    pub mean: f64,
    /// The standard deviation of the outcome, in the user's units.
    pub sd: f64,
    /// The expected cost, in the user's units. NaN while costs are learned and none is known.
    pub cost: f64,
    /// The probability that the trial may be used: it succeeds and holds all limits. None while no
    /// trial failed and there is no limit.
    pub usable: Option<f64>,
    /// If the maximum was estimated: the target and the confidence bound that would have chosen the
    /// same point.
    pub equivalents: Option<Equivalents>,
    /// The expected gain of a random trial, in outcome units, if the suggestions before this one
    /// expected and brought less. It is then made with a model of the outcomes as they are,
    /// [without a warp](crate::data::Warping::None).
    pub random_restart: Option<f64>,
    /// Whether the point was evaluated before. Then noise makes another outcome there worth its
    /// price, or a space of whole numbers has nothing else left.
    pub repeated: bool,
    /// Why the search ended.
    pub ended: Ended,
    /// Batches of values and gradients in the search.
    pub rounds: usize,
    /// Points evaluated in the search.
    pub evaluations: usize,
    /// The number added to the diagonal of the outcome's covariance besides the noise,
    /// standardized; usually zero.
    pub jitter: f64,
    /// How the fit of the outcome's model ended.
    pub fit: FitStatus,
    /// How the fit of the cost's model ended, if the cost is learned.
    pub cost_fit: Option<FitStatus>,
    /// The device that found the basins of the search or the shortlist of a table, or the same as
    /// in `provenance`.
    pub basins: Provenance,
    /// The maker of the numbers above: the host, in double precision. It contains the reason if the
    /// host had to answer in place of a device.
    pub provenance: Provenance,
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.acquisition.name();
        let [value, mean] = [self.value, self.mean].map(|number| decimal(number, 6));
        let cost =
            if self.cost.is_nan() { "not known yet".to_owned() } else { decimal(self.cost, 3) };
        write!(f, "{name} {value}; expected outcome {mean}, expected cost {cost}; ")?;
        if let Some(usable) = self.usable {
            write!(f, "usable with probability {}; ", decimal(usable, 2))?;
        }
        if let Some(equivalents) = &self.equivalents {
            write!(f, "{equivalents}; ")?;
        }
        write!(f, "the best of {} points in {} rounds", self.evaluations, self.rounds)?;
        write!(f, " on {}", self.basins)?;
        if !self.basins.is_host_double() {
            write!(f, ", settled on {}", self.provenance)?;
        }
        // A missing device is not worth a note in every line.
        if let Some(fallback) =
            self.provenance.fallback.filter(|fallback| *fallback != Fallback::NoAdapter)
        {
            write!(f, ", since {fallback}")?;
        }
        if self.ended == Ended::Deadline {
            write!(f, "; the time for the search was up")?;
        }
        if let Some(gain) = self.random_restart {
            write!(
                f,
                "; by a model without the warp, since the last suggestions brought less than a random trial is expected to, {}",
                decimal(gain, 2)
            )?;
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
            if let Some(note) = status.and_then(note) {
                write!(f, "; the {what} model {note}")?;
            }
        }
        Ok(())
    }
}

/// What a model did, if its fit was not as usual.
fn note(status: &FitStatus) -> Option<String> {
    match status {
        FitStatus::KeptPrevious(why) => Some(format!("kept its hyper-parameters: {why}")),
        &FitStatus::KEPT => {
            Some("kept its hyper-parameters: there was no time for a fit".to_owned())
        }
        FitStatus::Deadline { observations, .. } => Some(format!(
            "was fitted to as many observations as there was time for, {observations}"
        )),
        _ => None,
    }
}
