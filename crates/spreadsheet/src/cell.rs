//! What a cell says: a number, a name, nothing, or what was meant for a number.

/// What is written for what is not there, in lower case. In a column of names it may be a name.
const MISSING: [&str; 22] = [
    "na", "n/a", "n.a.", "#n/a", "<na>", "null", "none", "nil", "nat", "unknown", "missing", "?",
    ".", "--", "\u{2013}", "\u{2014}", "tbd", "pending", "n.d.", "#value!", "#div/0!", "#ref!",
];

/// What stands beside a number that has a unit or a bound, and what stands between its thousands.
const BESIDE: &str = "$€£¥%<>=≤≥~≈";
const BETWEEN: &str = " \u{a0}\u{2009}\u{202f}'\u{2019}_,";

/// What a cell says.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing: it is empty, a hyphen or NaN.
    Absent,
    /// A word for what is not there, which may be a name.
    Missing,
    /// A number.
    Number(Number),
    /// A text that was meant for a number.
    Odd,
    /// Any other text.
    Name,
}

/// A number of a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// Its text as it stands there, with a point and a hyphen as other programs read them.
    pub text: String,
    /// Its value.
    pub value: f64,
}

/// What a cell says. Beside semicolons, a comma is the point of a number. So it is beside tabs,
/// unless three digits follow: then it may stand between thousands.
pub fn read(cell: &str, separator: u8) -> Cell {
    let cell = cell.trim();
    if is_absent(cell) {
        return Cell::Absent;
    }
    if MISSING.contains(&cell.to_lowercase().as_str()) {
        return Cell::Missing;
    }
    let text = plain(cell, separator);
    let is_spelled = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Cell::Number(Number { text, value }),
        Ok(_) => Cell::Odd,
        Err(_) if is_number_beside_other(&text) && !text.chars().all(is_spelled) => Cell::Odd,
        Err(_) => Cell::Name,
    }
}

/// Whether a text stands for nothing. Tables of other programs have NaN there.
pub fn is_absent(text: &str) -> bool {
    matches!(text, "" | "-") || text.eq_ignore_ascii_case("nan")
}

/// A number of a sheet, none for what is not there.
///
/// # Errors
/// Those of [`number::number`](crate::number::number).
pub fn number(cell: &str, separator: u8) -> Result<Option<f64>, String> {
    match read(cell, separator) {
        Cell::Absent | Cell::Missing => Ok(None),
        Cell::Number(number) => Ok(Some(number.value)),
        Cell::Odd | Cell::Name => crate::number::number(cell).map(Some),
    }
}

/// A text with the point and the minus sign of a number.
fn plain(text: &str, separator: u8) -> String {
    let comma = text.split_once(',').filter(|(_, rest)| !text.contains('.') && !rest.contains(','));
    let is_decimal = comma.is_some_and(|(_, rest)| match separator {
        b';' => true,
        b'\t' => rest.len() != 3,
        _ => false,
    });
    let text = if is_decimal { text.replace(',', ".") } else { text.to_owned() };
    text.replace('\u{2212}', "-")
}

/// Whether a text is a number without signs beside it and marks between its thousands: `$3.5`,
/// `< 0.1`, `1 200`, `1,5`, `5 %`.
fn is_number_beside_other(text: &str) -> bool {
    let bare = text.trim_matches(|letter: char| letter == ' ' || BESIDE.contains(letter));
    let digits = bare.replace(|letter: char| BETWEEN.contains(letter), "");
    digits.parse::<f64>().is_ok() && bare.ends_with(|letter: char| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_names_and_from_what_was_meant_for_one() {
        for (cell, value, text) in [
            ("3", 3.0, "3"),
            (" 4.10 ", 4.1, "4.10"),
            ("007", 7.0, "007"),
            ("+2", 2.0, "+2"),
            ("1e-3", 1e-3, "1e-3"),
            ("\u{2212}5", -5.0, "-5"),
            ("12345678901234567891", 12345678901234567891.0, "12345678901234567891"),
        ] {
            let expected = Cell::Number(Number { text: text.to_owned(), value });
            assert_eq!(read(cell, b','), expected, "{cell}");
        }
        for cell in ["", " ", "-", "NaN"] {
            assert_eq!(read(cell, b','), Cell::Absent, "{cell}");
        }
        for cell in ["NA", "n/a", "None", "#N/A", "PENDING", "?"] {
            assert_eq!(read(cell, b','), Cell::Missing, "{cell}");
        }
        let odd = [
            "$3.5",
            "3.5 €",
            "<0.1",
            ">= 5",
            "1 200",
            "1,200",
            "1'200",
            "1,5",
            "5%",
            "inf",
            "1e999",
            "1,234,567.5",
            "~3",
            "1_000",
        ];
        for cell in odd {
            assert_eq!(read(cell, b','), Cell::Odd, "{cell}");
        }
        let names =
            ["oak", "7b", "1.2.3", "2026-03-02", "10:30", "1/2", "e", ".e", "5 mg", "a 1", "1-2"];
        for cell in names {
            assert_eq!(read(cell, b','), Cell::Name, "{cell}");
        }
    }

    #[test]
    fn commas_are_points_where_they_separate_nothing() {
        for (cell, separator, expected) in [
            ("1,5", b';', Ok(Some(1.5))),
            ("1,200", b';', Ok(Some(1.2))),
            ("1,5", b'\t', Ok(Some(1.5))),
            ("\u{2212}1,5", b';', Ok(Some(-1.5))),
            ("1,200", b'\t', Err("expected a number, got \"1,200\"".to_owned())),
            ("1,5", b',', Err("expected a number such as 1.5, got \"1,5\"".to_owned())),
            ("n/a", b',', Ok(None)),
        ] {
            assert_eq!(number(cell, separator), expected, "{cell}");
        }
    }
}
