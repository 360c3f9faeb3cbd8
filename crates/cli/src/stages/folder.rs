//! The folder of a trial: its output, its checkpoint, and who works on it.
//!
//! ```text
//! study.trials/3/output        what its processes printed, one after the other
//!                errors        the same of the standard error
//!                checkpoint/   what belongs to the program
//!                process.0     one file for each process: the runner, the process, when it reported
//! ```

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use gittins::TrialId;
use gittins::internals::reaches;
use gittins::journal::Journal;
use serde_json::{Value, json};

use crate::process::Captured;
use crate::process::owner;
use crate::words::failure::{At, Result};
use crate::words::show::number_of;

/// How the names of the files of processes begin.
const PROCESS: &str = "process.";

/// The folders of all trials of a study.
#[derive(Debug, Clone)]
pub struct Folders(PathBuf);

/// The folder of a trial.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

/// A process of a trial, as its file has it.
#[derive(Debug, Clone)]
pub struct Process {
    folder: Folder,
    number: usize,
    /// What is known of it.
    pub note: Value,
}

/// The folder of a trial in stages; none of a whole one.
pub fn folder_of(journal: &Journal, id: TrialId) -> Option<Folder> {
    journal.study().stages()?;
    Some(Folders::of(journal).trial(number_of(journal, id)))
}

impl Folders {
    /// Those of the study of a journal, beside it.
    pub fn of(journal: &Journal) -> Self {
        let path = journal.path();
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let stem = stem.unwrap_or_default();
        Self(if journal.name() == stem {
            path.with_extension("trials")
        } else {
            path.with_file_name(format!("{stem}.{}.trials", escaped(journal.name())))
        })
    }

    /// That of a trial.
    pub fn trial(&self, number: usize) -> Folder {
        Folder(self.0.join(number.to_string()))
    }

    /// The trials that have one.
    pub fn numbers(&self) -> Vec<usize> {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut numbers: Vec<usize> =
            entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Waits until no other runner takes a trial, or looks for trials that were lost. It ends with
    /// the file.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn claim(&self) -> Result<Claim> {
        fs::create_dir_all(&self.0).at(self.0.display())?;
        let path = self.0.join("claim");
        let claim = || {
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .read(true)
                .write(true)
                .open(&path)?;
            file.lock()?;
            Ok::<_, io::Error>(file)
        };
        Ok(Claim(claim().at(path.display())?))
    }
}

/// The right to take a trial. A runner that is killed while it takes one leaves a byte in the file.
pub struct Claim(File);

impl Claim {
    /// Whether a runner was killed while it took a trial.
    pub fn is_broken(&self) -> io::Result<bool> {
        Ok(self.0.metadata()?.len() > 0)
    }

    /// A trial is taken from now on.
    pub fn begin(&self) -> io::Result<()> {
        self.0.set_len(1)
    }

    /// It is taken, and its folder says by whom.
    pub fn end(&self) -> io::Result<()> {
        self.0.set_len(0)
    }
}

/// A name as a part of the name of a file.
fn escaped(name: &str) -> String {
    let letter = |byte: u8| match byte {
        b'-' | b'_' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    name.bytes().map(letter).collect()
}

impl Folder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// What its processes printed.
    pub fn output(&self) -> PathBuf {
        self.0.join("output")
    }

    /// What they printed to the standard error.
    pub fn errors(&self) -> PathBuf {
        self.0.join("errors")
    }

    /// The folder of its checkpoint, from the root on: the program may run elsewhere.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn checkpoint(&self) -> Result<PathBuf> {
        let path = self.0.join("checkpoint");
        fs::create_dir_all(&path).at(path.display())?;
        std::path::absolute(&path).at(path.display())
    }

    /// Its processes so far, in their order.
    pub fn processes(&self) -> Vec<Process> {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut all: Vec<Process> = entries
            .filter_map(|entry| {
                let number = entry.file_name().to_str()?.strip_prefix(PROCESS)?.parse().ok()?;
                let note = fs::read(entry.path()).ok()?;
                let note = serde_json::from_slice(&note).ok()?;
                Some(Process { folder: self.clone(), number, note })
            })
            .collect();
        all.sort_by_key(|process| process.number);
        all
    }

    /// What the processes that have ended owe: what nobody was told of.
    pub fn owed(&self) -> f64 {
        let all = self.processes();
        all.iter().rev().find(|process| process.has_ended()).map_or(0.0, |last| last.ended()[1])
    }

    /// One more process, which has not started yet.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn next(&self) -> Result<Process> {
        fs::create_dir_all(&self.0).at(self.0.display())?;
        let before = self.processes();
        let number = before.last().map_or(0, |last| last.number + 1);
        let process = Process { folder: self.clone(), number, note: owner::own() };
        process.write()?;
        Ok(process)
    }

    /// Why the trial failed, if it did.
    pub fn why(&self) -> Option<String> {
        self.processes().last()?.note["why"].as_str().map(str::to_owned)
    }

    /// The ends of what its processes printed, and of what they printed to the standard error.
    pub fn tails(&self) -> [String; 2] {
        [self.output(), self.errors()].map(|path| Captured::of_file(&path, 0).tail())
    }

    /// Opens the files of the output to add to them; also says how long they are.
    ///
    /// # Errors
    /// They cannot be opened.
    pub fn open(&self) -> Result<([File; 2], [u64; 2])> {
        let open = |path: &Path| OpenOptions::new().create(true).append(true).open(path);
        let (output, errors) = (self.output(), self.errors());
        let files = [open(&output).at(output.display())?, open(&errors).at(errors.display())?];
        let lengths = [files[0].metadata()?.len(), files[1].metadata()?.len()];
        Ok((files, lengths))
    }
}

