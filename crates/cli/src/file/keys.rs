//! The keys that a study.toml may have. The reader knows them from here, and so does the schema.

use gittins::named::{Key, Shape};
use gittins::study::{Candidates, Stages, StudySpec};

const fn may(name: &'static str, shape: Shape, note: &'static str) -> Key {
    Key { name, shape, needed: false, usual: None, note }
}

const fn must(name: &'static str, shape: Shape, note: &'static str) -> Key {
    Key { needed: true, ..may(name, shape, note) }
}

/// A finite number above zero.
const POSITIVE: Shape = Shape::Above(0.0);
/// Seconds, or a text such as `"10 min"`.
const TIME: Shape = Shape::Either(&[POSITIVE, Shape::Text]);
/// A command, or a part of one.
const ARGUMENTS: Shape = Shape::Either(&[Shape::List(&Shape::Text), Shape::Text]);

/// A setting of a study, as the library has it.
const fn setting(name: &'static str) -> Key {
    of(StudySpec::KEYS, name)
}

/// A setting of the library. A name that it does not have does not compile.
const fn of(settings: &'static [Key], name: &'static str) -> Key {
    let mut at = 0;
    while at < settings.len() {
        let key = &settings[at];
        if is_same(key.name.as_bytes(), name.as_bytes()) {
            return *key;
        }
        at += 1;
    }
    panic!("no setting has this name")
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    match (one, other) {
        ([first, one @ ..], [second, other @ ..]) => *first == *second && is_same(one, other),
        (one, other) => one.is_empty() && other.is_empty(),
    }
}

/// The directions.
pub const DIRECTIONS: &[&str] = &["minimize", "maximize"];

/// Where a cost comes from.
pub const COSTS: &[&str] = &["wall_time", "cpu_time", "output", "parameters", "none"];

/// The file itself.
pub const STUDY: &[Key] = &[
    may("name", Shape::Text, "The study's name in the journal; needed if the journal has several."),
    must("direction", Shape::OneOf(DIRECTIONS), "Which outcomes are better."),
    may(
        "price",
        POSITIVE,
        "How much better the outcome must get to be worth one more unit of cost. The run stops at this price.",
    ),
    may(
        "budget",
        POSITIVE,
        "The money that the trials may spend. The run ends before if the rest of it is not worth spending.",
    ),
    may(
        "policy",
        Shape::Policy,
        "What chooses the trials: gittins if there is a price, else log_eipc. A name, or a table with it.",
    ),
    setting("seed"),
    may(
        "initial",
        Shape::Count(1),
        "How many trials are made before a model chooses: those of first, the others spread over the space.",
    ),
    setting("first"),
    setting("overdue"),
    setting("best_possible"),
    may("engine", Shape::Keys(ENGINE), "How the study models and searches."),
    setting("model"),
    setting("cost_model"),
    may(
        "journal",
        Shape::Text,
        "The file that keeps the study, beside this one; the same name with the ending .journal unless set.",
    ),
    may(
        "command",
        ARGUMENTS,
        "The command of a trial: a list of arguments with {placeholders}, or one text with shell = true.",
    ),
    may("shell", Shape::Flag, "Whether a shell (sh) runs the command; false unless set."),
    may(
        "environment",
        Shape::Flag,
        "Whether the command reads values from its environment, so that it needs no placeholder for each parameter; false unless set.",
    ),
    may(
        "directory",
        Shape::Text,
        "Where the command runs, from this file on; the current directory unless set.",
    ),
    may("workers", Shape::Count(1), "How many trials run at once; 1 unless set."),
    may("time_limit", TIME, "After which time a trial is ended and counts as failed."),
    may(
        "grace",
        TIME,
        "How long a trial has to end by itself once it was asked to; 5 s unless set.",
    ),
    may("give_up", TIME, "After which time a trial of another machine is given up."),
    may("parameters", Shape::Space, "What varies. Either this or table is needed."),
    may(
        "table",
        Shape::Keys(TABLE),
        "The candidates, in place of parameters: the rows of a CSV file.",
    ),
    may(
        "constraints",
        Shape::List(&Shape::Either(&[Shape::Keys(SUM), Shape::Keys(CARDINALITY)])),
        "What must hold for the values, and is known beforehand.",
    ),
    may(
        "outcome",
        Shape::Keys(OUTCOME),
        "Where the outcome is found: the last line of the output unless set.",
    ),
    may("cost", Shape::Keys(COST), "What a trial costs: its seconds unless set."),
    may(
        "limits",
        Shape::Named(&Shape::Keys(LIMIT)),
        "What numbers that a trial prints beside the outcome must hold, by their names.",
    ),
    may(
        "objectives",
        Shape::Named(&Shape::Keys(OBJECTIVE)),
        "Numbers that a trial prints beside the outcome and are objectives as well, by their names.",
    ),
    may(
        "stages",
        Shape::Keys(STAGES),
        "Trials are runs in stages: they report while they go on, and may be left and resumed.",
    ),
    may("stop", Shape::Keys(STOP), "What else ends the run."),
    may("n_trials", Shape::Count(1), "Another word for trials of stop."),
];

