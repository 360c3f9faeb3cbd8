//! The words that the glossary of CONTRIBUTING.md avoids, and the names that have them.

use std::collections::BTreeSet;

use proc_macro2::{Spacing, TokenStream, TokenTree};

/// Words that stand in no name: those in the last column of the glossary that are written as code.
pub struct Avoided(BTreeSet<String>);

impl Avoided {
    /// Reads the page with the glossary.
    pub fn read(page: &str) -> Self {
        let (_, glossary) = page.split_once("\n## Words\n").unwrap();
        let rows = glossary.lines().filter_map(|row| row.strip_suffix('|')?.rsplit('|').next());
        let code = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2));
        Self(code.map(str::to_owned).collect())
    }

    /// How many names have such a word.
    pub fn count(&self, names: impl IntoIterator<Item = impl AsRef<str>>) -> usize {
        let avoided = |name: &str| words(name).iter().any(|word| self.0.contains(word));
        names.into_iter().filter(|name| avoided(name.as_ref())).count()
    }
}

/// The words in snake case and in camel case, as small letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (small && letter.is_uppercase()) {
            words.push(String::new());
        }
        small = letter.is_lowercase();
        words.last_mut().unwrap().extend(letter.to_lowercase().filter(|c| c.is_alphanumeric()));
    }
    words
}

/// The public classes and functions of a Python source, and what the functions take.
pub fn of_python(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(line) = rest.split_inclusive('\n').next() {
        let code = line.trim_start().trim_start_matches("async ");
        let function = code.strip_prefix("def ");
        if let Some(name) = function.or(code.strip_prefix("class ")).map(identifier)
            && !name.starts_with('_')
        {
            names.push(name);
            if function.is_some() {
                names.extend(parameters(&rest[rest.find('(').unwrap() + 1..]));
            }
        }
        rest = &rest[line.len()..];
    }
    names
}

/// The names of the parameters in a text that begins behind the parenthesis.
fn parameters(text: &str) -> Vec<&str> {
    let (mut names, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, mark) in text.char_indices() {
        match mark {
            ',' | ')' if depth == 0 => {
                names.push(identifier(text[start..at].trim_start().trim_start_matches('*')));
                start = at + 1;
                if mark == ')' {
                    break;
                }
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// The keys of settings in a Rust source: what `may`, `must` and `or` are called with, and the
/// fields of the structs that `keyed!` makes.
pub fn of_settings(text: &str) -> Vec<String> {
    let mut keys = Vec::new();
    read_keys(text.parse().unwrap(), false, &mut keys);
    keys
}

fn read_keys(tokens: TokenStream, keyed: bool, keys: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut last = String::new();
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Ident(field) => {
                if keyed
                    && matches!(tokens.peek(), Some(TokenTree::Punct(mark))
                        if mark.as_char() == ':' && mark.spacing() == Spacing::Alone)
                {
                    keys.push(field.to_string());
                }
                last = field.to_string();
            }
            TokenTree::Group(group) => {
                if let ("may" | "must" | "or", Some(TokenTree::Literal(key))) =
                    (last.as_str(), group.stream().into_iter().next())
                {
                    keys.push(key.to_string().trim_matches('"').to_owned());
                }
                read_keys(group.stream(), keyed || last == "keyed", keys);
                last.clear();
            }
            // The mark between `keyed` and what it is given.
            TokenTree::Punct(mark) if mark.as_char() == '!' => {}
            _ => last.clear(),
        }
    }
}

#[test]
fn names_with_an_avoided_word_are_found() {
    let page = "| `no` | |\n## Words\n\n| word | not |\n| --- | --- |\n\
                | tell | `enter`, report, `bill` |\n";
    let avoided = Avoided::read(page);
    assert_eq!(
        avoided.count(["enter_trial", "a::BillPaid", "Enter", "entered", "report", "no"]),
        3
    );
    let python = "class Pair(Base):\n\
                  async def put(self, a: dict[str, int], *, b=(1, 2)) -> None:\n\
                  def _own(c): ...\n";
    assert_eq!(of_python(python), ["Pair", "put", "self", "a", "b"]);
    let rust = r#"const A: Key = Key::or("one", Shape::Keys(&[must("two", Shape::Flag, "")]), "");
        keyed! { Set { /** doc */ three: f64 = Shape::Keys(&[]), needed; four: u8, from T = x; } }
        struct Other { five: u8 }"#;
    assert_eq!(of_settings(rust), ["one", "two", "three", "four"]);
}
