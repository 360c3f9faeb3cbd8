//! Trials that are means of items: a program prints a number for each item that it is given.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use gittins::study::Stages;
use serde_json::Value;

use super::reported;
use crate::folder::{Folder, signal, until};

/// How many items there are.
const ITEMS: u32 = 60;

/// Answers its items: `large` nine of ten, `middle` seven, `small` three. It notes each one.
const ANSWERS: &str = "model=$1\n\
    case $model in large) well=9;; middle) well=7;; *) well=3;; esac\n\
    for i in $(echo $2 | tr , ' '); do\n\
      if [ $((i * 7 % 10)) -lt $well ]; then echo 1; else echo '{\"outcome\": 0, \"seen\": 1}'; fi\n\
      echo $GITTINS_TRIAL $i >> log\n\
    done\n";

fn study(more: &str, stages: &str) -> String {
    format!(
        "direction = \"maximize\"\ncommand = [\"./train\", \"{{model}}\", \"{{items}}\"]\n{more}\n\
         [cost]\nfrom = \"none\"\n[parameters.model]\ntype = \"choice\"\n\
         names = [\"small\", \"middle\", \"large\"]\n[stages]\nitems = {ITEMS}\n{stages}\n"
    )
}

/// The items that a trial was asked for, in their order.
fn asked(folder: &Folder, trial: usize) -> Vec<u32> {
    let lines = folder.lines("log").into_iter().filter_map(|line| {
        let (of, item) = line.split_once(' ')?;
        (of == trial.to_string()).then(|| item.parse().unwrap())
    });
    lines.collect()
}

#[test]
fn a_process_has_the_items_of_a_stage_and_none_comes_twice() {
    let folder = Folder::new(&study("budget = 1.5", ""), ANSWERS);
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    let order = Stages::items(ITEMS).order();
    let trials = folder.trials();
    assert_eq!(trials.len(), 3, "{}", said.all());
    for (number, trial) in trials.iter().enumerate() {
        let items = asked(&folder, number);
        assert_eq!(items, order[..items.len()]);
        assert_eq!(reported(trial).last(), Some(&(items.len() as f64)));
        let cost = items.len() as f64 / f64::from(ITEMS);
        assert!((trial["cost"].as_f64().unwrap() - cost).abs() < 1e-9, "{trial}");
    }
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    assert_eq!(best["best"]["values"]["model"], "large", "{best}");
    let (best, worst) = (folder.trials(), |name: &str| {
        trials.iter().find(|trial| trial["values"]["model"] == name).unwrap()["cost"].as_f64()
    });
    assert!(best.len() == 3 && worst("small") <= worst("large"));
}

#[test]
fn trials_are_ranked_by_their_believed_means() {
    let folder = Folder::new(&study("budget = 1.5", ""), ANSWERS);
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    let head = "ranking      trial  items  expected";
    assert!(said.out.contains(head), "{}", said.all());
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    let ranking = best["ranking"].as_array().unwrap();
    let means: Vec<f64> = ranking.iter().map(|one| one["mean"].as_f64().unwrap()).collect();
    assert!(means.len() == 3 && means.is_sorted_by(|one, other| one >= other), "{best}");
    for one in ranking {
        let trial = &folder.trials()[one["trial"].as_u64().unwrap() as usize];
        assert_eq!(one["items"].as_f64(), reported(trial).last().copied());
        assert_eq!((&one["cost"], &one["values"]), (&trial["cost"], &trial["values"]));
    }
    let of = |trial: &Value| ranking.iter().find(|one| one["trial"] == *trial).unwrap();
    let found = &best["recommendation"];
    let (ranked, found) = (&of(&found["trial"])["mean"], &found["mean"]);
    assert!((ranked.as_f64().unwrap() - found.as_f64().unwrap()).abs() < 1e-3, "{best}");
    folder.gittins(&["plot", "study.toml", "--svg", "drawn"]).exits(0);
    assert!(folder.read("drawn/items.svg").contains(">of 60 items<"));
}

/// Before there is a model a mean is that of the items so far.
#[test]
fn of_many_trials_a_person_sees_the_best() {
    let names: Vec<String> = (0..12).map(|at| format!("\"m{at}\"")).collect();
    let text = study("initial = 12\n[stop]\ntrials = 12\n", "")
        .replace("\"small\", \"middle\", \"large\"", &names.join(", "));
    let folder = Folder::new(&text, ANSWERS);
    let best = folder.gittins(&["best", "study.toml"]).exits(2);
    assert!(!best.all().contains("ranking"), "{}", best.all());
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(said.out.contains("2 more: --json has all"), "{}", said.all());
    let status = folder.gittins(&["status", "study.toml"]).exits(0);
    assert!(!status.out.contains("ranking"), "{}", status.all());
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    assert_eq!(best["ranking"].as_array().unwrap().len(), 12);
}

