//! What the schema says and what the reader reads are the same keys.

use gittins::Policy;
use gittins::named::{Key, Shape};
use gittins::stop::NamedRule;
use gittins::study::{ModelSpec, SearchSpec};

use super::bad_files::check;
use super::{START, read};
use crate::file::keys;
use crate::file::schema;

/// A value of each key's shape.
fn good(key: &Key) -> String {
    match key.name {
        "low" => "1".to_owned(),
        "high" => "8".to_owned(),
        "at_least" => "0".to_owned(),
        "values" if key.shape == Shape::List(&Shape::Number) => "[1, 2.5]".to_owned(),
        "names" | "values" => "[\"a\", \"b\"]".to_owned(),
        "when" => "{ x = true }".to_owned(),
        "parts" => "[\"y\"]".to_owned(),
        "terms" | "per_unit" => "{ x = 1 }".to_owned(),
        "pattern" => "\"(a)\"".to_owned(),
        "first" => "[{ x = true }]".to_owned(),
        "command" => "[\"train\", \"{x}\"]".to_owned(),
        "categorical" => "[\"price\"]".to_owned(),
        "resume" => "[\"--resume\"]".to_owned(),
        "columns" => "[\"size\", \"price\"]".to_owned(),
        "log" if key.shape != Shape::Flag => "[\"size\"]".to_owned(),
        "reports" => "[0.25, 0.5]".to_owned(),
        "lengthscale_bounds" => "[0.1, 10]".to_owned(),
        name => of_shape(name, &key.shape),
    }
}

fn of_shape(name: &str, shape: &Shape) -> String {
    match *shape {
        Shape::Above(bound) => format!("{}", bound + 0.5),
        Shape::AtLeast(_) | Shape::Count(_) | Shape::Whole => "4".to_owned(),
        Shape::Number => "1.5".to_owned(),
        Shape::Text | Shape::Value => "\"text\"".to_owned(),
        Shape::Keys(keys) => {
            let one = |key: &Key| format!("{} = {}", key.name, of_shape(key.name, &key.shape));
            format!("{{ {} }}", Vec::from_iter(keys.iter().map(one)).join(", "))
        }
        Shape::Flag => "true".to_owned(),
        Shape::OneOf(names) => format!("{:?}", names[0]),
        Shape::Policy => "\"ucb\"".to_owned(),
        Shape::Rule => "{ all = [\"stall\", { name = \"stall\", window = 3 }] }".to_owned(),
        Shape::Either(shapes) => of_shape(name, &shapes[0]),
        _ => panic!("{name}: {shape:?} needs a value of its own"),
    }
}

/// The lines of a table with some keys, one of them with another value.
fn lines(keys: &[Key], without: &[&str], wrong: Option<&str>) -> String {
    keys.iter()
        .filter(|key| !without.contains(&key.name))
        .map(|key| {
            if wrong == Some(key.name) {
                format!("{} = 1979-05-27\n", key.name)
            } else {
                format!("{} = {}\n", key.name, good(key))
            }
        })
        .collect()
}

/// Reads a file with all keys of a table, and with a date at one of them after the other.
fn walk(keys: &[Key], without: &[&str], text: impl Fn(String) -> String, path: &str) {
    let whole = text(lines(keys, without, None));
    read(&whole).unwrap_or_else(|error| panic!("{error}\n{whole}"));
    for key in keys.iter().filter(|key| !without.contains(&key.name)) {
        let text = text(lines(keys, without, Some(key.name)));
        let error = read(&text).expect_err(&text).to_string();
        let place = format!(", {path}{}: ", key.name);
        assert!(error.contains(&place) && error.contains("1979-05-27"), "{error}\n{text}");
    }
}

