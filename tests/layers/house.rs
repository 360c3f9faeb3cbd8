//! The size of the house: numbers that may only fall, read from the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use super::circles::circles;
use super::code::{after_group, tokens};
use super::modules::Imports;
use super::{imports_below, sources};

/// Where the numbers stand, one a line.
const HOUSE: &str = "tests/layers/house.txt";

/// Functions with more lines than this are counted.
const LONG: usize = 60;

/// Words that the glossary of CONTRIBUTING.md does not want in a name of the interface.
const FORBIDDEN: [&str; 4] = ["enter", "lambda", "dear", "bill"];

/// What one source has of each thing that is counted.
#[derive(Default)]
struct Counts {
    lines: usize,
    crate_wide: usize,
    long_functions: usize,
    packed: usize,
    /// Fields of each struct.
    fields: BTreeMap<String, usize>,
    /// Methods of each type.
    methods: BTreeMap<String, usize>,
}

/// Reads a source; test code counts for its lines alone.
fn count(text: &str) -> Counts {
    let words = tokens(text);
    let mut counts = Counts { lines: text.lines().count(), ..Counts::default() };
    let mut at = 0;
    while at < words.len() {
        match words[at] {
            "pub" if words[at..].starts_with(&["pub", "(", "crate", ")"]) => counts.crate_wide += 1,
            "struct" => {
                let fields = fields_of(&words, at);
                counts.fields.extend(fields.map(|fields| (words[at + 1].to_owned(), fields)));
            }
            // Elsewhere it is a type.
            "impl" if at == 0 || matches!(words[at - 1], "}" | ";" | "]" | "{" | "unsafe") => {
                if let Some((name, methods)) = methods_of(&words, at) {
                    *counts.methods.entry(name).or_default() += methods;
                }
            }
            "fn" => {
                if let Some((packed, body)) = signature(&words, at) {
                    counts.packed += packed;
                    counts.long_functions += usize::from(body.is_some_and(|(open, close)| {
                        lines_between(text, words[open], words[close - 1]) > LONG
                    }));
                }
            }
            _ => {}
        }
        at += 1;
    }
    counts
}

/// The line breaks from one word of a text to another.
fn lines_between(text: &str, first: &str, last: &str) -> usize {
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text[place(first)..place(last)].matches('\n').count()
}

/// The words from a place to the first of some at the same depth of angle brackets.
fn until(words: &[&str], mut at: usize, ends: &[&str]) -> usize {
    while at < words.len() && !ends.contains(&words[at]) {
        at = if matches!(words[at], "(" | "[") { after_group(words, at) } else { at + 1 };
    }
    at
}

/// The fields with names of the struct at a place; none of one without names.
fn fields_of(words: &[&str], at: usize) -> Option<usize> {
    let open = until(words, at, &["{", ";"]);
    if words.get(open) != Some(&"{") {
        return None;
    }
    let inside = &words[open + 1..after_group(words, open) - 1];
    let mut fields = 0;
    let mut place = 0;
    while place < inside.len() {
        fields += usize::from(inside[place] == ":");
        // Past the type of a field, to the comma after it.
        place = match inside[place] {
            ":" => past_type(inside, place + 1),
            "#" | "(" | "[" => after_group(inside, place + usize::from(inside[place] == "#")),
            _ => place + 1,
        };
    }
    Some(fields)
}

