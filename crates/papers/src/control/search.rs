//! The best query of each control set.

use gittins::internals::lbfgsb::{Lbfgsb, Settings, Status};
use gittins::internals::{Phase, chosen, mix, orderable};
use gittins::math::Sobol;
use gittins::{Error, ErrorKind, Points, Result};

use crate::control::scores::objective::{Expected, Objective};
use crate::control::sets::{ControlSet, check_width};

/// The best query found of a set.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BestQuery {
    /// The controlled coordinates, in the unit cube.
    pub query: Vec<f64>,
    /// Its value, on all completions.
    pub value: f64,
}

/// How hard each set is searched.
///
/// Raw queries and first climbs see the objective as it is for [finding](Phase::Find): a place with
/// the largest mean over all completions has a large mean over a quasi-random part of them. The
/// best two places at which these climbs end are then compared in full, and the last climb, with
/// the objective in full, begins at the better one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SetSearch {
    /// Scrambled Sobol queries of a set that leaves something to nature.
    pub raw: usize,
    /// Those of a set that controls everything, whose queries take one evaluation each.
    pub raw_full: usize,
    /// Climbs from the best of them.
    pub starts: usize,
    /// Iterations of a climb at most.
    pub max_iterations: usize,
    /// The seed of the raw queries and of the choice of starts.
    pub seed: u64,
}

/// Ends of climbs that are compared in full.
const COMPARED: usize = 2;
/// Ends this near to each other are one place.
const SAME: f64 = 1e-2;

impl SetSearch {
    /// A hundred raw queries a set, ten thousand of a set that controls everything, and five
    /// climbs, as in the publication.
    pub fn new(seed: u64) -> Self {
        Self { raw: 100, raw_full: 10_000, starts: 5, max_iterations: 50, seed }
    }

    /// Checks that there is something to begin with.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] without raw queries or starts.
    pub(crate) fn validate(&self) -> Result<()> {
        if self.raw == 0 || self.raw_full == 0 || self.starts == 0 {
            let message = format!(
                "a search needs at least one query and one start, got {}, {} and {}",
                self.raw, self.raw_full, self.starts
            );
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        Ok(())
    }

    /// The best query of each set. `hints` are queries of each set that are tried too, any number
    /// of them.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] without raw queries or starts, [`ErrorKind::Dimension`] for
    /// hints of another width, and those of the objective.
    #[doc(hidden)]
    pub fn run(
        &self,
        objective: &dyn Objective,
        sets: &[&ControlSet],
        hints: &[Points],
    ) -> Result<Vec<BestQuery>> {
        self.validate()?;
        let raw = |set: &ControlSet| if set.random.is_empty() { self.raw_full } else { self.raw };
        let sobol = |set: &&ControlSet| {
            let axes = set.controlled.iter().fold(0, |axes, &k| mix(axes ^ (k as u64 + 1)));
            Sobol::new(set.controlled.len(), mix(self.seed ^ axes)).points(0, raw(set))
        };
        let mut queries: Vec<Points> = sets.iter().map(sobol).collect();
        for ((queries, hints), set) in queries.iter_mut().zip(hints).zip(sets) {
            if hints.is_empty() {
                continue;
            }
            check_width(set, hints)?;
            queries.extend(hints);
        }
        let scanned = objective.evaluate(&queries, Phase::Find, false)?;
        let starts = queries.iter().zip(&scanned).zip(sets).map(|((queries, scanned), set)| {
            let hints = queries.len() - raw(set);
            queries.select(chosen(&scanned.value, hints, self.starts, self.seed))
        });
        let ends = self.climb(objective, &starts.collect::<Vec<_>>(), Phase::Find)?;
        let places: Vec<Points> =
            ends.iter().zip(sets).map(|(ends, set)| distinct(ends, set.controlled.len())).collect();
        let settled = objective.evaluate(&places, Phase::Settle, false)?;
        let best_of =
            |(places, settled): (&Points, &Expected)| places.select(largest(&settled.value));
        let starts: Vec<Points> = places.iter().zip(&settled).map(best_of).collect();
        let best = self.climb(objective, &starts, Phase::Settle)?;
        best.into_iter()
            .map(|ends| {
                ends.into_iter()
                    .next()
                    .ok_or_else(|| Error::new(ErrorKind::Empty, "a set without a query"))
            })
            .collect()
    }

    /// Climbs from all starts of all sets in step; the ends of each set, best first.
    fn climb(
        &self,
        objective: &dyn Objective,
        starts: &[Points],
        phase: Phase,
    ) -> Result<Vec<Vec<BestQuery>>> {
        let settings = Settings { max_iterations: self.max_iterations, ..Settings::default() };
        let mut climbs: Vec<Vec<(Lbfgsb, BestQuery)>> = Vec::with_capacity(starts.len());
        for starts in starts {
            let lower = vec![0.0; starts.dim()];
            let upper = vec![1.0; starts.dim()];
            let begin = |start: &[f64]| {
                Ok((
                    Lbfgsb::new(start, &lower, &upper, &settings)?,
                    BestQuery { query: start.to_vec(), value: f64::NEG_INFINITY },
                ))
            };
            climbs.push(starts.rows().map(begin).collect::<Result<_>>()?);
        }
        loop {
            let mut queries: Vec<Points> =
                starts.iter().map(|starts| Points::new(starts.dim())).collect();
            for (climbs, queries) in climbs.iter().zip(&mut queries) {
                climbs
                    .iter()
                    .filter(|(state, _)| state.status() == Status::Running)
                    .for_each(|(state, _)| queries.push(state.point()));
            }
            if queries.iter().all(Points::is_empty) {
                break;
            }
            let found = objective.evaluate(&queries, phase, true)?;
            for ((climbs, queries), found) in climbs.iter_mut().zip(&queries).zip(found) {
                let width = queries.dim();
                let running =
                    climbs.iter_mut().filter(|(state, _)| state.status() == Status::Running);
                for (row, (state, best)) in running.enumerate() {
                    let value = orderable(found.value[row]);
                    if value > best.value {
                        *best = BestQuery { query: queries.row(row).to_vec(), value };
                    }
                    let slopes: Vec<f64> = found.gradient[row * width..(row + 1) * width]
                        .iter()
                        .map(|slope| -slope)
                        .collect();
                    state.advance(-found.value[row], &slopes);
                }
            }
        }
        let ranked = |climbs: Vec<(Lbfgsb, BestQuery)>| {
            let mut ends: Vec<BestQuery> = climbs.into_iter().map(|(_, best)| best).collect();
            ends.sort_by(|a, b| b.value.total_cmp(&a.value));
            ends
        };
        Ok(climbs.into_iter().map(ranked).collect())
    }
}

/// The place of the largest value, the first among equals.
pub(super) fn largest(values: &[f64]) -> Option<usize> {
    (0..values.len()).reduce(|best, row| {
        if orderable(values[row]) > orderable(values[best]) { row } else { best }
    })
}

/// The best few different ends.
fn distinct(ends: &[BestQuery], width: usize) -> Points {
    let mut places = Points::new(width);
    for end in ends {
        let near = |other: &[f64]| other.iter().zip(&end.query).all(|(a, b)| (a - b).abs() <= SAME);
        if places.len() < COMPARED && !places.rows().any(near) {
            places.push(&end.query);
        }
    }
    places
}
