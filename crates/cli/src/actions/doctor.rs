//! `gittins doctor`: what this machine and a study have, and what is wrong with them.

use std::env::{self, consts::EXE_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use gittins::BackendOptions;
use gittins::study::TrialState;
use serde_json::{Value, json};

use crate::file::{self, StudyFile};
use crate::findings::limits;
use crate::findings::objectives;
use crate::findings::tally::Tally;
use crate::opened::Opened;
use crate::run::lock;
use crate::run::witness;
use crate::words::code::{Code, DONE};
use crate::words::console::Console;
use crate::words::failure::{Failure, Result};
use crate::words::show::number_of;

/// Look at this machine, and at a study if one is named.
#[derive(Debug, clap::Args)]
pub struct Doctor {
    /// A study.toml or a journal.
    file: Option<PathBuf>,
}

/// What was found, one thing after another.
#[derive(Default)]
struct Findings(Vec<(&'static str, String, bool)>);

impl Findings {
    fn fine(&mut self, what: &'static str, words: impl Into<String>) {
        self.0.push((what, words.into(), true));
    }

    fn wrong(&mut self, what: &'static str, words: impl Into<String>) {
        self.0.push((what, words.into(), false));
    }

    fn check(&mut self, what: &'static str, checked: Result<String>) {
        match checked {
            Ok(words) => self.fine(what, words),
            Err(error) => self.wrong(what, error.to_string()),
        }
    }
}

impl Doctor {
    /// Looks.
    pub fn run(&self, console: Console) -> Result<Code> {
        let mut findings = Findings::default();
        let threads = thread::available_parallelism().map_or(1, usize::from);
        findings.fine("gittins", format!("{}, {threads} threads", env!("CARGO_PKG_VERSION")));
        findings.check("engine", engine());
        if let Some(path) = &self.file {
            study(path, &mut findings);
        }
        let healthy = findings.0.iter().all(|(_, _, fine)| *fine);
        let (list, lines): (Vec<Value>, Vec<String>) = findings
            .0
            .iter()
            .map(|(what, words, fine)| {
                let line = format!("{what:<9} {}{words}", if *fine { "" } else { "WRONG: " });
                (json!({ "what": what, "words": words, "fine": fine }), line)
            })
            .unzip();
        console.print(&json!({ "healthy": healthy, "findings": list }), &lines.join("\n"))?;
        Ok(if healthy { DONE } else { 1 })
    }
}

/// Who evaluates batches.
fn engine() -> Result<String> {
    let options = BackendOptions::from_env()?;
    let adapter =
        options.adapter.as_ref().map_or_else(String::new, |name| format!(", adapter {name:?}"));
    Ok(format!("{} is asked for{adapter}; {}", options.choice, device(&options)))
}

#[cfg(feature = "gpu")]
fn device(options: &BackendOptions) -> String {
    use gittins::backend::Precision::F32;
    let device = match gittins::backend::gpu::Device::open(options.adapter.as_deref()) {
        Ok(device) => device,
        Err(error) => return format!("there is no device: {error}"),
    };
    let name = &device.report().name;
    let crossover = match device.measured_crossover(F32) {
        Ok(crossover) => crossover,
        Err(error) => return format!("the device is of no use: {error}"),
    };
    // Of a study with 20 parameters.
    let pays = |trials| Some((trials, crossover.points(trials, 20, true)?));
    match [100, 300, 1000, 3000].into_iter().find_map(pays) {
        Some((trials, from)) => {
            format!("{name} pays from {trials} trials on, for batches of {from} points and more")
        }
        None => format!("{name} does not pay: the CPU is quicker for up to 3000 trials"),
    }
}

#[cfg(not(feature = "gpu"))]
fn device(_: &BackendOptions) -> String {
    "this program was built without the feature gpu, so all is computed on the CPU".to_owned()
}

fn study(path: &Path, findings: &mut Findings) {
    let file = match file::is_study_file(path) {
        Ok(true) => {
            match StudyFile::read(path) {
                Ok(file) => {
                    findings.fine("file", format!("{} can be read", path.display()));
                    findings.check("command", command(&file));
                    if let Some(stages) = &file.stages {
                        findings.fine("stages", stages.words(&file));
                    }
                    if !file.ends() {
                        findings.wrong("stop", "nothing would ever end a run: set price, budget, or a limit under [stop]");
                    }
                    Some(file)
                }
                Err(error) => return findings.wrong("file", error.to_string()),
            }
        }
        Ok(false) => None,
        Err(error) => return findings.wrong("file", error.to_string()),
    };
    let journal = file.as_ref().map_or(path, |file| &file.journal);
    if !journal.exists() {
        return findings.fine("journal", format!("{} does not exist yet", journal.display()));
    }
    findings.check("disk", writable(journal));
    if let Some(words) = lock::words(journal) {
        findings.wrong("lock", words);
    }
    match Opened::to_show(path) {
        Err(error) => findings.wrong("journal", error.to_string()),
        Ok(opened) => trials(&opened, findings),
    }
}

/// Whether the program is there.
fn command(file: &StudyFile) -> Result<String> {
    let Some(command) = &file.command else {
        return Ok("none in the file; it has to stand after --".to_owned());
    };
    let program = if file.reading.shell { "sh" } else { command[0].as_str() };
    if program.contains('{') {
        return Ok(format!("{program} depends on the trial"));
    }
    let found = if Path::new(program).components().nth(1).is_some() {
        Some(file.directory.as_deref().unwrap_or(Path::new("")).join(program))
    } else {
        env::split_paths(&env::var_os("PATH").unwrap_or_default())
            .flat_map(|folder| {
                [folder.join(program), folder.join(format!("{program}{EXE_SUFFIX}"))]
            })
            .find(|path| path.is_file())
    };
    match found.filter(|path| path.is_file()) {
        Some(path) => Ok(format!("{} is there", path.display())),
        None => Err(Failure::new(format!("there is no program {program:?}"))),
    }
}

fn writable(journal: &Path) -> Result<String> {
    fs::OpenOptions::new().append(true).open(journal)?;
    let bytes = fs::metadata(journal)?.len();
    Ok(format!("{} can be written; it has {bytes} bytes", journal.display()))
}

fn trials(opened: &Opened, findings: &mut Findings) {
    let (journal, tally) = (&opened.journal, Tally::of(opened.journal.study()));
    findings.fine("journal", format!("{:?}: {}", journal.name(), tally.words()));
    for tally in limits::tallies(journal.study()) {
        let is_wrong = tally.complete() > 0 && tally.complete() == tally.unmeasured;
        findings.0.push(("limit", tally.words(), !is_wrong));
    }
    for tally in objectives::tallies(journal.study()) {
        findings.0.push(("objective", tally.words(), !tally.is_wrong()));
    }
    let history = journal.study().history();
    for trial in history.iter().filter(|trial| trial.state == TrialState::Pending) {
        let number = number_of(journal, trial.id);
        if witness::is_lost(journal, trial.id) {
            findings.wrong(
                "trial",
                format!("{number} is waited for, and the run that made it is gone: run again, or gittins withdraw"),
            );
        } else {
            findings.fine("trial", format!("{number}: {}", witness::words(journal, trial.id)));
        }
    }
    for (number, why) in journal.left_out() {
        findings.wrong("trial", format!("{number} is left out: {why}"));
    }
    journal.missing().into_iter().for_each(|words| findings.wrong("journal", words));
}
