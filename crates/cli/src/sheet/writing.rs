//! Trials as a sheet.

use std::io::Write;

use gittins::journal::Journal;
use gittins::{Study, Trial};

use super::{cell, column};
use crate::findings::findings::why;
use crate::findings::measured;
use crate::words::show;

/// Writes all trials of a study: a row for each, and in stages a row for each report.
///
/// # Errors
/// It cannot be written.
pub fn write(journal: &Journal, out: impl Write) -> csv::Result<()> {
    let study = journal.study();
    let in_stages = study.stages().is_some();
    let mut sheet = csv::Writer::from_writer(out);
    sheet.write_record(header(study))?;
    for trial in study.history() {
        let origin = (!in_stages).then(|| trial.origin.name().to_owned());
        let first = [show::number_of(journal, trial.id).to_string()].into_iter().chain(origin);
        let first = first.chain([trial.state.name().to_owned()]);
        let first: Vec<String> = first.chain(trial.values.iter().map(cell::text)).collect();
        let why = why(journal, trial).unwrap_or_default();
        for results in if in_stages { reports(trial) } else { vec![results(study, trial)] } {
            sheet.write_record(first.iter().chain(&results).chain([&why]))?;
        }
    }
    sheet.flush().map_err(csv::Error::from)
}

/// The names of the columns.
fn header(study: &Study) -> Vec<String> {
    let in_stages = study.stages().is_some();
    let fixed: &[&str] = if in_stages { &column::FIXED_OF_STAGES } else { &column::FIXED };
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let mut header: Vec<String> = owned(if in_stages { &fixed[..2] } else { &column::BEFORE });
    header.extend(study.names().iter().map(|name| column::of_parameter(name, fixed)));
    if in_stages {
        header.extend(owned(&fixed[2..]));
        return header;
    }
    let names = study.names();
    let of_measured =
        |(name, _)| column::of_measured(name, fixed, names.iter().map(String::as_str));
    header.push(column::OUTCOME.to_owned());
    header.extend(measured::aims(study).map(of_measured));
    header.extend(owned(&[column::COST, column::WHY]));
    header
}

/// The result of a whole trial.
fn results(study: &Study, trial: &Trial) -> Vec<String> {
    let measured = measured::of(study, &trial.measured).map(|one| one.number);
    let numbers = [trial.outcome].into_iter().chain(measured).chain([trial.cost]);
    numbers.map(|number| number.map_or_else(String::new, show::exact)).collect()
}

/// The reports of a trial; one without any number if there is none. Behind each stands what the
/// trial has cost in all: also what was spent on it after its last report, if it failed.
fn reports(trial: &Trial) -> Vec<Vec<String>> {
    let paid = || show::exact(trial.cost.unwrap_or(0.0));
    let reports = trial.reports.iter().map(|report| {
        let numbers = [report.progress, report.outcome, report.cost].map(show::exact);
        numbers.into_iter().chain([paid()]).collect()
    });
    let none = || vec![String::new(), String::new(), String::new(), paid()];
    if trial.reports.is_empty() { vec![none()] } else { reports.collect() }
}
