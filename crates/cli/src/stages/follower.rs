//! Reads what a process prints into a file, while it does.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::process::Lines;

/// How much is read at once, in bytes.
const PIECE: usize = 1 << 20;

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

    /// Hands on lines that ended since. Returns whether there may be more: who writes faster than
    /// this reads must not hold it up.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&mut self, mut line: impl FnMut(&str)) -> io::Result<bool> {
        let mut buffer = vec![0; PIECE];
        loop {
            match self.file.read(&mut buffer) {
                Ok(count) => {
                    self.lines.take(&buffer[..count], &mut line);
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Hands on all lines that ended since.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read_all(&mut self, mut line: impl FnMut(&str)) -> io::Result<()> {
        while self.read(&mut line)? {}
        Ok(())
    }

    /// Hands on the last line, which has no end.
    pub fn end(&mut self, line: impl FnMut(&str)) {
        self.lines.end(line);
    }
}
