//! Pictures of runs in stages.

use gittins::study::Stages;
use gittins::{Outcome, Space, Study};
use picture::{Panel, RunsPicture};

fn study() -> Study {
    let space = Space::new().float("<rate>", 0.0, 1.0);
    Study::minimize(space).stages(Stages::of(9.0).reports([3.0, 9.0])).build().unwrap()
}

#[test]
fn a_picture_has_a_curve_and_a_bar_for_each_run() {
    let mut study = study();
    for (number, ends) in [3.0, 9.0, 9.0].into_iter().enumerate() {
        let ask = study.ask().unwrap();
        study.report(ask.id(), 3.0, 1.0 - number as f64, 1.0).unwrap();
        if ends > 3.0 {
            study.report(ask.id(), 9.0, 0.5 - number as f64, 2.0).unwrap();
        }
    }
    let ask = study.ask().unwrap();
    study.tell(ask.id(), Outcome::failed().cost(0.5)).unwrap();
    let picture = RunsPicture::new(&study).title("<b>").verdict("go on").cost_unit("s");
    let picture = picture.numbers([10, 11, 12, 13]);
    let page = picture.page();
    for words in [
        "<h1>&lt;b&gt;</h1>",
        "4 trials: 2 complete, 1 paused, 1 failed. Total cost: 7.5 s.",
        "Outcome -1.5 at 9 in trial 12 (complete, cost 3 s): &lt;rate&gt; = ",
        "<p id=\"words\" class=\"said\">go on</p>",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
    let [curves, money] = &picture.panels()[..] else { panic!() };
    assert_eq!([curves, money].map(Panel::name), ["curves", "money"]);
    // A title for the last report of each run that has one.
    assert_eq!(curves.svg().matches("<title>trial 1").count(), 3);
    assert_eq!(money.svg().matches("\"bar better\"").count(), 2 + 1);
    assert_eq!(money.svg().matches("\"bar bad\"").count(), 1 + 1);
}

#[test]
fn a_study_without_runs_says_so() {
    let page = RunsPicture::new(&study()).page();
    assert!(page.contains("No trial yet") && page.contains("No trial has reported yet."), "{page}");
}
