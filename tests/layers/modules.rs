//! The modules of a crate, read from its sources, and the imports between their files.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{after_group, tokens};

/// The names of the modules, from the root of the crate.
type ModulePath = Vec<String>;

/// The items that one file uses of another, for each pair of files.
pub type Imports = BTreeMap<(String, String), BTreeSet<String>>;

/// The modules of a crate.
pub struct Modules {
    modules: BTreeMap<ModulePath, Module>,
}

/// One module: a file, or a part of a file in braces.
#[derive(Default)]
struct Module {
    file: String,
    /// The items that are defined here, without modules.
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// The paths of two or more words in the code.
    paths: BTreeSet<Vec<String>>,
    /// The single words in the code: types and constants, and functions if they are called.
    words: BTreeSet<String>,
}

/// One name of a `use` declaration.
struct Import {
    /// The name in this module, or `*` for all names.
    name: String,
    path: Vec<String>,
    /// Whether other modules can see the name here.
    public: bool,
}

/// The end of a path.
enum Target {
    Module(ModulePath),
    /// An item, as the path of its module and its name.
    Item(ModulePath, String),
}

/// The longest chain of re-exports that is followed. A re-exported external name leads nowhere.
const LONGEST_CHAIN: usize = 16;

/// How a path came to be looked for.
#[derive(Default)]
struct Trail<'a> {
    /// How many re-exports were followed.
    length: usize,
    /// The globs whose own paths are looked for.
    globs: Vec<&'a ModulePath>,
}

impl<'a> Trail<'a> {
    fn on(&self) -> Self {
        Self { length: self.length + 1, globs: self.globs.clone() }
    }

    fn behind(&self, glob: &'a ModulePath) -> Self {
        Self { length: self.length + 1, globs: [&self.globs[..], &[glob]].concat() }
    }
}

