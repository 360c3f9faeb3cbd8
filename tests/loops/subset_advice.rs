//! The advice of a study of control sets.

use gittins::{ControlSets, Law, Outcome, Space, SubsetPolicy, SubsetStudy};

/// Plays some trials and returns the choices. If `looked_at`, the study gives its advice after each
/// trial.
fn asked(looked_at: bool) -> Vec<(usize, Vec<f64>)> {
    let space = Space::new().float("lime", 0.0, 4.0).float("rain", 200.0, 900.0);
    let sets = ControlSets::new()
        .set("field", ["lime"], 1.0)
        .set("greenhouse", ["lime", "rain"], 5.0)
        .law("rain", Law::centered(0.04));
    let policy = SubsetPolicy::ucb_psq();
    let mut study = SubsetStudy::maximize(space, sets)
        .policy(policy)
        .initial(7)
        .samples(64)
        .seed(3)
        .build()
        .unwrap();
    let mut asked = Vec::new();
    for trial in 0..14 {
        let ask = study.ask().unwrap();
        let point = ask.completed(&[f64::NAN, 400.0 + 40.0 * f64::from(trial)]);
        let outcome = (3.0 * point[0]).sin() - ((point[1] - 700.0) / 200.0).powi(2);
        study.tell(ask.id(), &point, Outcome::new(outcome)).unwrap();
        if looked_at {
            let advice = study.recommendation().unwrap().unwrap();
            assert_eq!(
                advice.named().map(|(name, _)| name).collect::<Vec<_>>(),
                ["lime", "rain"][..advice.values.len()]
            );
        }
        asked.push((ask.set_index(), ask.values().to_vec()));
    }
    asked
}

/// A fit starts from the fit before, and searches from scratch if the data have doubled. With
/// advice at each of seven trials there would be fits in between.
#[test]
fn looking_at_the_advice_changes_no_suggestion() {
    assert_eq!(asked(true), asked(false));
}
