//! Files with `[stages]`, and what is wrong with some.

use gittins::Cost;

use super::bad_files::check;
use super::{START, read};
use crate::stages::bill::Bill;
use crate::stages::line::LineForm;

/// Lines after which `[stages]` begins in line 4.
fn staged(lines: &str) -> String {
    format!("{START}[stages]\n{lines}")
}

#[test]
fn stages_are_read_as_they_are_meant() {
    let file =
        read(&staged("total = 52\nreports = [3, 11, 52]\noutcome = \"loss.valid\"")).unwrap();
    let stages = file.stages.unwrap();
    assert_eq!([0.0, 3.0, 12.0, 52.0].map(|at| stages.next(at)), [3.0, 11.0, 52.0, 52.0]);
    assert_eq!((stages.bill, file.unit.as_deref()), (Bill::WallTime, Some("s")));
    let LineForm::Keys { progress, outcome, cost } = stages.form else { panic!() };
    assert_eq!(
        (progress, outcome, cost),
        (Some(vec!["progress".into()]), vec!["loss".into(), "valid".into()], None)
    );
    let pattern = "pattern = '(?<progress>\\d+) (?<outcome>\\d+) (?<cost>\\d+)'";
    let file = read(&staged(&format!("epochs = 9\n{pattern}\n[cost]\nunit = \"EUR\""))).unwrap();
    assert_eq!((file.stages.unwrap().bill, file.unit.as_deref()), (Bill::Output, Some("EUR")));
    let file = read(&staged("epochs = 9\n[cost]\nfrom = \"none\"")).unwrap();
    assert_eq!((file.stages.unwrap().bill, file.unit), (Bill::Share, None));
    let list = "[cost]\nper_unit = { x = 2, y = { a = 1, b = 20 } }\nfixed = 1";
    let choice = "[parameters.y]\ntype = \"choice\"\nnames = [\"a\", \"b\"]\n";
    let file = read(&staged(&format!("items = 9\n{choice}{list}"))).unwrap();
    assert!(matches!(file.spec.cost, Some(Cost::Known(_))));
    assert_eq!((file.stages.unwrap().bill, file.cost.is_told()), (Bill::WallTime, false));
    // What is free by the list needs a floor.
    let free = "items = 9\n[cost]\nper_unit = { x = 2 }\n";
    assert!(read(&staged(free)).unwrap_err().to_string().contains("where an evaluation can be"));
    assert_eq!(read(&staged(&format!("{free}floor = 0.01"))).unwrap().floor, Some(0.01));
    read(&format!("price = 1e-3\npolicy = \"gittins\"\n{}", staged("epochs = 9"))).unwrap();
}

