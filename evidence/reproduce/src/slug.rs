//! Texts as names of files.

/// The text in letters fit for a file.
pub fn slug(text: &str) -> String {
    let letters: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' })
        .collect();
    letters.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}
