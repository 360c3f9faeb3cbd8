//! A command in the file.

use super::document::Item;
use crate::words::failure::Result;

/// A command: a list of arguments, or one text with a shell.
pub fn arguments(item: &Item<'_>, shell: bool) -> Result<Vec<String>> {
    match (item.is_text(), shell) {
        (true, true) => Ok(vec![item.word()?.to_owned()]),
        (true, false) => Err(item.problem(
            "expected a list of arguments such as [\"python\", \"train.py\"]; a text needs shell = true",
        )),
        (false, true) => Err(item.problem("with shell = true the command is one text")),
        (false, false) => {
            item.list()?.iter().map(|argument| Ok(argument.text()?.to_owned())).collect()
        }
    }
}
