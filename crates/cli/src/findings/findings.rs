//! The best trial, the recommended one, and any other: for people and for programs.

use gittins::journal::Journal;
use gittins::study::{Measured, Recommendation, Report, TrialState};
use gittins::{Study, Trial};
use serde_json::{Value as Json, json};

use crate::findings::front;
use crate::findings::limits;
use crate::findings::measured;
use crate::findings::objectives;
use crate::stages::folder_of;
use crate::words::failure::Result;
use crate::words::show::{
    WHY, add_label, named, number, number_of, setting, setting_of, values_json,
};

/// A trial as an object. One in stages has its reports, and what it has cost so far.
pub fn trial_json(journal: &Journal, trial: &Trial) -> Json {
    let study = journal.study();
    let mut object = json!({
        "trial": number_of(journal, trial.id), "state": trial.state.name(), "origin": trial.origin.name(),
        "values": values_json(named(study, trial)), "outcome": trial.outcome, "cost": trial.cost,
    });
    add_label(&mut object, study, trial.row);
    if study.stages().is_some() {
        object["cost"] = json!(trial.cost.unwrap_or(0.0));
        let report = |of: &Report| json!({ "progress": of.progress, "outcome": of.outcome, "cost": of.cost });
        object["reports"] = trial.reports.iter().map(report).collect();
    }
    let is_complete = trial.state == TrialState::Complete;
    measured::add_to(&mut object, study, &trial.measured, is_complete);
    if let Some(why) = why(journal, trial) {
        object["why"] = json!(why);
    }
    object
}

/// Why a trial failed, or what it lacks; in stages also why its last process broke after the report
/// at which it was left.
pub fn why(journal: &Journal, trial: &Trial) -> Option<String> {
    let lacks = match trial.state {
        TrialState::Complete => !measured::are_measured(journal.study(), trial),
        state => !matches!(state, TrialState::Pending | TrialState::Withdrawn),
    };
    match folder_of(journal, trial.id).filter(|_| lacks) {
        Some(folder) => folder.why(),
        None => journal.notes(trial.id).remove(WHY).filter(|_| lacks),
    }
}

/// Whether trials are complete, and none of them holds all limits.
pub fn none_holds(study: &Study) -> bool {
    let complete = |trial: &&Trial| trial.state == TrialState::Complete;
    let mut complete = study.history().iter().filter(complete).peekable();
    complete.peek().is_some() && complete.all(|trial| !measured::hold(study, &trial.measured))
}

/// What the stopping rule says where no single trial is the best, without its first word: of a front
/// how much it is worth, and of limits that no trial holds which trial is nearest. None if there is
/// no rule that could say it.
pub fn rule(journal: &mut Journal) -> Result<Option<String>> {
    let study = journal.study();
    let mut states = study.history().iter().map(|trial| trial.state);
    let is_front =
        study.objectives().len() > 0 && states.any(|state| state == TrialState::Complete);
    if !is_front && !none_holds(study) {
        return Ok(None);
    }
    let verdict = journal.verdict()?;
    let words = verdict.reason().to_string();
    let plain = ["stop: ", "continue: "].iter().find_map(|first| words.strip_prefix(first));
    let has_rule = verdict.reason().rule != "none";
    Ok(plain.filter(|_| has_rule).map(str::to_owned))
}

/// The numbers of a trial, in a line that follows others.
fn numbers(study: &Study, measured: &Measured) -> String {
    measured::of(study, measured).map(|one| format!(", {}", one.with_limit())).collect()
}

