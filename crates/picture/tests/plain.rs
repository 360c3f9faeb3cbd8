//! What a newcomer reads on the page: what the next trial is worth, orders of magnitude, reasons.

use gittins::Record;
use gittins::study::Row;
use picture::Picture;
use serde_json::{Value, json};

use crate::studies::{Made, process, record};

fn trial(x: f64, outcome: f64) -> Made {
    Made::new(vec![("x".to_owned(), json!(x))], json!(outcome))
}

#[test]
fn the_verdict_is_drawn_as_what_the_next_trial_brings_and_its_price() {
    let run = process();
    let panel = &Picture::new(&run.record).panels()[1].svg();
    for words in [
        "When to stop: what the next trial is worth",
        "in units of the outcome",
        ">what the next trial would bring<",
        ">its price<",
        ">end of the design<",
        " trials: the next one would bring ",
    ] {
        assert!(panel.contains(words), "{words}: {panel}");
    }
    assert!(!panel.contains("statistic"), "{panel}");
    // A record that does not know it has the statistic, as ever.
    let without = |row: &Row| {
        let mut row = serde_json::to_value(row).unwrap();
        if let Some(verdict) = row["verdict"].as_object_mut() {
            verdict.remove("worth");
        }
        serde_json::from_value(row).unwrap()
    };
    let old = Record::new(run.record.rows().iter().map(without).collect()).unwrap();
    let panel = &Picture::new(&old).panels()[1].svg();
    assert!(panel.contains("statistic of the rule") && panel.contains(">stops at or below<"));
}

#[test]
fn what_is_worth_next_to_nothing_is_below_the_axis() {
    let gains = [1e3, 10.0, 0.5, 1e-30, 0.0];
    let rows = gains.iter().zip(0..).map(|(gain, at)| {
        let mut row = json!({
            "rule": "Gittins index", "statistic": gain - 1.0, "threshold": 0.0,
            "fired": *gain < 1.0, "worth": { "gain": gain, "price": 1.0 },
        });
        let made = record("minimize", (0..=at).map(|_| trial(0.5, 1.0)).collect());
        let mut all = serde_json::to_value(&made.rows()[at]).unwrap();
        all["verdict"] = std::mem::take(&mut row);
        serde_json::from_value(all).unwrap()
    });
    let record = Record::new(rows.collect()).unwrap();
    let panel = Picture::new(&record).panels()[1].svg();
    assert!(panel.contains("in units of the outcome (log)"), "{panel}");
    assert!(panel.contains(">off the axis<") && panel.contains(">says stop<"), "{panel}");
    assert!(panel.contains("would bring 0.5, its price is 1: stop"), "{panel}");
}

#[test]
fn outcomes_that_span_decades_have_a_logarithmic_axis() {
    for (scale, logarithmic) in [(1e4, true), (-1e4, true), (100.0, false)] {
        let direction = if scale > 0.0 { "minimize" } else { "maximize" };
        let outcome = |at: i32| scale * f64::from(at + 1).powf(-3.0);
        let trials = (0..20).map(|at| {
            let mut made = trial(
                f64::from(at),
                if scale == 100.0 { 100.0 - f64::from(at) } else { outcome(at) },
            );
            made.predicted = Some([made.outcome.clone(), json!(0.1), Value::Null]);
            made
        });
        let record = record(direction, trials.collect());
        for panel in [0, 2, 4] {
            let svg = Picture::new(&record).panels()[panel].svg();
            assert_eq!(svg.contains("(log"), logarithmic, "{scale}: {svg}");
            assert!(!svg.contains("off the axis"), "{scale}: {svg}");
        }
    }
}

#[test]
fn nothing_is_explained_before_twenty_trials() {
    for (count, explained) in [(19, false), (20, true)] {
        let trials = (0..count).map(|at| {
            let at = f64::from(at);
            Made::new(vec![("x".to_owned(), json!(at)), ("y".to_owned(), json!(1))], json!(at))
        });
        let record = record("minimize", trials.collect());
        assert_eq!(Picture::new(&record).page().contains("explains "), explained, "{count}");
    }
}

#[test]
fn the_page_says_why_trials_failed() {
    let mut trials: Vec<Made> = (0..14).map(|at| trial(f64::from(at), 1.0)).collect();
    for made in &mut trials[1..13] {
        (made.state, made.outcome) = ("failed", Value::Null);
    }
    let record = record("minimize", trials);
    let why = (1..13).map(|at| (at, format!("exit code {at}: <b>no</b>")));
    let page = Picture::new(&record).failures(why).page();
    let (_, table) = page.split_once("<table id=\"failures\">").unwrap();
    assert_eq!(table.matches("exit code").count(), 10);
    assert!(table.contains("exit code 12: &lt;b&gt;no") && table.contains("2 more before these"));
    assert!(page.contains("failed, exit code 1: &lt;b&gt;no"), "{page}");
    assert!(!Picture::new(&record).page().contains("Why trials failed"));
}

#[test]
fn panels_are_all_of_one_width() {
    let page = Picture::new(&process().record).page();
    assert_eq!(page.matches("grid-template-columns").count(), 1);
    assert!(!page.contains("panels lead"));
}