impl Process {
    /// Writes what is known, whole or not at all.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self) -> Result<()> {
        let path = self.folder.0.join(format!("{PROCESS}{}", self.number));
        let new = self.folder.0.join(format!("new.{}", self.number));
        fs::write(&new, self.note.to_string()).at(new.display())?;
        fs::rename(&new, &path).at(path.display())
    }

    /// It starts: from which byte of the output on, and what is still to be paid of those before.
    pub fn starts(&mut self, from: u64, at: f64) {
        self.note["from"] = json!(from);
        self.note["began"] = json!(at);
    }

    /// It is about to report a progress that was printed at a moment.
    pub fn reports(&mut self, progress: f64, at: f64) {
        if !self.note["reports"].is_array() {
            self.note["reports"] = json!([]);
        }
        if let Some(list) = self.note["reports"].as_array_mut() {
            list.push(json!([progress, at]));
        }
    }

    /// It has ended, after so many seconds, with so much that nobody was told of.
    pub fn ends(&mut self, seconds: f64, owed: f64, why: Option<&str>) {
        self.note["ended"] = json!({ "seconds": seconds, "owed": owed });
        if let Some(why) = why {
            self.note["why"] = json!(why);
        }
    }

    /// Whether it has ended, and all that it printed was looked at.
    pub fn has_ended(&self) -> bool {
        !self.note["ended"].is_null()
    }

    /// Whether its runner was killed.
    pub fn is_lost(&self) -> bool {
        !self.has_ended() && owner::is_gone(&self.note)
    }

    /// How long it ran, and what it owes.
    pub fn ended(&self) -> [f64; 2] {
        ["seconds", "owed"].map(|key| self.note["ended"][key].as_f64().unwrap_or(0.0))
    }

    /// From which byte of the output on it printed; none if it did not start.
    pub fn from(&self) -> Option<u64> {
        self.note["from"].as_u64()
    }

    /// Whether it reported a progress.
    pub fn has_reported(&self, progress: f64) -> bool {
        self.moment(progress) != self.note["began"].as_f64()
    }

    /// The moment up to which all of a progress is told.
    pub fn moment(&self, progress: f64) -> Option<f64> {
        let reports = self.note["reports"].as_array().into_iter().flatten().rev();
        // A number that was written and read may differ by its rounding.
        let same = |known: f64| reaches(known, progress) && reaches(progress, known);
        let told = reports.filter(|report| report[0].as_f64().is_some_and(same));
        told.map(|report| &report[1]).chain([&self.note["began"]]).find_map(Value::as_f64)
    }

    /// Whether it came before another process of its trial.
    pub fn is_before(&self, other: &Self) -> bool {
        self.number < other.number
    }

    /// Whether it is the last process of its trial.
    pub fn is_last(&self) -> bool {
        self.folder.processes().last().is_some_and(|last| last.number == self.number)
    }

    /// The folder of its trial.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_apart_in_files() {
        assert_eq!(escaped("a b/ü"), "a%20b%2F%C3%BC");
        assert_eq!(escaped("wide_net-2"), "wide_net-2");
    }
}
