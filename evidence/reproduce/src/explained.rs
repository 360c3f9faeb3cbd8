//! The known reasons for differences from published numbers: `explained.csv`.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// The kind of a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    #[serde(rename = "their bug")]
    TheirBug,
    #[serde(rename = "our bug")]
    OurBug,
    #[serde(rename = "other protocol")]
    OtherProtocol,
    #[serde(rename = "chance")]
    Chance,
    #[serde(rename = "unexplained")]
    Unexplained,
}

/// A reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    pub kind: Kind,
    pub text: String,
}

/// A line of the table.
#[derive(Debug, Clone, Deserialize)]
struct Row {
    title: String,
    method: String,
    place: String,
    kind: Kind,
    text: String,
}

/// A line, read.
type Entry = (Row, Explanation);

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::TheirBug => "their bug",
            Self::OurBug => "our bug",
            Self::OtherProtocol => "other protocol",
            Self::Chance => "chance",
            Self::Unexplained => "unexplained",
        }
    }
}

impl Row {
    /// How specifically the line is about a number; none if it is about others.
    fn says(&self, title: &str, method: &str, place: &str) -> Option<usize> {
        // The titles of a race's panels continue with a colon.
        let here = title
            .strip_prefix(&self.title)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(": "));
        let fits = |said: &str, asked: &str| said.is_empty() || said == asked;
        let found = here && fits(&self.method, method) && fits(&self.place, place);
        found.then_some(
            4 * usize::from(self.title == title)
                + 2 * usize::from(!self.method.is_empty())
                + usize::from(!self.place.is_empty()),
        )
    }
}

/// The reason why the number of a method at a place of a panel differs, if it is known.
pub fn of(title: &str, method: &str, place: &str) -> Option<&'static Explanation> {
    among(entries(), title, method, place)
}

fn among<'a>(
    entries: &'a [Entry],
    title: &str,
    method: &str,
    place: &str,
) -> Option<&'a Explanation> {
    let found = entries
        .iter()
        .filter_map(|(row, explanation)| Some((row.says(title, method, place)?, explanation)));
    found.max_by_key(|(says, _)| *says).map(|(_, explanation)| explanation)
}

fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        read(include_str!("explained.csv"))
            .expect("explained.csv is part of the program and well formed")
    })
}

fn read(text: &str) -> csv::Result<Vec<Entry>> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let rows = reader.deserialize::<Row>();
    rows.map(|row| row.map(|row| (row.clone(), Explanation { kind: row.kind, text: row.text })))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_says_most_counts() {
        let text = "title,method,place,kind,text\nFig. 4,,,other protocol,all\nFig. 4,TS,,their bug,\"a method, quoted\"\nFig. 4,TS,50 %,chance,a place\n";
        let entries = read(text).unwrap();
        let found = |title, method, place| {
            among(&entries, title, method, place).map(|e| (e.kind, &*e.text))
        };
        assert_eq!(found("Fig. 4", "TS", "50 %"), Some((Kind::Chance, "a place")));
        assert_eq!(found("Fig. 4", "TS", "75 %"), Some((Kind::TheirBug, "a method, quoted")));
        assert_eq!(found("Fig. 4: lambda", "PBGI", "75 %"), Some((Kind::OtherProtocol, "all")));
        assert_eq!(found("Fig. 4, d = 8", "TS", "50 %"), None);
    }

    #[test]
    fn the_table_can_be_read_and_every_line_has_a_reason() {
        for (row, explanation) in read(include_str!("explained.csv")).unwrap() {
            assert!(!row.title.is_empty() && !explanation.text.trim().is_empty(), "{row:?}");
            assert_eq!(serde_json::to_value(explanation.kind).unwrap(), explanation.kind.name());
        }
    }
}
