//! The design of a study whose costs are learned.

use std::sync::Arc;

use gittins::study::{Origin, StudyBuilder};
use gittins::{Cost, Cpu, Outcome, Result, Space, Study};

fn study() -> StudyBuilder {
    let space = (0..6).fold(Space::new(), |space, k| space.float(format!("x{k}"), 0.0, 1.0));
    Study::minimize(space).backend(Arc::new(Cpu)).seed(11)
}

/// The points of the design. Trials cost the more the larger the first parameter is.
fn design(builder: StudyBuilder, costs: bool) -> Result<Vec<Vec<f64>>> {
    let mut study = builder.build()?;
    for _ in 0..6 {
        let ask = study.ask()?;
        let x = ask.numbers().to_vec();
        let outcome = Outcome::new(x.iter().sum());
        let cost = (6.0 * x[0]).exp();
        study.tell(ask.id(), if costs { outcome.cost(cost) } else { outcome })?;
    }
    let points = study.history().iter().filter(|trial| trial.origin == Origin::Initial);
    Ok(points.map(|trial| trial.unit.clone()).collect())
}

#[test]
fn points_that_are_expected_to_be_dear_come_last() {
    let sequence = design(study(), false).unwrap();
    let thrifty = design(study().cost(Cost::learned()), true).unwrap();
    assert_eq!(sequence.len(), 6);
    // Nothing is known before two bills. Then what is dear is left out.
    assert_eq!(thrifty[..2], sequence[..2]);
    let paid = |points: &[Vec<f64>]| points.iter().map(|x| (6.0 * x[0]).exp()).sum::<f64>();
    assert!(paid(&thrifty) < 0.7 * paid(&sequence), "{} {}", paid(&thrifty), paid(&sequence));
}

#[test]
fn a_design_whose_size_was_asked_for_is_that_of_the_sequence() {
    let sequence = design(study().initial(6), false).unwrap();
    assert_eq!(design(study().initial(6).cost(Cost::learned()), true).unwrap(), sequence);
}

#[test]
fn costs_that_are_all_alike_change_nothing() {
    let run = |cost: Option<f64>| {
        let builder = if cost.is_some() { study().cost(Cost::learned()) } else { study() };
        let mut study = builder.build().unwrap();
        for _ in 0..6 {
            let ask = study.ask().unwrap();
            let outcome = Outcome::new(ask.numbers()[1]);
            let outcome = cost.into_iter().fold(outcome, Outcome::cost);
            study.tell(ask.id(), outcome).unwrap();
        }
        study.history().iter().map(|trial| trial.unit.clone()).collect::<Vec<_>>()
    };
    assert_eq!(run(Some(3.0)), run(None));
}
