//! A TOML document whose every error names the file, the line and the key.

use std::ops::Range;

use gittins::Value;
use gittins::named::{Key, Shape};
use toml::de::{DeTable, DeValue};

use super::words;
use crate::words::failure::{Failure, Result};

/// The text of a file, and its name in messages.
pub struct Document<'t> {
    /// The name of the file.
    pub name: &'t str,
    /// Its text.
    pub text: &'t str,
}

impl<'t> Document<'t> {
    /// Reads the text as a table.
    pub fn parse(&self) -> Result<toml::Spanned<DeTable<'t>>> {
        DeTable::parse(self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            // What the parser says of several lines is said in one.
            let message = error.message().split('\n').collect::<Vec<_>>().join(", ");
            self.problem(&span, "", message)
        })
    }

    /// An error at a place of the text.
    pub fn problem(&self, span: &Range<usize>, path: &str, message: impl Into<String>) -> Failure {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let place = if path.is_empty() { String::new() } else { format!(", {path}") };
        Failure::new(message).at(format_args!("{}, line {line}{place}", self.name))
    }
}

/// A value, and where it stands.
#[derive(Clone)]
pub struct Item<'d> {
    document: &'d Document<'d>,
    /// The keys that lead to it, with dots in between.
    pub path: String,
    span: Range<usize>,
    value: &'d DeValue<'d>,
}

impl<'d> Item<'d> {
    /// An error here.
    pub fn problem(&self, message: impl Into<String>) -> Failure {
        self.document.problem(&self.span, &self.path, message)
    }

    /// An error that says what was expected, and what came.
    pub fn other_than(&self, wanted: &str) -> Failure {
        self.problem(format!("expected {wanted}, got {}", self.shown()))
    }

    /// The value in a message, a number as it is written.
    pub fn shown(&self) -> String {
        match self.value {
            DeValue::String(text) => format!("the text {text:?}"),
            DeValue::Integer(digits) => digits.as_str().to_owned(),
            DeValue::Float(float) => float.as_str().to_owned(),
            DeValue::Boolean(flag) => flag.to_string(),
            DeValue::Datetime(date) => format!("the date {date}"),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        }
    }

    /// A number, which may be infinite.
    pub fn number(&self) -> Result<f64> {
        let number = match self.value {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(_) => self.value_as_whole().map(|whole| whole as f64),
            _ => None,
        };
        number.ok_or_else(|| self.other_than("a number"))
    }

    /// A finite number.
    pub fn finite(&self) -> Result<f64> {
        let number = self.number()?;
        if number.is_finite() { Ok(number) } else { Err(self.other_than("a finite number")) }
    }

    /// A positive, finite number.
    pub fn positive(&self) -> Result<f64> {
        let number = self.finite()?;
        if number > 0.0 { Ok(number) } else { Err(self.other_than("a positive number")) }
    }

