//! Fits to a part of the observations: restarts, which never see more, and fits under a deadline.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::data::Points;
use crate::error::Result;
use crate::model::likelihood::Workspace;
use crate::model::problem::{Climb, Problem};
use crate::model::watch::Watch;
use crate::model::{Fit, FitStatus, Hyperparameters};

/// The number of observations that the restarts of a cold fit see. The best restart is then
/// polished on all observations. A likelihood costs O(n^3), and a part of the data shows which
/// basin is the right one.
const RESTART_OBSERVATIONS: usize = 160;

/// The factor by which the tolerance of the restarts is looser. They only have to show which basin
/// is the best.
const ROUGH: f64 = 100.0;

/// With a deadline, trial evaluations tell how long others will take: their number of observations,
/// and how many there are. The first of them has no memory yet.
const TRIAL: usize = 100;
const TRIALS: usize = 3;

/// The usual number of evaluations of a restart.
const RESTART: usize = 20;

/// The number of evaluations for which a climb must have time. With fewer it hardly leaves its
/// start.
const WORTH: usize = 6;

/// A part of the observations tells more if it is larger by this factor than what the
/// hyper-parameters were found on. The centers of the priors count as found on [`CENTERS`]
/// observations.
const MORE: f64 = 1.5;
const CENTERS: usize = 8;

/// A fit before its climb on all observations.
pub(super) struct Search<'a> {
    pub problem: &'a Problem<'a>,
    pub tolerance: f64,
    pub watch: Watch,
    /// The best so far.
    pub best: Hyperparameters,
    /// The number of observations that these were found on; 0 for the centers of the priors.
    pub known_on: usize,
    /// How this fit found them.
    pub found: FitStatus,
    pub evaluations: usize,
}

impl Search<'_> {
    /// If there is a deadline, measures how long an evaluation takes.
    pub fn try_out(&mut self, from: &[f64]) {
        let (inputs, outcomes) = self.problem.data();
        if self.watch.is_set() && outcomes.len() > TRIAL && self.watch.fits(1, TRIAL, inputs.dim())
        {
            let (inputs, outcomes) = part(inputs, outcomes, TRIAL);
            let small = self.problem.with_data(&inputs, &outcomes);
            let mut workspace = Workspace::new();
            for _ in 0..TRIALS {
                // A likelihood that does not exist takes as long.
                self.watch
                    .time(TRIAL, inputs.dim(), || small.likelihood(from, &mut workspace))
                    .ok();
            }
            self.evaluations += TRIALS;
        }
    }

    /// Climbs from a start and from further quasi-random ones, as many as there is time for.
    /// Returns the end of the best climb.
    pub fn restart(&mut self, from: Vec<f64>, restarts: usize, seed: u64) -> Result<Vec<f64>> {
        let (inputs, outcomes) = self.problem.data();
        let (inputs, outcomes) = part(inputs, outcomes, RESTART_OBSERVATIONS);
        let small = self.problem.with_data(&inputs, &outcomes);
        let watch = self.watch.part(0.5);
        let fitting = (1..=restarts)
            .take_while(|count| watch.fits((1 + count) * RESTART, outcomes.len(), inputs.dim()))
            .count();
        let starts: Vec<Vec<f64>> = std::iter::once(from.clone())
            .chain(self.problem.scattered(restarts, seed).take(fitting))
            .collect();
        let climb =
            |start: Vec<f64>| small.climb(&start, ROUGH * self.tolerance, &mut watch.clone());
        let climbs: Vec<Climb> = starts.into_par_iter().map(climb).collect::<Result<_>>()?;
        self.evaluations += climbs.iter().map(|climb| climb.minimum.evaluations).sum::<usize>();
        let finite = climbs.iter().filter(|climb| climb.minimum.value.is_finite());
        let Some(best) = finite.min_by(|a, b| a.minimum.value.total_cmp(&b.minimum.value)) else {
            return Ok(from);
        };
        // The tolerance of a restart is loose, so it did not end by itself.
        self.keep(best, outcomes.len(), false);
        Ok(best.minimum.point.clone())
    }

    /// Fits a part of the observations if there is no time for a useful climb on all of them.
    /// Otherwise returns none.
    pub fn on_part(&mut self, from: &[f64]) -> Result<Option<Fit>> {
        let (inputs, outcomes) = self.problem.data();
        let most = self.watch.most(WORTH, outcomes.len(), inputs.dim());
        if most == outcomes.len() {
            return Ok(None);
        }
        if most as f64 >= MORE * self.known_on.max(CENTERS) as f64 {
            let (inputs, outcomes) = part(inputs, outcomes, most);
            let climb = self.problem.with_data(&inputs, &outcomes).climb(
                from,
                self.tolerance,
                &mut self.watch,
            )?;
            self.evaluations += climb.minimum.evaluations;
            self.keep(&climb, most, !climb.cut);
        }
        Ok(Some(self.cut()))
    }

    fn keep(&mut self, climb: &Climb, observations: usize, ended: bool) {
        if let Some((_, mean)) = climb.found.filter(|_| climb.minimum.value.is_finite()) {
            self.best = Hyperparameters { mean, ..self.problem.decode(&climb.minimum.point) };
            self.known_on = observations;
            self.found = FitStatus::Deadline { observations, ended };
        }
    }

    /// The best so far, when the time is up.
    pub fn cut(&self) -> Fit {
        Fit::cut(self.best.clone(), self.found.clone(), self.evaluations)
    }
}

