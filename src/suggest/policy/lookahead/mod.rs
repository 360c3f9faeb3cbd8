//! A run that plans several steps: what it remembers between steps, and how it chooses.
//!
//! ```text
//! what is left -> planning budget -> tree -> starts (the last trees, a constructed one) -> search -> its root, and the trees for the next step
//! ```

mod branch;
mod construct;
mod schedule;
mod world;

use std::sync::Arc;

use crate::acquisition::cooling_exponent;
use crate::acquisition::{
    Acquisition, CostForm, FantasyTree, Joint, Lookahead, Planning, Pointwise,
};
use crate::backend::Job;
use crate::data::Points;
use crate::error::Result;
use crate::maximize::Maximum;
use crate::suggest::search::best_plan;
use crate::suggest::step::{BEFORE, Step};
use crate::surrogate::Stream;

use branch::Believed;
use schedule::Schedule;

/// A lookahead and what it remembers of a run.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::suggest) struct Planner {
    settings: Lookahead,
    schedule: Schedule,
    last: Option<Plan>,
}

/// The plan of one step.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Plan {
    tree: Arc<FantasyTree>,
    /// The trees that the search found, best first.
    trees: Points,
    /// The belief about the suggested point.
    believed: Option<Believed>,
}

impl From<Lookahead> for Planner {
    fn from(settings: Lookahead) -> Self {
        Self { settings, schedule: Schedule::default(), last: None }
    }
}

impl Planner {
    pub fn validate(&self) -> Result<()> {
        self.settings.validate()
    }

    pub fn looks_at_the_cost(&self) -> bool {
        self.settings.budgeted
    }

    /// The value of a plan under the present planning budget. If nothing is left, improvement
    /// alone: the limit of cost cooling.
    pub fn acquisition(&mut self, step: &Step<'_>) -> Result<Acquisition> {
        let budget = match self.left(step)? {
            Some(left) if left <= 0.0 => return Ok(self.cooled(step, left)),
            Some(left) => Some(self.planning_budget(step, left)?),
            None => None,
        };
        let tree = FantasyTree::new(&self.settings.levels(), step.seed(Stream::Fantasies))?;
        Ok(Acquisition::Joint(Joint::MultiStepImprovement {
            tree: Arc::new(tree),
            budget,
            boundary: self.settings.boundary,
        }))
    }

    /// The rest of the budget, if there is a budget.
    fn left(&self, step: &Step<'_>) -> Result<Option<f64>> {
        let budget = self.settings.budget.filter(|_| self.settings.budgeted);
        budget.map(|budget| Ok(budget - step.committed()?)).transpose()
    }

    /// How much of the remaining budget the next plan may spend.
    fn planning_budget(&mut self, step: &Step<'_>, left: f64) -> Result<f64> {
        let Lookahead { steps, planning, budget, .. } = self.settings;
        match planning {
            Planning::Whole => Ok(left),
            Planning::Recent => {
                let sum: f64 = step
                    .view
                    .observations
                    .iter()
                    .rev()
                    .filter_map(|observation| observation.cost)
                    .take(steps)
                    .sum();
                Ok(if sum > 0.0 { left.min(sum) } else { left })
            }
            Planning::Rollout => {
                let budget = budget.unwrap_or(left);
                self.schedule.next(budget - left, left, || {
                    if step.has_time_for_worlds(steps) {
                        schedule::rollout(&step.part(BEFORE), steps, budget, left)
                    } else {
                        Ok(vec![left])
                    }
                })
            }
        }
    }

