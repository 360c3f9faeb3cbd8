//! What trials write, and what is taken from it.

use std::process::Stdio;

use crate::folder::{Folder, SQUARE, Said};
use serde_json::Value;
use wait4::Wait4;

/// A study of `trials` trials with more lines.
fn study(trials: usize, more: &str) -> String {
    format!("{SQUARE}[stop]\ntrials = {trials}\nfailures = 0\n{more}")
}

/// The trials of a run with this script.
fn run(study: &str, script: &str) -> (Folder, Said) {
    let folder = Folder::new(study, script);
    let said = folder.train();
    (folder, said)
}

#[test]
fn what_is_no_finite_number_fails_and_is_told_why() {
    for (script, why) in [
        ("echo nan", "no outcome: the number is NaN"),
        ("echo inf", "no outcome: the number is inf"),
        ("echo -Infinity", "no outcome: the number is -inf"),
        ("echo 0.1; echo done", "no outcome: expected a number, got \"done\""),
        ("printf '1\\n\\377\\376\\n'", "no outcome: expected a number, got \"\u{fffd}\u{fffd}\""),
        ("true", "no outcome: nothing was written"),
        ("echo 1 >&2", "no outcome: nothing was written"),
        ("echo 1; exit 3", "exit code 3"),
        ("echo 1; kill -9 $$", "ended by signal 9"),
    ] {
        let (folder, said) = run(&study(1, ""), script);
        let trials = folder.trials();
        assert_eq!((trials.len(), &trials[0]["state"]), (1, &"failed".into()), "{}", said.all());
        assert_eq!(trials[0]["why"], why, "{script}");
        assert!(said.out.contains(why), "{}", said.all());
    }
}

#[test]
fn numbers_are_found_where_the_file_says() {
    for (place, script, outcome) in [
        ("", "echo start; printf '\\377\\n0.5'", 0.5),
        ("", "printf '10 %%\\r20 %%\\r0.25\\r\\n\\n'", 0.25),
        ("[outcome]\nkey = \"loss.valid\"", "echo '{\"loss\": {\"valid\": 2}}'; echo bye", 2.0),
        ("[outcome]\npattern = 'loss=(\\S+)'", "echo loss=3; echo loss=1.5; echo end", 1.5),
        ("[outcome]\nfile = \"out-{trial}.txt\"", "echo 9; echo 4 > out-$GITTINS_TRIAL.txt", 4.0),
        ("[outcome]\nfile = \"o.json\"\nkey = \"a\"", "printf '{\\n\"a\": 7\\n}' > o.json", 7.0),
        ("[outcome]\nfile = \"o.txt\"\npattern = 'r(.)'", "echo r1 > o.txt; echo r2 >> o.txt", 2.0),
    ] {
        let (folder, said) = run(&study(1, place), script);
        assert_eq!(folder.trials()[0]["outcome"], outcome, "{script}: {}", said.all());
    }
}

#[test]
fn a_file_of_an_earlier_trial_is_no_outcome() {
    let place = "[outcome]\nfile = \"o.txt\"";
    let (folder, _) = run(&study(3, place), "[ $GITTINS_TRIAL -eq 1 ] || echo $1 > o.txt");
    assert_eq!(folder.states(), ["complete", "failed", "complete"]);
    assert_eq!(
        folder.trials()[1]["why"],
        "no outcome: o.txt was there before, and was not written"
    );
}

