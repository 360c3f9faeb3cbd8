//! Each call of a study on each kind of study: it works, or is refused for a reason that the pages have.

use std::collections::BTreeMap;

use gittins::journal::Journal;
use gittins::study::{AskTell, Choice, Limit, Objective, Request, Stages, StudyBuilder};
use gittins::{Cost, ErrorKind, Outcome, Policy, Result, Space, Study, Table};

/// What a study is of, or lives in.
const KINDS: [&str; 7] =
    ["whole", "stages", "table", "limits", "front", "file", "stages in a file"];

/// A trial that is complete, and one that is pending.
const COMPLETE: usize = 0;
const PENDING: usize = 5;

type Call = fn(&mut dyn AskTell) -> Result<()>;

/// All calls that ask a study or tell it something.
const CALLS: [(&str, Call); 20] = [
    ("ask", |study| study.ask().map(drop)),
    ("ask_for", |study| study.ask_for(&Request::new().count(2)).map(drop)),
    ("tell", |study| study.tell(PENDING.into(), outcome(study, 0.4))),
    ("tell_cost", |study| study.tell_cost(PENDING.into(), 3.0)),
    ("report", |study| study.report(PENDING.into(), 3.0, 0.4, 2.0).map(drop)),
    ("note_report", |study| study.note_report(PENDING.into(), 3.0, 0.4, 2.0)),
    ("advise", |study| study.advise(PENDING.into()).map(drop)),
    ("correct", |study| {
        let cost = study.study().stages().is_none().then_some(2.0);
        let corrected = cost.into_iter().fold(measured(study, 0.3), Outcome::cost);
        study.correct(COMPLETE.into(), corrected)
    }),
    ("withdraw", |study| study.withdraw(PENDING.into())),
    ("import", |study| study.import(&[0.5.into()], outcome(study, 0.2)).map(drop)),
    ("announce", |study| study.announce(&[0.5.into()]).map(drop)),
    ("note_choice", |study| {
        let id = study.announce(&[0.5.into()])?;
        study.note_choice(id, Choice::Initial)
    }),
    ("note_running", |study| study.note_running(PENDING.into(), 1.0)),
    ("forecast", |study| study.forecast(PENDING.into()).map(drop)),
    ("verdict", |study| study.verdict().map(drop)),
    ("verdict_on_another", |study| study.verdict_on_another().map(drop)),
    ("recommendation", |study| study.recommendation().map(drop)),
    ("front", |study| study.front().map(drop)),
    ("change_policy", |study| study.change_policy(Policy::gittins(1e-3))),
    ("price_from_budget", |study| study.price_from_budget(50.0).map(drop)),
];

/// What is refused, and of what.
fn is_refused(call: &str, kind: &str) -> bool {
    match call {
        "report" | "note_report" | "advise" => !kind.starts_with("stages"),
        "tell_cost" | "note_running" => kind.starts_with("stages"),
        _ => false,
    }
}

/// An outcome with the numbers that the study measures.
fn measured(study: &dyn AskTell, value: f64) -> Outcome {
    let names: Vec<String> = {
        let study = study.study();
        let limits = study.limits().map(|(name, _)| name.to_owned());
        limits.chain(study.objectives().map(|(name, _)| name.to_owned())).collect()
    };
    names.iter().fold(Outcome::new(value), |outcome, name| outcome.measured(name, 1.0 - value))
}

fn outcome(study: &dyn AskTell, value: f64) -> Outcome {
    measured(study, value).cost(2.0)
}

fn builder(kind: &str) -> StudyBuilder {
    let space = Space::new().float("x", 0.0, 1.0);
    let rows = (0..40).map(|row| vec![f64::from(row) / 20.0]).collect::<Vec<_>>();
    let study = match kind {
        "table" => Study::minimize(Table::new(["x"], rows).unwrap()),
        _ => Study::minimize(space),
    };
    let study = study.cost(Cost::learned()).initial(3).seed(5);
    match kind {
        "limits" => study.limit("size", Limit::at_most(2.0)),
        "front" => study.objective("size", Objective::minimize()),
        "stages" | "stages in a file" => study.stages(Stages::of(9.0).reports([3.0, 9.0])),
        _ => study,
    }
}

/// A study with five trials at their end and one that is pending.
fn study(kind: &str, path: &std::path::Path) -> Box<dyn AskTell> {
    let builder = builder(kind);
    let mut study: Box<dyn AskTell> = match kind {
        "file" | "stages in a file" => Box::new(Journal::open(path, builder).unwrap()),
        _ => Box::new(builder.build().unwrap()),
    };
    for _ in 0..PENDING {
        let ask = study.ask().unwrap();
        let x = ask.numbers()[0];
        let told = outcome(&*study, (x - 0.3).powi(2));
        study.tell(ask.id(), told).unwrap();
    }
    assert_eq!(study.ask().unwrap().id().index(), PENDING, "{kind}");
    study
}

/// The rows of the page's table: what it says of each call.
fn page() -> BTreeMap<&'static str, &'static str> {
    let text = include_str!("../../docs/stages.md");
    let table = text.split("## Which calls work in stages").nth(1).unwrap();
    let mut said = BTreeMap::new();
    for row in table.lines().skip_while(|line| !line.starts_with('|')).skip(2) {
        let Some((calls, words)) = row.strip_prefix("| ").and_then(|row| row.split_once(" | "))
        else {
            break;
        };
        said.extend(calls.split('`').skip(1).step_by(2).map(|call| (call, words)));
    }
    said
}

/// A call that is added to the trait has a cell.
#[test]
fn the_matrix_has_each_call() {
    let text = include_str!("../../src/study/calls/ask_tell.rs");
    let body = text.split("pub trait AskTell {").nth(1).unwrap();
    let body = body.split("\n}").next().unwrap();
    let calls = body.lines().filter_map(|line| line.strip_prefix("    fn ")?.split('(').next());
    let looks = ["study", "sync", "left_out", "missing", "find_out"];
    let calls: Vec<&str> = calls.filter(|call| !looks.contains(call)).collect();
    assert_eq!(calls.len(), CALLS.len());
    for call in calls {
        assert!(CALLS.iter().any(|(name, _)| *name == call), "{call}");
    }
}

#[test]
fn each_call_works_on_each_kind_or_is_refused_with_a_reason() {
    let page = page();
    for kind in KINDS {
        for (call, act) in CALLS {
            let name = format!("gittins-matrix-{}-{kind}-{call}.log", std::process::id());
            let path = std::env::temp_dir().join(name.replace(' ', "-"));
            let mut study = study(kind, &path);
            let before = format!("{:?}", study.study().history());
            let done = act(&mut *study);
            match (done, is_refused(call, kind)) {
                (Ok(()), false) => {}
                (Err(error), true) => {
                    assert_eq!(
                        error.kind(),
                        ErrorKind::InvalidSetting,
                        "{call} of {kind}: {error}"
                    );
                    assert_eq!(format!("{:?}", study.study().history()), before);
                }
                (done, refused) => panic!("{call} of {kind}: {done:?}, refused: {refused}"),
            }
            if kind == "stages" {
                let words = page.get(call).unwrap_or_else(|| panic!("docs/stages.md lacks {call}"));
                assert_eq!(words.starts_with("refused"), is_refused(call, kind), "{call}");
            }
            drop(study);
            let _ = std::fs::remove_file(path);
        }
    }
}
