//! Trials in stages: their settings in a file, and what Optuna sees of them.

use serde_json::{Map, Value as Json, json};

use super::{Filed, Page};
use crate::data::{Direction, Domain, TrialId};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::operation::{
    COMPLETE, FAIL, PRUNED, RUNNING, TRIAL_INTERMEDIATE, TRIAL_USER_ATTR,
};
use crate::journal::said::{COST, STAGES, json_of};
use crate::study::{
    Advice, Changing, Described, Event, StagesSpec, Study, StudyBuilder, StudySpec, TrialState,
};

impl Filed for Study {
    type Builder = StudyBuilder;
    type Event = Event;
    const SETTINGS: &'static str = STAGES;
    const OF: &'static str = "runs in stages";

    fn settings(builder: &StudyBuilder) -> Result<Json> {
        let refused = |message| Err(Error::new(ErrorKind::InvalidSetting, message));
        let Some(stages) = builder.stages_as_data() else {
            return refused("the study has no stages: `Journal` opens it");
        };
        let described = builder.described();
        if described.rule.is_some() && described.stop.is_none() {
            return refused("a stopping rule that is code has no place in the file: name it");
        }
        let mut settings = json_of(&described)?;
        settings["stages"] = json_of(&stages)?;
        Ok(settings)
    }

    fn resumed(builder: &StudyBuilder, events: Vec<Event>) -> Result<Self> {
        builder.again().resume(events)
    }

    /// Earlier versions had other names for some events.
    fn earlier(event: Json) -> serde_json::Result<Event> {
        let named = event.as_object().and_then(|event| event.iter().next());
        let (name, of) = named.map_or(("", &Json::Null), |(name, of)| (name, of));
        // Trials are numbered as they enter.
        serde_json::from_value(match name {
            "began" => json!({"asked": {"trial": 0, "asked": {"origin": "suggested",
                "unit": of["unit"], "row": of["row"], "seen": 0, "drawn": 0,
                "until": of["until"]}}}),
            "failed" => json!({"told": {"trial": of["run"], "outcome": {"state": "failed",
                "value": null, "cost": of["cost"], "cost_later": false}}}),
            "lost" => json!({"withdrawn": {"trial": of["run"]}}),
            "fitted" => json!({"fitted": {"fits": {"curves": of["fit"]}}}),
            _ => event,
        })
    }

    fn follow(&mut self, event: Event) -> Result<()> {
        self.happens(event)
    }

    fn events(&self) -> &[Event] {
        Self::events(self)
    }

    fn count(&self) -> usize {
        self.history().len()
    }

    fn enters(event: &Event) -> bool {
        event.enters()
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

    fn seen(&self, event: &Event, page: &mut Page<'_>) -> Result<()> {
        match event {
            Event::Asked { .. } | Event::Announced { .. } => {
                let trial = &self.history()[page.next];
                let placed = page.placed(trial.values.iter().enumerate());
                page.make(placed, RUNNING, None, Map::new());
            }
            Event::Imported { values, outcome } => page.imported(values, outcome),
            Event::Reported { trial, progress, outcome, .. } => {
                self.reported(*trial, *progress, *outcome, page);
            }
            Event::Told { trial, outcome, .. } => match (outcome.value, self.stages()) {
                (Some(value), Some(stages)) => self.reported(*trial, stages.total(), value, page),
                _ => self.paid(*trial, Some(FAIL), page),
            },
            Event::Advised { trial, advice: Advice::Abandon } => {
                self.paid(*trial, Some(PRUNED), page);
            }
            Event::Withdrawn { trial } => {
                let end = match self.history()[trial.index()].state {
                    TrialState::Withdrawn => Some(FAIL),
                    TrialState::Abandoned => Some(PRUNED),
                    _ => None,
                };
                self.paid(*trial, end, page);
            }
            Event::Judged { judgment } => page.judged(&judgment.verdict),
            // A trial that waits has no state of its own there: it is one that runs. Optuna takes no
            // change of a trial that has ended, and needs no fits.
            _ => {}
        }
        Ok(())
    }
}

impl Study {
    /// A report, and the end of its trial if it is there.
    fn reported(&self, id: TrialId, progress: f64, outcome: f64, page: &mut Page<'_>) {
        let trial = &self.history()[id.index()];
        if let (Some((number, _)), Some(stages)) = (page.open(id.index()), &self.stages) {
            let step = stages.step(trial, progress);
            let value = json!({"trial_id": number, "step": step, "intermediate_value": outcome});
            page.lines.push(page.pen.line(TRIAL_INTERMEDIATE, value));
        }
        let is_complete = trial.state == TrialState::Complete;
        self.paid(id, is_complete.then_some(COMPLETE), page);
    }

    /// What a trial has cost, and how it ended.
    fn paid(&self, id: TrialId, end: Option<u64>, page: &mut Page<'_>) {
        let trial = &self.history()[id.index()];
        let Some((number, _)) = page.open(id.index()) else { return };
        let cost = json!(trial.cost.unwrap_or(0.0));
        page.lines.push(page.pen.of_trial(TRIAL_USER_ATTR, number, COST, cost));
        if let Some(state) = end {
            let any = self.stages().is_some_and(|stages| stages.does_any_stage_count());
            let best = trial.best_report(self.direction()).filter(|_| any);
            let report = best.or(trial.reports.last()).filter(|_| state != FAIL);
            let value = report.map(|report| report.outcome);
            page.lines.push(page.pen.end_of(number, state, value));
        }
    }
}

/// The settings of a study in stages from those of its file.
///
/// # Errors
/// `InvalidSetting` for a domain that is not in the file; `Data` for settings that cannot be read.
pub(super) fn builder_of(mut settings: Json) -> Result<StudyBuilder> {
    let wrong = |error: serde_json::Error| {
        let message = format!("the settings of the study: {error}");
        Error::new(ErrorKind::Data, message).with_source(error)
    };
    // Earlier versions wrote what people write, and a table by its size.
    if settings.get("model").is_none() && settings.get("table").is_none() {
        let spec: StudySpec = serde_json::from_value(settings).map_err(wrong)?;
        if spec.space.is_none() {
            let message = "a constraint of the space is not in the file: open the study with it";
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        return spec.builder();
    }
    if settings.get("model").is_none() {
        let message = "the table of candidates is not in the file: open the study with it";
        return Err(Error::new(ErrorKind::InvalidSetting, message));
    }
    let stages = settings.as_object_mut().and_then(|all| all.remove("stages"));
    let stages: StagesSpec = serde_json::from_value(stages.unwrap_or_default()).map_err(wrong)?;
    let described: Described = serde_json::from_value(settings).map_err(wrong)?;
    described.builder_in_stages(stages.stages()?)
}