    /// Cost-cooled improvement at the present spending. It is used if no plan has a positive value.
    fn cooled(&self, step: &Step<'_>, left: f64) -> Acquisition {
        let budget = self.settings.budget.filter(|_| step.view.surrogate.knows_cost());
        let exponent = budget.map_or(0.0, |budget| cooling_exponent(budget, budget - left));
        Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
            exponent,
            form: CostForm::ExpectedInverse,
        })
    }

    /// The best root of the plans that the acquisition values. If the acquisition does not value
    /// plans, or if no plan has a positive value (no affordable evaluation is expected to improve),
    /// the best point of cost-cooled improvement, which then becomes the acquisition.
    ///
    /// # Errors
    /// Those of a known cost and of the backend.
    pub fn search(
        &mut self,
        step: &Step<'_>,
        acquisition: &mut Acquisition,
    ) -> Result<Option<Maximum>> {
        let scope = step.scope(Stream::Search);
        let Acquisition::Joint(Joint::MultiStepImprovement { tree, .. }) = &*acquisition else {
            return scope.best(acquisition, step.runners_up);
        };
        let job = step.view.surrogate.job(acquisition);
        let (before, mut hints) = self.starts(step, &job, tree);
        if step.deadline.is_set() {
            // First, so that it is always scored.
            let others = std::mem::replace(&mut hints, self.one_step(step, tree)?);
            hints.extend(&others);
        }
        if self.last.is_some() && step.has_time_for_worlds(1) {
            hints.extend(&construct::tree(&step.part(BEFORE), &job)?);
        }
        let found = best_plan(&scope, &job, &before, &hints)?;
        let Some((found, trees)) = found else { return Ok(None) };
        if found.value > 0.0 {
            self.last = Some(Plan { tree: tree.clone(), trees, believed: None });
            return Ok(Some(found));
        }
        // A plan without value is no start for the next step either.
        self.last = None;
        *acquisition = self.cooled(step, self.left(step)?.unwrap_or(0.0));
        scope.best(acquisition, step.runners_up)
    }

    /// Notes what is believed about the point that is suggested, if it is the root of a plan.
    ///
    /// # Errors
    /// Those of the posterior.
    pub fn settle(&mut self, step: &Step<'_>, found: &Maximum) -> Result<()> {
        if let Some(plan) = self.last.as_mut().filter(|plan| plan.believed.is_none()) {
            plan.believed = Some(Believed::of(step, found)?);
        }
        Ok(())
    }

    /// A tree worth at least the best single step: all its points lie there. With it, a search of
    /// plans without time finds nothing worse.
    fn one_step(&self, step: &Step<'_>, tree: &FantasyTree) -> Result<Points> {
        let left = self.left(step)?.unwrap_or(0.0);
        let scope = step.part(BEFORE).scope(Stream::Policy);
        let root = scope.best(&self.cooled(step, left), step.runners_up)?;
        let dim = step.view.setup.domain.dim();
        Points::from_rows(
            dim * tree.nodes(),
            root.map_or_else(Vec::new, |root| root.point.repeat(tree.nodes())),
        )
    }

    /// The trees from which the search begins: those of the last step, or their closest branches.
    fn starts(&self, step: &Step<'_>, job: &Job<'_>, tree: &FantasyTree) -> (Points, Points) {
        let none = Points::new(tree.nodes() * job.posterior.dim());
        let Some(plan) =
            self.last.as_ref().filter(|plan| plan.tree.fantasies() == tree.fantasies())
        else {
            return (none.clone(), none);
        };
        if !self.settings.closest_branch {
            return (plan.trees.clone(), none);
        }
        let Some(observed) = plan.believed.as_ref().and_then(|it| it.observed(step)) else {
            return (plan.trees.clone(), none);
        };
        let moved = branch::follow(&plan.tree, &plan.trees, job.posterior.dim(), observed);
        (moved.clone(), moved)
    }
}

impl Step<'_> {
    /// The cost of the suggested trials: the told cost, plus the expected cost of the pending ones.
    fn committed(&self) -> Result<f64> {
        let mut committed = self.progress.spent;
        for point in self.pending_trials.unpaid.rows() {
            let due = self.view.surrogate.expected_cost(point)?;
            committed += if due.is_nan() { 0.0 } else { due };
        }
        Ok(committed)
    }
}
