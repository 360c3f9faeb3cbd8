//! The average value of partial queries of a problem.

use gittins::internals::Phase;
use gittins::{Points, Result};
use gittins_papers::control::SetSearch;
use gittins_papers::control::internals::{BestQuery, BoundSets, ControlSet, Expected, Objective};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::function::Function;
use crate::exponentials::SquaredExponentials;

/// Draws that a search of queries averages over before it settles the best ones over all draws.
const SCREEN: usize = 64;

/// The objective of a problem, averaged over nature's draws, for the queries of each control set.
/// The average is exact, or a mean over given draws.
#[derive(Debug, Clone)]
pub struct ExpectedObjective<'a> {
    sets: Vec<ControlSet>,
    form: Form<'a>,
}

#[derive(Debug, Clone)]
enum Form<'a> {
    /// A function of the controlled coordinates for each set.
    Exact(Vec<SquaredExponentials>),
    Mean {
        function: &'a Function,
        samples: Points,
    },
}

impl<'a> ExpectedObjective<'a> {
    pub(super) fn exact(sum: &SquaredExponentials, sets: &BoundSets) -> Result<Self> {
        let sums =
            sets.sets().iter().map(|set| sum.expected(set, sets.laws())).collect::<Result<_>>()?;
        Ok(Self { sets: sets.sets().to_vec(), form: Form::Exact(sums) })
    }

    pub(super) fn mean(function: &'a Function, sets: &BoundSets, samples: Points) -> Self {
        Self { sets: sets.sets().to_vec(), form: Form::Mean { function, samples } }
    }

    /// The average value of a query of a set.
    ///
    /// # Panics
    /// If there is no such set, or the query has another number of coordinates than it controls.
    pub fn value(&self, set: usize, query: &[f64]) -> f64 {
        self.at(set, query, usize::MAX, None)
    }

    /// The same, with the gradient by the controlled coordinates, which is overwritten.
    ///
    /// # Panics
    /// If there is no such set, or the query or the gradient has another number of coordinates than
    /// it controls.
    pub fn value_and_gradient(&self, set: usize, query: &[f64], gradient: &mut [f64]) -> f64 {
        self.at(set, query, usize::MAX, Some(gradient))
    }

    /// The best query of each set, by climbs from the best of many quasi-random ones. Exact values
    /// are right to about 1e-8. The search may miss a narrow peak.
    ///
    /// # Errors
    /// Those of [`SetSearch::run`].
    pub fn best(&self) -> Result<Vec<BestQuery>> {
        let search = SetSearch { max_iterations: 200, ..SetSearch::new(0) };
        let search = match self.form {
            Form::Exact(_) => SetSearch { raw: 8192, raw_full: 8192, starts: 32, ..search },
            Form::Mean { .. } => SetSearch { raw: 256, starts: 8, ..search },
        };
        search.run(self, &self.sets.iter().collect::<Vec<_>>(), &[])
    }

    fn at(&self, set: usize, query: &[f64], count: usize, mut gradient: Option<&mut [f64]>) -> f64 {
        let (function, samples) = match (&self.form, gradient.as_deref_mut()) {
            (Form::Exact(sums), None) => return sums[set].value(query),
            (Form::Exact(sums), Some(gradient)) => {
                return sums[set].value_and_gradient(query, gradient);
            }
            (Form::Mean { function, samples }, _) => (function, samples),
        };
        let set = &self.sets[set];
        assert_eq!(
            query.len(),
            set.controlled.len(),
            "a coordinate for each variable that the set controls"
        );
        if let Some(gradient) = gradient.as_deref_mut() {
            gradient.fill(0.0);
        }
        let count = if set.random.is_empty() { 1 } else { count.min(samples.len()) };
        let share = 1.0 / count as f64;
        let mut point = vec![0.0; samples.dim()];
        let mut slopes = vec![0.0; samples.dim()];
        let mut sum = 0.0;
        for sample in samples.rows().take(count) {
            point.copy_from_slice(sample);
            set.place(query, &mut point);
            sum += match gradient.as_deref_mut() {
                None => function.value(&point),
                Some(gradient) => {
                    let value = function.value_and_gradient(&point, &mut slopes);
                    gradient
                        .iter_mut()
                        .zip(&set.controlled)
                        .for_each(|(slope, &k)| *slope += share * slopes[k]);
                    value
                }
            };
        }
        share * sum
    }
}

impl Objective for ExpectedObjective<'_> {
    fn evaluate(&self, queries: &[Points], phase: Phase, gradient: bool) -> Result<Vec<Expected>> {
        let count = if phase == Phase::Find { SCREEN } else { usize::MAX };
        let one = |set: usize, query: &[f64]| {
            let mut slopes = vec![0.0; if gradient { query.len() } else { 0 }];
            let value = self.at(set, query, count, gradient.then_some(&mut slopes));
            (value, slopes)
        };
        let all = |(set, queries): (usize, &Points)| {
            let rows: Vec<(f64, Vec<f64>)> =
                (0..queries.len()).into_par_iter().map(|row| one(set, queries.row(row))).collect();
            rows.into()
        };
        Ok(queries.iter().enumerate().map(all).collect())
    }
}
