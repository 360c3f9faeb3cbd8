//! Journals that others made, and such that have lost a line.

use crate::folder::{Folder, SQUARE};

/// A file of Optuna with a branch, a pruned trial, and one that lacks a parameter.
fn optuna() -> String {
    let mut text =
        "{\"op_code\":0,\"worker_id\":\"w\",\"study_name\":\"s\",\"directions\":[1]}\n".to_owned();
    let model =
        r#"{\"name\":\"CategoricalDistribution\",\"attributes\":{\"choices\":[\"a\",\"b\"]}}"#;
    let float = r#"{\"name\":\"FloatDistribution\",\"attributes\":{\"step\":null,\"low\":0.0,\"high\":1.0,\"log\":false}}"#;
    let mut trial = |state: u64, params: &str, distributions: &str| {
        text += &format!(
            "{{\"op_code\":4,\"worker_id\":\"w\",\"study_id\":0,\"state\":{state},\"value\":{},\"params\":{{{params}}},\"distributions\":{{{distributions}}},\"user_attrs\":{{}},\"system_attrs\":{{}}}}\n",
            if state == 1 { "0.5" } else { "null" },
        );
    };
    for number in 0..6 {
        let (which, name) = (number % 2, ["C", "depth"][number % 2]);
        trial(
            1,
            &format!("\"model\":{which},\"{name}\":0.{number}"),
            &format!("\"model\":\"{model}\",\"{name}\":\"{float}\""),
        );
    }
    trial(2, "\"model\":0,\"C\":0.5", &format!("\"model\":\"{model}\",\"C\":\"{float}\""));
    trial(1, "\"model\":0", &format!("\"model\":\"{model}\""));
    text
}

#[test]
fn a_study_of_optuna_with_branches_is_opened_and_what_is_left_out_is_said() {
    let folder = Folder::new(SQUARE, "");
    folder.write("a.journal", &optuna());
    let status = folder.gittins(&["status", "a.journal"]).exits(0);
    assert!(status.out.contains("6 complete"), "{}", status.all());
    assert!(status.out.contains("left out     trial 6: it was pruned"), "{}", status.all());
    assert!(status.out.contains("left out     trial 7: parameter \"C\""), "{}", status.all());
    let ask = folder.gittins(&["ask", "a.journal"]).exits(0);
    for words in ["left out of the study: trial 7", "1 that were pruned", "gittins status"] {
        assert!(ask.err.contains(words), "{words}: {}", ask.all());
    }
}

#[test]
fn status_and_doctor_see_that_a_line_is_gone() {
    let folder = Folder::new(SQUARE, "");
    for number in ["0", "1", "2"] {
        folder.gittins(&["ask", "study.toml"]).exits(0);
        folder.gittins(&["tell", "study.toml", number, "1"]).exits(0);
    }
    let text = folder.read("study.journal");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let status = folder.gittins(&["status", "study.toml"]).exits(0);
    assert!(!status.out.contains("missing"), "{}", status.all());
    let made: Vec<usize> =
        (0..lines.len()).filter(|&line| lines[line].starts_with("{\"op_code\":4")).collect();
    for gone in [0, made[0], made[1], made[1] - 1] {
        folder.write("study.journal", &[&lines[..gone], &lines[gone + 1..]].concat().concat());
        let doctor = folder.gittins(&["doctor", "study.toml"]).exits(1);
        assert!(doctor.out.contains("WRONG"), "line {gone}: {}", doctor.all());
        assert!(
            doctor.out.contains("put back a copy of the file"),
            "line {gone}: {}",
            doctor.all()
        );
        let status = folder.gittins(&["status", "study.toml"]);
        assert!(
            status.all().contains("put back a copy of the file"),
            "line {gone}: {}",
            status.all()
        );
    }
}
