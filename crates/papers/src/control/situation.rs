//! From the posterior to the set to play and its values.

use gittins::internals::{Stream, Taken, around, refused, seed};
use gittins::posterior::Paths;
use gittins::suggest::Surrogate;
use gittins::{Backend, Error, ErrorKind, Observations, Points, Posterior, Result, Space};

use crate::control::decision::Decision;
use crate::control::lattice::on_lattice;
use crate::control::policy::{PathIncumbent, SetChoice, SetScore, SubsetPolicy};
use crate::control::scores::bound::UpperBounds;
use crate::control::scores::objective::Objective;
use crate::control::scores::paths::ExpectedPaths;
use crate::control::search::{BestQuery, SetSearch};
use crate::control::select::{Exploration, select};
use crate::control::sets::{BoundSets, ControlSet};

/// The largest number of points that are compared, if that of a query was taken.
const FREE: usize = 4096;

/// The state from which a decision is made.
pub(super) struct Situation<'a> {
    pub surrogate: &'a Surrogate,
    pub space: &'a Space,
    pub sets: &'a BoundSets,
    pub policy: &'a SubsetPolicy,
    /// Draws of all variables, which stand for what nature may do.
    pub samples: &'a Points,
    /// The sets left to explore, if the policy explores.
    pub exploration: Option<&'a Exploration>,
    /// The trials after the initial design, this one included.
    pub trial: usize,
    pub observations: &'a Observations,
    /// Points at which another outcome would tell nothing, or one is pending.
    pub taken: &'a Taken,
    /// The sets and queries of the complete trials that were played.
    pub played: &'a [(usize, &'a [f64])],
    /// The ends of the last search of each set.
    pub hints: &'a [Points],
    /// How hard each set is searched.
    pub search: SetSearch,
    pub backend: &'a dyn Backend,
    pub seed: u64,
}

