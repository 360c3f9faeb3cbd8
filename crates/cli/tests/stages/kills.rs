//! Runs in stages whose runner and whose programs are killed at random moments.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::reported;
use crate::folder::{Folder, SQUARE, runs, signal, until};

/// The stages of the study.
const REPORTS: [f64; 5] = [2.0, 4.0, 7.0, 12.0, 20.0];

/// Trains 20 epochs with a checkpoint after each. It notes who works on a checkpoint beside somebody
/// else, who begins anew although there is a checkpoint, and who is resumed without one.
const TRAIN: &str = "x=$1 kept=$2 e=0\n\
    if [ -e $kept/process ] && grep -qs '^State:.[RSDT]' /proc/$(cat $kept/process)/status; then echo $GITTINS_TRIAL >> twice; fi\n\
    echo $$ > $kept/process; echo $$ >> pids\n\
    if [ \"$3\" = --resume ]; then\n\
      [ -e $kept/epoch ] || echo $GITTINS_TRIAL >> lost\n\
      e=$(cat $kept/epoch)\n\
    else\n\
      [ -e $kept/epoch ] && echo $GITTINS_TRIAL >> anew\n\
      echo $GITTINS_TRIAL >> begun\n\
    fi\n\
    while [ $e -lt 20 ]; do sleep 0.01; e=$((e + 1))\n\
      echo $e > $kept/epoch.new; mv $kept/epoch.new $kept/epoch\n\
      awk -v x=$x -v e=$e 'BEGIN { printf \"{\\\"progress\\\": %d, \\\"outcome\\\": %.6f}\\n\", e, (x - 0.3)^2 + 0.3 / e }'\n\
    done\n";

/// Numbers that look like chance, the same for a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// Kills runners and programs of a study so often, and checks what is left. Returns how many of the
/// kills were of programs.
fn check(kills: usize, seed: u64) -> usize {
    let study = format!(
        "command = [\"./train\", \"{{x}}\", \"{{checkpoint}}\"]\nworkers = 3\nbudget = 1000\nseed = {seed}\n{SQUARE}\
         [stages]\ntotal = 20\nreports = {REPORTS:?}\nresume = [\"--resume\"]\n"
    );
    let folder = Folder::new(&study, TRAIN);
    let mut chance = Chance(seed);
    let (mut killed, mut programs) = (0, 0);
    // The programs that run, of those that began last.
    let alive = || -> Vec<String> {
        folder.lines("pids").into_iter().rev().take(3).filter(|one| runs(one)).collect()
    };
    while killed < kills {
        let mut run = folder.start(&["run", "study.toml"]);
        loop {
            until("a program", || !alive().is_empty());
            // The first kill is that of a program.
            if programs > 0 {
                thread::sleep(Duration::from_millis(chance.below(400)));
            }
            assert!(run.try_wait().unwrap().is_none(), "it ended by itself");
            let alive = alive();
            if !alive.is_empty() && (programs == 0 || chance.below(4) == 0) {
                let program = &alive[chance.below(alive.len() as u64) as usize];
                let sent = Command::new("kill").args(["-9", program]).output().unwrap();
                // It may be gone by now.
                let counts = usize::from(sent.status.success());
                (killed, programs) = (killed + counts, programs + counts);
                continue;
            }
            signal("KILL", run.id());
            run.wait().unwrap();
            killed += 1;
            break;
        }
    }
    // A run that only settles what was left.
    folder.write("study.toml", &format!("{study}[stop]\ntrials = 1\n"));
    folder.gittins(&["run", "study.toml"]).exits(0);
    until("the end of all programs", || folder.lines("pids").iter().all(|one| !runs(one)));

    let trials = folder.trials();
    let mut told = 0;
    for trial in &trials {
        let reports = reported(trial);
        let printed = printed(&folder, trial);
        // A program that is killed between its checkpoint and its line never prints that line.
        for stage in REPORTS.into_iter().filter(|stage| printed.contains(stage)) {
            assert!(reports.contains(&stage), "{stage} was printed and not told: {trial}");
            told += 1;
        }
        assert!(reports.windows(2).all(|pair| pair[0] < pair[1]), "{trial}");
        let paid: f64 = reports.last().copied().unwrap_or(0.0) / 20.0;
        let cost = trial["cost"].as_f64().unwrap();
        let failed = trial["state"] == "failed";
        assert!((cost - paid).abs() < 1e-9 || (failed && cost > paid), "{trial}");
        assert_ne!(trial["state"], "pending", "{trial}");
    }
    assert!(told > 0);
    for wrong in ["twice", "anew", "lost"] {
        assert_eq!(folder.lines(wrong), Vec::<String>::new(), "{wrong}");
    }
    let begun = folder.lines("begun");
    assert_eq!(begun.iter().collect::<BTreeSet<_>>().len(), begun.len(), "{begun:?}");
    eprintln!(
        "{kills} kills, {programs} of them of programs; {} trials, {told} stages",
        trials.len()
    );
    programs
}

/// The progress that a trial printed in whole lines.
fn printed(folder: &Folder, trial: &Value) -> Vec<f64> {
    let output = format!("study.trials/{}/output", trial["trial"]);
    let text = fs::read_to_string(folder.path(&output)).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let progress = |line: &str| {
        let line: Value = serde_json::from_str(line).ok()?;
        line["progress"].as_f64()
    };
    whole.lines().filter_map(progress).collect()
}

#[test]
fn nothing_that_was_printed_is_lost_and_no_run_begins_anew() {
    if Path::new("/proc/self/stat").exists() {
        assert!(check(20, 1) > 0);
    }
}

/// Some minutes: `cargo test -p gittins-cli --test main -- --ignored kills`.
#[test]
#[ignore = "takes minutes"]
fn two_hundred_kills() {
    let programs: usize = (2..12).map(|seed| check(20, seed)).sum();
    assert!(programs > 10, "{programs}");
}
