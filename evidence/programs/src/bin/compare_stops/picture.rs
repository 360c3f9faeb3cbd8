//! The run against money, and where each rule would have ended it.

use std::path::Path;

use chart::svg::{Anchor, line, words};
use chart::{Along, Frame, Key, LOOKS, Panel, Plan, Scale, Sign, steps};
use frontend::{Result, write_picture};
use gittins::Record;
use gittins::study::{Origin, Row};
use gittins_papers::evaluation::{Check, Course};

/// What is worth less than this part of its price is not drawn.
const FAR: f64 = 1e4;

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

/// A run from its first trial on, and what a rule that weighs a unit of money said of it.
pub struct Overview<'a> {
    /// What was searched.
    pub problem: &'a str,
    /// The run.
    pub record: &'a Record,
    /// Its marks after the initial design.
    pub course: &'a Course,
    /// At each mark the best expected improvement for a unit of money, and its price.
    pub worth: &'a [Check],
    /// Where rules stop.
    pub stops: &'a [Stop],
}

impl Overview<'_> {
    /// Draws the best value against money, and below it what the next unit of money is expected to
    /// buy against its price. A dotted line says where the initial design ends, and others where
    /// rules stop.
    pub fn draw(&self, path: &Path) -> Result<()> {
        let rows = self.record.rows().iter();
        let initial = |row: &&Row| row.origin == Origin::Initial;
        let design: f64 = rows.clone().filter(initial).filter_map(|row| row.cost).sum();
        let at = |mark: usize| design + self.course.marks()[mark].spent;
        let end = at(self.course.marks().len() - 1);
        // The first trials as they came, and the others as they are counted.
        let mut spent = 0.0;
        let first = rows.filter(initial).filter_map(|row| {
            spent += row.cost?;
            Some((spent, row.best?))
        });
        let marks = self.course.marks().iter().map(|mark| (design + mark.spent, mark.best));
        let run: Vec<(f64, f64)> = first.chain(marks).collect();
        let money = "money spent; a trial costs 1 on average";
        let x = || Along::Numbers(Scale::exact(0.0, end));
        let plan = |title, y, height, keys| Plan {
            size: (720.0, height),
            beside: 64.0,
            keys,
            ..Plan::new(title, (money, x()), y)
        };

        let best = Scale::around(false, run.iter().map(|(_, best)| *best));
        let y_name = format!("best value of {}", self.problem);
        let plan_of_best =
            plan("Where to stop spending", (&*y_name, Along::Numbers(best)), 250.0, Vec::new());
        let mut upper = Frame::new(plan_of_best);
        upper.curve("line mark", steps(run));
        self.lines(&mut upper, design, at, true);

        let worth = self.worth.iter().enumerate();
        let worth: Vec<(f64, f64)> = worth
            .map(|(mark, check)| (at(mark), check.statistic))
            .filter(|(_, worth)| worth.is_finite() && *worth > 0.0)
            .collect();
        let price = self.worth.first().map_or(0.0, |check| check.threshold);
        let numbers = worth.iter().map(|(_, worth)| *worth).chain([price]);
        let numbers = numbers.filter(|worth| *worth > price / FAR);
        let keys = vec![
            Key::line("line mark", "what the next unit of money is expected to buy"),
            Key::line("line better broken", "its price"),
        ];
        let y = ("outcome per money", Along::Numbers(Scale::around(true, numbers)));
        let title = "Why there: the next trial is no longer worth its price";
        let mut lower = Frame::new(plan(title, y, 230.0, keys));
        lower.level("line better broken", price);
        lower.curve("line mark", worth);
        self.lines(&mut lower, design, at, false);
        write_picture(path, [upper.close(), lower.close()])
    }

    /// The lines across, with their names or without.
    fn lines(&self, frame: &mut Frame, design: f64, at: impl Fn(usize) -> f64, named: bool) {
        let ([top, bottom], [_, right]) = (frame.down(), frame.across());
        let design = ("parting", "end of the initial design", design);
        let stops = self.stops.iter().zip(["line better", "line ink"]);
        let stops = stops.map(|(stop, class)| (class, &*stop.name, at(stop.mark)));
        for (row, (class, name, money)) in [design].into_iter().chain(stops).enumerate() {
            let Some(x) = frame.x.number(money) else { continue };
            let x = x.place();
            frame.push(&line(class, (x, top), (x, bottom)));
            if named {
                let (beside, anchor) =
                    if x < 0.7 * right { (x + 7.0, Anchor::Start) } else { (x - 7.0, Anchor::End) };
                let down = top + 24.0 + 18.0 * row as f64;
                frame.push(&words("", (beside, down), anchor, name));
            }
        }
    }
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
