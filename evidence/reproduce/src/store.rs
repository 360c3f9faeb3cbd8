//! The results: one file for each arm, one line for each seed. Lines are appended.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use frontend::Result;

/// All results in a folder.
pub struct Store {
    folder: PathBuf,
    arms: Mutex<BTreeMap<String, Arm>>,
    /// The lock that this process holds while it writes.
    lock: Option<File>,
}

/// The results of one arm, by seed.
#[derive(Default)]
struct Arm {
    lines: BTreeMap<u64, Line>,
    file: Option<File>,
}

/// One result.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Line {
    seed: u64,
    /// The time that it took.
    seconds: f64,
    result: Value,
}

impl Store {
    /// A store that only reads results.
    pub fn read(folder: &Path) -> Self {
        Self { folder: folder.join("runs"), arms: Mutex::default(), lock: None }
    }

    /// A store that adds results. No other process may write to it.
    ///
    /// # Errors
    /// If the folder cannot be made, or another process writes to it.
    pub fn write(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder.join("runs"))?;
        let lock = File::create(folder.join("lock"))?;
        if lock.try_lock().is_err() {
            return Err(
                io::Error::other(format!("another run writes to {}", folder.display())).into()
            );
        }
        Ok(Self { lock: Some(lock), ..Self::read(folder) })
    }

    /// Whether the result of an arm and a seed is there.
    pub fn has(&self, arm: &str, seed: u64) -> Result<bool> {
        self.with(arm, |arm| arm.lines.contains_key(&seed))
    }

    /// The result of an arm and a seed.
    ///
    /// # Errors
    /// If it is not there, or is something else.
    pub fn get<T: DeserializeOwned>(&self, arm: &str, seed: u64) -> Result<T> {
        let found = self.with(arm, |arm| arm.lines.get(&seed).map(|line| line.result.clone()))?;
        let value = found.ok_or_else(|| missing(arm, seed))?;
        Ok(serde_json::from_value(value)?)
    }

    /// The seconds that a seed of an arm took.
    ///
    /// # Errors
    /// If it was not run.
    pub fn took(&self, arm: &str, seed: u64) -> Result<f64> {
        let found = self.with(arm, |arm| arm.lines.get(&seed).map(|line| line.seconds))?;
        Ok(found.ok_or_else(|| missing(arm, seed))?)
    }

    /// The mean seconds that the seeds of an arm took, if any was run.
    pub fn seconds(&self, arm: &str) -> Result<Option<f64>> {
        self.with(arm, |arm| {
            let sum: f64 = arm.lines.values().map(|line| line.seconds).sum();
            (!arm.lines.is_empty()).then(|| sum / arm.lines.len() as f64)
        })
    }

    /// Adds a result and writes it to the disk at once.
    ///
    /// # Errors
    /// Those of the file.
    pub fn add(&self, arm: &str, seed: u64, seconds: f64, result: Value) -> Result<()> {
        let line = Line { seed, seconds, result };
        let mut text = serde_json::to_string(&line)?;
        text.push('\n');
        let path = self.path(arm);
        self.with(arm, |arm| -> Result<()> {
            let file = match &mut arm.file {
                Some(file) => file,
                none => none.insert(OpenOptions::new().create(true).append(true).open(path)?),
            };
            // The line is written in one piece. A killed process leaves the whole line, or a part
            // that the next process removes.
            file.write_all(text.as_bytes())?;
            arm.lines.insert(seed, line);
            Ok(())
        })?
    }

    fn path(&self, arm: &str) -> PathBuf {
        self.folder.join(format!("{arm}.jsonl"))
    }

    fn with<T>(&self, name: &str, act: impl FnOnce(&mut Arm) -> T) -> Result<T> {
        let mut arms = self.arms.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !arms.contains_key(name) {
            let arm = self.load(name)?;
            arms.insert(name.to_owned(), arm);
        }
        Ok(act(arms.entry(name.to_owned()).or_default()))
    }

    /// The contents of the file. Only the last line can be incomplete. It is removed before more is
    /// written.
    fn load(&self, name: &str) -> Result<Arm> {
        let path = self.path(name);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Arm::default()),
            Err(error) => return Err(error.into()),
        };
        let mut arm = Arm::default();
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        for (number, line) in text[..whole].lines().enumerate() {
            let line: Line = serde_json::from_str(line).map_err(|error| {
                io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("{}, line {}: {error}", path.display(), number + 1),
                )
            })?;
            arm.lines.insert(line.seed, line);
        }
        if whole < text.len() && self.lock.is_some() {
            OpenOptions::new().write(true).open(&path)?.set_len(whole as u64)?;
        }
        Ok(arm)
    }
}

fn missing(arm: &str, seed: u64) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("{arm}, seed {seed}: not run yet"))
}
