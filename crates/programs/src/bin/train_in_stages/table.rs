//! What each way brought, over all seeds.

use serde::Serialize;

use crate::account::{Account, Ending};
use crate::ways::Way;

/// The means over seeds of one way. Of seeds in which no run finished, there is no loss.
#[derive(Serialize)]
pub struct Line {
    way: &'static str,
    loss: Option<f64>,
    test_error: Option<f64>,
    begun: f64,
    finished: f64,
    /// How many seconds were spent.
    seconds: f64,
    /// The seconds until a finished run was as good as the last of the worst way of its seed.
    level: Option<f64>,
}

/// The mean; none if one is missing.
fn mean(numbers: impl ExactSizeIterator<Item = Option<f64>>) -> Option<f64> {
    let count = numbers.len() as f64;
    Some(numbers.sum::<Option<f64>>()? / count)
}

impl Line {
    /// All lines of these seeds.
    pub fn all(plays: &[Vec<(Way, Account<'_>)>]) -> Vec<Self> {
        let last = |account: &Account<'_>| account.in_hand.last().copied();
        let line = |(at, way): (usize, Way)| {
            let of = |ways: &Vec<(Way, Account<'_>)>, number: fn(&Account<'_>) -> f64| {
                Some(number(&ways[at].1))
            };
            let level = |ways: &Vec<(Way, Account<'_>)>| {
                let ends = ways.iter().map(|(_, account)| last(account).map(|best| best.loss));
                let worst = ends.collect::<Option<Vec<f64>>>()?.into_iter().fold(0.0, f64::max);
                ways[at].1.reached(worst)
            };
            let every = |number: fn(&Account<'_>) -> f64| {
                mean(plays.iter().map(|ways| of(ways, number))).unwrap_or_default()
            };
            Self {
                way: way.name(),
                loss: mean(plays.iter().map(|ways| Some(last(&ways[at].1)?.loss))),
                test_error: mean(plays.iter().map(|ways| Some(last(&ways[at].1)?.test_error))),
                begun: every(|account| account.runs.len() as f64),
                finished: every(|account| account.count(Ending::Finished) as f64),
                seconds: every(|account| account.spent),
                level: mean(plays.iter().map(level)),
            }
        };
        Way::ALL.into_iter().enumerate().map(line).collect()
    }

    /// The names of the columns.
    pub fn header() -> String {
        format!(
            "{:<18} {:>8} {:>10} {:>7} {:>8} {:>8} {:>8}",
            "way", "loss", "test error", "begun", "finished", "seconds", "to level"
        )
    }

    pub fn text(&self) -> String {
        let number = |number: Option<f64>, digits: usize| {
            number.map_or("-".to_owned(), |number| format!("{number:.digits$}"))
        };
        let Self { way, loss, test_error, begun, finished, seconds, level } = self;
        format!(
            "{way:<18} {:>8} {:>10} {begun:>7.1} {finished:>8.1} {seconds:>8.3} {:>8}",
            number(*loss, 4),
            number(*test_error, 4),
            number(*level, 3)
        )
    }
}
