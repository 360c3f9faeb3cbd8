//! A parameter against the outcome.

use chart::{Along, Frame, Key, Marks, Panel, Plan, Sign, Spot, fitted};
use gittins::Value;

use crate::axis::{Axis, name_of};
use crate::course::failure;
use crate::trials::{ORDER, Told, Trials};

/// Draws the values of the parameter at `index` against outcomes, colored by the order of trials.
pub fn draw<'a>(trials: &Trials<'a>, index: usize, axis: Option<&Axis>, titled: bool) -> Panel {
    let Some((name, _)) = trials.rows.first().and_then(|row| row.point.values.get(index)) else {
        return Frame::blank("parameter", "A parameter", "There is no such parameter.");
    };
    let panel = format!("parameter-{}", index + 1);
    let told = &trials.told;
    let value = |told: &Told<'a>| told.row.point.values.get(index).map(|(_, value)| value);
    let values = told.iter().filter_map(value);
    if told.is_empty() {
        return Frame::blank(&panel, name, "No trial has been told yet.");
    }
    let axis = axis.cloned().unwrap_or_else(|| Axis::guess(values.clone())).with(values.clone());
    let absent = values.clone().any(|value| *value == Value::Absent);
    let along = match (axis.scale(), axis) {
        (Some(scale), _) => Along::Numbers(scale),
        (None, Axis::Names(names)) => Along::Names(names),
        (None, _) => Along::Names(Vec::new()),
    };
    let logarithmic = matches!(&along, Along::Numbers(scale) if scale.is_logarithmic());
    let failed = told.iter().any(Told::failed);
    let (y, _) = trials.outcomes();
    let y_name = trials.outcome_by(&y);
    let x_name = if logarithmic { format!("{name} (logarithmic)") } else { name.clone() };
    let mut keys = vec![Key::order(&ORDER, "first", "last")];
    if told.iter().any(Told::breaks) {
        keys.push(Key::mark(Sign::Ring, "plain", "breaks a limit"));
    }
    let mut frame = Frame::new(Plan {
        name: panel,
        absent,
        strip: failed.then_some("failed"),
        keys,
        ..Plan::new(name, (&x_name, along), (&y_name, Along::Numbers(y)))
    });
    let mut marks = Marks::new(titled);
    let best = told.iter().rposition(|told| told.improves);
    let mut halo = None;
    for (place, told) in told.iter().enumerate() {
        let Some(value) = value(told) else { continue };
        let trial = told.row.trial;
        let x = match value {
            Value::Absent => frame.x.absent(trial).map(Spot::On),
            _ => match frame.x.name(&name_of(value), trial) {
                Some(x) => Some(Spot::On(x)),
                None => value.number().and_then(|number| frame.x.number(number)),
            },
        };
        let y = match told.outcome {
            Some(outcome) => frame.y(outcome),
            None => Some(Spot::On(frame.strip())),
        };
        let (Some(x), Some(y)) = (x, y) else { continue };
        let sign = match (x, y, told.failed()) {
            (Spot::On(_), Spot::On(_), false) if told.breaks() => Sign::Ring,
            (Spot::On(_), Spot::On(_), false) => Sign::Dot,
            (Spot::On(_), _, true) => failure(told.row.state),
            (Spot::Before(_), ..) => Sign::Left,
            (Spot::Beyond(_), ..) => Sign::Right,
            (_, Spot::Before(_), _) => Sign::Below,
            (_, Spot::Beyond(_), _) => Sign::Above,
        };
        let at = (x.place(), y.place());
        // Names may be long, and each trial has one.
        let words = || {
            let named = fitted(&name_of(value), 1.0, 40.0);
            format!("{} = {named}; {}", fitted(name, 1.0, 40.0), told.words())
        };
        if best == Some(place) {
            halo = Some((at, words()));
        }
        marks.add(sign, trials.color(place), at, words);
    }
    frame.push(&marks.finish());
    if let Some((at, words)) = halo {
        frame.push(&Sign::Halo.element("better", at, &format!("the best: {words}")));
    }
    frame.close()
}
