//! What a reader needs to understand a page: units, what matters first, what a line means, contrast.

use gittins::Record;
use gittins::study::Row;
use picture::Picture;
use serde_json::json;

use crate::studies::{Made, process, record};

#[test]
fn costs_have_their_unit() {
    let run = process();
    let picture = Picture::new(&run.record).space(&run.space).cost_unit("EUR");
    let page = picture.page();
    let total: f64 = run.record.rows().iter().filter_map(|row| row.cost).sum();
    for words in [
        &*format!("Total cost: {} EUR.", chart::number::short(total, 5)),
        ">cost spent (EUR)<",
        ">paid (EUR) (logarithmic)<",
        ">predicted (EUR) (logarithmic)<",
        "<th class=\"number\">cost (EUR)</th>",
        " EUR spent</title>",
    ] {
        assert!(page.contains(words), "{words}");
    }
    // A unit is text.
    let page = Picture::new(&run.record).cost_unit("<b>").page();
    assert!(!page.contains("<b>") && page.contains("&lt;b&gt;"));
}

#[test]
fn the_parameter_that_explains_most_comes_first() {
    let trials = (0..40_u32).map(|trial| {
        let x = f64::from(trial) / 40.0;
        let values = [
            ("idle", json!(f64::from(trial * 17 % 40))),
            // Neither rises nor falls all the way.
            ("bend", json!(x)),
            ("name", json!(["a", "b", "c"][trial as usize % 3])),
        ];
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Made::new(values, json!((x - 0.5).powi(2)))
    });
    let record = record("minimize", trials.collect());
    let page = Picture::new(&record).page();
    let place = |name: &str| page.find(&format!("aria-label=\"{name}\"")).unwrap();
    assert!(place("bend") < place("idle") && place("bend") < place("name"));
    assert!(page.contains("id=\"importance\""));
    let shares: Vec<f64> = page
        .split("<figcaption>explains ")
        .skip(1)
        .map(|rest| rest.split_once(" %").unwrap().0.parse().unwrap())
        .collect();
    assert!(shares.len() == 3 && shares[0] > 50.0 && shares[1] < 25.0, "{shares:?}");
    // As files they keep their order.
    let names: Vec<String> =
        Picture::new(&record).panels().iter().map(|p| p.name().to_owned()).collect();
    assert_eq!(names[4..], ["parameter-1", "parameter-2", "parameter-3"]);
}

/// The lines of two rules are apart. The page says why.
#[test]
fn a_change_of_the_rule_is_explained() {
    let run = process();
    // The rule begins after the initial design.
    let page = Picture::new(&run.record).page();
    assert!(page.contains("Up to the dotted line the initial design was made"), "{page}");
    assert!(page.contains(">end of the design<") && !page.contains("another rule"));
    let mut judged = 0;
    let rows: Vec<Row> = run
        .record
        .rows()
        .iter()
        .map(|row| {
            let mut row = serde_json::to_value(row).unwrap();
            if !row["verdict"].is_null() {
                judged += 1;
                row["verdict"]["rule"] =
                    json!(if judged <= 5 { "an early one" } else { "gittins" });
            }
            serde_json::from_value(row).unwrap()
        })
        .collect();
    let page = Picture::new(&Record::new(rows).unwrap()).page();
    assert!(page.contains(">another rule<"));
    let rule_of = |name: &str| {
        let of = |row: &Row| {
            let mut row = serde_json::to_value(row).unwrap();
            if !row["verdict"].is_null() {
                row["verdict"]["rule"] = json!(name);
            }
            serde_json::from_value(row).unwrap()
        };
        Record::new(run.record.rows().iter().map(of).collect()).unwrap()
    };
    let without = Picture::new(&rule_of("none")).page();
    assert!(without.contains("No stopping rule is set.") && !without.contains("another rule"));
    let words = "The rule changed at the dotted line: an early one, from trial 6 on gittins.";
    assert!(page.contains(words), "{page}");
    // One rule has no border.
    let made = (0..5).map(|trial| {
        let mut made = Made::new(vec![("x".to_owned(), json!(trial))], json!(trial));
        made.verdict = Some([json!(1.0), json!(0.5)]);
        made
    });
    let page = Picture::new(&record("minimize", made.collect())).page();
    assert!(!page.contains("another rule") && !page.contains("dotted line"));
}

#[test]
fn a_narrow_page_says_that_its_table_goes_on() {
    let run = process();
    let page = Picture::new(&run.record).page();
    assert!(page.contains("<p class=\"hint\">The table goes on to the right.</p>"));
}
