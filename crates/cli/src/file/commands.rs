//! The commands of runs in stages, and whether these can be resumed.

use gittins::study::Stages;

use super::document::Section;
use super::stages::StagesFile;
use super::{StudyFile, keys};
use crate::program::command::{Command, ITEMS, Reading, STAGES};
use crate::words::failure::{Failure, Result};
use crate::words::show;

/// The two commands of a run: of one that begins, and of one that is resumed.
#[derive(Debug)]
pub struct Commands {
    /// Of a run that begins.
    pub first: Command,
    /// Of a run that is resumed.
    pub resumed: Command,
    /// Whether runs can be resumed.
    pub resumable: bool,
}

impl StagesFile {
    /// The stages in words.
    pub fn words(&self, file: &StudyFile) -> String {
        let reports: Vec<String> = self.reports.iter().copied().map(show::number).collect();
        let words = match self.is_resumable(file) {
            Ok(Some(true)) => "a trial that was left can be resumed",
            Ok(None) => "the command after -- says whether a trial can be resumed",
            Ok(Some(false)) | Err(_) => "a trial that was left cannot be resumed",
        };
        format!("reports at {}; {words}", reports.join(", "))
    }

    /// What no single key can tell.
    pub(super) fn check(&self, file: &StudyFile, study: &Section<'_>) -> Result<()> {
        let section = study.need("stages")?.section(keys::STAGES)?;
        if let (Some(more), Some(item)) = (&self.resume, section.get("resume")) {
            let alone: Vec<String> = if file.reading.shell {
                vec![format!("program {}", more.join(" "))]
            } else {
                ["program".to_owned()].into_iter().chain(more.iter().cloned()).collect()
            };
            let reading = Reading { environment: true, ..file.reading };
            Command::new(&alone, file.searched(), reading)
                .map_err(|error| item.problem(error.to_string()))?;
        }
        if let (Some(command), Some(item)) = (&file.command, study.get("command")) {
            let commands = self.commands(file, command);
            commands.map_err(|error| item.problem(error.to_string()))?;
        }
        Ok(())
    }

    /// How long a run is, and when it reports, for the library.
    pub(super) fn spec(&self, resumable: bool) -> Stages {
        self.spec.clone().resumable(resumable)
    }

    /// Whether a run that was left can be resumed, by the command or by what else the file says;
    /// none if the file has no command and says nothing.
    ///
    /// # Errors
    /// Those of [`commands`](Self::commands).
    pub(super) fn is_resumable(&self, file: &StudyFile) -> Result<Option<bool>> {
        match &file.command {
            Some(command) => Ok(Some(self.commands(file, command)?.resumable)),
            // A batch of items begins where the one before ended, whatever the command is.
            None => Ok(self.says_resumable(file).or(self.are_items().then_some(true))),
        }
    }

    /// The commands of a run.
    ///
    /// # Errors
    /// Those of [`Command::new`]; `{until}` in a command that cannot be resumed.
    pub fn commands(&self, file: &StudyFile, command: &[String]) -> Result<Commands> {
        let first = Command::new(command, file.searched(), file.reading)?;
        let mut longer = command.to_vec();
        match (&self.resume, longer.last_mut(), file.reading.shell) {
            (Some(more), Some(script), true) => *script = format!("{script} {}", more.join(" ")),
            (Some(more), ..) => longer.extend(more.iter().cloned()),
            (None, ..) => {}
        }
        let resumed = Command::new(&longer, file.searched(), file.reading)?;
        let [checkpoint, until, resume] = STAGES.map(|name| first.has(name));
        let are_items = self.spec.are_items();
        if are_items && !(until || first.has(ITEMS) || file.reading.environment) {
            return Err(Failure::new(
                "the command never gets {items}, the numbers of the items of a stage: put it into an argument",
            ));
        }
        let needs_none = self.spec.are_folds() || self.spec.repeats == Some(true);
        let said = self.says_resumable(file);
        let resumable = said.unwrap_or(checkpoint || resume || are_items || (until && needs_none));
        if until && !resumable {
            return Err(Failure::new(
                "a program that ends at {until} has to be resumed: add {checkpoint} to the command, or set stages.resume",
            ));
        }
        Ok(Commands { first, resumed, resumable })
    }

    /// What the file says by itself of whether a run that was left can be resumed. A command that
    /// reads its values from the environment finds its place there as well.
    fn says_resumable(&self, file: &StudyFile) -> Option<bool> {
        let implied = self.resume.is_some() || file.reading.environment;
        self.spec.resumable.or(implied.then_some(true))
    }
}
