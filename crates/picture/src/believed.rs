//! What is believed of means of items.

use std::cmp::Ordering;

use gittins::study::{Report, TrialState};
use gittins::{Study, Trial};

/// A trial of a study by items, and what is believed of its mean over all of them.
#[derive(Debug, Clone, Copy)]
pub struct Believed<'a> {
    /// The trial.
    pub trial: &'a Trial,
    /// How many of the items it has seen.
    pub items: f64,
    /// The believed mean over all items; that of those it has seen while nothing is believed.
    pub mean: f64,
    /// The deviation of that mean, none while nothing is believed.
    pub sd: Option<f64>,
    /// Whether it is the best one by what is known.
    pub is_best: bool,
}

/// The trials of a study by items that reported and did not break, the best means first.
///
/// A mean over all items is known of trials that have seen them all, and believed of others once the
/// design of the study is over. Empty if trials are no means of items.
///
/// ```
/// use gittins::study::Stages;
/// use gittins::{Space, Study};
/// let space = Space::new().choice("model", ["small", "large"]);
/// let mut study = Study::maximize(space).stages(Stages::items(100)).build()?;
/// for right in [0.5, 1.0] {
///     let ask = study.ask()?;
///     study.report(ask.id(), ask.until(), right, 0.1)?;
/// }
/// let believed = picture::believed(&study);
/// assert_eq!((believed[0].items, believed[0].mean), (2.0, 1.0));
/// # Ok::<(), gittins::Error>(())
/// ```
pub fn believed(study: &Study) -> Vec<Believed<'_>> {
    if study.stages().is_none_or(|stages| !stages.are_items()) {
        return Vec::new();
    }
    let best = study.best().map(|trial| trial.id);
    let mut all: Vec<Believed<'_>> = study
        .history()
        .iter()
        .filter(|trial| !matches!(trial.state, TrialState::Failed | TrialState::Infeasible))
        .filter_map(|trial| {
            let last = trial.reports.last()?;
            let (mean, sd) = mean_of(study, trial, last);
            let is_best = best == Some(trial.id);
            Some(Believed { trial, items: last.progress, mean, sd, is_best })
        })
        .collect();
    let sign = study.direction().sign();
    all.sort_by(|one, other| by_mean(sign * one.mean, sign * other.mean));
    all
}

/// The first of them, so many at most. The best one by what is known is among them, though it need
/// not have the best mean.
pub fn foremost<'a>(all: &[Believed<'a>], most: usize) -> Vec<Believed<'a>> {
    let (first, rest) = all.split_at(all.len().min(most));
    let mut first = first.to_vec();
    if let (Some(best), Some(last)) = (rest.iter().find(|one| one.is_best), first.last_mut()) {
        *last = *best;
    }
    first
}

/// The mean of a trial over all items and its deviation. One that cannot be computed is that of the
/// items so far.
fn mean_of(study: &Study, trial: &Trial, last: &Report) -> (f64, Option<f64>) {
    if trial.state == TrialState::Complete {
        return (last.outcome, Some(0.0));
    }
    let forecast = study.forecast_end(trial.id).ok().flatten();
    forecast.map_or((last.outcome, None), |of| (of.mean, Some(of.sd)))
}

/// Larger numbers first, and last what is none.
fn by_mean(one: f64, other: f64) -> Ordering {
    one.is_nan().cmp(&other.is_nan()).then(other.total_cmp(&one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_comes_last() {
        let mut means = [f64::NAN, 1.0, f64::INFINITY, -f64::NAN, 2.0];
        means.sort_by(|one, other| by_mean(*one, *other));
        assert_eq!(means[..3], [f64::INFINITY, 2.0, 1.0]);
        assert!(means[3].is_nan() && means[4].is_nan());
    }
}