#[test]
fn what_a_killed_runner_leaves_is_counted_and_not_bought_again() {
    let script = ANSWERS.replace("do\n", "do sleep 0.03\n");
    let folder = Folder::new(&study("budget = 1.2", "reports = [10, 30]"), &script);
    for seen in [4, 14, 40] {
        let mut run = folder.start(&["run", "study.toml"]);
        until("some answers", || folder.lines("log").len() >= seen);
        signal("KILL", run.id());
        run.wait().unwrap();
        thread::sleep(Duration::from_millis(50));
    }
    folder.gittins(&["run", "study.toml"]).exits(0);
    let order = Stages::items(ITEMS).order();
    for (number, trial) in folder.trials().iter().enumerate() {
        let items = asked(&folder, number);
        let end = reported(trial).last().map_or(0, |end| *end as usize);
        let bought: BTreeSet<u32> = items.iter().copied().collect();
        assert!(order[..end].iter().all(|item| bought.contains(item)), "{trial}");
        // One may have been answered and not noted, or noted and not printed, at each kill.
        assert!(items.len() <= bought.len() + 3, "{items:?}");
    }
}

/// A call of many that fails: the items before it count, and the trial goes on behind them.
#[test]
fn a_program_that_fails_at_times_loses_no_trial() {
    let script = ANSWERS.replace(
        "do\n",
        "do echo x >> calls\n if [ $(($(wc -l < calls) % 7)) = 0 ]; then exit 3; fi\n",
    );
    let folder = Folder::new(&study("budget = 1.5", "reports = [10, 30, 60]"), &script);
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(said.all().contains("exit code 3"), "{}", said.all());
    let order = Stages::items(ITEMS).order();
    for (number, trial) in folder.trials().iter().enumerate() {
        assert_ne!(trial["state"], "failed", "{}", said.all());
        // No answer is lost, and none is bought again.
        let items = asked(&folder, number);
        assert_eq!(items, order[..items.len()]);
        assert_eq!(reported(trial).last().copied().unwrap_or(0.0), items.len() as f64, "{trial}");
    }
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    assert_eq!(best["best"]["values"]["model"], "large", "{best}");
    // Where every call fails, it is said that the command is wrong.
    let folder = Folder::new(&study("budget = 1.5", ""), "exit 3\n");
    let said = folder.gittins(&["run", "study.toml"]).exits(1);
    assert!(said.all().contains("the first 5 trials all failed"), "{}", said.all());
    let again = said.all().matches("these items may be tried again").count();
    assert!((1..5).contains(&again), "{}", said.all());
}

#[test]
fn a_program_that_does_not_answer_is_told_what_was_wrong() {
    let stop = "[stop]\nfailures = 1\n";
    for (script, words) in [
        ("echo 1; echo 0\n", "printed 2 outcomes for 4 items"),
        ("echo 1; echo nan\n", "the outcome of item 2 is NaN"),
        ("echo '{\"outcome\": \"x\"}'\n", "no outcome of item 1"),
        ("echo well\n", "no line is a number, or a JSON object with the key \"outcome\""),
    ] {
        let folder =
            Folder::new(&study("budget = 2", &format!("reports = [4, 30]\n{stop}")), script);
        let said = folder.gittins(&["run", "study.toml"]).exits(1);
        assert!(said.all().contains(words), "{}", said.all());
    }
    let more = ANSWERS.replace("done\n", "done\necho 17\n");
    let folder = Folder::new(&study("budget = 1", ""), &more);
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(said.all().contains("prints more numbers than it was given items"), "{}", said.all());
    assert!(folder.trials().iter().all(|trial| reported(trial).iter().all(|at| *at <= 60.0)));
}

#[test]
fn what_items_do_not_have_is_named_with_its_line() {
    for (from, to, words) in [
        ("{items}", "7", "the command never gets {items}"),
        ("items = 60", "items = 60\nprogress = \"n\"", "items are counted by their lines"),
        ("items = 60", "items = 60\npattern = '(?<progress>.) (?<outcome>.)'", "are counted"),
        ("items = 60", "items = 60\npattern = '(?<score>.)'", "needs the group outcome"),
        ("items = 60", "items = 60\nreports = [2.5]", "expected a whole number of items"),
        ("items = 60", "items = 0", "items"),
        ("items = 60", "items = 60\nfolds = 3", "expected one of total, epochs, folds and items"),
        ("parameters.model", "parameters.items", "the variable GITTINS_ITEMS has a meaning"),
    ] {
        let folder = Folder::new(&study("budget = 2", "").replace(from, to), ANSWERS);
        let said = folder.gittins(&["run", "study.toml"]).exits(2);
        let all = said.all();
        assert!(said.err.contains(words) && said.err.contains("study.toml"), "{words}: {all}");
    }
}

#[test]
fn the_example_runs() {
    let folder = Folder::new(include_str!("../../../../examples/items/study.toml"), "");
    folder.write("answer.sh", include_str!("../../../../examples/items/answer.sh"));
    let said = folder.gittins(&["run", "study.toml"]).exits(0);
    assert!(said.all().contains("nothing is worth its price"), "{}", said.all());
    // All answers of all models with all prompts would cost 12.48 dollars.
    let best = folder.gittins(&["best", "study.toml", "--json"]).exits(0).json();
    let spent: f64 = folder.trials().iter().filter_map(|trial| trial["cost"].as_f64()).sum();
    assert!(spent > 0.02 && spent < 5.0, "{spent}");
    let found = &best["recommendation"];
    assert_ne!(found["values"]["model"], "small", "{best}");
    assert_eq!(found["trial"], best["best"]["trial"]);
    assert!((0.5..1.0).contains(&found["mean"].as_f64().unwrap()), "{best}");
}
