//! What is written is read back, whatever parameters and their values are called.

use std::fs;

use gittins::{Outcome, Value};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::rows::{Rows, Wanted};
use super::writing;
use crate::file::StudyFile;

/// Names of parameters and of choices that a sheet could take for something else.
const NAMES: [&str; 40] = [
    "trial",
    "origin",
    "state",
    "outcome",
    "cost",
    "why",
    "progress",
    "paid",
    "measured x",
    "parameter cost",
    "parameter parameter cost",
    "measured",
    "parameter ",
    "-",
    " ",
    " a",
    "a ",
    "a",
    "nan",
    "NaN",
    "",
    "\"",
    "\"\"",
    "\"a\"",
    "\"a",
    "a,b",
    "a;b",
    "a\tb",
    "a\nb",
    "a\r\nb",
    "\r",
    "=1+1",
    "\u{feff}",
    "\u{feff}trial",
    "1",
    "1.0",
    "true",
    "Unnamed: 0",
    "\u{3b1} \u{1f600}",
    "complete",
];

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(&NAMES[..]).prop_map(str::to_owned),
        1 => prop::collection::vec(any::<char>(), 0..4)
            .prop_map(|letters| letters.into_iter().filter(|one| *one != '\0').collect()),
    ]
}

/// The keys of a parameter, and its value at a place from 0 to 1.
#[derive(Debug, Clone)]
enum Kind {
    Choice(Vec<String>),
    Ordinal(Vec<String>),
    Constant(String),
    Flag,
    Float,
    LogFloat,
    Int,
    Steps,
}

fn kind() -> impl Strategy<Value = Kind> {
    let names =
        || prop::collection::btree_set(name(), 2..5).prop_map(|names| names.into_iter().collect());
    prop_oneof![
        3 => names().prop_map(Kind::Choice),
        1 => names().prop_map(Kind::Ordinal),
        1 => name().prop_map(Kind::Constant),
        1 => Just(Kind::Flag),
        1 => Just(Kind::Float),
        1 => Just(Kind::LogFloat),
        1 => Just(Kind::Int),
        1 => Just(Kind::Steps),
    ]
}

impl Kind {
    fn keys(&self) -> String {
        let list =
            |names: &[String]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
        match self {
            Self::Choice(names) => format!("type = \"choice\"\nnames = [{}]\n", list(names)),
            Self::Ordinal(names) => format!("type = \"ordinal\"\nnames = [{}]\n", list(names)),
            Self::Constant(name) => format!("type = \"constant\"\nvalue = {}\n", quoted(name)),
            Self::Flag => "type = \"flag\"\n".to_owned(),
            Self::Float => "type = \"float\"\nlow = -1\nhigh = 1e300\n".to_owned(),
            Self::LogFloat => "type = \"log_float\"\nlow = 1e-300\nhigh = 1\n".to_owned(),
            Self::Int => "type = \"int\"\nlow = -7\nhigh = 1000000\n".to_owned(),
            Self::Steps => "type = \"steps\"\nlow = 0.1\nhigh = 2\nstep = 0.1\n".to_owned(),
        }
    }

    fn value(&self, draw: f64) -> Value {
        let of = |names: &[String]| {
            let index = (draw * names.len() as f64) as usize;
            Value::from(names[index.min(names.len() - 1)].as_str())
        };
        match self {
            Self::Choice(names) | Self::Ordinal(names) => of(names),
            Self::Constant(name) => Value::from(name.as_str()),
            Self::Flag => Value::from(draw < 0.5),
            Self::Float => Value::from(draw * 1e300),
            Self::LogFloat => Value::from(10f64.powf(-300.0 * draw)),
            Self::Int => Value::from((draw * 1e6) as i64),
            Self::Steps => Value::from(0.1 + 0.1 * (draw * 19.0).round()),
        }
    }
}

/// The text of a study, in which the parameters from the second on exist if the flag says so.
fn study(parameters: &[(String, Kind)], measured: Option<&str>) -> String {
    let mut text =
        "direction = \"minimize\"\n[cost]\nfrom = \"output\"\nkey = \"c\"\nfloor = 1e-3\n\
        [parameters.\"is there\"]\ntype = \"flag\"\n"
            .to_owned();
    for (index, (name, kind)) in parameters.iter().enumerate() {
        text += &format!("[parameters.{}]\n{}", quoted(name), kind.keys());
        if index > 0 {
            text += "when = { \"is there\" = true }\n";
        }
    }
    if let Some(name) = measured {
        text += &format!("[limits]\n{} = {{ at_most = 1 }}\n", quoted(name));
    }
    text
}

