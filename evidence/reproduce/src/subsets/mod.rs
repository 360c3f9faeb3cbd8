//! Control sets at a price: the experiments of Tay, Foo, Urano, Leong, Low 2023, "Bayesian
//! Optimization with Cost-varying Variable Subsets".
//!
//! A query sets some of the variables, at the price of that set, and nature draws the others.
//! Hyper-parameters are known, runs begin with five full observations and end with the money. The
//! value of a run is the simple regret: the best expected value there is, less that of the run's
//! best query. Expectations are over nature's draws. Regrets are measured with exact expectations
//! if these are known, whatever the method believes.

mod method;
mod problem;
mod trial;

use std::sync::Arc;

use gittins_papers::evaluation::Course;
use gittins_problems::SetCosts;
use serde_json::json;

use crate::comparison::{ENOUGH_SEEDS, Estimate};
use crate::contest::{Contest, Contestant};
use crate::experiment::{
    Axes, Bars, Claim, Digest, Drawing, Entries, Experiment, Panel, Part, Size, Statistic, Task,
};
use crate::slug::slug;
use crate::store::Store;
use chart::number::significant;
use frontend::Result;

pub use method::Method;
pub use problem::Problem;

use trial::{Reference, Run, Setting};

const SEEDS: u64 = 10;
/// The number of draws that stand for nature, as published.
const SAMPLES: usize = 1024;
/// Smaller regrets count as this one. Best values are known to this error, and zero has no place on
/// a logarithmic axis.
const LEAST_REGRET: f64 = 1e-8;
/// The budget and the draws of quick runs. A tenth of the budget would have room for four hundred
/// evaluations of the cheapest sets.
const QUICK: (f64, usize) = (1.0, 64);

/// One problem, searched by these methods under these costs.
#[derive(Debug, Clone, Copy)]
pub struct Subsets {
    problem: Problem,
    costs: &'static [SetCosts],
    methods: &'static [Method],
}

impl Setting {
    fn arm(&self) -> String {
        let costs = self.costs.map_or("any", SetCosts::name);
        format!(
            "{}_b{}_s{}_{}_{costs}",
            self.problem.experiment(),
            self.budget,
            self.samples,
            slug(&self.method.name())
        )
    }
}

/// The runs of one method under one of the costs.
struct Played {
    method: Method,
    costs: SetCosts,
    runs: Vec<Run>,
    courses: Vec<Course>,
}

impl Subsets {
    /// One problem, searched by all methods under these costs.
    pub fn new(problem: Problem, costs: &'static [SetCosts]) -> Self {
        Self { problem, costs, methods: &Method::ALL }
    }

    fn setting(self, method: Method, costs: SetCosts, size: &Size) -> Setting {
        let (budget, samples) = if size.quick { QUICK } else { (self.problem.budget(), SAMPLES) };
        let one_for_all = self.problem.has_full_set() && Method::BASELINES.contains(&method);
        let costs = (!one_for_all).then_some(costs);
        Setting { problem: self.problem, method, costs, budget, samples }
    }

    /// The arm of the best values. It names the number of draws if they are over draws.
    fn reference_arm(self, size: &Size) -> String {
        let Setting { samples, .. } = self.setting(Method::ConfidenceBound, SetCosts::Cheap, size);
        let over =
            if self.problem == Problem::Airfoil { format!("_s{samples}") } else { String::new() };
        format!("{}{over}_best", self.problem.experiment())
    }

    fn references(self, size: &Size, store: &Store) -> Result<Vec<Reference>> {
        let seed = |seed| if self.problem.depends_on_seed() { seed } else { 0 };
        size.seeds(SEEDS).map(|number| store.get(&self.reference_arm(size), seed(number))).collect()
    }

    fn played(
        self,
        (method, costs): (Method, SetCosts),
        references: &[Reference],
        size: &Size,
        store: &Store,
    ) -> Result<Played> {
        let setting = self.setting(method, costs, size);
        let (mut runs, mut courses) = (Vec::new(), Vec::new());
        for (seed, reference) in size.seeds(SEEDS).zip(references) {
            let run = store.get::<Run>(&setting.arm(), seed)?;
            let regrets = run.regrets(reference.best[reference.set()], costs)?;
            let simple: Vec<f64> =
                regrets.simple.iter().map(|regret| regret.max(LEAST_REGRET)).collect();
            courses.push(regrets.course(&simple)?);
            runs.push(run);
        }
        Ok(Played { method, costs, runs, courses })
    }

