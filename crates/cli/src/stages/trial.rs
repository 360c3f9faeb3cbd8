//! `gittins show` of runs in stages.

use gittins::study::TrialState;
use serde_json::{Value as Json, json};

use super::lost::run_of;
use super::opened::Opened;
use super::report::run_json;
use crate::facts::Facts;
use crate::failure::Result;
use crate::show::{self, OUTPUTS};

impl Opened {
    /// What is known of a trial, for a program and for a person.
    ///
    /// # Errors
    /// A number of no trial; those of the verdict and of the forecast.
    pub fn facts(&mut self, trial: usize) -> Result<(Json, Facts)> {
        let id = run_of(&self.journal, trial).ok_or_else(|| self.unknown(trial))?;
        // The models come with a verdict.
        self.judged()?;
        let study = self.journal.study();
        let run = &study.history()[id.index()];
        let (folder, forecast) = (self.folders.trial(trial), study.forecast_end(id)?);
        let mut json = run_json(&self.journal, &self.folders, run);
        json["expected"] = json!(
            forecast
                .as_ref()
                .map(|of| { json!({ "outcome": of.mean, "sd": of.sd, "cost": of.cost }) })
        );
        let mut facts = Facts::default();
        let [name, state] = [self.journal.name(), run.state.name()];
        facts.say("trial", format_args!("{trial} of {name}: {state}"));
        let names = study.names().iter().map(String::as_str);
        facts.say("values", show::values(names.zip(&run.values)));
        for report in &run.reports {
            let [progress, outcome] = [report.progress, report.outcome].map(show::exact);
            let cost = show::money(report.cost, self.unit());
            facts.say("report", format_args!("{outcome} at {progress}, cost {cost}"));
        }
        if let Some(forecast) = forecast {
            facts.say("forecast", forecast);
        }
        facts.say("cost", show::money(run.cost.unwrap_or(0.0), self.unit()));
        if run.state == TrialState::Pending {
            facts.say("running", self.who(run));
        }
        if let Some(why) = json["why"].as_str() {
            facts.say("why", why);
        }
        for (key, tail) in OUTPUTS.into_iter().zip(folder.tails()) {
            facts.quote(key, &tail);
            json[key] = json!((!tail.is_empty()).then_some(tail));
        }
        if folder.path().exists() {
            facts.say("folder", folder.path().display());
            json["folder"] = json!(folder.path());
        }
        Ok((json, facts))
    }
}
