//! The size of the house: numbers that may only fall, read from the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use syn::visit::{self, Visit};
use syn::{
    AssocType, Block, Fields, ImplItem, ImplItemFn, ItemFn, ItemImpl, ItemStruct, Macro, PatTuple,
    ReturnType, Signature, TraitItemFn, Type, TypeTuple, VisRestricted,
};

use super::circles::circles;
use super::code::without_tests;
use super::glossary::{Avoided, of_python, of_settings};
use super::modules::Imports;
use super::{files, imports_below};

/// Where the numbers stand, one a line.
const HOUSE: &str = "tests/layers/house.txt";

/// Functions with more lines than this are counted.
const LONG: usize = 60;

/// What the sources have of each thing that is counted.
#[derive(Default)]
struct Counts {
    crate_wide: usize,
    long_functions: usize,
    packed: usize,
    /// Fields of each struct.
    fields: BTreeMap<String, usize>,
    /// Methods of each type, for each file.
    methods: BTreeMap<String, BTreeMap<usize, usize>>,
    /// The files that were read before.
    files: usize,
}

impl Counts {
    /// Reads a file; test code does not count.
    fn read(&mut self, text: &str) {
        self.visit_file(&without_tests(text));
        self.files += 1;
    }

    fn function(&mut self, signature: &Signature, body: Option<&Block>) {
        let mut tuples = Tuples(0);
        signature.inputs.iter().for_each(|parameter| tuples.visit_fn_arg(parameter));
        self.packed += tuples.0;
        self.long_functions += usize::from(body.is_some_and(|body| {
            let braces = body.brace_token.span;
            braces.close().start().line - braces.open().start().line > LONG
        }));
    }
}

impl<'a> Visit<'a> for Counts {
    fn visit_vis_restricted(&mut self, visibility: &'a VisRestricted) {
        self.crate_wide += usize::from(visibility.path.is_ident("crate"));
    }

    fn visit_macro(&mut self, call: &'a Macro) {
        self.crate_wide += call.tokens.to_string().matches("pub (crate)").count();
    }

    fn visit_item_struct(&mut self, item: &'a ItemStruct) {
        if let Fields::Named(fields) = &item.fields {
            let most = self.fields.entry(item.ident.to_string()).or_default();
            *most = fields.named.len().max(*most);
        }
        visit::visit_item_struct(self, item);
    }

    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        if let (None, Type::Path(of)) = (&item.trait_, &*item.self_ty) {
            let name = of.path.segments.last().unwrap().ident.to_string();
            let methods = item.items.iter().filter(|item| matches!(item, ImplItem::Fn(_))).count();
            let files = self.methods.entry(name).or_default();
            *files.entry(self.files).or_default() += methods;
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        self.function(&item.sig, Some(&item.block));
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        self.function(&item.sig, Some(&item.block));
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'a TraitItemFn) {
        self.function(&item.sig, item.default.as_ref());
        visit::visit_trait_item_fn(self, item);
    }
}

/// How many tuples there are in a pattern or a type, but for what iterators and closures give back.
struct Tuples(usize);

impl<'a> Visit<'a> for Tuples {
    fn visit_assoc_type(&mut self, _: &'a AssocType) {}

    fn visit_return_type(&mut self, _: &'a ReturnType) {}

    fn visit_pat_tuple(&mut self, pattern: &'a PatTuple) {
        self.0 += 1;
        visit::visit_pat_tuple(self, pattern);
    }

    fn visit_type_tuple(&mut self, tuple: &'a TypeTuple) {
        self.0 += 1;
        visit::visit_type_tuple(self, tuple);
    }
}

/// The texts of all files with an ending below some folders.
fn texts(root: &Path, folders: &[&str], ending: &str) -> Vec<String> {
    let files = folders.iter().flat_map(|folder| files(&root.join(folder), ending));
    files.map(|file| fs::read_to_string(file).unwrap()).collect()
}

fn lines(root: &Path, folders: &[&str], ending: &str) -> usize {
    texts(root, folders, ending).iter().map(|text| text.lines().count()).sum()
}

fn most(counts: impl Iterator<Item = usize>) -> usize {
    counts.max().unwrap_or(0)
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
    let files = files(&src, "rs");
    let mut counts = Counts::default();
    let mut folders = BTreeMap::<&Path, usize>::new();
    for file in &files {
        counts.read(&fs::read_to_string(file).unwrap());
        *folders.entry(file.parent().unwrap()).or_default() += 1;
    }
    let circling = in_circles(&imports_below(&src, &[]));
    let interface = fs::read_to_string(root.join("docs/api.txt")).unwrap();
    let avoided = Avoided::read(&fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap());
    let python =
        ["py", "pyi"].map(|ending| texts(root, &["python/python/gittins"], ending)).concat();
    let settings = texts(root, &["src", "crates/cli/src/file"], "rs");
    let homes = counts.methods.values();
    let rust = ["src", "crates", "python/src", "tests", "benches", "examples"];
    vec![
        ("methods of the type with most", most(homes.clone().map(|files| files.values().sum()))),
        ("fields of the type with most", most(counts.fields.into_values())),
        ("files with methods of one type", most(homes.map(BTreeMap::len))),
        ("functions over 60 lines", counts.long_functions),
        ("packed parameters", counts.packed),
        ("pub(crate)", counts.crate_wide),
        ("lines of the public interface", interface.lines().count()),
        ("names of the interface with a word that the glossary avoids", {
            avoided.count(interface.lines())
        }),
        ("names of Python with a word that the glossary avoids", {
            avoided.count(python.iter().flat_map(|text| of_python(text)))
        }),
        ("keys of settings with a word that the glossary avoids", {
            avoided.count(settings.iter().flat_map(|text| of_settings(text)))
        }),
        ("files in one folder", most(folders.into_values())),
        ("files and folders in circles of one room", circling),
        ("lines of src", lines(root, &["src"], "rs")),
        ("lines of Rust", lines(root, &rust, "rs")),
        ("lines of Python", lines(root, &["python", "benches", "examples", "scripts"], "py")),
        ("lines of WGSL", lines(root, &["shaders"], "wgsl")),
        ("lines of evidence", {
            ["rs", "py"].map(|ending| lines(root, &["evidence"], ending)).iter().sum()
        }),
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
    let count = |text: &str| {
        let mut counts = Counts::default();
        counts.read(text);
        counts
    };
    let Counts { crate_wide, packed, fields, methods, long_functions, .. } = count(text);
    assert_eq!((crate_wide, packed, long_functions), (2, 3, 0));
    assert_eq!(fields, BTreeMap::from([("Pair".to_owned(), 2)]));
    assert_eq!(methods, BTreeMap::from([("Pair".to_owned(), BTreeMap::from([(0, 2)]))]));
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
