//! The picture of a run: what was found for which money, and why it stopped.

use std::path::Path;

use chart::{Along, Frame, Key, Plan, Scale, Sign, steps};
use frontend::Result;
use frontend::run::{against_seconds, draw_stop, write_picture};

use crate::work::Made;

/// What stands along the left side.
const ERROR: &str = "cross-validated error";

/// Draws error against money spent, and below it the stopping rule's statistic and its threshold.
pub fn draw(path: &Path, marks: &[Made], lambda: f64) -> Result<()> {
    let spent = Scale::exact(0.0, marks.last().map_or(1.0, |mark| mark.spent));
    let y = (ERROR, Scale::around(false, marks.iter().map(|mark| mark.error)));
    let plan = against_seconds("Error of each trial, and the best so far", spent.clone(), y);
    let keys = vec![Key::mark(Sign::Dot, "plain", "trial"), Key::line("line mark", "best so far")];
    let mut frame = Frame::new(Plan { keys, ..plan });
    frame.curve("line mark", steps(marks.iter().map(|mark| (mark.spent, mark.best))));
    for mark in marks {
        frame.mark(Sign::Dot, "plain", (mark.spent, mark.error), "");
    }
    let statistic: Vec<(f64, f64)> =
        marks.iter().filter_map(|mark| Some((mark.spent, mark.promise?))).collect();
    write_picture(path, [frame.close(), draw_stop(&statistic, spent, lambda)])
}

/// Draws the best error against the time that has passed, of runs by one worker and by several.
pub fn compare(path: &Path, lines: &[(bool, &[(f64, f64)])], workers: usize) -> Result<()> {
    let all = || lines.iter().flat_map(|(_, line)| line.iter().copied());
    let end = all().fold(1.0, |end: f64, (time, _)| end.max(time));
    let title = format!("Best error against time, by 1 worker and by {workers}");
    let plan = Plan::new(
        &title,
        ("seconds since the start", Along::Numbers(Scale::exact(0.0, end))),
        (ERROR, Along::Numbers(Scale::around(false, all().map(|(_, error)| error)))),
    );
    let class = |several: bool| if several { "line mark" } else { "line bad" };
    let keys = vec![
        Key::line(class(false), "1 worker"),
        Key::line(class(true), format!("{workers} workers")),
    ];
    let mut frame = Frame::new(Plan { size: (672.0, 336.0), keys, ..plan });
    for (several, line) in lines {
        frame.curve(class(*several), steps(line.iter().copied()));
    }
    write_picture(path, [frame.close()])
}
