//! What is known of something, for a person: a line for each fact.

use std::fmt::Display;

/// Lines of facts.
#[derive(Debug, Default)]
pub struct Facts(Vec<String>);

impl Facts {
    /// A name and what is known by it.
    pub fn say(&mut self, name: &str, words: impl Display) {
        self.0.push(format!("{name:<12} {words}"));
    }

    /// A name, and a text of several lines below it; nothing for an empty text.
    pub fn quote(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.0.push(format!("{name}:"));
            self.0.extend(text.lines().map(|line| format!("  {line}")));
        }
    }

    /// All of them.
    pub fn text(&self) -> String {
        self.0.join("\n")
    }
}
