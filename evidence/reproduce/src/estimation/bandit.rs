//! The bandit: candidates on a line, functions drawn from the prior, and a run of one rule on one
//! of them.

use gittins::acquisition::MaximumEstimate;
use gittins::acquisition::{Belief, PointBeliefCost};
use gittins::internals::confidence_lambda;
use gittins::{
    Acquisition, Error, ErrorKind, Hyperparameters, KernelFamily, Points, Pointwise, Posterior,
    Result,
};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

const LENGTHSCALE: f64 = 0.1;
/// The noise of the model. The observations have none.
const NOISE: f64 = 0.01;
const SLOPE: f64 = 0.1;
const CONSTANT: f64 = 1.0;
/// The probability with which the bounds of UCB may fail.
const FAILURE: f64 = 0.01;
/// The margin by which PI wants to exceed the best outcome.
const MARGIN: f64 = 0.1;

/// The rule that chooses the next candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    Random,
    ConfidenceBound,
    ExpectedImprovement,
    ProbabilityOfImprovement,
    /// An estimate of the maximum.
    Estimation(MaximumEstimate),
}

impl Rule {
    /// Those of the table, in its order.
    pub const ALL: [Self; 6] = [
        Self::Random,
        Self::ConfidenceBound,
        Self::ExpectedImprovement,
        Self::ProbabilityOfImprovement,
        Self::Estimation(MaximumEstimate::ANALYTIC),
        Self::Estimation(MaximumEstimate::NUMERICAL),
    ];

    /// Its name in the paper.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "RAND",
            Self::ConfidenceBound => "UCB",
            Self::ExpectedImprovement => "EI",
            Self::ProbabilityOfImprovement => "PI",
            Self::Estimation(MaximumEstimate::HalfGaussian { .. }) => "ESTa",
            Self::Estimation(_) => "ESTn",
        }
    }
}

/// The deviation that the rules get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deviation {
    /// The deviation of an observation, as in the published code.
    Observation,
    /// The deviation of the function.
    Latent,
}

impl Deviation {
    pub const ALL: [Self; 2] = [Self::Observation, Self::Latent];

    /// In letters fit for a file.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Observation => "observation",
            Self::Latent => "latent",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Observation => "the deviation of an observation",
            Self::Latent => "the deviation of the function",
        }
    }

    /// The name of the table in `published.csv`. None was published with the latent deviation.
    pub fn published(self) -> &'static str {
        match self {
            Self::Observation => "est-table1",
            Self::Latent => "",
        }
    }
}

/// The result of one run: the rounds, counted from 1, at which the simple regret fell, and the
/// regret from then on. The first round is always there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run(Vec<(usize, f64)>);

impl Run {
    /// The simple regret after a round.
    pub fn regret(&self, round: usize) -> f64 {
        let falls = self.0.partition_point(|(fell, _)| *fell <= round);
        self.0[..falls].last().map_or(f64::NAN, |(_, regret)| *regret)
    }

    /// The round at which the last regret was reached.
    pub fn reached(&self) -> usize {
        self.0.last().map_or(0, |(round, _)| *round)
    }
}

/// The candidates with the factor of their prior covariance.
pub struct Bandit {
    places: Vec<f64>,
    points: Points,
    factor: DMatrix<f64>,
    rounds: usize,
    deviation: Deviation,
}

