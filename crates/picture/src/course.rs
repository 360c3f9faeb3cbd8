//! Outcomes and the best of them against money spent.

use chart::{Along, Frame, Key, Marks, Panel, Plan, Scale, Sign, Spot, steps};
use gittins::study::{Origin, TrialState};

use crate::trials::{Told, Trials};

const NAME: &str = "best";
const TITLE: &str = "Best outcome against money spent";

/// The sign of a trial that has an outcome.
pub fn sign(origin: Origin) -> Sign {
    match origin {
        Origin::Initial => Sign::Ring,
        Origin::Imported => Sign::Square,
        _ => Sign::Dot,
    }
}

/// The sign of a trial without an outcome.
pub fn failure(state: TrialState) -> Sign {
    if state == TrialState::Infeasible { Sign::Plus } else { Sign::Cross }
}

/// The signs of trials without an outcome, of those that there are.
pub fn failures(told: &[Told<'_>]) -> impl Iterator<Item = Key> {
    let states = [TrialState::Failed, TrialState::Infeasible].into_iter();
    let states = states.filter(|state| told.iter().any(|told| told.row.state == *state));
    states.map(|state| Key::mark(failure(state), "bad", state.name()))
}

/// Draws each trial where its money was spent.
pub fn draw(trials: &Trials<'_>, titled: bool) -> Panel {
    if trials.told.is_empty() {
        return Frame::blank(NAME, TITLE, "No trial has been told yet.");
    }
    let told = &trials.told;
    let priced = trials.has_cost() && trials.total > 0.0;
    let at = |place: usize| if priced { told[place].money } else { 1.0 + place as f64 };
    let spent = trials.in_unit("cost spent");
    let x_name = match (trials.same_cost, priced) {
        (_, false) => "trials told".to_owned(),
        (Some(cost), _) => format!("{spent}; each trial costs {}", trials.money(cost, 4)),
        _ => spent,
    };
    let last = at(told.len() - 1).max(if priced { trials.total } else { 1.0 });
    let x = Scale::exact(if priced { 0.0 } else { 1.0 }, last);
    let (y, outcomes) = trials.outcomes();
    let failed = told.iter().any(Told::failed);
    let y_name = trials.outcome_by(&y);
    let mut frame = Frame::new(Plan {
        name: NAME.to_owned(),
        strip: failed.then_some("failed"),
        keys: keys(trials, outcomes.len()),
        ..Plan::new(TITLE, (&x_name, Along::Numbers(x)), (&y_name, Along::Numbers(y)))
    });
    // The best outcome holds until a better one is bought.
    let best = told.iter().enumerate().filter_map(|(place, told)| Some((at(place), told.best?)));
    frame.curve("line better", steps(best));
    let mut marks = Marks::new(titled);
    for (place, told) in told.iter().enumerate() {
        let Some(across) = frame.x.number(at(place)).map(Spot::place) else { continue };
        let title = || format!("{}, {} spent", told.words(), trials.money(told.money, 4));
        match told.outcome.and_then(|outcome| frame.y(outcome)) {
            None => {
                let sign = failure(told.row.state);
                marks.add(sign, "bad", (across, frame.strip()), title);
            }
            Some(Spot::On(y)) => {
                let color = match told {
                    told if told.improves => "better",
                    told if told.breaks() => "soft",
                    _ => "plain",
                };
                marks.add(sign(told.row.origin), color, (across, y), title);
            }
            Some(Spot::Beyond(y)) => marks.add(Sign::Above, "plain", (across, y), title),
            Some(Spot::Before(y)) => marks.add(Sign::Below, "plain", (across, y), title),
        }
    }
    frame.push(&marks.finish());
    let best = told.iter().rposition(|told| told.improves);
    if let Some((place, y)) = best.and_then(|place| Some((place, frame.y(told[place].outcome?)?)))
        && let Some(across) = frame.x.number(at(place))
    {
        let title = format!("the best: {}", told[place].words());
        frame.push(&Sign::Halo.element("better", (across.place(), y.place()), &title));
    }
    frame.close()
}

/// What is there is explained.
fn keys(trials: &Trials<'_>, shown: usize) -> Vec<Key> {
    let told = &trials.told;
    let has = |origin| told.iter().any(|told| told.row.origin == origin && told.outcome.is_some());
    let mut keys = Vec::new();
    for (origin, words) in [
        (Origin::Initial, "initial"),
        (Origin::Suggested, "suggested"),
        (Origin::Imported, "imported"),
    ] {
        if has(origin) {
            keys.push(Key::mark(sign(origin), "plain", words));
        }
    }
    if trials.best().is_some() {
        keys.push(Key::mark(Sign::Dot, "better", "new best"));
        keys.push(Key::line("line better", "best so far"));
    }
    if told.iter().any(Told::breaks) {
        keys.push(Key::mark(Sign::Dot, "soft", "breaks a limit"));
    }
    keys.extend(failures(told));
    if told.iter().filter(|told| told.outcome.is_some()).count() > shown {
        keys.push(Key::mark(Sign::Above, "plain", "off the axis"));
    }
    keys
}
