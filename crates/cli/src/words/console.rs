//! What a command prints: text, or one JSON object.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::words::code::{Code, DONE};
use crate::words::failure::{Failure, Result};

/// How results are printed.
#[derive(Debug, Clone, Copy)]
pub struct Console {
    /// One JSON object on the standard output, and nothing else.
    pub json: bool,
}

impl Console {
    /// Prints a result, which is done with it. A reader that closes its end early wants no more,
    /// which is no error.
    pub fn print(self, json: &Value, text: &str) -> Result<Code> {
        let text = if self.json { json.to_string() } else { text.trim_end().to_owned() };
        put(&text).map(|()| DONE)
    }

    /// Prints an error: as an object on the standard output, as text on the standard error.
    pub fn error(self, failure: &Failure) {
        if self.json {
            let _ = put(&json!({ "error": failure.to_string() }).to_string());
        } else {
            let _ = writeln!(io::stderr(), "error: {failure}");
        }
    }
}

/// Says something beside the result, on the standard error.
pub fn say(words: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "{words}");
}

/// Prints text and the end of its line.
pub fn put(text: &str) -> Result<()> {
    write(format!("{text}\n").as_bytes())
}

/// Writes to the standard output. Whoever reads it may have seen enough, and gone.
pub fn write(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}
