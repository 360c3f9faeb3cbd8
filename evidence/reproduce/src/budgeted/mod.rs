//! Several steps ahead within a budget: the experiments of Astudillo, Jiang, Balandat, Bakshy,
//! Frazier 2021, "Multi-Step Budgeted Bayesian Optimization with Unknown Evaluation Costs".
//!
//! Runs begin with a design that is not charged, learn the cost from what they pay, and end with
//! the money. The value of a run is the best among the design and the evaluations that ended inside
//! the budget. The pictures show the decimal logarithm of the regret: its mean over trials with a
//! 95 % interval.

mod half;
mod method;
mod problem;
mod trial;

use std::sync::Arc;

use serde_json::json;

use crate::comparison::{Estimate, student};
use crate::contest::{Contest, Contestant};
use crate::experiment::{
    Axes, Bars, Digest, Drawing, Entries, Experiment, Panel, Part, Probe, Size, Statistic, Task,
};
use crate::published;
use crate::slug::slug;
use crate::store::Store;
use chart::number::significant;
use frontend::Result;

pub use half::Half;
pub use method::Method;
pub use problem::{Evaluation, Instance, Problem};

use trial::{Run, Setting};

const SEEDS: u64 = 20;
/// Seed 0 is the first trial of the publication, which counts from 1.
const FIRST_TRIAL: u64 = 1;
/// The figures of the paper begin at a fifth of the budget.
const FROM: f64 = 0.2;

/// One problem, searched by several methods.
#[derive(Debug, Clone)]
pub struct Budgeted {
    pub problem: Problem,
    pub methods: Vec<Method>,
}

impl Setting {
    fn arm(&self) -> String {
        format!(
            "{}_b{}_{}",
            self.problem.experiment(),
            self.budget,
            crate::slug::slug(&self.method.name())
        )
    }

    fn tasks(self, seeds: u64, size: &Size) -> impl Iterator<Item = Task> {
        let (data, backend) = (size.data.clone(), size.backend.clone());
        let probe: Arc<Probe> = Arc::new(move || trial::probe(self, data.as_deref(), &backend));
        let (quick, data, backend) = (size.quick, size.data.clone(), size.backend.clone());
        size.seeds(seeds).map(move |seed| {
            let (data, backend) = (data.clone(), backend.clone());
            let work = Arc::new(move || {
                Ok(json!(trial::run(self, FIRST_TRIAL + seed, data.as_deref(), &backend)?))
            });
            Task { arm: self.arm(), seed, work, probe: (!quick).then(|| probe.clone()) }
        })
    }

    fn runs(&self, seeds: u64, size: &Size, store: &Store) -> Result<Vec<Run>> {
        size.seeds(seeds).map(|seed| store.get(&self.arm(), seed)).collect()
    }

    fn contestant(&self, name: String, runs: &[Run]) -> Result<Contestant> {
        let courses =
            runs.iter().map(|run| run.course(self.problem.maximum())).collect::<Result<_>>()?;
        Ok(Contestant { name, courses })
    }
}

/// Several methods on one problem up to a budget.
fn contest(title: String, budget: f64, contestants: Vec<Contestant>) -> Contest {
    Contest {
        title,
        // The paper has curves and no numbers.
        published: "",
        axes: Axes {
            x: "money spent".into(),
            y: "log10 regret, mean".into(),
            logarithmic: false,
            statistic: Statistic::Interval,
        },
        budget,
        from: FROM,
        compares: false,
        contestants,
    }
}

impl Budgeted {
    fn setting(&self, method: Method, size: &Size) -> Setting {
        Setting { problem: self.problem, method, budget: size.money(self.problem.budget()) }
    }