#[test]
fn what_is_wrong_with_stages_is_said_where_it_stands() {
    for (lines, expected) in [
        ("", "line 4, stages: expected a total, epochs, folds or items, got none of them"),
        (
            "total = 9\nepochs = 9",
            "line 4, stages: expected one of total, epochs, folds and items, got several",
        ),
        ("total = 0", "line 5, stages.total: expected a positive number, got 0"),
        ("epochs = 2.5", "line 5, stages.epochs: expected a whole number, got 2.5"),
        (
            "epochs = 9\nreport = [1]",
            "line 6, stages.report: unknown key; did you mean \"reports\"?",
        ),
        ("epochs = 9\nreports = 3", "line 6, stages.reports: expected a list, got 3"),
        (
            "epochs = 9\nreports = [3, 2]",
            "line 4, stages: report 2: expected a progress above 3 and at most the total 9, got 2",
        ),
        (
            "epochs = 9\npattern = 'loss (?<outcome>\\S+)'",
            "line 6, stages.pattern: the pattern needs the group progress, written (?<progress>...), as in 'epoch (?<progress>\\d+) loss (?<outcome>\\S+)'",
        ),
        (
            "epochs = 9\npattern = '(?<progress>.) (?<outcome>.)'\nprogress = \"e\"",
            "line 7, stages.progress: expected either pattern or keys of JSON lines, got both",
        ),
        ("epochs = 9\npattern = 3", "line 6, stages.pattern: expected a text in quotes, got 3"),
        (
            "epochs = 9\nresume = \"--resume\"",
            "line 6, stages.resume: expected a list of arguments such as [\"python\", \"train.py\"]; a text needs shell = true",
        ),
        (
            "epochs = 9\nresume = [\"{chekpoint}\"]",
            "line 6, stages.resume: argument 1 of the command: no parameter is named \"chekpoint\" in \"{chekpoint}\"; did you mean \"checkpoint\"?; write {{ and }} for braces",
        ),
        (
            "epochs = 9\n[outcome]\nkey = \"loss\"",
            "line 6, outcome: with [stages] each report has the outcome: stages.outcome, or the group outcome of stages.pattern",
        ),
        (
            "epochs = 9\n[objectives]\nlate = {}",
            "line 6, objectives: runs in stages have the outcome as their only objective: leave [objectives] or [stages] out",
        ),
        (
            "epochs = 9\n[limits]\nsize = { at_most = 3, file = \"size\" }",
            "line 7, limits.size.file: with [stages] a number stands in the output: print it before the last report, or in it",
        ),
        (
            "epochs = 9\nany_stage_counts = true\n[limits]\nsize = { at_most = 3 }",
            "line 4, stages: in stages, limits: what is measured at the end says nothing of other stages",
        ),
        (
            "epochs = 9\n[engine]\nwarping = true",
            "line 6, engine: runs in stages have no such setting",
        ),
        (
            "epochs = 9\n[cost]\nfrom = \"cpu_time\"",
            "line 7, cost.from: the computing time of a process is known at its end, and not at a report: set \"wall_time\", or print the cost",
        ),
        (
            "epochs = 9\n[cost]\nfrom = \"output\"",
            "line 7, cost.from: a cost from the output needs stages.cost, or the group cost in stages.pattern",
        ),
        (
            "epochs = 9\ncost = \"c\"\n[cost]\nfrom = \"wall_time\"",
            "line 8, cost.from: expected \"output\", since each report has its cost, got \"wall_time\"",
        ),
        (
            "epochs = 9\n[cost]\nkey = \"c\"",
            "line 7, cost.key: runs in stages have no such setting: a cost that is printed stands at stages.cost, or in the group cost of stages.pattern",
        ),
    ] {
        check(&staged(lines), expected);
    }
    let first = |line: &str, expected: &str| {
        check(&format!("{line}\n{}", staged("epochs = 9")), &format!("line 1, {expected}"));
    };
    first(
        "policy = \"log_ei\"",
        "policy: runs in stages are compared by their index alone: leave the policy out, or set \"gittins\" with a price",
    );
    // The rules of any study end one in stages.
    read(&staged("epochs = 9\n[stop]\nstall = 3")).unwrap();
    read(&staged("epochs = 9\n[stop]\nrule = { name = \"stall\", window = 9 }")).unwrap();
    first("overdue = 4", "overdue: runs in stages have no such setting");
    first(
        "command = [\"train\", \"{x}\", \"{until}\"]",
        "command: a program that ends at {until} has to be resumed: add {checkpoint} to the command, or set stages.resume",
    );
    let named = START.replace("parameters.x", "parameters.until");
    check(
        &format!("command = [\"train\", \"{{until}}\"]\n{named}[stages]\nepochs = 9"),
        "line 1, command: the parameter \"until\" needs another name: the variable GITTINS_UNTIL has a meaning of its own",
    );
    // Without stages these are ordinary names.
    read(&format!("command = [\"train\", \"{{until}}\"]\n{named}")).unwrap();
    check(
        &format!("command = [\"train\", \"{{x}}\", \"{{until}}\"]\n{START}"),
        "line 1, command: argument 2 of the command: no parameter is named \"until\" in \"{until}\"; there are x, trial; write {{ and }} for braces",
    );
}
