//! A run to begin or to resume.

use std::fmt;
use std::sync::Arc;

use crate::data::{TrialId, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::named::nearest;

/// A run to begin or to resume, and how far it is to go before it reports.
#[derive(Debug, Clone, PartialEq)]
pub struct StagedAsk {
    pub(super) id: TrialId,
    pub(super) names: Arc<[String]>,
    pub(super) values: Vec<Value>,
    pub(super) resume: Option<f64>,
    pub(super) until: f64,
    pub(super) words: String,
}

impl StagedAsk {
    /// The run to report by.
    pub fn id(&self) -> TrialId {
        self.id
    }

    /// The parameters' values, in their order.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The value of a parameter.
    ///
    /// # Errors
    /// `UnknownParameter` for a name that the space does not have, with the nearest one.
    pub fn get(&self, name: &str) -> Result<&Value> {
        let place = self.names.iter().position(|known| known == name);
        place.map(|place| &self.values[place]).ok_or_else(|| {
            let meant = nearest(name, self.names.iter().map(String::as_str))
                .map(|meant| format!("; {meant:?} is near"))
                .unwrap_or_default();
            let message = format!("no parameter is named {name:?}{meant}");
            Error::new(ErrorKind::UnknownParameter, message)
        })
    }

    /// The progress from which a run that was left goes on; none for a run that begins.
    pub fn resume(&self) -> Option<f64> {
        self.resume
    }

    /// The progress at which it reports.
    pub fn until(&self) -> f64 {
        self.until
    }
}

impl fmt::Display for StagedAsk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}
