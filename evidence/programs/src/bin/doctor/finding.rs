//! What the program says of one thing.

use serde_json::Value;

/// One finding, for a program and for a person.
#[derive(Default)]
pub struct Finding {
    pub json: Value,
    pub text: String,
}
