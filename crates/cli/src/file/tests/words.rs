//! Words of other tools: those that are read, and what is said of the others.

use gittins::Space;

use super::bad_files::check;
use super::{START, read};
use crate::file::schema;

/// A parameter as it is read.
fn space(lines: &str) -> Space {
    read(&format!("direction = \"minimize\"\n[parameters.y]\n{lines}")).unwrap().space
}

#[test]
fn parameters_are_read_in_the_words_of_optuna() {
    let bounds = |rest: &str| format!("low = 2\nhigh = 8\n{rest}");
    for (lines, expected) in [
        ("type = \"float\"\nlog = true", Space::new().log_float("y", 2.0, 8.0)),
        ("type = \"float\"\nlog = false", Space::new().float("y", 2.0, 8.0)),
        ("type = \"float\"\nstep = 0.5\nlog = false", Space::new().steps("y", 2.0, 8.0, 0.5)),
        ("type = \"int\"\nlog = true", Space::new().log_int("y", 2, 8)),
        ("type = \"int\"\nlog = true\nstep = 1", Space::new().log_int("y", 2, 8)),
        ("type = \"int\"\nstep = 1", Space::new().int("y", 2, 8)),
        ("type = \"int\"\nstep = 3", Space::new().steps("y", 2.0, 8.0, 3.0)),
    ] {
        assert_eq!(space(&bounds(lines)), expected, "{lines}");
    }
    for (kind, names) in [("categorical", "values"), ("categorical", "names"), ("choice", "values")]
    {
        let read = space(&format!("type = \"{kind}\"\n{names} = [\"16\", \"b\"]"));
        assert_eq!(read, Space::new().choice("y", ["16", "b"]), "{kind}, {names}");
    }
    let ordinal = space("type = \"ordinal\"\nvalues = [\"s\", \"m\", \"l\"]");
    assert_eq!(ordinal, Space::new().ordinal("y", ["s", "m", "l"]));
}

#[test]
fn the_schema_knows_the_words_that_are_read() {
    let schema = schema::schema();
    let kinds = schema["$defs"]["parameter"]["oneOf"].as_array().unwrap();
    let kind = kinds.iter().find(|kind| kind["properties"]["type"]["enum"].is_array()).unwrap();
    assert_eq!(kind["properties"]["type"]["enum"], serde_json::json!(["choice", "categorical"]));
    assert_eq!(kind["required"], serde_json::json!(["type"]));
    assert_eq!(kind["oneOf"][1]["required"], serde_json::json!(["values"]));
}

#[test]
fn the_number_of_trials_has_two_words() {
    for text in [
        format!("n_trials = 50\n{START}"),
        format!("n_trials = 50\n{START}[stop]\nstall = 9"),
        format!("n_trials = 50\n{START}[stages]\nepochs = 9"),
        format!("{START}[stages]\nepochs = 9\n[stop]\ntrials = 50"),
    ] {
        let file = read(&text).unwrap();
        assert!(file.ends(), "{text}");
        assert_eq!((file.limits.trials, file.spec.expected_trials), (Some(50), Some(50)), "{text}");
    }
    let again = "stop.trials says the same: leave one of the two out";
    check(
        &format!("n_trials = 5\nstop.trials = 5\n{START}"),
        &format!("line 1, n_trials: {again}"),
    );
}

