//! Numbers that a trial has beside its outcome, and `[limits]`: what some of them must hold.

use gittins::Space;
use gittins::study::Limit;

use super::document::{Item, Section};
use super::keys;
use super::results::place;
use crate::findings::measured::Aim;
use crate::program::candidates::Searched;
use crate::program::finder::{Finder, Form};
use crate::words::failure::Result;

/// Names that the command uses itself: of notes in a journal, and of columns of a sheet.
const TAKEN: [&str; 9] =
    ["cost", "outcome", "trial", "origin", "state", "why", "stdout", "stderr", "process"];

/// A number that is measured beside the outcome.
#[derive(Debug, Clone)]
pub struct Measure {
    /// Its name.
    pub name: String,
    /// What is wanted of it.
    pub aim: Aim,
    /// Where it is found.
    pub finder: Finder,
}

/// The numbers on which there are limits, sorted by name as a study has them.
pub fn limits(
    study: &Section<'_>,
    searched: Searched<'_>,
    outcome: &Finder,
) -> Result<Vec<Measure>> {
    let entries = study.read("limits", Item::entries)?.unwrap_or_default();
    let read = |(name, item): &(&str, Item<'_>)| limit(name, item, searched, outcome);
    let mut measures: Vec<Measure> = entries.iter().map(read).collect::<Result<_>>()?;
    measures.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(measures)
}

fn limit(name: &str, item: &Item<'_>, searched: Searched<'_>, outcome: &Finder) -> Result<Measure> {
    check_name(name, item)?;
    if searched.space.names().any(|parameter| parameter == name) {
        return Err(item.problem(
            "a parameter has this name; what must hold for values is known beforehand, and belongs to [[constraints]]",
        ));
    }
    let section = item.section(keys::LIMIT)?;
    let [most, least] = ["at_most", "at_least"].map(|key| section.read(key, Item::finite));
    let limit = match (most?, least?) {
        (Some(bound), None) => Limit::at_most(bound),
        (None, Some(bound)) => Limit::at_least(bound),
        (Some(_), Some(_)) => {
            return Err(section.problem(
                "expected either at_most or at_least, got both; the other bound needs a name of its own and the same key or pattern",
            ));
        }
        (None, None) => {
            return Err(section.problem("expected at_most or at_least, got neither"));
        }
    };
    let finder = finder(name, &section, &searched.told(), outcome)?;
    Ok(Measure { name: name.to_owned(), aim: Aim::Limit(limit), finder })
}

/// Checks that a number may have a name.
pub fn check_name(name: &str, item: &Item<'_>) -> Result<()> {
    if name.trim() != name || name.is_empty() {
        return Err(item.problem("expected a name without spaces around it"));
    }
    if TAKEN.contains(&name) {
        return Err(item.problem("the command uses this name itself: give the number another one"));
    }
    Ok(())
}

/// Where a number is found: where its section says, or by its name beside the outcome.
pub fn finder(
    name: &str,
    section: &Section<'_>,
    space: &Space,
    outcome: &Finder,
) -> Result<Finder> {
    Ok(match place(section, space)? {
        (file, Some(form)) => Finder { file, form },
        (file, None) => {
            let inside = match &outcome.form {
                Form::Key(keys) => keys[..keys.len().saturating_sub(1)].to_vec(),
                _ => Vec::new(),
            };
            let form = Form::Named { name: name.to_owned(), inside };
            Finder { file: file.or_else(|| outcome.file.clone()), form }
        }
    })
}
