//! The bump problems of Xie et al. 2024, Figs. 2 and 9: a bump of a five-hundredth of the interval
//! that misleads improvement per cost, or improvement alone.
//!
//! Model and search are those of the published runs: the kernel is `k(z, z') sqrt(a(z) a(z'))` with
//! the amplitude `a`, and only the mean is fitted. An acquisition is maximized from 200
//! quasi-random points by 10 climbs. They meet the bump in one iteration out of three.

mod model;
mod search;

use std::sync::Arc;

use gittins::data::Direction;
use gittins::{Acquisition, CostForm, Pointwise};
use gittins_papers::evaluation::Course;
use gittins_problems::bump::{Bump, BumpVariant};
use serde_json::json;

use crate::contest::{Contest, Contestant};
use crate::experiment::{Axes, Digest, Entries, Experiment, Part, Size, Statistic, Task};
use crate::optimization::Trace;
use crate::slug::slug;
use crate::store::Store;
use frontend::Result;

use model::Model;

/// One figure.
pub struct Bumps {
    pub name: &'static str,
    pub title: &'static str,
    pub variant: BumpVariant,
    /// Which of the methods are run.
    pub part: Part,
}

/// Money.
const BUDGET: f64 = 40.0;
const SEEDS: u64 = 16;
/// PBGI's price.
const LAMBDA: f64 = 1e-4;

impl Bumps {
    /// The methods that are run.
    fn methods(&self) -> Vec<(&'static str, Acquisition)> {
        let mut methods = self.all_methods().to_vec();
        methods.retain(|(name, _)| self.part.has_method(name));
        methods
    }

    fn all_methods(&self) -> [(&'static str, Acquisition); 2] {
        let rival = match self.variant {
            BumpVariant::PerCost => (
                "LogEIPC",
                Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                    exponent: 1.0,
                    form: CostForm::Expected,
                }),
            ),
            BumpVariant::Improvement => {
                ("LogEI", Acquisition::Pointwise(Pointwise::LogExpectedImprovement))
            }
        };
        [rival, ("PBGI", Acquisition::gittins(LAMBDA))]
    }

    fn arm(&self, method: &str, size: &Size) -> String {
        format!("{}_b{}_{}", self.name, size.money(BUDGET), method.to_lowercase())
    }

    fn run(&self, acquisition: &Acquisition, budget: f64, seed: u64) -> Result<(Trace, f64)> {
        let bump = Bump::new(self.variant, seed);
        let first = bump.value(&[0.0]);
        let mut model = Model::new(&bump);
        model.add(0.0, first)?;
        let mut trace = Trace { spent: vec![0.0], best: vec![first], price: Vec::new() };
        let (mut spent, mut best) = (0.0, first);
        for iteration in 0.. {
            if spent >= budget {
                break;
            }
            let z = search::maximize(&model, acquisition, best, seed, iteration)?;
            let value = bump.value(&[z]);
            model.add(z, value)?;
            spent += bump.cost(&[z], &mut [0.0]);
            best = best.max(value);
            trace.spent.push(spent);
            trace.best.push(best);
        }
        Ok((trace, bump.optimum().1))
    }
}

impl Experiment for Bumps {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> String {
        self.title.to_owned()
    }

    fn seeds(&self) -> u64 {
        SEEDS
    }

    fn races(&self) -> Vec<Entries> {
        let methods = self.methods().iter().map(|(name, _)| slug(name)).collect();
        vec![Entries { race: self.name.to_owned(), methods }]
    }

    fn part(&self, part: &Part) -> Option<Box<dyn Experiment>> {
        let bumps = Self { part: part.clone(), ..*self };
        let has = part.has_race(self.name) && !bumps.methods().is_empty();
        has.then(|| Box::new(bumps) as _)
    }

    fn tasks(&self, size: &Size) -> Vec<Task> {
        let mut tasks = Vec::new();
        for (method, acquisition) in self.methods() {
            for seed in size.seeds(SEEDS) {
                let budget = size.money(BUDGET);
                let acquisition = acquisition.clone();
                let bumps = Self { part: self.part.clone(), ..*self };
                let work = Arc::new(move || Ok(json!(bumps.run(&acquisition, budget, seed)?)));
                tasks.push(Task { arm: self.arm(method, size), seed, work, probe: None });
            }
        }
        tasks
    }

    fn digest(&self, size: &Size, store: &Store) -> Result<Digest> {
        let mut contestants = Vec::new();
        for (method, _) in self.methods() {
            let course = |seed: u64| -> Result<Course> {
                let (trace, optimum): (Trace, f64) = store.get(&self.arm(method, size), seed)?;
                trace.course(Direction::Minimize, |best| optimum - best)
            };
            let courses = size.seeds(SEEDS).map(course).collect::<Result<Vec<_>>>()?;
            contestants.push(Contestant { name: method.to_owned(), courses });
        }
        let contest = Contest {
            title: self.title.to_owned(),
            published: self.name,
            axes: Axes {
                x: "money spent".into(),
                y: "simple regret".into(),
                logarithmic: false,
                statistic: Statistic::Median,
            },
            budget: size.money(BUDGET),
            from: 0.0,
            compares: !size.quick,
            contestants,
        };
        let mut digest = Digest { panels: vec![contest.panel()?], ..Digest::default() };
        if let [(rival, _), (index, _)] = self.methods()[..] {
            digest.claims.push(contest.claim(index, rival, 1.0)?);
        }
        Ok(digest)
    }
}