/// The best trial and the recommended one, or the front, for a program and for a person.
pub fn findings(journal: &mut Journal) -> Result<(Json, String)> {
    if journal.study().objectives().len() > 0 {
        return front_of(journal);
    }
    // In stages the index decides, and no model of outcomes has to be fitted; but of items the best
    // one is what is recommended.
    let found = match journal.study().stages() {
        Some(stages) if !stages.are_items() => None,
        _ => journal.recommendation()?,
    };
    let study = journal.study();
    let best = study.best();
    let mut lines = Vec::new();
    if let Some(best) = best {
        lines.push(format!(
            "best         trial {}: {}\n             outcome {}{}{}",
            number_of(journal, best.id),
            setting_of(study, best),
            number(incumbent(study).unwrap_or(f64::NAN)),
            study
                .best_report()
                .map_or_else(String::new, |of| format!(" at {}", number(of.progress))),
            numbers(study, &best.measured)
        ));
    } else if none_holds(study) {
        lines.push("best         none: no trial holds all limits".to_owned());
        lines.extend(limit_lines(study));
    }
    if let Some(of) = &found {
        lines.push(format!("recommended  {}", recommendation(journal, of)));
    }
    let mut json = json!({
        "best": best.map(|best| best_json(journal, best)),
        "recommendation": found.map(|of| recommendation_json(journal, &of)),
    });
    add_aims(&mut json, study);
    Ok((json, lines.join("\n")))
}

/// Adds how complete trials stand to limits and objectives, if there are any.
pub fn add_aims(json: &mut Json, study: &Study) {
    if study.limits().len() > 0 {
        json["limits"] = limits::json_of(study);
    }
    if study.objectives().len() > 0 {
        json["objectives"] = objectives::json_of(study);
    }
}

/// The best outcome of a study.
pub fn incumbent(study: &Study) -> Option<f64> {
    match study.best_report() {
        Some(report) => Some(report.outcome),
        None => study.best()?.outcome,
    }
}

/// The best trial as an object. In stages it has the outcome and the progress that count.
fn best_json(journal: &Journal, best: &Trial) -> Json {
    let mut object = trial_json(journal, best);
    if let Some(report) = journal.study().best_report() {
        object["outcome"] = json!(report.outcome);
        object["progress"] = json!(report.progress);
    }
    object
}

/// How complete trials stand to each limit.
pub fn limit_lines(study: &Study) -> impl Iterator<Item = String> {
    limits::tallies(study).into_iter().map(|tally| format!("limit        {}", tally.words()))
}

/// The front of several objectives, for a program and for a person.
fn front_of(journal: &mut Journal) -> Result<(Json, String)> {
    let front = front::of(journal)?;
    let study = journal.study();
    let mut lines = Vec::new();
    if !front.is_empty() {
        lines.push(front::table(journal, &front));
    } else if none_holds(study) {
        lines.push("front        none: no trial holds all limits".to_owned());
        lines.extend(limit_lines(study));
    } else if study.history().iter().any(|trial| trial.state == TrialState::Complete) {
        lines.push(if study.history().iter().any(|trial| measured::are_measured(study, trial)) {
            "front        none: no trial holds all limits by its posterior means".to_owned()
        } else {
            "front        none: no trial has all its numbers".to_owned()
        });
        let tallies = objectives::tallies(study);
        lines.extend(tallies.iter().map(|tally| format!("objective    {}", tally.words())));
    }
    let trials: Vec<Json> = front.iter().map(|trial| trial_json(journal, trial)).collect();
    // There is no single best trial.
    let mut json = json!({
        "front": trials, "best": null, "recommendation": null,
    });
    add_aims(&mut json, study);
    Ok((json, lines.join("\n")))
}

/// The recommendation in words.
pub fn recommendation(journal: &Journal, of: &Recommendation) -> String {
    format!(
        "trial {}: {}\n             outcome {}, {}{}",
        number_of(journal, of.trial),
        setting(journal.study().domain().label(of.row), of.named()),
        number(of.outcome),
        of.expected(),
        numbers(journal.study(), &of.measured)
    )
}

/// The recommendation as an object.
pub fn recommendation_json(journal: &Journal, of: &Recommendation) -> Json {
    let mut object = json!({
        "trial": number_of(journal, of.trial), "values": values_json(of.named()),
        "outcome": of.outcome, "mean": of.mean, "sd": of.sd,
    });
    add_label(&mut object, journal.study(), of.row);
    measured::add_to(&mut object, journal.study(), &of.measured, true);
    object
}
