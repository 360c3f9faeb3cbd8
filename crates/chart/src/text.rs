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

/// About how wide a text is, in pixels: in `DejaVu` Sans, which is wider than other usual fonts.
pub fn width(text: &str, size: f64) -> f64 {
    let letter = |letter: char| match letter {
        'i' | 'j' | 'l' | '\'' => 0.29,
        'I' | ' ' | '.' | ',' | ':' | ';' | '|' | '/' | '-' => 0.35,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '"' => 0.42,
        's' | 'c' | 'z' | '_' => 0.55,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.0,
        '+' | '<' | '>' | '=' | '#' | '~' | '…' => 0.85,
        'A'..='Z' | '&' => 0.79,
        '\0'..='\u{2FF}' => 0.64,
        '\u{300}'..='\u{36F}' => 0.0,
        '\u{370}'..='\u{10FF}' | '\u{2000}'..='\u{2BFF}' => 0.85,
        _ => 1.15,
    };
    size * text.chars().map(letter).sum::<f64>()
}

/// A text that fits into so many pixels: its beginning and its end with an ellipsis between, if it
/// is too long. Names often differ at their ends alone. Line breaks become spaces.
pub fn fitted(text: &str, size: f64, room: f64) -> String {
    // A picture has no place for more letters than this, however thin they are.
    const MOST: usize = 200;
    let letter = |c: char| if c.is_whitespace() { ' ' } else { c };
    let head: Vec<char> = text.chars().take(2 * MOST).map(letter).collect();
    let line: String = head.iter().collect();
    if head.len() < 2 * MOST && width(&line, size) <= room {
        return line;
    }
    let tail: Vec<char> = text.chars().rev().take(MOST).map(letter).collect();
    let room = room - width("…", size);
    let taken = |letters: &mut dyn Iterator<Item = &char>, mut room: f64| -> Vec<char> {
        letters
            .take_while(|letter| {
                room -= width(letter.encode_utf8(&mut [0; 4]), size);
                room >= 0.0
            })
            .copied()
            .collect()
    };
    let start = taken(&mut head.iter(), 0.6 * room);
    let end = taken(&mut tail.iter(), 0.4 * room);
    start.into_iter().chain(['…']).chain(end.into_iter().rev()).collect()
}

/// A text in lines that are not wider than so many pixels; a word alone may be.
pub fn wrapped(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| width(&format!("{line} {word}"), size) <= room) {
            Some(line) => *line = format!("{line} {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines
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
    fn a_text_in_lines_loses_no_word() {
        let text = "a mixture of both and a spoon of honey";
        let lines = wrapped(text, 12.0, 80.0);
        assert_eq!(lines.join(" "), text);
        assert!(lines.len() > 2 && lines.iter().all(|line| width(line, 12.0) <= 80.0), "{lines:?}");
        assert_eq!(wrapped("honeycomb", 12.0, 5.0), ["honeycomb"]);
    }

    #[test]
    fn a_text_that_is_too_long_is_cut_in_its_middle() {
        assert_eq!(fitted("short", 12.0, 100.0), "short");
        for text in ["a very long name of a parameter", "MMMMMMMMMMMMMMM", "学習率学習率学習率"]
        {
            let cut = fitted(text, 12.0, 60.0);
            assert!(width(&cut, 12.0) <= 60.0, "{cut}");
            let (start, end) = cut.split_once('…').unwrap();
            assert!(!start.is_empty() && text.starts_with(start), "{cut}");
            assert!(!end.is_empty() && text.ends_with(end), "{cut}");
        }
    }
}
