//! A study by items: who is judged on how many of them, and what is believed of each.

use chart::number::short;
use chart::svg::line;
use chart::{Along, Frame, Key, Panel, Plan, Scale, Sign, Spot, fitted};
use gittins::study::TrialState;
use gittins::{Study, Trial, Value};

use crate::axis::name_of;
use crate::believed::{Believed, foremost};
use crate::columns::{Columns, Seen};
use crate::shown::shown;

const NAME: &str = "items";
const TITLE: &str = "Who is judged on how much";

/// The most configurations that are drawn.
const MOST: usize = 40;
/// The width of the panel, its least height, and what a line of it takes.
const SIZE: (f64, f64) = (480.0, 348.0);
const LINE: f64 = 16.0;
/// The size of letters, and the most room for the settings of a configuration.
const LETTERS: f64 = 12.0;
const ROOM: f64 = 160.0;
/// To either side of a mean so many deviations are 95 %.
const SIDES: f64 = 1.96;
/// Between the middle of an interval and the ends of its caps.
const CAP: f64 = 3.0;

/// What a picture calls a trial.
pub struct Called {
    pub number: usize,
    /// What the row of a table is called.
    pub label: Option<String>,
    /// The trial in words.
    pub words: String,
    /// What it has cost.
    pub cost: String,
}

/// A configuration, with its texts.
struct Row<'a> {
    one: &'a Believed<'a>,
    label: String,
    title: String,
    seen: Seen,
}

impl Row<'_> {
    /// The ends of the interval; both are the mean if there is none.
    fn ends(&self) -> [f64; 2] {
        let side = SIDES * self.one.sd.unwrap_or(0.0);
        [self.one.mean - side, self.one.mean + side]
    }
}

/// Draws the best configurations below each other: their believed means with intervals, and how
/// many items each has seen for how much money. None if trials are no means of items.
pub fn draw(study: &Study, all: &[Believed<'_>], call: &dyn Fn(&Trial) -> Called) -> Option<Panel> {
    let stages = study.stages().filter(|stages| stages.are_items())?;
    if all.is_empty() {
        return Some(Frame::blank(NAME, TITLE, "No configuration has seen an item yet."));
    }
    let drawn = foremost(all, MOST);
    let varied = varied(&drawn);
    let rows = rows(call, &drawn, &varied, stages.total());
    let title = match all.len() - drawn.len() {
        0 => TITLE.to_owned(),
        _ => format!("{TITLE}: the best {} of {}", drawn.len(), all.len()),
    };
    let columns = Columns::of(rows.iter().map(|row| &row.seen), stages.total());
    let names = varied.iter().filter_map(|&at| study.names().get(at)).map(String::as_str);
    let names = format!("trial: {}", Vec::from_iter(names).join(", "));
    let mut frame = frame((&title, &names), &rows, study.direction().sign(), columns.room());
    for (place, row) in rows.iter().rev().enumerate() {
        let y = frame.row(place);
        let svg = outcome(&frame, row, y) + &columns.line(&frame, &row.seen, y);
        frame.push(&svg);
    }
    frame.push(&columns.heads(&frame));
    Some(frame.close().with_note(note(study, all.len() - drawn.len())))
}

/// The texts of configurations.
fn rows<'a>(
    call: &dyn Fn(&Trial) -> Called,
    drawn: &'a [Believed<'a>],
    varied: &[usize],
    total: f64,
) -> Vec<Row<'a>> {
    let is_paid = drawn.iter().any(|one| one.trial.cost.is_some_and(|cost| cost > 0.0));
    let row = |one: &'a Believed<'a>| {
        let values = varied.iter().filter_map(|&at| one.trial.values.get(at)).map(brief);
        let called = call(one.trial);
        let label = called.label.unwrap_or_else(|| Vec::from_iter(values).join(", "));
        let label = format!("{}: {label}", called.number);
        let items = short(one.items, 6);
        let mean = short(one.mean, 4);
        let is = match one.sd {
            Some(sd) if sd > 0.0 => format!("expected {mean} +- {}", short(sd, 2)),
            Some(_) => format!("mean {mean}"),
            None => format!("mean so far {mean}"),
        };
        let title = format!(
            "{}; {items} of {} items, {is}",
            fitted(&called.words, 1.0, 200.0),
            short(total, 6)
        );
        let cost = if is_paid { called.cost } else { String::new() };
        let seen = Seen { items: one.items, number: items, cost: fitted(&cost, 1.0, 12.0) };
        Row { one, label: fitted(&label, LETTERS, ROOM), title, seen }
    };
    drawn.iter().map(row).collect()
}

