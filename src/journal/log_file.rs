//! The file of a journal: lines that are appended, and read by everybody.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind, Result};
use crate::journal::lock::{GRACE, Lock, unusable};
use crate::journal::operation::{Operation, apart, is_blank, parse, salvage};

/// The file, and how far it was read.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    /// Reads, and appends if the file may be written.
    file: File,
    writable: Result<()>,
    /// The end of the last line that was read.
    read: u64,
    lines: usize,
    /// What is to be mended: places that hold no operation, and what is to stand there.
    wounds: Vec<(u64, Vec<u8>)>,
    grace: Duration,
}

impl LogFile {
    /// Opens the file, and creates it if there is none. One that cannot be written is opened all
    /// the same, to be read.
    ///
    /// # Errors
    /// `Storage` for a file that cannot be read or created, naming it.
    pub fn open(path: &Path, create: bool) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(create);
        let (file, writable) = match options.open(path) {
            Ok(file) => (file, Ok(())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(unusable(path, "the journal cannot be opened", error));
            }
            Err(error) => {
                let file = File::open(path).map_err(|_| {
                    unusable(path, "the journal cannot be opened", error_of(&error))
                })?;
                (file, Err(unusable(path, "the journal cannot be written", error)))
            }
        };
        let path = path.to_owned();
        Ok(Self { path, file, writable, read: 0, lines: 0, wounds: Vec::new(), grace: GRACE })
    }

    /// Sets how long a lock may stand before it is taken over.
    pub fn with_grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that it may be written.
    ///
    /// # Errors
    /// `Storage`, saying why not.
    pub fn check_writable(&self) -> Result<()> {
        self.writable.clone()
    }

    /// Whether it may be written.
    pub fn is_writable(&self) -> bool {
        self.writable.is_ok()
    }

    /// Begins to read from the start again.
    pub fn rewind(&mut self) {
        self.read = 0;
        self.lines = 0;
        self.wounds.clear();
    }

    /// The operations of the lines that were completed since. A line that has no end yet is being
    /// written, or its writer died: it is not read. Lines in which nothing stands are passed over.
    ///
    /// # Errors
    /// `Storage` for a file that cannot be read or became shorter; `Data` for a line that is no
    /// operation, naming it.
    pub fn read(&mut self) -> Result<Vec<Operation>> {
        let failed = |error| unusable(&self.path, "the journal cannot be read", error);
        let length = self.file.metadata().map_err(failed)?.len();
        if length < self.read {
            let had = format!("has {length} bytes, and had {} before", self.read);
            return Err(self.changed(&format!("the journal {had}: somebody shortened it")));
        }
        if length == self.read {
            return Ok(Vec::new());
        }
        // The end of the last line is read again: it must still be there.
        let overlap = self.read.min(1);
        let from = self.read - overlap;
        self.file.seek(SeekFrom::Start(from)).map_err(failed)?;
        let mut bytes = Vec::with_capacity((length - from) as usize);
        (&self.file).take(length - from).read_to_end(&mut bytes).map_err(failed)?;
        let (end, bytes) = bytes.split_at(bytes.len().min(overlap as usize));
        if end.iter().any(|byte| *byte != b'\n') {
            return Err(self.changed("somebody changed lines that the journal had before"));
        }
        let mut operations = Vec::new();
        // Blank lines are read with the operation behind them, whose line ends what was read.
        let (mut blank, mut blanks) = (0, 0);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let Some(text) = line.strip_suffix(b"\n") else { break };
            if is_blank(text) {
                blank += line.len();
                blanks += 1;
                continue;
            }
            let number = self.lines + blanks + 1;
            match self.operations(text, self.read + blank as u64) {
                Ok(found) => operations
                    .extend(found.into_iter().map(|one| Operation { line: number, ..one })),
                // What came before it is not lost: the next call meets the line again.
                Err(_) if !operations.is_empty() => break,
                Err(error) => {
                    return Err(error.at(format_args!("{}, line {number}", self.path.display())));
                }
            }
            self.pass_over(blank);
            self.read += (blank + line.len()) as u64;
            self.lines = number;
            blank = 0;
            blanks = 0;
        }
        Ok(operations)
    }

    /// Has blanks mended that stand behind what was read. With spaces in place of the ends of blank
    /// lines they are the beginning of the next line, which no reader of JSON minds.
    fn pass_over(&mut self, blank: usize) {
        if blank > 0 {
            self.wounds.push((self.read, vec![b' '; blank]));
        }
    }

    fn changed(&self, what: &str) -> Error {
        Error::new(ErrorKind::Storage, format!("{}: {what}", self.path.display()))
    }

    /// The operation of a line at a place of the file. There are several if zeros stand in place of
    /// the ends of lines; if somebody wrote behind what a process that died had begun, it is that of
    /// the end.
    fn operations(&mut self, text: &[u8], place: u64) -> Result<Vec<Operation>> {
        let wrong = match parse(text) {
            Ok(operation) => return Ok(vec![operation]),
            Err(error) => error,
        };
        if let Some(found) = apart(text) {
            let mut mended: Vec<u8> =
                text.iter().map(|byte| if *byte == 0 { b' ' } else { *byte }).collect();
            found.iter().skip(1).for_each(|(start, _)| mended[start - 1] = b'\n');
            self.wounds.push((place, mended));
            return Ok(found.into_iter().map(|(_, operation)| operation).collect());
        }
        let (start, operation) = salvage(text).ok_or(wrong)?;
        self.wounds.push((place, vec![b' '; start]));
        Ok(vec![operation])
    }

    /// Waits for the right to write.
    ///
    /// # Errors
    /// `Storage` for a file that cannot be written, or is no longer the one at its path.
    pub fn lock(&self) -> Result<Lock> {
        self.check_writable()?;
        let lock = Lock::of(&self.path, self.grace)?;
        let found = fs::metadata(&self.path)
            .map_err(|error| unusable(&self.path, "the journal is gone", error))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let open = self.file.metadata();
            if open.is_ok_and(|open| (open.dev(), open.ino()) != (found.dev(), found.ino())) {
                return Err(self.changed("another file took the journal's place"));
            }
        }
        let _ = found;
        Ok(lock)
    }

    /// All that is left to [read](Self::read), with the lock, and with what processes that died have
    /// left [mended](Self::heal).
    ///
    /// # Errors
    /// `Storage` and `Data`.
    pub fn rest(&mut self, lock: &Lock) -> Result<Vec<Operation>> {
        let mut rest = self.read()?;
        self.heal(lock)?;
        rest.extend(self.read()?);
        Ok(rest)
    }

    /// Mends what processes that died have left, with the lock: a line without an end, the beginning
    /// of a line that another process went on with, and what a file system put in place of the end:
    /// blanks and zeros. Call it after everything was read.
    ///
    /// # Errors
    /// `Storage`.
    pub fn heal(&mut self, _lock: &Lock) -> Result<()> {
        let path = self.path.clone();
        let failed = |error| unusable(&path, "the journal cannot be mended", error);
        let length = self.file.metadata().map_err(failed)?.len();
        if length > self.read {
            self.file.seek(SeekFrom::Start(self.read)).map_err(failed)?;
            let mut tail = Vec::new();
            (&self.file).take(length - self.read).read_to_end(&mut tail).map_err(failed)?;
            let lines: usize = tail
                .split_inclusive(|byte| *byte == b'\n')
                .take_while(|line| line.ends_with(b"\n") && is_blank(line))
                .map(<[u8]>::len)
                .sum();
            // Zeros that one death left may stand before what the next one left.
            let blank = lines + tail[lines..].iter().take_while(|byte| **byte == 0).count();
            let begun = &tail[blank..];
            let written = begun.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            if !begun.contains(&b'\n') {
                match parse(&begun[..written]) {
                    // All of it is there but its end, in place of which zeros may stand.
                    Ok(_) => {
                        self.pass_over(blank);
                        let end = self.read + (blank + written) as u64;
                        self.file.set_len(end).map_err(failed)?;
                        self.file.write_all(b"\n").map_err(failed)?;
                    }
                    Err(_) if self.is_begun(&begun[..written], &tail) => {
                        self.file.set_len(self.read).map_err(failed)?;
                    }
                    // Nobody who writes journals began it: the file is something else.
                    Err(error) => {
                        let line = self.lines + 1;
                        return Err(error.at(format_args!("{}, line {line}", self.path.display())));
                    }
                }
            }
        }
        if !self.wounds.is_empty() {
            // What was read keeps its place in the file.
            let mut file = OpenOptions::new().write(true).open(&self.path).map_err(failed)?;
            for (start, mended) in &self.wounds {
                file.seek(SeekFrom::Start(*start)).map_err(failed)?;
                file.write_all(mended).map_err(failed)?;
            }
            file.sync_data().map_err(failed)?;
            self.wounds.clear();
        }
        Ok(())
    }

    /// Whether a line without an end is an operation that somebody began to write, or nothing. A file
    /// without any other line must begin as journals do, so that no file of another kind is
    /// shortened: `tail` is all of it then.
    fn is_begun(&self, line: &[u8], tail: &[u8]) -> bool {
        if is_blank(line) {
            return self.read > 0 || !tail.contains(&0);
        }
        let begins = |start: &[u8]| start.starts_with(line) || line.starts_with(start);
        if self.read == 0 {
            return begins(b"{\"op_code\":") && tail.first() != Some(&0);
        }
        let is_whole = serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
        begins(b"{\"") && !is_whole
    }

    /// Appends lines, each with its end, in one write, and waits until they are on the disk. What
    /// cannot be written whole is taken back. Call it after everything was read.
    ///
    /// # Errors
    /// `Storage`, naming the file; also if another process took the lock over and wrote, because
    /// this one was stopped for too long.
    pub fn append(&mut self, lock: &Lock, lines: &str) -> Result<()> {
        let path = self.path.clone();
        let failed = |error| unusable(&path, "the journal cannot be written", error);
        let mut before = self.file.metadata().map_err(failed)?.len();
        if before != self.read {
            self.heal(lock)?;
            if !self.read()?.is_empty() {
                return Err(self.changed("somebody else wrote while this process had the lock"));
            }
            before = self.read;
        }
        let written = self.file.write_all(lines.as_bytes()).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            let rest = self.file.set_len(before).and_then(|()| self.file.sync_data());
            if let Err(rest) = rest {
                log::warn!(
                    "{}: a part of a line may stand at its end: {rest}",
                    self.path.display()
                );
            }
            return Err(failed(error));
        }
        if before == 0 {
            // That there is a file at all is kept by its folder. Not every system can sync one.
            let folder = std::path::absolute(&self.path).ok();
            let folder = folder.and_then(|path| File::open(path.parent()?).ok());
            if let Some(folder) = folder {
                drop(folder.sync_all());
            }
        }
        Ok(())
    }

    /// Waits until no other process of ours looks for a point, if the file system can say so. The
    /// right ends with the process, and when the guard is dropped.
    pub fn asking(&self, patience: Duration) -> Asking {
        let began = Instant::now();
        // On other systems the lock would keep others from writing.
        let Some(file) = self.file.try_clone().ok().filter(|_| cfg!(unix)) else {
            return Asking(None);
        };
        while began.elapsed() < patience {
            match file.try_lock() {
                Ok(()) => return Asking(Some(file)),
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(2)),
                Err(TryLockError::Error(_)) => break,
            }
        }
        Asking(None)
    }
}

/// The right to look for a point, if there is such a thing.
#[derive(Debug)]
pub(super) struct Asking(Option<File>);

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.iter().for_each(|file| drop(file.unlock()));
    }
}

/// An error of the same kind and text.
fn error_of(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::lock::random_name;

    #[test]
    fn what_another_process_wrote_in_spite_of_the_lock_is_not_passed_over() {
        let path = std::env::temp_dir().join(format!("gittins-log-{}", random_name()));
        let mut log = LogFile::open(&path, true).unwrap();
        let lock = log.lock().unwrap();
        let line = "{\"op_code\":1,\"worker_id\":\"w\",\"study_id\":0}\n";
        log.append(&lock, line).unwrap();
        assert_eq!(log.read().unwrap().len(), 1);
        // A part of a line is taken away.
        fs::write(&path, format!("{line}{{\"op")).unwrap();
        log.append(&lock, line).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), line.repeat(2));
        assert_eq!(log.read().unwrap().len(), 1);
        fs::write(&path, line.repeat(3)).unwrap();
        let error = log.append(&lock, line).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Storage, "{error}");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), line.repeat(3));
        drop(lock);
        fs::remove_file(&path).unwrap();
    }
}
