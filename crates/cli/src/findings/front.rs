//! The front of a study with several objectives.
//!
//! What is on it in the end the library says, by posterior means where there is noise. While a run
//! goes on each line says how things stand as measured, which no model has to be fitted for.

use gittins::journal::Journal;
use gittins::study::TrialState;
use gittins::{Study, Trial, TrialId};

use crate::findings::measured;
use crate::words::show::{self, in_line};
use crate::words::table::{MARGIN, aligned, cell};

/// How a front stands as measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// The trials on it.
    pub count: usize,
    /// Whether the trial that came last is one of them.
    pub joined: bool,
}

/// How the front stands as measured once this trial was told, if one was; none with one objective.
pub fn standing(study: &Study, last: Option<TrialId>) -> Option<Standing> {
    if study.objectives().len() == 0 {
        return None;
    }
    let points = study.history().iter().filter_map(|trial| Some((trial.id, point(study, trial)?)));
    let front = not_dominated(points);
    let joined = last.is_some_and(|last| front.contains(&last));
    Some(Standing { count: front.len(), joined })
}

/// The numbers of a trial that may be on a front, turned so that larger is better. It is complete,
/// holds all limits, and has each number.
fn point(study: &Study, trial: &Trial) -> Option<Vec<f64>> {
    let complete = trial.state == TrialState::Complete && measured::hold(study, &trial.measured);
    let outcome = trial.outcome.filter(|_| complete)?;
    let others = study.objectives().map(|(name, objective)| {
        let number = trial.measured.get(name).filter(|number| number.is_finite());
        number.map(|number| objective.direction().sign() * number)
    });
    [Some(study.direction().sign() * outcome)].into_iter().chain(others).collect()
}

/// The trials that no other dominates, the first of equals.
fn not_dominated<T>(points: impl Iterator<Item = (T, Vec<f64>)>) -> Vec<T> {
    let covers = |one: &[f64], other: &[f64]| one.iter().zip(other).all(|(a, b)| a >= b);
    let mut front: Vec<(T, Vec<f64>)> = Vec::new();
    for (trial, point) in points {
        if !front.iter().any(|(_, known)| covers(known, &point)) {
            front.retain(|(_, known)| !covers(&point, known));
            front.push((trial, point));
        }
    }
    front.into_iter().map(|(trial, _)| trial).collect()
}

/// The trials of the front as the library says it, those with the smallest outcomes first.
///
/// # Errors
/// Those of the journal.
pub fn of(journal: &mut Journal) -> gittins::Result<Vec<Trial>> {
    let mut front = journal.front()?;
    let outcome = |trial: &Trial| trial.outcome.unwrap_or(f64::NAN);
    front.sort_by(|one, other| outcome(one).total_cmp(&outcome(other)));
    Ok(front)
}

/// The trials of a front as a table: numbers, then values. A line below says of which the numbers
/// alone would not have it.
pub fn table(journal: &Journal, front: &[Trial]) -> String {
    let study = journal.study();
    let measured = measured::aims(study).map(|(name, _)| name);
    let parameters = study.names().iter().map(String::as_str);
    let label = |trial: &Trial| study.domain().label(trial.row).map(in_line);
    let labels = front.iter().any(|trial| label(trial).is_some()).then_some("label");
    let head = ["trial", "outcome"].into_iter().chain(measured).chain(labels).chain(parameters);
    let head: Vec<String> = head.map(in_line).collect();
    let row = |trial: &Trial| {
        let numbers = measured::of(study, &trial.measured).map(|one| one.number);
        let numbers = [trial.outcome].into_iter().chain(numbers);
        let numbers = numbers.map(|number| number.map_or_else(String::new, show::number));
        let number = show::number_of(journal, trial.id).to_string();
        let label = labels.map(|_| label(trial).unwrap_or_default());
        let values = label.into_iter().chain(trial.values.iter().map(cell));
        [number].into_iter().chain(numbers).chain(values).collect()
    };
    let mut rows: Vec<Vec<String>> = vec![head];
    rows.extend(front.iter().map(row));
    let table = aligned("front", &rows);
    let points = front.iter().filter_map(|trial| Some((trial.id, point(study, trial)?)));
    let measured = not_dominated(points);
    let by_means: Vec<String> = front
        .iter()
        .filter(|trial| !measured.contains(&trial.id))
        .map(|trial| show::number_of(journal, trial.id).to_string())
        .collect();
    match &by_means[..] {
        [] => table,
        [one] => format!("{table}\n{:MARGIN$}trial {one} is on it by its posterior means", ""),
        all => {
            let all = all.join(", ");
            format!("{table}\n{:MARGIN$}trials {all} are on it by their posterior means", "")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dominated_leaves_the_front_and_the_first_of_equals_stays() {
        let points = [[1.0, 3.0], [2.0, 2.0], [1.0, 1.0], [2.0, 2.0], [0.0, 3.0], [3.0, 0.0]];
        let front = |count: usize| {
            let points = points[..count].iter().map(|point| point.to_vec()).enumerate();
            not_dominated(points)
        };
        assert_eq!(front(1), [0]);
        assert_eq!(front(6), [0, 1, 5]);
        let rising = (0..3).map(|k| (k, vec![f64::from(k), f64::from(k)]));
        assert_eq!(not_dominated(rising), [2]);
    }
}
