//! Runs in stages: their settings in a file, and what Optuna sees of them.

use serde_json::{Map, Value as Json, json};

use super::{Filed, Page};
use crate::data::{Direction, Domain, TrialId};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::operation::{
    COMPLETE, FAIL, PRUNED, RUNNING, TRIAL_INTERMEDIATE, TRIAL_USER_ATTR,
};
use crate::journal::said::{COST, STAGES, json_of};
use crate::staged::{Advice, RunState, StagedEvent, StagedSpec, StagedStudy, StagedStudyBuilder};

impl Filed for StagedStudy {
    type Builder = StagedStudyBuilder;
    type Event = StagedEvent;
    const SETTINGS: &'static str = STAGES;
    const OF: &'static str = "runs in stages";

    fn settings(builder: &StagedStudyBuilder) -> Result<Json> {
        // A space with a constraint that is a function is not in the file.
        let mut settings = json_of(&builder.spec())
            .or_else(|_| json_of(&StagedSpec { space: None, ..builder.spec() }))?;
        if let Domain::Table(table) = builder.domain() {
            let names: Vec<&str> = table.names().collect();
            settings["table"] = json!({"names": names, "rows": table.len()});
        }
        Ok(settings)
    }

    fn resumed(builder: StagedStudyBuilder, events: Vec<StagedEvent>) -> Result<Self> {
        builder.resume(events)
    }

    fn follow(&mut self, event: StagedEvent) -> Result<()> {
        self.happens(event)
    }

    fn events(&self) -> &[StagedEvent] {
        Self::events(self)
    }

    fn count(&self) -> usize {
        self.runs().len()
    }

    fn enters(event: &StagedEvent) -> bool {
        matches!(event, StagedEvent::Began { .. })
    }

    fn domain(&self) -> &Domain {
        Self::domain(self)
    }

    fn names(&self) -> &[String] {
        Self::names(self)
    }

    fn direction(&self) -> Direction {
        Self::direction(self)
    }

    fn seen(&self, event: &StagedEvent, page: &mut Page<'_>) -> Result<()> {
        match event {
            StagedEvent::Began { .. } => {
                let run = &self.runs()[page.next];
                let placed = page.placed(run.values.iter().enumerate());
                page.make(placed, RUNNING, None, Map::new());
            }
            StagedEvent::Reported { run, progress, outcome, .. } => {
                let step = self.step(*run, *progress);
                if let Some((trial, _)) = page.open(run.index()) {
                    let value =
                        json!({"trial_id": trial, "step": step, "intermediate_value": outcome});
                    page.lines.push(page.pen.line(TRIAL_INTERMEDIATE, value));
                }
                let finished = self.runs()[run.index()].state == RunState::Finished;
                self.paid(*run, finished.then_some(COMPLETE), page);
            }
            StagedEvent::Advised { run, advice: Advice::Abandon } => {
                self.paid(*run, Some(PRUNED), page);
            }
            StagedEvent::Failed { run, .. } => self.paid(*run, Some(FAIL), page),
            StagedEvent::Lost { run } => {
                let run = &self.runs()[run.index()];
                let end = if run.reports.is_empty() { FAIL } else { PRUNED };
                let over = run.state == RunState::Abandoned;
                self.paid(run.id, over.then_some(end), page);
            }
            // A run that waits has no state of its own there: it is one that runs.
            _ => {}
        }
        Ok(())
    }
}

impl StagedStudy {
    /// The step of a report, which is a whole number: its progress, if that is one, and otherwise how
    /// many reports the run had.
    fn step(&self, run: TrialId, progress: f64) -> usize {
        let whole = self.reports().iter().all(|report| report.fract() == 0.0);
        if whole && progress.fract() == 0.0 {
            return progress as usize;
        }
        let reports = &self.runs()[run.index()].reports;
        reports.iter().filter(|report| report.progress <= progress).count()
    }

    /// What a run has cost, and how it ended.
    fn paid(&self, run: TrialId, end: Option<u64>, page: &mut Page<'_>) {
        let run = &self.runs()[run.index()];
        let Some((trial, _)) = page.open(run.id.index()) else { return };
        page.lines.push(page.pen.of_trial(TRIAL_USER_ATTR, trial, COST, json!(run.cost)));
        if let Some(state) = end {
            let report = self.counted(run).or(run.reports.last()).filter(|_| state != FAIL);
            let value = report.map(|report| report.outcome);
            page.lines.push(page.pen.end_of(trial, state, value));
        }
    }
}

/// The settings of a study of runs in stages from those of its file.
///
/// # Errors
/// `InvalidSetting` for a domain that is not in the file; `Data` for settings that cannot be read.
pub(super) fn builder_of(settings: Json) -> Result<StagedStudyBuilder> {
    let missing = |what: &str| {
        let message = format!("{what} is not in the file: open the study with it");
        Err(Error::new(ErrorKind::InvalidSetting, message))
    };
    if settings.get("table").is_some() {
        return missing("the table of candidates");
    }
    if settings.get("space").is_none() {
        return missing("a constraint of the space");
    }
    let spec: StagedSpec = serde_json::from_value(settings).map_err(|error| {
        let message = format!("the settings of the study: {error}");
        Error::new(ErrorKind::Data, message).with_source(error)
    })?;
    spec.builder()
}