/// At most this many observations, spread evenly over all.
fn part(inputs: &Points, outcomes: &[f64], at_most: usize) -> (Points, Vec<f64>) {
    let n = outcomes.len();
    let count = outcomes.len().min(at_most);
    let rows = (0..count).map(|i| i * n / count);
    (inputs.select(rows.clone()), rows.map(|i| outcomes[i]).collect())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::math::clock::Deadline;
    use crate::math::sobol::Sobol;
    use crate::model::GaussianProcess;

    /// The centers of the priors, and the result of a fit that begins there. It has 90 observations
    /// and an hour, and believes that an evaluation of `minute` of them takes a minute. Its start
    /// was found on `known_on` observations.
    fn fit(minute: usize, known_on: usize) -> (Hyperparameters, Option<Fit>) {
        let model = GaussianProcess::new();
        let inputs = Sobol::new(2, 1).points(0, 90);
        let outcomes: Vec<f64> = inputs.rows().map(|x| (9.0 * x[0]).sin() + 0.1 * x[1]).collect();
        let problem = Problem::new(&model, &inputs, &outcomes);
        let best = problem.center.clone();
        let watch = Watch::paced(Deadline::after(Some(Duration::from_secs(3600))), 60.0, minute, 2);
        let mut search = Search {
            problem: &problem,
            tolerance: 1e-6,
            watch,
            best: best.clone(),
            known_on,
            found: FitStatus::KEPT,
            evaluations: 0,
        };
        let from = problem.encode(&best);
        search.try_out(&from);
        (best, search.on_part(&from).unwrap())
    }

    #[test]
    fn with_time_for_all_there_is_no_part() {
        assert_eq!(fit(90, 0).1, None);
        assert_eq!(fit(200, 90).1, None);
    }

    #[test]
    fn a_climb_sees_as_many_observations_as_there_is_time_for() {
        // Six evaluations of ten minutes each fit, and one of 12 observations takes a minute. The
        // number of observations enters a little more than squared.
        let (center, found) = fit(12, 0);
        let found = found.unwrap();
        let FitStatus::Deadline { observations, ended: true } = found.status else {
            panic!("{:?}", found.status)
        };
        assert!((30..38).contains(&observations), "{observations}");
        assert!(found.evaluations >= WORTH && found.log_posterior.is_nan());
        // The function varies along the first input only.
        let [first, second] =
            [found.hyperparameters.lengthscales[0], found.hyperparameters.lengthscales[1]];
        assert!(first < center.lengthscales[0] && first < second, "{first} and {second}");
    }

    #[test]
    fn what_was_found_on_as_many_is_kept() {
        for known_on in [30, 60, 90] {
            let (center, found) = fit(12, known_on);
            let found = found.unwrap();
            assert_eq!(
                (found.status, found.hyperparameters, found.evaluations),
                (FitStatus::KEPT, center, 0)
            );
        }
        // The centers are also kept if there is time for a few observations only.
        let (center, found) = fit(2, 0);
        assert_eq!(found.unwrap().hyperparameters, center);
    }

    #[test]
    fn a_part_is_spread_evenly() {
        let inputs = Points::from_rows(1, (0..10).map(f64::from).collect()).unwrap();
        let outcomes: Vec<f64> = (0..10).map(|i| f64::from(2 * i)).collect();
        let (some, of_them) = part(&inputs, &outcomes, 4);
        assert_eq!(
            (some.values(), &of_them[..]),
            (&[0.0, 2.0, 5.0, 7.0][..], &[0.0, 4.0, 10.0, 14.0][..])
        );
        assert_eq!(part(&inputs, &outcomes, 30), (inputs, outcomes));
    }
}
