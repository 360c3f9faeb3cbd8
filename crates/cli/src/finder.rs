//! Where a number stands in what a trial wrote.

use regex::Regex;
use serde_json::Value;

use crate::template::Template;

/// Where a number is looked for, and what it looks like.
#[derive(Debug, Clone)]
pub struct Finder {
    /// The file; none for the standard output.
    pub file: Option<Template>,
    /// What it looks like.
    pub form: Form,
}

/// What a number looks like among the lines of a text.
#[derive(Debug, Clone)]
pub enum Form {
    /// It is all of the last line that is not blank.
    LastLine,
    /// It stands at these keys, one inside the other, in the last line that is a JSON object and
    /// has them.
    Key(Vec<String>),
    /// It is the group of the last match.
    Pattern(Regex),
}

/// Looks for a number, line by line, and keeps the last one.
#[derive(Debug, Clone)]
pub struct Search {
    form: Form,
    found: Option<Result<f64, String>>,
}

/// How much of a line that is no number a message shows.
const SHOWN: usize = 80;

impl Search {
    /// Begins a search.
    pub fn new(form: &Form) -> Self {
        Self { form: form.clone(), found: None }
    }

    /// Takes the next line.
    pub fn line(&mut self, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        let found = match &self.form {
            Form::LastLine => Some(number(line)),
            Form::Key(keys) if line.starts_with('{') => {
                serde_json::from_str(line).ok().and_then(|object| at(&object, keys))
            }
            Form::Key(_) => None,
            Form::Pattern(pattern) => pattern
                .captures_iter(line)
                .last()
                .and_then(|groups| groups.get(1))
                .map(|group| number(group.as_str())),
        };
        if found.is_some() {
            self.found = found;
        }
    }

    /// Takes a whole text, which may also be one JSON object of several lines.
    pub fn text(&mut self, text: &str) {
        if let Form::Key(keys) = &self.form
            && let Ok(object) = serde_json::from_str(text)
        {
            self.found = at(&object, keys);
            return;
        }
        text.split(['\n', '\r']).for_each(|line| self.line(line));
    }

    /// The number, or why there is none.
    pub fn result(self) -> Result<f64, String> {
        match self.found {
            Some(Ok(number)) if number.is_finite() => Ok(number),
            Some(Ok(number)) => Err(format!("the number is {number}")),
            Some(Err(why)) => Err(why),
            None => Err(match self.form {
                Form::LastLine => "nothing was written".to_owned(),
                Form::Key(keys) => format!("no JSON line has the key {:?}", keys.join(".")),
                Form::Pattern(pattern) => format!("no line matches {:?}", pattern.as_str()),
            }),
        }
    }
}

/// Reads a number, whatever stands around it.
pub fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| {
        let shown: String = text.chars().take(SHOWN).collect();
        let more = if shown.len() < text.len() { "..." } else { "" };
        format!("expected a number, got \"{shown}{more}\"")
    })
}

/// The number at the keys of an object; none if it does not have them.
pub fn at(object: &Value, keys: &[String]) -> Option<Result<f64, String>> {
    let mut value = object;
    for key in keys {
        value = match value {
            Value::Array(list) => list.get(key.parse::<usize>().ok()?)?,
            _ => value.get(key)?,
        };
    }
    Some(match value {
        Value::Number(number) => number.as_f64().ok_or_else(|| format!("{number} is too large")),
        // Python's and our own way to write what JSON does not have.
        Value::String(text) => number(text),
        Value::Null => Err("the number is null".to_owned()),
        other => number(&other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(form: Form, text: &str) -> Result<f64, String> {
        let mut search = Search::new(&form);
        text.split('\n').for_each(|line| search.line(line));
        search.result()
    }

    #[test]
    fn the_last_line_counts_that_is_not_blank() {
        assert_eq!(found(Form::LastLine, "epoch 1\n 0.5 \n\n"), Ok(0.5));
        assert_eq!(
            found(Form::LastLine, "0.5\ndone"),
            Err("expected a number, got \"done\"".into())
        );
        assert_eq!(found(Form::LastLine, "\n"), Err("nothing was written".into()));
        assert_eq!(found(Form::LastLine, "nan"), Err("the number is NaN".into()));
        assert_eq!(found(Form::LastLine, "-inf"), Err("the number is -inf".into()));
    }

    #[test]
    fn the_last_json_line_counts_that_has_the_key() {
        let key = |path: &str| Form::Key(path.split('.').map(str::to_owned).collect());
        let text = "{\"loss\": {\"valid\": 3}}\n{\"loss\": {\"valid\": 2.5}}\nbye\n{\"epoch\": 1}\n{broken";
        assert_eq!(found(key("loss.valid"), text), Ok(2.5));
        assert!(found(key("loss.train"), text).unwrap_err().contains("loss.train"));
        assert_eq!(found(key("a.1"), "{\"a\": [1, 2]}"), Ok(2.0));
        assert_eq!(found(key("a"), "{\"a\": \"inf\"}"), Err("the number is inf".into()));
        assert_eq!(found(key("a"), "{\"a\": true}"), Err("expected a number, got \"true\"".into()));
        let mut whole = Search::new(&key("a.b"));
        whole.text("{\n \"a\": {\n  \"b\": 7\n }\n}\n");
        assert_eq!(whole.result(), Ok(7.0));
    }

    #[test]
    fn the_last_match_counts() {
        let loss = Form::Pattern(Regex::new(r"loss=(\S+)").unwrap());
        assert_eq!(found(loss.clone(), "loss=1 loss=2\nloss=3, loss=4\nend"), Ok(4.0));
        assert!(found(loss, "lost=1").unwrap_err().contains("no line matches"));
    }
}
