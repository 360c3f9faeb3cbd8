//! Rust source texts as syntax trees.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The syntax tree of a source without each item under `#[cfg(test)]` or `#[cfg(all(test, ..))]`.
pub fn without_tests(text: &str) -> syn::File {
    let code = syn::parse_str(text).and_then(|tokens| syn::parse2(without(tokens)));
    code.unwrap_or_else(|error| panic!("{error}, in:\n{text}"))
}

fn without(tokens: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let TokenTree::Group(group) = token else {
            kept.push(token);
            continue;
        };
        let inside = group.stream().to_string().replace(' ', "");
        let for_tests = inside == "cfg(test)" || inside.starts_with("cfg(all(test,");
        if group.delimiter() != Delimiter::Bracket || !for_tests {
            let mut same = Group::new(group.delimiter(), without(group.stream()));
            same.set_span(group.span());
            kept.push(same.into());
            continue;
        }
        // The attributes with their marks, and the item.
        kept.pop();
        while let [.., mark, TokenTree::Group(_)] = &kept[..]
            && mark.to_string() == "#"
        {
            kept.truncate(kept.len() - 2);
        }
        let semicolon = |token: &TokenTree| token.to_string() == ";";
        let body = tokens.find(|token| semicolon(token) || is_body(token));
        if body.as_ref().is_some_and(is_body) {
            tokens.next_if(semicolon);
        }
    }
    kept.into_iter().collect()
}

fn is_body(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

#[test]
fn what_is_for_tests_is_left_out() {
    let text = r##"
        // fn one() {}
        fn two() { "#[cfg(test)] fn three() {}"; r#"fn " four() {}"#; '\''; }
        /// What tests it.
        #[cfg(test)]
        #[allow(dead_code)]
        mod tests { use super::*; fn five() { g({}) } }
        #[cfg(test)]
        use six::{seven, eight};
        #[cfg(all(test, feature = "gpu"))]
        fn nine(_: [u8; 4]) -> u8 { 10 }
        #[cfg(feature = "gpu")]
        mod last { #[cfg(test)] const ELEVEN: u8 = 11; fn inner() {} }
    "##;
    let [syn::Item::Fn(two), syn::Item::Mod(last)] = &without_tests(text).items[..] else {
        panic!("other items");
    };
    assert_eq!((two.sig.ident.to_string(), two.block.stmts.len()), ("two".to_owned(), 3));
    assert_eq!(last.content.as_ref().unwrap().1.len(), 1);
}
