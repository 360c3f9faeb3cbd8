//! Studies over spaces in which only so many of some parts may be there.

use std::sync::Arc;

use gittins::data::{Condition, Requirement};
use gittins::journal::Journal;
use gittins::study::{Advice, Request, Stages, StudyBuilder};
use gittins::suggest::Incumbent;
use gittins::{Cost, Cpu, ErrorKind, Outcome, Space, Study, Value};

const PARTS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Eight parts that sum to one, of which at most three are there, with a twentieth or more of each.
fn mixture() -> Space {
    floats(1.0).sum_to(PARTS, 1.0).at_most_of(PARTS, 3, 0.05)
}

fn floats(most: f64) -> Space {
    PARTS.iter().fold(Space::new(), |space, part| space.float(*part, 0.0, most))
}

fn study(space: Space) -> StudyBuilder {
    Study::minimize(space).seed(5).backend(Arc::new(Cpu))
}

/// The least value, 0, is at three of the parts.
fn loss(values: &[f64]) -> f64 {
    let best = [0.0, 0.5, 0.0, 0.0, 0.2, 0.0, 0.3, 0.0];
    values.iter().zip(best).map(|(x, b): (&f64, f64)| (x - b) * (x - b)).sum()
}

fn check(values: &[f64], at_most: usize, least: f64) {
    let there: Vec<f64> = values.iter().copied().filter(|x| *x != 0.0).collect();
    assert!(there.len() <= at_most, "{values:?}");
    // A constraint holds to 1e-9 of its sizes.
    assert!(there.iter().all(|x| *x >= least * (1.0 - 1e-9)), "{values:?}");
}

fn check_mixture(values: &[f64]) {
    check(values, 3, 0.05);
    assert!((values.iter().sum::<f64>() - 1.0).abs() <= 1e-12, "{values:?}");
}

#[test]
fn the_parts_that_should_be_there_are_found() {
    let mut study = study(mixture()).build().unwrap();
    for _ in 0..40 {
        let ask = study.ask().unwrap();
        check_mixture(ask.numbers());
        study.tell(ask.id(), Outcome::new(loss(ask.numbers()))).unwrap();
    }
    let best = study.recommendation().unwrap().unwrap().numbers();
    let there: Vec<usize> = (0..8).filter(|&j| best[j] != 0.0).collect();
    assert_eq!(there, [1, 4, 6], "{best:?}");
    assert!(loss(&best) < 1e-4, "{best:?}");
}

#[test]
fn designs_are_uniform_over_sets_and_within_each() {
    let parts = &PARTS[..6];
    let space = parts.iter().fold(Space::new(), |space, part| space.float(*part, 0.0, 1.0));
    let space = space.sum_to(parts.to_vec(), 1.0).at_most_of(parts.to_vec(), 2, 0.1);
    let mut study = study(space).initial(2000).build().unwrap();
    let (mut pairs, mut firsts) = (std::collections::BTreeMap::new(), Vec::new());
    for _ in 0..2000 {
        let ask = study.ask().unwrap();
        let values = ask.numbers().to_vec();
        check(&values, 2, 0.1);
        let there: Vec<usize> = (0..6).filter(|&j| values[j] != 0.0).collect();
        if there.len() == 2 {
            firsts.push(values[there[0]]);
            *pairs.entry(there).or_insert(0.0) += 1.0;
        }
        study.tell(ask.id(), Outcome::new(1.0)).unwrap();
    }
    // A part alone is one point, which comes once.
    let count = firsts.len() as f64;
    assert!((1994.0..1998.0).contains(&count), "{count}");
    assert_eq!(pairs.len(), 15);
    // The share of 1e-4 of a chi square of 14 is above 42. Draws that are evenly spread stay below.
    let chi: f64 = pairs.values().map(|n: &f64| (n - count / 15.0).powi(2) / (count / 15.0)).sum();
    assert!(chi < 42.0, "{chi} {pairs:?}");
    // From 0.1 to 0.9: four standard errors of the mean and the variance of uniform numbers.
    let mean = firsts.iter().sum::<f64>() / count;
    let variance = firsts.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
    let expected = 0.8 * 0.8 / 12.0;
    assert!((mean - 0.5).abs() < 4.0 * (expected / count).sqrt(), "{mean}");
    assert!((variance / expected - 1.0).abs() < 4.0 * (0.8 / count).sqrt(), "{variance}");
}