    fn contest(self, title: String, budget: f64, contestants: Vec<Contestant>) -> Contest {
        Contest {
            title,
            // The paper has curves and no numbers.
            published: "",
            axes: Axes {
                x: "money spent".into(),
                y: "simple regret, mean".into(),
                logarithmic: true,
                statistic: Statistic::StandardError,
            },
            budget,
            from: 0.0,
            compares: false,
            contestants,
        }
    }

    /// A bar for each method in each group.
    fn bars(
        name: &str,
        title: String,
        (label, logarithmic): (&str, bool),
        groups: Vec<String>,
        heights: Vec<(String, Vec<Vec<f64>>)>,
    ) -> Result<Panel> {
        let mut bars = Vec::new();
        for (name, seeds) in heights {
            let estimates =
                seeds.iter().map(|values| Estimate::mean(values)).collect::<Result<Vec<_>>>()?;
            let values = estimates
                .into_iter()
                .map(|estimate| (estimate.value, 2.0 * estimate.error))
                .collect();
            bars.push(Bars { name, published: vec![None; groups.len()], values, bound: false });
        }
        let axes =
            Axes { x: String::new(), y: label.to_owned(), logarithmic, statistic: Statistic::Mean };
        Ok(Panel {
            name: name.to_owned(),
            title,
            drawing: Drawing::Bars { axes, groups, bars },
            cells: Vec::new(),
        })
    }

    /// The paper's claims about problems with a set that controls everything.
    fn claims_of_full_sets(
        self,
        contests: &[(SetCosts, Contest)],
        budget: f64,
        played: &[Played],
    ) -> Result<Vec<Claim>> {
        let baselines = Method::BASELINES.map(Method::name);
        let mut claims = Vec::new();
        for (costs, contest) in contests {
            for method in Method::EXPLORING {
                match (costs, method) {
                    (SetCosts::Cheap | SetCosts::Moderate, _) => {
                        claims.push(contest.claim_better(&method.name(), &baselines)?);
                    }
                    (SetCosts::Expensive, Method::Explore(_)) => {
                        claims.push(contest.claim_worse(&method.name(), &baselines)?);
                    }
                    (SetCosts::Expensive, _) => {
                        claims.push(contest.claim_no_worse(&method.name(), &baselines)?);
                    }
                }
            }
        }
        // The baselines are the same runs under all costs. So a method's gain over them shrinks by
        // its own loss.
        for method in Method::EXPLORING {
            let of = |played: &Played| Contestant {
                name: format!("{} at {} costs", method.name(), played.costs.name()),
                courses: played.courses.clone(),
            };
            let contestants: Vec<Contestant> =
                played.iter().filter(|played| played.method == method).map(of).collect();
            let names: Vec<String> =
                contestants.iter().map(|contestant| contestant.name.clone()).collect();
            let contest = self.contest(
                format!("{}, gain over methods that do not look at costs", self.problem.name()),
                budget,
                contestants,
            );
            claims.push(contest.claim(&names[0], &names[2], 1.0)?);
        }
        Ok(claims)
    }

    /// The claims about problems in which no set controls everything.
    fn claims_of_parts(
        self,
        contests: &[(SetCosts, Contest)],
        references: &[Reference],
        played: &[Played],
    ) -> Result<Vec<Claim>> {
        let exploring = Method::EXPLORING.map(Method::name);
        let mut claims = Vec::new();
        for (_, contest) in contests {
            claims.push(contest.claim_no_worse(&Method::ConfidenceBound.name(), &exploring)?);
        }
        // Variables 0 and 1.
        const MIDDLE: usize = 5;
        let name = &references[0].sets[MIDDLE];
        let best = references.iter().filter(|reference| reference.set() == MIDDLE).count();
        let all = played.iter().map(|played| played.runs.len()).sum::<usize>();
        let naming = played
            .iter()
            .flat_map(|played| &played.runs)
            .filter(|run| run.recommended == MIDDLE)
            .count();
        let enough = references.len() >= ENOUGH_SEEDS;
        claims.push(Claim {
            text: format!("{}: the best set is {name}, of the middle price, and most runs recommend it", self.problem.name()),
            holds: enough.then_some(best == references.len() && 2 * naming > all),
            evidence: format!("it is the best over the draws of {best} of {} seeds; {naming} of {all} runs recommend it", references.len()),
        });
        Ok(claims)
    }

