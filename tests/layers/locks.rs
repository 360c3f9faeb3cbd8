//! The three workspaces have the same versions of what all of them need, and the same lints.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The packages of a lock: by name and what Cargo takes to be compatible, the version.
fn packages(text: &str) -> BTreeMap<(&str, &str), &str> {
    let mut found = BTreeMap::new();
    for package in text.split("[[package]]").skip(1) {
        let of = |key| package.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        let name = of("name = ").trim_matches('"');
        let version = of("version = ").trim_matches('"');
        let digits = if version.starts_with("0.") { 2 } else { 1 };
        let end = version.match_indices('.').nth(digits - 1).map_or(version.len(), |dot| dot.0);
        found.insert((name, &version[..end]), version);
    }
    found
}

#[test]
fn workspaces_are_locked_to_the_same_versions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lock = |folder: &str| fs::read_to_string(root.join(folder).join("Cargo.lock")).unwrap();
    let own = lock("");
    let own = packages(&own);
    for folder in ["evidence", "python"] {
        let other = lock(folder);
        let other = packages(&other);
        let apart = |(key, version): (&(&str, &str), &&str)| {
            let ours = own.get(key).filter(|ours| *ours != version)?;
            Some(format!("{folder}/Cargo.lock: {} {version}, here {ours}", key.0))
        };
        let wrong: Vec<String> = other.iter().filter_map(apart).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(own.keys().filter(|key| other.contains_key(*key)).count() > 100);
    }
}

#[test]
fn workspaces_have_the_same_lints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lints = |folder: &str| {
        let text = fs::read_to_string(root.join(folder).join("Cargo.toml")).unwrap();
        let (_, lints) = text.split_once("lints.clippy]\n").unwrap();
        lints.lines().take_while(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(lints("").contains(&"similar_names = \"allow\"".to_owned()));
    for folder in ["evidence", "python"] {
        assert_eq!(lints(folder), lints(""), "{folder}");
    }
}