    fn value_as_whole(&self) -> Option<i64> {
        match self.value {
            DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix()).ok(),
            _ => None,
        }
    }

    /// A whole number.
    pub fn whole(&self) -> Result<i64> {
        self.value_as_whole().ok_or_else(|| self.other_than("a whole number"))
    }

    /// A whole number from a bound on.
    pub fn count(&self, least: u32) -> Result<u32> {
        u32::try_from(self.whole()?)
            .ok()
            .filter(|count| *count >= least)
            .ok_or_else(|| self.other_than(&format!("a whole number from {least} to {}", u32::MAX)))
    }

    /// A text.
    pub fn text(&self) -> Result<&'d str> {
        self.value.as_str().ok_or_else(|| self.other_than("a text in quotes"))
    }

    /// One of these texts.
    pub fn one_of(&self, known: &'static [&'static str]) -> Result<&'static str> {
        let text = self.text()?;
        known
            .iter()
            .copied()
            .find(|name| *name == text)
            .ok_or_else(|| self.unknown("value", text, known.iter().copied()))
    }

    /// An error about a name that there is not.
    pub fn unknown<'n>(
        &self,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'n str> + Clone,
    ) -> Failure {
        self.problem(format!("unknown {what} {name:?}; {}", words::hint(name, known)))
    }

    /// A text that is not empty.
    pub fn word(&self) -> Result<&'d str> {
        match self.text()? {
            "" => Err(self.problem("expected a text, got an empty one")),
            text => Ok(text),
        }
    }

    /// `true` or `false`.
    pub fn flag(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.other_than("true or false"))
    }

    /// A number, a text or a flag.
    pub fn scalar(&self) -> Result<Value> {
        match self.value {
            DeValue::String(text) => Ok(Value::from(&**text)),
            DeValue::Boolean(flag) => Ok(Value::from(*flag)),
            DeValue::Integer(_) => Ok(Value::from(self.whole()?)),
            DeValue::Float(_) => Ok(Value::from(self.finite()?)),
            _ => Err(self.other_than(&Shape::Value.words())),
        }
    }

    /// The members of a list.
    pub fn list(&self) -> Result<Vec<Item<'d>>> {
        let list = self.value.as_array().ok_or_else(|| self.other_than("a list"))?;
        Ok(list
            .iter()
            .enumerate()
            .map(|(index, member)| Item {
                document: self.document,
                path: format!("{}[{index}]", self.path),
                span: member.span(),
                value: member.get_ref(),
            })
            .collect())
    }

    /// Whether it is a text.
    pub fn is_text(&self) -> bool {
        self.value.is_str()
    }

    /// Whether it is a table.
    pub fn is_table(&self) -> bool {
        self.value.is_table()
    }

    /// Whether it is a list.
    pub fn is_list(&self) -> bool {
        self.value.is_array()
    }

    /// Keys and values of a table with keys of the writer's choice, in the order of the file.
    pub fn entries(&self) -> Result<Vec<(&'d str, Item<'d>)>> {
        let table = self.value.as_table().ok_or_else(|| self.other_than("a table"))?;
        Ok(entries(self.document, &self.path, table))
    }

    /// A table with these keys.
    pub fn section(&self, keys: &'static [Key]) -> Result<Section<'d>> {
        let table = self.value.as_table().ok_or_else(|| self.other_than("a table"))?;
        Section::new(self.document, &self.path, self.span.clone(), table, keys)
    }

    /// The table behind one of its keys, before it is known which keys it may have.
    pub fn peek(&self, key: &str) -> Result<Option<Item<'d>>> {
        Ok(self.entries()?.into_iter().find(|(name, _)| *name == key).map(|(_, item)| item))
    }
}

fn entries<'d>(
    document: &'d Document<'d>,
    path: &str,
    table: &'d DeTable<'d>,
) -> Vec<(&'d str, Item<'d>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
        .into_iter()
        .map(|(key, value)| {
            let name: &str = key.get_ref();
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            // The line of the key: a value may begin some lines below.
            let span = key.span().start..value.span().end.max(key.span().start);
            (name, Item { document, path, span, value: value.get_ref() })
        })
        .collect()
}

/// A table with known keys.
pub struct Section<'d> {
    document: &'d Document<'d>,
    path: String,
    span: Range<usize>,
    entries: Vec<(&'d str, Item<'d>)>,
    keys: &'static [Key],
}

impl<'d> Section<'d> {
    /// Checks the keys of a table.
    ///
    /// # Errors
    /// An unknown key, with the nearest known one.
    pub fn new(
        document: &'d Document<'d>,
        path: &str,
        span: Range<usize>,
        table: &'d DeTable<'d>,
        keys: &'static [Key],
    ) -> Result<Self> {
        let entries = entries(document, path, table);
        for (name, item) in &entries {
            if !keys.iter().any(|key| key.name == *name) {
                let known = keys.iter().map(|key| key.name);
                let there = Vec::from_iter(entries.iter().map(|(name, _)| *name));
                let hint = words::of_key(path, name, known, &there);
                return Err(item.problem(format!("unknown key; {hint}")));
            }
        }
        Ok(Self { document, path: path.to_owned(), span, entries, keys })
    }

    /// The value of a key.
    pub fn get(&self, name: &str) -> Option<Item<'d>> {
        debug_assert!(self.keys.iter().any(|key| key.name == name), "{name} is not in the schema");
        self.entries.iter().find(|(key, _)| *key == name).map(|(_, item)| item.clone())
    }

    /// The value of a setting of the library, if the key of its name is that setting.
    pub fn setting(&self, setting: &Key) -> Option<Item<'d>> {
        let is_setting = |key: &&Key| key.name == setting.name && key.shape == setting.shape;
        self.keys.iter().find(is_setting).and_then(|key| self.get(key.name))
    }

    /// The value of a key that must be there.
    pub fn need(&self, name: &str) -> Result<Item<'d>> {
        self.get(name).ok_or_else(|| self.problem(format!("the key \"{name}\" is missing")))
    }

    /// What is read of a key, if it is there.
    pub fn read<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Item<'d>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.get(name).as_ref().map(read).transpose()
    }

    /// An error of the whole table.
    pub fn problem(&self, message: impl Into<String>) -> Failure {
        self.document.problem(&self.span, &self.path, message)
    }
}
