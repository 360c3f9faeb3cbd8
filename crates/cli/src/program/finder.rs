//! Where a number stands in what a trial wrote.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::program::template::Template;
use crate::words::number::such_as;

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
    /// has them. Keys next to each other may also be one key with a dot in it.
    Key(Vec<String>),
    /// It is the group of the last match.
    Pattern(Regex),
    /// It has a name. In a JSON line that is its key, inside of these keys or at the top; a name with
    /// dots may also be keys one inside the other. Any other line reads `NAME: NUMBER`, `NAME = NUMBER` or `NAME NUMBER`. The last line of either kind
    /// counts.
    Named {
        /// The name.
        name: String,
        /// The keys of the object that has the outcome.
        inside: Vec<String>,
    },
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
            Form::Key(keys) => object(line).and_then(|object| at(&object, keys)),
            Form::Named { name, inside } => match object(line) {
                Some(object) => keyed(&object, name, inside),
                None => labeled(line, name),
            },
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
        let whole = || serde_json::from_str(text).ok().or_else(|| object(text.trim()));
        let found = match &self.form {
            Form::Key(keys) => whole().map(|all| at(&all, keys)),
            Form::Named { name, inside } => whole().map(|all| keyed(&all, name, inside)),
            Form::LastLine | Form::Pattern(_) => None,
        };
        if let Some(found) = found {
            self.found = found;
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
                Form::Named { name, .. } => {
                    format!("no JSON line has the key {name:?}, and no line reads {name}: NUMBER")
                }
            }),
        }
    }
}

/// Reads a number, whatever stands around it. True and false are 1 and 0.
pub fn number(text: &str) -> Result<f64, String> {
    let flag = text.trim().to_ascii_lowercase().parse::<bool>();
    flag.map(f64::from).or_else(|_| text.trim().parse()).map_err(|_| {
        let shown: String = text.chars().take(SHOWN).collect();
        let more = if shown.len() < text.len() { "..." } else { "" };
        format!("expected a number{}, got \"{shown}{more}\"", such_as(text.trim()))
    })
}

/// What Python writes into JSON that JSON does not have.
static NO_NUMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"([\[:,]\s*)(-?Infinity|NaN)(\s*[\],}])").ok());

/// The JSON object that a text is, if it is one.
pub fn object(text: &str) -> Option<Value> {
    if !text.starts_with('{') {
        return None;
    }
    serde_json::from_str(text).ok().or_else(|| {
        // Neighbors share a comma, which a match takes away: the second time finds what is left.
        let quoted = |text: &str| {
            NO_NUMBER.as_ref().map(|found| found.replace_all(text, "$1\"$2\"$3").into_owned())
        };
        serde_json::from_str(&quoted(&quoted(text)?)?).ok()
    })
}

/// The number of a name in an object: beside the outcome, or at the top.
fn keyed(object: &Value, name: &str, inside: &[String]) -> Option<Result<f64, String>> {
    let name = keys_of(name);
    at(object, &[inside, &name].concat()).or_else(|| at(object, &name))
}

/// The keys of a text with dots between them.
pub fn keys_of(text: &str) -> Vec<String> {
    text.split('.').map(str::to_owned).collect()
}

/// The number of a line that begins with a name. After a colon or an equals sign something else than
/// a number is wrong; after a space the line is about something else.
fn labeled(line: &str, name: &str) -> Option<Result<f64, String>> {
    let rest = line.strip_prefix(name)?;
    match rest.trim_start().strip_prefix([':', '=']) {
        Some(text) => Some(number(text.trim())),
        None if rest.starts_with(char::is_whitespace) => number(rest).ok().map(Ok),
        None => None,
    }
}

/// The number at the keys of an object; none if it does not have them.
pub fn at(object: &Value, keys: &[String]) -> Option<Result<f64, String>> {
    Some(match place(object, keys)? {
        Value::Number(number) => number.as_f64().ok_or_else(|| format!("{number} is too large")),
        // Python's and our own way to write what JSON does not have.
        Value::String(text) => number(text),
        Value::Null => Err("the number is null".to_owned()),
        other => number(&other.to_string()),
    })
}