    /// The sets that runs recommend at their end.
    fn recommended(self, references: &[Reference], played: &[Played]) -> String {
        let best = references[0].set();
        let share = |played: &Played| {
            let count = played.runs.iter().filter(|run| run.recommended == best).count();
            format!("{} {} {count}", played.method.name(), played.costs.name())
        };
        let told: Vec<String> = played.iter().map(share).collect();
        format!(
            "Of {} runs each, so many recommend {} at their end: {}.",
            references.len(),
            references[0].sets[best],
            told.join(", ")
        )
    }
}

impl Experiment for Subsets {
    fn name(&self) -> &'static str {
        match (self.problem, self.costs) {
            (Problem::Airfoil, [SetCosts::Expensive]) => "cvs-airfoil-expensive",
            _ => self.problem.experiment(),
        }
    }

    fn title(&self) -> String {
        let costs = if let [costs] = self.costs {
            format!(" at {} costs", costs.name())
        } else {
            String::new()
        };
        format!(
            "{} with control sets{costs}, budget {} (Tay et al. 2023)",
            self.problem.name(),
            self.problem.budget()
        )
    }

    fn seeds(&self) -> u64 {
        SEEDS
    }

    fn reads_data(&self) -> bool {
        self.problem.reads_data()
    }

    fn races(&self) -> Vec<Entries> {
        let methods: Vec<String> = self.methods.iter().map(|method| slug(&method.name())).collect();
        let entries =
            |costs: &SetCosts| Entries { race: costs.name().to_owned(), methods: methods.clone() };
        self.costs.iter().map(entries).collect()
    }

    fn part(&self, part: &Part) -> Option<Box<dyn Experiment>> {
        let costs = one_or_all(self.costs, part.race.as_ref(), |costs| part.has_race(costs.name()));
        let methods =
            one_or_all(self.methods, part.method.as_ref(), |m| part.has_method(&m.name()));
        let costs = costs?;
        let methods = methods?;
        Some(Box::new(Self { costs, methods, ..*self }))
    }

    fn tasks(&self, size: &Size) -> Vec<Task> {
        let mut settings: Vec<Setting> = Vec::new();
        for setting in self.costs.iter().flat_map(|&costs| {
            self.methods.iter().map(move |&method| self.setting(method, costs, size))
        }) {
            if !settings.iter().any(|known| known.arm() == setting.arm()) {
                settings.push(setting);
            }
        }
        let mut tasks = Vec::new();
        for seed in size.seeds(SEEDS) {
            let (setting, data, backend) = (settings[0], size.data.clone(), size.backend.clone());
            let seed = if self.problem.depends_on_seed() { seed } else { 0 };
            let work = Arc::new(move || {
                Ok(json!(trial::reference(setting, seed, data.as_deref(), &backend)?))
            });
            tasks.push(Task { arm: self.reference_arm(size), seed, work, probe: None });
        }
        for setting in settings {
            for seed in size.seeds(SEEDS) {
                let (data, backend) = (size.data.clone(), size.backend.clone());
                let work = Arc::new(move || {
                    Ok(json!(trial::run(setting, seed, data.as_deref(), &backend)?))
                });
                tasks.push(Task { arm: setting.arm(), seed, work, probe: None });
            }
        }
        tasks
    }

    fn digest(&self, size: &Size, store: &Store) -> Result<Digest> {
        let references = self.references(size, store)?;
        let Setting { budget, .. } = self.setting(Method::ConfidenceBound, SetCosts::Cheap, size);
        let with = |&costs| self.methods.iter().map(move |&method| (method, costs));
        let pairs = self.costs.iter().flat_map(with);
        let played = pairs
            .map(|pair| self.played(pair, &references, size, store))
            .collect::<Result<Vec<_>>>()?;
        let under = |costs| played.iter().filter(move |played| played.costs == costs);
        let mut digest = Digest::default();
        let mut contests = Vec::new();
        for &costs in self.costs {
            let contestants = under(costs).map(|played| Contestant {
                name: played.method.name(),
                courses: played.courses.clone(),
            });
            let contest = self.contest(
                format!("{}, {} costs", self.problem.name(), costs.name()),
                budget,
                contestants.collect(),
            );
            digest.panels.push(contest.panel_over_money()?);
            contests.push((costs, contest));
        }
        let ends = self.methods.iter().map(|&method| {
            let of = played.iter().filter(|played| played.method == method);
            (
                method.name(),
                of.map(|played| {
                    played
                        .courses
                        .iter()
                        .filter_map(|course| Some(course.marks().last()?.best))
                        .collect()
                })
                .collect(),
            )
        });
        let title = format!("{}, simple regret at the end of the budget", self.problem.name());
        let groups = self.costs.iter().map(|costs| format!("{} costs", costs.name())).collect();
        digest.panels.push(Self::bars(
            "ends",
            title,
            ("simple regret, mean", true),
            groups,
            ends.collect(),
        )?);
        let sets = &references[0].sets;
        for &costs in self.costs {
            let plays = |played: &Played| {
                let runs: Vec<Vec<f64>> =
                    played.runs.iter().map(|run| run.plays(sets.len())).collect();
                (
                    played.method.name(),
                    (0..sets.len()).map(|set| runs.iter().map(|run| run[set]).collect()).collect(),
                )
            };
            let title =
                format!("{}, {} costs, evaluations of each set", self.problem.name(), costs.name());
            let name = format!("plays-{}", costs.name());
            digest.panels.push(Self::bars(
                &name,
                title,
                ("evaluations, mean", false),
                sets.clone(),
                under(costs).map(plays).collect(),
            )?);
        }
        digest.claims = match self.problem.has_full_set() {
            // Claims are about all methods, and some about all costs.
            _ if self.is_part() => Vec::new(),
            true => self.claims_of_full_sets(&contests, budget, &played)?,
            false => self.claims_of_parts(&contests, &references, &played)?,
        };
        digest.notes = self.notes(&references, &played)?;
        Ok(digest)
    }
}