    /// The time of a suggestion, fit included.
    fn seconds(&self, size: &Size, store: &Store) -> Result<(Panel, String)> {
        let (mut bars, mut told) = (Vec::new(), Vec::new());
        for &method in &self.methods {
            let setting = self.setting(method, size);
            let name = method.name();
            let mut seconds = Vec::new();
            for (seed, run) in size.seeds(SEEDS).zip(setting.runs(SEEDS, size, store)?) {
                seconds
                    .push(store.took(&setting.arm(), seed)? / run.suggestions.len().max(1) as f64);
            }
            let ours = Estimate::mean(&seconds)?;
            let numbers =
                published::of(self.problem.experiment()).along(&format!("{name} seconds"));
            let published = numbers.first().map(|(_, published)| published.value);
            let theirs =
                published.map_or("not published".to_owned(), |seconds| significant(seconds, 3));
            told.push(format!("{name} {} / {theirs}", significant(ours.value, 2)));
            bars.push(Bars {
                name,
                values: vec![(ours.value, 2.0 * ours.error)],
                published: vec![published],
                bound: false,
            });
        }
        let title = format!("{}, seconds per suggestion", self.problem.name());
        let axes = Axes {
            x: String::new(),
            y: "seconds".into(),
            logarithmic: true,
            statistic: Statistic::Mean,
        };
        let drawing = Drawing::Bars { axes, groups: vec![self.problem.name().to_owned()], bars };
        let note = format!(
            "Seconds per suggestion, fits included, as many runs side by side as there are threads, here / Astudillo et al. 2021, table of running times, on \
             their machines: {}.",
            told.join(", ")
        );
        Ok((Panel { name: "seconds".to_owned(), title, drawing, cells: Vec::new() }, note))
    }
}

impl Experiment for Budgeted {
    fn name(&self) -> &'static str {
        self.problem.experiment()
    }

    fn title(&self) -> String {
        format!(
            "{} within a budget of {}, the cost learned (Astudillo et al. 2021)",
            self.problem.name(),
            self.problem.budget()
        )
    }

    fn seeds(&self) -> u64 {
        SEEDS
    }

    fn reads_data(&self) -> bool {
        self.problem == Problem::Lda
    }

    fn races(&self) -> Vec<Entries> {
        let methods = self.methods.iter().map(|method| slug(&method.name())).collect();
        vec![Entries { race: slug(self.problem.name()), methods }]
    }

    fn part(&self, part: &Part) -> Option<Box<dyn Experiment>> {
        let mut budgeted = self.clone();
        budgeted.methods.retain(|method| part.has_method(&method.name()));
        let has = part.has_race(self.problem.name()) && !budgeted.methods.is_empty();
        has.then(|| Box::new(budgeted) as _)
    }

    fn tasks(&self, size: &Size) -> Vec<Task> {
        self.methods
            .iter()
            .flat_map(|method| self.setting(*method, size).tasks(SEEDS, size))
            .collect()
    }

    fn digest(&self, size: &Size, store: &Store) -> Result<Digest> {
        let (mut contestants, mut ends) = (Vec::new(), Vec::new());
        let budget = size.money(self.problem.budget());
        for &method in &self.methods {
            let setting = self.setting(method, size);
            let contestant =
                setting.contestant(method.name(), &setting.runs(SEEDS, size, store)?)?;
            ends.push((method.name(), Estimate::mean(&contestant.at_end(budget))?));
            contestants.push(contestant);
        }
        let contest =
            contest(format!("{}, budget {budget}", self.problem.name()), budget, contestants);
        let baselines: Vec<String> = Method::BASELINES
            .into_iter()
            .filter(|method| self.methods.contains(method))
            .map(Method::name)
            .collect();
        let mut digest = Digest { panels: vec![contest.panel()?], ..Digest::default() };
        for method in [Method::FOUR_PATH, Method::FOUR_TREE]
            .into_iter()
            .filter(|method| self.methods.contains(method) && !baselines.is_empty())
        {
            digest.claims.push(contest.claim_no_worse(&method.name(), &baselines)?);
        }
        for (four, two) in
            [(Method::FOUR_PATH, Method::TWO_PATH), (Method::FOUR_TREE, Method::TWO_TREE)]
        {
            if self.methods.contains(&four) && self.methods.contains(&two) {
                digest.claims.push(contest.claim(&four.name(), &two.name(), 1.0)?);
            }
        }
        ends.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
        digest.notes.push(format!(
            "Mean log10 regret at the end of the budget, with 95 % intervals, from the best: {}.",
            listed(&ends)
        ));
        let (panel, note) = self.seconds(size, store)?;
        digest.panels.push(panel);
        digest.notes.push(note);
        Ok(digest)
    }
}

/// Means with half of their 95 % intervals.
fn listed(estimates: &[(String, Estimate)]) -> String {
    let told = estimates.iter().map(|(name, estimate)| match estimate.seeds {
        0 | 1 => format!("{name} {:.3}", estimate.value),
        seeds => {
            format!("{name} {:.3} +- {:.3}", estimate.value, estimate.error * student(seeds - 1))
        }
    });
    told.collect::<Vec<_>>().join(", ")
}
