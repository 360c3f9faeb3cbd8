//! What was paid for by each way, and the best in hand over money.

use std::path::Path;

use chart::{Along, Frame, Key, LOOKS, Panel, Plan, Scale, Sign, steps};
use frontend::Result;
use frontend::run::write_picture;

use crate::account::{Account, Ending, Run};
use crate::training::EPOCHS;
use crate::ways::Way;

/// Losses are shown up to this. One who knows nothing has ln 2.
const HIGHEST: f64 = 1.0;

/// Points at which means of several seeds are drawn.
const POINTS: u32 = 200;

/// Losses in hand are shown up to so many times the difference at the end.
const BEFORE: f64 = 4.0;

const ENDINGS: [(Ending, &str, &str); 3] = [
    (Ending::Left, "plain", "left"),
    (Ending::Abandoned, "bad", "abandoned: it broke, or the money was out"),
    (Ending::Finished, "better", "finished"),
];

/// Draws all learning curves of each way, and beside them what was paid for each run.
pub fn curves(path: &Path, ways: &[(Way, Account<'_>)]) -> Result<()> {
    let runs = || ways.iter().flat_map(|(_, account)| &account.runs);
    let losses = runs().flat_map(|run| &run.reports).map(|(_, loss)| loss.min(HIGHEST));
    let losses: Vec<f64> = losses.chain([HIGHEST]).collect();
    let dearest = runs().map(|run| run.seconds).fold(0.0, f64::max);
    let most = ways.iter().map(|(_, account)| account.runs.len()).max().unwrap_or(1) as f64;
    let row = |(way, account): &(Way, Account<'_>)| {
        let finished = account.count(Ending::Finished);
        let begun = account.runs.len();
        let title = format!("{}: {finished} of {begun} finished", way.name());
        let x = ("epochs", Along::Numbers(Scale::logarithmic(1.0, f64::from(EPOCHS))));
        let scale = Scale::around(true, losses.iter().copied());
        let y = ("validation loss", Along::Numbers(scale));
        let keys = ENDINGS.map(|(_, color, words)| Key::line(&format!("line {color}"), words));
        let plan = Plan { size: (480.0, 280.0), beside: 64.0, ..Plan::new(&title, x, y) };
        let mut left = Frame::new(Plan { keys: keys.into(), ..plan });
        let x = ("run, in the order of their beginnings", Along::Numbers(Scale::exact(0.0, most)));
        let y = ("seconds", Along::Numbers(Scale::exact(0.0, dearest)));
        let plan = Plan::new("Paid for each run", x, y);
        let mut right = Frame::new(Plan { size: (420.0, 280.0), beside: 64.0, ..plan });
        for (ending, color, _) in ENDINGS {
            let ended = |(_, run): &(usize, &Run)| run.ending == ending;
            for (number, run) in account.runs.iter().enumerate().filter(ended) {
                let place = |&(epochs, loss): &(u32, f64)| (f64::from(epochs), loss);
                let class = if ending == Ending::Finished { "line" } else { "thin" };
                left.curve(&format!("{class} {color}"), run.reports.iter().map(place));
                if let Some(end) = run.reports.last().map(place) {
                    left.mark(Sign::Dot, color, end, &format!("run {number}"));
                }
                let ends = [0.1, 0.9].map(|side| right.x.number(number as f64 + side));
                if let [Some(from), Some(to)] = ends {
                    right.bar(&format!("bar {color}"), [from.place(), to.place()], run.seconds);
                }
            }
        }
        Panel::beside([left.close(), right.close()])
    };
    write_picture(path, ways.iter().map(row))
}

/// Draws the best finished loss over money: of one seed its steps, of several the mean, from where
/// all have a finished run.
pub fn in_hand(path: &Path, plays: &[Vec<(Way, Account<'_>)>]) -> Result<()> {
    let mean = |way: usize, share: f64| -> Option<f64> {
        let best = plays.iter().map(|ways| {
            let account = &ways[way].1;
            let spent = share * account.budget;
            account.in_hand.iter().rev().find(|best| best.spent <= spent).map(|best| best.loss)
        });
        Some(best.sum::<Option<f64>>()? / plays.len() as f64)
    };
    let budget = plays.iter().map(|ways| ways[0].1.budget).sum::<f64>() / plays.len() as f64;
    let lines: Vec<Vec<(f64, f64)>> = (0..Way::ALL.len())
        .map(|way| {
            let shares = (0..=POINTS).map(|at| f64::from(at) / f64::from(POINTS));
            shares.filter_map(|share| Some((share * budget, mean(way, share)?))).collect()
        })
        .collect();
    let ends = || lines.iter().filter_map(|line| Some(line.last()?.1));
    let (least, most) = (ends().fold(f64::INFINITY, f64::min), ends().fold(0.0, f64::max));
    // The first runs may be far worse than what is compared.
    let highest = least + BEFORE * (most - least);
    let shown = lines.iter().flatten().map(|(_, loss)| loss.min(highest));
    let scale = Scale::around(false, shown);
    let keys = Way::ALL
        .iter()
        .zip(LOOKS)
        .map(|(way, look)| Key::line(&format!("line {look}"), way.name()));
    let title = match plays.len() {
        1 => "Best finished run over money".to_owned(),
        seeds => format!("Best finished run over money, mean of {seeds} seeds"),
    };
    let x = ("seconds of training", Along::Numbers(Scale::exact(0.0, budget)));
    let plan = Plan::new(&title, x, ("validation loss", Along::Numbers(scale)));
    let plan = Plan { size: (720.0, 360.0), beside: 64.0, keys: keys.collect(), ..plan };
    let mut frame = Frame::new(plan);
    for (line, look) in lines.into_iter().zip(LOOKS) {
        frame.curve(&format!("line {look}"), steps(line));
    }
    write_picture(path, [frame.close()])
}
