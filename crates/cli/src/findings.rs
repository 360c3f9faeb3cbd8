//! The best trial, the recommended one, and any other: for people and for programs.

use gittins::journal::Journal;
use gittins::study::{Measured, Recommendation, TrialState};
use gittins::{Study, Trial};
use serde_json::{Map, Value as Json, json};

use crate::failure::Result;
use crate::limits;
use crate::show::{WHY, digits, number, number_of, values, values_json};

/// A trial as an object.
pub fn trial_json(journal: &Journal, trial: &Trial, names: &[String]) -> Json {
    let named = names.iter().map(String::as_str).zip(&trial.values);
    let mut object = json!({
        "trial": number_of(journal, trial.id), "state": trial.state.name(), "origin": trial.origin.name(),
        "values": values_json(named), "outcome": trial.outcome, "cost": trial.cost,
    });
    let study = journal.study();
    let is_complete = trial.state == TrialState::Complete;
    limits::add_to(&mut object, study, &trial.measured, is_complete);
    let lacks = match trial.state {
        TrialState::Complete => !limits::are_measured(study, trial),
        state => state == TrialState::Failed,
    };
    if lacks && let Some(why) = journal.notes(trial.id).get(WHY) {
        object["why"] = json!(why);
    }
    object
}

/// Whether trials are complete, and none of them holds all limits.
pub fn none_holds(study: &Study) -> bool {
    let mut states = study.history().iter().map(|trial| trial.state);
    study.limits().len() > 0
        && study.best().is_none()
        && states.any(|state| state == TrialState::Complete)
}

/// What the verdict says of limits that no trial holds, without its first word: which trial is
/// nearest. None if there is no rule that could say it.
pub fn nearest(journal: &mut Journal) -> Result<Option<String>> {
    if !none_holds(journal.study()) {
        return Ok(None);
    }
    let verdict = journal.verdict()?;
    let words = verdict.reason().to_string();
    let plain = ["stop: ", "continue: "].iter().find_map(|first| words.strip_prefix(first));
    let has_rule = verdict.reason().rule != "none";
    Ok(plain.filter(|_| has_rule).map(str::to_owned))
}

/// The numbers of a trial on which there are limits, in a line that follows others.
fn measured(study: &Study, measured: &Measured) -> String {
    limits::of(study, measured).map(|one| format!(", {}", one.with_limit())).collect()
}

/// The best trial and the recommended one, for a program and for a person.
pub fn findings(journal: &mut Journal, names: &[String]) -> Result<(Map<String, Json>, String)> {
    let found = journal.recommendation()?;
    let study = journal.study();
    let best = study.best();
    let mut lines = Vec::new();
    if let Some(best) = best {
        lines.push(format!(
            "best         trial {}: {}\n             outcome {}{}",
            number_of(journal, best.id),
            values(names.iter().map(String::as_str).zip(&best.values)),
            number(best.outcome.unwrap_or(f64::NAN)),
            measured(study, &best.measured)
        ));
    } else if none_holds(study) {
        lines.push("best         none: no trial holds all limits".to_owned());
        let tallies = limits::tallies(study);
        lines.extend(tallies.iter().map(|tally| format!("limit        {}", tally.words())));
    }
    if let Some(of) = &found {
        lines.push(format!("recommended  {}", recommendation(journal, of)));
    }
    let mut json = Map::new();
    json.insert("best".to_owned(), json!(best.map(|best| trial_json(journal, best, names))));
    let found = found.map(|of| recommendation_json(journal, &of));
    json.insert("recommendation".to_owned(), json!(found));
    if study.limits().len() > 0 {
        json.insert("limits".to_owned(), limits::json_of(study));
    }
    Ok((json, lines.join("\n")))
}

/// The recommendation in words.
pub fn recommendation(journal: &Journal, of: &Recommendation) -> String {
    format!(
        "trial {}: {}\n             outcome {}, expected {} +- {}{}",
        number_of(journal, of.trial),
        values(of.named()),
        number(of.outcome),
        number(of.mean),
        digits(of.sd, 2),
        measured(journal.study(), &of.measured)
    )
}

/// The recommendation as an object.
pub fn recommendation_json(journal: &Journal, of: &Recommendation) -> Json {
    let mut object = json!({
        "trial": number_of(journal, of.trial), "values": values_json(of.named()),
        "outcome": of.outcome, "mean": of.mean, "sd": of.sd,
    });
    limits::add_to(&mut object, journal.study(), &of.measured, true);
    object
}
