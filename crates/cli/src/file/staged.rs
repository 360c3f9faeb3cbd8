//! A study of runs in stages as the file describes it: its commands, its settings, its journal.

use gittins::journal::Journal;
use gittins::study::StudyBuilder;

use super::document::Section;
use super::stages::{Commands, StagesFile};
use super::{StudyFile, keys};
use crate::command::{Command, Reading, STAGES};
use crate::failure::{Failure, Result};
use crate::show;

impl StagesFile {
    /// The stages in words.
    pub fn words(&self, file: &StudyFile) -> String {
        let reports: Vec<String> = self.reports.iter().copied().map(show::number).collect();
        let resumable = match &file.command {
            Some(command) => self.commands(file, command).is_ok_and(|all| all.resumable),
            None => self.says_resumable(file).unwrap_or(false),
        };
        let is_said = file.command.is_some() || self.says_resumable(file).is_some();
        let words = match (resumable, is_said) {
            (true, _) => "a trial that was left can be resumed",
            (false, true) => "a trial that was left cannot be resumed",
            (false, false) => "the command after -- says whether a trial can be resumed",
        };
        format!("reports at {}; {words}", reports.join(", "))
    }

    /// What no single key can tell.
    pub(super) fn check(&self, file: &StudyFile, study: &Section<'_>) -> Result<()> {
        let stages = study.need("stages")?;
        if let (Some(more), Some(item)) =
            (&self.resume, stages.section(keys::STAGES)?.get("resume"))
        {
            let alone: Vec<String> = match file.reading.shell {
                true => vec![format!("program {}", more.join(" "))],
                false => ["program".to_owned()].into_iter().chain(more.iter().cloned()).collect(),
            };
            let reading = Reading { environment: true, ..file.reading };
            Command::new(&alone, &file.space, reading)
                .map_err(|error| item.problem(error.to_string()))?;
        }
        if let (Some(command), Some(item)) = (&file.command, study.get("command")) {
            let commands = self.commands(file, command);
            commands.map_err(|error| item.problem(error.to_string()))?;
        }
        let built = file.staged_builder(true).and_then(StudyBuilder::build);
        built.map(drop).map_err(|error| stages.problem(error.to_string()))
    }

    /// The commands of a run.
    ///
    /// # Errors
    /// Those of [`Command::new`]; `{until}` in a command that cannot be resumed.
    pub fn commands(&self, file: &StudyFile, command: &[String]) -> Result<Commands> {
        let first = Command::new(command, &file.space, file.reading)?;
        let mut longer = command.to_vec();
        match (&self.resume, longer.last_mut(), file.reading.shell) {
            (Some(more), Some(script), true) => *script = format!("{script} {}", more.join(" ")),
            (Some(more), ..) => longer.extend(more.iter().cloned()),
            (None, ..) => {}
        }
        let resumed = Command::new(&longer, &file.space, file.reading)?;
        let [checkpoint, until, resume] = STAGES.map(|name| first.has(name));
        let needs_none = self.are_folds() || self.spec.repeats == Some(true);
        let said = self.says_resumable(file);
        let resumable = said.unwrap_or(checkpoint || resume || (until && needs_none));
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

impl StudyFile {
    /// The study of runs in stages that the file describes.
    fn staged_builder(&self, resumable: bool) -> gittins::Result<StudyBuilder> {
        let mut spec = self.spec.clone();
        spec.stages = self.stages.as_ref().map(|stages| {
            let mut spec = stages.spec.clone();
            spec.resumable = Some(resumable);
            spec
        });
        spec.space = Some(self.space.clone());
        // Reports tell what a stage cost, however a trial is paid.
        (spec.cost, spec.cost_floor) = (None, None);
        spec.cost_unit = self.unit.clone();
        spec.builder()
    }

    /// Opens the journal of a study of runs in stages, or creates it.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn open_stages(&self, resumable: bool) -> Result<Journal> {
        Ok(self.options().open(&self.journal, self.staged_builder(resumable)?)?)
    }

    /// Opens the journal of a study of runs in stages that is there. Whether runs can be resumed is
    /// what the journal says, if the command is not in the file.
    ///
    /// # Errors
    /// Those of the journal and of the command.
    pub fn reopen_stages(&self) -> Result<Journal> {
        let stages = self.stages.as_ref().ok_or_else(|| Failure::new("there is no [stages]"))?;
        match (&self.command, stages.says_resumable(self)) {
            (Some(command), _) => self.open_stages(stages.commands(self, command)?.resumable),
            (None, Some(resumable)) => self.open_stages(resumable),
            (None, None) => Ok(self.options().resume(&self.journal)?),
        }
    }
}
