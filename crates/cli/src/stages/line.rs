//! What a line of a run's output says.

use regex::Regex;

use crate::program::finder::{at, number, object};

/// How a line is a report.
#[derive(Debug, Clone)]
pub enum LineForm {
    /// A JSON object in one line that has the progress and the outcome, and perhaps the cost, each
    /// behind keys one inside the other.
    Keys {
        /// The keys of the progress. None where each line is one more item: then it may also be the
        /// outcome alone.
        progress: Option<Vec<String>>,
        /// The keys of the outcome.
        outcome: Vec<String>,
        /// The keys of the cost since the report before, if reports have one.
        cost: Option<Vec<String>>,
    },
    /// The last match of a regular expression with the groups `progress`, `outcome` and perhaps
    /// `cost`. It has no `progress` where each line is one more item.
    Pattern(Regex),
}

/// What a report says. A number that cannot be read is why.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// How far the run is; none if it is one item further.
    pub progress: Option<Result<f64, String>>,
    /// Its outcome there.
    pub outcome: Result<f64, String>,
    /// Its cost since the report before, if reports have one.
    pub cost: Option<Result<f64, String>>,
}

impl LineForm {
    /// The report of a line; none if it is another line.
    pub fn read(&self, line: &str) -> Option<Said> {
        let line = line.trim();
        match self {
            Self::Keys { progress, outcome, cost } => {
                let missing = || Err(format!("the line has no key {:?}", dotted(cost)));
                if let (None, Ok(outcome)) = (progress, number(line)) {
                    let cost = cost.as_ref().map(|_| missing());
                    return Some(Said { progress: None, outcome: Ok(outcome), cost });
                }
                let object = object(line)?;
                let progress = match progress {
                    Some(keys) => Some(at(&object, keys)?),
                    None => None,
                };
                Some(Said {
                    progress,
                    outcome: at(&object, outcome)?,
                    cost: cost.as_ref().map(|keys| at(&object, keys).unwrap_or_else(missing)),
                })
            }
            Self::Pattern(pattern) => {
                let found = pattern.captures_iter(line).last()?;
                let group = |name: &str| found.name(name).map(|group| number(group.as_str()));
                let missing = || Err("the group cost is empty".to_owned());
                let has = |name: &str| pattern.capture_names().flatten().any(|known| known == name);
                let progress = if has("progress") { Some(group("progress")?) } else { None };
                Some(Said {
                    progress,
                    outcome: group("outcome")?,
                    cost: has("cost").then(|| group("cost").unwrap_or_else(missing)),
                })
            }
        }
    }

    /// What no line was, in words.
    pub fn missing(&self) -> String {
        match self {
            Self::Keys { progress: None, outcome, .. } => {
                let outcome = outcome.join(".");
                format!("no line is a number, or a JSON object with the key {outcome:?}")
            }
            Self::Keys { progress: Some(progress), outcome, .. } => {
                let [progress, outcome] = [progress, outcome].map(|keys| keys.join("."));
                format!("no JSON line has the keys {progress:?} and {outcome:?}")
            }
            Self::Pattern(pattern) => format!("no line matches {:?}", pattern.as_str()),
        }
    }
}

fn dotted(keys: &Option<Vec<String>>) -> String {
    keys.as_ref().map_or_else(String::new, |keys| keys.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(cost: bool) -> LineForm {
        let path = |name: &str| name.split('.').map(str::to_owned).collect();
        LineForm::Keys {
            progress: Some(path("epoch")),
            outcome: path("loss.valid"),
            cost: cost.then(|| path("paid")),
        }
    }

    #[test]
    fn a_json_line_is_a_report_if_it_has_both_keys() {
        let said = keys(false).read(" {\"epoch\": 3, \"loss\": {\"valid\": 0.5}} ").unwrap();
        assert_eq!(said, Said { progress: Some(Ok(3.0)), outcome: Ok(0.5), cost: None });
        for other in ["", "epoch 3", "{\"epoch\": 3}", "{\"loss\": {\"valid\": 1}}", "{broken"] {
            assert_eq!(keys(false).read(other), None, "{other}");
        }
        let said = keys(true).read("{\"epoch\": 3, \"loss\": {\"valid\": 1}}").unwrap();
        assert!(said.cost.unwrap().unwrap_err().contains("\"paid\""));
    }

    /// Python's `json` writes these.
    #[test]
    fn what_is_no_number_is_read_from_json() {
        for (text, shown) in [("NaN", "NaN"), ("Infinity", "inf"), ("-Infinity", "-inf")] {
            let line =
                format!("{{\"a\": [NaN,NaN,NaN], \"epoch\": 3, \"loss\": {{\"valid\": {text}}}}}");
            let said = keys(false).read(&line).unwrap();
            assert_eq!(said.outcome.unwrap().to_string(), shown);
        }
        let said = keys(false).read("{\"epoch\": 3, \"loss\": {\"valid\": null}}").unwrap();
        assert_eq!(said.outcome, Err("the number is null".to_owned()));
    }

    #[test]
    fn a_pattern_has_its_last_match() {
        let form = LineForm::Pattern(
            Regex::new(r"(?<progress>\d+)/9 loss=(?<outcome>\S+)(?: (?<cost>\d+) s)?").unwrap(),
        );
        let said = form.read("1/9 loss=3 2/9 loss=2.5 7 s").unwrap();
        assert_eq!(said, Said { progress: Some(Ok(2.0)), outcome: Ok(2.5), cost: Some(Ok(7.0)) });
        assert!(form.read("2/9 loss=2").unwrap().cost.unwrap().is_err());
        assert!(form.read("2/9 loss=x 1 s").unwrap().outcome.is_err());
        assert_eq!(form.read("loss=2"), None);
    }

    #[test]
    fn an_item_is_a_number_or_a_json_line_with_its_outcome() {
        let outcome = vec!["right".to_owned()];
        let form = |cost| LineForm::Keys { progress: None, outcome: outcome.clone(), cost };
        let item = |outcome, cost| Some(Said { progress: None, outcome: Ok(outcome), cost });
        assert_eq!(form(None).read(" 0.5 "), item(0.5, None));
        assert_eq!(form(None).read("{\"right\": 1, \"n\": 7}"), item(1.0, None));
        for other in ["", "item 3", "3 of 4", "{\"left\": 1}"] {
            assert_eq!(form(None).read(other), None, "{other}");
        }
        let paid = form(Some(vec!["usd".to_owned()]));
        assert_eq!(paid.read("{\"right\": 1, \"usd\": 0.25}"), item(1.0, Some(Ok(0.25))));
        assert!(paid.read("1").unwrap().cost.unwrap().unwrap_err().contains("\"usd\""));
        let form = LineForm::Pattern(Regex::new(r"^score (?<outcome>\S+)$").unwrap());
        assert_eq!(form.read("score 0.5"), item(0.5, None));
    }
}
