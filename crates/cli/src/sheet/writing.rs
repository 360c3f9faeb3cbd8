//! Trials as a sheet.

use std::io::Write;

use gittins::journal::Journal;

use super::{cell, column};
use crate::measured;
use crate::show;
use crate::show::WHY;

/// Writes all trials of a study whose parameters have these names.
///
/// # Errors
/// It cannot be written.
pub fn write(journal: &Journal, names: &[String], out: impl Write) -> csv::Result<()> {
    let study = journal.study();
    let mut sheet = csv::Writer::from_writer(out);
    let of_parameter = |name: &String| column::of_parameter(name, &column::FIXED);
    let of_measured =
        |(name, _)| column::of_measured(name, &column::FIXED, names.iter().map(String::as_str));
    sheet.write_record(
        column::BEFORE
            .map(str::to_owned)
            .into_iter()
            .chain(names.iter().map(of_parameter))
            .chain([column::OUTCOME.to_owned()])
            .chain(measured::aims(study).map(of_measured))
            .chain([column::COST, column::WHY].map(str::to_owned)),
    )?;
    for trial in study.history() {
        let number = |value: Option<f64>| value.map_or_else(String::new, show::exact);
        let values = trial.values.iter().map(cell::text);
        let first = [
            show::number_of(journal, trial.id).to_string(),
            trial.origin.name().to_owned(),
            trial.state.name().to_owned(),
        ];
        let why = journal.notes(trial.id).get(WHY).cloned().unwrap_or_default();
        let measured = measured::of(study, &trial.measured).map(|one| number(one.number));
        let results = [number(trial.outcome)].into_iter().chain(measured);
        let results = results.chain([number(trial.cost), why]);
        sheet.write_record(first.into_iter().chain(values).chain(results))?;
    }
    sheet.flush().map_err(csv::Error::from)
}
