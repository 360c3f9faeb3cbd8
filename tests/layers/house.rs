//! The size of the house: numbers that may only fall, read from the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
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
        let mut name = None;
        for token in call.tokens.clone() {
            match (token, name.take()) {
                (TokenTree::Ident(ident), _) => name = Some(ident.to_string()),
                (TokenTree::Group(group), Some(name)) if group.delimiter() == Delimiter::Brace => {
                    let most = self.fields.entry(name).or_default();
                    *most = fields_in(group.stream()).max(*most);
                }
                _ => {}
            }
        }
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

/// How many fields a type has that a macro makes of these tokens: names before a colon, each at the
/// beginning or behind a comma, a semicolon or what stands in brackets.
fn fields_in(tokens: TokenStream) -> usize {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, mark: char| matches!(tokens.get(at), Some(TokenTree::Punct(found)) if found.as_char() == mark);
    let begins = |at: usize| {
        let Some(before) = at.checked_sub(1) else { return true };
        let is_visible = tokens[before].to_string() == "pub";
        is(before, ',')
            || is(before, ';')
            || is_visible
            || matches!(tokens[before], TokenTree::Group(_))
    };
    let is_field = |at: &usize| {
        let is_named = matches!(tokens[*at], TokenTree::Ident(_));
        is_named && is(at + 1, ':') && !is(at + 2, ':') && begins(*at)
    };
    (0..tokens.len()).filter(is_field).count()
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

/// The packages that people use: their sources below the root.
const PACKAGES: [&str; 9] = [
    "src",
    "crates/api/src",
    "crates/chart/src",
    "crates/cli/src",
    "crates/papers/src",
    "crates/picture/src",
    "crates/spreadsheet/src",
    "crates/svm/src",
    "python/src",
];

/// Everything that is counted, by its name: over all packages, but for what says otherwise.
fn measured(root: &Path) -> Vec<(String, usize)> {
    let mut folders = BTreeMap::<PathBuf, usize>::new();
    let mut all = Vec::new();
    for package in PACKAGES {
        let mut counts = Counts::default();
        for file in files(&root.join(package), "rs") {
            counts.read(&fs::read_to_string(&file).unwrap());
            *folders.entry(file.parent().unwrap().to_owned()).or_default() += 1;
        }
        all.push(counts);
    }
    let circling = in_circles(&imports_below(&root.join("src"), &[]));
    let interface = fs::read_to_string(root.join("docs/api.txt")).unwrap();
    let avoided = Avoided::read(&fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap());
    let python =
        ["py", "pyi"].map(|ending| texts(root, &["python/python/gittins"], ending)).concat();
    let settings = texts(root, &["src", "crates/cli/src/file"], "rs");
    let homes = || all.iter().flat_map(|one| one.methods.values());
    let sum = |count: fn(&Counts) -> usize| all.iter().map(count).sum::<usize>();
    let rust = ["src", "crates", "python/src", "tests", "benches", "examples"];
    let mut found = [
        ("methods of the type with most", most(homes().map(|files| files.values().sum()))),
        (
            "fields of the type with most",
            most(all.iter().flat_map(|one| one.fields.values().copied())),
        ),
        ("files with methods of one type", most(homes().map(BTreeMap::len))),
        ("functions over 60 lines", sum(|one| one.long_functions)),
        ("packed parameters", sum(|one| one.packed)),
        ("pub(crate)", sum(|one| one.crate_wide)),
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
        ("files and folders of src in circles of one room", circling),
        ("lines of Rust", lines(root, &rust, "rs")),
        ("lines of Python", lines(root, &["python", "benches", "examples", "scripts"], "py")),
        ("lines of python/python", lines(root, &["python/python"], "py")),
        ("lines of WGSL", lines(root, &["shaders"], "wgsl")),
        ("lines of evidence", {
            ["rs", "py"].map(|ending| lines(root, &["evidence"], ending)).iter().sum()
        }),
    ]
    .map(|(name, number)| (name.to_owned(), number))
    .to_vec();
    found.extend(
        PACKAGES.map(|package| (format!("lines of {package}"), lines(root, &[package], "rs"))),
    );
    found
}

/// The numbers of the house by their names, and what is said below them.
fn kept<'t>(text: &'t str) -> (BTreeMap<&'t str, usize>, &'t str) {
    let (numbers, below) = text.split_once("\n\n").unwrap_or((text, ""));
    let entry = |line: &'t str| {
        let (number, name) = line.trim().split_once(' ').unwrap();
        (name, number.parse().unwrap())
    };
    (numbers.lines().map(entry).collect(), below)
}

/// No number grows but by `scripts/house raise`, which says why. What fell is written down by
/// `scripts/house`, and need not be.
#[test]
fn the_house_does_not_grow() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let now = measured(root);
    let path = root.join(HOUSE);
    let text = fs::read_to_string(&path).unwrap();
    let (kept, below) = kept(&text);
    if env::var_os("GITTINS_HOUSE").is_some_and(|wish| wish == "lower") {
        let least = |(name, number): &(String, usize)| {
            let number = kept.get(name.as_str()).map_or(*number, |kept| *number.min(kept));
            format!("{number:>7} {name}\n")
        };
        let numbers: String = now.iter().map(least).collect();
        let below = if below.is_empty() { String::new() } else { format!("\n{below}") };
        fs::write(&path, numbers + &below).unwrap();
    }
    let wrong: Vec<String> = now
        .iter()
        .filter(|(name, number)| kept.get(name.as_str()).is_none_or(|kept| number > kept))
        .map(|(name, number)| format!("{name}: {number}, kept {:?}", kept.get(name.as_str())))
        .collect();
    assert!(wrong.is_empty(), "numbers of {HOUSE} grew:\n{}", wrong.join("\n"));
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
    let made = "keyed! { /// A.\n Made { /// B.\n a: Vec<u8> = One::B, needed; pub b: std::u8, } Next { } }";
    assert_eq!(
        count(made).fields,
        BTreeMap::from([("Made".to_owned(), 2), ("Next".to_owned(), 0)])
    );
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
