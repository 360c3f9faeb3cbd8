//! What the next trial was worth against its price, or the statistic of another stopping rule.

use chart::number::short;
use chart::svg::{area, line, path};
use chart::{Along, Frame, Key, Marks, Panel, Plan, Scale, Sign, Spot};
use gittins::study::Judged;

use crate::shown::shown;
use crate::trials::Trials;

const NAME: &str = "verdict";
const TITLE: &str = "When to stop";

/// What a verdict names as its rule before the rule begins.
const DESIGN: &str = "initial design";
/// What it names if there is none.
const NONE: &str = "none";

/// A logarithmic axis is the better one if positive numbers differ by more than this factor.
const WIDE: f64 = 30.0;

/// What is below each bound by more than this factor is off the axis.
const FAR: f64 = 1e4;

/// What is drawn of verdicts.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Drawn {
    /// What the next trial would bring, and its price.
    Worth,
    /// The statistic of the rule, and its threshold.
    Statistic,
}

impl Drawn {
    /// Of these verdicts. Each one with a statistic has to know what the next trial is worth.
    fn of(judged: &[(usize, &Judged)]) -> Self {
        let mut known = judged.iter().filter(|(_, judged)| judged.statistic.is_finite()).peekable();
        if known.peek().is_some() && known.all(|(_, judged)| judged.worth.is_some()) {
            Self::Worth
        } else {
            Self::Statistic
        }
    }

    /// What stops if it is small.
    fn value(self, judged: &Judged) -> f64 {
        match (self, judged.worth) {
            (Self::Worth, Some(worth)) => worth.gain,
            _ => judged.statistic,
        }
    }

    /// Where it stops; not a number where that is not known.
    fn bound(self, judged: &Judged) -> f64 {
        match (self, judged.worth) {
            (Self::Worth, worth) => worth.map_or(f64::NAN, |worth| worth.price),
            (Self::Statistic, _) => judged.threshold,
        }
    }

    /// The left side, what it stops by, and where.
    fn names(self, has_front: bool) -> [&'static str; 3] {
        match (self, has_front) {
            (Self::Worth, false) => {
                ["in units of the outcome", "what the next trial would bring", "its price"]
            }
            (Self::Worth, true) => {
                ["in units of the front's volume", "what the next trial would bring", "its price"]
            }
            (Self::Statistic, _) => ["statistic of the rule", "statistic", "stops at or below"],
        }
    }

    /// A verdict after so many trials, in words.
    fn words(self, trial: usize, judged: &Judged) -> String {
        let [value, bound] = [self.value(judged), self.bound(judged)].map(|one| short(one, 5));
        let Judged { rule, fired, worth, .. } = judged;
        let stop = if *fired { ": stop" } else { "" };
        if let (Self::Worth, Some(_)) = (self, worth) {
            format!(
                "after {trial} trials: the next one would bring {value}, its price is {bound}{stop}"
            )
        } else {
            let at = if *fired { "its threshold is" } else { "it stops at" };
            let bound = short(judged.threshold, 5);
            format!("after {trial} trials: {rule} is {value}, {at} {bound}{stop}")
        }
    }
}

