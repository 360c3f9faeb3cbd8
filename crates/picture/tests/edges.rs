//! Records at the edge: no trial, one, very many; numbers that are not finite; names that look like
//! tags.

use gittins::Record;
use picture::{Panel, Picture};
use serde_json::{Value, json};

use crate::studies::{Made, empty, record};

/// Draws a record. Every place in it is a number that is within the panel.
fn check(record: &Record) -> String {
    check_all(&Picture::new(record).verdict("Go on."))
}

/// The same of a picture.
pub fn check_all(picture: &Picture<'_>) -> String {
    check_panels(&picture.panels(), 400.0);
    picture.page()
}

/// Every place in these panels is a number within them; they are as wide and no higher.
pub fn check_panels(panels: &[Panel], size: f64) {
    for panel in panels {
        let svg = panel.svg();
        let parts: Vec<&str> = svg.split('"').collect();
        let mut places = 0;
        // Names of attributes and their values take turns.
        for pair in parts.chunks_exact(2) {
            let name = pair[0].rsplit(' ').next().unwrap_or("");
            if !["d=", "x=", "y=", "cx=", "cy="].contains(&name) {
                continue;
            }
            // Of a path the first place counts; steps follow it.
            let numbers = pair[1].split(|c: char| c != '.' && c != '-' && !c.is_ascii_digit());
            for number in numbers.filter(|number| !number.is_empty()).take(2) {
                let number: f64 = number.parse().unwrap_or_else(|_| panic!("{}", pair[1]));
                assert!((0.0..=size).contains(&number), "{}: {pair:?}", panel.name());
                places += 1;
            }
            assert!(!pair[1].contains("NaN") && !pair[1].contains("inf"), "{pair:?}");
        }
        assert!(places > 4, "{svg}");
    }
}

fn x(value: impl Into<Value>) -> Vec<(String, Value)> {
    vec![("x".to_owned(), value.into())]
}

#[test]
fn a_record_without_a_trial_is_drawn() {
    let page = check(&empty());
    assert_eq!(page.matches("<svg").count(), 4);
    assert!(page.contains("No trial has been told yet.") && page.contains("No trial yet."));
}

#[test]
fn one_trial_is_drawn() {
    for state in ["complete", "failed", "infeasible"] {
        let outcome = if state == "complete" { json!(2.0) } else { Value::Null };
        let made = Made { state, ..Made::new(x(0.5), outcome) };
        let page = check(&record("minimize", vec![made]));
        assert_eq!(page.matches("<svg").count(), 5);
        assert!(page.contains(&format!("1 trial: 1 {state}.")), "{page}");
    }
}

/// Every number of a record may be anything.
#[test]
fn numbers_that_are_not_finite_are_drawn_at_the_edge() {
    let odd = [
        json!("NaN"),
        json!("inf"),
        json!("-inf"),
        json!(0.0),
        json!(1e308),
        json!(-1e308),
        json!(5e-324),
        Value::Null,
        json!(1.0),
    ];
    let mut trials = Vec::new();
    for (place, number) in odd.iter().enumerate() {
        for (shift, other) in odd.iter().enumerate() {
            let mut made = Made::new(x(place as f64), number.clone());
            if number.is_null() {
                made.state = "failed";
            }
            made.cost = other.clone();
            // A suggestion has a mean and a deviation; it may lack the cost.
            let some = |value: &Value| if value.is_null() { json!(2.0) } else { value.clone() };
            let next = some(&odd[(place + shift) % odd.len()]);
            made.predicted = Some([some(other), next.clone(), number.clone()]);
            made.verdict = Some([next, some(number)]);
            trials.push(made);
        }
    }
    for direction in ["minimize", "maximize"] {
        check(&record(direction, trials.iter().map(again).collect()));
    }
    // One kind of number alone.
    for number in &odd {
        let alone = trials.iter().filter(|made| made.outcome == *number).map(again);
        check(&record("minimize", alone.collect()));
    }
}

fn again(made: &Made) -> Made {
    Made {
        values: made.values.clone(),
        state: made.state,
        outcome: made.outcome.clone(),
        cost: made.cost.clone(),
        predicted: made.predicted.clone(),
        verdict: made.verdict.clone(),
    }
}

#[test]
fn names_are_text_wherever_they_stand() {
    let evil = "</script><b onload='x'>&\"]]><!--\u{1}";
    let made = |value: Value| Made::new(vec![(evil.to_owned(), value)], json!(1.0));
    let record = record("minimize", vec![made(json!(evil)), made(json!(true)), made(json!(3))]);
    let picture = Picture::new(&record).title(evil).verdict(evil);
    let page = picture.page();
    assert!(!page.contains("<b") || page.matches("<b").count() == page.matches("<body").count());
    assert!(!page.contains("script>") && !page.contains("<!--") && !page.contains('\u{1}'));
    for panel in picture.panels() {
        let svg = panel.svg();
        assert!(!svg.contains("<b") && !svg.contains("<!--") && !svg.contains("]]>"), "{svg}");
    }
}

/// Names longer than the picture, and more of them than it has pixels.
#[test]
fn many_long_names_are_drawn() {
    let long = "x".repeat(100_000);
    let trials = (0..1500).map(|trial| {
        let name = format!("{trial}{}", if trial == 3 { &*long } else { "" });
        Made::new(vec![("name".to_owned(), json!(name))], json!(trial))
    });
    let page = check(&record("maximize", trials.collect()));
    assert!(page.len() < 1_000_000, "{}", page.len());
}

/// 2000 trials of 60 parameters are less than 2 MB.
#[test]
fn very_many_trials_are_drawn_in_little_room() {
    let random = |k: u64| {
        let mut state = k.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        state = (state ^ (state >> 31)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let trials = (0..2000_u64).map(|trial| {
        let values = (0..60_u64)
            .map(|k| (format!("parameter {k:02}"), json!(random(trial * 64 + k))))
            .collect();
        let mut made = Made::new(values, json!(random(trial) + random(trial + 7000)));
        made.cost = json!(random(trial + 9000));
        made.predicted = Some([json!(1.0), json!(0.3), json!(random(trial + 11_000))]);
        made.verdict = Some([json!(random(trial + 13_000)), json!(0.01)]);
        made
    });
    let record = record("minimize", trials.collect());
    let page = Picture::new(&record).page();
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert_eq!(page.matches("<svg").count(), 64);
}
