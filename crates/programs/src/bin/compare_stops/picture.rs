//! The run against money, and where each rule would have ended it.

use std::path::Path;

use chart::svg::{Anchor, line, words};
use chart::{Along, Frame, Key, LOOKS, Panel, Plan, Scale, Sign, steps};
use frontend::Result;
use frontend::run::write_picture;
use gittins::evaluation::Course;

/// Between the marks of rules that stop together.
const STEP: f64 = 9.0;

/// The point where a rule stops.
pub struct Stop {
    /// The name in the legend.
    pub name: String,
    /// The mark of the course.
    pub mark: usize,
}

/// A frame for numbers against the money that was spent by then.
fn against_money(
    title: &str,
    [x, y]: [&str; 2],
    points: &[(f64, f64)],
    height: f64,
    keys: Vec<Key>,
) -> Frame {
    let end = points.last().map_or(1.0, |(spent, _)| *spent);
    let numbers = Scale::around(false, points.iter().map(|(_, number)| *number));
    let x = (x, Along::Numbers(Scale::exact(0.0, end)));
    let plan = Plan::new(title, x, (y, Along::Numbers(numbers)));
    Frame::new(Plan { size: (720.0, height), beside: 64.0, keys, ..plan })
}

/// Draws the best value against money, and a line where each of these stops.
pub fn overview(path: &Path, course: &Course, stops: &[Stop]) -> Result<()> {
    let run: Vec<(f64, f64)> = course.marks().iter().map(|mark| (mark.spent, mark.best)).collect();
    let names = ["money spent", "best value"];
    let mut frame = against_money("Where to stop spending", names, &run, 264.0, Vec::new());
    frame.curve("line mark", steps(run));
    let ([top, bottom], [_, right]) = (frame.down(), frame.across());
    for (row, (stop, class)) in stops.iter().zip(["line better", "line ink"]).enumerate() {
        let Some(x) = frame.x.number(course.marks()[stop.mark].spent) else { continue };
        let x = x.place();
        let (beside, anchor) = match x < 0.7 * right {
            true => (x + 7.0, Anchor::Start),
            false => (x - 7.0, Anchor::End),
        };
        frame.push(&line(class, (x, top), (x, bottom)));
        frame.push(&words("", (beside, top + 24.0 + 18.0 * row as f64), anchor, &stop.name));
    }
    write_picture(path, [frame.close()])
}

/// Draws the best value kept and the cost-adjusted regret against money, each with the rules'
/// stopping points.
pub fn draw(
    path: &Path,
    course: &Course,
    regrets: &[f64],
    stops: &[Stop],
    hindsight: usize,
) -> Result<()> {
    let best: Vec<f64> = course.marks().iter().map(|mark| mark.best).collect();
    let panel = |title: &str, label: &str, values: &[f64], explained: bool| -> Panel {
        let at = |mark: usize| (course.marks()[mark].spent, values[mark]);
        let known: Vec<(f64, f64)> =
            (0..values.len()).map(at).filter(|(_, value)| value.is_finite()).collect();
        let mut keys = Vec::new();
        if explained {
            keys.push(Key::line("line mark", label));
            keys.push(Key::mark(Sign::Cross, "bad", "hindsight"));
            let rules = stops.iter().enumerate();
            keys.extend(rules.map(|(rule, stop)| Key::mark(sign(rule), look(rule), &stop.name)));
        }
        let height = if explained { 380.0 } else { 330.0 };
        let names = ["money spent on suggested trials", label];
        let mut frame = against_money(title, names, &known, height, keys);
        if !explained {
            frame.level("thin ink broken", values[hindsight]);
        }
        frame.curve("line mark", steps(known));
        frame.mark(Sign::Cross, "bad", at(hindsight), "hindsight");
        // Rules that stop together are beside each other, toward the middle.
        let middle = 0.5 * frame.down().iter().sum::<f64>();
        for (rule, stop) in stops.iter().enumerate() {
            let Some((x, y)) = frame.at(at(stop.mark)) else { continue };
            let before = stops[..rule].iter().filter(|other| other.mark == stop.mark).count();
            let y = y + STEP * before as f64 * if y > middle { -1.0 } else { 1.0 };
            frame.push(&sign(rule).element(look(rule), (x, y), &stop.name));
        }
        frame.close()
    };
    write_picture(
        path,
        [
            panel("Best value kept, and where each rule stops", "best value", &best, true),
            panel("The same with the money taken off", "cost-adjusted regret", regrets, false),
        ],
    )
}

/// The sign of a rule: another one when the colors are used up.
fn sign(rule: usize) -> Sign {
    if rule % LOOKS.len() < LOOKS.len() / 2 { Sign::Circle } else { Sign::Square }
}

/// The color of a rule.
fn look(rule: usize) -> &'static str {
    LOOKS[rule % LOOKS.len()]
}
