//! Messages are in the words of the command, and show no machinery.

use crate::folder::{Folder, SQUARE, TRAIN};

const COSTLY: &str = "direction = \"minimize\"\nprice = 1e-3\n[parameters.x]\ntype = \"float\"\n\
    low = 0\nhigh = 1\n[cost]\nfrom = \"output\"\nkey = \"c\"\n";

#[test]
fn what_was_told_is_said_in_plain_words() {
    let folder = Folder::new(COSTLY, "");
    for _ in 0..3 {
        folder.gittins(&["ask", "study.toml"]).exits(0);
    }
    let says = |words: &[&str], message: &str| {
        let said = folder.gittins(words).exits(2);
        assert!(said.err.contains(message), "{}", said.all());
        for machinery in ["Some(", "Complete", "tell_cost", "`"] {
            assert!(!said.err.contains(machinery), "{machinery}: {}", said.all());
        }
    };
    says(
        &["tell", "study.toml", "0", "1"],
        "trial 0: costs are learned, and its cost is missing: add --cost COST",
    );
    says(
        &["tell", "study.toml", "0", "1", "--correct", "--cost", "2"],
        "trial 0: nothing was told of it that --correct could replace",
    );
    folder.gittins(&["tell", "study.toml", "0", "-1.7e308", "--cost", "2"]).exits(0);
    let told = "trial 0: it was told before: outcome -1.7e308, cost 2; --correct replaces that";
    says(&["tell", "study.toml", "0", "3", "--cost", "2"], told);
    says(&["fail", "study.toml", "0"], told);
    folder.gittins(&["fail", "study.toml", "1"]).exits(0);
    says(&["fail", "study.toml", "1"], "trial 1: it was told before: failed; --correct");
    let sheet = folder.gittins(&["export", "study.toml"]).exits(0).out;
    assert!(sheet.contains(",-1.7e308,"), "{sheet}");
}

#[test]
fn a_very_large_bound_takes_no_line_of_zeros() {
    let large = SQUARE.replace("high = 1", "high = -1.7e308");
    let folder = Folder::new(&large, TRAIN);
    let said = folder.train().exits(2);
    assert!(said.err.contains("[0, -1.7e308]") && !said.err.contains("0000"), "{}", said.all());
    folder.write("study.toml", &SQUARE.replace("high = 1", "high = 1.7e308"));
    folder.write("sheet.csv", "x,outcome\n-1e300,1\n");
    let said = folder.gittins(&["import", "study.toml", "sheet.csv"]).exits(2);
    assert!(said.err.contains("[0, 1.7e308], got -1e300"), "{}", said.all());
}

/// The verdict begins with its word, also where other programs read it.
#[test]
fn a_verdict_has_its_word_once() {
    let folder = Folder::new(&format!("price = 1e-2\n{SQUARE}"), TRAIN);
    let said = folder.train().exits(0);
    assert!(said.out.contains("\nstop: "), "{}", said.all());
    let journal = folder.read("study.journal");
    for twice in ["stop: stop:", "go on: continue:"] {
        assert!(!journal.contains(twice) && !said.out.contains(twice), "{twice}");
    }
    assert!(journal.contains("\"gittins\":\"stop: "), "{journal}");
    folder.gittins(&["plot", "study.toml"]).exits(0);
    assert!(!folder.read("study.html").contains("stop: stop:"));
    // What is over is over: it says how long it took.
    let status = folder.gittins(&["status", "study.toml", "--json"]).exits(0).json();
    let (choosing, trials) = (&status["choosing_seconds"], &status["trial_seconds"]);
    assert!(choosing.as_f64().unwrap() > 0.0 && trials.as_f64().unwrap() > 0.0, "{status}");
    let text = folder.gittins(&["status", "study.toml"]).exits(0).out;
    assert!(text.contains("choosing     took ") && text.contains(", the trials "), "{text}");
}
