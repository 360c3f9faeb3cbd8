//! Fitting hyper-parameters: maximum likelihood or maximum a posteriori, by L-BFGS-B with restarts.

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::Deadline;
use crate::math::lbfgsb::Status;
use crate::model::likelihood::Workspace;
use crate::model::part::Search;
use crate::model::problem::{Climb, Problem};
use crate::model::watch::Watch;
use crate::model::{Fit, FitStatus, GaussianProcess, Hyperparameters, check_data};

impl GaussianProcess {
    /// Finds hyper-parameters for `n x d` inputs and `n` outcomes.
    /// With `previous`, one climb starts there (warm). Without it, one climb starts at the centers
    /// of the priors and further ones at quasi-random places. Beyond 160 observations these climbs
    /// see an evenly drawn part of the data, and the best is polished on all data.
    ///
    /// # Errors
    /// Only for bad data or settings, by kind and name. Outcomes whose variance overflows or
    /// underflows are bad data: standardize them. A fit that fails is a [`FitStatus`].
    pub fn fit(
        &self,
        inputs: &Points,
        outcomes: &[f64],
        previous: Option<&Hyperparameters>,
        seed: u64,
    ) -> Result<Fit> {
        self.fit_until(
            inputs,
            outcomes,
            previous.map(|previous| (previous, outcomes.len())),
            seed,
            Deadline::NEVER,
        )
    }

    /// The same until a deadline. `previous` also has the number of observations that its
    /// hyper-parameters were found on.
    ///
    /// The fit looks at the clock between evaluations of the likelihood. It begins no evaluation
    /// that it does not expect to end in time. If a climb on all observations would not come far,
    /// the climb sees as many of them as there is time for, drawn evenly. If these are not more
    /// than the previous hyper-parameters were found on, those are kept. A fit without `previous`
    /// makes as many further starts as there is time for, and always the first. The [`FitStatus`]
    /// says how the fit ended.
    ///
    /// # Errors
    /// As for [`fit`](Self::fit).
    #[doc(hidden)]
    pub fn fit_until(
        &self,
        inputs: &Points,
        outcomes: &[f64],
        previous: Option<(&Hyperparameters, usize)>,
        seed: u64,
        deadline: Deadline,
    ) -> Result<Fit> {
        check_data(inputs, outcomes)?;
        self.validate()?;
        if let Some(fit) = self.fit_mean(inputs, outcomes)? {
            return Ok(fit);
        }
        let problem = Problem::new(self, inputs, outcomes);
        let variance = problem.deviation * problem.deviation;
        if !variance.is_normal() {
            let message = format!(
                "the variance of the outcomes, {:e} squared, is no number of double precision; standardize them",
                problem.deviation
            );
            return Err(Error::new(ErrorKind::NonFinite, message));
        }
        let start = match previous {
            Some((previous, _)) => {
                previous.validate(inputs.dim())?;
                previous.clone()
            }
            None => problem.center.clone(),
        };
        let known_on = previous.map_or(0, |(_, observations)| observations);
        let watch = Watch::new(deadline, self.family);
        let best = start.clone();
        let mut search = Search {
            problem: &problem,
            tolerance: self.tolerance,
            watch,
            best,
            known_on,
            evaluations: 0,
            found: FitStatus::KEPT,
        };
        let mut from = problem.encode(&start);
        search.try_out(&from);
        if previous.is_none() && self.restarts > 0 {
            from = search.restart(from, self.restarts, seed)?;
        }
        if let Some(fit) = search.on_part(&from)? {
            return Ok(fit);
        }
        let Climb { minimum, found, cut } =
            problem.climb(&from, self.tolerance, &mut search.watch)?;
        if cut && found.is_none() {
            return Ok(search.cut());
        }
        let evaluations = search.evaluations + minimum.evaluations;
        let failed = |why: String| {
            log::warn!(
                "a fit to {} observations failed and kept the hyper-parameters from before: {why}",
                outcomes.len()
            );
            let (log_marginal_likelihood, log_posterior) = (f64::NAN, f64::NAN);
            Fit {
                hyperparameters: start.clone(),
                log_marginal_likelihood,
                log_posterior,
                evaluations,
                status: FitStatus::KeptPrevious(why),
            }
        };
        let ended_well = minimum.status != Status::NonFinite && minimum.value.is_finite();
        let Some((log_marginal_likelihood, mean)) = found.filter(|_| ended_well) else {
            return Ok(failed(match problem.likelihood(&from, &mut Workspace::new()) {
                Err(error) => error.to_string(),
                Ok(_) => "the likelihood is not finite at the start".to_string(),
            }));
        };
        let hyperparameters = Hyperparameters { mean, ..problem.decode(&minimum.point) };
        let log_posterior = log_marginal_likelihood + problem.log_prior(&minimum.point);
        let converged =
            matches!(minimum.status, Status::ConvergedGradient | Status::ConvergedValue);
        let status = match converged {
            _ if cut => FitStatus::Deadline { observations: outcomes.len(), ended: false },
            true => FitStatus::Converged,
            false => FitStatus::Limited,
        };
        Ok(Fit { hyperparameters, log_marginal_likelihood, log_posterior, evaluations, status })
    }

    /// The fit of a known kernel: the mean in closed form.
    fn fit_mean(&self, inputs: &Points, outcomes: &[f64]) -> Result<Option<Fit>> {
        let Some((hyperparameters, profiled)) = self.known(inputs.dim())? else { return Ok(None) };
        let (value, mean) =
            Workspace::new().value(self.family, &hyperparameters, inputs, outcomes, profiled)?;
        Ok(Some(Fit::of_known_kernel(Hyperparameters { mean, ..hyperparameters }, value)))
    }
}
