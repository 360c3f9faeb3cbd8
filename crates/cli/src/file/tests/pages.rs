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
    let [short] = blocks(include_str!("../../../../../docs/first.md"))[..] else {
        panic!("expected one")
    };
    assert!(read(short).unwrap().command.is_some());
    let parents = "[parameters.kernel]\ntype = \"choice\"\nnames = [\"rbf\", \"linear\"]\n\
        [parameters.depth]\ntype = \"int\"\nlow = 1\nhigh = 9\n";
    read(&format!("{START}{parents}{condition}")).unwrap();
    let parts = ["water", "salt", "talc", "chalk", "silica"]
        .map(|name| format!("[parameters.{name}]\ntype = \"float\"\nlow = 0\nhigh = 1\n"));
    read(&format!("{START}{}{constraint}", parts.concat())).unwrap();
    let stages = read(include_str!("../../../../../examples/stages/study.toml")).unwrap();
    assert!(stages.stages.is_some());
    let [formulation] = blocks(include_str!("../../../../../docs/formulation.md"))[..] else {
        panic!("expected one")
    };
    assert_eq!(read(formulation).unwrap().space.constraints().len(), 3);
    let items = read(include_str!("../../../../../examples/items/study.toml")).unwrap();
    // The second one is of a table, whose file a test of the command writes.
    let [shown, _] = blocks(include_str!("../../../../../docs/items.md"))[..] else {
        panic!("expected two")
    };
    let shown = read(shown).unwrap();
    assert_eq!((shown.space, shown.command), (items.space, items.command));
    assert_eq!(items.stages.unwrap().total(), 800.0);
    // The README shows the example, a little shorter.
    let example = read(include_str!("../../../../../examples/svm.toml")).unwrap();
    let [shown] = blocks(include_str!("../../../../../README.md"))[..] else {
        panic!("expected one")
    };
    let shown = read(shown).unwrap();
    assert_eq!((shown.space, shown.price), (example.space, example.price));
    assert_eq!(shown.command, example.command);
}

/// Both that `gittins init` writes, as they stand and with each choice taken that is left out.
#[test]
fn a_file_to_fill_in_is_read_with_each_choice_in_it() {
    let trials = include_str!("../../actions/study.toml");
    let stages = include_str!("../../actions/stages.toml");
    let read = |text: &str| {
        let file = read(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert!(file.ends() && file.command.is_some(), "{text}");
        file
    };
    assert!(read(trials).stages.is_none() && read(stages).stages.is_some());
    for text in [trials, stages] {
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        // A table that is left out comes with one of its keys.
        let mut table = "";
        let mut count = 0;
        for line in text.lines() {
            let Some(line) = line.strip_prefix("# ") else {
                table = "";
                continue;
            };
            if line.starts_with('[') {
                table = line;
            }
            let names = ["budget", "price", "pattern", "key", "from", "latency_ms", "target"];
            if !names.iter().any(|name| line.starts_with(&format!("{name} = "))) {
                continue;
            }
            count += 1;
            let taken = format!("\n{line}");
            let with = text.replace(&format!("\n# {line}"), &taken);
            let with = match table {
                "" => with,
                table => with.replace(&format!("# {table}\n"), &format!("{table}\n")),
            };
            let keys = ["progress", "outcome"].map(|key| format!("{key} = "));
            let kept = with.lines().filter(|line| {
                // In place of others.
                let is_other = taken.starts_with("\npattern") && text == stages;
                !(is_other && keys.iter().any(|key| line.starts_with(key.as_str())))
            });
            read(&kept.collect::<Vec<_>>().join("\n"));
        }
        assert_eq!(count, if text == trials { 6 } else { 3 });
    }
}

#[test]
fn the_page_has_each_key_policy_and_type() {
    let page = include_str!("../../../../../docs/command.md");
    let tables = [
        keys::STUDY,
        keys::OUTCOME,
        keys::COST,
        keys::STOP,
        keys::TABLE,
        keys::SUM,
        keys::CARDINALITY,
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