impl Situation<'_> {
    /// The decision, and the best query of each set that was searched.
    pub fn decide(&self) -> Result<(Decision, Vec<(usize, BestQuery)>)> {
        let exploring = self.exploration.and_then(Exploration::turn);
        let relaxation = match &self.policy.choice {
            SetChoice::Relaxed(relaxation) => {
                self.surrogate.scale().apply_difference(relaxation.at(self.trial)?)
            }
            SetChoice::PerUnitCost | SetChoice::ExploreThenCommit(_) => 0.0,
        };
        let candidates = self.candidates(exploring.map(|(cost, _)| cost), relaxation);
        let all = self.sets.sets();
        let sets: Vec<&ControlSet> = candidates.iter().map(|&set| &all[set]).collect();
        let best = self.search(&sets, &candidates)?;
        let costs: Vec<f64> = sets.iter().map(|set| set.cost).collect();
        let values: Vec<f64> = best.iter().map(|best| best.value).collect();
        let chosen = match self.policy.choice {
            SetChoice::PerUnitCost => {
                let rates: Vec<f64> =
                    values.iter().zip(&costs).map(|(value, cost)| value / cost).collect();
                select(&rates, &costs, 0.0)
            }
            SetChoice::Relaxed(_) | SetChoice::ExploreThenCommit(_) => {
                select(&values, &costs, relaxation)
            }
        };
        let chosen = chosen.ok_or_else(|| {
            Error::new(ErrorKind::NonFinite, "the score of no control set is a number")
        })?;
        let query = self.not_again(sets[chosen], &best[chosen].query)?;
        let mut shown = vec![None; all.len()];
        candidates
            .iter()
            .zip(&values)
            .for_each(|(&set, &value)| shown[set] = Some(self.in_units(value)));
        let decision = Decision {
            set: candidates[chosen],
            query,
            values: shown,
            exploring,
            score: self.policy.score,
        };
        Ok((decision, candidates.into_iter().zip(best).collect()))
    }

    /// The query. If its set leaves nothing to nature, its point was evaluated already and another
    /// outcome there would tell nothing, it is instead the query a step away with the largest
    /// posterior mean. In a finite space it is that of all points that were not taken.
    fn not_again(&self, set: &ControlSet, query: &[f64]) -> Result<Vec<f64>> {
        let told =
            |point: &[f64]| self.observations.iter().any(|observation| observation.point == point);
        let mut unit = vec![0.5; self.space.dim()];
        set.place(query, &mut unit);
        let posterior = self.surrogate.posterior();
        if set.random.is_empty() && self.space.is_finite() && self.taken.contains(&unit) {
            let is_free = |unit: &[f64]| !self.taken.contains(unit);
            let free = self.space.view().first(FREE, is_free, || 0.5);
            if free.is_empty() {
                return Err(refused::exhausted());
            }
            let means = posterior.moments(&free)?.mean;
            let best = (1..free.len()).fold(0, |a, b| if means[b] > means[a] { b } else { a });
            return Ok(set.part(free.row(best)));
        }
        if !set.random.is_empty()
            || self.space.is_finite()
            || self.surrogate.worth_repeating()
            || !told(&unit)
        {
            return Ok(query.to_vec());
        }
        let steps = around(
            self.space,
            &unit,
            &posterior.hyperparameters().lengthscales,
            seed(self.seed, Stream::Jitter, self.trial),
        );
        let means = posterior.moments(&steps)?.mean;
        let free = (0..steps.len()).filter(|&step| !told(steps.row(step)));
        let best = free.reduce(|best, step| if means[step] > means[best] { step } else { best });
        Ok(best.map_or_else(|| query.to_vec(), |step| set.part(steps.row(step))))
    }

    /// The sets that may be chosen. An expectation is no larger than a maximum. Without a relaxation
    /// therefore only sets that control everything compete, if there are any. That holds for each
    /// path, hence for improvements too.
    fn candidates(&self, turn: Option<f64>, relaxation: f64) -> Vec<usize> {
        let all = self.sets.sets();
        let matching = |test: &dyn Fn(&ControlSet) -> bool| -> Vec<usize> {
            (0..all.len()).filter(|&set| test(&all[set])).collect()
        };
        if let Some(cost) = turn {
            return matching(&|set| set.cost == cost);
        }
        let full = matching(&|set| set.random.is_empty());
        let by_value = self.policy.choice != SetChoice::PerUnitCost && relaxation == 0.0;
        if by_value && !full.is_empty() { full } else { (0..all.len()).collect() }
    }

    fn search(&self, sets: &[&ControlSet], candidates: &[usize]) -> Result<Vec<BestQuery>> {
        let posterior = self.surrogate.posterior();
        let mut search =
            SetSearch { seed: seed(self.seed, Stream::Search, self.trial), ..self.search };
        let hints: Vec<Points> = candidates.iter().map(|&set| self.hints[set].clone()).collect();
        let objective: Box<dyn Objective + '_> = match self.policy.score {
            SetScore::UpperBound { beta } => {
                Box::new(UpperBounds::new(posterior, sets, self.samples, beta, self.backend)?)
            }
            SetScore::Thompson { features } => {
                Box::new(self.paths(posterior, sets, features, 1)?.0)
            }
            SetScore::ExpectedImprovement { paths, features, incumbent } => {
                // A thousand as published.
                search.raw_full = search.raw_full.div_ceil(10);
                let (expected, drawn) = self.paths(posterior, sets, features, paths)?;
                let incumbents = self.incumbents(posterior, &drawn, incumbent)?;
                Box::new(expected.beyond(incumbents)?)
            }
        };
        let best = search.run(&*objective, sets, &hints)?;
        if !self.space.has_cells() {
            return Ok(best);
        }
        on_lattice(self.space, &*objective, sets, best)
    }

    fn paths<'b>(
        &self,
        posterior: &'b Posterior,
        sets: &[&'b ControlSet],
        features: usize,
        count: usize,
    ) -> Result<(ExpectedPaths<'b>, Paths)> {
        let paths =
            Paths::draw(posterior, features, count, seed(self.seed, Stream::Path, self.trial))?;
        Ok((ExpectedPaths::new(posterior, &paths, sets, self.samples)?, paths))
    }

    fn incumbents(
        &self,
        posterior: &Posterior,
        paths: &Paths,
        incumbent: PathIncumbent,
    ) -> Result<Vec<f64>> {
        if incumbent == PathIncumbent::Observed || self.played.is_empty() {
            let values = paths.values(&self.observations.complete().0)?;
            return Ok(values.row_iter().map(|row| row.max()).collect());
        }
        let sets: Vec<&ControlSet> = self.sets.sets().iter().collect();
        let expected = ExpectedPaths::new(posterior, paths, &sets, self.samples)?;
        let mut incumbents = vec![f64::NEG_INFINITY; paths.len()];
        for &(set, query) in self.played {
            let values = expected.values(set, query)?;
            incumbents.iter_mut().zip(values).for_each(|(best, value)| *best = best.max(value));
        }
        Ok(incumbents)
    }

    /// A score in the user's outcome units.
    fn in_units(&self, value: f64) -> f64 {
        let (scale, sign) = (self.surrogate.scale(), self.surrogate.direction().sign());
        match self.policy.score {
            SetScore::UpperBound { .. } | SetScore::Thompson { .. } => sign * scale.undo(value),
            SetScore::ExpectedImprovement { .. } => scale.undo_difference(value),
        }
    }
}
