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

/// A support vector machine has a parameter that is called `cost`.
#[test]
fn an_export_is_imported_whatever_parameters_are_called() {
    let names = ["cost", "state", "outcome", "why", "origin", "trial", "ms", " a ", "-"];
    let mut text = "direction = \"minimize\"\nprice = 1e-3\n".to_owned();
    for name in names {
        text += &format!("[parameters.\"{name}\"]\ntype = \"float\"\nlow = 0\nhigh = 1\n");
    }
    text +=
        "[parameters.name]\ntype = \"choice\"\nnames = [\"\", \"-\", \" b\", \"nan\", \"\\\"\"]\n";
    text += "[limits]\n\"measured ms\" = { at_most = 3 }\n";
    let folder = Folder::new(&text, "");
    for trial in ["0", "1", "2"] {
        folder.gittins(&["ask", "study.toml"]).exits(0);
        let told =
            ["tell", "study.toml", trial, "0.5", "--cost", "2", "--measured", "measured ms=1"];
        folder.gittins(&told).exits(0);
    }
    let sheet = folder.gittins(&["export", "study.toml"]).exits(0).out;
    assert!(sheet.contains("parameter cost") && sheet.contains("measured measured ms"), "{sheet}");
    folder.write("sheet.csv", &sheet);
    folder.write("other.toml", &text);
    let said = folder.gittins(&["import", "other.toml", "sheet.csv", "--json"]).exits(0).json();
    assert_eq!(said, serde_json::json!({ "imported": 3, "skipped": 0 }));
    let values = |file: &str| {
        let trials = folder.gittins(&["export", file, "--json"]).exits(0).json();
        let trials = trials["trials"].as_array().unwrap().clone();
        trials.into_iter().map(|trial| trial["values"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(values("study.toml"), values("other.toml"));
    // A sheet that calls it plainly is answered by the name that it needs.
    folder.write("sheet.csv", &sheet.replace("parameter cost", "gain"));
    let said = folder.gittins(&["import", "other.toml", "sheet.csv"]).exits(2);
    assert!(
        said.err.contains("it is called \"parameter cost\"; it does not know the columns gain"),
        "{}",
        said.all()
    );
}

/// Exports of before have the plain names.
#[test]
fn an_export_with_a_name_twice_is_read_by_its_order() {
    let text = "direction = \"minimize\"\n[cost]\nfrom = \"none\"\n[parameters.cost]\ntype = \"float\"\n\
        low = 0\nhigh = 1\n";
    let folder = Folder::new(text, "");
    folder.write(
        "sheet.csv",
        "trial,origin,state,cost,outcome,cost,why\n0,initial,complete,0.25,7,1,\n",
    );
    assert_eq!(import(&folder, &[]), serde_json::json!({ "imported": 1, "skipped": 0 }));
    let trial = &folder.trials()[0];
    assert_eq!((&trial["values"]["cost"], &trial["outcome"]), (&0.25.into(), &7.0.into()));
    folder.write("sheet.csv", "cost,outcome,cost\n0.5,7,1\n");
    let said = folder.gittins(&["import", "study.toml", "sheet.csv"]).exits(2);
    assert!(said.err.contains("two columns are named \"cost\""), "{}", said.all());
    assert!(said.err.contains("\"parameter cost\""), "{}", said.all());
}

#[test]
fn errors_name_the_line_however_lines_end() {
    let folder = Folder::new(SQUARE, "");
    for (sheet, line) in [
        ("x,outcome\n0.1,1\n0.2,1\n7,1\n", 4),
        ("x,outcome\r\n0.1,1\r\n0.2,1\r\n7,1\r\n", 4),
        ("x,outcome\r\n0.1,1\r\n\r\n\r\n7,1\r\n", 5),
        ("\"x\",\"outcome\"\n\n\"0.1\",\"1\"\n\n7,1\n", 5),
        ("x,outcome\r0.1,1\r7,1\r", 3),
        ("\u{feff}x,outcome,why\r\n0.1,1,\"two\r\nlines\"\r\n7,1,\r\n", 4),
    ] {
        folder.write("sheet.csv", sheet);
        let said = folder.gittins(&["import", "study.toml", "sheet.csv"]).exits(2);
        assert!(said.err.contains(&format!("line {line}: ")), "{sheet:?}: {}", said.all());
    }
}

#[test]
fn sheets_of_other_programs_are_read() {
    let text = "direction = \"minimize\"\n[parameters.x]\ntype = \"float\"\nlow = 0\nhigh = 1\n\
        [parameters.deep]\ntype = \"flag\"\n[parameters.n]\ntype = \"int\"\nlow = 1\nhigh = 9\n\
        when = { deep = true }\n[cost]\nfrom = \"output\"\nkey = \"c\"\n";
    let rows = [("0.25", "True", "3.0", "1.5", "2.0"), ("0.5", "False", "nan", "2.5", "NaN")];
    // pandas with its index; a spreadsheet with semicolons and commas; tabs.
    for (first, separator, point) in [
        (",", ",", "."),
        ("Unnamed: 0,", ",", "."),
        ("", ";", ","),
        ("", "\t", "."),
        ("", ";", "."),
    ] {
        let folder = Folder::new(text, "");
        let mut sheet =
            format!("{first}{}\n", ["x", "deep", "n", "outcome", "cost"].join(separator));
        for (number, (x, deep, n, outcome, cost)) in rows.iter().enumerate() {
            let cells = [x, deep, n, outcome, cost].map(|cell| cell.replace('.', point));
            let index = if first.is_empty() { String::new() } else { format!("{number},") };
            sheet += &format!("{index}{}\n", cells.join(separator));
        }
        folder.write("sheet.csv", &sheet);
        assert_eq!(
            import(&folder, &[]),
            serde_json::json!({ "imported": 2, "skipped": 0 }),
            "{sheet}"
        );
        let trials = folder.trials();
        assert_eq!(trials[0]["values"], serde_json::json!({ "x": 0.25, "deep": true, "n": 3 }));
        assert_eq!(trials[1]["values"], serde_json::json!({ "x": 0.5, "deep": false, "n": null }));
        assert_eq!(
            [&trials[0]["cost"], &trials[1]["cost"]],
            [&2.0.into(), &serde_json::Value::Null]
        );
    }
    // What cannot be read says what to do.
    let folder = Folder::new(SQUARE, "");
    for (sheet, words) in [
        (
            "x,outcome\n0,5,1\n",
            "line 2: expected 2 cells, one for each column, got 3; a number has a point",
        ),
        ("x\toutcome\n0,500\t1\n", "line 2: x: expected a number in [0, 1], got \"0,500\""),
        ("x,outcome,coast\n0.5,1,2\n", "unknown column \"coast\"; did you mean \"cost\"?"),
        ("y;outcome\n0,5;1\n", "unknown column \"y\"; did you mean \"x\"? --skip y"),
        ("x,outcome,state\n0.5,nan,complete\n", "line 2: there is no outcome"),
    ] {
        folder.write("sheet.csv", sheet);
        let said = folder.gittins(&["import", "study.toml", "sheet.csv"]).exits(2);
        assert!(said.err.contains(words), "{sheet:?}: {}", said.all());
    }
    // What laboratories and spreadsheets have besides is left out, and counted.
    for sheet in [
        "date,operator,x,outcome,remark\n2026-03-02,AK,0.5,3.25,\n",
        "x,outcome,,\n0.5,3.25,,\n,,,\n",
        "sep=;\nx;outcome\n0,5;3,25\n",
        "x\toutcome\n0,5\t3,25\n",
        "x,outcome\n0.5,3.25\n0.7,PENDING\n0.8,\n",
        "x,coast,outcome\n0.5,east,3.25\n",
    ] {
        let folder = Folder::new(SQUARE, "");
        folder.write("sheet.csv", sheet);
        let said = import(&folder, &["--skip", "coast"]);
        assert_eq!(said["imported"], 1, "{sheet}");
        assert_eq!(folder.trials()[0]["outcome"], 3.25, "{sheet}");
        let count = sheet.matches("0.7").count() + sheet.matches("0.8").count();
        assert_eq!(said["not_told"].as_u64().unwrap_or(0), count as u64, "{sheet}");
    }
    // Trials that are not over are counted.
    folder.write("sheet.csv", "x,outcome,state\n0.5,,pending\n0.25,1,complete\n0.1,,withdrawn\n");
    let said = folder.gittins(&["import", "study.toml", "sheet.csv"]).exits(0);
    assert!(said.out.contains("2 rows have no outcome yet"), "{}", said.all());
}
