//! Files that are read, files that are wrong, and the pages and the schema that speak of them.

mod bad_files;
mod known_keys;
mod objectives;
mod pages;
mod settings_page;
mod stages;
mod words;

use std::path::Path;

use gittins::study::Limit;

use super::results::TICK;
use super::stop::FAILURES;
use super::*;
use crate::program::finder::Form;

fn read(text: &str) -> Result<StudyFile> {
    StudyFile::parse(Path::new("folder/study.toml"), "study.toml", text)
}

/// A study to which lines are added; they begin in line 4.
const START: &str = "direction = \"minimize\"\n[parameters.x]\ntype = \"flag\"\n";

#[test]
fn a_file_is_read_as_it_is_meant() {
    let text = "name = \"lr\"\ndirection = \"maximize\"\nbudget = 3600\ntime_limit = \"1.5 min\"\n\
        [parameters]\nrate = { type = \"log_float\", low = 1e-5, high = 0x1 }\n\
        [parameters.net]\ntype = \"choice\"\nnames = [\"a\", \"b\"]\n\
        [parameters.alpha]\ntype = \"steps\"\nlow = 0\nhigh = 1\nstep = 0.25\n\
        when = { net = \"a\", rate = { at_least = 1e-3, at_most = 0.5 } }\n\
        [parameters.batch]\ntype = \"powers_of_two\"\nlow = 16\nhigh = 64\n\
        [[constraints]]\nterms = { rate = 1, alpha = 2 }\nat_most = 2.5\nat_least = 0.1\n\
        [stop]\ncost = 7200\ntrials = 30\ntarget = 0.9";
    let file = read(text).unwrap();
    let space = Space::new()
        .log_float("rate", 1e-5, 1.0)
        .choice("net", ["a", "b"])
        .steps("alpha", 0.0, 1.0, 0.25)
        .when("net", ["a"])
        .when_at_least("rate", 1e-3)
        .when_at_most("rate", 0.5)
        .powers_of_two("batch", 16, 64)
        .at_most([("rate", 1.0), ("alpha", 2.0)], 2.5)
        .at_least([("rate", 1.0), ("alpha", 2.0)], 0.1);
    assert_eq!(file.space, space);
    assert_eq!(file.journal, Path::new("folder/study.journal"));
    assert_eq!(file.time_limit, Some(Duration::from_secs(90)));
    let limits = Limits {
        trials: Some(30),
        cost: Some(7200.0),
        target: Some(0.9),
        maximizes: true,
        failures: FAILURES,
    };
    assert_eq!(file.limits, limits);
    assert_eq!(
        (file.name.as_deref(), file.unit.as_deref(), file.floor),
        (Some("lr"), Some("s"), Some(TICK))
    );
}

#[test]
fn limits_are_sorted_by_name_and_look_where_the_outcome_is() {
    let text = format!(
        "{START}[outcome]\nfile = \"out\"\nkey = \"valid.loss\"\n\
         [limits]\nsize = {{ at_most = 2 }}\naccuracy = {{ at_least = 0.9, key = \"a.b\" }}"
    );
    let [accuracy, size] = &read(&text).unwrap().measures[..] else { panic!("expected two") };
    assert_eq!(
        (accuracy.name.as_str(), accuracy.aim),
        ("accuracy", Aim::Limit(Limit::at_least(0.9)))
    );
    assert!(accuracy.finder.file.is_none());
    assert!(matches!(&accuracy.finder.form, Form::Key(keys) if *keys == ["a", "b"]));
    assert_eq!((size.name.as_str(), size.aim), ("size", Aim::Limit(Limit::at_most(2.0))));
    assert!(size.finder.file.is_some());
    let Form::Named { name, inside } = &size.finder.form else { panic!("{:?}", size.finder) };
    assert_eq!((name.as_str(), &inside[..]), ("size", &["valid".to_owned()][..]));
}
