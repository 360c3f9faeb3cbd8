//! `gittins init`: a study.toml to fill in.

use crate::folder::Folder;

/// A folder without a study.
fn empty() -> Folder {
    let folder = Folder::new("", "");
    std::fs::remove_file(folder.path("study.toml")).unwrap();
    folder
}

#[test]
fn what_init_writes_runs_once_the_command_is_filled_in() {
    let folder = empty();
    let said = folder.gittins(&["init"]).exits(0);
    assert!(said.out.contains("gittins run study.toml"), "{}", said.all());
    folder.write("train.py", "");
    folder.script("python3", "awk -v x=$3 -v d=$5 'BEGIN { print x + d }'\n");
    let text = folder.read("study.toml");
    folder.write("study.toml", &text.replace("\"python3\"", "\"./python3\"").replace("100 ", "4 "));
    folder.gittins(&["run", "study.toml"]).exits(0);
    assert_eq!(folder.states(), ["complete"; 4]);
    let words = ["doctor", "study.toml"];
    folder.gittins(&words).exits(0);
}

#[test]
fn what_init_writes_for_stages_runs_once_the_command_is_filled_in() {
    let folder = empty();
    folder.gittins(&["init", "--stages", "runs.toml"]).exits(0);
    let script = "e=0; [ \"$8\" = --resume ] && e=$(cat $5/e)\n\
        while [ $e -lt $7 ]; do e=$((e + 1)); echo $e > $5/e\n\
        echo '{\"epoch\": '$e', \"loss\": '$3'}'; done\n";
    folder.script("python3", script);
    let text = folder.read("runs.toml").replace("\"python3\"", "\"./python3\"");
    folder.write("runs.toml", &text.replace("trials = 100", "trials = 2"));
    folder.gittins(&["run", "runs.toml"]).exits(0);
    let said = folder.gittins(&["export", "runs.toml", "--json"]).exits(0);
    let trials = said.json()["trials"].as_array().unwrap().clone();
    assert!(trials.iter().all(|trial| trial["state"] != "failed"), "{trials:?}");
}

#[test]
fn init_replaces_nothing() {
    let folder = Folder::new("mine", "");
    for words in [&["init"][..], &["init", "--stages"], &["init", "study.toml", "--json"]] {
        let said = folder.gittins(words).exits(2);
        assert!(said.all().contains("study.toml: it is there already"), "{}", said.all());
        assert_eq!(folder.read("study.toml"), "mine");
    }
    let said = folder.gittins(&["init", "nowhere/study.toml"]).exits(2);
    assert!(said.err.contains("nowhere/study.toml"), "{}", said.all());
    let said = folder.gittins(&["init", "other.toml", "--json"]).exits(0);
    assert_eq!(said.json()["written"][0], "other.toml");
}
