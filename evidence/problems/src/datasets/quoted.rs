//! Turns Python's JSON into JSON.

use std::io::{BufRead, Read, Result};

/// Passes JSON on and puts the words `NaN`, `Infinity` and `-Infinity` in quotes. Python's `json`
/// writes them, but the standard does not have them. A reader that skips them then skips a string,
/// and a reader that wants a number names the word in its error.
pub(super) struct Quoted<R> {
    inner: R,
    /// Changed bytes that were not handed out yet, from `at` on.
    ready: Vec<u8>,
    at: usize,
    state: State,
}

/// The place of the last byte.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Between values, or in a number or a lower-case word.
    Plain,
    /// After a minus that is held back, because a word may follow it.
    Minus,
    /// In a word that was quoted.
    Word,
    /// In a string.
    Text,
    /// After a backslash in a string.
    Escape,
}

impl<R: BufRead> Quoted<R> {
    /// Over a reader of such a file.
    pub fn new(inner: R) -> Self {
        Self { inner, ready: Vec::new(), at: 0, state: State::Plain }
    }

    fn push(&mut self, byte: u8) {
        if self.state == State::Word && !byte.is_ascii_alphabetic() {
            self.ready.push(b'"');
            self.state = State::Plain;
        }
        let after = match (self.state, byte) {
            (State::Text, b'\\') => State::Escape,
            (State::Text, b'"') => State::Plain,
            (State::Text | State::Escape, _) => State::Text,
            (State::Word, _) => State::Word,
            (_, b'N' | b'I') => {
                self.ready.push(b'"');
                State::Word
            }
            (_, b'"') => State::Text,
            (_, b'-') => State::Minus,
            _ => State::Plain,
        };
        if self.state == State::Minus {
            self.ready.push(b'-');
        }
        if after != State::Minus {
            self.ready.push(byte);
        }
        self.state = after;
    }

    /// Fills `ready` from the next piece of the file. Returns false at the end of the file.
    fn refill(&mut self) -> Result<bool> {
        self.ready.clear();
        self.at = 0;
        let piece = self.inner.fill_buf()?.to_vec();
        if piece.is_empty() {
            match std::mem::replace(&mut self.state, State::Plain) {
                State::Word => self.ready.push(b'"'),
                State::Minus => self.ready.push(b'-'),
                _ => {}
            }
            return Ok(!self.ready.is_empty());
        }
        self.inner.consume(piece.len());
        for byte in piece {
            self.push(byte);
        }
        Ok(true)
    }
}

impl<R: BufRead> Read for Quoted<R> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        while self.at == self.ready.len() {
            if !self.refill()? {
                return Ok(0);
            }
        }
        let count = out.len().min(self.ready.len() - self.at);
        out[..count].copy_from_slice(&self.ready[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result does not depend on how the file falls into pieces.
    #[test]
    fn words_are_quoted_and_nothing_else() {
        let text = r#"{"a-NaN": [NaN, -Infinity,-1.5e-3, Infinity], "I\"N": true, "n": null, "last": [-2, "\\", NaN]}"#;
        let expected = r#"{"a-NaN": ["NaN", "-Infinity",-1.5e-3, "Infinity"], "I\"N": true, "n": null, "last": [-2, "\\", "NaN"]}"#;
        for piece in 1..text.len() {
            let mut got = String::new();
            Quoted::new(std::io::BufReader::with_capacity(piece, text.as_bytes()))
                .read_to_string(&mut got)
                .unwrap();
            assert_eq!(got, expected, "pieces of {piece} bytes");
        }
        for (text, expected) in [("NaN", "\"NaN\""), ("-", "-"), ("", "")] {
            let mut got = String::new();
            Quoted::new(text.as_bytes()).read_to_string(&mut got).unwrap();
            assert_eq!(got, expected);
        }
    }
}