#[test]
fn the_reader_reads_each_key_of_the_schema() {
    let tables = [
        "parameters",
        "table",
        "constraints",
        "outcome",
        "cost",
        "limits",
        "objectives",
        "stop",
        "stages",
        "shell",
        "engine",
        "model",
        "cost_model",
    ];
    let parameter = "[parameters.x]\ntype = \"flag\"\n";
    // A time says what it wants and not what came.
    let times = ["time_limit", "grace", "give_up"];
    let without: Vec<&str> = tables.into_iter().chain(times).collect();
    walk(keys::STUDY, &without, |lines| format!("{lines}{parameter}"), "");
    for time in times {
        check(
            &format!("{time} = 1979-05-27\n{START}"),
            &format!("line 1, {time}: expected a number, got the date 1979-05-27"),
        );
    }
    walk(
        keys::SUM,
        &["equal_to"],
        |lines| format!("{START}[[constraints]]\n{lines}"),
        "constraints[0].",
    );
    // What is equal to a number is a sum of floats, and stands alone.
    let part = |name| format!("[parameters.{name}]\ntype = \"float\"\nlow = 0\nhigh = 8\n");
    let equation = |lines: String| {
        let lines = lines.replace("x = 1", "y = 1, z = 1");
        format!("{START}{}{}[[constraints]]\n{lines}", part("y"), part("z"))
    };
    walk(keys::SUM, &["at_most", "at_least"], equation, "constraints[0].");
    let chosen = |lines: String| format!("{START}{}[[constraints]]\n{lines}", part("y"));
    walk(keys::CARDINALITY, &[], chosen, "constraints[0].");
    // A reference of the outcome stands beside another objective.
    let outcome = |lines: String| format!("{START}[outcome]\n{lines}[objectives]\nlate = {{}}");
    walk(keys::OUTCOME, &["pattern"], outcome, "outcome.");
    walk(keys::OUTCOME, &["key"], outcome, "outcome.");
    let output = |lines: String| format!("{START}[cost]\nfrom = \"output\"\n{lines}");
    let others = ["from", "per_unit", "fixed"];
    walk(keys::COST, &[&others[..], &["pattern"]].concat(), output, "cost.");
    walk(keys::COST, &[&others[..], &["key"]].concat(), output, "cost.");
    let linear = |lines: String| format!("{START}[cost]\nfrom = \"parameters\"\n{lines}");
    walk(keys::COST, &["from", "file", "key", "pattern"], linear, "cost.");
    let engine = |lines: String| format!("{START}[engine]\n{lines}");
    walk(keys::ENGINE, &["time_limit", "search"], engine, "engine.");
    for (path, keys) in [
        ("engine.search", SearchSpec::KEYS),
        ("model", ModelSpec::KEYS),
        ("cost_model", ModelSpec::KEYS),
    ] {
        set_keys_are_read(path, keys);
    }
    let limit = |lines: String| format!("{START}[limits.size]\n{lines}");
    walk(keys::LIMIT, &["at_least", "pattern"], limit, "limits.size.");
    walk(keys::LIMIT, &["at_most", "key"], limit, "limits.size.");
    let objective = |lines: String| format!("{START}[objectives.late]\n{lines}");
    walk(keys::OBJECTIVE, &["pattern"], objective, "objectives.late.");
    walk(keys::OBJECTIVE, &["key"], objective, "objectives.late.");
    walk(keys::STOP, &[], |lines| format!("{START}[stop]\n{lines}"), "stop.");
    let stages = |lines: String| format!("{START}[stages]\n{lines}");
    walk(keys::STAGES, &["epochs", "folds", "items", "pattern"], stages, "stages.");
    walk(keys::STAGES, &["total", "folds", "items", "reports", "pattern"], stages, "stages.");
    let none = ["total", "epochs", "any_stage_counts", "repeats", "pattern"];
    walk(keys::STAGES, &[&none[..], &["items", "reports"]].concat(), stages, "stages.");
    walk(keys::STAGES, &[&none[..], &["folds", "reports", "progress"]].concat(), stages, "stages.");
    for name in keys::TYPES {
        let keys = keys::of_type(name).unwrap();
        let text = |lines: String| format!("{START}[parameters.y]\ntype = \"{name}\"\n{lines}");
        // Of two that say the same, or contradict each other, one is there.
        let either: &[&str] = match *name {
            "float" | "int" => &["log", "step"],
            "ordinal" | "choice" => &["names", "values"],
            _ => &["type"],
        };
        for other in either {
            walk(keys, &["type", other], text, "parameters.y.");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arms.csv");
    std::fs::write(&path, "size,price\n1,2\n2,3\n").unwrap();
    let table = |lines: String| {
        let lines = lines.replace("\"text\"", &format!("{path:?}"));
        format!("direction = \"minimize\"\n[table]\n{lines}")
    };
    walk(keys::TABLE, &[], table, "table.");
    let condition = |lines: String| {
        let inline = lines.trim_end().replace('\n', ", ");
        format!("{START}[parameters.y]\ntype = \"flag\"\nwhen = {{ x = {{ {inline} }} }}")
    };
    walk(keys::CONDITION, &[], condition, "parameters.y.when.x.");
}

/// Each key of a table of the library is read, and a date at it is an error there.
fn set_keys_are_read(path: &str, keys: &[Key]) {
    for key in keys {
        let text = format!("{START}[{path}]\n{} = 1979-05-27", key.name);
        let error = read(&text).expect_err(&text).to_string();
        assert!(error.contains(&format!(", {path}.{}: ", key.name)), "{error}");
        assert!(error.contains("1979-05-27"), "{error}");
    }
    let without = ["never", "lengthscales", "outputscale"];
    let lines = lines(keys, &without, None);
    let wider = START.replace("type = \"flag\"", "type = \"float\"\nlow = 0\nhigh = 1");
    read(&format!("{wider}[{path}]\n{lines}")).unwrap_or_else(|error| panic!("{error}\n{lines}"));
}

#[test]
fn the_schema_has_each_key_and_says_which_are_needed() {
    let schema = schema::schema();
    for key in keys::STUDY {
        assert_eq!(schema["properties"][key.name]["description"], key.note);
        let needed = schema["required"].as_array().unwrap().iter().any(|name| *name == *key.name);
        assert_eq!(needed, key.needed, "{}", key.name);
    }
    let kinds = schema["$defs"]["parameter"]["oneOf"].as_array().unwrap();
    assert_eq!(kinds.len(), keys::TYPES.len());
    // Each policy, direction and kind of cost is read.
    let policies = Policy::entries().iter().map(|entry| ("policy", entry.name));
    let rules =
        NamedRule::entries().iter().filter(|entry| entry.keys.iter().all(|key| !key.needed));
    let rules = rules.map(|entry| ("stop.rule", entry.name));
    for (key, name) in policies.chain(rules) {
        let text = format!(
            "direction = \"minimize\"\n{key} = \"{name}\"\nprice = 1\nbudget = 9\n[parameters.x]\ntype = \"flag\""
        );
        read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    for name in keys::DIRECTIONS {
        read(&format!("direction = \"{name}\"\n[parameters.x]\ntype = \"flag\"")).unwrap();
    }
    for name in keys::COSTS {
        let key = match *name {
            "output" => "key = \"c\"",
            "parameters" => "per_unit = { x = 1 }\nfixed = 1",
            _ => "",
        };
        read(&format!("{START}[cost]\nfrom = \"{name}\"\n{key}")).unwrap();
    }
}
