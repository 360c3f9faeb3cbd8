//! The page of settings and calls against what it speaks of.

use std::collections::BTreeSet;

use gittins::Policy;
use gittins::named::{Entry, Key, Shape};
use gittins::stop::NamedRule;
use gittins::study::StudySpec;
use serde_json::Value;

use crate::file::keys;

const PAGE: &str = include_str!("../../../../../docs/settings.md");
/// The public interface of the library.
const API: &str = include_str!("../../../../../docs/api.txt");
/// A file of a study.
const JOURNAL: &str = include_str!("../../../../../tests/journal/files/settings.log");

/// The cells of the rows of a section's table, by the title of the column.
fn column(section: &str, title: &str) -> Vec<&'static str> {
    let (_, rest) = PAGE.split_once(&format!("\n## {section}\n")).unwrap();
    let rows = rest.split("\n## ").next().unwrap().lines().filter(|line| line.starts_with("| "));
    let cells =
        |line: &'static str| Vec::from_iter(line.trim_matches('|').split('|').map(str::trim));
    let rows: Vec<Vec<&str>> = rows.map(cells).collect();
    let at = rows[0].iter().position(|name| *name == title).unwrap();
    rows[2..].iter().map(|row| row[at]).collect()
}

/// What stands in code on cells.
fn codes(cells: &[&'static str]) -> BTreeSet<&'static str> {
    cells.iter().flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

fn names(known: &[Key]) -> BTreeSet<&'static str> {
    known.iter().map(|key| key.name).collect()
}

/// The methods of a type, as far as they change it or consume it.
fn methods(of: &str, receiver: &str) -> BTreeSet<&'static str> {
    let begin = format!("pub fn {of}::");
    let lines = API.lines().filter(|line| line.contains(receiver));
    lines.filter_map(|line| line.strip_prefix(&begin)?.split(['(', '<']).next()).collect()
}

#[test]
fn the_page_has_the_settings_of_rust_and_json() {
    let json = codes(&column("Settings", "JSON"));
    assert_eq!(json, names(StudySpec::KEYS));
    let mut setters = methods("gittins::study::StudyBuilder", "(mut self");
    setters.extend(methods("gittins::study::StudyBuilder", "(self"));
    for end in ["build", "resume"] {
        setters.remove(end);
    }
    let rust = codes(&column("Settings", "Rust"));
    let rust: BTreeSet<&str> =
        rust.into_iter().filter(|name| !name.starts_with(char::is_uppercase)).collect();
    assert_eq!(rust, setters);
    // The parts of a setting are in the text below the table.
    for key in StudySpec::KEYS {
        if let Shape::Keys(parts) = key.shape {
            let missing = parts.iter().find(|part| !PAGE.contains(&format!("`{}`", part.name)));
            assert_eq!(missing, None, "{}", key.name);
        }
    }
}

#[test]
fn each_place_in_study_toml_is_one_and_each_setting_of_it_is_on_the_page() {
    let places = codes(&column("Settings", "study.toml"));
    let key = |table: &'static [Key], name: &str| {
        table.iter().find(|key| key.name == name).copied().unwrap_or_else(|| panic!("{name}"))
    };
    for place in &places {
        let parts: Vec<&str> = place.split('.').collect();
        let found = key(keys::STUDY, parts[0]);
        match (found.shape, parts.get(1)) {
            (Shape::Keys(table), Some(part)) => drop(key(table, part)),
            (_, part) => assert_eq!(part, None, "{place}"),
        }
    }
    let is_set = |key: &&Key| {
        StudySpec::KEYS.iter().any(|known| known.name == key.name && known.shape == key.shape)
    };
    for key in keys::STUDY.iter().filter(is_set) {
        assert!(places.contains(key.name), "{}", key.name);
    }
    for key in keys::ENGINE {
        assert!(places.contains(format!("engine.{}", key.name).as_str()), "{}", key.name);
    }
    let toml = PAGE.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    super::read(toml).unwrap();
}

#[test]
fn the_page_has_what_a_file_keeps() {
    let line: Value = serde_json::from_str(JOURNAL.lines().nth(1).unwrap()).unwrap();
    let kept = line["system_attr"]["gittins:settings"].as_object().unwrap();
    let page = codes(&column("Settings", "journal"));
    for key in kept.keys() {
        assert!(page.contains(key.as_str()), "{key}");
    }
}

/// The row of a named thing.
fn row<T>(entry: &Entry<T>) -> String {
    let number = |key: &Key| match key.usual {
        Some(usual) => format!("`{}` ({usual})", key.name),
        None if key.needed => format!("`{}`", key.name),
        None => format!("`{}` (the policy's)", key.name),
    };
    let numbers = Vec::from_iter(entry.keys.iter().map(number)).join(", ");
    let numbers = if numbers.is_empty() { numbers } else { format!("{numbers} ") };
    format!("| `{}` | {numbers}|\n", entry.name)
}

#[test]
fn the_page_has_the_names_of_policies_and_rules() {
    gittins_papers::register();
    for (section, rows) in [
        ("Policies by name", Vec::from_iter(Policy::entries().iter().map(row))),
        ("Stopping rules by name", Vec::from_iter(NamedRule::entries().iter().map(row))),
    ] {
        assert_eq!(column(section, "name").len(), rows.len());
        assert_eq!(rows.iter().find(|row| !PAGE.contains(*row)), None, "in docs/settings.md");
    }
}

#[test]
fn the_page_has_each_call() {
    for (title, kind) in [("Study", "gittins::Study"), ("File", "gittins::journal::Journal")] {
        let page = codes(&column("Calls", title));
        // A file of trials in stages has a type of its own.
        let notes = BTreeSet::from(["note", "report", "note_report", "advise"]);
        for call in methods(kind, "(&mut self").difference(&notes) {
            assert!(page.contains(call), "{kind}::{call} is not on the page");
        }
        for call in page {
            let begin = format!("pub fn {kind}::{call}");
            assert!(
                API.contains(&format!("{begin}(")) || API.contains(&format!("{begin}<")),
                "{begin}"
            );
        }
    }
}