/// The place after a type: the comma at no depth of brackets.
fn past_type(words: &[&str], mut at: usize) -> usize {
    let mut depth = 0;
    while at < words.len() {
        match words[at] {
            "<" => depth += 1,
            ">" if words[at - 1] != "-" => depth -= 1,
            "(" | "[" | "{" => {
                at = after_group(words, at);
                continue;
            }
            "," if depth == 0 => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

/// The type of the `impl` at a place that implements no trait, and its number of methods.
fn methods_of(words: &[&str], at: usize) -> Option<(String, usize)> {
    let open = until(words, at, &["{"]);
    let head = &words[at + 1..open.min(words.len())];
    if head.contains(&"for") || open >= words.len() {
        return None;
    }
    let mut start = 0;
    if head.first() == Some(&"<") {
        let mut depth = 0;
        start = head.iter().position(|word| {
            depth += match *word {
                "<" => 1,
                ">" => -1,
                _ => 0,
            };
            depth == 0
        })? + 1;
    }
    let name = head.get(start..)?.iter().take_while(|word| !matches!(**word, "<" | "where"));
    let name = name.filter(|word| **word != "::").last()?;
    let inside = &words[open + 1..after_group(words, open) - 1];
    let mut methods = 0;
    let mut place = 0;
    while place < inside.len() {
        methods += usize::from(inside[place] == "fn");
        let group = matches!(inside[place], "{" | "(" | "[");
        place = if group { after_group(inside, place) } else { place + 1 };
    }
    Some(((*name).to_owned(), methods))
}

/// The packed parameters of the function at a place, and where its body begins and ends.
fn signature(words: &[&str], at: usize) -> Option<(usize, Option<(usize, usize)>)> {
    // The parameters open after the name and what is generic in it.
    let open = at + words[at..].iter().position(|word| matches!(*word, "(" | "{" | ";"))?;
    if words[open] != "(" || at + 1 == open {
        return None;
    }
    let close = after_group(words, open);
    let packed = |place: &usize| {
        words[*place] == "("
            && matches!(words[place - 1], "(" | "," | ":" | "&" | "[" | "<" | "mut")
    };
    // What a closure takes is no parameter of the function.
    let parameters = (open + 1..close).filter(packed).count();
    let body = until(words, close, &["{", ";"]);
    let body = (words.get(body) == Some(&"{")).then(|| (body, after_group(words, body)));
    Some((parameters, body))
}

/// The lines of all files with an ending below some folders.
fn lines(root: &Path, folders: &[&str], ending: &str) -> usize {
    fn below(folder: &Path, ending: &str) -> usize {
        let Ok(entries) = fs::read_dir(folder) else { return 0 };
        let of = |path: std::path::PathBuf| match path.extension() {
            _ if path.is_dir() => below(&path, ending),
            Some(own) if own == ending => fs::read_to_string(path).unwrap().lines().count(),
            _ => 0,
        };
        entries.map(|entry| of(entry.unwrap().path())).sum()
    }
    folders.iter().map(|folder| below(&root.join(folder), ending)).sum()
}

/// The most that one key has.
fn most(counts: &BTreeMap<String, usize>) -> usize {
    counts.values().copied().max().unwrap_or(0)
}

/// How many files and folders of one folder use each other, all below a folder being one with it.
fn in_circles(imports: &Imports) -> usize {
    let mut rooms: BTreeMap<&str, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for (from, to) in imports.keys() {
        let common = from.bytes().zip(to.bytes()).take_while(|(a, b)| a == b).count();
        let room = from[..common].rfind('/').map_or(0, |slash| slash + 1);
        let node = |file: &'_ str| file[room..].find('/').map_or(file.len(), |slash| room + slash);
        rooms.entry(&from[..room]).or_default().insert((&from[..node(from)], &to[..node(to)]));
    }
    let members =
        |edges: BTreeSet<(&str, &str)>| -> usize { circles(edges).iter().map(BTreeSet::len).sum() };
    rooms.into_values().map(members).sum()
}

/// Everything that is counted, by its name.
fn measured(root: &Path) -> Vec<(&'static str, usize)> {
    let src = root.join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let (mut crate_wide, mut long, mut packed, mut all_lines) = (0, 0, 0, 0);
    let (mut fields, mut methods) = (BTreeMap::new(), BTreeMap::<String, usize>::new());
    let (mut homes, mut folders) = (BTreeMap::<String, usize>::new(), BTreeMap::new());
    for file in &files {
        let found = count(&fs::read_to_string(file).unwrap());
        crate_wide += found.crate_wide;
        long += found.long_functions;
        packed += found.packed;
        all_lines += found.lines;
        for (name, count) in found.fields {
            fields
                .entry(name)
                .and_modify(|most: &mut usize| *most = count.max(*most))
                .or_insert(count);
        }
        for (name, count) in found.methods {
            *methods.entry(name.clone()).or_default() += count;
            *homes.entry(name).or_default() += 1;
        }
        let folder = file.parent().unwrap().display().to_string();
        *folders.entry(folder).or_default() += 1;
    }
    let circling = in_circles(&imports_below(&src, &[]));
    let interface = fs::read_to_string(root.join("docs/api.txt")).unwrap();
    let words = |line: &&str| {
        let mut words = line.split(|c: char| !c.is_alphanumeric());
        words.any(|word| FORBIDDEN.contains(&word))
    };
    let rust = ["src", "crates", "python/src", "tests", "benches", "examples"];
    vec![
        ("methods of the type with most", most(&methods)),
        ("fields of the type with most", most(&fields)),
        ("files with methods of one type", most(&homes)),
        ("functions over 60 lines", long),
        ("packed parameters", packed),
        ("pub(crate)", crate_wide),
        ("lines of the public interface", interface.lines().count()),
        ("names of the interface with a word that the glossary avoids", {
            interface.lines().filter(words).count()
        }),
        ("files in one folder", most(&folders)),
        ("files and folders in circles of one room", circling),
        ("lines of src", all_lines),
        ("lines of Rust", lines(root, &rust, "rs")),
        ("lines of Python", lines(root, &["python", "benches", "examples", "scripts"], "py")),
        ("lines of WGSL", lines(root, &["shaders"], "wgsl")),
    ]
}

/// A number that grew is to be made smaller; one that fell is to be written down, with
/// `GITTINS_HOUSE=write cargo test house`.
#[test]
fn the_house_does_not_grow() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let now = measured(root);
    let text: String = now.iter().map(|(name, number)| format!("{number:>7} {name}\n")).collect();
    let path = root.join(HOUSE);
    if env::var_os("GITTINS_HOUSE").is_some_and(|wish| wish == "write") {
        fs::write(&path, &text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap();
    let kept: BTreeMap<&str, usize> = kept
        .lines()
        .map(|line| {
            let (number, name) = line.trim().split_once(' ').unwrap();
            (name, number.parse().unwrap())
        })
        .collect();
    assert_eq!(kept.len(), now.len(), "{HOUSE} has other names:\n{text}");
    // Lines may fall without a word: each change would touch the file.
    let differs = |(name, number): &&(&str, usize)| match kept.get(name) {
        Some(kept) if name.starts_with("lines of") => number > kept,
        Some(kept) => number != kept,
        None => true,
    };
    let wrong: Vec<String> = now
        .iter()
        .filter(differs)
        .map(|(name, number)| format!("{name}: {number}, kept {:?}", kept.get(name)))
        .collect();
    assert!(wrong.is_empty(), "{HOUSE} has other numbers:\n{}", wrong.join("\n"));
}

#[test]
fn what_is_counted_is_counted() {
    let text = r"
        pub(crate) struct Pair<T> { pub(crate) a: Vec<(u8, T)>, b: fn(u8) -> u8, }
        struct Bare(u8);
        impl<T: Clone> Pair<T> {
            fn one(&self) -> u8 { fn inner() {} 1 }
            fn two((a, b): (u8, u8), c: &[(u8, u8)], d: impl Fn(u8) -> u8) {}
        }
        impl Clone for Bare { fn clone(&self) -> Self { Bare(1) } }
    ";
    let Counts { crate_wide, packed, fields, methods, long_functions, .. } = count(text);
    assert_eq!((crate_wide, packed, long_functions), (2, 3, 0));
    assert_eq!(fields, BTreeMap::from([("Pair".to_owned(), 2)]));
    assert_eq!(methods, BTreeMap::from([("Pair".to_owned(), 2)]));
    let long = format!("fn long() {{{}}} fn short() {{\n}}", "\n".repeat(LONG + 1));
    assert_eq!(count(&long).long_functions, 1);
}

#[test]
fn a_folder_is_one_with_all_below_it() {
    let import = |from: &str, to: &str| ((from.to_owned(), to.to_owned()), BTreeSet::new());
    let ways = [import("a/b/one.rs", "a/two.rs"), import("a/two.rs", "c.rs")];
    assert_eq!(in_circles(&ways.clone().into()), 0);
    let back = import("a/two.rs", "a/b/three.rs");
    assert_eq!(in_circles(&ways.into_iter().chain([back]).collect()), 2);
}
