//! What the same money finds without a model.

use std::time::Duration;

use frontend::Result;
use gittins::{Cost, Study};
use serde_json::{Value, json};

use crate::pipeline::Pipeline;
use crate::trial::Trial;

/// Money spent and the least error after each trial.
pub type Course = Vec<(f64, f64)>;

/// Quasi-random pipelines for as long as there is money. It is a study that never leaves its initial
/// design, and is told the textbook's pipeline too. A trial that does not end within the money does
/// not count.
pub fn search(seed: u64, money: f64, patience: Duration) -> Result<Course> {
    let mut study = Study::minimize(Pipeline::space())
        .cost(Cost::learned())
        .initial(usize::MAX)
        .seed(seed)
        .build()?;
    let plain = Pipeline::plain();
    let mut trial = Trial::run(&plain, patience)?;
    study.import(&plain.values(), trial.outcome())?;
    let (mut course, mut spent, mut best) = (Course::new(), 0.0, f64::INFINITY);
    loop {
        spent += trial.seconds;
        if spent > money {
            return Ok(course);
        }
        best = trial.error().map_or(best, |error| error.min(best));
        course.push((spent, best));
        let ask = study.ask()?;
        trial = Trial::run(&Pipeline::asked(&ask)?, patience)?;
        study.tell(ask.id(), trial.outcome())?;
    }
}

/// The least errors that were found.
fn ends(courses: &[Course]) -> impl Iterator<Item = (usize, f64)> {
    courses.iter().filter_map(|course| Some((course.len(), course.last()?.1)))
}

/// In words; nothing if there was no search.
pub fn summary(courses: &[Course]) -> String {
    if courses.is_empty() {
        return String::new();
    }
    let ends: Vec<String> =
        ends(courses).map(|(trials, best)| format!("{best:.4} ({trials} trials)")).collect();
    format!("random       the same money: {}\n", ends.join(", "))
}

/// As data.
pub fn json(courses: &[Course]) -> Value {
    ends(courses).map(|(trials, best)| json!({ "trials": trials, "error": best })).collect()
}
