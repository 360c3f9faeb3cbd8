//! The trials of a study by items, by what is believed of their means.

use gittins::journal::Journal;
use picture::{Believed, believed, foremost};
use serde_json::{Value as Json, json};

use crate::words::show::{
    add_label, digits, in_line, money, named, number, number_of, values_json,
};
use crate::words::table::{MARGIN, aligned, cell};

/// Rows of the table for a person.
const MOST: usize = 10;

/// Adds them to what is said of a study, if its trials are means of items and some have reported. A
/// program gets all of them, and a person the best.
pub fn add(journal: &Journal, json: &mut Json, text: &mut String) {
    let all = believed(journal.study());
    if !all.is_empty() {
        json["ranking"] = all.iter().map(|one| object(journal, one)).collect();
        *text += &format!("\n{}", table(journal, &all));
    }
}

fn object(journal: &Journal, one: &Believed<'_>) -> Json {
    let mut object = json!({
        "trial": number_of(journal, one.trial.id), "items": one.items, "mean": one.mean, "sd": one.sd,
        "cost": one.trial.cost.unwrap_or(0.0), "values": values_json(named(journal.study(), one.trial)),
    });
    add_label(&mut object, journal.study(), one.trial.row);
    object
}

fn table(journal: &Journal, all: &[Believed<'_>]) -> String {
    let study = journal.study();
    let label = |one: &Believed<'_>| study.domain().label(one.trial.row).map(in_line);
    let labels = all.iter().any(|one| label(one).is_some()).then_some("label");
    let head = ["trial", "items", "expected", "+-", "cost"].into_iter().chain(labels);
    let head = head.map(str::to_owned);
    let row = |one: &Believed<'_>| {
        let numbers = [
            number_of(journal, one.trial.id).to_string(),
            number(one.items),
            digits(one.mean, 4),
            one.sd.map_or_else(|| "-".to_owned(), |sd| digits(sd, 2)),
            money(one.trial.cost.unwrap_or(0.0), study.cost_unit()),
        ];
        let label = labels.map(|_| label(one).unwrap_or_default());
        numbers.into_iter().chain(label).chain(one.trial.values.iter().map(cell)).collect()
    };
    let mut rows = vec![head.chain(study.names().iter().map(|name| in_line(name))).collect()];
    rows.extend(foremost(all, MOST).iter().map(row));
    let table = aligned("ranking", &rows);
    match all.len().saturating_sub(MOST) {
        0 => table,
        more => format!("{table}\n{:MARGIN$}{more} more: --json has all", ""),
    }
}