#[test]
fn bits_repeat_and_a_file_goes_on() {
    let folder = std::env::temp_dir().join(format!("gittins-parts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("mixture.log");
    let mut alone = study(mixture()).build().unwrap();
    for _ in 0..16 {
        let mut journal = Journal::open(&path, study(mixture())).unwrap();
        let (here, there) = (alone.ask().unwrap(), journal.ask().unwrap());
        assert_eq!(here.values(), there.values());
        check_mixture(here.numbers());
        let outcome = loss(here.numbers());
        alone.tell(here.id(), Outcome::new(outcome)).unwrap();
        journal.tell(there.id(), Outcome::new(outcome)).unwrap();
    }
    let other = floats(1.0).sum_to(PARTS, 1.0).at_most_of(PARTS, 4, 0.05);
    let error = Journal::open(&path, study(other)).unwrap_err().to_string();
    assert!(error.contains("at most 3 of a, b") && error.contains("at most 4 of a, b"), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Additives that sum to nothing, beside a sum of others, an inequality, a choice and a batch.
#[test]
fn parts_may_be_without_a_sum_and_beside_others() {
    let additives = ["x", "y", "z"];
    let space = additives.iter().fold(floats(0.4), |space, part| space.float(*part, 0.0, 5.0));
    let space = space
        .choice("oven", ["old", "new"])
        .sum_to(PARTS, 1.0)
        .at_most_of(PARTS, 4, 0.1)
        .at_most_of(additives, 2, 0.5)
        .at_most([("x", 1.0), ("y", 2.0), ("a", 1.0)], 4.0);
    let mut study = study(space).build().unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..14 {
        for ask in study.ask_many(3).unwrap() {
            let numbers = ask.numbers();
            check(&numbers[..8], 4, 0.1);
            check(&numbers[8..11], 2, 0.5);
            assert!((numbers[..8].iter().sum::<f64>() - 1.0).abs() <= 1e-12, "{numbers:?}");
            assert!(numbers[..8].iter().all(|x| *x <= 0.4));
            assert!(numbers[8] + 2.0 * numbers[9] + numbers[0] <= 4.0 + 1e-8, "{numbers:?}");
            seen.insert((8..11).map(|j| numbers[j] != 0.0).collect::<Vec<_>>());
            let outcome = loss(&numbers[..8]) + (numbers[10] - 2.0).powi(2) + 0.1 * numbers[11];
            study.tell(ask.id(), Outcome::new(outcome)).unwrap();
        }
    }
    assert!(seen.len() >= 4, "{seen:?}");
    // No three tenths or less make a whole.
    let best = study.best().unwrap();
    assert!(best.outcome.unwrap() < 0.2, "{best:?}");
    let is = |name: &str, value: f64| Condition {
        parameter: name.to_owned(),
        requirement: Requirement::Is(vec![value.into()]),
    };
    let given = [is("a", 0.3), is("b", 0.0), is("x", 0.0)];
    let ask = study.ask_for(&Request::new().given(given)).unwrap();
    let numbers = ask[0].numbers();
    assert!((numbers[0] - 0.3).abs() < 1e-12 && numbers[1] == 0.0 && numbers[8] == 0.0);
    check(&numbers[..8], 4, 0.1);
    let many = PARTS[..5].iter().map(|part| is(part, 0.2));
    let error = study.ask_for(&Request::new().given(many)).unwrap_err();
    assert!(error.to_string().contains("is 0.2: no point satisfies 1 a + 1 b"), "{error}");
}

#[test]
fn runs_in_stages_choose_parts() {
    let stages = Stages::of(9.0).reports([3.0, 9.0]);
    let mut study = study(mixture()).stages(stages).build().unwrap();
    for _ in 0..20 {
        let ask = study.ask().unwrap();
        let values = ask.numbers();
        check_mixture(values);
        let mut until = ask.until();
        let at = |until: f64| loss(values) + 0.1 / until;
        while let Advice::Continue { until: next } =
            study.report(ask.id(), until, at(until), 3.0).unwrap()
        {
            until = next;
        }
    }
}

#[test]
fn what_makes_no_choice_of_parts_is_said_in_words() {
    let cases = [
        (floats(1.0).at_most_of(PARTS, 0, 0.0), ErrorKind::InvalidSetting, "at least one"),
        (
            floats(1.0).at_most_of(PARTS, 2, -0.1),
            ErrorKind::InvalidSetting,
            "the least of a part: expected 0 or more, got -0.1",
        ),
        (
            floats(1.0).at_most_of(["a", "i"], 1, 0.0),
            ErrorKind::UnknownParameter,
            "no parameter is named \"i\"",
        ),
        (
            floats(1.0).float("i", 0.1, 1.0).at_most_of(["a", "i"], 1, 0.0),
            ErrorKind::InvalidSetting,
            "\"i\" begins at 0.1",
        ),
        (
            floats(1.0).int("i", 0, 4).at_most_of(["a", "i"], 1, 0.0),
            ErrorKind::InvalidSetting,
            "\"i\" is a whole number",
        ),
        (
            floats(0.3).at_most_of(PARTS, 2, 0.5),
            ErrorKind::InvalidSetting,
            "\"a\" is never more than 0.3, which is less than 0.5",
        ),
        (
            floats(1.0).at_most_of(PARTS, 2, 0.0).at_most_of(["b", "c"], 1, 0.0),
            ErrorKind::InvalidSetting,
            "\"b\" is counted 2 times",
        ),
        (
            floats(0.3).sum_to(PARTS, 1.0).at_most_of(PARTS, 3, 0.0),
            ErrorKind::Empty,
            "no point satisfies 1 a + 1 b",
        ),
    ];
    for (space, kind, words) in cases {
        let error = space.validate().unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error} has no {words}");
    }
    let mut study = study(mixture()).build().unwrap();
    let mut told = [0.25, 0.25, 0.25, 0.25, 0.0, 0.0, 0.0, 0.0].map(Value::from);
    let error = study.import(&told, Outcome::new(1.0)).unwrap_err().to_string();
    assert!(error.contains("where 4 are there"), "{error}");
    told[..4].clone_from_slice(&[0.97, 0.03, 0.0, 0.0].map(Value::from));
    let error = study.import(&told, Outcome::new(1.0)).unwrap_err().to_string();
    assert!(error.contains("where \"b\" is there with less"), "{error}");
}

/// What sums to a total, in parts each of which may be all of it.
fn parts_of(names: &[&str], total: f64, at_most: usize, least: f64) -> Space {
    let space = names.iter().fold(Space::new(), |space, part| space.float(*part, 0.0, total));
    space.sum_to(names.iter().copied(), total).at_most_of(names.iter().copied(), at_most, least)
}

/// Whether all numbers of some points are the same, by the sizes of these.
fn is_alike(one: &[f64], other: &[f64], size: f64) -> bool {
    one.iter().zip(other).all(|(a, b)| (a - b).abs() <= 1e-9 * size)
}

/// Spaces of floats that have few points, and how many.
fn few() -> Vec<(Space, f64, usize)> {
    let four = &PARTS[..4];
    let mut few: Vec<(Space, f64, usize)> = [1.0, 100.0, 0.3, 7.0, 1e-3, 1e6]
        .into_iter()
        .flat_map(|total| {
            [(2, 0.6, 4), (3, 0.51, 4), (1, 0.0, 4), (2, 0.5, 10)].map(|(at_most, share, count)| {
                (parts_of(four, total, at_most, share * total), total, count)
            })
        })
        .collect();
    let two = parts_of(four, 1.0, 2, 0.6);
    let three = &PARTS[5..];
    let both = three.iter().fold(two.clone(), |space, part| space.float(*part, 0.0, 1.0));
    few.push((both.sum_to(three.to_vec(), 1.0).at_most_of(three.to_vec(), 2, 0.7), 1.0, 12));
    few.push((two.flag("baked"), 1.0, 8));
    few.push((parts_of(four, 1.0, 2, 0.5).at_most([("a", 1.0)], 0.1), 1.0, 6));
    few
}

#[test]
fn pure_parts_are_made_once_and_then_all_is_done() {
    for (space, size, count) in few() {
        let label = format!("{count} of {:?}", space.constraints());
        let study = study(space).incumbent(Incumbent::BestOutcome).cost(Cost::uniform(1.0));
        let mut study = study.build().unwrap();
        let mut seen: Vec<Vec<f64>> = Vec::new();
        let error = loop {
            match study.ask() {
                Ok(ask) => {
                    let numbers = ask.numbers().to_vec();
                    let is_new = seen.iter().all(|other| !is_alike(&numbers, other, size));
                    assert!(is_new, "{label}: {numbers:?} is made again");
                    let weighed = numbers.iter().zip(1..).map(|(x, weight)| x * f64::from(weight));
                    study.tell(ask.id(), Outcome::new(weighed.sum::<f64>() / size)).unwrap();
                    seen.push(numbers);
                }
                Err(error) => break error,
            }
        };
        assert_eq!((error.kind(), seen.len()), (ErrorKind::Exhausted, count), "{label}: {seen:?}");
        // A part alone is all of it.
        let alone = seen.iter().filter(|one| one.iter().filter(|x| **x != 0.0).count() == 1);
        assert!(alone.clone().all(|one| one.contains(&size)), "{label}: {seen:?}");
        let verdict = study.verdict().unwrap();
        let expected = format!("stop: all {count} settings were evaluated");
        assert_eq!(verdict.reason().to_string(), expected, "{label}");
    }
}

#[test]
fn few_points_are_each_under_way_once_and_begun_once() {
    for (space, size, count) in few() {
        let mut at_once = study(space.clone()).build().unwrap();
        assert_eq!(at_once.ask_many(count).unwrap().len(), count);
        assert_eq!(at_once.ask().unwrap_err().kind(), ErrorKind::Exhausted);
        let mut staged = study(space).stages(Stages::epochs(4)).build().unwrap();
        let mut seen: Vec<Vec<f64>> = Vec::new();
        while let Ok(ask) = staged.ask() {
            assert!(seen.iter().all(|other| !is_alike(ask.numbers(), other, size)), "{seen:?}");
            seen.push(ask.numbers().to_vec());
        }
        assert_eq!(seen.len(), count);
    }
}

#[test]
fn corners_of_parts_are_not_made_again_for_their_rounding() {
    for total in [1.0, 0.3, 7.0, 1e6] {
        let space = parts_of(&PARTS[..4], total, 2, 0.4 * total);
        let mut study = study(space).build().unwrap();
        let mut seen: Vec<Vec<f64>> = Vec::new();
        for _ in 0..14 {
            let ask = study.ask().unwrap();
            let numbers = ask.numbers().to_vec();
            assert!(seen.iter().all(|other| !is_alike(&numbers, other, total)), "{numbers:?}");
            study.tell(ask.id(), Outcome::new((numbers[0] / total - 0.3).powi(2))).unwrap();
            seen.push(numbers);
        }
        // What somebody tells with other last digits is the same, too.
        let unit = |x: f64| {
            vec![Value::from(x * total), (total - x * total).into(), 0.0.into(), 0.0.into()]
        };
        let mut others = self::study(parts_of(&PARTS[..4], total, 2, 0.5 * total)).build().unwrap();
        for told in [unit(0.5), unit(1.0), unit(0.5 + 1e-16), unit(0.5 - 1e-16)] {
            others.import(&told, Outcome::new(1.0)).unwrap();
        }
        assert_eq!(others.ask_many(8).unwrap().len(), 8);
        assert_eq!(others.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    }
}