#[test]
fn costs_are_measured_or_found() {
    let base = SQUARE.replace("from = \"none\"", "from = \"KIND\"");
    let with = |kind: &str, more: &str| {
        format!("{}[stop]\ntrials = 1\n", base.replace("\"KIND\"", &format!("\"{kind}\"\n{more}")))
    };
    let cost = |study: String, script: &str| {
        let (folder, said) = run(&study, script);
        folder.trials()[0]["cost"].as_f64().unwrap_or_else(|| panic!("{}", said.all()))
    };
    let wall = cost(with("wall_time", ""), "sleep 0.3; echo 1");
    assert!((0.3..30.0).contains(&wall), "{wall}");
    // Sleeping is no computing.
    let cpu = cost(with("cpu_time", ""), "sleep 0.5; echo 1");
    assert!(cpu < 0.4, "{cpu}");
    // The computing of a process that the trial waits for counts.
    let busy = "awk 'BEGIN { for (i = 0; i < 3000000; i++) s += i; print s }'";
    let cpu = cost(with("cpu_time", ""), &format!("{busy}\n"));
    assert!(cpu > 0.02, "{cpu}");
    let found = cost(with("output", "key = \"paid\""), "echo '{\"paid\": 12.5}'; echo 1");
    assert_eq!(found, 12.5);
    let found = cost(with("output", "file = \"c.txt\""), "echo 3 > c.txt; echo 1");
    assert_eq!(found, 3.0);
    // What failed was paid all the same.
    let found = cost(with("output", "key = \"paid\""), "echo '{\"paid\": 2}'; exit 1");
    assert_eq!(found, 2.0);
    let (folder, _) = run(&with("output", "key = \"paid\""), "echo '{\"paid\": -2}'; echo 1");
    assert_eq!(folder.trials()[0]["why"], "no cost: -2 is not a positive number");
}

#[test]
fn a_cost_may_follow_from_the_parameters() {
    let parameters = "from = \"parameters\"\nper_unit = { x = 40 }\nfixed = 5\nunit = \"EUR\"";
    let base = SQUARE
        .replace("from = \"none\"", parameters)
        .replace("direction", "price = 1e-3\ninitial = 3\ndirection");
    let (folder, said) =
        run(&format!("{base}[stop]\ntrials = 5\n"), "[ $GITTINS_TRIAL -ne 1 ] && echo $1");
    assert!(said.all().contains(" EUR"), "{}", said.all());
    let check = |trial: &Value| {
        let x = trial["values"]["x"].as_f64().unwrap();
        assert_eq!(trial["cost"].as_f64(), Some(5.0 + 40.0 * x), "{trial}");
    };
    // What failed was paid all the same, and `tell` needs no cost.
    folder.trials().iter().for_each(check);
    assert_eq!(folder.trials()[1]["state"], "failed");
    folder.gittins(&["ask", "study.toml"]).exits(0);
    folder.gittins(&["tell", "study.toml", "5", "0.25"]).exits(0);
    check(&folder.trials()[5]);
    folder.write("study.toml", &base);
    let status = folder.gittins(&["status", "study.toml"]).all();
    assert!(status.contains(", which is worth ") && status.contains(" EUR and bring "), "{status}");
}

#[test]
fn a_point_may_be_said_to_be_not_allowed() {
    let place = "[outcome]\ninfeasible_exit_code = 7";
    let (folder, _) = run(&study(1, place), "exit 7");
    assert_eq!(folder.states(), ["infeasible"]);
}

#[test]
fn the_end_of_the_output_of_a_failure_is_kept() {
    let script = "seq 1 5000; echo \"the reason\" >&2; exit 1";
    let (folder, _) = run(&study(1, ""), script);
    let journal = folder.read("study.journal");
    assert!(
        journal.contains("the reason")
            && journal.contains("5000")
            && !journal.contains("\\n3000\\n")
    );
}

/// The most memory that a run takes with this script, in bytes.
fn memory(script: &str) -> u64 {
    let folder = Folder::new(&study(1, ""), script);
    let mut command = folder.command(&["run", "study.toml", "--", "./train", "{x}"]);
    let used = command.stdout(Stdio::null()).spawn().unwrap().wait4().unwrap();
    assert!(used.status.success());
    assert_eq!(folder.trials()[0]["outcome"], 0.5);
    used.rusage.maxrss
}

#[test]
fn a_huge_output_takes_no_memory() {
    let small = memory("echo 0.5");
    for script in [
        "head -c 100000000 /dev/zero; echo; echo 0.5",
        "yes 'a line of text' | head -c 100000000; echo; yes error | head -c 100000000 >&2; echo 0.5",
    ] {
        let huge = memory(script);
        // Buffers and the longest line are some 3 MiB, of 100 MB that were written.
        assert!(huge < small + (32 << 20), "{huge} bytes, {small} without output");
    }
}
