//! Reads what a process prints into a file, while it does.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::process::Lines;

/// A file that grows.
pub struct Follower {
    file: File,
    lines: Lines,
}

impl Follower {
    /// Reads a file from a byte on.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn new(path: &Path, from: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(from))?;
        Ok(Self { file, lines: Lines::default() })
    }

    /// Hands on the lines that ended since.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&mut self, mut line: impl FnMut(&str)) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match self.file.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => self.lines.take(&buffer[..count], &mut line),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Hands on the last line, which has no end.
    pub fn end(&mut self, line: impl FnMut(&str)) {
        self.lines.end(line);
    }
}
