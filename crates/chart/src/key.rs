//! What a sign means.

use crate::marks::Sign;
use crate::side::LETTERS;
use crate::svg::{Anchor, area, line, path, words};
use crate::text::{fitted, width};

/// A row of the legend.
const ROW: f64 = 17.0;
/// The middle of a sign and the foot of its words, below the upper edge of a row.
const MIDDLE: f64 = 9.0;
const FOOT: f64 = 13.0;

/// A part of the legend: a sign, and what it means.
#[derive(Debug, Clone)]
pub struct Key {
    sign: String,
    /// The pixels that the sign takes, with the gap to its words.
    room: f64,
    words: String,
}

impl Key {
    /// A sign of a color.
    pub fn mark(sign: Sign, color: &str, words: impl Into<String>) -> Self {
        // A halo is wider than what it stands around.
        let half = if sign == Sign::Halo { 7.0 } else { 5.0 };
        Self::new(sign.element(color, (half, MIDDLE), ""), 2.0 * half + 4.0, words)
    }

    /// A line of a class.
    pub fn line(class: &str, words: impl Into<String>) -> Self {
        Self::new(line(class, (0.0, MIDDLE), (17.0, MIDDLE)), 22.0, words)
    }

    /// A band or a bar of a class.
    pub fn area(class: &str, words: impl Into<String>) -> Self {
        Self::new(area(class, (0.0, MIDDLE - 5.0), (17.0, MIDDLE + 5.0)), 22.0, words)
    }

    /// An error of a bar.
    pub fn error(words: impl Into<String>) -> Self {
        let ends = [(5.0, 3.0), (11.0, 3.0), (8.0, 3.0), (8.0, 15.0), (5.0, 15.0), (11.0, 15.0)];
        Self::new(path("thin ink", &ends), 22.0, words)
    }

    /// Signs of these colors between the words for the first and for the last of them.
    pub fn order(colors: &[&str], first: &str, last: &str) -> Self {
        let from = width(first, LETTERS) + 5.0;
        let mut sign = words("soft", (0.0, FOOT), Anchor::Start, first);
        for (place, color) in colors.iter().enumerate() {
            sign += &Sign::Dot.element(color, (from + 7.0 * place as f64 + 3.0, MIDDLE), "");
        }
        Self::new(sign, from + 7.0 * colors.len() as f64 + 2.0, last)
    }

    fn new(sign: String, room: f64, words: impl Into<String>) -> Self {
        Self { sign, room, words: words.into() }
    }
}

/// The keys beside each other between two pixels across, in as many rows as it takes, from one pixel
/// downward. Returns where they end, too.
pub fn legend(keys: &[Key], from: f64, to: f64, top: f64) -> (String, f64) {
    let mut drawn = String::new();
    let mut at = (from, top);
    for (number, Key { sign, room, words: text }) in keys.iter().enumerate() {
        let text = fitted(text, LETTERS, to - from - room);
        let taken = room + width(&text, LETTERS);
        if number > 0 && at.0 + taken > to {
            at = (from, at.1 + ROW);
        }
        let text = words("soft", (*room, FOOT), Anchor::Start, &text);
        drawn += &format!("<g transform=\"translate({:.1} {:.1})\">{sign}{text}</g>\n", at.0, at.1);
        at.0 += taken + 12.0;
    }
    (drawn, if keys.is_empty() { top } else { at.1 + ROW })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_do_not_fit_beside_each_other_get_another_row() {
        let keys: Vec<Key> = (0..10).map(|_| Key::line("line mark", "a rule")).collect();
        let (_, one) = legend(&keys, 10.0, 2000.0, 20.0);
        let (drawn, several) = legend(&keys, 10.0, 200.0, 20.0);
        assert_eq!((one, several), (20.0 + ROW, 20.0 + 5.0 * ROW));
        assert_eq!(drawn.matches("translate(10.0 ").count(), 5, "{drawn}");
        let long = Key::line("line mark", "a name ".repeat(50));
        assert!(legend(&[long], 10.0, 200.0, 20.0).0.contains('…'));
    }
}