/// What stands at the keys. A key with dots in it is written as several keys are, and loggers of
/// trainings have such: the longest key that an object has comes first.
fn place<'a>(value: &'a Value, keys: &[String]) -> Option<&'a Value> {
    if keys.is_empty() {
        return Some(value);
    }
    match value {
        Value::Array(list) => place(list.get(keys[0].parse::<usize>().ok()?)?, &keys[1..]),
        Value::Object(object) => (1..=keys.len()).rev().find_map(|count| {
            let (first, rest) = keys.split_at(count);
            place(object.get(&first.join("."))?, rest)
        }),
        _ => None,
    }
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
        assert_eq!(found(key("a"), "{\"a\": true}"), Ok(1.0));
        assert_eq!(found(Form::LastLine, "False"), Ok(0.0));
        let mut whole = Search::new(&key("a.b"));
        whole.text("{\n \"a\": {\n  \"b\": 7\n }\n}\n");
        assert_eq!(whole.result(), Ok(7.0));
        let mut list = Search::new(&key("0.b"));
        list.text("[{\n \"b\": 7\n}]\n");
        assert_eq!(list.result(), Ok(7.0));
    }

    #[test]
    fn a_key_may_have_a_dot_in_it() {
        let text = r#"{"a.b": 1, "a": {"b": 2, "c.d": 3, "": 4}, "x y": {"\u00fc[0]": 5},
            "e": {"f": {"g.h": 6}}, "e.f": {"g": 7}, "1.5": 8, "l": [{"m.n": 9}], "..": 10,
            "v.l": "0.5", ".p": 11, "q.": 12}"#
            .replace('\n', "");
        for (keys, number) in [
            ("a.b", 1.0),
            ("a.c.d", 3.0),
            ("a.", 4.0),
            ("x y.\u{fc}[0]", 5.0),
            ("e.f.g.h", 6.0),
            ("e.f.g", 7.0),
            ("1.5", 8.0),
            ("l.0.m.n", 9.0),
            ("..", 10.0),
            ("v.l", 0.5),
            (".p", 11.0),
            ("q.", 12.0),
        ] {
            assert_eq!(found(Form::Key(keys_of(keys)), &text), Ok(number), "{keys}");
            let named = Form::Named { name: keys.to_owned(), inside: Vec::new() };
            assert_eq!(found(named, &text), Ok(number), "{keys} as a name");
        }
        for keys in ["a.b.c", "a.c", "e.f.h", "l.1.m.n", "l.m"] {
            assert!(found(Form::Key(keys_of(keys)), &text).is_err(), "{keys}");
        }
        // Beside an outcome at `val.loss`, in either form.
        for text in ["{\"val\": {\"loss\": 1, \"ms\": 2}}", "{\"val.loss\": 1, \"val.ms\": 2}"] {
            let ms = Form::Named { name: "ms".to_owned(), inside: vec!["val".to_owned()] };
            assert_eq!(found(ms, text), Ok(2.0), "{text}");
        }
    }

    #[test]
    fn a_number_is_found_by_its_name() {
        let named = |name: &str, inside: &[&str]| Form::Named {
            name: name.to_owned(),
            inside: inside.iter().map(|key| (*key).to_owned()).collect(),
        };
        for line in [
            "latency_ms: 17.5",
            "latency_ms = 17.5",
            "latency_ms=17.5",
            "  latency_ms 17.5",
            "latency_ms\t:\t17.5",
            "{\"loss\": 0.5, \"latency_ms\": 17.5}",
            "{\"loss\": NaN, \"latency_ms\": 17.5}",
            "latency_ms: 99\n{\"latency_ms\": 17.5}\n0.5",
            "{\"latency_ms\": 99}\nlatency_ms 17.5\nlatency_ms of all",
            "latency_ms_p99: 3\nlatency_ms: 17.5\nthe latency_ms: 4",
        ] {
            assert_eq!(found(named("latency_ms", &[]), line), Ok(17.5), "{line}");
        }
        let inside = named("size", &["valid", "best"]);
        let both = "{\"size\": 1, \"valid\": {\"best\": {\"loss\": 2, \"size\": 3}}}";
        assert_eq!(found(inside.clone(), both), Ok(3.0));
        assert_eq!(found(inside.clone(), "{\"size\": 1, \"valid\": {}}"), Ok(1.0));
        let mut whole = Search::new(&inside);
        whole.text("{\n \"size\": 7\n}\n");
        assert_eq!(whole.result(), Ok(7.0));
        // The name as it is comes before keys inside.
        assert_eq!(found(named("a.b", &[]), "{\"a\": {\"b\": 1}, \"a.b\": 2}"), Ok(2.0));
        for (line, words) in [
            ("loss: 3", "no JSON line has the key \"size\", and no line reads size: NUMBER"),
            ("size: large", "expected a number, got \"large\""),
            ("size 17 ms", "no line reads"),
            ("size: nan", "the number is NaN"),
            ("{\"size\": NaN}", "the number is NaN"),
            ("{\"size\": -Infinity}", "the number is -inf"),
            ("{\"size\": null}", "the number is null"),
        ] {
            let why = found(named("size", &[]), line).unwrap_err();
            assert!(why.contains(words), "{line}: {why}");
        }
    }

    #[test]
    fn the_last_match_counts() {
        let loss = Form::Pattern(Regex::new(r"loss=(\S+)").unwrap());
        assert_eq!(found(loss.clone(), "loss=1 loss=2\nloss=3, loss=4\nend"), Ok(4.0));
        assert!(found(loss, "lost=1").unwrap_err().contains("no line matches"));
    }
}
