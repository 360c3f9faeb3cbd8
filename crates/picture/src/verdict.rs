//! The statistic of the stopping rule against trials.

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

/// Draws the statistic and its threshold after each trial that it was asked for.
pub fn draw(trials: &Trials<'_>, titled: bool) -> Panel {
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
    // Before a rule knows anything its statistic is infinite, or another one speaks.
    let known = judged.iter().rev().find(|(_, judged)| judged.statistic.is_finite());
    let title = match known {
        Some((_, judged)) => format!("{TITLE}: {}", judged.rule),
        None => TITLE.to_owned(),
    };
    // Less is closer to the end: a statistic far above the others is left out.
    let thresholds = judged.iter().map(|(_, judged)| judged.threshold);
    let statistics = judged.iter().map(|(_, judged)| judged.statistic);
    let finite =
        || statistics.clone().chain(thresholds.clone()).filter(|number| number.is_finite());
    let (low, high) = finite().fold((f64::INFINITY, 0.0_f64), |(l, h), n| (n.min(l), n.max(h)));
    let logarithmic = low > 0.0 && high > WIDE * low;
    let mut numbers =
        if logarithmic { finite().collect() } else { shown(statistics.clone(), -1.0) };
    let drawn = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    numbers.extend(thresholds.filter(|threshold| threshold.is_finite()));
    let off = statistics.clone().any(|statistic| statistic.is_infinite() || statistic > drawn);
    let fired = judged.iter().any(|(_, judged)| judged.fired);

    let last = trials.told.len().max(2) as f64;
    let mut keys = vec![
        Key::mark(Sign::Dot, "plain", "statistic"),
        Key::line("line mark broken", "stops at or below"),
    ];
    let runs: Vec<&[(usize, &Judged)]> =
        judged.chunk_by(|(_, a), (_, b)| a.rule == b.rule).collect();
    keys.extend((runs.len() > 1).then_some(Key::line("parting", "another rule")));
    keys.extend(fired.then_some(Key::mark(Sign::Dot, "bad", "says stop")));
    keys.extend(off.then_some(Key::mark(Sign::Above, "plain", "off the axis")));
    let x = ("trials told", Along::Numbers(Scale::exact(1.0, last)));
    let y = Along::Numbers(Scale::around(logarithmic, numbers.into_iter()));
    let plan = Plan::new(&title, x, ("statistic of the rule", y));
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
        frame.push(&rule(&frame, run));
    }
    let mut marks = Marks::new(titled);
    for (trial, judged) in &judged {
        let Some(x) = frame.x.number(*trial as f64).map(Spot::place) else { continue };
        let (sign, y) = match frame.y(judged.statistic) {
            Some(Spot::On(y)) => (Sign::Dot, y),
            Some(Spot::Beyond(y)) => (Sign::Above, y),
            Some(Spot::Before(y)) => (Sign::Below, y),
            None => continue,
        };
        marks.add(sign, if judged.fired { "bad" } else { "plain" }, (x, y), || {
            let Judged { rule, statistic, threshold, fired, .. } = judged;
            format!(
                "after {trial} trials: {rule} is {}, {} {}{}",
                short(*statistic, 5),
                if *fired { "its threshold is" } else { "it stops at" },
                short(*threshold, 5),
                if *fired { ": stop" } else { "" }
            )
        });
    }
    frame.push(&marks.finish());
    frame.close().with_note(note(&runs))
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
fn rule(frame: &Frame, run: &[(usize, &Judged)]) -> String {
    let places = |number: fn(&Judged) -> f64| -> Vec<(f64, f64)> {
        let place = |(trial, judged): &(usize, &Judged)| {
            Some((frame.x.number(*trial as f64)?.place(), frame.y(number(judged))?.place()))
        };
        run.iter().filter_map(place).collect()
    };
    let mut threshold = places(|judged| judged.threshold);
    // A threshold of a single verdict is a line too.
    if let [(x, y)] = threshold[..] {
        threshold = vec![(x - 6.0, y), (x + 6.0, y)];
    }
    let mut drawn = String::new();
    let bottom = frame.down()[1];
    for pair in threshold.windows(2) {
        drawn += &area("band mark", (pair[0].0, pair[0].1), (pair[1].0, bottom));
    }
    drawn += &path("thin plain", &places(|judged| judged.statistic));
    drawn + &path("line mark broken", &threshold)
}
