//! Bytes as lines, whatever the pieces are in which they come.

/// The longest line that is looked at. The rest of a longer one is skipped.
pub const LONGEST_LINE: usize = 1 << 20;

/// The line that has not ended yet.
#[derive(Debug, Default)]
pub struct Lines {
    line: Vec<u8>,
}

impl Lines {
    /// Takes bytes, and hands on each line that they end. A carriage return begins a line anew, as
    /// progress bars do.
    pub fn take(&mut self, bytes: &[u8], mut line: impl FnMut(&str)) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.extend(&rest[..end]);
            self.end(&mut line);
            rest = &rest[end + 1..];
        }
        self.extend(rest);
    }

    /// Hands on the line that has no end.
    pub fn end(&mut self, mut line: impl FnMut(&str)) {
        line(&String::from_utf8_lossy(&self.line));
        self.line.clear();
    }

    fn extend(&mut self, bytes: &[u8]) {
        let room = LONGEST_LINE.saturating_sub(self.line.len());
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// How many bytes it takes.
    #[cfg(test)]
    pub fn held(&self) -> usize {
        self.line.capacity()
    }
}
