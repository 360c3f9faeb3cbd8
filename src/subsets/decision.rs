//! From the posterior to the set to play and its values.

use std::fmt;

use crate::backend::Backend;
use crate::data::ParameterKind;
use crate::data::{Observations, Points, Space};
use crate::error::{Error, ErrorKind, Result};
use crate::math::decimal::decimal;
use crate::posterior::{Paths, Posterior};
use crate::study::TrialState;
use crate::subsets::bound::UpperBounds;
use crate::subsets::expectation::Expected;
use crate::subsets::paths::ExpectedPaths;
use crate::subsets::policy::{Choice, Incumbent, Score, SubsetPolicy};
use crate::subsets::search::{Best, Objective, Phase, SetSearch, largest};
use crate::subsets::select::{Exploration, select};
use crate::subsets::sets::{BoundSets, ControlSet};
use crate::subsets::trial::SubsetTrial;
use crate::suggest::{Stream, seed};
use crate::suggest::{Surrogate, inward};

/// Which set to play with which values, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The set.
    pub set: usize,
    /// The controlled coordinates, in the unit cube.
    pub query: Vec<f64>,
    /// What the score of its best query is for each set that could be chosen, in the user's outcome
    /// units: an expected bound or an expected path is turned back to the user's direction. None
    /// for a set that was no candidate: another group's turn, or one that cannot be better than a
    /// set that controls everything.
    pub values: Vec<Option<f64>>,
    /// While cheap sets are explored, the price of those whose turn it is and how many plays they
    /// have left, this one included.
    pub exploring: Option<(f64, usize)>,
    score: Score,
}

impl Decision {
    /// The score of the query chosen, in the user's outcome units.
    pub fn value(&self) -> f64 {
        self.values[self.set].unwrap_or(f64::NAN)
    }
}

/// What a decision is made from.
pub(super) struct Situation<'a> {
    pub surrogate: &'a Surrogate,
    pub space: &'a Space,
    pub sets: &'a BoundSets,
    pub policy: &'a SubsetPolicy,
    /// Draws of all variables, which stand for what nature may do.
    pub samples: &'a Points,
    /// What is left to explore, where the policy explores.
    pub exploration: Option<&'a Exploration>,
    /// The trials after the initial design, this one included.
    pub trial: usize,
    pub observations: &'a Observations,
    pub trials: &'a [SubsetTrial],
    /// Where the last search of each set ended.
    pub hints: &'a [Points],
    /// How hard each set is searched.
    pub search: SetSearch,
    pub backend: &'a dyn Backend,
    pub seed: u64,
}

