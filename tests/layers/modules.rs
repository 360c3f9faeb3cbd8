//! The modules of a crate, read from its sources, and the imports between their files.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{
    Item, ItemConst, ItemEnum, ItemFn, ItemMod, ItemStatic, ItemStruct, ItemTrait, ItemType,
    ItemUse, Macro, MetaList, PatIdent, Path, Signature, UseTree, Visibility,
};

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
    /// The paths of one word in the code: types, constants, functions, and variables.
    words: BTreeSet<String>,
    /// The modules in braces.
    inner: Vec<(String, Module)>,
}

/// One name of a `use` declaration.
struct Import {
    /// The name in this module, or `*` for all names.
    name: String,
    path: Vec<String>,
    /// Whether other modules can see the name here.
    public: bool,
}

/// The end of a path: a module, or an item of a module.
type Target = (ModulePath, Option<String>);

/// Where the paths led that were looked for before. A path leads nowhere while it is looked for.
type Seen = BTreeMap<(ModulePath, Vec<String>), Option<Target>>;

impl Modules {
    /// Reads the sources of a crate, as pairs of a path below `src` and a syntax tree.
    pub fn read<'a>(sources: impl IntoIterator<Item = (&'a str, syn::File)>) -> Self {
        let mut modules = Self { modules: BTreeMap::new() };
        for (file, code) in sources {
            modules.add(module_path(file), Module::read(file, &code.items));
        }
        modules
    }

    fn add(&mut self, path: ModulePath, mut module: Module) {
        for (name, inner) in module.inner.drain(..) {
            self.add([&path[..], &[name]].concat(), inner);
        }
        self.modules.insert(path, module);
    }

    /// The modules at the root of the crate that are named after `crate::`.
    pub fn below_root(&self) -> BTreeSet<&str> {
        let written = self.modules.values().flat_map(|module| {
            module.paths.iter().chain(module.imports.iter().map(|import| &import.path))
        });
        written.filter(|path| path.len() > 1 && path[0] == "crate").map(|path| &*path[1]).collect()
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
                let (owner, item) = match self.resolve(path, &import.path, &mut Seen::new()) {
                    Some((owner, Some(item))) => (owner, item),
                    Some((owner, None)) if import.name == "*" => (owner, "*".to_owned()),
                    _ => continue,
                };
                let re_exported = import.public && owner.starts_with(path) && owner != *path;
                if !re_exported || module.words.contains(&import.name) {
                    add(&owner, &item);
                }
            }
            for words in &module.paths {
                if let Some((owner, Some(item))) = self.resolve(path, words, &mut Seen::new()) {
                    add(&owner, &item);
                }
            }
        }
        imports
    }

    /// The target of a path that is written in a module.
    fn resolve(&self, from: &[String], words: &[String], seen: &mut Seen) -> Option<Target> {
        let Some((name, rest)) = words.split_first() else {
            return Some((from.to_vec(), None));
        };
        match name.as_str() {
            "crate" => return self.resolve(&[], rest, seen),
            "self" => return self.resolve(from, rest, seen),
            "super" => return self.resolve(from.split_last()?.1, rest, seen),
            _ => {}
        }
        let module = self.modules.get(from)?;
        let child = [from, std::slice::from_ref(name)].concat();
        if self.modules.contains_key(&child) {
            return self.resolve(&child, rest, seen);
        }
        if module.items.contains(name) {
            return Some((from.to_vec(), Some(name.clone())));
        }
        let place = (from.to_vec(), words.to_vec());
        if let Some(known) = seen.get(&place) {
            return known.clone();
        }
        seen.insert(place.clone(), None);
        let called =
            |name| module.imports.iter().filter(move |import: &&Import| import.name == name);
        let found = called(name.as_str()).chain(called("*")).find_map(|import| {
            match self.resolve(from, &import.path, seen)? {
                (found, None) if import.name == "*" => self.resolve(&found, words, seen),
                (found, None) => self.resolve(&found, rest, seen),
                item => (import.name != "*").then_some(item),
            }
        });
        seen.insert(place, found.clone());
        found
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

/// The name of an item that is no module.
fn name(item: &Item) -> Option<&Ident> {
    match item {
        Item::Fn(ItemFn { sig: Signature { ident, .. }, .. })
        | Item::Const(ItemConst { ident, .. })
        | Item::Enum(ItemEnum { ident, .. })
        | Item::Static(ItemStatic { ident, .. })
        | Item::Struct(ItemStruct { ident, .. })
        | Item::Trait(ItemTrait { ident, .. })
        | Item::Type(ItemType { ident, .. }) => Some(ident),
        Item::Macro(item) => item.ident.as_ref(),
        _ => None,
    }
}

impl Module {
    fn read(file: &str, items: &[Item]) -> Self {
        let mut module = Self { file: file.to_owned(), ..Self::default() };
        for item in items {
            module.items.extend(name(item).map(Ident::to_string));
            module.visit_item(item);
        }
        module
    }

    /// Takes the names of a `use` declaration. `path` is the path before its braces.
    fn import(&mut self, tree: &UseTree, mut path: Vec<String>, public: bool) {
        let (name, last) = match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                return self.import(&tree.tree, path, public);
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(tree, path.clone(), public));
            }
            UseTree::Glob(_) => (Some("*".to_owned()), None),
            UseTree::Name(name) => (None, Some(&name.ident)),
            UseTree::Rename(name) => (Some(name.rename.to_string()), Some(&name.ident)),
        };
        path.extend(last.filter(|last| *last != "self").map(Ident::to_string));
        if let Some(name) = name.or_else(|| path.last().cloned()) {
            self.imports.push(Import { name, path, public });
        }
    }

    fn path(&mut self, mut path: Vec<String>) {
        match path.len() {
            0 => {}
            1 => self.words.extend(path.pop()),
            _ => _ = self.paths.insert(path),
        }
    }

    /// Takes the paths in what a macro or an attribute is given, which may be no expressions.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = Vec::new();
        let mut marks = String::new();
        for token in tokens {
            match token {
                TokenTree::Punct(mark) => marks.push(mark.as_char()),
                TokenTree::Ident(word) => {
                    if marks != "::" {
                        self.path(std::mem::take(&mut path));
                    }
                    if marks != "." {
                        path.push(word.to_string());
                    }
                    marks.clear();
                }
                TokenTree::Group(group) => {
                    self.tokens(group.stream());
                    marks.clear();
                }
                TokenTree::Literal(_) => marks.clear(),
            }
        }
        self.path(path);
    }
}

impl<'a> Visit<'a> for Module {
    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        if let Some((_, items)) = &module.content {
            self.inner.push((module.ident.to_string(), Self::read(&self.file, items)));
        }
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        self.import(&item.tree, Vec::new(), !matches!(item.vis, Visibility::Inherited));
    }

    fn visit_path(&mut self, path: &'a Path) {
        self.path(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    /// A constant, or a variable.
    fn visit_pat_ident(&mut self, pattern: &'a PatIdent) {
        self.words.insert(pattern.ident.to_string());
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_macro(&mut self, call: &'a Macro) {
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }

    fn visit_meta_list(&mut self, attribute: &'a MetaList) {
        self.tokens(attribute.tokens.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::super::code::without_tests;
    use super::*;

    /// One line `from -> to: names` for each pair of files.
    fn imports(sources: &[(&str, &str)]) -> Vec<String> {
        Modules::read(sources.iter().map(|(file, text)| (*file, without_tests(text))))
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
