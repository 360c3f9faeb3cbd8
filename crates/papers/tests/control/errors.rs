//! Bad input to studies of control sets: each case is an error of its kind that names the culprit.
//! The study is unchanged after it.

use gittins::{Error, ErrorKind, Outcome, Space};
use gittins_papers::control::{
    ControlSets, Law, PathIncumbent, Plays, Relaxation, SetScore, SetSearch, SubsetPolicy,
    SubsetStudy, SubsetStudyBuilder,
};

use crate::control::runs::study;
use crate::control::studies::{field, harvest, nature};

/// A misuse, the kind of its error, and words that must be in the message.
type Case =
    (&'static str, ErrorKind, &'static [&'static str], fn(&mut SubsetStudy) -> Result<(), Error>);

/// Trials 0 to 3 are told. Trials 4 and 5 are under way, and trial 4 sets the variable `seed`.
fn cases() -> Vec<Case> {
    use ErrorKind::*;
    fn tell(
        study: &mut SubsetStudy,
        change: impl Fn(&mut Vec<f64>),
        outcome: Outcome,
    ) -> Result<(), Error> {
        let mut full = nature(4);
        full[1] = study.history()[4].chosen[0];
        change(&mut full);
        study.tell(4, &full, outcome)
    }
    vec![
        ("unknown trial", UnknownTrial, &["trial 99", "6 trials"], |s| {
            s.tell(99, &[1.0, 12.0, 500.0], Outcome::new(1.0))
        }),
        ("told before", DuplicateTrial, &["trial 0"], |s| {
            s.tell(0, &[1.0, 12.0, 500.0], Outcome::new(1.0))
        }),
        ("an import is told", DuplicateTrial, &["trial 3"], |s| {
            s.tell(3, &[1.0, 12.0, 500.0], Outcome::new(1.0))
        }),
        ("too short", Dimension, &["trial 4", "expected 3 values", "got 2"], |s| {
            s.tell(4, &[1.0, 12.0], Outcome::new(1.0))
        }),
        ("nothing", Dimension, &["trial 4", "got 0"], |s| s.tell(4, &[], Outcome::new(1.0))),
        ("NaN", NonFinite, &["trial 4", "rain"], |s| {
            tell(s, |x| x[2] = f64::NAN, Outcome::new(1.0))
        }),
        ("above a bound", OutOfBounds, &["trial 4", "rain", "901"], |s| {
            tell(s, |x| x[2] = 901.0, Outcome::new(1.0))
        }),
        ("controlled out of bounds", OutOfBounds, &["trial 4", "seed", "-1"], |s| {
            tell(s, |x| x[1] = -1.0, Outcome::new(1.0))
        }),
        (
            "contradiction",
            Contradiction,
            &["trial 4", "\"seed\"", "control set \"seed\"", "19.75"],
            |s| tell(s, |x| x[1] = 19.75, Outcome::new(1.0)),
        ),
        ("failed with another value", Contradiction, &["trial 4", "19.75"], |s| {
            tell(s, |x| x[1] = 19.75, Outcome::failed())
        }),
        ("outcome NaN", NonFinite, &["trial 4", "NaN"], |s| {
            tell(s, |_| {}, Outcome::new(f64::NAN))
        }),
        ("outcome infinite", NonFinite, &["trial 4", "inf"], |s| {
            tell(s, |_| {}, Outcome::new(f64::INFINITY))
        }),
        ("cost of zero", NonPositiveCost, &["trial 4", "0"], |s| {
            tell(s, |_| {}, Outcome::new(1.0).cost(0.0))
        }),
        ("negative cost", NonPositiveCost, &["trial 4", "-2"], |s| {
            tell(s, |_| {}, Outcome::failed().cost(-2.0))
        }),
        ("cost NaN", NonFinite, &["trial 4", "NaN"], |s| {
            tell(s, |_| {}, Outcome::new(1.0).cost(f64::NAN))
        }),
        ("measured", InvalidSetting, &["trial 4", "\"size\"", "no limits"], |s| {
            tell(s, |_| {}, Outcome::new(1.0).measured("size", 3.0))
        }),
        ("measured in a failure", InvalidSetting, &["trial 4", "\"size\""], |s| {
            tell(s, |_| {}, Outcome::infeasible().measured("size", f64::NAN))
        }),
        ("measured in an import", InvalidSetting, &["trial 6", "\"size\""], |s| {
            s.import(&[1.0, 12.0, 500.0], Outcome::new(1.0).measured("size", 3.0)).map(drop)
        }),
        ("measured in a correction", InvalidSetting, &["trial 0", "\"size\""], |s| {
            s.correct(0, Outcome::new(1.0).measured("size", 3.0))
        }),
        ("import too long", Dimension, &["trial 6", "got 4"], |s| {
            s.import(&[1.0, 12.0, 500.0, 1.0], Outcome::new(1.0)).map(drop)
        }),
        ("import out of bounds", OutOfBounds, &["trial 6", "seed"], |s| {
            s.import(&[1.0, 2.0, 500.0], Outcome::new(1.0)).map(drop)
        }),
        ("import NaN", NonFinite, &["trial 6", "lime"], |s| {
            s.import(&[f64::NAN, 12.0, 500.0], Outcome::new(1.0)).map(drop)
        }),
        ("import of no outcome", NonFinite, &["trial 6"], |s| {
            s.import(&[1.0, 12.0, 500.0], Outcome::new(f64::NAN)).map(drop)
        }),
        ("import at a negative cost", NonPositiveCost, &["trial 6"], |s| {
            s.import(&[1.0, 12.0, 500.0], Outcome::new(1.0).cost(-1.0)).map(drop)
        }),
    ]
}

#[test]
fn bad_input_is_named_and_the_study_stays_as_it_was() {
    let start = || {
        let mut study = study(SubsetPolicy::explore_then_commit(Plays::Each(3)))
            .budget(50.0)
            .initial(2)
            .build()
            .unwrap();
        for k in 0..3 {
            let ask = study.ask().unwrap();
            let full = ask.completed(&nature(k));
            study.tell(ask.id(), &full, Outcome::new(harvest(&full))).unwrap();
        }
        study.import(&nature(7), Outcome::new(harvest(&nature(7)))).unwrap();
        let two = [study.ask().unwrap(), study.ask().unwrap()];
        assert_eq!(two[0].set(), "seed");
        study
    };
    let goes_on = |study: &mut SubsetStudy| {
        let verdict = study.verdict().unwrap();
        let ask = study.ask().unwrap();
        let full = ask.completed(&nature(8));
        study.tell(ask.id(), &full, Outcome::new(harvest(&full))).unwrap();
        (verdict, ask, study.ask().unwrap(), study.history().to_vec(), study.spent())
    };
    let expected = goes_on(&mut start());
    for (name, kind, words, act) in cases() {
        let mut study = start();
        let before = (study.history().to_vec(), study.spent());
        let error = act(&mut study).expect_err(name);
        assert_eq!(error.kind(), kind, "{name}: {error}");
        for word in words {
            assert!(error.to_string().contains(word), "{name}: {error} without {word}");
        }
        assert_eq!((study.history().to_vec(), study.spent()), before, "{name}");
        assert_eq!(goes_on(&mut study), expected, "{name}");
    }
    // The error of a contradiction names both values.
    let mut study = start();
    let chosen = study.history()[4].chosen[0];
    let error = study.tell(4, &[2.0, 19.75, 500.0], Outcome::new(1.0)).unwrap_err().to_string();
    assert!(error.contains(&chosen.to_string()) && error.contains("19.75"), "{error}");
    // An ask knows which variables it sets.
    let ask = study.ask().unwrap();
    let error = ask.get("rain").unwrap_err();
    assert!(
        error.kind() == ErrorKind::UnknownParameter
            && error.to_string().contains("rain")
            && error.to_string().contains(ask.set()),
        "{error}"
    );
    assert_eq!(ask.named().map(|(_, value)| value).collect::<Vec<_>>(), ask.values());
}

#[test]
fn sets_and_laws_that_make_no_sense_are_refused() {
    use ErrorKind::*;
    let (space, sets) = field();
    let bare = || ControlSets::new().law("rain", Law::Uniform);
    let all = ["lime", "seed"];
    let lime = || bare().set("both", all, 1.0);
    let rain = |law: Law| ControlSets::new().law("rain", law).set("both", all, 1.0);
    let none: [&str; 0] = [];
    let table: Vec<(ControlSets, ErrorKind, &[&str])> = vec![
        (bare(), Empty, &["control set"]),
        (bare().set("nothing", none, 1.0), Empty, &["\"nothing\""]),
        (bare().set("both", ["lime", "wind"], 1.0), UnknownParameter, &["\"both\"", "\"wind\""]),
        (lime().set("both", ["lime", "seed", "rain"], 2.0), InvalidSetting, &["\"both\""]),
        (
            bare().set("both", ["lime", "seed", "lime"], 1.0),
            InvalidSetting,
            &["\"both\"", "\"lime\""],
        ),
        (bare().set("both", all, 0.0), NonPositiveCost, &["\"both\"", "0"]),
        (bare().set("both", all, -2.0), NonPositiveCost, &["\"both\"", "-2"]),
        (bare().set("both", all, f64::NAN), NonFinite, &["\"both\"", "NaN"]),
        (bare().set("both", all, f64::INFINITY), NonFinite, &["\"both\"", "inf"]),
        (lime().set("lime", ["lime"], 1.0), InvalidSetting, &["\"lime\"", "\"seed\""]),
        (lime().law("rain", Law::Uniform), InvalidSetting, &["\"rain\"", "two laws"]),
        (lime().law("wind", Law::Uniform), UnknownParameter, &["\"wind\""]),
        (rain(Law::normal(600.0, 0.0)), InvalidSetting, &["\"rain\"", "scale", "0"]),
        (rain(Law::normal(600.0, -1.0)), InvalidSetting, &["\"rain\"", "-1"]),
        (rain(Law::normal(600.0, f64::NAN)), InvalidSetting, &["\"rain\"", "NaN"]),
        (rain(Law::normal(f64::NAN, 1.0)), NonFinite, &["\"rain\"", "mean"]),
        (rain(Law::normal(100.0, 1.0)), OutOfBounds, &["\"rain\"", "mean", "100"]),
        (rain(Law::samples(vec![])), Empty, &["\"rain\"", "sample"]),
        (rain(Law::samples(vec![300.0, 950.0])), OutOfBounds, &["\"rain\"", "sample 1", "950"]),
        (rain(Law::samples(vec![f64::NAN])), NonFinite, &["\"rain\"", "sample 0"]),
    ];
    for (sets, kind, words) in table {
        let what = format!("{sets:?}");
        let error = SubsetStudy::maximize(space.clone(), sets.clone()).build().expect_err(&what);
        assert_eq!(error.kind(), kind, "{what}: {error}");
        assert!(
            words.iter().all(|word| error.to_string().contains(word)),
            "{what}: {error} without one of {words:?}"
        );
        assert_eq!(sets.on(&space).unwrap_err().to_string(), error.to_string());
    }
    // Spaces are checked as in other studies. A variable that every set controls needs no law.
    let narrow = Space::new().float("x", 1.0, 0.5);
    assert_eq!(
        ControlSets::new().set("x", ["x"], 1.0).on(&narrow).unwrap_err().kind(),
        InvalidSetting
    );
    ControlSets::new().set("x", ["x"], 1.0).on(&Space::new().float("x", 0.0, 1.0)).unwrap();
    sets.on(&space).unwrap();
}

#[test]
fn policies_and_settings_that_make_no_sense_are_refused() {
    use ErrorKind::*;
    let of = |score: SetScore| SubsetPolicy { score, ..SubsetPolicy::ucb_psq() };
    let improvement = |paths, features| {
        of(SetScore::ExpectedImprovement { paths, features, incumbent: PathIncumbent::Played })
    };
    let linear = |start| SubsetPolicy::ucb_cvs(Relaxation::Linear { start, cutoff: 3 });
    let table: Vec<(SubsetStudyBuilder, ErrorKind, &str)> = vec![
        (study(of(SetScore::UpperBound { beta: -1.0 })), InvalidSetting, "beta"),
        (study(of(SetScore::UpperBound { beta: f64::NAN })), InvalidSetting, "NaN"),
        (study(of(SetScore::UpperBound { beta: f64::INFINITY })), InvalidSetting, "inf"),
        (study(of(SetScore::Thompson { features: 0 })), InvalidSetting, "features"),
        (study(of(SetScore::Thompson { features: 7 })), InvalidSetting, "7"),
        (study(improvement(0, 64)), InvalidSetting, "paths"),
        (study(improvement(4, 0)), InvalidSetting, "features"),
        (study(SubsetPolicy::ucb_cvs(-0.1)), InvalidSetting, "-0.1"),
        (study(SubsetPolicy::ucb_cvs(f64::NAN)), InvalidSetting, "NaN"),
        (study(linear(-1.0)), InvalidSetting, "relaxation"),
        (study(linear(f64::INFINITY)), InvalidSetting, "inf"),
        (
            study(SubsetPolicy::explore_then_commit(Plays::MostExpensive(0.0))),
            InvalidSetting,
            "dearest",
        ),
        (
            study(SubsetPolicy::explore_then_commit(Plays::MostExpensive(f64::NAN))),
            InvalidSetting,
            "NaN",
        ),
        (
            study(SubsetPolicy::default()).search(SetSearch { starts: 0, ..SetSearch::new(0) }),
            InvalidSetting,
            "start",
        ),
        (
            study(SubsetPolicy::default()).search(SetSearch { raw: 0, ..SetSearch::new(0) }),
            InvalidSetting,
            "query",
        ),
        (study(SubsetPolicy::default()).budget(0.0), InvalidSetting, "budget"),
        (study(SubsetPolicy::default()).budget(-3.0), InvalidSetting, "-3"),
        (study(SubsetPolicy::default()).budget(f64::NAN), InvalidSetting, "budget"),
        (study(SubsetPolicy::default()).samples(0), InvalidSetting, "samples"),
        (study(SubsetPolicy::default()).tolerance(-1e-9), InvalidSetting, "tolerance"),
        (study(SubsetPolicy::default()).tolerance(f64::NAN), InvalidSetting, "NaN"),
    ];
    for (builder, kind, word) in table {
        let error = builder.build().expect_err(word);
        assert!(error.kind() == kind && error.to_string().contains(word), "{error} without {word}");
    }
}

/// A bad schedule is found only when its value is asked for.
#[test]
fn a_schedule_that_turns_negative_names_its_trial() {
    for bad in [-0.5, f64::NAN] {
        let schedule = Relaxation::schedule(move |trial| if trial < 3 { 0.1 } else { bad });
        let mut study = study(SubsetPolicy::ucb_cvs(schedule)).initial(2).build().unwrap();
        for k in 0..4 {
            let ask = study.ask().unwrap();
            let full = ask.completed(&nature(k));
            study.tell(ask.id(), &full, Outcome::new(harvest(&full))).unwrap();
        }
        let before = study.history().to_vec();
        for _ in 0..2 {
            let error = study.ask().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidSetting);
            assert!(
                error.to_string().contains("trial 3")
                    && error.to_string().contains(&bad.to_string()),
                "{error}"
            );
            assert_eq!(study.verdict().unwrap_err(), error);
            assert_eq!((study.history().to_vec(), study.history().len()), (before.clone(), 4));
        }
        assert!(study.recommendation().unwrap().is_some());
    }
}