impl Situation<'_> {
    /// The decision, and the best query of each set that was searched.
    pub fn decide(&self) -> Result<(Decision, Vec<(usize, Best)>)> {
        let exploring = self.exploration.and_then(Exploration::turn);
        let relaxation = match &self.policy.choice {
            Choice::Relaxed(relaxation) => {
                self.surrogate.scaling().apply_difference(relaxation.at(self.trial)?)
            }
            Choice::PerUnitCost | Choice::ExploreThenCommit(_) => 0.0,
        };
        let candidates = self.candidates(exploring.map(|(cost, _)| cost), relaxation);
        let all = self.sets.sets();
        let sets: Vec<&ControlSet> = candidates.iter().map(|&set| &all[set]).collect();
        let best = self.search(&sets, &candidates)?;
        let costs: Vec<f64> = sets.iter().map(|set| set.cost).collect();
        let values: Vec<f64> = best.iter().map(|best| best.value).collect();
        let chosen = match self.policy.choice {
            Choice::PerUnitCost => {
                let rates: Vec<f64> =
                    values.iter().zip(&costs).map(|(value, cost)| value / cost).collect();
                select(&rates, &costs, 0.0)
            }
            Choice::Relaxed(_) | Choice::ExploreThenCommit(_) => {
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

    /// The query, or if its set leaves nothing to nature, the point was evaluated already and
    /// another outcome there would tell nothing, the query a step away from it with the largest
    /// posterior mean.
    fn not_again(&self, set: &ControlSet, query: &[f64]) -> Result<Vec<f64>> {
        let told =
            |point: &[f64]| self.observations.iter().any(|observation| observation.point == point);
        let mut unit = vec![0.5; self.space.dim()];
        set.place(query, &mut unit);
        if !set.random.is_empty()
            || self.space.is_finite()
            || self.surrogate.worth_repeating()
            || !told(&unit)
        {
            return Ok(query.to_vec());
        }
        let posterior = self.surrogate.posterior();
        let steps = inward::around(
            self.space,
            &unit,
            &posterior.hyperparameters().lengthscales,
            seed(self.seed, Stream::Inward, self.trial),
        );
        let means = posterior.moments(&steps)?.mean;
        let free = (0..steps.len()).filter(|&step| !told(steps.row(step)));
        let best = free.reduce(|best, step| if means[step] > means[best] { step } else { best });
        Ok(best.map_or_else(|| query.to_vec(), |step| set.part(steps.row(step))))
    }

    /// The sets that may be chosen. An expectation is no larger than a maximum, so that without a
    /// relaxation only sets that control everything compete, where there are any; that holds for
    /// each path, hence for improvements, too.
    fn candidates(&self, turn: Option<f64>, relaxation: f64) -> Vec<usize> {
        let all = self.sets.sets();
        let matching = |test: &dyn Fn(&ControlSet) -> bool| -> Vec<usize> {
            (0..all.len()).filter(|&set| test(&all[set])).collect()
        };
        if let Some(cost) = turn {
            return matching(&|set| set.cost == cost);
        }
        let full = matching(&|set| set.random.is_empty());
        let by_value = self.policy.choice != Choice::PerUnitCost && relaxation == 0.0;
        if by_value && !full.is_empty() { full } else { (0..all.len()).collect() }
    }

    fn search(&self, sets: &[&ControlSet], candidates: &[usize]) -> Result<Vec<Best>> {
        let posterior = self.surrogate.posterior();
        let mut search =
            SetSearch { seed: seed(self.seed, Stream::Search, self.trial), ..self.search };
        let hints: Vec<Points> = candidates.iter().map(|&set| self.hints[set].clone()).collect();
        let objective: Box<dyn Objective + '_> = match self.policy.score {
            Score::UpperBound { beta } => {
                Box::new(UpperBounds::new(posterior, sets, self.samples, beta, self.backend)?)
            }
            Score::Thompson { features } => Box::new(self.paths(posterior, sets, features, 1)?.0),
            Score::ExpectedImprovement { paths, features, incumbent } => {
                // A thousand as published.
                search.raw_full = search.raw_full.div_ceil(10);
                let (expected, drawn) = self.paths(posterior, sets, features, paths)?;
                let incumbents = self.incumbents(posterior, &drawn, incumbent)?;
                Box::new(expected.beyond(incumbents)?)
            }
        };
        let best = search.run(&*objective, sets, &hints)?;
        if !self.space.has_ints() {
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
        incumbent: Incumbent,
    ) -> Result<Vec<f64>> {
        let told = |trial: &&SubsetTrial| trial.state == TrialState::Complete;
        let mut played = self
            .trials
            .iter()
            .filter(told)
            .filter_map(|trial| Some((trial.set?, &trial.query)))
            .peekable();
        if incumbent == Incumbent::Observed || played.peek().is_none() {
            let values = paths.values(&self.observations.complete().0)?;
            return Ok(values.row_iter().map(|row| row.max()).collect());
        }
        let sets: Vec<&ControlSet> = self.sets.sets().iter().collect();
        let expected = ExpectedPaths::new(posterior, paths, &sets, self.samples)?;
        let mut incumbents = vec![f64::NEG_INFINITY; paths.len()];
        for (set, query) in played {
            let values = expected.values(set, query)?;
            incumbents.iter_mut().zip(values).for_each(|(best, value)| *best = best.max(value));
        }
        Ok(incumbents)
    }

    /// A score in the user's outcome units.
    fn in_units(&self, value: f64) -> f64 {
        let (scaling, sign) = (self.surrogate.scaling(), self.surrogate.direction().sign());
        match self.policy.score {
            Score::UpperBound { .. } | Score::Thompson { .. } => sign * scaling.undo(value),
            Score::ExpectedImprovement { .. } => scaling.undo_difference(value),
        }
    }
}

/// The best query of each set with its whole numbers whole: of the nearest ones and their neighbors
/// along each such axis.
pub(super) fn on_lattice(
    space: &Space,
    objective: &dyn Objective,
    sets: &[&ControlSet],
    best: Vec<Best>,
) -> Result<Vec<Best>> {
    let mut queries = Vec::with_capacity(sets.len());
    for (set, best) in sets.iter().zip(&best) {
        let mut point = vec![0.5; space.dim()];
        set.place(&best.query, &mut point);
        space.snap(&mut point);
        let mut near = Points::new(set.controlled.len());
        near.push(&set.part(&point));
        for &k in &set.controlled {
            let ParameterKind::Int { low, high } = space.parameters()[k].kind() else { continue };
            let step = 1.0 / ParameterKind::cells(low, high);
            for side in [-step, step] {
                let mut neighbor = point.clone();
                neighbor[k] += side;
                if (0.0..=1.0).contains(&neighbor[k]) {
                    space.snap(&mut neighbor);
                    near.push(&set.part(&neighbor));
                }
            }
        }
        queries.push(near);
    }
    let found = objective.evaluate(&queries, Phase::Settle, false)?;
    let pick = |(queries, found): (&Points, Expected)| {
        let best = largest(&found.value)?;
        Some(Best { query: queries.row(best).to_vec(), value: found.value[best] })
    };
    let none = || Error::new(ErrorKind::Empty, "a set without a query");
    queries.iter().zip(found).map(|pair| pick(pair).ok_or_else(none)).collect()
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let score = match self.score {
            Score::UpperBound { .. } => "expected upper bound",
            Score::Thompson { .. } => "expected sample path",
            Score::ExpectedImprovement { .. } => "expected improvement",
        };
        if let Some((cost, plays)) = self.exploring {
            write!(f, "exploring sets of price {} ({plays} plays left); ", decimal(cost, 3))?;
        }
        let candidates = self.values.iter().flatten().count();
        write!(f, "{score} {}", decimal(self.value(), 6))?;
        if candidates > 1 { write!(f, ", chosen among {candidates} sets") } else { Ok(()) }
    }
}
