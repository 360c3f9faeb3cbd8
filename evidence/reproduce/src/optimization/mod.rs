//! Races of policies on a problem: the regret, or the best value, against the money spent.

mod method;
mod problem;
mod setting;
mod trial;

use std::sync::Arc;

use gittins::data::Direction;
use gittins_papers::evaluation::Course;
use serde_json::json;

use crate::contest::{Contest, Contestant, cell, curve};
use crate::experiment::{
    Axes, Digest, Drawing, Entries, Experiment, Panel, Part, Probe, Size, Statistic, Task,
};
use crate::published;
use crate::slug::slug;
use crate::store::Store;
use frontend::Result;

pub use method::Method;
pub use problem::{Budget, Price, Problem, Search};
pub use setting::Setting;
pub use trial::Trace;

/// One problem at one price and budget, searched by several methods.
#[derive(Debug, Clone)]
pub struct Race {
    pub title: String,
    /// The name of its numbers in `published.csv`.
    pub published: &'static str,
    pub problem: Problem,
    pub price: Price,
    pub budget: Budget,
    pub methods: Vec<Method>,
    pub search: Search,
    /// Whether the falling prices of the index are a panel of their own.
    pub shows_prices: bool,
    pub lessons: Vec<Lesson>,
}

/// That one method does better than another at a part of the budget.
#[derive(Debug, Clone, Copy)]
pub struct Lesson {
    pub better: Method,
    pub worse: Method,
    pub fraction: f64,
}

/// Races with the same seeds.
#[derive(Debug, Clone)]
pub struct Optimization {
    pub name: &'static str,
    pub title: String,
    pub seeds: u64,
    pub races: Vec<Race>,
}

impl Race {
    /// The race with the methods of a part; none if the part has nothing of it.
    fn part(&self, part: &Part) -> Option<Self> {
        let mut race = self.clone();
        race.methods.retain(|method| part.has_method(&method.name()));
        let methods = race.methods.clone();
        race.lessons
            .retain(|lesson| methods.contains(&lesson.better) && methods.contains(&lesson.worse));
        (part.has_race(&self.title) && !methods.is_empty()).then_some(race)
    }

    fn budget(&self, size: &Size) -> Budget {
        match self.budget {
            Budget::Evaluations(count) => Budget::Evaluations(size.part(count)),
            Budget::Money(money) => Budget::Money(size.money(money)),
        }
    }

    fn setting(&self, method: Method, size: &Size) -> Setting {
        Setting {
            problem: self.problem,
            price: self.price,
            budget: self.budget(size),
            method,
            search: self.search,
        }
    }

    fn arm(&self, method: Method, size: &Size) -> String {
        // Random points need no search.
        let search =
            if self.search == Search::Own && method != Method::Random { "_own-search" } else { "" };
        format!(
            "{}_{}_{}_{}{search}",
            self.problem.slug(),
            self.price.slug(),
            self.budget(size).slug(),
            method.slug()
        )
    }

    fn tasks(&self, seeds: u64, size: &Size) -> Vec<Task> {
        let mut tasks = Vec::new();
        for seed in size.seeds(seeds) {
            if let Some(arm) = self.problem.reference_arm(size.quick) {
                let (problem, quick) = (self.problem, size.quick);
                let work =
                    Arc::new(move || Ok(serde_json::to_value(problem.reference(seed, quick)?)?));
                tasks.push(Task { arm, seed, work, probe: None });
            }
        }
        for &method in &self.methods {
            let setting = self.setting(method, size);
            let arm = self.arm(method, size);
            let (backend, probing) = (size.backend.clone(), size.backend.clone());
            let probe: Arc<Probe> = Arc::new(move || trial::probe(setting, &probing));
            let work: Arc<dyn Fn(u64) -> Result<Trace> + Send + Sync> =
                Arc::new(move |seed| trial::run(setting, seed, &backend));
            for seed in size.seeds(seeds) {
                let work = work.clone();
                let work = Arc::new(move || Ok(json!(work(seed)?)));
                tasks.push(Task {
                    arm: arm.clone(),
                    seed,
                    work,
                    probe: (!size.quick).then(|| probe.clone()),
                });
            }
        }
        tasks
    }

