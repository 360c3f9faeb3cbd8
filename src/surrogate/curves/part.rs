//! The reports that a fit sees.

use super::answers::Answers;
use super::entry::Entry;
use super::kernel::Curveset;
use super::scale::Scale;
use crate::data::trial::trial::Trial;

/// A fit sees no more reports than this.
const FITTED: usize = 220;

/// The reports that a fit sees: whole curves, those of the runs that came furthest first, and an
/// even draw of the rest. Answers have the deviations of items, where these are known.
pub fn part(runs: &[Trial], log: &[Entry], scale: &Scale, answers: Option<&Answers>) -> Curveset {
    let mut entries: Vec<Vec<Entry>> = vec![Vec::new(); runs.len()];
    for entry in log {
        entries[entry.run].push(*entry);
    }
    let mut order: Vec<usize> = (0..runs.len()).filter(|&run| !entries[run].is_empty()).collect();
    order.sort_by_key(|&run| std::cmp::Reverse(entries[run].len()));
    let mut chosen = Vec::new();
    if log.len() <= FITTED {
        chosen = order;
    } else {
        let mut room = FITTED;
        let mut rest = order.into_iter();
        for run in rest.by_ref() {
            room = room.saturating_sub(entries[run].len());
            chosen.push(run);
            if room <= FITTED / 2 {
                break;
            }
        }
        let rest: Vec<usize> = rest.collect();
        let left: usize = rest.iter().map(|&run| entries[run].len()).sum();
        let every = (left as f64 / room as f64).max(1.0);
        let mut place = 0.0;
        while (place as usize) < rest.len() && room > 0 {
            let run = rest[place as usize];
            room = room.saturating_sub(entries[run].len());
            chosen.push(run);
            place += every;
        }
    }
    chosen.sort_unstable();
    let mut data = Curveset::default();
    for run in chosen {
        let start = data.shares.len();
        data.settings.push(runs[run].unit.clone());
        data.deviations
            .push(answers.map_or(1.0, |answers| scale.difference(answers.deviation(Some(run)))));
        for entry in &entries[run] {
            data.shares.push(entry.share);
            data.values.push(scale.value(entry));
        }
        data.rows.push(start..data.shares.len());
    }
    data
}