/// `[engine]`.
pub const ENGINE: &[Key] = &[
    may("time_limit", TIME, "How long one suggestion or verdict may take."),
    setting("standardize"),
    setting("warping"),
    setting("incumbent"),
    setting("search"),
    setting("backend"),
];

/// `[table]`.
pub const TABLE: &[Key] = &[
    must(
        "file",
        Shape::Text,
        "The CSV file, beside this one: a line with the names of columns, then a line for each candidate.",
    ),
    may(
        "columns",
        Shape::List(&Shape::Text),
        "The columns that are modeled; all unless set. The command can be told the others too.",
    ),
    may(
        "categorical",
        Shape::List(&Shape::Text),
        "The columns whose cells are names, although they look like numbers.",
    ),
    of(Candidates::KEYS, "log"),
];

/// `[[constraints]]` on a sum.
pub const SUM: &[Key] = &[
    must("terms", Shape::Named(&Shape::Number), "The weight of each parameter in the sum."),
    may("at_most", Shape::Number, "The sum's upper bound."),
    may("at_least", Shape::Number, "The sum's lower bound."),
    may("equal_to", Shape::Number, "What the sum is: of floats, alone."),
];

/// `[[constraints]]` on how many parts are there.
pub const CARDINALITY: &[Key] = &[
    must("parts", Shape::List(&Shape::Text), "Floats from 0, of which some are 0."),
    must("at_most", Shape::Count(1), "How many of them may be more than 0."),
    may("least", Shape::AtLeast(0.0), "The least of one that is more than 0; 0 unless set."),
];

/// Where a number of a trial is found.
const FILE: Key =
    may("file", Shape::Text, "The file that the trial writes, in place of its output.");
const KEY: Key = may("key", Shape::Text, "The key of a JSON object, with dots for keys inside.");
const NAMED_KEY: Key = may(
    "key",
    Shape::Text,
    "The key of a JSON object, with dots for keys inside; the name unless set.",
);
const PATTERN: Key = may("pattern", Shape::Text, "A regular expression with one group.");

/// `[outcome]`.
pub const OUTCOME: &[Key] = &[
    FILE,
    KEY,
    PATTERN,
    may(
        "infeasible_exit_code",
        Shape::Count(1),
        "The exit code that says: this point is not allowed.",
    ),
    may("reference", Shape::Number, "The outcome that is worth nothing, beside other objectives."),
];

/// `[cost]`.
pub const COST: &[Key] = &[
    may(
        "from",
        Shape::OneOf(COSTS),
        "Where the cost comes from; wall_time unless set, which is more on a busy machine.",
    ),
    FILE,
    KEY,
    PATTERN,
    may(
        "per_unit",
        Shape::Named(&Shape::Either(&[Shape::Number, Shape::Named(&Shape::Number)])),
        "With from = \"parameters\", or in stages: what a unit of each of these parameters costs, or each name of a choice.",
    ),
    may("fixed", Shape::Number, "What each trial costs besides its parameters; 0 unless set."),
    may("unit", Shape::Text, "The unit in reports; s for times."),
    may("floor", POSITIVE, "The smallest cost that still matters; 0.001 for times."),
];

/// A number of `[limits]`.
pub const LIMIT: &[Key] = &[
    may("at_most", Shape::Number, "The number must not be larger. Either this or at_least."),
    may("at_least", Shape::Number, "The number must not be smaller."),
    FILE,
    NAMED_KEY,
    PATTERN,
];

/// A number of `[objectives]`.
pub const OBJECTIVE: &[Key] = &[
    may("direction", Shape::OneOf(DIRECTIONS), "Which numbers are better; minimize unless set."),
    may("reference", Shape::Number, "The number that is worth nothing; inferred unless set."),
    FILE,
    NAMED_KEY,
    PATTERN,
];

/// `[stages]`.
pub const STAGES: &[Key] = &[
    of(Stages::KEYS, "total"),
    of(Stages::KEYS, "epochs"),
    of(Stages::KEYS, "folds"),
    of(Stages::KEYS, "items"),
    of(Stages::KEYS, "reports"),
    of(Stages::KEYS, "any_stage_counts"),
    of(Stages::KEYS, "repeats"),
    of(Stages::KEYS, "resumable"),
    may(
        "progress",
        Shape::Text,
        "The key of the progress in a JSON line, with dots for keys inside; progress unless set.",
    ),
    may(
        "outcome",
        Shape::Text,
        "The key of the outcome in a JSON line, with dots for keys inside; outcome unless set.",
    ),
    may(
        "cost",
        Shape::Text,
        "The key of the cost since the report before in a JSON line; unless set the clock says it.",
    ),
    may(
        "pattern",
        Shape::Text,
        "A regular expression with the groups progress and outcome, and perhaps cost, in place of JSON lines.",
    ),
    may(
        "resume",
        ARGUMENTS,
        "What is added to the command of a trial that is resumed: arguments, or with shell = true one text.",
    ),
];

