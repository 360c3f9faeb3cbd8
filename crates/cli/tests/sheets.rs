//! Importing what a study has already.

use crate::folder::{Folder, SQUARE};

const SHEET: &str = "x,outcome\n0.1,4\n0.1,4\n0.5,-1e-3\n0.7,1e300\n";

fn import(folder: &Folder, words: &[&str]) -> serde_json::Value {
    let all = [&["import", "study.toml", "sheet.csv", "--json"], words].concat();
    folder.gittins(&all).exits(0).json()
}

#[test]
fn evaluations_that_are_there_are_not_imported_again() {
    let folder = Folder::new(SQUARE, "");
    folder.write("sheet.csv", SHEET);
    // A row that is there twice is an evaluation that was repeated.
    assert_eq!(import(&folder, &[]), serde_json::json!({ "imported": 4, "skipped": 0 }));
    let said = folder.gittins(&["import", "study.toml", "sheet.csv"]).exits(0);
    assert!(said.out.contains("0 evaluations were imported"), "{}", said.all());
    assert!(said.out.contains("4 of 4 are there already"), "{}", said.all());
    assert!(said.out.contains("--again"), "{}", said.all());
    assert_eq!(folder.trials().len(), 4);
    // Repeats beyond what the study has are kept, and so is another outcome of the same values.
    folder.write("sheet.csv", "x,outcome\n0.1,4\n0.1,4\n0.1,4\n0.5,-2e-3\n");
    assert_eq!(import(&folder, &[]), serde_json::json!({ "imported": 2, "skipped": 2 }));
    assert_eq!(import(&folder, &["--again"]), serde_json::json!({ "imported": 4, "skipped": 0 }));
}

/// What a study made itself is there, too: its own export adds nothing.
#[test]
fn the_export_of_a_study_is_there_already() {
    let study = "direction = \"minimize\"\nprice = 1e-3\n[parameters.x]\ntype = \"log_float\"\n\
        low = 1e-5\nhigh = 1\n[parameters.name]\ntype = \"choice\"\nnames = [\"a\", \"b\"]\n\
        [parameters.n]\ntype = \"int\"\nlow = 1\nhigh = 9\nwhen = { name = \"a\" }\n\
        [cost]\nfrom = \"output\"\nkey = \"c\"\n";
    let folder = Folder::new(study, "");
    for number in 0..6 {
        folder.gittins(&["ask", "study.toml"]).exits(0);
        let (trial, cost) = (number.to_string(), format!("{}", 0.1 * f64::from(number + 1)));
        match number {
            2 => folder.gittins(&["fail", "study.toml", "2", "--cost", "0.3"]).exits(0),
            _ => folder.gittins(&["tell", "study.toml", &trial, "-0.25", "--cost", &cost]).exits(0),
        };
    }
    folder.write("sheet.csv", &folder.gittins(&["export", "study.toml"]).exits(0).out);
    assert_eq!(import(&folder, &[]), serde_json::json!({ "imported": 0, "skipped": 6 }));
}
