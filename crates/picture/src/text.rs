//! Text in HTML and SVG: what it may contain, and how much room it takes.

/// Text for elements and attributes of HTML and SVG. Characters that XML does not have become
/// U+FFFD.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            '\n' | '\t' => escaped.push(letter),
            '\u{FFFE}' | '\u{FFFF}' => escaped.push('\u{FFFD}'),
            _ if letter.is_control() => escaped.push('\u{FFFD}'),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// About how wide a text is, in pixels. Letters of usual fonts are not wider.
pub fn width(text: &str, size: f64) -> f64 {
    let letter = |letter: char| match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '\'' | ' ' => 0.36,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.0,
        'A'..='Z' => 0.74,
        '\0'..='\u{2FF}' => 0.63,
        '\u{300}'..='\u{36F}' => 0.0,
        '\u{370}'..='\u{10FF}' | '\u{2000}'..='\u{2BFF}' => 0.8,
        _ => 1.15,
    };
    size * text.chars().map(letter).sum::<f64>()
}

/// The beginning of a text that fits into so many pixels, with an ellipsis if it is not all. Line
/// breaks become spaces.
pub fn fitted(text: &str, size: f64, room: f64) -> String {
    // A picture has no place for more letters than this, however thin they are.
    let line: String =
        text.chars().take(400).map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    if width(&line, size) <= room {
        return line;
    }
    let mut kept = String::new();
    let mut left = room - width("…", size);
    for letter in line.chars() {
        left -= width(letter.encode_utf8(&mut [0; 4]), size);
        if left < 0.0 {
            break;
        }
        kept.push(letter);
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_a_tag() {
        let evil = "</script><b onclick='x'>&\"\u{0}\u{1b}\u{FFFE}";
        let text = escaped(evil);
        assert_eq!(
            text,
            "&lt;/script&gt;&lt;b onclick=&#39;x&#39;&gt;&amp;&quot;\u{FFFD}\u{FFFD}\u{FFFD}"
        );
    }

    #[test]
    fn a_text_is_cut_where_its_room_ends() {
        assert_eq!(fitted("short", 12.0, 100.0), "short");
        for text in ["a very long name of a parameter", "MMMMMMMMMMMMMMM", "学習率学習率学習率"]
        {
            let cut = fitted(text, 12.0, 60.0);
            assert!(cut.ends_with('…') && width(&cut, 12.0) <= 60.0, "{cut}");
            assert!(text.starts_with(cut.trim_end_matches('…')), "{cut}");
        }
    }
}
