//! A folder of its own for each test.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::answers;
use serde_json::Value;
use tempfile::TempDir;

/// How long anything may take that is waited for. Far more than it takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A study of one number in which a trial costs 1.
pub const SQUARE: &str = "direction = \"minimize\"\n[cost]\nfrom = \"none\"\n\
    [parameters.x]\ntype = \"float\"\nlow = 0\nhigh = 1\n";

/// A script that prints `(x - 0.3)^2`.
pub const TRAIN: &str = "awk -v x=\"$1\" 'BEGIN { print (x - 0.3)^2 }'\n";

/// A folder with a study and scripts, which goes away with the test.
pub struct Folder(TempDir);

/// What a process said.
pub struct Said {
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// The standard output.
    pub out: String,
    /// The standard error.
    pub err: String,
}

impl Said {
    /// The one JSON object on the standard output.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.all()))
    }

    /// All of it, for messages.
    pub fn all(&self) -> String {
        format!("exit code {:?}\n{}\n{}", self.code, self.out, self.err)
    }

    /// Checks the exit code.
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.all());
        self
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Folder {
    /// A folder with `study.toml` and the script `train`.
    pub fn new(study: &str, script: &str) -> Self {
        let folder = Self(TempDir::new().unwrap());
        folder.write("study.toml", study);
        folder.script("train", script);
        folder
    }

    /// A file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Writes a script that can be run.
    pub fn script(&self, name: &str, text: &str) {
        self.write(name, &format!("#!/bin/sh\n{text}"));
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The text of a file.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The command, with these words, in this folder.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gittins"));
        command.args(words).current_dir(self.0.path()).stdin(Stdio::null());
        command.env("GITTINS_BACKEND", "cpu");
        command
    }

    /// Runs the command to its end. What it answers with `--json` is as its schema says.
    pub fn gittins(&self, words: &[&str]) -> Said {
        let said = self.command(words).output().unwrap().into();
        if words.contains(&"--json") {
            answers::check(words, &said);
        }
        said
    }

    /// Starts the command.
    pub fn start(&self, words: &[&str]) -> Child {
        self.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// `gittins run study.toml` with the command `./train {x}`.
    pub fn train(&self) -> Said {
        self.gittins(&["run", "study.toml", "--", "./train", "{x}"])
    }

    /// The trials in the journal.
    pub fn trials(&self) -> Vec<Value> {
        let said = self.gittins(&["export", "study.toml", "--json"]).exits(0);
        said.json()["trials"].as_array().unwrap().clone()
    }

    /// The states of the trials.
    pub fn states(&self) -> Vec<String> {
        let state = |trial: &Value| trial["state"].as_str().unwrap().to_owned();
        self.trials().iter().map(state).collect()
    }

    /// The lines of a file; none if there is no such file.
    pub fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

/// Waits until something holds.
pub fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process runs. One that has ended and was not reaped does not.
pub fn runs(process: &str) -> bool {
    let stat = Path::new("/proc").join(process).join("stat");
    if !Path::new("/proc/self/stat").exists() {
        // Without /proc: signal 0 asks.
        return Command::new("kill").args(["-0", process]).status().unwrap().success();
    }
    let text = fs::read_to_string(stat).unwrap_or_default();
    text.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Sends a signal.
pub fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").arg(format!("-{name}")).arg(process.to_string()).status();
    assert!(sent.unwrap().success());
}

/// Whether this process, and so whoever it starts, ignores a signal, as under `nohup`.
pub fn is_ignored(number: u32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    mask & (1 << (number - 1)) != 0
}