/// A text on one line, as TOML and JSON have it.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|letter| match letter {
            '"' | '\\' => format!("\\{letter}"),
            letter if letter.is_control() => format!("\\u{:04x}", letter as u32),
            letter => letter.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

/// A draw for each value, whether the parameters of the branch are there, and its result: a
/// complete, failed, or infeasible trial, a pending one or one that was given up.
type Made = (Vec<f64>, bool, usize, f64, Option<f64>);

fn made() -> impl Strategy<Value = Made> {
    let draws = prop::collection::vec(0.0..1.0, 5);
    let number = || {
        prop_oneof![
            any::<f64>().prop_map(|number| if number.is_finite() { number } else { 0.5 }),
            Just(-0.0),
            Just(1e-300),
        ]
    };
    (draws, any::<bool>(), 0usize..5, number(), prop::option::of(1e-300..1e300))
}

#[test]
fn what_is_exported_is_imported() {
    let config = Config { failure_persistence: None, ..Config::with_cases(64) };
    // The seed.
    let generator = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(config, generator);
    let names = prop::collection::btree_set(
        name().prop_filter("a name", |name| {
            !name.is_empty() && name != "is there" && !name.contains(['{', '}'])
        }),
        1..5,
    );
    let parameters = names.prop_flat_map(|names| {
        let count = names.len();
        (Just(names), prop::collection::vec(kind(), count))
    });
    let measured =
        prop::option::of(prop::sample::select(vec!["ms", "measured x", "a", "parameter y"]));
    let world = (parameters, measured, prop::collection::vec(made(), 1..6));
    let outcome = runner.run(&world, |((names, kinds), measured, made)| {
        let parameters: Vec<(String, Kind)> = names.into_iter().zip(kinds).collect();
        let measured = measured.filter(|name| parameters.iter().all(|(known, _)| known != name));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.toml");
        fs::write(&path, study(&parameters, measured)).unwrap();
        let file = StudyFile::read(&path).unwrap();
        let mut journal = file.open().unwrap();
        for (draws, there, end, number, cost) in &made {
            let values: Vec<Value> = [Value::from(*there)]
                .into_iter()
                .chain(parameters.iter().zip(draws).enumerate().map(
                    |(index, ((_, kind), draw))| {
                        if index == 0 || *there { kind.value(*draw) } else { Value::Absent }
                    },
                ))
                .collect();
            let outcome = match end {
                0 => Outcome::failed(),
                1 => Outcome::infeasible(),
                2 => {
                    let id = journal.announce(&values).unwrap();
                    if *there {
                        journal.withdraw(id).unwrap();
                    }
                    continue;
                }
                _ => Outcome::new(*number),
            };
            let outcome = match cost {
                Some(cost) => outcome.cost(cost.max(1e-3)),
                None => outcome.cost_later(),
            };
            let outcome = match (measured, end) {
                (Some(name), 3) => outcome.measured(name, f64::NAN),
                (Some(name), 4) => outcome.measured(name, *number),
                _ => outcome,
            };
            journal.import(&values, outcome).unwrap();
        }
        let mut sheet = Vec::new();
        writing::write(&journal, &mut sheet).unwrap();
        let sheet = String::from_utf8(sheet).unwrap();
        // Also with what other programs put around it.
        for text in [sheet.clone(), format!("\u{feff}{sheet}")] {
            let read = Rows::read(
                &text,
                Wanted { file: &file, outcome: "outcome", cost: "cost", skip: &[] },
            );
            let read = read.unwrap_or_else(|error| panic!("{error}\n{text}"));
            let history = journal.study().history().iter();
            let told: Vec<_> = history.filter(|trial| trial.state.is_told()).collect();
            prop_assert_eq!(told.len(), read.told.len(), "{}", text);
            prop_assert_eq!(told.len() + read.not_told, journal.study().history().len());
            for (trial, row) in told.iter().zip(&read.told) {
                let values = file.space.typed(&row.values).unwrap();
                prop_assert_eq!(&trial.values, &values, "{}", text);
                prop_assert_eq!(trial.outcome, row.result.outcome);
                prop_assert_eq!(trial.cost, row.result.cost);
                prop_assert_eq!(trial.state, row.result.state);
                let number = measured.and_then(|name| trial.measured.get(name));
                let number = number.filter(|number| number.is_finite());
                prop_assert_eq!(number, row.result.measured.first().copied().flatten());
            }
        }
        Ok(())
    });
    outcome.unwrap();
}
