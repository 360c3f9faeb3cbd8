//! The page about the command, and the example.

use gittins::Policy;

use super::{START, read};
use crate::file::keys;

/// The blocks of TOML on a page.
fn blocks(page: &str) -> Vec<&str> {
    page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_files_on_the_pages_are_read() {
    let page = include_str!("../../../../../docs/command.md");
    let [first, condition, constraint, limits, objectives, stages] = blocks(page)[..] else {
        panic!("expected six blocks")
    };
    read(first).unwrap();
    assert_eq!(read(&format!("{START}{limits}")).unwrap().measures.len(), 3);
    let limited = read(include_str!("../../../../../examples/svm_limited.toml")).unwrap();
    assert_eq!(limited.measures[0].name, "support_vectors");
    let fronted = read(&format!("{START}{objectives}")).unwrap();
    assert_eq!(fronted.measures.len(), 2);
    let fronted = read(include_str!("../../../../../examples/svm_front.toml")).unwrap();
    assert_eq!(fronted.measures[0].name, "support_vectors");
    assert!(read(stages).unwrap().stages.is_some());
    let parents = "[parameters.kernel]\ntype = \"choice\"\nnames = [\"rbf\", \"linear\"]\n\
        [parameters.depth]\ntype = \"int\"\nlow = 1\nhigh = 9\n";
    read(&format!("{START}{parents}{condition}")).unwrap();
    let parts = ["water", "salt"]
        .map(|name| format!("[parameters.{name}]\ntype = \"float\"\nlow = 0\nhigh = 1\n"));
    read(&format!("{START}{}{constraint}", parts.concat())).unwrap();
    let stages = read(include_str!("../../../../../examples/stages/study.toml")).unwrap();
    assert!(stages.stages.is_some());
    // The README shows the example, a little shorter.
    let example = read(include_str!("../../../../../examples/svm.toml")).unwrap();
    let [shown] = blocks(include_str!("../../../../../README.md"))[..] else {
        panic!("expected one")
    };
    let shown = read(shown).unwrap();
    assert_eq!((shown.space, shown.price), (example.space, example.price));
    assert_eq!(shown.command, example.command);
}

#[test]
fn the_page_has_each_key_policy_and_type() {
    let page = include_str!("../../../../../docs/command.md");
    let tables = [
        keys::STUDY,
        keys::OUTCOME,
        keys::COST,
        keys::STOP,
        keys::CONSTRAINT,
        keys::LIMIT,
        keys::OBJECTIVE,
    ];
    let tables = tables.into_iter().chain([keys::ENGINE, keys::STAGES]);
    let names = tables.flatten().map(|key| key.name);
    let policies = Policy::entries().iter().map(|entry| entry.name);
    for name in names.chain(policies).chain(keys::TYPES.iter().copied()) {
        let known = [
            format!("`{name}`"),
            format!("`{name} = "),
            format!(" {name} = "),
            format!("\n{name} = "),
            format!("[{name}]"),
            format!("[{name}."),
        ];
        assert!(
            known.iter().any(|text| page.contains(text)),
            "docs/command.md has no word on {name}"
        );
    }
}
