//! How much one plan may spend.

use rand::SeedableRng;
use rand_pcg::Pcg64;

use crate::acquisition::cooling_exponent;
use crate::acquisition::{Acquisition, CostForm, Pointwise};
use crate::data::{Domain, Points};
use crate::error::Result;
use crate::math::sobol::mix;
use crate::maximize::argmax_until;
use crate::suggest::policy::lookahead::world::World;
use crate::suggest::step::Step;
use crate::surrogate::Stream;

/// Raw points and starts of a search within a rollout, per dimension.
const RAW: usize = 50;
const STARTS: usize = 5;

/// The planning budget from one step to the next.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Schedule {
    /// The planning budget and its floor, once they are known; then the amount spent at that time.
    planned: Option<(f64, f64)>,
    spent: f64,
}

impl Schedule {
    /// The budget of the next plan, after `spent` was spent and with `left` left. It is the budget
    /// of the last plan minus what was paid since, while this is above its floor. Otherwise it
    /// is the cost of a new rollout, at most `left`, and the rollout's smallest cost becomes the
    /// floor.
    pub fn next(
        &mut self,
        spent: f64,
        left: f64,
        rollout: impl FnOnce() -> Result<Vec<f64>>,
    ) -> Result<f64> {
        let paid = spent - self.spent;
        let rest = self
            .planned
            .map(|(budget, floor)| (budget - paid, floor))
            .filter(|(budget, floor)| budget > floor);
        let (budget, floor) = match rest {
            Some((budget, floor)) => (budget.min(left), floor),
            None => {
                let costs = rollout()?;
                (
                    costs.iter().sum::<f64>().min(left),
                    costs.iter().copied().fold(f64::INFINITY, f64::min),
                )
            }
        };
        *self = Self { planned: Some((budget, floor)), spent };
        Ok(budget)
    }
}

/// The costs of `steps` evaluations. Each lies at the largest improvement per cost, with cost
/// cooling as the money is spent. Each has a sampled outcome and cost, which the next one knows.
/// Beyond the budget the cost no longer counts.
pub(super) fn rollout(step: &Step<'_>, steps: usize, budget: f64, left: f64) -> Result<Vec<f64>> {
    let seed = step.seed(Stream::Rollout);
    let mut random = Pcg64::seed_from_u64(seed);
    let surrogate = step.view.surrogate;
    let backend = &*step.view.setup.backend;
    let mut world = World::new(step);
    let mut costs = Vec::with_capacity(steps);
    let mut money = left;
    for number in 0..steps {
        let now_seed = mix(seed ^ number as u64);
        let deadline = step.deadline.part(1.0 / (steps - number) as f64);
        let exponent = cooling_exponent(budget, budget - money);
        let acquisition = Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
            exponent,
            form: CostForm::ExpectedInverse,
        });
        let now = surrogate.job(&acquisition);
        let job = world.job(&now);
        let point = match &step.view.setup.domain {
            Domain::Table(table) => {
                let (rows, taken) = (table.points(), step.excluded.rows(table));
                match argmax_until(backend, &job, rows, &taken, deadline, now_seed)? {
                    Some(best) => best.point,
                    None => break,
                }
            }
            Domain::Space(_) => {
                let search = Step { deadline, ..*step }.small(RAW, STARTS, now_seed);
                search.run(backend, &job, &Points::new(job.posterior.dim()))?.point
            }
        };
        let cost = world.evaluate(&now, &point, &mut random)?;
        money -= cost;
        costs.push(cost);
    }
    Ok(costs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_lasts_until_its_floor() {
        // The sequence of the published code: costs paid, the costs of each new rollout, and the
        // planning budget after them.
        let mut schedule = Schedule::default();
        let (mut spent, whole) = (0.0, 10.0);
        for (paid, rollout, expected) in [
            (0.0, Some(vec![1.2, 0.8, 2.0, 1.5]), 5.5),
            (1.0, None, 4.5),
            (3.0, None, 1.5),
            (0.9, Some(vec![0.7, 0.6, 3.0, 1.0]), 5.1),
            (4.2, None, 0.9),
        ] {
            spent += paid;
            let mut asked = false;
            let due = rollout.is_some();
            let budget = schedule.next(spent, whole - spent, || {
                asked = true;
                Ok(rollout.unwrap_or_default())
            });
            assert_eq!(asked, due, "after {spent}");
            assert!(
                (budget.unwrap() - expected).abs() < 8.0 * f64::EPSILON * whole,
                "after {spent}"
            );
        }
    }
}