    /// The regret of a seed along its money, or the best value if the optimum is not known.
    fn course(&self, method: Method, seed: u64, size: &Size, store: &Store) -> Result<Course> {
        let trace: Trace = store.get(&self.arm(method, size), seed)?;
        let reference = match self.problem.reference_arm(size.quick) {
            Some(arm) => Some(store.get::<problem::Reference>(&arm, seed)?),
            None => None,
        };
        let shown = |best: f64| self.problem.shown(best, reference.as_ref());
        trace.course(
            if self.problem.shows_regret() { Direction::Minimize } else { Direction::Maximize },
            shown,
        )
    }

    fn contest(&self, seeds: u64, size: &Size, store: &Store) -> Result<Contest> {
        let mut contestants = Vec::new();
        for &method in &self.methods {
            let courses = size
                .seeds(seeds)
                .map(|seed| self.course(method, seed, size, store))
                .collect::<Result<_>>()?;
            contestants.push(Contestant { name: method.name(), courses });
        }
        let axes = Axes {
            x: self.price.axis().to_owned(),
            y: if self.problem.shows_regret() { "simple regret" } else { "best value" }.to_owned(),
            logarithmic: self.problem.is_logarithmic(),
            statistic: Statistic::Median,
        };
        Ok(Contest {
            title: self.title.clone(),
            published: self.published,
            axes,
            budget: self.budget(size).money(),
            from: 0.0,
            compares: !size.quick,
            contestants,
        })
    }

    /// The falling prices of the index.
    fn prices(&self, seeds: u64, size: &Size, store: &Store) -> Result<Panel> {
        let budget = self.budget(size).money();
        let numbers = published::of(self.published);
        let (mut curves, mut cells) = (Vec::new(), Vec::new());
        for &method in &self.methods {
            let traces = size
                .seeds(seeds)
                .map(|seed| store.get(&self.arm(method, size), seed))
                .collect::<Result<Vec<Trace>>>()?;
            let at = |money: f64| -> Vec<f64> {
                traces.iter().map(|trace| trace.price_at(money)).collect()
            };
            let mut curve = curve(method.name(), 0.0..budget, at)?;
            for (fraction, published) in numbers
                .along(&format!("{} price", method.name()))
                .into_iter()
                .filter(|_| !size.quick)
            {
                curve.published.push((fraction * budget, published.value));
                cells.push(cell(
                    &method.name(),
                    fraction,
                    &at(fraction * budget),
                    published,
                    true,
                )?);
            }
            curves.push(curve);
        }
        let axes = Axes {
            x: self.price.axis().to_owned(),
            y: "lambda".to_owned(),
            logarithmic: true,
            statistic: Statistic::Median,
        };
        let title = format!("{}: lambda", self.title);
        let drawing = Drawing::Curves { axes, curves };
        Ok(Panel { name: format!("{}-lambda", slug(&self.title)), title, drawing, cells })
    }
}

impl Experiment for Optimization {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> String {
        self.title.clone()
    }

    fn seeds(&self) -> u64 {
        self.seeds
    }

    fn races(&self) -> Vec<Entries> {
        let entries = |race: &Race| Entries {
            race: slug(&race.title),
            methods: race.methods.iter().map(|method| slug(&method.name())).collect(),
        };
        self.races.iter().map(entries).collect()
    }

    fn part(&self, part: &Part) -> Option<Box<dyn Experiment>> {
        let races: Vec<Race> = self.races.iter().filter_map(|race| race.part(part)).collect();
        (!races.is_empty()).then(|| Box::new(Self { races, ..self.clone() }) as _)
    }

    fn tasks(&self, size: &Size) -> Vec<Task> {
        self.races.iter().flat_map(|race| race.tasks(self.seeds, size)).collect()
    }

    fn digest(&self, size: &Size, store: &Store) -> Result<Digest> {
        let mut digest = Digest::default();
        for race in &self.races {
            let contest = race.contest(self.seeds, size, store)?;
            digest.panels.push(contest.panel()?);
            if race.shows_prices {
                digest.panels.push(race.prices(self.seeds, size, store)?);
            }
            for Lesson { better, worse, fraction } in &race.lessons {
                digest.claims.push(contest.claim(&better.name(), &worse.name(), *fraction)?);
            }
            if !size.quick {
                digest.notes.extend(race.problem.note(size.seeds(self.seeds), store)?);
            }
        }
        Ok(digest)
    }
}
