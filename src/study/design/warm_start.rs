//! What to begin with, after earlier studies of like tasks.

use std::collections::BTreeMap;

use crate::data::{Domain, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::study::design::design::distance;
use crate::study::design::first::{self, Setting};
use crate::study::record::{Record, Row};
use crate::surrogate::Taken;

/// How many of the best settings of each study may be chosen.
const BEST: usize = 3;

/// The settings that did best in earlier studies of like tasks: a portfolio for
/// [`StudyBuilder::first`](crate::study::StudyBuilder::first), the most promising one first.
///
/// Outcomes of two tasks have other scales, and so only ranks count. What a setting would have done
/// in a study is taken from the trial nearest to it: `r`, the share of that study's trials that did
/// better. The `k`-th setting makes the mean over all studies of the least `r` among the settings
/// chosen so far as small as possible. So it helps most where the others do not. Chosen are settings
/// among the best three of each study. If earlier studies mislead, this costs `count` trials.
///
/// ```
/// use gittins::study::warm_start;
/// use gittins::{Outcome, Space, Study};
///
/// let space = || Space::new().float("x", 0.0, 1.0);
/// let mut earlier = Study::minimize(space()).build()?;
/// for _ in 0..9 {
///     let ask = earlier.ask()?;
///     let x: f64 = ask.get("x")?;
///     earlier.tell(ask.id(), Outcome::new((x - 0.3).abs()))?;
/// }
/// let first = warm_start(space(), &[earlier.record()], 2)?;
/// let mut study = first.into_iter().fold(Study::minimize(space()), |builder, one| builder.first(one));
/// assert!((study.build()?.ask()?.get::<f64>("x")? - 0.3).abs() < 0.1);
/// # Ok::<(), gittins::Error>(())
/// ```
///
/// Only complete trials count that held all limits, and trials by items by what is believed of them.
/// Parameters that the domain does not have are left out. A trial that lacks one, or is out of the
/// bounds, is passed over.
///
/// # Errors
/// `Empty` if no trial of the earlier studies is left; the message says what was wrong with the first
/// one. Those of [`Space::validate`](crate::Space::validate).
pub fn warm_start(
    domain: impl Into<Domain>,
    earlier: &[Record],
    count: usize,
) -> Result<Vec<BTreeMap<String, Value>>> {
    let domain = domain.into();
    domain.validate()?;
    let mut refused = None;
    let studies = earlier.iter().map(|record| Earlier::new(&domain, record, &mut refused));
    let studies: Vec<Earlier> = studies.filter(|study| !study.tried.is_empty()).collect();
    if studies.is_empty() {
        let why = refused.map_or_else(|| "there is none".to_owned(), |error| error.to_string());
        let message = format!("no complete trial of the earlier studies is in this space: {why}");
        return Err(Error::new(ErrorKind::Empty, message));
    }
    let mut seen = Taken::default();
    let best = studies.iter().flat_map(|study| study.tried.iter().take(BEST));
    let mut candidates: Vec<Candidate<'_>> = best
        .filter(|tried| seen.insert(&tried.unit))
        .map(|tried| Candidate {
            setting: &tried.setting,
            ranks: studies.iter().map(|study| study.rank_at(&tried.unit)).collect(),
        })
        .collect();
    let mut least = vec![1.0; studies.len()];
    let mut chosen = Vec::new();
    while chosen.len() < count {
        let worth = |candidate: &Candidate<'_>| {
            let own = candidate.ranks.iter();
            let joint: f64 = own.clone().zip(&least).map(|(own, least)| own.min(*least)).sum();
            (joint, own.sum::<f64>())
        };
        let worths = candidates.iter().map(worth).enumerate();
        let next = worths.min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let Some((next, _)) = next else { break };
        let next = candidates.remove(next);
        least.iter_mut().zip(&next.ranks).for_each(|(least, own)| *least = least.min(*own));
        chosen.push(next.setting.clone());
    }
    Ok(chosen)
}

/// A setting that may be chosen, and its rank in each study.
struct Candidate<'a> {
    setting: &'a Setting,
    ranks: Vec<f64>,
}

/// A trial of an earlier study.
struct Tried {
    setting: Setting,
    unit: Vec<f64>,
    /// The share of the study's trials that did better.
    rank: f64,
}

/// The trials of an earlier study, the best first.
struct Earlier {
    tried: Vec<Tried>,
}

impl Earlier {
    /// Why a trial was passed over is kept of the first one.
    fn new(domain: &Domain, record: &Record, refused: &mut Option<Error>) -> Self {
        let names = domain.names();
        let setting = |row: &Row| -> Setting {
            let values = row.point.values.iter();
            let known = values
                .filter(|(name, value)| names.contains(&name.as_str()) && *value != Value::Absent);
            known.cloned().collect()
        };
        let mut found = Vec::new();
        for row in record.rows() {
            let Some(outcome) = row.usable_outcome().or(row.believed) else { continue };
            let setting = setting(row);
            match first::point(domain, &setting) {
                Ok(point) => found.push((row.direction.sign() * outcome, setting, point.unit)),
                Err(error) => {
                    refused.get_or_insert(error);
                }
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let outcomes: Vec<f64> = found.iter().map(|(outcome, ..)| *outcome).collect();
        let rank = |outcome: f64| {
            outcomes.partition_point(|other| *other > outcome) as f64 / outcomes.len() as f64
        };
        let tried = found.into_iter().map(|(outcome, setting, unit)| Tried {
            setting,
            unit,
            rank: rank(outcome),
        });
        Self { tried: tried.collect() }
    }

    /// The rank of the trial nearest to a point, of equals the better one.
    fn rank_at(&self, unit: &[f64]) -> f64 {
        let at = |tried: &Tried| distance(&tried.unit, unit);
        let nearest = self.tried.iter().min_by(|a, b| at(a).total_cmp(&at(b)));
        nearest.map_or(1.0, |tried| tried.rank)
    }
}
