//! Each mistake, and what is said of it.

use super::{START, read};

/// Lines after those of `START`, and the whole message.
const BAD: &[(&str, &str)] = &[
    // Parameters.
    (
        "[parameters.depth]\ntype = \"int\"\nlow = \"2\"\nhigh = 3",
        "line 6, parameters.depth.low: expected a whole number, got the text \"2\"",
    ),
    (
        "[parameters.depth]\ntype = \"int\"\nlow = 2.5\nhigh = 3",
        "line 6, parameters.depth.low: expected a whole number, got 2.5",
    ),
    (
        "[parameters.depth]\ntype = \"int\"\nlow = 4\nhigh = 3",
        "line 4, parameters.depth: the lower bound must be below the upper one, got a whole number in [4, 3]",
    ),
    (
        "[parameters.depth]\ntype = \"int\"\nlow = 4",
        "line 4, parameters.depth: the key \"high\" is missing",
    ),
    (
        "[parameters.depth]\nlow = 4",
        "line 4, parameters.depth: the key \"type\" is missing; there are float, log_float, int, log_int, steps, numbers, powers_of_two, ordinal, choice, flag, constant",
    ),
    (
        "[parameters.depth]\ntype = \"whole\"",
        "line 5, parameters.depth.type: unknown type \"whole\"; there are float, log_float, int, log_int, steps, numbers, powers_of_two, ordinal, choice, flag, constant",
    ),
    (
        "[parameters.depth]\ntype = \"flaot\"",
        "line 5, parameters.depth.type: unknown type \"flaot\"; did you mean \"float\"?",
    ),
    (
        "[parameters.depth]\ntype = 3",
        "line 5, parameters.depth.type: expected a text in quotes, got 3",
    ),
    (
        "[parameters.r]\ntype = \"log_float\"\nlow = 0\nhigh = 1",
        "line 4, parameters.r: the lower bound must be positive on a log scale, got a number in [0, 1] (log scale)",
    ),
    (
        "[parameters.r]\ntype = \"float\"\nlow = 0\nhigh = inf",
        "line 7, parameters.r.high: expected a finite number, got inf",
    ),
    (
        "[parameters.r]\ntype = \"float\"\nlow = 0\nhihg = 1",
        "line 7, parameters.r.hihg: unknown key; did you mean \"high\"?",
    ),
    (
        "[parameters.r]\ntype = \"steps\"\nlow = 0\nhigh = 1\nstep = 0",
        "line 8, parameters.r.step: expected a positive number, got 0",
    ),
    (
        "[parameters.r]\ntype = \"steps\"\nlow = 0\nhigh = 1\nstep = 2",
        "line 4, parameters.r: a step must be positive, and the bounds at least one step apart, got a number in [0, 1] in steps of 2",
    ),
    (
        "[parameters.r]\ntype = \"numbers\"\nvalues = [2, 1]",
        "line 4, parameters.r: a list needs at least one number, each above the one before, got one of the numbers [2.0, 1.0]",
    ),
    (
        "[parameters.r]\ntype = \"numbers\"\nvalues = [1,\n \"2\"]",
        "line 7, parameters.r.values[1]: expected a number, got the text \"2\"",
    ),
    (
        "[parameters.r]\ntype = \"powers_of_two\"\nlow = 5\nhigh = 7",
        "line 4, parameters.r: a list needs at least one number, each above the one before, got one of the numbers []",
    ),
    (
        "[parameters.s]\ntype = \"choice\"\nnames = \"adam\"",
        "line 6, parameters.s.names: expected a list, got the text \"adam\"",
    ),
    (
        "[parameters.s]\ntype = \"choice\"\nnames = []",
        "line 4, parameters.s: at least one name is needed, and all must differ, got one of []",
    ),
    (
        "[parameters.s]\ntype = \"choice\"\nnames = [\"adam\", 1]",
        "line 6, parameters.s.names[1]: expected a text in quotes, got 1; write \"1\", or take the type \"numbers\"",
    ),
    (
        "[parameters.s]\ntype = \"choice\"\nnames = [\"a\", \"\\u0000\"]",
        "line 6, parameters.s.names[1]: a name must not contain a zero byte",
    ),
    (
        "[parameters.s]\ntype = \"constant\"\nvalue = []",
        "line 6, parameters.s.value: expected a number, a text, true or false, got a list",
    ),
    (
        "[parameters.s]\ntype = \"constant\"\nvalue = 1979-05-27",
        "line 6, parameters.s.value: expected a number, a text, true or false, got the date 1979-05-27",
    ),
    (
        "[parameters.\"a}\"]\ntype = \"flag\"",
        "line 4, parameters.a}: a name must not be empty and has no braces in it",
    ),
    ("[parameters]\ny = 1", "line 5, parameters.y: expected a table, got 1"),
    // Conditions and constraints.
    (
        "[parameters.g]\ntype = \"flag\"\nwhen = { y = true }",
        "line 6, parameters.g.when.y: no parameter is named \"y\"; did you mean \"x\"?",
    ),
    (
        "[parameters.g]\ntype = \"flag\"\nwhen = { x = { } }",
        "line 6, parameters.g.when.x: expected at_least, at_most or both",
    ),
    (
        "[parameters.g]\ntype = \"flag\"\nwhen = { x = { at_leats = 1 } }",
        "line 6, parameters.g.when.x.at_leats: unknown key; did you mean \"at_least\"?",
    ),
    (
        "[parameters.g]\ntype = \"flag\"\nwhen = { x = 3 }",
        "line 2, parameters: parameter \"g\": the condition on \"x\": expected true or false, got 3",
    ),
    (
        "[parameters.g]\ntype = \"flag\"\nwhen = { g = true }",
        "line 2, parameters: the conditions form a circle: \"g\" -> \"g\", each on the one before",
    ),
    (
        "[[constraints]]\nterms = { y = 1 }\nat_most = 1",
        "line 5, constraints[0].terms.y: no parameter is named \"y\"; did you mean \"x\"?",
    ),
    (
        "[[constraints]]\nterms = { x = 1 }",
        "line 4, constraints[0]: expected at_most, at_least or both, or equal_to",
    ),
    (
        "[[constraints]]\nterms = { }\nat_most = 1",
        "line 5, constraints[0].terms: expected at least one term",
    ),
    (
        "[[constraints]]\nterms = { x = 1 }\nat_most = -1",
        "line 4, constraints: 16384 points were tried, and 0 of them could be moved to satisfy 1 x <= -1",
    ),
    (
        "[[constraints]]\nterms = { x = 1 }\nequal_to = 1\nat_most = 1",
        "line 4, constraints[0]: equal_to says it all: expected no at_most or at_least",
    ),
    (
        "[parameters.g]\ntype = \"float\"\nlow = 0\nhigh = 1\n[[constraints]]\nterms = { g = 2 }\nequal_to = 3",
        "line 8, constraints: no point satisfies 2 g = 3: within the bounds the sum is from 0 to 2",
    ),
    (
        "[parameters.g]\ntype = \"float\"\nlow = 0\nhigh = 1\n[[constraints]]\nparts = [\"g\", \"h\"]\nat_most = 1",
        "line 9, constraints[0].parts[1]: no parameter is named \"h\"; did you mean \"x\"?",
    ),
    (
        "[parameters.g]\ntype = \"float\"\nlow = 0\nhigh = 1\n[[constraints]]\nparts = [\"g\"]\nat_most = 1\nmost = 2",
        "line 11, constraints[0].most: unknown key; there are parts, at_most, least",
    ),
    (
        "[[constraints]]\nparts = [\"x\"]\nat_most = 0",
        "line 6, constraints[0].at_most: expected a whole number from 1 to 4294967295, got 0",
    ),
    // Outcome, cost, stop.
    (
        "[outcome]\nkey = \"a\"\npattern = \"(b)\"",
        "line 6, outcome.pattern: expected either key or pattern, got both",
    ),
    (
        "[outcome]\npattern = \"b\"",
        "line 5, outcome.pattern: expected a pattern with one group in parentheses, got 0; (?:...) is no group",
    ),
    (
        "[outcome]\npattern = \"(a)(b)\"",
        "line 5, outcome.pattern: expected a pattern with one group in parentheses, got 2; (?:...) is no group",
    ),
    ("[outcome]\npattern = \"(b\"", "line 5, outcome.pattern: unclosed group"),
    (
        "[outcome]\nfile = \"{y}.txt\"",
        "line 5, outcome.file: no parameter is named \"y\" in \"{y}.txt\"; did you mean \"x\"?; write {{ and }} for braces",
    ),
    (
        "[outcome]\ninfeasible_exit_code = 256",
        "line 5, outcome.infeasible_exit_code: an exit code is at most 255, got 256",
    ),
    (
        "[cost]\nfrom = \"walltime\"",
        "line 5, cost.from: unknown value \"walltime\"; did you mean \"wall_time\"?",
    ),
    (
        "[cost]\nfrom = \"output\"",
        "line 4, cost: a cost from the output needs key, pattern or file",
    ),
    (
        "[cost]\nkey = \"seconds\"",
        "line 5, cost.key: this key belongs to from = \"output\", not to \"wall_time\"",
    ),
    (
        "[cost]\nfrom = \"none\"\nfixed = 2",
        "line 6, cost.fixed: this key belongs to from = \"parameters\", not to \"none\"",
    ),
    (
        "[cost]\nfrom = \"parameters\"\nfixed = 2",
        "line 4, cost: a cost from the parameters needs per_unit",
    ),
    (
        "[cost]\nfrom = \"parameters\"\nper_unit = {}",
        "line 6, cost.per_unit: expected at least one term",
    ),
    (
        "[cost]\nfrom = \"parameters\"\nper_units = { x = 1 }",
        "line 6, cost.per_units: unknown key; did you mean \"per_unit\"?",
    ),
    (
        "[cost]\nfrom = \"parameters\"\nper_unit = { X = 1 }",
        "line 6, cost.per_unit.X: no parameter is named \"X\"; did you mean \"x\"?",
    ),
    (
        "[cost]\nfrom = \"parameters\"\nper_unit = { x = 1 }",
        "line 4, cost: linear cost: from 0 to 1 over all points: expected a positive cost, got 0; where an evaluation can be free, set a `cost_floor`",
    ),
    (
        "[parameters.y]\ntype = \"choice\"\nnames = [\"a\", \"b\"]\n[cost]\nfrom = \"parameters\"\nper_unit = { y = 1 }\nfixed = 2",
        "line 7, cost: linear cost: \"y\" is one of [\"a\", \"b\"], which has no size",
    ),
    (
        "[parameters.y]\ntype = \"choice\"\nnames = [\"a\", \"b\"]\n[cost]\nfrom = \"parameters\"\nper_unit = { y = { a = 1 } }",
        "line 7, cost: linear cost: \"y\": expected a cost of \"b\", got none",
    ),
    (
        "[cost]\nfrom = \"parameters\"\nper_unit = { x = { a = 1 } }",
        "line 4, cost: linear cost: \"x\" is true or false: expected one cost per unit",
    ),
    ("[cost]\nfloor = -1", "line 5, cost.floor: expected a positive number, got -1"),
    (
        "[stop]\ntrials = 0",
        "line 5, stop.trials: expected a whole number from 1 to 4294967295, got 0",
    ),
    ("[stop]\ntrails = 5", "line 5, stop.trails: unknown key; did you mean \"trials\"?"),
    ("[stop]\ncost = 0", "line 5, stop.cost: expected a positive number, got 0"),
    ("[stop]\ntarget = nan", "line 5, stop.target: expected a finite number, got nan"),
    // Limits.
    ("[limits]\nsize = 3", "line 5, limits.size: expected a table, got 3"),
    (
        "[limits]\nsize = { at_mots = 3 }",
        "line 5, limits.size.at_mots: unknown key; did you mean \"at_most\"?",
    ),
    (
        "[limits]\nsize = { key = \"a\" }",
        "line 5, limits.size: expected at_most or at_least, got neither",
    ),
    (
        "[limits.size]\nat_most = 3\nat_least = 1",
        "line 4, limits.size: expected either at_most or at_least, got both; the other bound needs a name of its own and the same key or pattern",
    ),
    (
        "[limits]\nsize = { at_most = \"3\" }",
        "line 5, limits.size.at_most: expected a number, got the text \"3\"",
    ),
    (
        "[limits]\nsize = { at_least = inf }",
        "line 5, limits.size.at_least: expected a finite number, got inf",
    ),
    (
        "[limits]\nsize = { at_most = 3, key = \"a\", pattern = \"(b)\" }",
        "line 5, limits.size.pattern: expected either key or pattern, got both",
    ),
    (
        "[limits]\nsize = { at_most = 3, pattern = \"b\" }",
        "line 5, limits.size.pattern: expected a pattern with one group in parentheses, got 0; (?:...) is no group",
    ),
    (
        "[limits]\nsize = { at_most = 3, file = \"{y}\" }",
        "line 5, limits.size.file: no parameter is named \"y\" in \"{y}\"; did you mean \"x\"?; write {{ and }} for braces",
    ),
    (
        "[limits]\nx = { at_most = 3 }",
        "line 5, limits.x: a parameter has this name; what must hold for values is known beforehand, and belongs to [[constraints]]",
    ),
    (
        "[limits]\ncost = { at_most = 3 }",
        "line 5, limits.cost: the command uses this name itself: give the number another one",
    ),
    (
        "[limits]\n\"\" = { at_most = 3 }",
        "line 5, limits.: expected a name without spaces around it",
    ),
];

