use super::*;

fn space() -> Space {
    Space::new()
        .float("rate", 0.0, 1.0)
        .choice("kernel", ["linear", "rbf"])
        .float("gamma", 0.0, 1.0)
        .when("kernel", ["rbf"])
        .flag("bias")
}

fn read(arguments: &[&str], reading: Reading) -> Result<Command> {
    let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
    Command::new(&arguments, &space(), reading)
}

const ENVIRONMENT: Reading =
    Reading { shell: false, environment: true, stages: false, items: false };
const SHELL: Reading = Reading { shell: true, environment: true, stages: false, items: false };

fn filled(arguments: &[&str], gamma: Value, bias: bool) -> Vec<String> {
    let values = [0.5.into(), "linear".into(), gamma, bias.into()];
    let filled = read(arguments, ENVIRONMENT).unwrap().fill(3, &values);
    filled.into_iter().map(|text| text.into_string().unwrap()).collect()
}

#[test]
fn an_absent_value_takes_its_option_along() {
    let absent = |arguments: &[&str]| filled(arguments, Value::Absent, true);
    assert_eq!(absent(&["t", "--gamma", "{gamma}", "x"]), ["t", "x"]);
    assert_eq!(absent(&["t", "-g", "{gamma}"]), ["t"]);
    assert_eq!(absent(&["t", "--gamma={gamma}", "x"]), ["t", "x"]);
    // These are no options.
    assert_eq!(absent(&["t", "--", "{gamma}"]), ["t", "--"]);
    assert_eq!(absent(&["t", "-", "{gamma}"]), ["t", "-"]);
    assert_eq!(absent(&["t", "-1", "{gamma}"]), ["t", "-1"]);
    assert_eq!(absent(&["t", "--rate=1", "{gamma}"]), ["t", "--rate=1"]);
    assert_eq!(absent(&["t", "{rate}", "{gamma}"]), ["t", "0.5"]);
    // Of two absent values each takes its own option.
    assert_eq!(absent(&["t", "--a", "{gamma}", "--b", "{gamma}"]), ["t"]);
    assert_eq!(absent(&["t", "--a", "{gamma}", "{gamma}"]), ["t"]);
    let there = filled(&["t", "--gamma", "{gamma}", "--g={gamma}"], 0.25.into(), true);
    assert_eq!(there, ["t", "--gamma", "0.25", "--g=0.25"]);
}

#[test]
fn a_switch_is_an_argument_or_none() {
    let arguments = ["t", "{bias?--bias}", "{bias?--yes:--no}"];
    assert_eq!(filled(&arguments, Value::Absent, true), ["t", "--bias", "--yes"]);
    assert_eq!(filled(&arguments, Value::Absent, false), ["t", "--no"]);
    let after_another = ["t", "--verbose", "{bias?--bias}"];
    assert_eq!(filled(&after_another, Value::Absent, false), ["t", "--verbose"]);
}

#[test]
fn a_command_that_cannot_be_filled_is_an_error() {
    let plain = Reading::default();
    for (arguments, reading, words) in [
        (&[][..], plain, "needs a program"),
        (&[""], plain, "needs a program"),
        (&["{gamma}"], ENVIRONMENT, "the program must be there in each trial"),
        (&["t", "{rate}"], plain, "the command never gets {kernel}, {gamma}, {bias}"),
        (&["t"], plain, "the command reads GITTINS_RATE"),
        (&["t", "g {gamma}"], ENVIRONMENT, "\"gamma\" may be absent"),
        (&["t", "--a=b={gamma}"], ENVIRONMENT, "must be an argument of its own"),
        (&["t", "{gamma}{rate}"], ENVIRONMENT, "\"gamma\" may be absent"),
        (&["t", "x{bias?--bias}"], ENVIRONMENT, "\"bias\" may be absent"),
        (&["t", "{rat}"], ENVIRONMENT, "argument 1 of the command"),
        (&["t \"{rate}\""], SHELL, "within quotes"),
        (&["t '{rate}'"], SHELL, "within quotes"),
        (&["t \\{rate}"], SHELL, "within quotes"),
        (&["t {gamma}"], SHELL, "${GITTINS_GAMMA:+--option"),
        (&["t {bias?--bias}"], SHELL, "without a shell"),
        (&["t", "{rate}"], SHELL, "one text"),
    ] {
        let error = read(arguments, reading).unwrap_err().to_string();
        assert!(error.contains(words), "{arguments:?}: {error}");
    }
}

#[test]
fn a_shell_gets_variables_in_quotes() {
    let command = read(&["t --rate {rate} 'it''s' \\\" > {trial}.txt"], SHELL).unwrap();
    let filled = command.fill(3, &[0.5.into(), "linear".into(), Value::Absent, true.into()]);
    assert_eq!(
        filled,
        ["sh", "-c", "t --rate \"${GITTINS_RATE}\" 'it''s' \\\" > \"${GITTINS_TRIAL}\".txt"]
    );
}

#[test]
fn each_parameter_has_a_variable_of_its_own() {
    assert_eq!(variable("learning rate-2ü"), "GITTINS_LEARNING_RATE_2_");
    for (space, words) in [
        (Space::new().flag("a-b").flag("a_b"), "have one variable, GITTINS_A_B"),
        (Space::new().flag("Trial"), "GITTINS_TRIAL has a meaning"),
        (Space::new().flag("backend"), "GITTINS_BACKEND has a meaning"),
        (Space::new().flag("cache"), "GITTINS_CACHE has a meaning"),
    ] {
        let error = Command::new(&["t".into()], &space, ENVIRONMENT).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// Names in another script have none of the letters of a variable.
#[test]
fn names_that_would_have_one_variable_have_placeholders() {
    let space =
        Space::new().flag("\u{3b1}").flag("\u{3b2}").flag("a-b").flag("a_b").flag("backend");
    let names = ["\u{3b1}", "\u{3b2}", "a-b", "a_b", "backend"];
    let arguments: Vec<String> =
        ["t".to_owned()].into_iter().chain(names.map(|name| format!("{{{name}}}"))).collect();
    let values = [true, false, true, false, true].map(Value::from);
    for reading in [Reading::default(), ENVIRONMENT] {
        let command = Command::new(&arguments, &space, reading).unwrap();
        assert_eq!(command.fill(0, &values), ["t", "true", "false", "true", "false", "true"]);
    }
    // A shell has each by a variable of its own.
    let text = [arguments.join(" ")];
    let command = Command::new(&text, &space, SHELL).unwrap();
    let process = command.process((0, 0), &values, None);
    let got = |name: &str| process.get_envs().find(|(known, _)| *known == name).unwrap().1.unwrap();
    let words: Vec<String> = command.fill(0, &values)[2]
        .to_string_lossy()
        .split(' ')
        .skip(1)
        .map(|word| word.trim_matches(['"', '$', '{', '}']).to_owned())
        .collect();
    let values: Vec<_> = words.iter().map(|name| got(name)).collect();
    assert_eq!(values, ["true", "false", "true", "false", "true"]);
    // Without placeholders the names are said, and what to do.
    let error = Command::new(&["t".into()], &space, ENVIRONMENT).unwrap_err().to_string();
    for words in ["\u{3b1}", "\u{3b2}", "one variable", "another name", "a place in the command"] {
        assert!(error.contains(words), "{words}: {error}");
    }
}
