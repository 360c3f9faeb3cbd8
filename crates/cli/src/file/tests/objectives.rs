//! Files whose objectives are wrong.

use super::START;
use super::bad_files::check;

/// Lines after those of `START`, and the whole message.
const BAD: &[(&str, &str)] = &[
    ("[objectives]\nlate = 3", "line 5, objectives.late: expected a table, got 3"),
    (
        "[objectives]\nlate = { direction = \"maximise\" }",
        "line 5, objectives.late.direction: unknown value \"maximise\"; did you mean \"maximize\"?",
    ),
    (
        "[objectives]\nlate = { refrence = 3 }",
        "line 5, objectives.late.refrence: unknown key; did you mean \"reference\"?",
    ),
    (
        "[objectives]\nlate = { reference = \"3\" }",
        "line 5, objectives.late.reference: expected a number, got the text \"3\"",
    ),
    (
        "[objectives]\nlate = { reference = inf }",
        "line 5, objectives.late.reference: expected a finite number, got inf",
    ),
    (
        "[objectives]\nlate = { key = \"a\", pattern = \"(b)\" }",
        "line 5, objectives.late.pattern: expected either key or pattern, got both",
    ),
    (
        "[objectives]\na = {}\nb = {}\nc = {}",
        "line 4, objectives: expected at most 3 objectives, the outcome included, got 4",
    ),
    (
        "[limits]\nlate = { at_most = 3 }\n[objectives]\nlate = {}",
        "line 7, objectives.late: there is a limit on this number, and its reference says already what is worth nothing: leave one of the two out",
    ),
    (
        "[objectives]\nx = {}",
        "line 5, objectives.x: a parameter has this name; an objective is what a trial measures, under a name of its own",
    ),
    (
        "[objectives]\noutcome = {}",
        "line 5, objectives.outcome: the command uses this name itself: give the number another one",
    ),
    (
        "[objectives]\n\" late\" = {}",
        "line 5, objectives. late: expected a name without spaces around it",
    ),
    (
        "[outcome]\nreference = 3",
        "line 5, outcome.reference: a reference is of several objectives, and there is only the outcome",
    ),
    (
        "[outcome]\nreference = \"bad\"\n[objectives]\nlate = {}",
        "line 5, outcome.reference: expected a number, got the text \"bad\"",
    ),
    (
        "[objectives]\nlate = {}\n[stop]\ntarget = 0.1",
        "line 7, stop.target: with several objectives there is no best outcome that could be good enough: leave it out",
    ),
];

#[test]
fn what_is_wrong_with_objectives_is_said_where_it_stands() {
    for (lines, expected) in BAD {
        check(&format!("{START}{lines}"), expected);
    }
}
