//! First mistakes: each message names what is wrong and what to do, in the words of the command.

use crate::folder::{Folder, Said};

const STUDY: &str = "direction = \"minimize\"\nprice = 1e-3\ncommand = [\"./train\", \"{x}\"]\n\
    [parameters.x]\ntype = \"float\"\nlow = 0\nhigh = 1\n[stop]\ntrials = 2\n";

/// Checks a message, and that nothing of the machinery shows.
fn says(what: &str, said: &Said, message: &str) {
    let all = said.all();
    assert!(matches!(said.code, Some(1 | 2)), "{what}: {all}");
    let words = format!("{}{}", said.out, said.err);
    assert!(words.contains(message), "{what}: expected {message:?}, got {all}");
    let parts =
        ["os error", "panicked", "Some(", "Err(", "::", "stream did", "invalid digit", "..="];
    for machinery in parts {
        assert!(!words.contains(machinery), "{what} shows {machinery}: {all}");
    }
}

#[test]
fn a_study_that_is_wrong_says_where() {
    for (right, wrong, message) in [
        ("minimize", "minimise", "line 1, direction: unknown value \"minimise\"; did you mean"),
        ("\"minimize\"", "\"max\"", "unknown value \"max\"; did you mean \"maximize\"?"),
        ("\"minimize\"", "minimize", "line 1: string values must be quoted"),
        ("direction", "directoin", "directoin: unknown key; did you mean \"direction\"?"),
        ("direction = \"minimize\"\n", "", "the key \"direction\" is missing"),
        ("price", "sampler = \"tpe\"\nprice", "sampler: unknown key; did you mean \"policy\"?"),
        ("price", "policy = \"tpe\"\nprice", "policy: unknown policy \"tpe\"; there are gittins,"),
        ("1e-3", "-1", "line 2, price: expected a positive number, got -1"),
        ("1e-3", "\"1\"", "line 2, price: expected a number, got the text \"1\""),
        ("price", "price = 1\nprice", "line 3: duplicate key"),
        ("price", "workers = 0\nprice", "workers: expected a whole number from 1 to"),
        ("price", "time_limit = \"soon\"\nprice", "a text such as \"90 s\", \"10 min\""),
        ("[\"./train\", \"{x}\"]", "\"./train {x}\"", "expected a list of arguments such as"),
        ("[\"./train\", \"{x}\"]", "[]", "line 3, command: a command needs a program"),
        ("\", \"{x}", " {x}", "cannot start \"./train 0.5\": No such file or directory; each"),
        ("{x}", "{x", "argument 1 of the command: \"{x\" has a brace without a partner"),
        ("{x}", "{lr}", "no parameter is named \"lr\" in \"{lr}\"; there are x, trial"),
        (", \"{x}\"", "", "the command never gets {x}; put it into an argument"),
        ("[parameters.x]", "[parameters.x", "line 4: unclosed table"),
        ("[parameters.x]", "[parameter.x]", "unknown key; did you mean \"parameters\"?"),
        ("\"float\"", "\"uniform\"", "x.type: unknown type \"uniform\"; did you mean \"float\"?"),
        ("type = \"float\"", "", "parameters.x: the key \"type\" is missing; there are float,"),
        ("low = 0", "low = 2", "parameters.x: the lower bound must be below the upper one"),
        ("\"float\"", "\"log_float\"", "parameters.x: the lower bound must be positive on a log"),
        ("\"float\"\nlow = 0\nhigh = 1", "\"choice\"\nnames = []", "at least one name is needed"),
        (
            "\"float\"\nlow = 0",
            "\"choice\"\nchoices = [1]",
            "choices: unknown key; did you mean \"names\"?",
        ),
        ("high", "hihg", "line 7, parameters.x.hihg: unknown key; did you mean \"high\"?"),
        ("[stop]", "[stopp]", "line 8, stopp: unknown key; did you mean \"stop\"?"),
        ("trials = 2", "trials = 0", "stop.trials: expected a whole number from 1"),
        ("trials", "n_trials", "stop.n_trials: unknown key; did you mean \"trials\"?"),
    ] {
        assert!(STUDY.contains(right), "{right}");
        let folder = Folder::new(&STUDY.replacen(right, wrong, 1), "echo $1\n");
        let said = folder.gittins(&["run", "study.toml"]).exits(2);
        says(wrong, &said, message);
    }
}

