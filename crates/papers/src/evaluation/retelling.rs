//! A run that is told to a study again, to ask other rules over it.

use std::collections::{BTreeSet, HashMap};
use std::iter::Peekable;
use std::slice::Iter;

use gittins::data::State;
use gittins::study::{Event, Origin, Row, TrialState};
use gittins::{Error, ErrorKind, Outcome, Record, Result, Study, Value};

/// The rows of a record that are still to be entered.
pub(super) type Rows<'r> = Peekable<Iter<'r, Row>>;

/// Checks that a record is to what the study is to, and has all that happened in it.
///
/// # Errors
/// `InvalidSetting`.
pub(super) fn check_recorded(study: &Study, record: &Record) -> Result<()> {
    let refused = |message: String| Err(Error::new(ErrorKind::InvalidSetting, message));
    if study.stages().is_some() {
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
pub(super) fn reenter(study: &mut Study, rows: &mut Rows<'_>, place: usize) -> Result<()> {
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
    let is_withdrawn = if row.origin == Origin::Imported {
        study.happens(Event::Announced { values: values_of(row) })?;
        row.state != TrialState::Pending
    } else {
        study.happens(Event::asked_as(study, row)?)?;
        row.state == TrialState::Withdrawn
    };
    let trial = row.trial.into();
    if is_withdrawn { study.happens(Event::Withdrawn { trial }) } else { Ok(()) }
}

/// Checks that a row has the parameters of the study.
fn check_names(study: &Study, row: &Row) -> Result<()> {
    let names = Vec::from_iter(row.point.values.iter().map(|(name, _)| name));
    if names.iter().copied().eq(study.names()) {
        return Ok(());
    }
    let own = study.names();
    let message = format!("its parameters {names:?} are not those of the study, {own:?}");
    Err(Error::new(ErrorKind::UnknownParameter, message))
}

fn values_of(row: &Row) -> Vec<Value> {
    row.point.values.iter().map(|(_, value)| value.clone()).collect()
}

/// Tells a trial as the record has it, or its cost alone.
///
/// # Errors
/// Naming the trial, those of the call.
pub(super) fn retell(study: &mut Study, row: &Row, cost_alone: bool) -> Result<()> {
    retell_one(study, row, cost_alone).map_err(|error| error.at(place_of(row)))
}

fn retell_one(study: &mut Study, row: &Row, cost_alone: bool) -> Result<()> {
    let trial = row.trial.into();
    if let Some(cost) = row.cost.filter(|_| cost_alone) {
        return study.happens(Event::Paid { trial, cost });
    }
    let is_new = row.trial == study.history().len();
    if is_new {
        check_names(study, row)?;
    }
    let tell = |study: &mut Study, outcome: Outcome| {
        study.happens(if is_new {
            Event::Imported { values: values_of(row), outcome }
        } else {
            Event::Told { trial, outcome }
        })
    };
    let outcome = outcome_of(row);
    // A cost that came first is in the books already. One that came later, or never, is announced
    // if it is learned: without that a study refuses the outcome, and nothing changes.
    let late = outcome.state == State::Complete && (row.cost.is_none() || row.paid > row.told);
    match tell(study, outcome.clone()) {
        Err(_) if late => tell(study, outcome.cost_later()),
        told => told,
    }
}

/// What was told. A record has no place for a trial that was not told.
fn outcome_of(row: &Row) -> Outcome {
    let mut outcome = match row.state {
        TrialState::Infeasible => Outcome::infeasible(),
        TrialState::Failed => Outcome::failed(),
        _ => Outcome::new(f64::NAN),
    };
    outcome.value = row.outcome;
    outcome.cost = row.cost.filter(|_| row.paid.is_none());
    outcome.measured.clone_from(&row.measured);
    outcome
}

/// The fits of a study, as events by how much had been told when they were made. None if something was
/// corrected or taken back: the record then tells it from the start as it was in the end.
pub(super) fn fits_of(study: &Study) -> HashMap<usize, Vec<&Event>> {
    let (mut fits, mut told) = (HashMap::<_, Vec<_>>::new(), 0);
    let (mut entered, mut heard) = (0, BTreeSet::new());
    for event in study.events() {
        match event {
            Event::Fitted { .. } => fits.entry(told).or_default().push(event),
            Event::Corrected { .. } => return HashMap::new(),
            Event::Withdrawn { trial } if heard.contains(&trial.index()) => {
                return HashMap::new();
            }
            Event::Told { trial, .. } | Event::Paid { trial, .. } => {
                heard.insert(trial.index());
            }
            Event::Imported { .. } => {
                heard.insert(entered);
            }
            _ => {}
        }
        told += usize::from(matches!(
            event,
            Event::Told { .. } | Event::Imported { .. } | Event::Paid { .. }
        ));
        entered += usize::from(matches!(
            event,
            Event::Asked { .. } | Event::Announced { .. } | Event::Imported { .. }
        ));
    }
    fits
}

/// The place of an error.
pub(super) fn place_of(row: &Row) -> String {
    format!("trial {} of the record", row.trial)
}
