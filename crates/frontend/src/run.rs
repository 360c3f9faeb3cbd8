//! What is told and drawn of a run that stops when nothing is worth its price.

use std::fs;
use std::io;
use std::path::Path;

use chart::{Along, Frame, Key, Panel, Plan, Scale, Sign};
use gittins::Verdict;
use gittins::study::Why;

use crate::Result;

/// The cost that the study expects of a trial; none in the initial design.
pub fn expected_cost(why: &Why) -> Option<f64> {
    match why {
        Why::Suggested(suggestion) => Some(suggestion.cost),
        _ => None,
    }
}

/// Why a run ended that may have so many trials.
pub fn ended(verdict: &Verdict, most: u64) -> String {
    match verdict.is_stop() {
        true => verdict.reason().to_string(),
        false => format!("the budget of {most} trials is used up"),
    }
}

/// A plan of what stands against the seconds spent. Panels of it above each other are aligned.
pub fn against_seconds<'a>(title: &'a str, spent: Scale, y: (&'a str, Scale)) -> Plan<'a> {
    let x = ("seconds spent on trials", Along::Numbers(spent));
    let plan = Plan::new(title, x, (y.0, Along::Numbers(y.1)));
    Plan { size: (672.0, 280.0), beside: 80.0, ..plan }
}

/// The stopping rule's statistic against the seconds spent, with its threshold of 0. The statistic
/// is the least error less the best remaining index.
pub fn draw_stop(statistic: &[(f64, f64)], spent: Scale, lambda: f64) -> Panel {
    let title =
        format!("When to stop: best error less best index, at {lambda} of error per second");
    let numbers = statistic.iter().map(|(_, number)| *number).chain([0.0]);
    let y = ("best error - best index", Scale::around(false, numbers));
    let keys = vec![
        Key::mark(Sign::Dot, "bad", "statistic"),
        Key::line("line mark broken", "stops at or below"),
    ];
    let mut frame = Frame::new(Plan { keys, ..against_seconds(&title, spent, y) });
    frame.level("line mark broken", 0.0);
    frame.curve("line bad", statistic.iter().copied());
    for point in statistic {
        frame.mark(Sign::Dot, "bad", *point, "");
    }
    frame.close()
}

/// Writes panels above each other as one picture.
///
/// # Errors
/// If the file cannot be written.
pub fn write_picture(path: &Path, panels: impl IntoIterator<Item = Panel>) -> Result<()> {
    let written = fs::write(path, Panel::stacked(panels).svg());
    Ok(written.map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?)
}
