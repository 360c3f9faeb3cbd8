//! What we say in attributes of a journal: their names and forms.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};

use crate::data::{Measured, State};
use crate::error::{Error, ErrorKind, Result};
use crate::math::number::maybe;
use crate::stop::Verdict;
use crate::study::events::outcome::Outcome;
use crate::study::{Event, Fits, Judgment};

/// Of a trial: that we asked for it, and the fits that were made for it.
pub(super) const ASK: &str = "gittins:ask";
pub(super) const FIT: &str = "gittins:fit";
pub(super) const SECOND: &str = "gittins:second";
/// Of a trial, and of the study if the policy was changed.
pub(super) const POLICY: &str = "gittins:policy";
/// Of a trial that somebody else chose and runs: the values as they were given.
pub(super) const ANNOUNCED: &str = "gittins:announced";
/// Of a trial: how it ended, if its state does not say so.
pub(super) const OUTCOME: &str = "gittins:outcome";
/// Of a trial: its cost, told before its outcome.
pub(super) const PAID: &str = "gittins:paid";
/// Of the study.
pub(super) const SETTINGS: &str = "gittins:settings";
pub(super) const VERDICT: &str = "gittins:verdict";
pub(super) const FITS: &str = "gittins:fits";
/// Of the study: an event that no operation of Optuna says.
pub(super) const EVENT: &str = "gittins:event";
/// The user attribute of a trial that has its cost, as other samplers have it.
pub(super) const COST: &str = "cost";
/// The system attribute of a trial that has what it exceeds limits by, as Optuna's own samplers have
/// it.
pub(super) const CONSTRAINTS: &str = "constraints";
/// The user attribute of the study that says the verdict in plain words.
pub(super) const WORDS: &str = "gittins";

/// An event as it is written. Its trials are those of the file, by their numbers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Written {
    /// When it was written.
    pub at: String,
    /// How many events of the study the file had before.
    pub after: usize,
    pub event: Event,
}

/// How a trial ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    Complete,
    Failed,
    Infeasible,
    Withdrawn,
}

/// The telling of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Told {
    pub end: End,
    #[serde(default, with = "maybe", skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    #[serde(default, with = "maybe", skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cost_later: bool,
    #[serde(default, skip_serializing_if = "Measured::is_empty")]
    pub measured: Measured,
}

impl From<&Outcome> for Told {
    fn from(outcome: &Outcome) -> Self {
        let end = match outcome.state {
            State::Complete => End::Complete,
            State::Failed => End::Failed,
            State::Infeasible => End::Infeasible,
        };
        let (value, cost, cost_later) = (outcome.value, outcome.cost, outcome.comes_later());
        Self { end, value, cost, cost_later, measured: outcome.measured.clone() }
    }
}

impl Told {
    /// The telling of a pending trial that is withdrawn.
    pub fn withdrawn() -> Self {
        let (end, measured) = (End::Withdrawn, Measured::default());
        Self { end, value: None, cost: None, cost_later: false, measured }
    }

    /// The outcome to be told again; none for a trial that was withdrawn.
    pub fn outcome(&self) -> Option<Outcome> {
        let outcome = match (self.end, self.value) {
            (End::Complete, Some(value)) => Outcome::new(value),
            (End::Complete, None) | (End::Withdrawn, _) => return None,
            (End::Failed, _) => Outcome::failed(),
            (End::Infeasible, _) => Outcome::infeasible(),
        };
        let numbers = self.measured.iter();
        let outcome =
            numbers.fold(outcome, |outcome, (name, number)| outcome.measured(name, number));
        let outcome = if self.cost_later { outcome.cost_later() } else { outcome };
        Some(self.cost.into_iter().fold(outcome, Outcome::cost))
    }
}

/// A verdict, and the fits that were made for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Judged {
    #[serde(flatten)]
    pub judgment: Judgment,
    #[serde(flatten)]
    pub fits: Fits,
}

/// Something of ours as JSON.
///
/// # Errors
/// `Data` if it cannot be written.
pub(super) fn json_of(value: &impl Serialize) -> Result<Json> {
    serde_json::to_value(value).map_err(|error| {
        let message = format!("it cannot be written to a journal: {error}");
        Error::new(ErrorKind::Data, message).with_source(error)
    })
}

/// Something of ours from JSON.
///
/// # Errors
/// `Data`, naming the attribute.
pub(super) fn read<'a, T: Deserialize<'a>>(key: &str, value: &'a RawValue) -> Result<T> {
    serde_json::from_str(value.get()).map_err(|error| {
        let message = format!("the attribute {key}: {error}");
        Error::new(ErrorKind::Data, message).with_source(error)
    })
}

/// The verdict in words, for people who look at the study with other programs.
pub(super) fn words_of(verdict: &Verdict) -> Json {
    // They begin with the word for it already.
    json!(verdict.reason().to_string())
}