/// `[stop]`.
pub const STOP: &[Key] = &[
    may(
        "trials",
        Shape::Count(1),
        "The most trials, those of the initial design and failed ones included.",
    ),
    may("cost", POSITIVE, "The most that all trials may cost together."),
    may("price", POSITIVE, "The price at which the run stops, if it is not the one that chooses."),
    may("target", Shape::Number, "The outcome that is good enough."),
    may("stall", Shape::Count(1), "Stop if so many trials in a row bring nothing better."),
    may(
        "rule",
        Shape::Rule,
        "Another stopping rule: a name, a table with it, or a list of which any ends the run.",
    ),
    may(
        "failures",
        Shape::Count(0),
        "Give up if so many trials fail before one succeeds; 5 unless set, 0 for never.",
    ),
];

const LOW: Key = must("low", Shape::Number, "The lower bound, which belongs to it.");
const HIGH: Key = must("high", Shape::Number, "The upper bound, which belongs to it.");
const WHOLE_LOW: Key = must("low", Shape::Whole, "The lower bound, which belongs to it.");
const WHOLE_HIGH: Key = must("high", Shape::Whole, "The upper bound, which belongs to it.");
const NAMES: Key = may(
    "names",
    Shape::List(&Shape::Text),
    "At least one name; a single one is a constant. Either this or values is needed.",
);
const VALUES: Key = may("values", Shape::List(&Shape::Text), "Another word for names.");
const LOG: Key =
    may("log", Shape::Flag, "Whether its order of magnitude matters, as that of a log_ type does.");
const STEP: Key = must("step", POSITIVE, "The distance of two neighbors.");
const TYPE: Key = must("type", Shape::OneOf(TYPES), "How it varies.");
const WHEN: Key = may(
    "when",
    Shape::Named(&Shape::Either(CONDITIONS)),
    "On which values of other parameters it exists.",
);

/// What a condition may be.
const CONDITIONS: &[Shape] = &[Shape::Value, Shape::List(&Shape::Value), Shape::Keys(CONDITION)];

/// A condition on a number.
pub const CONDITION: &[Key] = &[
    may("at_least", Shape::Number, "The smallest value with which it exists."),
    may("at_most", Shape::Number, "The largest value with which it exists."),
];

/// The types of parameters.
pub const TYPES: &[&str] = &[
    "float",
    "log_float",
    "int",
    "log_int",
    "steps",
    "numbers",
    "powers_of_two",
    "ordinal",
    "choice",
    "flag",
    "constant",
];

/// Another word for the type `choice`.
pub const CATEGORICAL: &str = "categorical";

const FLOAT: &[Key] = &[TYPE, LOW, HIGH, LOG, Key { needed: false, ..STEP }, WHEN];
const INT: &[Key] =
    &[TYPE, WHOLE_LOW, WHOLE_HIGH, LOG, may("step", Shape::Count(1), STEP.note), WHEN];
const LOG_FLOAT: &[Key] = &[TYPE, LOW, HIGH, WHEN];
const WHOLE: &[Key] = &[TYPE, WHOLE_LOW, WHOLE_HIGH, WHEN];
const STEPS: &[Key] = &[TYPE, LOW, HIGH, STEP, WHEN];
const NUMBERS: &[Key] = &[
    TYPE,
    must("values", Shape::List(&Shape::Number), "At least one number, each above the one before."),
    WHEN,
];
const NAMED: &[Key] = &[TYPE, NAMES, VALUES, WHEN];
const SWITCH: &[Key] = &[TYPE, WHEN];
const CONSTANT: &[Key] = &[TYPE, must("value", Shape::Value, "The value."), WHEN];

/// The keys of a parameter of a type; none for a type that there is not.
pub fn of_type(name: &str) -> Option<&'static [Key]> {
    Some(match name {
        "float" => FLOAT,
        "int" => INT,
        "log_float" => LOG_FLOAT,
        "log_int" | "powers_of_two" => WHOLE,
        "steps" => STEPS,
        "numbers" => NUMBERS,
        "ordinal" | "choice" | CATEGORICAL => NAMED,
        "flag" => SWITCH,
        "constant" => CONSTANT,
        _ => return None,
    })
}
