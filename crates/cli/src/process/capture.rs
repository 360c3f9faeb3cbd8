//! What a process writes: numbers looked for line by line, and the tail kept for whoever wonders.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use super::lines::Lines;
use crate::program::finder::Search;

/// How much of the end of an output is kept, in bytes.
pub const TAIL: usize = 2048;

/// How much of a line is a part of a reason, in letters.
const LINE: usize = 80;

/// What is kept of an output. It takes no more memory for a longer one.
#[derive(Debug, Default)]
pub struct Captured {
    /// The searches for numbers.
    pub searches: Vec<Search>,
    tail: Vec<u8>,
    lines: Lines,
}

impl Captured {
    /// Looks for these numbers.
    pub fn searching(searches: Vec<Search>) -> Self {
        Self { searches, ..Self::default() }
    }

    /// The end of a file from a byte on; nothing of one that cannot be read.
    pub fn of_file(path: &Path, from: u64) -> Self {
        let mut captured = Self::default();
        let read = File::open(path).and_then(|mut file| {
            let size = file.metadata()?.len();
            file.seek(SeekFrom::Start(size.saturating_sub(TAIL as u64).max(from)))?;
            let mut bytes = Vec::new();
            file.take(TAIL as u64).read_to_end(&mut bytes)?;
            Ok(bytes)
        });
        captured.take(&read.unwrap_or_default());
        captured
    }

    fn take(&mut self, bytes: &[u8]) {
        let kept = &bytes[bytes.len().saturating_sub(TAIL)..];
        self.tail.extend_from_slice(kept);
        let surplus = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..surplus);
        if self.searches.is_empty() {
            return;
        }
        let searches = &mut self.searches;
        self.lines.take(bytes, |line| searches.iter_mut().for_each(|search| search.line(line)));
    }

    /// The last line may have no end.
    fn end_line(&mut self) {
        let searches = &mut self.searches;
        self.lines.end(|line| searches.iter_mut().for_each(|search| search.line(line)));
    }

    /// The end of what was written, from the beginning of a letter on.
    pub fn tail(&self) -> String {
        let begins = self.tail.iter().position(|byte| byte & 0xC0 != 0x80).unwrap_or(0);
        String::from_utf8_lossy(&self.tail[begins..]).trim().to_owned()
    }

    /// A reason, and after it the last line that was written, if there is one.
    pub fn explains(&self, why: &str) -> String {
        match last_line(&self.tail()) {
            Some(line) => format!("{why}: {line}"),
            None => why.to_owned(),
        }
    }
}

/// The last line of a text that shows anything, without colors, and its beginning alone if it is
/// long.
fn last_line(text: &str) -> Option<String> {
    let lines = text.rsplit(['\n', '\r']).map(shown);
    let line = lines.into_iter().find(|line| !line.is_empty())?;
    let cut: String = line.chars().take(LINE).collect();
    Some(if cut == line { line } else { format!("{}...", cut.trim_end()) })
}

/// What a terminal would show of a line: without its colors, and a blank for each other sign that
/// controls it.
fn shown(line: &str) -> String {
    let mut letters = line.chars();
    let mut shown = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => drop(letters.find(char::is_ascii_alphabetic)),
            letter if letter.is_control() => shown.push(' '),
            letter => shown.push(letter),
        }
    }
    shown.trim().to_owned()
}

/// A thread that reads an output.
pub struct Capture {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    captured: Captured,
    /// Whether nothing more comes.
    closed: bool,
    /// Whether nobody listens any more.
    left: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Capture {
    /// Reads until the end, in a thread of its own.
    pub fn of(mut output: impl Read + Send + 'static, captured: Captured) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::new(State { captured, ..State::default() }),
            changed: Condvar::new(),
        });
        let writer = shared.clone();
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            loop {
                match output.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => {
                        let mut state = writer.lock();
                        if state.left {
                            break;
                        }
                        state.captured.take(&buffer[..count]);
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            writer.lock().closed = true;
            writer.changed.notify_all();
        });
        Self { shared }
    }

    /// Waits until everybody who could write has closed the output, or until the deadline.
    pub fn wait(&self, deadline: Instant) {
        let mut state = self.shared.lock();
        while !state.closed {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// What was written so far. Nothing more is read.
    pub fn take(self) -> Captured {
        let mut state = self.shared.lock();
        state.left = true;
        let mut captured = std::mem::take(&mut state.captured);
        drop(state);
        captured.end_line();
        captured
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::lines::LONGEST_LINE;
    use crate::program::finder::Form;

    #[test]
    fn a_long_output_keeps_its_tail_and_its_last_number_alone() {
        let mut captured = Captured::searching(vec![Search::new(&Form::LastLine)]);
        let line = vec![b'x'; 3 * LONGEST_LINE];
        captured.take(&line);
        assert!(captured.lines.held() <= 2 * LONGEST_LINE && captured.tail.len() == TAIL);
        captured.take("\n ü\n1.5\r2.5\n\n".as_bytes());
        captured.end_line();
        assert!(captured.tail().ends_with("ü\n1.5\r2.5"));
        assert_eq!(captured.searches.remove(0).result(), Ok(2.5));
    }

    #[test]
    fn a_tail_begins_with_a_whole_letter() {
        let mut captured = Captured::default();
        captured.take("ü".repeat(TAIL).as_bytes());
        captured.take(b"a");
        assert_eq!(captured.tail(), "ü".repeat(TAIL / 2 - 1) + "a");
        captured.take(&[0xff, 0xfe]);
        assert!(captured.tail().ends_with('\u{fffd}'));
    }

    #[test]
    fn the_last_line_explains_a_failure() {
        let explained = |text: &str| {
            let mut captured = Captured::default();
            captured.take(text.as_bytes());
            captured.explains("exit code 1")
        };
        for (text, words) in [
            ("", "exit code 1"),
            (" \n\n", "exit code 1"),
            ("Traceback\nValueError: no\n\n \n", "exit code 1: ValueError: no"),
            ("10 %\r20 %\r", "exit code 1: 20 %"),
            ("\u{1b}[31mError\u{1b}[0m: \tno\n\u{1b}[0m\n", "exit code 1: Error:  no"),
        ] {
            assert_eq!(explained(text), words, "{text:?}");
        }
        assert_eq!(explained(&"ü".repeat(81)), format!("exit code 1: {}...", "ü".repeat(80)));
        assert_eq!(explained(&"ü".repeat(80)), format!("exit code 1: {}", "ü".repeat(80)));
    }
}
