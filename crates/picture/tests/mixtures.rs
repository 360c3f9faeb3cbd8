//! Pictures of parts that sum to a total.

use gittins::study::Limit;
use gittins::{Record, Space};
use picture::{Panel, Picture};
use serde_json::{Value, json};

use crate::edges::check_all;
use crate::studies::{Made, empty, record};

const NAMES: [&str; 6] =
    ["resin", "hardener", "filler & more of it", "water", "<b>oil</b>", "a pigment of a long name"];

/// Trials of a mixture, whose better outcomes are larger.
pub struct Mixed {
    pub space: Space,
    pub record: Record,
}

impl Mixed {
    /// Forty trials of so many parts that sum to 1. The first part is best at 0.6.
    pub fn of(parts: usize) -> Self {
        let names: Vec<String> = (0..parts)
            .map(|part| match NAMES.get(part) {
                Some(name) => (*name).to_owned(),
                None => format!("part {part}"),
            })
            .collect();
        let space = space(&names, 1.0, 1.0);
        let trials = (0..40_usize).map(|trial| {
            let amount = |part: usize| {
                // Some are left out.
                let at = ((trial + 1) as f64 * (part + 2) as f64 * 0.618).fract();
                if part > 0 && at < 0.2 { 0.0 } else { at + 0.05 }
            };
            let total: f64 = (0..parts).map(amount).sum();
            let shares: Vec<f64> = (0..parts).map(|part| amount(part) / total).collect();
            let outcome = 40.0 - 90.0 * (shares[0] - 0.6).powi(2) - 20.0 * shares[1];
            let failed = trial % 13 == 12;
            let outcome = if failed { Value::Null } else { json!(outcome) };
            let state = if failed { "failed" } else { "complete" };
            Made { state, ..Made::new(values(&names, &shares), outcome) }
        });
        Self { space, record: record("maximize", trials.collect()) }
    }
}

/// Floats that with this weight sum to a total.
fn space(names: &[impl AsRef<str>], weight: f64, total: f64) -> Space {
    let most = total / weight;
    let add = |space: Space, name: &_| space.float(AsRef::<str>::as_ref(name), 0.0, most);
    let space = names.iter().fold(Space::new(), add);
    space.equal_to(names.iter().map(|name| (name.as_ref(), weight)), total)
}

fn values(names: &[impl AsRef<str>], amounts: &[f64]) -> Vec<(String, Value)> {
    let one = |(name, amount): (&_, &f64)| (AsRef::<str>::as_ref(name).to_owned(), json!(amount));
    names.iter().zip(amounts).map(one).collect()
}

/// Trials of such amounts, whose outcomes are their places.
fn of_amounts(names: &[&str], amounts: &[&[f64]]) -> Record {
    let made = |(place, amounts): (usize, &&[f64])| Made::new(values(names, amounts), json!(place));
    record("minimize", amounts.iter().enumerate().map(made).collect())
}

/// The picture of the mixture.
fn drawn(record: &Record, space: &Space) -> Panel {
    let panels = Picture::new(record).space(space).panels();
    panels.into_iter().find(|panel| panel.name() == "mixture-1").unwrap()
}

/// Attributes of all elements of a kind that are a part of what is drawn.
fn attributes(svg: &str, element: &str, names: &[&str]) -> Vec<Vec<f64>> {
    let number = |element: &str, name: &str| -> f64 {
        let (_, rest) = element.split_once(&format!(" {name}=\"")).unwrap();
        rest.split_once('"').unwrap().0.parse().unwrap()
    };
    let found = svg.split(element).skip(1);
    found.map(|one| names.iter().map(|name| number(one, name)).collect()).collect()
}

/// The places of the dots in a triangle, and of what marks the best one.
fn dots(svg: &str) -> Vec<Vec<f64>> {
    let legend = svg.rfind("</g>").unwrap();
    attributes(&svg[legend..], "<circle", &["cx", "cy"])
}

/// The widths of what each bar consists of.
fn widths(svg: &str) -> Vec<Vec<f64>> {
    let bars = svg.split("<g><title>").skip(1).map(|bar| bar.split_once("</g>").unwrap().0);
    bars.map(|bar| attributes(bar, "<rect", &["width"]).concat()).collect()
}

const THREE: [&str; 3] = ["a", "b", "c"];