impl Bandit {
    /// `candidates` equally spaced points on [-2, 2].
    pub fn new(candidates: usize, rounds: usize, deviation: Deviation) -> Result<Self> {
        let places: Vec<f64> =
            (0..candidates).map(|i| -2.0 + 4.0 * i as f64 / (candidates - 1) as f64).collect();
        // A draw is exact to 1e-5, the root of what is added to the diagonal.
        let covariance = DMatrix::from_fn(candidates, candidates, |i, j| {
            let a = 3f64.sqrt() * (places[i] - places[j]).abs() / LENGTHSCALE;
            (1.0 + a) * (-a).exp() + if i == j { 1e-10 } else { 0.0 }
        });
        let factor = covariance
            .cholesky()
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::NotPositiveDefinite,
                    format!("the covariance of {candidates} candidates has no factor"),
                )
            })?
            .unpack();
        Ok(Self {
            points: Points::from_rows(1, places.clone())?,
            places,
            factor,
            rounds,
            deviation,
        })
    }

    /// One run of every rule on the function of that seed, with a first candidate that is common to
    /// all.
    pub fn play(&self, seed: u64) -> Result<Vec<Run>> {
        let mut random = Pcg64::seed_from_u64(seed);
        let normals =
            DVector::from_fn(self.places.len(), |_, _| StandardNormal.sample(&mut random));
        let mut outcomes: Vec<f64> = (&self.factor * normals).iter().copied().collect();
        outcomes
            .iter_mut()
            .zip(&self.places)
            .for_each(|(outcome, x)| *outcome += SLOPE * x + CONSTANT);
        let first = random.random_range(0..outcomes.len());
        Rule::ALL.into_iter().map(|rule| self.run(rule, &outcomes, first, &mut random)).collect()
    }

    fn run(&self, rule: Rule, outcomes: &[f64], first: usize, random: &mut Pcg64) -> Result<Run> {
        let top = outcomes.iter().copied().fold(f64::MIN, f64::max);
        let (mut chosen, mut best) = (first, f64::MIN);
        let mut run = Run(Vec::new());
        let mut posterior: Option<Posterior> = None;
        for round in 1..=self.rounds {
            if outcomes[chosen] > best {
                best = outcomes[chosen];
                run.0.push((round, top - best));
            }
            if best == top {
                // Nothing more can change.
                break;
            }
            if rule == Rule::Random {
                chosen = random.random_range(0..outcomes.len());
                continue;
            }
            // The model's mean is a constant. So the linear part is subtracted before and added
            // afterwards.
            let residual = outcomes[chosen] - SLOPE * self.places[chosen];
            match &mut posterior {
                Some(posterior) => posterior.append(self.points.row(chosen), residual)?,
                None => {
                    let hyperparameters = Hyperparameters {
                        lengthscales: vec![LENGTHSCALE],
                        outputscale: 1.0,
                        noise: NOISE,
                        mean: CONSTANT,
                    };
                    let input = self.points.select([chosen]);
                    posterior = Some(Posterior::new(
                        KernelFamily::Matern32,
                        &hyperparameters,
                        &input,
                        &[residual],
                    )?);
                }
            }
            if let Some(posterior) = &posterior {
                chosen = self.choose(rule, posterior, best, round)?;
            }
        }
        Ok(run)
    }

    /// The best candidate of the rule, the first among equals.
    fn choose(&self, rule: Rule, posterior: &Posterior, best: f64, round: usize) -> Result<usize> {
        let moments = posterior.moments(&self.points)?;
        let mean: Vec<f64> =
            moments.mean.iter().zip(&self.places).map(|(mean, x)| mean + SLOPE * x).collect();
        let noise = if self.deviation == Deviation::Latent { 0.0 } else { NOISE };
        let sd: Vec<f64> =
            moments.variance.iter().map(|variance| (variance + noise).sqrt()).collect();
        let acquisition = match rule {
            Rule::Random | Rule::ExpectedImprovement => {
                Acquisition::Pointwise(Pointwise::LogExpectedImprovement)
            }
            Rule::ConfidenceBound => Acquisition::Pointwise(Pointwise::UpperConfidenceBound {
                beta: confidence_lambda(mean.len(), round, FAILURE).powi(2),
            }),
            Rule::ProbabilityOfImprovement => Acquisition::Pointwise(Pointwise::EstimatedMaximum {
                maximum: best + MARGIN,
                noise: 0.0,
            }),
            Rule::Estimation(estimate) => Acquisition::Pointwise(Pointwise::EstimatedMaximum {
                maximum: estimate.maximum(&mean, &sd, best)?,
                noise: 0.0,
            }),
        };
        let score = |i: usize| {
            let belief = Belief { mean: mean[i], sd: sd[i], cost: PointBeliefCost::Known(1.0) };
            acquisition.pointwise().unwrap().score(best, &belief).value
        };
        let scores: Vec<f64> = (0..mean.len()).map(score).collect();
        Ok((0..scores.len())
            .reduce(|first, i| if scores[i] > scores[first] { i } else { first })
            .unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_keeps_its_regret_until_it_falls() {
        let run = Run(vec![(1, 2.0), (4, 0.5)]);
        assert_eq!([1, 3, 4, 9].map(|round| run.regret(round)), [2.0, 2.0, 0.5, 0.5]);
        assert_eq!(run.reached(), 4);
    }
}
