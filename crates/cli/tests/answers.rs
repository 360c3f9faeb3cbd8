//! What is printed with `--json`, against `docs/command.schema.json`. Each answer that any test
//! here asks for is checked, too.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::folder::{Folder, SQUARE, Said, TRAIN};
use serde_json::{Value, json};

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../docs/command.schema.json")).unwrap()
});

/// Checks what a command printed that has `--json` among its words.
pub fn check(words: &[&str], said: &Said) {
    let known = SCHEMA["$defs"].as_object().unwrap();
    let word = words.iter().find(|word| known.contains_key(**word)).copied().unwrap_or("error");
    let word = if said.code == Some(2) { "error" } else { word };
    let wrong = wrong(&SCHEMA["$defs"][word], &said.json());
    assert_eq!(wrong, None, "gittins {}: {}", words.join(" "), said.all());
}

/// What is wrong with a value by a schema, for the few words that ours uses.
fn wrong(schema: &Value, value: &Value) -> Option<String> {
    let mut checks = schema.as_object().unwrap().iter().map(|(key, rule)| match key.as_str() {
        "description" => None,
        "$ref" => {
            let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
            wrong(&SCHEMA["$defs"][name], value).map(|why| format!("{name}: {why}"))
        }
        "type" => {
            let is = |name: &Value| match name.as_str().unwrap() {
                "null" => value.is_null(),
                "boolean" => value.is_boolean(),
                "string" => value.is_string(),
                "number" => value.is_number(),
                "integer" => value.is_u64(),
                "array" => value.is_array(),
                "object" => value.is_object(),
                other => panic!("unknown type {other}"),
            };
            let fits = rule.as_array().map_or_else(|| is(rule), |names| names.iter().any(is));
            (!fits).then(|| format!("expected {rule}, got {value}"))
        }
        "enum" => (!rule.as_array().unwrap().contains(value)).then(|| format!("{value}")),
        "minimum" => (value.as_f64() < rule.as_f64()).then(|| format!("{value}")),
        "items" => value.as_array()?.iter().find_map(|item| wrong(rule, item)),
        "anyOf" => {
            let all: Option<Vec<String>> =
                rule.as_array().unwrap().iter().map(|one| wrong(one, value)).collect();
            all.map(|all| all.join(", and "))
        }
        "required" => {
            let missing = |name: &&Value| value.get(name.as_str().unwrap()).is_none();
            rule.as_array().unwrap().iter().find(missing).map(|name| format!("no {name}"))
        }
        "properties" => value.as_object()?.iter().find_map(|(name, one)| {
            wrong(rule.get(name)?, one).map(|why| format!("{name}: {why}"))
        }),
        "additionalProperties" => value.as_object()?.iter().find_map(|(name, one)| {
            let known = schema["properties"].get(name).is_some();
            let fits = known || (rule.is_object() && wrong(rule, one).is_none());
            (!fits).then(|| format!("{name}: {one}"))
        }),
        other => panic!("unknown key {other}"),
    });
    checks.find_map(|wrong| wrong)
}

#[test]
fn an_answer_that_is_not_as_the_schema_says_is_found() {
    let schema = &SCHEMA["$defs"]["should-stop"];
    let good = json!({ "stop": true, "verdict": "stop: enough" });
    assert_eq!(wrong(schema, &good), None);
    for (key, value) in [("stop", json!(1)), ("verdict", json!(null)), ("words", json!("enough"))] {
        let mut bad = good.clone();
        bad[key] = value;
        assert!(wrong(schema, &bad).unwrap().contains(key), "{bad}");
    }
    assert_eq!(wrong(schema, &json!({ "stop": true })).unwrap(), "no \"verdict\"");
    let counts = json!({ "trial": -1, "values": { "x": [1] }, "why": "it" });
    assert!(wrong(&SCHEMA["$defs"]["ask"], &counts).is_some());
    let all = json!({ "trials": [{ "trial": 0, "values": {}, "why": 1 }] });
    assert!(wrong(&SCHEMA["$defs"]["ask"], &all).unwrap().contains("expected \"string\""));
}

/// Each word of the schema, and the same sentence wherever it is asked why a study stops.
#[test]
fn each_command_answers_as_the_schema_says() {
    let folder = Folder::new(&format!("{SQUARE}[stop]\ntrials = 5\n"), TRAIN);
    folder.write("known.csv", "x,outcome\n0.1,0.04\n");
    let mut asked = BTreeSet::new();
    let mut ask = |words: &[&str], code: i32| {
        asked.insert(if code == 2 { "error".to_owned() } else { words[0].to_owned() });
        folder.gittins(&[&words[..1], &["--json"], &words[1..]].concat()).exits(code).json()
    };
    ask(&["init", "other.toml"], 0);
    assert_eq!(ask(&["should-stop", "study.toml"], 1)["stop"], false);
    ask(&["import", "study.toml", "known.csv"], 0);
    ask(&["ask", "study.toml"], 0);
    ask(&["tell", "study.toml", "1", "0.5"], 0);
    ask(&["tell", "study.toml", "99", "1"], 2);
    ask(&["ask", "study.toml", "--count", "2"], 0);
    ask(&["fail", "study.toml", "2"], 0);
    ask(&["status", "study.toml"], 0);
    ask(&["withdraw", "study.toml", "3"], 0);
    let ended = ask(&["run", "study.toml", "--", "./train", "{x}"], 0);
    assert_eq!((&ended["stop"], &ended["ended"]), (&true.into(), &"trials".into()), "{ended}");
    let status = ask(&["status", "study.toml"], 0);
    for key in ["counts", "spent", "unit", "best", "recommendation", "journal"] {
        assert_eq!(status[key], ended[key], "{key}: {status}");
    }
    for said in [status, ask(&["should-stop", "study.toml"], 0)] {
        assert_eq!([&said["stop"], &said["verdict"]], [&ended["stop"], &ended["verdict"]]);
    }
    ask(&["best", "study.toml"], 0);
    ask(&["show", "study.toml", "2"], 0);
    ask(&["export", "study.toml"], 0);
    ask(&["plot", "study.toml"], 0);
    ask(&["doctor", "study.toml"], 0);
    let words = SCHEMA["anyOf"].as_array().unwrap().iter();
    let words = words.map(|word| word["$ref"].as_str().unwrap().replace("#/$defs/", ""));
    assert_eq!(asked, words.collect());
}
