//! What is begun or resumed in stages, and what a trial does that reported.

use super::judging::{by_index, without_rule};
use super::looking::decide;
use super::staging::no_stages;
use crate::data::TrialId;
use crate::data::trial::reports::Advice;
use crate::data::trial::trial::{Origin, TrialState};
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::Deadline;
use crate::stop::Verdict;
use crate::study::events::ask::{Ask, Why};
use crate::study::events::event::{Asked, Event};
use crate::study::events::point::Drawn;
use crate::study::events::request::Request;
use crate::study::study::Study;
use crate::suggest::policy::stages::decision::{Choice, exhausted};

/// Why nothing ends a study in stages.
const ENDLESS: &str = "it has no price and no budget";

/// What a trial does that reported just now.
///
/// # Errors
/// Those of the model.
pub(crate) fn decide_on(study: &mut Study, id: TrialId) -> Result<Advice> {
    let run = id.index();
    let trial = study.trials.trial_log.trial(id)?;
    let progress = match trial.state {
        TrialState::Paused => trial.progress(),
        TrialState::Complete => return Ok(Advice::Done),
        TrialState::Abandoned => return Ok(Advice::Abandon),
        // Somebody else resumed it in the meantime.
        _ => return Ok(Advice::Pause),
    };
    let seen = study.seen().ok_or_else(no_stages)?;
    let until = seen.staging.next_progress(progress);
    let is_resumable = seen.staging.stages.is_resumable();
    let goes_on = match is_resumable {
        true if seen.is_designing() => false,
        _ if seen.knows_little() => !is_resumable,
        _ => {
            let chosen = decide(study)?.chosen.as_ref().map(|offer| &offer.what);
            chosen == Some(&Choice::Resume(run))
        }
    };
    let advice = match (goes_on, is_resumable) {
        (true, _) => Advice::Continue { until },
        (false, true) => Advice::Pause,
        (false, false) => Advice::Abandon,
    };
    if advice != Advice::Pause {
        study.happens(Event::Advised { trial: id, advice })?;
    }
    Ok(advice)
}

/// What to begin or to resume: first the trials of the design, then what has the largest index. It
/// answers after a verdict to stop too.
///
/// # Errors
/// `Exhausted` if no other setting is left and no trial waits to be resumed. Those of the model.
pub(in crate::study) fn ask(study: &mut Study) -> Result<Ask> {
    let seen = study.seen().ok_or_else(no_stages)?;
    if seen.is_designing() {
        let (unit, row) = seen.draw().ok_or_else(exhausted)?;
        return begin(study, Drawn { unit, row }, Origin::Initial, "initial design".to_owned());
    }
    let offer = decide(study)?.chosen.clone().ok_or_else(exhausted)?;
    let seen = study.seen().ok_or_else(no_stages)?;
    let words = seen.words(&offer);
    match offer.what {
        Choice::Fresh { unit, row } => begin(study, Drawn { unit, row }, Origin::Suggested, words),
        Choice::Resume(run) => {
            let id = TrialId::from(run);
            let from = seen.runs()[run].progress();
            let until = seen.staging.next_progress(from);
            study.happens(Event::Resumed { trial: id, until })?;
            Ok(asked(study, id, Some(from), until, words))
        }
    }
}

fn begin(study: &mut Study, drawn: Drawn, origin: Origin, words: String) -> Result<Ask> {
    let until = study.seen().ok_or_else(no_stages)?.staging.progress[0];
    let id = study.trials.trial_log.next_id();
    let asked_at = study.trials.asked_at(drawn, origin, &study.design);
    let asked_at = Asked { until: Some(until), ..asked_at };
    study.happens(Event::Asked { trial: id, asked: asked_at, policy: None })?;
    Ok(asked(study, id, None, until, words))
}

fn asked(study: &Study, id: TrialId, resume: Option<f64>, until: f64, words: String) -> Ask {
    let ask = study.trials.ask_of(&study.setup.domain, id, Why::Stage(words));
    Ask { resume, until, ..ask }
}

/// The trials that a request wants, which has a count alone in stages.
///
/// # Errors
/// `InvalidSetting` for anything else. Those of [`ask`].
pub(in crate::study) fn ask_for(study: &mut Study, request: &Request) -> Result<Vec<Ask>> {
    if request.limit()?.is_some() || request.is_of_part() || request.jointly {
        let message = "in stages a request has a count alone: no limit, no conditions, no context, not jointly";
        return Err(Error::new(ErrorKind::InvalidSetting, message));
    }
    (0..request.count).map(|_| ask(study)).collect()
}

/// The verdict in stages: of the stopping rule that was set, on the trials that came to their end, or
/// else by the index.
///
/// # Errors
/// Those of the model and of the rule.
pub(in crate::study) fn judged(study: &mut Study, deadline: Deadline) -> Result<Verdict> {
    let verdict = match without_rule(study)? {
        Some(verdict) => verdict,
        None if study.judge.rule.is_some() => {
            study.refit(deadline)?;
            let Study { beliefs, setup, trials, judge, .. } = study;
            let rule = judge.rule.as_deref_mut().ok_or_else(no_stages)?;
            return beliefs.judge(setup, trials, rule, None, deadline);
        }
        None => by_index(study)?,
    };
    if study.judge.rule.is_some() {
        return Ok(verdict);
    }
    let ledger = &study.trials.ledger;
    let is_endless = ledger.price.is_none() && ledger.budget.is_none();
    Ok(if is_endless { verdict.endless(ENDLESS) } else { verdict })
}