/// Whatever the amounts are measured in, and on both sides of the equation.
#[test]
fn three_parts_are_at_their_shares_of_a_triangle() {
    for (weight, total) in [(1.0, 1.0), (1.0, 100.0), (-1.0, -1.0), (2.0, 3.0)] {
        let whole = total / weight;
        let third = whole / 3.0;
        let amounts = [[whole, 0.0, 0.0], [0.0, whole, 0.0], [0.0, 0.0, whole], [third; 3]];
        let amounts = amounts.each_ref().map(|amounts| &amounts[..]);
        let svg = drawn(&of_amounts(&THREE, &amounts), &space(&THREE, weight, total)).svg();
        let places = dots(&svg);
        let [top, left, right, middle, best] = &places[..] else { panic!("{places:?}") };
        assert_eq!(best, top);
        assert!(left[1] == right[1] && top[1] < left[1] && left[0] < top[0], "{places:?}");
        let side = right[0] - left[0];
        assert!((side - (top[0] - left[0]).hypot(top[1] - left[1])).abs() < 0.2, "{places:?}");
        for at in 0..2 {
            assert!((middle[at] - (top[at] + left[at] + right[at]) / 3.0).abs() < 0.1);
        }
        for words in
            [">100 % a<", ">100 % b<", ">100 % c<", "a 33.3 %, b 33.3 %, c 33.3 %; trial 3"]
        {
            assert!(svg.contains(words), "{words}: {svg}");
        }
    }
}

#[test]
fn a_triangle_tells_outcomes_failures_and_broken_limits_apart() {
    let mixed = Mixed::of(3);
    let svg = drawn(&mixed.record, &mixed.space).svg();
    assert_eq!(svg.matches("<title>").count(), 41);
    // Three trials failed, and one cross explains them.
    assert_eq!(svg.matches("class=\"cross bad\"").count(), 4);
    let told = |better: bool| {
        let outcomes = mixed.record.rows().iter().filter_map(|row| row.outcome);
        outcomes.reduce(|a, b| if (a > b) == better { a } else { b }).unwrap()
    };
    let short = |number| chart::number::short(number, 4);
    for words in [format!("outcome {}<", short(told(false))), format!(">{}<", short(told(true)))] {
        assert!(svg.contains(&words), "{words}: {svg}");
    }
    assert!(svg.contains("dot o0") && svg.contains("dot o7") && svg.contains("the best: "));
    let picture = Picture::new(&mixed.record).space(&mixed.space);
    let panels = picture.limits([("none", Limit::AtLeast(0.0))]).panels();
    let svg = panels[4].svg();
    // The legend has one besides.
    assert_eq!(svg.matches("class=\"ring ").count(), 37 + 1);
    assert!(!svg.contains("the best: "));
}

#[test]
fn the_parts_of_a_bar_fill_it() {
    for parts in [2, 5, 12] {
        let mixed = Mixed::of(parts);
        let svg = drawn(&mixed.record, &mixed.space).svg();
        let widths = widths(&svg);
        assert_eq!(widths.len(), 8);
        let sums: Vec<f64> = widths.iter().map(|widths| widths.iter().sum()).collect();
        assert!(sums.iter().all(|sum| (sum - sums[0]).abs() < 1.0), "{sums:?}");
        assert!(widths.concat().iter().all(|width| *width > 0.0), "{widths:?}");
        assert_eq!(svg.contains(">others<"), parts > 8);
        // The best one is above.
        let rows = mixed.record.rows().iter();
        let mut ranked: Vec<_> = rows.filter_map(|row| Some((row.outcome?, row.trial))).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let labels: Vec<usize> = ranked.iter().take(8).map(|(_, trial)| *trial).collect();
        let place = |trial: &usize| {
            let (before, _) = svg.split_once(&format!(">trial {trial}: ")).unwrap();
            let (_, y) = before.rsplit_once(" y=\"").unwrap();
            y.split_once('"').unwrap().0.parse::<f64>().unwrap()
        };
        let places: Vec<f64> = labels.iter().map(place).collect();
        assert!(places.is_sorted(), "{labels:?}: {places:?}");
    }
}

