//! A record that is entered into a study again, event by event, to ask other rules over it.

use std::collections::HashMap;
use std::iter::Peekable;
use std::slice::Iter;

use crate::data::trial::trial::{Origin, TrialState};
use crate::data::{Cost, State, TrialId, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::stop::{StopRule, Verdict};
use crate::study::events::event::{Asked, Event};
use crate::study::events::outcome::Outcome;
use crate::study::events::point::{Drawn, check_place};
use crate::study::record::{Point, Record, Row, Suggested};
use crate::study::study::Study;
use crate::surrogate::Second;

/// The rows of a record that are still to be entered.
pub type Rows<'r> = Peekable<Iter<'r, Row>>;

/// Checks that a record is to what the study is to, and has all that happened in it.
///
/// # Errors
/// `InvalidSetting`.
pub fn check_recorded(study: &Study, record: &Record) -> Result<()> {
    let refused = |message: String| Err(Error::new(ErrorKind::InvalidSetting, message));
    if study.stages.is_some() {
        return refused("a record has no reports of trials in stages".to_owned());
    }
    let own = study.direction();
    match record.direction().filter(|&other| other != own) {
        None => Ok(()),
        Some(other) => refused(format!("the record is to {other}, and the study to {own}")),
    }
}

/// Enters the trials that were asked for or imported before the telling of number `place`. A trial
/// that was withdrawn is withdrawn from the start, and so is one of others that is told later.
///
/// # Errors
/// Naming the trial, those of a row that is not one of this study.
pub fn reenter(study: &mut Study, rows: &mut Rows<'_>, place: usize) -> Result<()> {
    while let Some(row) = rows.next_if(|row| row.seen <= place) {
        // It is imported when it is told, unless others were entered in between.
        let is_last = rows.peek().is_none_or(|next| next.seen > place);
        if row.origin != Origin::Imported || row.told != Some(place) || !is_last {
            reenter_one(study, row).map_err(|error| error.at(place_of(row)))?;
        }
    }
    Ok(())
}

fn reenter_one(study: &mut Study, row: &Row) -> Result<()> {
    check_names(study, row)?;
    let trial = TrialId::from(row.trial);
    let is_withdrawn = if row.origin == Origin::Imported {
        let values = values_of(study, &row.point)?;
        study.happens(Event::Announced { values })?;
        row.state != TrialState::Pending
    } else {
        let asked = asked(study, row)?;
        study.happens(Event::Asked { trial, asked, policy: None })?;
        row.state == TrialState::Withdrawn
    };
    if is_withdrawn { study.happens(Event::Withdrawn { trial }) } else { Ok(()) }
}

/// Checks that a row has the parameters of the study.
fn check_names(study: &Study, row: &Row) -> Result<()> {
    if row.point.names().eq(study.names()) {
        return Ok(());
    }
    let message = format!(
        "its parameters {:?} are not those of the study, {:?}",
        row.point.names().collect::<Vec<_>>(),
        study.names()
    );
    Err(Error::new(ErrorKind::UnknownParameter, message))
}

/// Tells a trial as the record has it, or its cost alone.
///
/// # Errors
/// Naming the trial, those of the call.
pub fn retell(study: &mut Study, row: &Row, cost_alone: bool) -> Result<()> {
    told(study, row, cost_alone)
        .and_then(|event| study.happens(event))
        .map_err(|error| error.at(place_of(row)))
}

fn told(study: &Study, row: &Row, cost_alone: bool) -> Result<Event> {
    let trial = TrialId::from(row.trial);
    if let Some(cost) = row.cost.filter(|_| cost_alone) {
        return Ok(Event::Paid { trial, cost });
    }
    let state = row.state.told()?;
    // A cost that came first is in the books already. One that came later, or never, is announced
    // if it is learned.
    let late = row.cost.is_none() || row.paid > row.told;
    let learns = matches!(study.setup.cost, Cost::Learned);
    let cost_later = late && state == State::Complete && learns;
    let cost = row.cost.filter(|_| row.paid.is_none());
    let measured = row.measured.clone();
    let outcome = Outcome { state, value: row.outcome, cost, cost_later, measured };
    if trial == study.trials.trial_log.next_id() {
        check_names(study, row)?;
        return Ok(Event::Imported { values: values_of(study, &row.point)?, outcome });
    }
    Ok(Event::Told { trial, outcome })
}

/// The trial that a row says was asked for.
///
/// # Errors
/// Those of a row that is not one of this study.
fn asked(study: &mut Study, row: &Row) -> Result<Asked> {
    let drawn = drawn(study, &row.point)?;
    if row.origin == Origin::Initial {
        let size = study.design.size();
        let told = study
            .trials
            .trial_log
            .trials
            .iter()
            .filter(|trial| trial.origin == Origin::Initial && trial.state.is_told())
            .count();
        // Others take the places of points that were withdrawn. More points may therefore be
        // asked for than the design has, but not once all are told.
        if told >= size {
            let message =
                format!("one point more than the initial design of this study has, {size}");
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
    }
    if row.suggestion.is_none() {
        study.design.pass(&study.setup.domain, &study.trials.asked, &drawn.unit);
    }
    // Only the best indices of the first model may lower a price.
    let second = study.beliefs.second.as_ref();
    let by_second =
        second.is_some_and(Second::takes_turns) && Second::is_turn(study.progress().iteration);
    let index = row
        .suggestion
        .as_ref()
        .filter(|said| said.lambda.is_some() && said.unguided.is_none() && !by_second);
    Ok(Asked {
        seen: row.seen,
        index: index.map(|said| study.direction().sign() * said.value),
        suggestion: row.suggestion.clone().map(Box::new),
        seconds: row.seconds.search,
        ..study.trials.asked_at(drawn, row.origin, &study.design)
    })
}

/// The place of a recorded point, which is one of the study.
fn drawn(study: &Study, point: &Point) -> Result<Drawn> {
    let drawn = Drawn { unit: point.unit.clone(), row: point.row };
    check_place(study.domain(), &drawn)?;
    Ok(drawn)
}

/// The values of a recorded point, which is one of the study.
fn values_of(study: &Study, point: &Point) -> Result<Vec<Value>> {
    drawn(study, point)?;
    Ok(point.values.iter().map(|(_, value)| value.clone()).collect())
}

/// Takes the models that the record says were in use after what was told so far, in place of fitting
/// them again. Models that it does not name are fitted.
///
/// # Errors
/// Those of the models.
pub fn believe(study: &mut Study, suggestion: &Suggested) -> Result<()> {
    if suggestion.outcome_model.is_none() {
        return study.refit(study.setup.deadline());
    }
    let models = [suggestion.outcome_model.as_ref(), suggestion.cost_model.as_ref()];
    let Study { beliefs, setup, trials, .. } = study;
    beliefs.remodel(setup, &trials.trial_log, |belief, modeled| {
        belief.adopt(setup, modeled, models)
    })?;
    study.note_fits();
    Ok(())
}

/// The suggestions with the models behind them, by how much had been told.
pub fn models(record: &Record) -> HashMap<usize, &Suggested> {
    record.rows().iter().filter_map(|row| Some((row.seen, row.suggestion.as_ref()?))).collect()
}

/// The place of an error.
pub fn place_of(row: &Row) -> String {
    format!("trial {} of the record", row.trial)
}

impl Study {
    /// The verdict of each of these rules on the run as it stands. None while the initial design is
    /// not told.
    pub(crate) fn judge_by<'r>(
        &mut self,
        rules: impl Iterator<Item = (&'r str, &'r mut Box<dyn StopRule>)>,
    ) -> Result<Option<Vec<Verdict>>> {
        match self.without_rule(self.setup.deadline())? {
            Some(verdict) if verdict.is_stop() => {
                return Ok(Some(rules.map(|_| verdict.clone()).collect()));
            }
            Some(_) => return Ok(None),
            None => {}
        }
        self.refit(self.setup.deadline())?;
        let mut verdicts = Vec::new();
        for (name, rule) in rules {
            // Each has the time of a verdict.
            let (setup, deadline) = (&self.setup, self.setup.deadline());
            let verdict = self.beliefs.judge(setup, &self.trials, &mut **rule, None, deadline);
            verdicts.push(verdict.map_err(|error| error.at(format_args!("the rule {name:?}")))?);
        }
        Ok(Some(verdicts))
    }
}