#[test]
fn a_command_line_that_is_wrong_says_what_to_do() {
    let folder = Folder::new(STUDY, "echo $1\n");
    std::fs::create_dir(folder.path("folder")).unwrap();
    std::fs::create_dir(folder.path("folder.toml")).unwrap();
    std::fs::write(folder.path("bytes.toml"), [0xff, 0xfe, 0x0a]).unwrap();
    folder.write("empty.toml", "");
    folder.write("empty.journal", "");
    folder.write("text.journal", "nothing\n");
    folder.write("own.journal", "{\"op_code\":0}\n");
    for (words, message) in [
        (&["run", "none.toml"][..], "none.toml: No such file; gittins init writes a study"),
        (&["status", "none"], "none: No such file; gittins init writes a study"),
        (&["status", "none.journal"], "none.journal: the journal cannot be opened: No such file"),
        (&["run", "folder"], "folder: it is a folder; expected a study.toml or a journal"),
        (&["run", "folder.toml"], "folder.toml: it is a folder; expected"),
        (&["run", "bytes.toml"], "bytes.toml: expected text in UTF-8"),
        (&["run", "empty.toml"], "empty.toml, line 1: the key \"direction\" is missing"),
        (&["status", "empty.journal"], "empty.journal: it has no study yet"),
        (&["status", "text.journal"], "text.journal, line 1: expected an operation of Optuna's"),
        (&["run", "own.journal"], "own.journal: expected a study.toml, and this is a journal"),
        (&["optimize", "study.toml"], "unrecognized subcommand 'optimize'"),
        (&["run"], "required arguments were not provided: <STUDY.toml>"),
        (&["run", "study.toml", "--trials", "5"], "unexpected argument '--trials' found"),
        (&["run", "study.toml", "--workers", "0"], "a whole number from 1 to 65535, got \"0\""),
        (&["run", "study.toml", "-w", "many"], "'--workers <WORKERS>': expected a whole number"),
        (&["ask", "study.toml", "--count", "0"], "'--count <COUNT>': expected a whole number"),
        (&["run", "study.toml", "./train"], "unexpected argument './train' found"),
        (&["tell", "study.toml", "0", "1"], "study.journal does not exist yet: no trial was asked"),
        (&["plot", "study.toml"], "study.journal does not exist yet: no trial was asked for"),
    ] {
        // As one line, which has all of it.
        let said = folder.gittins(&[&words[..1], &["--json"], &words[1..]].concat()).exits(2);
        says(&words.join(" "), &said, &message.replace('"', "\\\""));
        says(&words.join(" "), &folder.gittins(words), message.split(": <").next().unwrap());
    }
    for (name, message) in [
        ("./none", "cannot start \"./none\": No such file or directory"),
        ("train", "cannot start \"train\": No such file or directory; it is here: write ./ before"),
        ("./plain", "cannot start \"./plain\": Permission denied; chmod +x lets it run"),
        ("./bare", "cannot start \"./bare\": Exec format error; the first line of a script names"),
        ("./lost", "cannot start \"./lost\": No such file or directory; its first line names a"),
    ] {
        folder.script("bare", "");
        std::fs::write(folder.path("bare"), "echo 1\n").unwrap();
        folder.script("lost", "");
        std::fs::write(folder.path("lost"), "#!/none/sh\necho 1\n").unwrap();
        folder.write("plain", "#!/bin/sh\necho 1\n");
        let said = folder.gittins(&["run", "study.toml", "--", name, "{x}"]).exits(2);
        says(name, &said, message);
    }
}

/// A run whose trials all failed ends with exit code 1, whatever ended it.
#[test]
fn a_script_that_is_wrong_says_what_it_printed() {
    for (script, message) in [
        ("true", "failed: no outcome: nothing was written"),
        ("echo done", "failed: no outcome: expected a number, got \"done\""),
        ("echo nan", "failed: no outcome: the number is NaN"),
        ("echo 1 2", "failed: no outcome: expected a number, got \"1 2\""),
        ("echo 0,5", "expected a number such as 0.5, got \"0,5\""),
        ("echo 'No module' >&2; exit 1", "failed: exit code 1: No module"),
        ("kill -9 $$", "failed: ended by signal 9"),
    ] {
        let said = Folder::new(STUDY, script).gittins(&["run", "study.toml"]).exits(1);
        says(script, &said, message);
        says(script, &said, "all trials failed: look at the command, and at [outcome]");
    }
}

#[test]
fn what_is_told_wrong_says_what_is_expected() {
    let folder = Folder::new(STUDY, "echo $1\n");
    folder.gittins(&["ask", "study.toml"]).exits(0);
    folder.gittins(&["ask", "study.toml"]).exits(0);
    folder.gittins(&["tell", "study.toml", "1", "1", "--cost", "1"]).exits(0);
    for (words, message) in [
        (&["tell", "study.toml", "7", "1"][..], "study.journal has no trial 7: they are 0 to 1"),
        (&["show", "study.toml", "9"], "study.journal has no trial 9"),
        (&["tell", "study.toml", "0", "1"], "its cost is missing: add --cost COST"),
        (&["tell", "study.toml", "0", "good"], "expected a number, got \"good\""),
        (&["tell", "study.toml", "0", "nan"], "a trial without one has failed: gittins fail"),
        (&["tell", "study.toml", "one", "1"], "expected the number of a trial such as 0 or 12"),
        (&["tell", "study.toml", "1", "2", "--cost", "1"], "--correct replaces that"),
        (&["fail", "study.toml", "1"], "trial 1: it was told before: outcome 1, cost 1; --correct"),
        (&["ask", "study.toml", "--within", "-1"], "the limit of the cost must be positive"),
    ] {
        says(&words.join(" "), &folder.gittins(words).exits(2), message);
    }
    let wrong = STUDY.replace("parameters.x", "parameters.y").replace("{x}", "{y}");
    for (wrong, message) in [
        (wrong, "the parameter \"x\" is in the journal, and not here; the parameter \"y\" is here"),
        (STUDY.replace("minimize", "maximize"), "direction is \"minimize\" in the journal"),
        (STUDY.replace("high = 1", "high = 2"), "high of the parameter \"x\" is 1 in the journal"),
    ] {
        folder.write("study.toml", &wrong);
        let said = folder.gittins(&["run", "study.toml"]).exits(2);
        says(message, &said, message);
        says(message, &said, "set it back, or begin another study");
    }
}