/// Whole files, and the whole message.
const BAD_FILES: &[(&str, &str)] = &[
    ("", "line 1: the key \"direction\" is missing"),
    ("direction = \"min\"", "line 1, direction: unknown value \"min\"; did you mean \"minimize\"?"),
    (
        "direction = \"minimize\"",
        "line 1: the key \"parameters\" is missing, or \"table\" for candidates from a CSV file",
    ),
    ("direction = \"minimize\"\nparameters = 1", "line 2, parameters: expected a table, got 1"),
    (
        "direction = \"minimize\"\n[parameters]",
        "line 2, parameters: expected at least one parameter, got none",
    ),
    (
        "direction = \"minimize\"\n[parameters.x]\ntype = \"constant\"\nvalue = 1",
        "line 2, parameters: all parameters are constants",
    ),
    ("directoin = \"minimize\"", "line 1, directoin: unknown key; did you mean \"direction\"?"),
    ("direction = minimize", "line 1: string values must be quoted, expected literal string"),
    ("a = 1\na = 2", "line 2: duplicate key"),
    ("[a\n", "line 1: unclosed table, expected `]`"),
];

/// Lines before those of `START`, and the whole message.
const BAD_STARTS: &[(&str, &str)] = &[
    ("price = -1", "line 1, price: expected a positive number, got -1"),
    ("price = \"1\"", "line 1, price: expected a number, got the text \"1\""),
    ("policy = \"gitins\"", "line 1, policy: unknown policy \"gitins\"; did you mean \"gittins\"?"),
    ("policy = \"gittins\"", "line 1, policy: this policy needs the key \"price\""),
    ("policy = \"gittins_decay\"", "line 1, policy: this policy needs the key \"price\""),
    ("policy = \"log_eipc_cooled\"", "line 1, policy: this policy needs the key \"budget\""),
    (
        "policy = { name = \"gittins_decay\", price = 1, factor = 1 }",
        "line 1, policy.factor: expected a number above 1, got 1",
    ),
    (
        "policy = { name = \"ucb\", beta = 1 }",
        "line 1, policy.beta: the policy \"ucb\" has no such key; there are none",
    ),
    ("policy = { price = 1 }", "line 1, policy: the key \"name\" is missing"),
    ("overdue = 0.5", "line 1, overdue: expected a number of at least 1, got 0.5"),
    (
        "stop.rule = [\"gittins\", \"stal\"]",
        "line 1, stop.rule[1]: unknown stopping rule \"stal\"; did you mean \"stall\"?",
    ),
    (
        "stop.rule = { all = [\"stall\"], after = 3 }",
        "line 1, stop.rule.after: this key stands beside \"all\"",
    ),
    ("stop.rule = []", "line 1: expected at least one stopping rule to join, got none"),
    (
        "engine.backend = \"cuda\"",
        "line 1, engine.backend: unknown value \"cuda\"; there are auto, cpu, gpu",
    ),
    (
        "engine.warping = \"half\"",
        "line 1, engine.warping: unknown value \"half\"; there are none, half_rank",
    ),
    (
        "engine.search = { pionts = 3 }",
        "line 1, engine.search.pionts: unknown key; did you mean \"points\"?",
    ),
    (
        "model.noise = { learned = { low = 1 } }",
        "line 1, model.noise.learned: the key \"high\" is missing",
    ),
    (
        "model.mean = 3",
        "line 1, model.mean: expected \"learned\" or \"profiled\", or a table, got 3",
    ),
    (
        "policy = \"ucb\"\nlimits.size.at_most = 3",
        "line 1: this policy ignores limits on measured numbers: take the Gittins index or an expected improvement",
    ),
    ("objectives = 3", "line 1, objectives: expected a table, got 3"),
    (
        "policy = \"ucb\"\nobjectives.late.reference = 3",
        "line 1, policy: this policy knows one objective: take the Gittins index at a price, log_ei or log_eipc",
    ),
    (
        "workers = 2\nobjectives.late.file = \"late\"",
        "line 1: with several workers each trial needs a file of its own: put {trial} into the file's name",
    ),
    (
        "workers = 2\nlimits.size = { at_most = 3, file = \"size\" }",
        "line 1: with several workers each trial needs a file of its own: put {trial} into the file's name",
    ),
    ("first = 3", "line 1, first: expected a list, got 3"),
    ("first = [3]", "line 1, first[0]: expected a table, got 3"),
    (
        "first = [{ x = [1] }]",
        "line 1, first[0].x: expected a number, a text, true or false, got a list",
    ),
    (
        "first = [{ y = 1 }]",
        "line 1, first: setting 1: no parameter is named \"y\"; there are [\"x\"]",
    ),
    (
        "first = [{}]",
        "line 1, first: setting 1: parameter \"x\": expected true or false, it is absent",
    ),
    ("seed = -1", "line 1, seed: expected a whole number from 0 to 4294967295, got -1"),
    ("workers = 0", "line 1, workers: expected a whole number from 1 to 4294967295, got 0"),
    (
        "time_limit = \"soon\"",
        "line 1, time_limit: expected a positive number of seconds, or a text such as \"90 s\", \"10 min\" or \"2 h\"",
    ),
    (
        "time_limit = 0",
        "line 1, time_limit: expected a positive number of seconds, or a text such as \"90 s\", \"10 min\" or \"2 h\"",
    ),
    (
        "time_limit = \"1e300 h\"",
        "line 1, time_limit: expected a positive number of seconds, or a text such as \"90 s\", \"10 min\" or \"2 h\"",
    ),
    (
        "command = \"train {x}\"",
        "line 1, command: expected a list of arguments such as [\"python\", \"train.py\"]; a text needs shell = true",
    ),
    (
        "shell = true\ncommand = [\"train\", \"{x}\"]",
        "line 2, command: with shell = true the command is one text",
    ),
    ("command = []", "line 1, command: a command needs a program"),
    ("command = [\"train\", 3]", "line 1, command[1]: expected a text in quotes, got 3"),
    (
        "command = [\"train\"]",
        "line 1, command: the command never gets {x}; put it into an argument, or set environment = true if the command reads GITTINS_X and the like",
    ),
    (
        "command = [\"train\", \"{y}\"]",
        "line 1, command: argument 1 of the command: no parameter is named \"y\" in \"{y}\"; did you mean \"x\"?; write {{ and }} for braces",
    ),
    ("journal = \"\"", "line 1, journal: expected a text, got an empty one"),
    ("environment = 1", "line 1, environment: expected true or false, got 1"),
];

/// What is said of a file instead of what is expected; none if it is the same.
fn other(text: &str, expected: &str) -> Option<String> {
    let said = read(text).map_or_else(|error| error.to_string(), |_| "nothing".to_owned());
    let expected = format!("study.toml, {expected}");
    (said != expected).then(|| format!("{text}\nexpected {expected}\ngot      {said}\n\n"))
}

pub fn check(text: &str, expected: &str) {
    assert_eq!(other(text, expected), None);
}

#[test]
fn each_bad_file_is_told_what_is_wrong_and_where() {
    read(START).unwrap();
    let others: String = BAD
        .iter()
        .map(|(lines, expected)| (format!("{START}{lines}"), expected))
        .chain(BAD_FILES.iter().map(|(text, expected)| ((*text).to_owned(), expected)))
        .chain(BAD_STARTS.iter().map(|(lines, expected)| (format!("{lines}\n{START}"), expected)))
        .filter_map(|(text, expected)| other(&text, expected))
        .collect();
    assert!(others.is_empty(), "{others}");
    check(
        &format!("workers = 2\n{START}[outcome]\nfile = \"out.txt\""),
        "line 1: with several workers each trial needs a file of its own: put {trial} into the file's name",
    );
}
