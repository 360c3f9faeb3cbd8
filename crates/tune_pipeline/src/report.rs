//! What is printed of a run.

use std::time::Duration;

use gittins::study::Recommendation;
use serde_json::{Value, json};
use wine::Mistakes;

use crate::machine::PARTS;
use crate::pipeline::{MEASUREMENTS, Pipeline};
use crate::trial::Trial;

/// Another division of the wines, to judge what was chosen by the first.
pub const OTHER_PARTS: usize = 8;

/// One trial of the study.
pub struct Entry {
    /// What was trained.
    pub pipeline: Pipeline,
    /// What came of it.
    pub trial: Trial,
    /// The seconds that the study expected.
    pub expected: Option<f64>,
    /// The stopping rule's statistic afterward.
    pub promise: Option<f64>,
}

/// The trials so far, the textbook's pipeline first.
#[derive(Default)]
pub struct Log {
    /// The trials.
    pub entries: Vec<Entry>,
    /// Money spent and the least error after each.
    pub course: Vec<(f64, f64)>,
}

/// What stands above the trials.
pub fn title(lambda: f64, patience: Duration) -> String {
    let letters: Vec<String> =
        MEASUREMENTS.iter().map(|(letter, name)| format!("{letter} {name}")).collect();
    format!(
        "1599 red wines, 217 of them very good: balanced {}-fold error; a second of training must \
         buy {lambda} of error; a trial that takes longer than {patience:?} fails\n\
         uses: {}\n\n\
         trial  uses         scaling  kernel       gamma degree constant         C weight    error   best seconds expected  spent",
        PARTS,
        letters.join(", ")
    )
}

impl Entry {
    /// As data.
    pub fn json(&self) -> Value {
        json!({
            "pipeline": self.pipeline, "error": self.trial.error(), "mistakes": self.trial.came.as_ref().ok(),
            "support_vectors": self.trial.vectors,
            "failed": self.trial.came.as_ref().err(), "seconds": self.trial.seconds, "expected_seconds": self.expected,
        })
    }
}

impl Log {
    /// Takes one more trial, and gives its line.
    pub fn add(&mut self, entry: Entry) -> String {
        let (before, best) = self.course.last().copied().unwrap_or((0.0, f64::INFINITY));
        let spent = before + entry.trial.seconds;
        let best = entry.trial.error().map_or(best, |error| error.min(best));
        self.course.push((spent, best));

        let Pipeline { scaling, kernel, c, weight, .. } = &entry.pipeline;
        let (gamma, degree, constant) = kernel.parameters();
        let error = entry.trial.said();
        let line = format!(
            "{:>5}  {}  {:<8} {:<10} {:>7} {:>6} {:>8} {c:>9.4} {weight:>6.2} {error:>8} {best:>6.4} {:>7.2} {:>8} {spent:>6.1}",
            self.course.len(),
            entry.pipeline.letters(),
            scaling.name(),
            kernel.name(),
            dash(gamma, 4),
            dash(degree.map(f64::from), 0),
            dash(constant, 3),
            entry.trial.seconds,
            dash(entry.expected, 2),
        );
        self.entries.push(entry);
        line
    }

    /// The trials that failed.
    pub fn failed(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.trial.came.is_err())
    }

    /// The recommended pipeline and the textbook's in plain words, with what came of them in the
    /// trials and where wines are divided in another way.
    pub fn comparison(
        &self,
        best: &Recommendation,
        others: &[Result<Mistakes, String>; 2],
    ) -> String {
        let words = |index: usize, other: &Result<Mistakes, String>| {
            let Entry { pipeline, trial, .. } = &self.entries[index];
            let [came, other] =
                [&trial.came, other].map(|came| came.as_ref().map_or_else(String::clone, describe));
            format!(
                "{pipeline}\n             {came}\n             {OTHER_PARTS}-fold, which no trial saw: {other}\n"
            )
        };
        let errors = self.entries.iter().map(|entry| entry.trial.error());
        let least = (1..)
            .zip(errors)
            .filter_map(|(number, error)| Some((number, error?)))
            .min_by(|a, b| a.1.total_cmp(&b.1));
        let lucky = match least {
            Some((number, error)) if error < best.outcome => {
                format!("; the least error, {error:.5} of trial {number}, is taken for luck")
            }
            _ => String::new(),
        };
        format!(
            "recommended  {}             expected {:.5} +- {:.5}{lucky}\ntextbook     {}",
            words(best.trial.index(), &others[0]),
            best.mean,
            best.sd,
            words(0, &others[1])
        )
    }
}

/// A number, or a dash for what is absent.
fn dash(value: Option<f64>, decimals: usize) -> String {
    value.map_or("-".to_string(), |value| format!("{value:.decimals$}"))
}

/// Mistakes in words.
fn describe(mistakes: &Mistakes) -> String {
    let Mistakes { good, missed, others, praised } = mistakes;
    format!(
        "error {:.5}: misses {missed} of {good} very good wines, takes {praised} of {others} others for one",
        mistakes.balanced()
    )
}
