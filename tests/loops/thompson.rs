//! Thompson sampling: each suggestion is the maximum of a fresh path, in the user's units.

use std::collections::HashSet;

use gittins::math::Sobol;
use gittins::posterior::Path;
use gittins::study::Why;
use gittins::suggest::Suggestion;
use gittins::{Acquisition, Ask, Joint, Outcome, Policy, Space, Study, Table};

/// An outcome far from zero, so that a value in other units or with the other sign would be found.
fn outcome(values: &[f64]) -> f64 {
    1000.0 + 5.0 * (3.0 * values[0]).sin() * (values[1] - 0.3) + values[1]
}

fn sampled(ask: &Ask) -> Option<(&Suggestion, &Path)> {
    let Why::Suggested(suggestion) = ask.why() else { return None };
    let Acquisition::Joint(Joint::ThompsonSample { path }) = &suggestion.acquisition else {
        panic!("{}", suggestion.acquisition.name())
    };
    // The value of a path is normal about the mean. Its maximum over a plane is not farther away
    // than this.
    let distance = (suggestion.value - suggestion.mean).abs();
    assert!(
        distance <= 6.0 * suggestion.sd,
        "{} about {} +- {}",
        suggestion.value,
        suggestion.mean,
        suggestion.sd
    );
    Some((suggestion, path))
}

#[test]
fn over_a_table_the_best_row_of_a_path_is_asked() {
    let table = Table::new(
        ["a", "b"],
        Sobol::new(2, 4).points(0, 200).rows().map(<[f64]>::to_vec).collect(),
    )
    .unwrap();
    let mut study = Study::minimize(table.clone())
        .policy(Policy::thompson())
        .initial(5)
        .seed(2)
        .build()
        .unwrap();
    let (mut taken, mut paths) = (HashSet::new(), Vec::new());
    for _ in 0..12 {
        let ask = study.ask().unwrap();
        let chosen = ask.row().unwrap();
        if let Some((_, path)) = sampled(&ask) {
            let value = |row: usize| path.value(table.points().row(row)).unwrap();
            let best = (0..table.len())
                .filter(|row| !taken.contains(row))
                .max_by(|&a, &b| value(a).total_cmp(&value(b)));
            assert_eq!(best, Some(chosen));
            assert!(!paths.contains(path), "a path was drawn twice");
            paths.push(path.clone());
        }
        taken.insert(chosen);
        study.tell(ask.id(), Outcome::new(outcome(ask.numbers()))).unwrap();
    }
    assert_eq!(paths.len(), 7);
}

#[test]
fn over_a_space_nothing_better_lies_beside_and_a_seed_is_one_run() {
    let run = |seed: u64| {
        let space = Space::new().float("a", 0.0, 1.0).float("b", 0.0, 1.0);
        let mut study = Study::maximize(space)
            .policy(Policy::thompson())
            .initial(5)
            .seed(seed)
            .build()
            .unwrap();
        let mut bits = Vec::new();
        for _ in 0..9 {
            let ask = study.ask().unwrap();
            if let Some((suggestion, path)) = sampled(&ask) {
                let chosen = path.value(&suggestion.unit).unwrap();
                let others = Sobol::new(2, 99).points(0, 300);
                let best =
                    others.rows().map(|point| path.value(point).unwrap()).fold(f64::MIN, f64::max);
                assert!(chosen >= best, "{chosen} was chosen, and there is {best}");
            }
            bits.extend(ask.numbers().iter().map(|value| value.to_bits()));
            study.tell(ask.id(), Outcome::new(outcome(ask.numbers()))).unwrap();
        }
        bits
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn trials_under_way_get_paths_of_their_own() {
    let space = Space::new().float("a", 0.0, 1.0).float("b", 0.0, 1.0);
    let mut study = Study::maximize(space).policy(Policy::thompson()).initial(4).build().unwrap();
    for _ in 0..4 {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), Outcome::new(outcome(ask.numbers()))).unwrap();
    }
    let open: Vec<Ask> = (0..3).map(|_| study.ask().unwrap()).collect();
    let paths: Vec<_> = open.iter().map(|ask| sampled(ask).unwrap().1).collect();
    assert!(paths[0] != paths[1] && paths[1] != paths[2]);
    let points: HashSet<Vec<u64>> = open
        .iter()
        .map(|ask| ask.numbers().iter().map(|value| value.to_bits()).collect())
        .collect();
    assert_eq!(points.len(), 3);
}