/// Draws what the next trial was worth and its price after each trial at which that was asked. Of a
/// rule that does not weigh the two it draws the statistic and its threshold.
pub fn draw(trials: &Trials<'_>, has_front: bool, titled: bool) -> Panel {
    let judged: Vec<(usize, &Judged)> = trials
        .told
        .iter()
        .enumerate()
        .filter_map(|(place, told)| Some((place + 1, told.row.verdict.as_ref()?)))
        .collect();
    if judged.is_empty() {
        return Frame::blank(NAME, TITLE, "No verdict has been asked for yet.");
    }
    let has_none = judged.iter().any(|(_, judged)| judged.rule == NONE);
    if has_none && judged.iter().all(|(_, judged)| [DESIGN, NONE].contains(&&*judged.rule)) {
        return Frame::blank(NAME, TITLE, "No stopping rule is set.");
    }
    let drawn = Drawn::of(&judged);
    // Before a rule knows anything its statistic is infinite, or another one speaks.
    let known = judged.iter().rev().find(|(_, judged)| judged.statistic.is_finite());
    let title = match known {
        Some(_) if drawn == Drawn::Worth => format!("{TITLE}: what the next trial is worth"),
        Some((_, judged)) => format!("{TITLE}: {}", judged.rule),
        None => TITLE.to_owned(),
    };
    let bounds = judged.iter().map(|(_, judged)| drawn.bound(judged));
    let values = judged.iter().map(|(_, judged)| drawn.value(judged));
    let (y, floor) = scale(values.clone(), bounds);
    let [y_name, of_value, of_bound] = drawn.names(has_front);
    let y_name = if y.is_logarithmic() { format!("{y_name} (log)") } else { y_name.to_owned() };
    let is_above = |value: f64| y.fraction(value).is_some_and(|at| at > 1.0 + 1e-9);
    let above = values.clone().any(is_above);
    let below = values.clone().any(|value| value < floor);
    let fired = judged.iter().any(|(_, judged)| judged.fired);

    let last = trials.told.len().max(2) as f64;
    let mut keys =
        vec![Key::mark(Sign::Dot, "plain", of_value), Key::line("line mark broken", of_bound)];
    let runs: Vec<&[(usize, &Judged)]> =
        judged.chunk_by(|(_, a), (_, b)| a.rule == b.rule).collect();
    let parting = match runs[..] {
        [design, _] if design.iter().all(|(_, judged)| judged.rule == DESIGN) => {
            "end of the design"
        }
        _ => "another rule",
    };
    keys.extend((runs.len() > 1).then_some(Key::line("parting", parting)));
    keys.extend(fired.then_some(Key::mark(Sign::Dot, "bad", "says stop")));
    if above || below {
        let sign = if above { Sign::Above } else { Sign::Below };
        keys.push(Key::mark(sign, "plain", "off the axis"));
    }
    let x = ("trials told", Along::Numbers(Scale::exact(1.0, last)));
    let plan = Plan::new(&title, x, (&y_name, Along::Numbers(y)));
    let mut frame = Frame::new(Plan { name: NAME.to_owned(), keys, ..plan });
    let [top, bottom] = frame.down();
    let mut end: Option<f64> = None;
    for run in &runs {
        // The lines of two rules are apart, since their statistics are different things.
        let [first, last] = [run.first(), run.last()]
            .map(|ends| frame.x.number(ends.map_or(1.0, |(trial, _)| *trial as f64)));
        if let (Some(before), Some(first)) = (end, first) {
            let middle = 0.5 * (before + first.place());
            frame.push(&line("parting", (middle, top), (middle, bottom)));
        }
        end = last.map(Spot::place);
        frame.push(&rule(&frame, drawn, run));
    }
    let mut marks = Marks::new(titled);
    for (trial, judged) in &judged {
        let Some(x) = frame.x.number(*trial as f64).map(Spot::place) else { continue };
        let value = drawn.value(judged);
        let (sign, y) = match frame.y(value) {
            Some(Spot::On(y)) => (if value < floor { Sign::Below } else { Sign::Dot }, y),
            Some(Spot::Beyond(y)) => (Sign::Above, y),
            Some(Spot::Before(y)) => (Sign::Below, y),
            None => continue,
        };
        let color = if judged.fired { "bad" } else { "plain" };
        marks.add(sign, color, (x, y), || drawn.words(*trial, judged));
    }
    frame.push(&marks.finish());
    frame.close().with_note(note(&runs))
}

/// The left side, and the least number on it. Less is closer to the end: a value far above the others
/// is left out, and so is one that is far below each bound.
fn scale(
    values: impl Iterator<Item = f64> + Clone,
    bounds: impl Iterator<Item = f64> + Clone,
) -> (Scale, f64) {
    let bounds = bounds.filter(|bound| bound.is_finite());
    let finite = || values.clone().filter(|value| value.is_finite()).chain(bounds.clone());
    let low = bounds.clone().fold(f64::INFINITY, f64::min);
    // What is worth nothing has no logarithm.
    let is_positive = low > 0.0 && finite().all(|number| number >= 0.0);
    let near = || finite().filter(|number| *number >= low / FAR);
    let (floor, high) = near().fold((low, low), |(l, h), number| (l.min(number), h.max(number)));
    if is_positive && high > WIDE * floor {
        return (Scale::around(true, near()), floor);
    }
    let mut numbers = shown(values, -1.0);
    numbers.extend(bounds);
    (Scale::around(false, numbers.into_iter()), f64::NEG_INFINITY)
}

/// Why the lines are apart.
fn note(runs: &[&[(usize, &Judged)]]) -> String {
    let starts: Vec<(usize, &str)> = runs
        .iter()
        .filter_map(|run| run.first().map(|(trial, judged)| (*trial, judged.rule.as_str())))
        .collect();
    match starts[..] {
        [] | [_] => String::new(),
        [(_, DESIGN), (second, rule)] => format!(
            "Up to the dotted line the initial design was made, which no rule ends. From trial {second} on: {rule}."
        ),
        [(_, first), (second, rule)] => {
            format!("The rule changed at the dotted line: {first}, from trial {second} on {rule}.")
        }
        _ => format!("The rule changed {} times, at the dotted lines.", starts.len() - 1),
    }
}

/// The lines of one rule, with the zone in which it stops.
fn rule(frame: &Frame, drawn: Drawn, run: &[(usize, &Judged)]) -> String {
    let places = |number: fn(Drawn, &Judged) -> f64| -> Vec<(f64, f64)> {
        let place = |(trial, judged): &(usize, &Judged)| {
            Some((frame.x.number(*trial as f64)?.place(), frame.y(number(drawn, judged))?.place()))
        };
        run.iter().filter_map(place).collect()
    };
    let mut threshold = places(Drawn::bound);
    // A threshold of a single verdict is a line too.
    if let [(x, y)] = threshold[..] {
        threshold = vec![(x - 6.0, y), (x + 6.0, y)];
    }
    let mut svg = String::new();
    let bottom = frame.down()[1];
    for pair in threshold.windows(2) {
        svg += &area("band mark", (pair[0].0, pair[0].1), (pair[1].0, bottom));
    }
    svg += &path("thin plain", &places(Drawn::value));
    svg + &path("line mark broken", &threshold)
}