#[test]
fn what_is_nothing_is_not_drawn_and_a_constant_is() {
    let names = ["a", "b", "salt", "none"];
    let space = Space::new().float("a", 0.0, 1.0).float("b", 0.0, 1.0).constant("salt", 0.25);
    let space = space.float("none", 0.0, 1.0).sum_to(names, 1.0);
    let record = of_amounts(&names, &[&[0.5, 0.25, 0.25, 0.0], &[0.75, 0.0, 0.25, 0.0]]);
    let svg = drawn(&record, &space).svg();
    let mut widths = widths(&svg);
    // Rows are from below: the second trial is the worse one.
    widths.reverse();
    let whole = 4.0 * widths[0][1];
    for (widths, shares) in widths.iter().zip([&[0.5, 0.25, 0.25][..], &[0.75, 0.25]]) {
        assert_eq!(widths.len(), shares.len());
        assert!(widths.iter().zip(shares).all(|(w, share)| (w - whole * share).abs() < 0.5));
    }
    assert!(svg.contains(">salt<") && !svg.contains(">none<"), "{svg}");
    assert!(svg.contains("a 50 %, b 25 %, salt 25 %; trial 0"), "{svg}");
    // With two floats it is a triangle.
    let space = Space::new().float("a", 0.0, 1.0).float("b", 0.0, 1.0).constant("salt", 0.25);
    let space = space.sum_to(["a", "b", "salt"], 1.0);
    let svg = drawn(&record, &space).svg();
    assert!(svg.contains(">100 % salt<") && dots(&svg).len() == 3, "{svg}");
}

#[test]
fn only_parts_with_weights_of_one_sign_are_a_mixture() {
    let floats = || Space::new().float("a", 0.0, 1.0).float("b", 0.0, 1.0).float("c", 0.0, 1.0);
    let record = of_amounts(&THREE, &[&[0.25, 0.25, 0.5]]);
    let plain = Picture::new(&record).space(&floats()).page();
    for space in [
        floats().equal_to([("a", 1.0), ("b", -1.0)], 0.0),
        floats().equal_to([("a", 1.0), ("b", -1.0), ("c", 2.0)], 1.0),
        floats().at_most([("a", 1.0), ("b", 1.0), ("c", 1.0)], 1.0),
    ] {
        assert_eq!(Picture::new(&record).space(&space).page(), plain, "{space:?}");
    }
    // What may be negative has no share.
    let space = Space::new().float("a", -1.0, 1.0).float("b", 0.0, 1.0).float("c", 0.0, 1.0);
    let panels = Picture::new(&record).space(&space.sum_to(THREE, 1.0)).panels();
    assert_eq!(panels.len(), 7);
    // Two mixtures in one space are two pictures, before the parameters.
    let space = floats().sum_to(["a", "b", "c"], 1.0).equal_to([("a", 1.0), ("b", 1.0)], 0.5);
    let picture = Picture::new(&record).space(&space);
    let names: Vec<String> = picture.panels().iter().map(|p| p.name().to_owned()).collect();
    assert_eq!(names[4..7], ["mixture-1", "mixture-2", "parameter-1"]);
    let page = picture.page();
    let (lead, parameters) = page.split_once("<h2>Parameters</h2>").unwrap();
    assert!(lead.contains("<h2>Mixtures</h2>") && lead.matches("<svg").count() == 6, "{page}");
    assert_eq!(parameters.matches("<svg").count(), 3);
}

#[test]
fn mixtures_are_drawn_whatever_the_record_has() {
    let evil = "</title><b>&\"'".repeat(20);
    for parts in [2, 3, 4, 30] {
        let names: Vec<String> = (0..parts).map(|part| format!("{part}{evil}{part}")).collect();
        let space = space(&names, 1.0, 1.0);
        let shares = vec![1.0 / parts as f64; parts];
        let made = |state, outcome| Made { state, ..Made::new(values(&names, &shares), outcome) };
        // Amounts that are no whole, and names that there are not.
        let mut off = made("complete", json!(0.0));
        off.values[1].1 = json!(7.0);
        let mut unknown = made("complete", json!(0.0));
        unknown.values[0].0 = "x".to_owned();
        for trials in [
            vec![],
            vec![made("complete", json!(1.0))],
            vec![made("complete", json!("inf")), made("complete", json!("NaN"))],
            vec![made("failed", Value::Null), made("infeasible", Value::Null)],
            vec![off],
            vec![unknown],
        ] {
            let record = if trials.is_empty() { empty() } else { record("minimize", trials) };
            let picture = Picture::new(&record).space(&space);
            let page = check_all(&picture);
            assert!(!page.contains("<b>"), "{page}");
            assert!(picture.panels().iter().any(|panel| panel.name() == "mixture-1"));
        }
    }
}
