//! What partial queries of a problem are worth on average.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{Function, SquaredExponentials};
use crate::error::Result;
use crate::math::points::Points;
use crate::subsets::{Best, BoundSets, ControlSet, Expected, Objective, SetSearch};

/// The objective of a problem averaged over what nature does, for the queries of each control set: exactly, or as the mean over given draws.
#[derive(Debug, Clone)]
pub struct ExpectedObjective<'a>(Form<'a>);

#[derive(Debug, Clone)]
enum Form<'a> {
    /// A function of the controlled coordinates for each set.
    Exact(Vec<SquaredExponentials>),
    Mean {
        function: &'a Function,
        sets: Vec<ControlSet>,
        samples: Points,
    },
}

impl<'a> ExpectedObjective<'a> {
    pub(super) fn exact(sum: &SquaredExponentials, sets: &BoundSets) -> Result<Self> {
        let sums = sets.sets().iter().map(|set| sum.expected(set, sets.laws())).collect::<Result<_>>()?;
        Ok(Self(Form::Exact(sums)))
    }

    pub(super) fn mean(function: &'a Function, sets: &BoundSets, samples: Points) -> Self {
        Self(Form::Mean { function, sets: sets.sets().to_vec(), samples })
    }

    /// What a query of a set is worth.
    ///
    /// # Panics
    /// If there is no such set, or the query has another number of coordinates than it controls.
    pub fn value(&self, set: usize, query: &[f64]) -> f64 {
        self.at(set, query, usize::MAX, None)
    }

    /// The same, with the gradient by the controlled coordinates, which is overwritten.
    ///
    /// # Panics
    /// If there is no such set, or query or gradient have another number of coordinates than it controls.
    pub fn value_and_gradient(&self, set: usize, query: &[f64], gradient: &mut [f64]) -> f64 {
        self.at(set, query, usize::MAX, Some(gradient))
    }

    /// The best query of each set: climbs from the best of many quasi-random ones. Exact values are right to about 1e-8; a narrow peak may be missed.
    ///
    /// # Errors
    /// Those of [`SetSearch::run`].
    pub fn best(&self) -> Result<Vec<Best>> {
        let (raw, starts) = match self.0 {
            Form::Exact(_) => (8192, 32),
            Form::Mean { .. } => (256, 8),
        };
        SetSearch { raw, starts, max_iterations: 200, ..SetSearch::new(0) }.run(self, &[])
    }

    fn at(&self, set: usize, query: &[f64], count: usize, mut gradient: Option<&mut [f64]>) -> f64 {
        let (function, set, samples) = match (&self.0, gradient.as_deref_mut()) {
            (Form::Exact(sums), None) => return sums[set].value(query),
            (Form::Exact(sums), Some(gradient)) => return sums[set].value_and_gradient(query, gradient),
            (Form::Mean { function, sets, samples }, _) => (function, &sets[set], samples),
        };
        assert_eq!(query.len(), set.controlled.len(), "a coordinate for each variable that the set controls");
        if let Some(gradient) = gradient.as_deref_mut() {
            gradient.fill(0.0);
        }
        let count = if set.random.is_empty() { 1 } else { count.min(samples.len()) };
        let share = 1.0 / count as f64;
        let (mut point, mut slopes) = (vec![0.0; samples.dim()], vec![0.0; samples.dim()]);
        let mut sum = 0.0;
        for sample in samples.rows().take(count) {
            point.copy_from_slice(sample);
            set.controlled.iter().zip(query).for_each(|(&k, z)| point[k] = *z);
            sum += match gradient.as_deref_mut() {
                None => function.value(&point),
                Some(gradient) => {
                    let value = function.value_and_gradient(&point, &mut slopes);
                    gradient.iter_mut().zip(&set.controlled).for_each(|(slope, &k)| *slope += share * slopes[k]);
                    value
                }
            };
        }
        share * sum
    }
}

impl Objective for ExpectedObjective<'_> {
    fn widths(&self) -> Vec<usize> {
        match &self.0 {
            Form::Exact(sums) => sums.iter().map(SquaredExponentials::dim).collect(),
            Form::Mean { sets, .. } => sets.iter().map(|set| set.controlled.len()).collect(),
        }
    }

    fn samples(&self) -> usize {
        match &self.0 {
            Form::Exact(_) => 1,
            Form::Mean { samples, .. } => samples.len(),
        }
    }

    fn evaluate(&self, queries: &[Points], samples: usize, gradient: bool) -> Result<Vec<Expected>> {
        let one = |set: usize, query: &[f64]| {
            let mut slopes = vec![0.0; if gradient { query.len() } else { 0 }];
            let value = self.at(set, query, samples, gradient.then_some(&mut slopes));
            (value, slopes)
        };
        let all = |(set, queries): (usize, &Points)| {
            let rows: Vec<(f64, Vec<f64>)> = (0..queries.len()).into_par_iter().map(|row| one(set, queries.row(row))).collect();
            let (value, slopes): (Vec<f64>, Vec<Vec<f64>>) = rows.into_iter().unzip();
            Expected { value, gradient: slopes.concat() }
        };
        Ok(queries.iter().enumerate().map(all).collect())
    }
}
