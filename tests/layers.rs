//! The import order, read from the sources: a module uses only what stands to its left, and no two
//! files use each other.

mod circles;
mod code;
mod glossary;
mod house;
mod locks;
mod modules;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use circles::circles;
use code::without_tests;
use modules::{Imports, Modules};

/// The modules in flow order.
const FLOW: [&str; 15] = [
    "error",
    "named",
    "math",
    "data",
    "model",
    "posterior",
    "acquisition",
    "backend",
    "maximize",
    "surrogate",
    "suggest",
    "stop",
    "study",
    "journal",
    "internals",
];

/// What a module may use besides itself.
fn allowed(module: &str) -> Vec<&'static str> {
    let place = FLOW
        .iter()
        .position(|name| *name == module)
        .unwrap_or_else(|| panic!("{module} has no place in the flow"));
    FLOW[..place].to_vec()
}

/// Types and the files of their builders. A type may return its builder, which makes the type.
const BUILDERS: [(&str, &str); 2] =
    [("study/study.rs", "study/settings/builder.rs"), ("journal/journal.rs", "journal/options.rs")];

/// All files with an ending below a folder.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let below = paths.flat_map(|path| match path.extension() {
        _ if path.is_dir() => files(&path, ending),
        Some(own) if own == ending => vec![path],
        _ => Vec::new(),
    });
    below.collect()
}

/// Every module that a source names after `crate::`, in its tests too.
fn named(file: &str, text: &str) -> Vec<String> {
    let code = syn::parse_file(text).unwrap();
    Modules::read([(file, code)]).below_root().into_iter().map(str::to_owned).collect()
}

#[test]
fn each_module_uses_only_what_stands_to_its_left() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for file in &files(&root, "rs") {
        let inside = file.strip_prefix(&root).unwrap();
        let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        if matches!(module, "lib" | "bin" | "main") {
            continue;
        }
        *seen.entry(module.to_owned()).or_default() += 1;
        let allowed = allowed(module);
        for used in named(first, &fs::read_to_string(file).unwrap()) {
            if used != module && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{}: crate::{used}", inside.display()));
            }
        }
    }
    assert!(FLOW.iter().all(|module| seen.contains_key(*module)), "{seen:?}");
    assert!(wrong.is_empty(), "against the flow: {wrong:#?}");
}

#[test]
fn imports_are_read_in_all_their_forms() {
    let text = "use crate::data::{Points, crate_like};\n\
                use crate::{math, model::{Fit, kernel}, stop};\n\
                // use crate::study;\nfn f() { crate::backend::f(vec![crate::error::E]) }\n\
                #[cfg(test)] mod tests { fn f(x: crate::suggest::X) {} }";
    assert_eq!(
        named("a.rs", text),
        ["backend", "data", "error", "math", "model", "stop", "suggest"]
    );
}

/// The imports between the files below a crate's root, without those of `apart`.
fn imports_below(root: &Path, apart: &[PathBuf]) -> Imports {
    let mut files = files(root, "rs");
    files.retain(|file| !apart.iter().any(|apart| file.starts_with(apart)));
    let parsed = files.iter().map(|file| {
        let inside = file.strip_prefix(root).unwrap().to_str().unwrap();
        (inside, without_tests(&fs::read_to_string(file).unwrap()))
    });
    Modules::read(parsed).imports()
}

/// The folders below which the other crates of this repository have their sources. A program with a
/// folder of its own is a crate.
fn other_roots() -> Vec<PathBuf> {
    let folders = |folder: PathBuf| -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
    };
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut crates = ["crates", "evidence"].map(|folder| folders(here.join(folder))).concat();
    crates.push(here.join("python"));
    let mut roots = Vec::new();
    for one in crates {
        roots.extend(folders(one.join("src/bin")));
        roots.push(one.join("src"));
    }
    roots
}

/// The circle, import by import.
fn describe(circle: &BTreeSet<&str>, imports: &Imports) -> String {
    let mut lines = vec![format!("a circle of {} files", circle.len())];
    for ((from, to), names) in imports {
        if circle.contains(from.as_str()) && circle.contains(to.as_str()) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            lines.push(format!("  {from} uses {to}: {}", names.join(", ")));
        }
    }
    lines.join("\n")
}

/// The circles of files that import each other, in words.
fn all_circles(imports: &Imports) -> Vec<String> {
    let found = circles(imports.keys().map(|(from, to)| (from.as_str(), to.as_str())));
    found.iter().map(|circle| describe(circle, imports)).collect()
}

#[test]
fn no_two_files_use_each_other() {
    let mut imports = imports_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &[]);
    for (of, builder) in BUILDERS {
        let exempt = imports.remove(&(of.to_owned(), builder.to_owned()));
        assert!(exempt.is_some(), "{of} does not use {builder}");
    }
    let all = all_circles(&imports);
    assert!(all.is_empty(), "files that import each other:\n{}", all.join("\n"));
}

#[test]
fn no_two_files_of_another_crate_use_each_other() {
    let roots = other_roots();
    assert!(roots.len() > 10, "{roots:?}");
    let mut all = Vec::new();
    for root in &roots {
        let apart: Vec<PathBuf> = roots
            .iter()
            .filter(|other| *other != root && other.starts_with(root))
            .cloned()
            .collect();
        for circle in all_circles(&imports_below(root, &apart)) {
            all.push(format!("{}: {circle}", root.display()));
        }
    }
    assert!(all.is_empty(), "files that import each other:\n{}", all.join("\n"));
}
