//! Numbers on the command line.

use crate::folder::{Folder, SQUARE};

const COSTLY: &str = "direction = \"minimize\"\nprice = 1e-3\n[parameters.x]\ntype = \"float\"\n\
    low = 0\nhigh = 1\n[cost]\nfrom = \"output\"\nkey = \"c\"\n";

/// Negative numbers are values in every spelling, and options go on working after them.
#[test]
fn a_negative_number_is_a_value_in_every_spelling() {
    let folder = Folder::new(COSTLY, "");
    let spelled = ["-1e-3", "-1E-05", "-.5", "-2", "+3", "-1e+2"];
    for (number, text) in spelled.into_iter().enumerate() {
        folder.gittins(&["ask", "study.toml"]).exits(0);
        let number = number.to_string();
        folder.gittins(&["tell", "study.toml", &number, text, "--cost", "2e0"]).exits(0);
        let outcome = folder.trials().pop().unwrap()["outcome"].as_f64();
        assert_eq!(outcome, text.parse().ok());
    }
    let corrected = ["tell", "study.toml", "0", "-4e-1", "--cost=3", "--correct", "--json"];
    assert_eq!(folder.gittins(&corrected).exits(0).json()["told"], 0);
    assert_eq!(folder.trials()[0]["outcome"], -0.4);
    assert_eq!(folder.trials()[0]["cost"], 3.0);
}

#[test]
fn what_is_no_number_is_an_error_that_says_so() {
    let folder = Folder::new(SQUARE, "");
    folder.gittins(&["ask", "study.toml"]).exits(0);
    for (text, message) in [
        ("1,5", "expected a number such as 1.5, got \"1,5\""),
        ("1_000", "expected a number such as 1000"),
        ("", "got an empty text"),
        ("inf", "expected a finite number"),
        ("-x", "expected a number, got \"-x\""),
    ] {
        let said = folder.gittins(&["tell", "study.toml", "0", text]).exits(2);
        assert!(said.err.contains(message), "{}", said.all());
    }
    let cost = folder.gittins(&["tell", "study.toml", "0", "1", "--cost", "-1e-3"]).exits(2);
    assert!(!cost.err.contains("unexpected argument"), "{}", cost.all());
    let trial = folder.gittins(&["tell", "study.toml", "-1", "1"]).exits(2);
    assert!(trial.err.contains("expected the number of a trial"), "{}", trial.all());
    let within = folder.gittins(&["ask", "study.toml", "--within", "1,5"]).exits(2);
    assert!(within.err.contains("such as 1.5"), "{}", within.all());
    assert_eq!(folder.states(), ["pending"]);
}
