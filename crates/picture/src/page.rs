//! The page. It needs no other file and has no script.

use chart::number::short;
use chart::{Panel, escaped, page_style};
use gittins::data::Direction;
use gittins::study::TrialState;

use crate::front::Fronted;
use crate::importance;
use crate::picture::Picture;
use crate::table;
use crate::trials::Trials;

/// What a browser may load for the page: nothing. Styles are in the page itself.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

impl Picture<'_> {
    /// All panels with a table of the best trials, as one page of HTML.
    pub fn page(&self) -> String {
        page(self)
    }
}

/// The page as HTML.
fn page(picture: &Picture<'_>) -> String {
    let trials = picture.trials();
    let mut html = begin(&picture.title);
    let fronted = picture.front.as_ref();
    html += &format!("<p id=\"counts\">{}</p>\n", counts(&trials, fronted));
    if let Some(verdict) = &picture.verdict {
        html += &format!("<p id=\"words\" class=\"said\">{}</p>\n", escaped(verdict));
    }
    if let Some(recommendation) = picture.recommendation {
        html += "<h2>Recommended</h2>\n";
        html += &table::recommendation(recommendation);
    }
    let panels = picture.panels_of(&trials);
    // The first four are of the study as a whole, and so is a front before them.
    let whole = 4 + usize::from(fronted.is_some());
    let (whole, others) = panels.split_at(whole.min(panels.len()));
    html += &figures("The course", whole);
    let (mixtures, parameters) = others.split_at(picture.mixtures.len().min(others.len()));
    if !mixtures.is_empty() {
        html += &figures("Mixtures", mixtures);
    }
    if !parameters.is_empty() {
        html += &of_parameters(parameters, importance::shares(&trials).as_deref());
    }
    if let Some(fronted) = fronted {
        html += "<h2>The trials on the front</h2>\n";
        html += &table::front(&trials, fronted);
    } else {
        html += "<h2>The best trials</h2>\n";
        html += &table::best(&trials);
    }
    let failed = trials.told.iter().filter_map(|told| Some((told.row.trial, told.why?.to_owned())));
    html += &table::failures(failed);
    html + "</body>\n</html>\n"
}

/// A page up to its title.
pub fn begin(title: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        page_style(),
        include_str!("page.css")
    )
}

/// Panels beside each other below a heading.
pub fn figures(heading: &str, panels: &[Panel]) -> String {
    let mut html = format!("<h2>{heading}</h2>\n<div class=\"panels\">\n");
    for panel in panels {
        html += &format!("<figure>\n{}{}</figure>\n", panel.inline(), note(panel));
    }
    html + "</div>\n"
}

/// What is said below a panel.
fn note(panel: &Panel) -> String {
    match panel.note() {
        "" => String::new(),
        words => format!("<figcaption>{}</figcaption>\n", escaped(words)),
    }
}

/// The panels of the parameters, those first that alone say most of the outcome.
fn of_parameters(panels: &[Panel], shares: Option<&[f64]>) -> String {
    let mut html = String::from("<h2>Parameters</h2>\n");
    let shares = shares.filter(|shares| shares.len() == panels.len() && panels.len() > 1);
    let order = match shares {
        Some(shares) => {
            html += "<p id=\"importance\">Those come first that alone explain most of the order of \
                     the outcomes among the trials that were made. What parameters do only \
                     together is not in that share.</p>\n";
            importance::order(shares)
        }
        None => (0..panels.len()).collect(),
    };
    html += "<div class=\"panels\">\n";
    for index in order {
        let share = shares.map_or(String::new(), |shares| {
            let percent = (100.0 * shares[index]).round();
            format!("<figcaption>explains {percent} %</figcaption>\n")
        });
        html += &format!("<figure>\n{}{share}</figure>\n", panels[index].inline());
    }
    html + "</div>\n"
}

/// Trials by their states, and what they cost.
fn counts(trials: &Trials<'_>, fronted: Option<&Fronted>) -> String {
    let goal = match trials.direction {
        _ if trials.rows.is_empty() => "",
        Direction::Minimize => "Smaller outcomes are better. ",
        Direction::Maximize => "Larger outcomes are better. ",
    };
    let states = [
        (TrialState::Complete, "complete"),
        (TrialState::Failed, "failed"),
        (TrialState::Infeasible, "infeasible"),
        (TrialState::Pending, "pending"),
        (TrialState::Withdrawn, "withdrawn"),
    ];
    let counted: Vec<String> = states
        .into_iter()
        .map(|(state, words)| (trials.count(state), words))
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    let number = match trials.rows.len() {
        0 => "No trial yet".to_owned(),
        1 => "1 trial".to_owned(),
        number => format!("{number} trials"),
    };
    let states =
        if counted.is_empty() { String::new() } else { format!(": {}", counted.join(", ")) };
    let cost = if trials.has_cost() {
        format!(" Total cost: {}.", escaped(&trials.money(trials.total, 5)))
    } else {
        String::new()
    };
    let best = trials.best().and_then(|told| Some((told.row.trial, told.outcome?)));
    let best = best.map_or(String::new(), |(trial, outcome)| {
        format!(" Best outcome: <strong>{}</strong> in trial {trial}.", short(outcome, 5))
    });
    let best = if trials.none_holds() {
        " No trial holds all limits.".to_owned()
    } else {
        fronted.map_or(best, |fronted| match fronted.trials.len() {
            1 => " <strong>1</strong> trial is on the front.".to_owned(),
            count => format!(" <strong>{count}</strong> trials are on the front."),
        })
    };
    format!("{goal}{number}{states}.{cost}{best}")
}