impl Modules {
    /// Reads the sources of a crate, as pairs of a path below `src` and a text.
    pub fn read<'a>(sources: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut modules = Self { modules: BTreeMap::new() };
        for (file, text) in sources {
            modules.add(module_path(file), file, &tokens(text));
        }
        modules
    }

    fn add(&mut self, path: ModulePath, file: &str, tokens: &[&str]) {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        let (mut at, mut depth) = (0, 0);
        while let Some(&token) = tokens.get(at) {
            let next = tokens.get(at + 1).copied().unwrap_or("");
            match token {
                "{" => depth += 1,
                "}" => depth -= 1,
                "use" if next != "<" => {
                    let end = tokens[at..].iter().position(|t| *t == ";").map_or(0, |n| at + n);
                    let public = at > 0 && matches!(tokens[at - 1], "pub" | ")");
                    read_tree(&tokens[at + 1..end], &[], public, &mut module.imports);
                    at = end;
                }
                "mod" if tokens.get(at + 2) == Some(&"{") => {
                    let end = after_group(tokens, at + 2);
                    let mut inner = path.clone();
                    inner.push(next.to_owned());
                    self.add(inner, file, &tokens[at + 3..end - 1]);
                    at = end - 1;
                }
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union"
                    if depth == 0 =>
                {
                    module.items.insert(next.to_owned());
                }
                "macro_rules" if next == "!" => {
                    module.items.extend(tokens.get(at + 2).map(|&name| name.to_owned()));
                }
                _ if token.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                    let before = if at > 0 { tokens[at - 1] } else { "" };
                    let range = at > 1 && before == "." && tokens[at - 2] == ".";
                    let defined = matches!(before, "fn" | "struct" | "enum" | "trait" | "mod");
                    if before == "::" || (before == "." && !range) || defined {
                        at += 1;
                        continue;
                    }
                    let mut path = vec![token.to_owned()];
                    while tokens.get(at + 1) == Some(&"::")
                        && tokens
                            .get(at + 2)
                            .is_some_and(|word| word.starts_with(char::is_alphabetic))
                    {
                        path.push(tokens[at + 2].to_owned());
                        at += 2;
                    }
                    if path.len() > 1 {
                        module.paths.insert(path);
                    } else if token.starts_with(char::is_uppercase)
                        || matches!(next, "(" | "!" | "::")
                    {
                        module.words.insert(token.to_owned());
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.modules.insert(path, module);
    }

    /// All imports of items between files. A module that re-exports an item of a module below it
    /// imports the item only if its own code uses it.
    pub fn imports(&self) -> Imports {
        let mut imports = Imports::new();
        for (path, module) in &self.modules {
            let mut add = |owner: &ModulePath, item: &str| {
                let used = &self.modules[owner].file;
                if *used != module.file {
                    let edge = (module.file.clone(), used.clone());
                    imports.entry(edge).or_default().insert(item.to_owned());
                }
            };
            for import in &module.imports {
                let (owner, item) = match self.resolve(path, &import.path, &Trail::default()) {
                    Some(Target::Item(owner, item)) => (owner, item),
                    Some(Target::Module(owner)) if import.name == "*" => (owner, "*".to_owned()),
                    _ => continue,
                };
                let re_exported = import.public && owner.starts_with(path) && owner != *path;
                if !re_exported || module.words.contains(&import.name) {
                    add(&owner, &item);
                }
            }
            for words in &module.paths {
                if let Some(Target::Item(owner, item)) =
                    self.resolve(path, words, &Trail::default())
                {
                    add(&owner, &item);
                }
            }
        }
        imports
    }

    /// The target of a path that is written in a module.
    fn resolve(&self, from: &[String], words: &[String], trail: &Trail<'_>) -> Option<Target> {
        let (first, rest) = words.split_first()?;
        match first.as_str() {
            "crate" => self.walk(&[], rest, trail),
            "self" => self.walk(from, rest, trail),
            "super" => {
                let mut up = from.split_last()?.1;
                let mut rest = rest;
                while rest.first().is_some_and(|word| word == "super") {
                    (up, rest) = (up.split_last()?.1, &rest[1..]);
                }
                self.walk(up, rest, trail)
            }
            _ => self.walk(from, words, trail),
        }
    }

    /// The target of the words from a module downwards.
    fn walk(&self, from: &[String], words: &[String], trail: &Trail<'_>) -> Option<Target> {
        if trail.length > LONGEST_CHAIN {
            return None;
        }
        let Some((name, rest)) = words.split_first() else {
            return Some(Target::Module(from.to_vec()));
        };
        let module = self.modules.get(from)?;
        let child = [from, std::slice::from_ref(name)].concat();
        if self.modules.contains_key(&child) {
            return self.walk(&child, rest, trail);
        }
        if module.items.contains(name) {
            return Some(Target::Item(from.to_vec(), name.clone()));
        }
        for import in module.imports.iter().filter(|import| import.name == *name) {
            match self.resolve(from, &import.path, &trail.on()) {
                Some(Target::Module(found)) => return self.walk(&found, rest, &trail.on()),
                Some(item) => return Some(item),
                None => {}
            }
        }
        // What a glob names is not looked for behind the same glob, nor behind one glob twice: each
        // would be tried in each of the others.
        let globs: BTreeSet<&ModulePath> = module
            .imports
            .iter()
            .filter(|import| import.name == "*")
            .map(|glob| &glob.path)
            .collect();
        globs
            .into_iter()
            .filter(|glob| !trail.globs.contains(glob))
            .filter_map(|glob| match self.resolve(from, glob, &trail.behind(glob))? {
                Target::Module(found) => self.walk(&found, words, &trail.on()),
                Target::Item(..) => None,
            })
            .next()
    }
}

/// The path of a file's module.
fn module_path(file: &str) -> ModulePath {
    let path = file.trim_end_matches(".rs").trim_end_matches("mod").trim_end_matches('/');
    path.split('/')
        .filter(|name| !matches!(*name, "lib" | "main" | ""))
        .map(str::to_owned)
        .collect()
}

/// Reads the names of a `use` declaration without `use` and `;`. `before` is the path before its
/// braces.
fn read_tree(tree: &[&str], before: &[String], public: bool, imports: &mut Vec<Import>) {
    let mut path = before.to_vec();
    let mut name = None;
    let mut at = 0;
    while let Some(&token) = tree.get(at) {
        match token {
            "{" => {
                let inside = &tree[at + 1..after_group(tree, at) - 1];
                let mut start = 0;
                while start < inside.len() {
                    let mut end = start;
                    while end < inside.len() && inside[end] != "," {
                        end = if inside[end] == "{" { after_group(inside, end) } else { end + 1 };
                    }
                    read_tree(&inside[start..end], &path, public, imports);
                    start = end + 1;
                }
                return;
            }
            "as" => {
                name = tree.get(at + 1).map(|&name| name.to_owned());
                at += 1;
            }
            "*" => name = Some(token.to_owned()),
            "self" if !before.is_empty() => {}
            "::" => {}
            _ => path.push(token.to_owned()),
        }
        at += 1;
    }
    if let Some(name) = name.or_else(|| path.last().cloned()) {
        imports.push(Import { name, path, public });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line `from -> to: names` for each pair of files.
    fn imports(sources: &[(&str, &str)]) -> Vec<String> {
        Modules::read(sources.iter().copied())
            .imports()
            .into_iter()
            .map(|((from, to), names)| {
                format!("{from} -> {to}: {}", names.into_iter().collect::<Vec<_>>().join(", "))
            })
            .collect()
    }

    #[test]
    fn an_import_leads_to_the_file_that_owns_the_item() {
        let room = (
            "a/mod.rs",
            "mod x; mod y; pub use x::{X, make}; pub(crate) use self::y::Y as Z; pub struct Own;",
        );
        let (x, y) = ("a/x.rs", "a/y.rs");
        let (x, y) =
            ((x, "pub struct X; pub fn make() {}"), (y, "pub struct Y; impl Y { fn z() {} }"));
        for (code, expected) in [
            ("use crate::a::X;", "b.rs -> a/x.rs: X"),
            ("use crate::{a::{self, Z}};", "b.rs -> a/y.rs: Y"),
            ("use crate::a::Own as Mine;", "b.rs -> a/mod.rs: Own"),
            ("use super::a::make;", "b.rs -> a/x.rs: make"),
            ("fn f() { crate::a::make() }", "b.rs -> a/x.rs: make"),
            ("use crate::a; fn f() { a::Z::z() }", "b.rs -> a/y.rs: Y"),
            ("use crate::a as other; fn f() -> other::X { todo!() }", "b.rs -> a/x.rs: X"),
            ("fn f() { use crate::a::*; }", "b.rs -> a/mod.rs: *"),
            ("mod inner { use super::super::a::X; }", "b.rs -> a/x.rs: X"),
            ("use crate::{a::x, a::x::X}; fn f() { x::make(); X }", "b.rs -> a/x.rs: X, make"),
        ] {
            assert_eq!(
                imports(&[room, x, y, ("lib.rs", "mod a; mod b;"), ("b.rs", code)]),
                [expected],
                "{code}"
            );
        }
    }

    #[test]
    fn what_is_no_import_of_an_item_is_not_read_as_one() {
        let a = ("a/mod.rs", "pub mod x; pub use x::X; pub use std::fmt;");
        let x = ("a/x.rs", "pub struct X;");
        for code in [
            "use crate::a;",
            "use crate::a::x::{self};",
            "use crate::a::fmt;",
            "use std::fmt; // crate::a::X",
            "#[cfg(test)] mod tests { use crate::a::X; }",
            "pub(crate) fn f(x: u8) -> u8 { let X = 1; self.X(x) }",
        ] {
            assert_eq!(imports(&[a, x, ("b.rs", code)]), [""; 0], "{code}");
        }
    }

    #[test]
    fn a_module_imports_what_it_re_exports_only_if_its_code_uses_it() {
        let children = [
            ("a/x.rs", "pub struct X; pub fn make() {}"),
            ("a/y.rs", "use super::Own; pub struct Y;"),
        ];
        let from_child = "a/y.rs -> a/mod.rs: Own";
        for (code, expected) in [
            ("pub use x::{X, make};", None),
            ("pub use x::X; fn f() -> X { X }", Some("a/mod.rs -> a/x.rs: X")),
            ("pub use x::make; fn f() { make() }", Some("a/mod.rs -> a/x.rs: make")),
            ("pub use x::make; fn f(s: &S) { s.make() }", None),
            ("use x::X;", Some("a/mod.rs -> a/x.rs: X")),
            ("fn f() { x::make() }", Some("a/mod.rs -> a/x.rs: make")),
        ] {
            let code = format!("mod x; mod y; pub struct Own; {code}");
            let sources = [("a/mod.rs", code.as_str()), children[0], children[1]];
            let expected: Vec<&str> = expected.into_iter().chain([from_child]).collect();
            assert_eq!(imports(&sources), expected, "{code}");
        }
    }
}