/// The parameters in which these trials differ, by their places; all of them if there is none.
fn varied(drawn: &[Believed<'_>]) -> Vec<usize> {
    let Some(first) = drawn.first() else { return Vec::new() };
    let all = 0..first.trial.values.len();
    let differs = |&at: &usize| {
        drawn.iter().any(|one| one.trial.values.get(at) != first.trial.values.get(at))
    };
    let varied: Vec<usize> = all.clone().filter(differs).collect();
    if varied.is_empty() { all.collect() } else { varied }
}

/// A value in a few letters.
fn brief(value: &Value) -> String {
    match value {
        Value::Float(number) => short(*number, 3),
        Value::Absent => "-".to_owned(),
        other => name_of(other),
    }
}

/// The axes, with a title and with the names of the parameters beside their values. `sign` is 1 if
/// larger is better.
fn frame((title, names): (&str, &str), rows: &[Row<'_>], sign: f64, aside: f64) -> Frame {
    let x = Scale::around(false, shown(rows.iter().flat_map(Row::ends), sign).into_iter());
    let better = if sign > 0.0 { "larger" } else { "smaller" };
    let x_name = format!("mean ({better} is better)");
    let labels = rows.iter().rev().map(|row| row.label.clone()).collect();
    let is_off = |row: &Row<'_>| {
        let part = x.fraction(row.one.mean);
        part.is_some_and(|part| !(-1e-9..=1.0 + 1e-9).contains(&part))
    };
    let keys = keys(rows, rows.iter().any(is_off));
    let height = SIZE.1.max(130.0 + LINE * rows.len() as f64);
    let x = Along::Numbers(x);
    let y = Along::Names(labels);
    let plan = Plan::new(title, (&x_name, x), (names, y));
    Frame::new(Plan { name: NAME.to_owned(), size: (SIZE.0, height), aside, keys, ..plan })
}

/// What is there is explained.
fn keys(rows: &[Row<'_>], is_off: bool) -> Vec<Key> {
    let any = |holds: &dyn Fn(&Believed<'_>) -> bool| rows.iter().any(|row| holds(row.one));
    let mut keys = Vec::new();
    if any(&|one| one.sd.is_some()) {
        keys.push(Key::mark(Sign::Dot, "plain", "believed mean over all items"));
    }
    if any(&|one| one.sd.is_some_and(|sd| sd > 0.0)) {
        keys.push(Key::line("thin ink", "its 95 % interval"));
    }
    if any(&|one| one.sd.is_none()) {
        keys.push(Key::mark(Sign::Ring, "plain", "mean so far"));
    }
    for (is_known, words) in [(true, "recommended"), (false, "best so far")] {
        if any(&|one| one.is_best && one.sd.is_some() == is_known) {
            keys.push(Key::mark(Sign::Halo, "better", words));
        }
    }
    if is_off {
        keys.push(Key::mark(Sign::Right, "plain", "off the axis"));
    }
    keys
}

/// The interval and the mean of a configuration.
fn outcome(frame: &Frame, row: &Row<'_>, y: f64) -> String {
    let mut svg = String::new();
    if let [Some(low), Some(high)] = row.ends().map(|end| frame.x.number(end))
        && low != high
    {
        svg += &line("thin ink", (low.place(), y), (high.place(), y));
        // An end that is off the axis has no cap.
        for end in [low, high].iter().filter(|end| matches!(end, Spot::On(_))) {
            svg += &line("thin ink", (end.place(), y - CAP), (end.place(), y + CAP));
        }
    }
    let Some(at) = frame.x.number(row.one.mean) else { return svg };
    let (sign, color) = match at {
        Spot::Before(_) => (Sign::Left, "plain"),
        Spot::Beyond(_) => (Sign::Right, "plain"),
        Spot::On(_) if row.one.sd.is_none() => (Sign::Ring, "plain"),
        Spot::On(_) if row.one.is_best => (Sign::Dot, "better"),
        Spot::On(_) => (Sign::Dot, "plain"),
    };
    svg += &sign.element(color, (at.place(), y), &row.title);
    if row.one.is_best {
        svg += &Sign::Halo.element("better", (at.place(), y), &row.title);
    }
    svg
}

/// What is not drawn.
fn note(study: &Study, left_out: usize) -> String {
    let broke = |state| matches!(state, TrialState::Failed | TrialState::Infeasible);
    let broken = study.history().iter().filter(|trial| broke(trial.state)).count();
    let mut words = Vec::new();
    if left_out > 0 {
        words.push(format!("Left out: {left_out} others."));
    }
    if broken > 0 {
        words.push(format!("Without a mean: {broken} that failed or may not be used."));
    }
    words.join(" ")
}
