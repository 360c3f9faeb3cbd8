//! What is different in the twin of a study.

use serde::{Deserialize, Serialize};

/// What is different.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Twin {
    /// Nothing.
    Again,
    /// The number of threads.
    Threads,
    Mirror,
    /// The units of outcome, and of cost where that is free.
    Units {
        scale: f64,
        money: f64,
    },
    /// Where outcomes have their zero, in units of the objective.
    Origin(f64),
    /// Calls that fail or only look are left out.
    Traceless,
    /// A cost that is the same everywhere is given as a function.
    Known,
}
