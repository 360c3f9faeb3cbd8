//! What was predicted against what came.

use std::collections::BTreeMap;
use std::fmt::Write;

use chart::number::short;
use chart::svg::line;
use chart::{Along, Frame, Key, Marks, Panel, Plan, Scale, Sign, Spot};

use crate::trials::{ORDER, Told, Trials};

/// What was predicted of a trial, with its standard deviation if it has one, and what came.
struct Pair<'a> {
    told: &'a Told<'a>,
    place: usize,
    predicted: f64,
    sd: Option<f64>,
    came: f64,
}

/// Draws predicted outcomes with a standard deviation to either side against those that came.
pub fn outcomes(trials: &Trials<'_>, titled: bool) -> Panel {
    let (name, title) = ("predicted-outcome", "Predicted outcome against what came");
    let pairs: Vec<Pair<'_>> = trials
        .told
        .iter()
        .enumerate()
        .filter_map(|(place, told)| {
            let suggestion = told.row.suggestion.as_ref()?;
            let predicted = suggestion.mean;
            let sd = Some(suggestion.sd);
            let came = told.outcome?;
            Some(Pair { told, place, predicted, sd, came })
        })
        .collect();
    if pairs.is_empty() {
        return Frame::blank(name, title, "No suggested trial has an outcome yet.");
    }
    let (scale, _) = trials.outcomes();
    let one_sign = pairs.iter().all(|pair| pair.predicted * pair.came > 0.0);
    let logarithmic = scale.is_logarithmic() && one_sign;
    draw(trials, &pairs, (name, title), ["what came", "predicted +- sd"], logarithmic, titled)
}

/// Draws predicted costs against those that were paid.
pub fn costs(trials: &Trials<'_>, titled: bool) -> Panel {
    let (name, title) = ("predicted-cost", "Predicted cost against what was paid");
    let pairs: Vec<Pair<'_>> = trials
        .told
        .iter()
        .enumerate()
        .filter_map(|(place, told)| {
            let predicted = told.row.suggestion.as_ref()?.cost?;
            Some(Pair { told, place, predicted, sd: None, came: told.row.cost? })
        })
        .collect();
    let Some(first) = pairs.first() else {
        return Frame::blank(name, title, "No cost was predicted and paid yet.");
    };
    // A cost that is the same everywhere was never in doubt.
    if trials.same_cost.is_some() && pairs.iter().all(|pair| pair.predicted == first.came) {
        let why = format!("Each trial costs {}, as is known before.", trials.money(first.came, 4));
        return Frame::blank(name, title, &why);
    }
    let numbers = || pairs.iter().flat_map(|pair| [pair.predicted, pair.came]);
    let logarithmic = numbers().filter(|cost| !cost.is_nan()).all(|cost| cost > 0.0);
    let sides = ["paid", "predicted"].map(|side| trials.in_unit(side));
    let sides = sides.each_ref().map(String::as_str);
    draw(trials, &pairs, (name, title), sides, logarithmic, titled)
}

/// Both axes are the same, so that what came as it was predicted is on the diagonal.
fn draw(
    trials: &Trials<'_>,
    pairs: &[Pair<'_>],
    (name, title): (&str, &str),
    [came, predicted]: [&str; 2],
    logarithmic: bool,
    titled: bool,
) -> Panel {
    let numbers = pairs.iter().flat_map(|pair| [pair.predicted, pair.came]);
    let scale = Scale::around(logarithmic, numbers);
    let [came, predicted] = [came, predicted]
        .map(|name| if logarithmic { format!("{name} (logarithmic)") } else { name.to_owned() });
    let [x, y] = [scale.clone(), scale].map(Along::Numbers);
    let keys =
        vec![Key::order(&ORDER, "first", "last"), Key::line("thin soft broken", "as predicted")];
    let plan = Plan::new(title, (&came, x), (&predicted, y));
    let mut frame = Frame::new(Plan { name: name.to_owned(), keys, ..plan });
    let [left, right] = frame.across();
    let [top, bottom] = frame.down();
    frame.push(&line("thin soft broken", (left + 8.0, bottom - 6.0), (right - 8.0, top + 6.0)));
    let mut marks = Marks::new(titled);
    let mut bars: BTreeMap<&str, String> = BTreeMap::new();
    for pair in pairs {
        let color = trials.color(pair.place);
        let (Some(x), Some(y)) = (frame.x.number(pair.came), frame.y(pair.predicted)) else {
            continue;
        };
        let ends = pair.sd.map(|sd| {
            [pair.predicted - sd, pair.predicted + sd].map(|end| frame.y(end).map(Spot::place))
        });
        if let Some([Some(low), Some(high)]) = ends {
            let _ = write!(bars.entry(color).or_default(), "M{:.0} {low:.0}V{high:.0}", x.place());
        }
        let sign = match (x, y) {
            (Spot::On(_), Spot::On(_)) => Sign::Dot,
            (Spot::Before(_), _) => Sign::Left,
            (Spot::Beyond(_), _) => Sign::Right,
            (_, Spot::Before(_)) => Sign::Below,
            (_, Spot::Beyond(_)) => Sign::Above,
        };
        marks.add(sign, color, (x.place(), y.place()), || {
            let sd = pair.sd.map_or(String::new(), |sd| format!(" +- {}", short(sd, 3)));
            format!(
                "trial {}: predicted {}{sd}, came {}",
                pair.told.row.trial,
                short(pair.predicted, 4),
                short(pair.came, 4)
            )
        });
    }
    for (color, d) in bars {
        frame.push(&format!("<path class=\"error {color}\" d=\"{d}\"/>\n"));
    }
    frame.push(&marks.finish());
    frame.close()
}
