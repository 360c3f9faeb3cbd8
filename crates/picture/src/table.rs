//! Tables of the page.

use chart::number::short;
use chart::{escaped, fitted};
use gittins::Value;
use gittins::study::Recommendation;

use crate::front::Fronted;
use crate::trials::{Told, Trials};

/// Rows of the table of trials.
const BEST: usize = 10;

/// Rows of the table of those that failed.
const FAILED: usize = 10;

/// A value for a person.
fn text(value: &Value) -> String {
    match value {
        Value::Float(number) => short(*number, 6),
        Value::Name(name) => brief(name),
        Value::Absent => "absent".to_owned(),
        _ => value.to_string(),
    }
}

/// The same as a cell.
fn cell(value: &Value) -> String {
    let class = match value {
        Value::Float(_) | Value::Int(_) => " class=\"number\"",
        Value::Absent => " class=\"soft\"",
        _ => "",
    };
    format!("<td{class}>{}</td>", text(value))
}

/// A name that is not too long for a table, with all of it under the pointer if it is.
fn brief(name: &str) -> String {
    match fitted(name, 1.0, 30.0) {
        cut if cut == name => escaped(name),
        cut => {
            let whole: String = name.chars().take(2000).collect();
            format!("<span title=\"{}\">{}</span>", escaped(&whole), escaped(&cut))
        }
    }
}

fn number_cell(number: Option<f64>) -> String {
    let text = number.map_or(String::new(), |number| short(number, 7));
    format!("<td class=\"number\">{text}</td>")
}

/// The complete trials with the best outcomes.
pub fn best(trials: &Trials<'_>) -> String {
    let ranked = trials.ranked();
    listed("best", trials, &ranked[..ranked.len().min(BEST)], &[])
}

/// The trials on the front, those with the best outcomes first.
pub fn front(trials: &Trials<'_>, fronted: &Fronted) -> String {
    let mut ranked = trials.ranked();
    ranked.retain(|told| fronted.trials.contains(&told.row.trial));
    if ranked.is_empty() && !trials.none_holds() {
        return "<p>No trial is on the front yet.</p>\n".to_owned();
    }
    let names: Vec<&str> = fronted.goals.iter().map(|goal| goal.name.as_str()).collect();
    listed("front", trials, &ranked, &names)
}

/// Trials with their outcomes, their numbers of these names, costs and values.
fn listed(id: &str, trials: &Trials<'_>, ranked: &[&Told<'_>], names: &[&str]) -> String {
    if trials.none_holds() {
        return "<p>No trial holds all limits.</p>\n".to_owned();
    }
    let Some(first) = trials.rows.first().filter(|_| !ranked.is_empty()) else {
        return "<p>No trial is complete yet.</p>\n".to_owned();
    };
    let priced = trials.has_cost();
    let mut html = format!(
        "<p class=\"hint\">The table goes on to the right.</p>\n<div class=\"wide\" tabindex=\"0\"><table id=\"{id}\">\n<thead><tr><th class=\"number\">trial</th><th class=\"number\">outcome</th>",
    );
    for name in names {
        html += &format!("<th class=\"number\">{}</th>", brief(name));
    }
    if priced {
        html += &format!("<th class=\"number\">{}</th>", escaped(&trials.in_unit("cost")));
    }
    let is_labeled = ranked.iter().any(|told| told.row.point.label.is_some());
    if is_labeled {
        html += "<th>label</th>";
    }
    for (index, (name, _)) in first.point.values.iter().enumerate() {
        let numeric = ranked
            .iter()
            .filter_map(|told| told.row.point.values.get(index))
            .any(|(_, value)| matches!(value, Value::Float(_) | Value::Int(_)));
        let class = if numeric { " class=\"number\"" } else { "" };
        html += &format!("<th{class}>{}</th>", brief(name));
    }
    html += "<th>from</th></tr></thead>\n<tbody>\n";
    for told in ranked {
        html += &format!("<tr><td class=\"number\">{}</td>", told.row.trial);
        html += &number_cell(told.outcome);
        for name in names {
            html += &number_cell(told.row.measured.get(name));
        }
        if priced {
            html += &number_cell(told.row.cost);
        }
        if is_labeled {
            html += &format!("<td>{}</td>", brief(told.row.point.label.as_deref().unwrap_or("")));
        }
        for (_, value) in &told.row.point.values {
            html += &cell(value);
        }
        html += &format!("<td>{}</td></tr>\n", told.row.origin);
    }
    html + "</tbody></table></div>\n"
}

/// Why the last trials failed of which that is known; nothing if there is none.
pub fn failures(told: impl DoubleEndedIterator<Item = (usize, String)>) -> String {
    let mut left_out = 0;
    let mut rows = Vec::new();
    for (trial, why) in told.rev() {
        if rows.len() == FAILED {
            left_out += 1;
            continue;
        }
        rows.push(format!(
            "<tr><td class=\"number\">{trial}</td><td>{}</td></tr>\n",
            escaped(&why)
        ));
    }
    if rows.is_empty() {
        return String::new();
    }
    let more = match left_out {
        0 => String::new(),
        count => format!("<p>{count} more before these.</p>\n"),
    };
    format!(
        "<h2>Why trials failed</h2>\n<table id=\"failures\">\n<thead><tr><th class=\"number\">trial</th><th>why</th></tr></thead>\n<tbody>\n{}</tbody></table>\n{more}",
        rows.concat()
    )
}

/// What to use.
pub fn recommendation(recommendation: &Recommendation) -> String {
    let Recommendation { trial, outcome, .. } = recommendation;
    let mut html = format!(
        "<p id=\"recommendation\">{}: {}, was {}.</p>\n<dl>\n",
        escaped(&trial.to_string()),
        escaped(&recommendation.expected()),
        short(*outcome, 5)
    );
    for (name, value) in recommendation.named().filter(|(_, value)| **value != Value::Absent) {
        html += &format!("<div><dt>{}</dt><dd>{}</dd></div>\n", brief(name), text(value));
    }
    html + "</dl>\n"
}
