//! The picture of a run: which kernels were tried for which money, what came of them, and why it
//! stopped.

use std::path::Path;

use chart::{Frame, Key, LOOKS, Plan, Scale, Sign, steps};
use frontend::Result;
use frontend::run::{against_seconds, draw_stop, write_picture};

use crate::random::Course;
use crate::report::Log;

/// Kernels with their colors.
const KERNELS: [(&str, &str); 3] =
    [("linear", LOOKS[5]), ("gaussian", LOOKS[0]), ("polynomial", LOOKS[2])];

/// Draws error against money spent, and below it the stopping rule's statistic. A cross is a trial
/// that failed.
pub fn draw(path: &Path, log: &Log, random: &[Course], lambda: f64) -> Result<()> {
    let spent = Scale::exact(0.0, log.course.last().map_or(1.0, |end| end.0));
    let trials = || log.entries.iter().zip(&log.course);
    let errors: Vec<f64> = trials().filter_map(|(entry, _)| entry.trial.error()).collect();
    let failed = trials().any(|(entry, _)| entry.trial.came.is_err());
    let mut keys: Vec<Key> =
        KERNELS.iter().map(|(name, color)| Key::mark(Sign::Dot, color, *name)).collect();
    keys.extend(failed.then(|| Key::mark(Sign::Cross, "soft", "failed")));
    keys.push(Key::line("line ink", "best so far"));
    keys.push(Key::line("thin ink broken", "textbook"));
    if !random.is_empty() {
        keys.push(Key::line("thin plain", "random search"));
    }
    let y = ("balanced cross-validated error", Scale::around(false, errors.into_iter()));
    let title = "Error of each trial by its kernel, and the best so far";
    let plan = against_seconds(title, spent.clone(), y);
    let strip = failed.then_some("failed");
    let mut frame = Frame::new(Plan { size: (672.0, 340.0), strip, keys, ..plan });
    for course in random {
        frame.curve("thin plain", steps(course.iter().copied()));
    }
    if let Some(&(_, textbook)) = log.course.first() {
        frame.level("thin ink broken", textbook);
    }
    frame.curve("line ink", steps(log.course.iter().copied()));
    for (entry, (money, _)) in trials() {
        let kernel = entry.pipeline.kernel.name();
        let color =
            KERNELS.iter().find(|(name, _)| *name == kernel).map_or("ink", |(_, color)| color);
        if let Some(error) = entry.trial.error() {
            frame.mark(Sign::Dot, color, (*money, error), "");
        } else if let Some(x) = frame.x.number(*money) {
            frame.push(&Sign::Cross.element(color, (x.place(), frame.strip()), ""));
        }
    }
    let statistic: Vec<(f64, f64)> =
        trials().filter_map(|(entry, at)| Some((at.0, entry.promise?))).collect();
    write_picture(path, [frame.close(), draw_stop(&statistic, spent, lambda)])
}