/// Lines after those of `START`, and what is said.
const AFTER: &[(&str, &str)] = &[
    (
        "[parameters.y]\ntype = \"choice\"\nnames = [\"a\"]\nvalues = [\"a\"]",
        "line 7, parameters.y.values: names says the same: leave one of the two out",
    ),
    (
        "[parameters.y]\ntype = \"categorical\"\nvalues = [1e-3, 2]",
        "line 6, parameters.y.values[0]: expected a text in quotes, got 1e-3; write \"1e-3\", or take the type \"numbers\"",
    ),
    (
        "[parameters.y]\ntype = \"categorical\"\nvalues = [true, false]",
        "line 6, parameters.y.values[0]: expected a text in quotes, got true; write \"true\", or take the type \"flag\"",
    ),
    ("[parameters.y]\ntype = \"choice\"", "line 4, parameters.y: the key \"names\" is missing"),
    (
        "[parameters.y]\ntype = \"choice\"\nchoices = [\"a\"]",
        "line 6, parameters.y.choices: unknown key; did you mean \"names\"?",
    ),
    (
        "[parameters.y]\ntype = \"choice\"\nname = \"y\"\nnames = [\"a\"]",
        "line 6, parameters.y.name: unknown key; there are type, names, values, when",
    ),
    (
        "[parameters.y]\ntype = \"float\"\nlow = 1\nhigh = 2\nlog = true\nstep = 0.5",
        "line 9, parameters.y.step: a number on a log scale has no steps: leave step or log out",
    ),
    (
        "[parameters.y]\ntype = \"int\"\nlow = 1.5\nhigh = 4\nstep = 2",
        "line 6, parameters.y.low: expected a whole number, got 1.5",
    ),
    (
        "[parameters.y]\ntype = \"int\"\nlow = 1\nhigh = 4\nstep = 0.5",
        "line 8, parameters.y.step: expected a whole number, got 0.5",
    ),
    (
        "[parameters.y]\ntype = \"int\"\nlow = 1\nhigh = 4\nlog = 10",
        "line 8, parameters.y.log: expected true or false, got 10",
    ),
    (
        "[parameters.y]\ntype = \"steps\"\nlow = 1\nhigh = 4\nlog = true",
        "line 8, parameters.y.log: unknown key; there are type, low, high, step, when",
    ),
    (
        "[parameters.y]\ntype = \"float\"\nmin = 1\nmax = 2",
        "line 6, parameters.y.min: unknown key; did you mean \"low\"?",
    ),
    (
        "[parameters.y]\ntype = \"float\"\nlow = 1\nMAX = 2",
        "line 7, parameters.y.MAX: unknown key; did you mean \"high\"?",
    ),
    (
        "[parameters.y]\ntype = \"loguniform\"",
        "line 5, parameters.y.type: unknown type \"loguniform\"; did you mean \"log_float\"?",
    ),
    (
        "[parameters.y]\ntype = \"number\"",
        "line 5, parameters.y.type: unknown type \"number\"; did you mean \"float\"?",
    ),
    (
        "[parameters.y]\nkind = { float = { low = 0, high = 1 } }",
        "line 5, parameters.y.kind: unknown key; did you mean \"type\"?",
    ),
    (
        "[parameters.y]\ntype = \"flag\"\nbudget = 3",
        "line 6, parameters.y.budget: unknown key; \"budget\" stands at the top of the file, before the first [table]",
    ),
    ("[stop]\npatience = 5", "line 5, stop.patience: unknown key; did you mean \"stall\"?"),
    ("[stop]\nn_trials = 5", "line 5, stop.n_trials: unknown key; did you mean \"trials\"?"),
    (
        "[stop]\nrule = \"patience\"",
        "line 5, stop.rule: unknown stopping rule \"patience\"; did you mean \"stall\"?",
    ),
    ("[stages]\nepoch = 27", "line 5, stages.epoch: unknown key; did you mean \"epochs\"?"),
    (
        "[stages]\nmax_epochs = 27",
        "line 5, stages.max_epochs: unknown key; did you mean \"epochs\"?",
    ),
    ("[limits.size]\nmax = 3", "line 5, limits.size.max: unknown key; did you mean \"at_most\"?"),
    (
        "[objectives.late]\ndirection = \"max\"",
        "line 5, objectives.late.direction: unknown value \"max\"; did you mean \"maximize\"?",
    ),
    (
        "[cost]\nfrom = \"cpu\"",
        "line 5, cost.from: unknown value \"cpu\"; did you mean \"cpu_time\"?",
    ),
];

/// Lines before those of `START`, and what is said.
const BEFORE: &[(&str, &str)] = &[
    ("policy = \"pbgi\"", "policy: unknown policy \"pbgi\"; did you mean \"gittins\"?"),
    ("policy = \"EI\"", "policy: unknown policy \"EI\"; did you mean \"ei\"?"),
    ("policy.name = \"pi\"", "policy.name: unknown policy \"pi\"; did you mean \"log_pi\"?"),
    (
        "policy = { name = \"gittins\", lambda = 1 }",
        "policy.lambda: the policy \"gittins\" has no such key; did you mean \"price\"?",
    ),
    (
        "model.kernel = \"matern\"",
        "model.kernel: unknown value \"matern\"; did you mean \"matern52\"?",
    ),
    ("max_trials = 5", "max_trials: unknown key; did you mean \"stop.trials\"?"),
    ("patience = 5", "patience: unknown key; did you mean \"stop.stall\"?"),
    ("epochs = 27", "epochs: unknown key; did you mean \"stages.epochs\"?"),
    ("lambda = 1", "lambda: unknown key; did you mean \"price\"?"),
    ("unit = \"EUR\"", "unit: unknown key; did you mean \"cost.unit\"?"),
    ("key = \"loss\"", "key: unknown key; did you mean \"outcome.key\" or \"cost.key\"?"),
    ("n_trials = 0", "n_trials: expected a whole number from 1 to 4294967295, got 0"),
];

/// Values of `direction`, and what is meant.
const DIRECTIONS: &[(&str, &str)] = &[
    ("min", "minimize"),
    ("max", "maximize"),
    ("Max", "maximize"),
    ("minimise", "minimize"),
    ("maximise", "maximize"),
    ("minimum", "minimize"),
    ("MINIMIZE", "minimize"),
];

#[test]
fn each_word_is_answered_by_the_one_that_is_meant() {
    for (lines, expected) in AFTER {
        check(&format!("{START}{lines}"), expected);
    }
    for (line, expected) in BEFORE {
        check(&format!("{line}\n{START}"), &format!("line 1, {expected}"));
    }
    for (word, meant) in DIRECTIONS {
        let said = format!("unknown value {word:?}; did you mean {meant:?}?");
        check(&format!("direction = \"{word}\""), &format!("line 1, direction: {said}"));
    }
    let kind = "kind = { float = { low = 0, high = 1 } }";
    for (list, name) in [
        (format!("[[parameters]]\nname = \"rate\"\n{kind}"), "rate"),
        (format!("[[parameters]]\n{kind}"), "NAME"),
        ("parameters = []".to_owned(), "NAME"),
    ] {
        check(
            &format!("direction = \"minimize\"\n{list}"),
            &format!(
                "line 2, parameters: expected a table for each parameter, written [parameters.{name}] and with the key type in it, got a list"
            ),
        );
    }
}
