//! The rules by their names, in settings and in a journal, before and after they are registered.

use std::fs;

use gittins::journal::Journal;
use gittins::stop::NamedRule;
use gittins::{ErrorKind, Outcome, Space, Study};
use gittins_papers::register;

/// Alone in this binary to speak of names, which count for the whole process.
#[test]
fn a_name_and_a_journal_that_has_it_are_known_once_it_is_registered() {
    let settings = |name: &str| {
        let space = Space::new().float("x", 0.0, 1.0);
        Study::minimize(space).initial(2).stop(NamedRule::new(name, &[]))
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.log");
    let mut journal = Journal::open(&path, settings("stall")).unwrap();
    for outcome in [3.0, 1.0, 2.0] {
        let ask = journal.ask().unwrap();
        journal.tell(ask.id(), Outcome::new(outcome)).unwrap();
    }
    drop(journal);
    // As a program writes it that knows the rule.
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"stall\""), "{text}");
    fs::write(&path, text.replace("\"stall\"", "\"global_window\"")).unwrap();
    let says = "the stopping rule \"global_window\" is in the crate gittins-papers, and known after \
                gittins_papers::register()";
    for error in [
        settings("global_window").build().unwrap_err(),
        Journal::resume(&path).map(drop).unwrap_err(),
        Journal::open(&path, settings("global_window")).map(drop).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidSetting);
        assert!(error.to_string().ends_with(says), "{error}");
    }
    let misspelt = settings("global_windo").build().unwrap_err();
    assert!(!misspelt.to_string().contains("global_window"), "{misspelt}");
    register();
    register();
    let names = Vec::from_iter(NamedRule::entries().iter().map(|rule| rule.name));
    let known = [
        "gittins",
        "gittins_before",
        "confidence_gap",
        "improvement_median",
        "regret_gap",
        "regret_probability",
        "regret_frequency",
        "expected_improvement",
        "probability_of_improvement",
        "knowledge_gradient",
        "stall",
        "global_window",
        "trial_limit",
        "spending_limit",
    ];
    assert_eq!(names, known);
    let misspelt = settings("global_windo").build().unwrap_err();
    assert!(misspelt.to_string().ends_with("did you mean \"global_window\"?"), "{misspelt}");
    let mut journal = Journal::resume(&path).unwrap();
    assert_eq!(journal.verdict().unwrap().reason().rule, "global stopping strategy");
    drop(journal);
    assert_eq!(Journal::open(&path, settings("global_window")).unwrap().study().counts().told, 3);
}
