//! Texts with placeholders in braces.

use gittins::data::ParameterKind;
use gittins::named::hint;
use gittins::{Space, Value};

use crate::words::failure::{Failure, Result};

/// The placeholder of the trial's number, and the end of its variable's name.
pub const TRIAL: &str = "trial";

/// A text with placeholders: `{name}` for a value, `{trial}` for the trial's number, `{{` and `}}`
/// for braces.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// Its pieces.
    pub pieces: Vec<Piece>,
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Text as it is.
    Text(String),
    /// The value of a parameter.
    Value(String),
    /// The number of the trial.
    Trial,
    /// `{name?yes}` or `{name?yes:no}`: a text for `true`, and one for `false` or none.
    Switch(String, String, Option<String>),
}

impl Template {
    /// Reads a text.
    ///
    /// # Errors
    /// A brace without a partner, a name of no parameter, a switch on something else than a flag.
    pub fn parse(text: &str, space: &Space) -> Result<Self> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain += &rest[..at];
            let brace = &rest[at..=at];
            let after = &rest[at + 1..];
            if after.starts_with(brace) {
                plain += brace;
                rest = &after[1..];
                continue;
            }
            let inside = (brace == "{").then(|| after.split_once('}')).flatten();
            let Some((inside, after)) = inside else {
                return Err(Failure::new(format!(
                    "{text:?} has a brace without a partner; write {brace}{brace} for {brace}"
                )));
            };
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(piece(text, inside, space)?);
            rest = after;
        }
        plain += rest;
        if !plain.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Self { pieces })
    }

    /// The parameters that it names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Value(name) | Piece::Switch(name, ..) => Some(name.as_str()),
            Piece::Text(_) | Piece::Trial => None,
        })
    }

    /// Whether the trial's number stands in it.
    pub fn has_trial(&self) -> bool {
        self.pieces.contains(&Piece::Trial)
    }

    /// The text with values. None if a value is absent, or a switch has nothing to say.
    pub fn fill(&self, trial: usize, value: impl Fn(&str) -> Value) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(plain) => text += plain,
                Piece::Trial => text += &trial.to_string(),
                Piece::Value(name) => match value(name) {
                    Value::Absent => return None,
                    value => text += &value.to_string(),
                },
                Piece::Switch(name, yes, no) => match value(name) {
                    Value::Flag(true) => text += yes,
                    Value::Flag(false) => text += no.as_ref()?,
                    _ => return None,
                },
            }
        }
        Some(text)
    }
}

fn piece(text: &str, inside: &str, space: &Space) -> Result<Piece> {
    let known = |name: &str| {
        space.parameters().iter().find(|parameter| parameter.name() == name).ok_or_else(|| {
            let names: Vec<&str> = space.names().chain([TRIAL]).collect();
            Failure::new(format!(
                "no parameter is named {name:?} in {text:?}; {}; write {{{{ and }}}} for braces",
                hint(name, names)
            ))
        })
    };
    if inside == TRIAL {
        return Ok(Piece::Trial);
    }
    let (name, words) = match (known(inside), inside.split_once('?')) {
        (Ok(_), _) => return Ok(Piece::Value(inside.to_owned())),
        (Err(unknown), None) => return Err(unknown),
        (Err(_), Some(parts)) => parts,
    };
    let parameter = known(name)?;
    if !matches!(parameter.kind(), ParameterKind::Flag) {
        return Err(Failure::new(format!(
            "{{{inside}}} in {text:?} asks for a flag, and the parameter {name:?} is {}",
            parameter.kind()
        )));
    }
    let (yes, no) = match words.split_once(':') {
        Some((yes, no)) => (yes, Some(no.to_owned())),
        None => (words, None),
    };
    Ok(Piece::Switch(name.to_owned(), yes.to_owned(), no))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> Space {
        Space::new().float("x", 0.0, 1.0).flag("bias").choice("net", ["a", "b"])
    }

    fn filled(text: &str) -> Option<String> {
        Template::parse(text, &space()).unwrap().fill(7, |name| match name {
            "x" => Value::from(0.25),
            "bias" => Value::from(true),
            _ => Value::Absent,
        })
    }

    #[test]
    fn placeholders_become_values_and_double_braces_braces() {
        assert_eq!(filled("--x={x}").as_deref(), Some("--x=0.25"));
        assert_eq!(filled("{{\"x\": {x}}} {trial}").as_deref(), Some("{\"x\": 0.25} 7"));
        assert_eq!(filled("").as_deref(), Some(""));
        assert_eq!(filled("{net}"), None);
        assert_eq!(filled("{bias?--bias}").as_deref(), Some("--bias"));
    }

    #[test]
    fn a_switch_has_a_text_for_each_answer_or_none() {
        let no = |_: &str| Value::from(false);
        let read = |text: &str| Template::parse(text, &space()).unwrap();
        assert_eq!(read("{bias?--bias}").fill(0, no), None);
        assert_eq!(read("{bias?--bias:--no-bias}").fill(0, no).as_deref(), Some("--no-bias"));
        assert_eq!(read("{bias?:off}").fill(0, |_| Value::from(true)).as_deref(), Some(""));
    }

    #[test]
    fn what_cannot_be_filled_is_an_error() {
        for (text, words) in [
            ("{y}", "did you mean \"x\"?"),
            ("{bais}", "did you mean \"bias\"?"),
            ("{}", "no parameter is named \"\""),
            ("{x", "a brace without a partner"),
            ("x}", "write }} for }"),
            ("{x?--x}", "asks for a flag"),
            ("{awk}", "there are x, bias, net, trial"),
        ] {
            let error = Template::parse(text, &space()).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
