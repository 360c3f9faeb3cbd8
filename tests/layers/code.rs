//! The words of a Rust source text.

/// Words, string literals, `::` and single marks, in order. Comments, characters, lifetimes and
/// test code are left out.
pub fn tokens(text: &str) -> Vec<&str> {
    without_tests(&all_tokens(text))
}

fn all_tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(length) = string(rest) {
            tokens.push(&rest[..length]);
            length
        } else if first == '\'' {
            character_or_lifetime(rest)
        } else if is_word(first) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            tokens.push(&rest[..length]);
            length
        } else if rest.starts_with("::") {
            tokens.push("::");
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(&rest[..first.len_utf8()]);
            }
            first.len_utf8()
        };
        at += length;
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of a block comment. It may contain other block comments.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                break;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// The length of a string literal, raw or not, if the text begins with one.
fn string(text: &str) -> Option<usize> {
    let plain = text.strip_prefix('b').unwrap_or(text);
    let raw = plain.strip_prefix('r');
    let body = raw.unwrap_or(plain);
    let hashes = if raw.is_some() { body.bytes().take_while(|b| *b == b'#').count() } else { 0 };
    let inside = body[hashes..].strip_prefix('"')?;
    let start = text.len() - inside.len();
    if raw.is_some() {
        let end = format!("\"{}", "#".repeat(hashes));
        return inside.find(&end).map(|at| start + at + end.len());
    }
    let mut escaped = false;
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(start + at + 1),
            _ => {}
        }
    }
    None
}

/// The length of a character literal or of a lifetime.
fn character_or_lifetime(text: &str) -> usize {
    let inside = &text[1..];
    if let Some(escape) = inside.strip_prefix('\\') {
        let skipped = escape.chars().next().map_or(0, char::len_utf8);
        let close = escape[skipped..].find('\'').map_or(escape.len(), |at| skipped + at + 1);
        return 2 + close;
    }
    let first = inside.chars().next().map_or(0, char::len_utf8);
    if inside[first..].starts_with('\'') {
        return first + 2;
    }
    1 + inside.find(|c| !is_word(c)).unwrap_or(inside.len())
}

/// Leaves out each item under `#[cfg(test)]` or `#[cfg(all(test, ..))]`.
fn without_tests<'a>(tokens: &[&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_test_attribute(&tokens[at..]) {
            at = end_of_item(tokens, at);
        } else {
            kept.push(tokens[at]);
            at += 1;
        }
    }
    kept
}

fn is_test_attribute(tokens: &[&str]) -> bool {
    tokens.starts_with(&["#", "[", "cfg", "(", "test", ")"])
        || tokens.starts_with(&["#", "[", "cfg", "(", "all", "(", "test"])
}

/// The index after an item and the attributes before it.
fn end_of_item(tokens: &[&str], mut at: usize) -> usize {
    while tokens.get(at) == Some(&"#") {
        at = after_group(tokens, at + 1);
    }
    while let Some(&token) = tokens.get(at) {
        match token {
            ";" => return at + 1,
            "(" | "[" => at = after_group(tokens, at),
            "{" => {
                let end = after_group(tokens, at);
                return if tokens.get(end) == Some(&";") { end + 1 } else { end };
            }
            _ => at += 1,
        }
    }
    at
}

/// The index after the brackets that open here.
pub fn after_group(tokens: &[&str], start: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

#[test]
fn words_are_read_without_comments_literals_and_tests() {
    let text = r##"
        // one::two
        /* three /* four */ five */
        let a: &'static str = "six::seven \" eight"; let b = r#"nine " ten"#;
        let c = ['x', '\'', '\u{1F600}', b'y'];
        #[cfg(test)]
        #[allow(dead_code)]
        mod tests { use super::*; fn f() { g({}) } }
        #[cfg(test)]
        use eleven::{twelve, thirteen};
        #[cfg(all(test, feature = "gpu"))]
        fn fourteen(_: [u8; 4]) -> u8 { 15 }
        fn last<'a>(x: &'a T) {}
    "##;
    let words: Vec<&str> = tokens(text)
        .into_iter()
        .filter(|token| token.starts_with(is_word) || token.starts_with('"'))
        .collect();
    let expected = [
        "let",
        "a",
        "str",
        "\"six::seven \\\" eight\"",
        "let",
        "b",
        "r#\"nine \" ten\"#",
        "let",
        "c",
        "b",
        "fn",
        "last",
        "x",
        "T",
    ];
    assert_eq!(words, expected);
}
