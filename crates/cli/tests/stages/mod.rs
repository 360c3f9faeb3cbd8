//! Trials that are runs in stages.

mod folds;
mod items;
mod kills;
mod limits;
mod lost;
mod others;
mod reports;
mod runs;

use serde_json::Value;

use crate::folder::{Folder, SQUARE, Said};

/// A study of runs of nine epochs in which a whole run costs 1, with more in its tables.
pub fn study(more: &str, stages: &str) -> String {
    format!("{more}\n{SQUARE}[stages]\nepochs = 9\nreports = [1, 3, 9]\n{stages}\n")
}

/// Goes on from its checkpoint to `until`, and prints a line for each epoch.
pub const STEPS: &str = "x=$1 kept=$2/epoch until=$3 e=0\n\
    [ \"$4\" = --resume ] && e=$(cat $kept)\n\
    echo \"$GITTINS_TRIAL $e $until ${GITTINS_RESUME-new} $GITTINS_UNTIL $GITTINS_CHECKPOINT\" >> log\n\
    while [ $e -lt $until ]; do e=$((e + 1)); echo $e > $kept.new; mv $kept.new $kept\n\
    awk -v x=$x -v e=$e 'BEGIN { printf \"{\\\"progress\\\": %d, \\\"outcome\\\": %.6f}\\n\", e, (x - 0.3)^2 + 0.3 / e }'\n\
    done\n";

/// How `STEPS` is called.
pub const BY_STEPS: &str = "resume = [\"--resume\"]";

pub fn steps(more: &str) -> Folder {
    let command = "command = [\"./train\", \"{x}\", \"{checkpoint}\", \"{until}\"]";
    Folder::new(&study(&format!("{command}\n{more}"), BY_STEPS), STEPS)
}

/// A study of runs that cannot be resumed, with a script.
pub fn plain(more: &str, stages: &str, script: &str) -> (Folder, Said) {
    let command = "command = [\"./train\", \"{x}\"]";
    let folder = Folder::new(&study(&format!("{command}\n{more}"), stages), script);
    let said = folder.gittins(&["run", "study.toml"]);
    (folder, said)
}

/// The progress of the reports of a trial.
pub fn reported(trial: &Value) -> Vec<f64> {
    let reports = trial["reports"].as_array().unwrap();
    reports.iter().map(|report| report["progress"].as_f64().unwrap()).collect()
}

/// Lines of words in place of JSON.
pub const PATTERN: &str = "pattern = 'epoch (?<progress>\\d+) loss (?<outcome>\\S+)'";
