//! Pictures of studies by items.

use gittins::data::Direction;
use gittins::study::{Stages, StudyBuilder};
use gittins::{Outcome, Space, Study};
use picture::{Panel, RunsPicture, believed, foremost};

use crate::edges::check_panels;

/// Names that look like tags, are long, and differ at their ends alone.
pub fn evil(number: usize) -> String {
    format!("</script><b>&\" a prompt that goes on and on, as prompts do {number}")
}

fn builder(direction: Direction, count: usize) -> StudyBuilder {
    let space =
        Space::new().choice("<prompt>", (0..count.max(2)).map(evil)).constant("kind", "same");
    let study = match direction {
        Direction::Minimize => Study::minimize(space),
        Direction::Maximize => Study::maximize(space),
    };
    study.stages(Stages::items(60)).cost_unit("$").seed(3)
}

/// A study in which the outcome of each configuration is a function of its number, seen on so many
/// items.
fn told(
    direction: Direction,
    count: usize,
    outcome: impl Fn(usize) -> f64,
    items: impl Fn(usize) -> f64,
) -> Study {
    let mut study = builder(direction, count).initial(count).build().unwrap();
    for number in 0..count {
        let ask = study.ask().unwrap();
        study.note_report(ask.id(), items(number), outcome(number), 0.25).unwrap();
    }
    study
}

/// A study after its design, with a model. One of its configurations may not be used.
pub fn judged(direction: Direction) -> Study {
    let mut study = builder(direction, 12).initial(6).build().unwrap();
    let refused = study.ask().unwrap();
    study.tell(refused.id(), Outcome::infeasible().cost(0.1)).unwrap();
    for number in 0..24 {
        let ask = study.ask().unwrap();
        let outcome = (ask.id().index() as f64 * 0.7 + f64::from(number)).sin();
        let cost = 0.01 * (ask.until() - ask.resume().unwrap_or(0.0));
        study.report(ask.id(), ask.until(), outcome, cost).unwrap();
    }
    study.recommendation().unwrap().unwrap();
    study
}

/// The panel of items, each of whose places is within it.
fn panel(study: &Study) -> Panel {
    let picture = RunsPicture::new(study).cost_unit("$");
    let [items, ..] = &picture.panels()[..] else { panic!() };
    assert_eq!(items.name(), "items");
    check_panels(std::slice::from_ref(items), 900.0);
    let svg = items.svg();
    assert!(!svg.contains("<b") && !svg.contains("script>"), "{svg}");
    items.clone()
}

#[test]
fn a_study_without_reports_says_so() {
    let study = builder(Direction::Minimize, 3).build().unwrap();
    assert!(panel(&study).svg().contains("No configuration has seen an item yet."));
}

#[test]
fn a_mean_before_there_is_a_model_has_no_interval() {
    let study = told(Direction::Maximize, 3, |number| number as f64, |_| 6.0);
    let svg = panel(&study).svg();
    for words in [">mean so far<", ">best so far<", ">of 60 items<", ">6<", ">0.25 $<", "trial 2"] {
        assert!(svg.contains(words), "{words}: {svg}");
    }
    assert!(!svg.contains("95 %") && !svg.contains("recommended"), "{svg}");
    assert_eq!(svg.matches("circle class=\"halo").count(), 2);
}

#[test]
fn what_is_believed_is_drawn_from_the_best_to_the_worst() {
    for direction in [Direction::Minimize, Direction::Maximize] {
        let study = judged(direction);
        let all = believed(&study);
        let means: Vec<f64> = all.iter().map(|one| direction.sign() * one.mean).collect();
        assert!(means.is_sorted_by(|a, b| a >= b), "{means:?}");
        let best = all.iter().find(|one| one.is_best).unwrap();
        assert_eq!(best.trial.id, study.best().unwrap().id);
        assert!(all.iter().all(|one| one.sd.is_some()));
        let panel = panel(&study);
        let svg = panel.svg();
        for words in [
            ">believed mean over all items<",
            ">its 95 % interval<",
            ">recommended<",
            "trial: &lt;prompt",
        ] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
        // The key and the trial itself; what is the same for all is in no label.
        assert_eq!(svg.matches("circle class=\"halo").count(), 2);
        assert!(!svg.contains(", same"), "{svg}");
        assert_eq!(panel.note(), "Without a mean: 1 that failed or may not be used.");
        // Labels come from below; the best one stands above all others.
        let labels: Vec<&str> = svg.split("text-anchor=\"end\">").collect();
        let first = format!("{}: ", all[all.len() - 1].trial.id.index());
        assert!(labels.iter().find(|label| label.contains("…")).unwrap().starts_with(&first));
    }
}

/// The deviation of one that is recommended is the same wherever it stands.
#[test]
fn what_is_believed_is_what_is_recommended() {
    let mut study = judged(Direction::Maximize);
    let found = study.recommendation().unwrap().unwrap();
    let all = believed(&study);
    let one = all.iter().find(|one| one.trial.id == found.trial).unwrap();
    assert!((one.mean - found.mean).abs() < 1e-9, "{} {}", one.mean, found.mean);
    assert!((one.sd.unwrap() - found.sd).abs() < 1e-3, "{:?} {}", one.sd, found.sd);
}

#[test]
fn of_many_configurations_the_best_are_drawn() {
    let study = told(Direction::Minimize, 47, |number| number as f64, |number| 2.0 + number as f64);
    let panel = panel(&study);
    assert_eq!(panel.title(), "Who is judged on how much: the best 40 of 47");
    assert_eq!(panel.note(), "Left out: 7 others.");
    assert!(panel.svg().contains(">trial 0 ("), "{}", panel.svg());
}

/// What is recommended need not have the best mean, and is among those that are shown.
#[test]
fn the_best_one_is_among_the_foremost() {
    let study = told(Direction::Minimize, 5, |number| number as f64, |_| 6.0);
    let mut all = believed(&study);
    all.iter_mut().zip([false, false, false, true, false]).for_each(|(one, is)| one.is_best = is);
    let numbers = |most: usize| -> Vec<usize> {
        foremost(&all, most).iter().map(|one| one.trial.id.index()).collect()
    };
    assert_eq!(numbers(0), [0; 0]);
    assert_eq!(numbers(2), [0, 3]);
    assert_eq!(numbers(4), [0, 1, 2, 3]);
    assert_eq!(numbers(9), [0, 1, 2, 3, 4]);
}

#[test]
fn outcomes_of_every_kind_are_drawn() {
    for direction in [Direction::Minimize, Direction::Maximize] {
        for outcomes in [
            &[0.0][..],
            &[0.5, 0.5, 0.5],
            &[1e308, -1e308, 0.0],
            &[1e-320, 0.0],
            &[0.1, 0.2, 0.15, 0.12, 0.11, 0.13, 0.18, 0.14, 0.16, 0.17, 1e6, -1e6],
        ] {
            for seen in [2.0, 60.0] {
                let study = told(direction, outcomes.len(), |number| outcomes[number], |_| seen);
                let svg = panel(&study).svg();
                assert_eq!(svg.matches("bar plain").count(), outcomes.len());
            }
        }
    }
}
