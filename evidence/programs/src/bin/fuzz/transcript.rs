//! Settings and calls as data: what a failure tells, and what is played again.

use std::fs;
use std::path::Path;

use frontend::Result;
use serde::{Deserialize, Serialize};

use crate::calls::Call;
use crate::twin::Twin;
use crate::world::World;

/// A study, what is different in its twin, and what it is asked and told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Transcript {
    pub world: World,
    pub twin: Option<Twin>,
    pub calls: Vec<Call>,
}

impl Transcript {
    /// A line for each call.
    pub fn text(&self) -> String {
        let line = |call| serde_json::to_string(call).unwrap_or_default();
        let calls = Vec::from_iter(self.calls.iter().map(line)).join(",\n  ");
        let bare = Self { calls: Vec::new(), ..self.clone() };
        let text = serde_json::to_string(&bare).unwrap_or_else(|error| error.to_string());
        text.replace("\"calls\":[]", &format!("\"calls\":[\n  {calls}]"))
    }

    /// # Errors
    /// The file cannot be read, or holds no such thing.
    pub fn read(path: &Path) -> Result<Self> {
        Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
    }
}