/// The one that is chosen, or all if none is.
fn one_or_all<T>(
    all: &'static [T],
    chosen: Option<&String>,
    is_chosen: impl Fn(&T) -> bool,
) -> Option<&'static [T]> {
    match chosen {
        None => Some(all),
        Some(_) => all.iter().position(is_chosen).map(|at| &all[at..=at]),
    }
}

impl Subsets {
    /// Whether some method is left out, or all costs but one of a problem that is published with
    /// three.
    fn is_part(self) -> bool {
        self.methods.len() < Method::ALL.len()
            || self.problem.has_full_set() && self.costs.len() < SetCosts::ALL.len()
    }

    fn notes(self, references: &[Reference], played: &[Played]) -> Result<Vec<String>> {
        let mut best = Vec::new();
        for (set, name) in references[0].sets.iter().enumerate() {
            let values: Vec<f64> = references.iter().map(|reference| reference.best[set]).collect();
            best.push(format!("{name} {}", significant(Estimate::mean(&values)?.value, 4)));
        }
        let seeds = if self.problem.depends_on_seed() { ", on average over the seeds" } else { "" };
        let laws = format!(
            "Nature's laws have the variance {}. The best that the sets can come to{seeds}: {}.",
            trial::VARIANCE,
            best.join(", ")
        );
        let other = if self.problem.has_full_set() {
            "UCB-PSQ and TS-PSQ play nothing but the set that controls everything: one run serves for all costs.".to_owned()
        } else {
            self.recommended(references, played)
        };
        Ok(vec![laws, other])
    }
}
