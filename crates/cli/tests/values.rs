//! How values reach a command: one argument each, whatever is in them.

use std::collections::BTreeSet;

use crate::folder::{Folder, Said};

/// Names that a shell would take apart or run.
const NAMES: &str = r#"["; touch pwned", "$(touch pwned)", "`touch pwned`", "a b  c", "it's \"quoted\"", "new\nline\r\n", "-rf", "*", "{x}", "\\", "", "ü", "&& touch pwned", "| touch pwned", "> pwned", "${HOME}"]"#;

fn study(more: &str) -> String {
    format!(
        "{more}direction = \"minimize\"\n[parameters.name]\ntype = \"choice\"\nnames = {NAMES}\n\
         [cost]\nfrom = \"none\"\n[stop]\ntrials = 16\n"
    )
}

/// Compares what each trial got with its value in the journal. `got/N` has the arguments, each with
/// a zero byte behind it.
fn check(folder: &Folder, said: &Said) {
    let trials = folder.trials();
    assert_eq!(trials.len(), 16, "{}", said.all());
    let mut names = BTreeSet::new();
    for trial in trials {
        assert_eq!(trial["state"], "complete", "{}", said.all());
        let name = trial["values"]["name"].as_str().unwrap();
        names.insert(name.to_owned());
        let got = folder.read(&format!("got/{}", trial["trial"]));
        let variable = folder.read(&format!("got/{}.env", trial["trial"]));
        assert_eq!(got, format!("first\0{name}\0last {name}!\0"));
        assert_eq!(variable, name);
    }
    assert!(!folder.path("pwned").exists());
    // Each name was tried.
    assert_eq!(names.len(), 16);
}

const GOT: &str = "printf '%s\\0' \"$@\" > got/$GITTINS_TRIAL\n\
    printf '%s' \"$GITTINS_NAME\" > got/$GITTINS_TRIAL.env\necho 1\n";

#[test]
fn each_value_is_one_argument_without_a_shell() {
    let folder = Folder::new(&study(""), GOT);
    std::fs::create_dir(folder.path("got")).unwrap();
    let said =
        folder.gittins(&["run", "study.toml", "--", "./train", "first", "{name}", "last {name}!"]);
    check(&folder, &said);
}

#[test]
fn each_value_is_one_argument_with_a_shell() {
    let folder = Folder::new(&study(""), GOT);
    std::fs::create_dir(folder.path("got")).unwrap();
    let text = "true && ./train first {name} 'last '{name}!";
    let said = folder.gittins(&["run", "study.toml", "--shell", "--", text]);
    check(&folder, &said);
}

#[test]
fn absent_values_are_neither_arguments_nor_variables() {
    let study = "direction = \"minimize\"\ncommand = [\"./train\", \"--kernel\", \"{kernel}\", \"--gamma\", \"{gamma}\", \"{bias?--bias}\"]\n\
        [parameters.kernel]\ntype = \"choice\"\nnames = [\"linear\", \"rbf\"]\n\
        [parameters.gamma]\ntype = \"float\"\nlow = 0\nhigh = 1\nwhen = { kernel = \"rbf\" }\n\
        [parameters.bias]\ntype = \"flag\"\n[cost]\nfrom = \"none\"\n[stop]\ntrials = 8\n";
    let script = "echo \"$* | ${GITTINS_GAMMA-none}\" > args.$GITTINS_TRIAL\necho 1\n";
    let folder = Folder::new(study, script);
    let mut command = folder.command(&["run", "study.toml"]);
    Said::from(command.env("GITTINS_GAMMA", "from outside").output().unwrap()).exits(0);
    let mut seen = [0; 2];
    for trial in folder.trials() {
        let values = &trial["values"];
        let (kernel, gamma) = (values["kernel"].as_str().unwrap(), values["gamma"].as_f64());
        let bias = if values["bias"] == true { " --bias" } else { "" };
        let expected = match gamma {
            Some(gamma) => format!("--kernel {kernel} --gamma {gamma}{bias} | {gamma}\n"),
            None => format!("--kernel {kernel}{bias} | none\n"),
        };
        assert_eq!(folder.read(&format!("args.{}", trial["trial"])), expected);
        seen[usize::from(gamma.is_some())] += 1;
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

#[test]
fn a_command_that_gets_values_by_the_environment_alone() {
    let text = format!("environment = true\n{}", study(""));
    let folder = Folder::new(&text, "[ -n \"${GITTINS_NAME+there}\" ] && echo 1\n");
    folder.gittins(&["run", "study.toml", "--", "./train"]).exits(0);
    // Without the key it is an error before anything runs.
    folder.write("study.toml", &study(""));
    let said = folder.gittins(&["run", "study.toml", "--", "./train"]).exits(2);
    assert!(said.err.contains("the command never gets {name}"), "{}", said.all());
}

#[test]
fn a_command_runs_where_the_file_says() {
    let folder = Folder::new(&study("directory = \"sub\"\n"), "");
    std::fs::create_dir(folder.path("sub")).unwrap();
    folder.script("sub/train", "pwd > where\necho 1\n");
    folder.gittins(&["run", "study.toml", "--", "./train", "{name}"]).exits(0);
    assert!(folder.read("sub/where").trim_end().ends_with("/sub"));
}
