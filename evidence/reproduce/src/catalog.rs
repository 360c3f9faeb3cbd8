//! The experiments, with their problems, prices, budgets and methods.

use gittins::KernelFamily::{self, Matern52};
use gittins_problems::SetCosts;
use gittins_problems::bump::BumpVariant;

use crate::budgeted::Problem::{Ackley, Alpine1, Dropwave, Lda, Robot, Shekel5};
use crate::budgeted::{self, Budgeted, Half};
use crate::bump::Bumps;
use crate::estimation::Estimation;
use crate::experiment::{Experiment, Part};
use crate::four_points::FourPoints;
use crate::optimization::{Budget, Lesson, Method, Optimization, Price, Problem, Race, Search};
use crate::stopping::Stopping;
use crate::subsets::{self, Subsets};

use Budget::{Evaluations, Money};
use Method as M;
use Price::{Known, Learned, Linear, Uniform};
use budgeted::Method as B;

/// Seeds of Xie et al. 2024.
const SEEDS: u64 = 16;

/// All experiments, in the order of the papers.
pub fn all() -> Vec<Box<dyn Experiment>> {
    let mut all: Vec<Box<dyn Experiment>> = Vec::new();
    all.push(Box::new(Bumps {
        name: "fig2",
        title: "a bump that improvement per cost does not enter (Fig. 2)",
        variant: BumpVariant::PerCost,
        part: Part::default(),
    }));
    all.push(Box::new(Bumps {
        name: "fig9",
        title: "a bump that improvement enters alone (Fig. 9)",
        variant: BumpVariant::Improvement,
        part: Part::default(),
    }));
    for optimization in optimizations() {
        all.push(Box::new(optimization));
    }
    for problem in [Dropwave, Alpine1, Ackley, Shekel5, Lda, Robot] {
        let ahead = [B::TWO_PATH, B::TWO_TREE, B::FOUR_PATH, B::FOUR_TREE];
        all.push(Box::new(Budgeted { problem, methods: [&B::BASELINES[..], &ahead].concat() }));
    }
    all.push(Box::new(Half { problem: Dropwave }));
    for problem in subsets::Problem::ALL {
        all.push(Box::new(Subsets::new(problem, &SetCosts::ALL)));
    }
    all.push(Box::new(Subsets::new(subsets::Problem::Airfoil, &[SetCosts::Expensive])));
    all.push(Box::new(FourPoints));
    all.push(Box::new(Stopping));
    all.push(Box::new(Estimation));
    all
}

/// Functions drawn from a Gaussian process, `ell = 0.1` unless said otherwise.
fn draw(dim: usize) -> Problem {
    kernel_draw(Matern52, dim, 0.1)
}

fn kernel_draw(family: KernelFamily, dim: usize, lengthscale: f64) -> Problem {
    Problem::Draw { family, dim, lengthscale }
}

fn race(
    title: &str,
    published: &'static str,
    problem: Problem,
    price: Price,
    budget: Budget,
    methods: &[Method],
) -> Race {
    let methods = methods.to_vec();
    let (title, search) = (title.to_owned(), Search::Published);
    Race {
        title,
        published,
        problem,
        price,
        budget,
        methods,
        search,
        shows_prices: false,
        lessons: Vec::new(),
    }
}

impl Race {
    fn lesson(mut self, better: Method, worse: Method, fraction: f64) -> Self {
        self.lessons.push(Lesson { better, worse, fraction });
        self
    }

    fn with_own_search(mut self) -> Self {
        self.search = Search::Own;
        self
    }

    fn with_prices(mut self) -> Self {
        self.shows_prices = true;
        self
    }
}

fn experiment(
    name: &'static str,
    title: &str,
    seeds: u64,
    races: impl IntoIterator<Item = Race>,
) -> Optimization {
    Optimization { name, title: title.to_owned(), seeds, races: races.into_iter().collect() }
}

fn optimizations() -> Vec<Optimization> {
    let uniform = [
        M::Random,
        M::LogImprovement,
        M::Thompson,
        M::ConfidenceBound,
        M::MaxValueEntropy,
        M::PBGI,
        M::PBGI_D,
    ];
    let varying = [
        M::Random,
        M::LogImprovementCooled,
        M::LogImprovementPerCost,
        M::MaxValueEntropyPerCost,
        M::PBGI,
        M::PBGI_D,
    ];
    let few = [M::Random, M::LogImprovement, M::PBGI, M::PBGI_D];
    let few_varying = [M::Random, M::LogImprovementPerCost, M::PBGI, M::PBGI_D];
    let sweep = [M::Gittins(1e-2), M::Gittins(1e-3), M::PBGI, M::Gittins(1e-5), M::PBGI_D];
    let decays = [(0.1, 2.0), (0.1, 10.0), (0.1, 100.0), (1e-4, 2.0), (1e-4, 10.0), (1e-4, 100.0)]
        .map(|(l, b)| M::GittinsDecay(l, b));
    let synthetic = |dim| {
        [
            ("Ackley", Problem::Ackley(dim)),
            ("Levy", Problem::Levy(dim)),
            ("Rosenbrock", Problem::Rosenbrock(dim)),
        ]
    };
    vec![
        experiment(
            "fig3",
            "lambda of the index (Xie et al. 2024, Fig. 3 right)",
            SEEDS,
            [race("Fig. 3, lambda, d = 8", "fig3", draw(8), Uniform, Evaluations(200), &sweep)
                .lesson(M::Gittins(1e-5), M::Gittins(1e-2), 1.0)
                .lesson(M::PBGI, M::Gittins(1e-2), 1.0)
                .lesson(M::Gittins(1e-3), M::Gittins(1e-5), 0.25)],
        ),
        experiment(
            "fig4-d8-uniform",
            "draws in 8 dimensions at one price (Fig. 4)",
            SEEDS,
            [race(
                "Fig. 4, d = 8, uniform cost",
                "fig4-d8-uniform",
                draw(8),
                Uniform,
                Evaluations(200),
                &uniform,
            )
            .lesson(M::PBGI, M::Random, 1.0)
            .lesson(M::PBGI, M::LogImprovement, 0.5)],
        ),
        experiment(
            "fig4-d8-own-search",
            "the draws of fig4-d8-uniform with the library's own search of acquisitions",
            SEEDS,
            [race(
                "draws, d = 8, uniform cost, own search",
                "",
                draw(8),
                Uniform,
                Evaluations(200),
                &uniform,
            )
            .with_own_search()],
        ),
        experiment(
            "fig4-d8-varying",
            "draws in 8 dimensions at prices from 1 to 21 (Fig. 4)",
            SEEDS,
            [race(
                "Fig. 4, d = 8, varying cost",
                "fig4-d8-varying",
                draw(8),
                Linear,
                Money(400.0),
                &varying,
            )
            .lesson(M::PBGI_D, M::LogImprovementPerCost, 1.0)],
        ),
        experiment(
            "fig4-d16-uniform",
            "draws in 16 dimensions at one price (Fig. 4)",
            8,
            [race(
                "Fig. 4, d = 16, uniform cost",
                "fig4-d16-uniform",
                draw(16),
                Uniform,
                Evaluations(400),
                &few,
            )],
        ),
        experiment(
            "fig4-d16-varying",
            "draws in 16 dimensions at prices from 1 to 21 (Fig. 4)",
            8,
            [race(
                "Fig. 4, d = 16, varying cost",
                "fig4-d16-varying",
                draw(16),
                Linear,
                Money(800.0),
                &few_varying,
            )],
        ),
        experiment(
            "fig12",
            "start and fall of the price of PBGI-D (Fig. 12)",
            SEEDS,
            [race("Fig. 12, decay, d = 8", "fig12", draw(8), Uniform, Evaluations(200), &decays)
                .with_prices()],
        ),
        experiment(
            "synthetic-d4",
            "Ackley, Levy and Rosenbrock in 4 dimensions (Figs. 19 and 20)",
            SEEDS,
            {
                let races = |price: Price, methods: &[Method]| {
                    let (budget, word) = if price == Uniform {
                        (Evaluations(40), "uniform")
                    } else {
                        (Money(100.0), "varying")
                    };
                    synthetic(4).map(|(name, problem)| {
                        let published = if (name, price) == ("Ackley", Uniform) {
                            "ackley-d4-uniform"
                        } else {
                            ""
                        };
                        race(
                            &format!("{name}, d = 4, {word} cost"),
                            published,
                            problem,
                            price,
                            budget,
                            methods,
                        )
                    })
                };
                races(Uniform, &uniform).into_iter().chain(races(Linear, &varying))
            },
        ),
        experiment(
            "pest-uniform",
            "pest control at one price (Fig. 6)",
            SEEDS,
            [race(
                "Fig. 6, pest control, uniform cost",
                "pest-uniform",
                Problem::PestControl,
                Uniform,
                Evaluations(100),
                &uniform,
            )
            .lesson(M::PBGI, M::LogImprovement, 1.0)],
        ),
        experiment(
            "pest-varying",
            "pest control at the price of its policy (Fig. 6)",
            SEEDS,
            [race(
                "Fig. 6, pest control, varying cost",
                "pest-varying",
                Problem::PestControl,
                Known,
                Money(800.0),
                &varying,
            )],
        ),
        experiment(
            "robot-uniform",
            "robot pushing in 14 dimensions at one price (Fig. 6)",
            SEEDS,
            [race(
                "Fig. 6, robot pushing, uniform cost",
                "robot-uniform",
                Problem::Pushing14,
                Uniform,
                Evaluations(200),
                &few,
            )],
        ),
        experiment(
            "robot-known",
            "robot pushing in 14 dimensions at the price of its duration (Fig. 13)",
            SEEDS,
            [race(
                "Fig. 13, robot pushing, known cost",
                "robot-known",
                Problem::Pushing14,
                Known,
                Money(600.0),
                &varying,
            )],
        ),
        experiment(
            "robot-learned",
            "robot pushing in 14 dimensions at the price of the hands' ways, which is learned (Fig. 6)",
            SEEDS,
            [race(
                "Fig. 6, robot pushing, unknown cost",
                "robot-learned",
                Problem::Pushing14,
                Learned,
                Money(800.0),
                &few_varying,
            )],
        ),
        experiment(
            "robot-d4",
            "robot pushing in 4 dimensions at the price of its duration",
            SEEDS,
            [race(
                "robot pushing in 4 dimensions, known cost",
                "",
                Problem::Pushing4,
                Known,
                Money(200.0),
                &varying,
            )],
        ),
        experiment(
            "fig5-uniform",
            "Ackley, Levy and Rosenbrock in 16 dimensions at one price (Fig. 5)",
            8,
            {
                let names = ["fig5-ackley-uniform", "fig5-levy-uniform", "fig5-rosenbrock-uniform"];
                synthetic(16).into_iter().zip(names).map(move |((name, problem), published)| {
                    race(
                        &format!("{name}, d = 16, uniform cost"),
                        published,
                        problem,
                        Uniform,
                        Evaluations(160),
                        &few,
                    )
                })
            },
        ),
        experiment(
            "fig5-varying",
            "Ackley, Levy and Rosenbrock in 16 dimensions at prices from 1 to 21 (Fig. 5)",
            8,
            {
                let names = ["fig5-ackley-varying", "fig5-levy-varying", "fig5-rosenbrock-varying"];
                synthetic(16).into_iter().zip(names).map(move |((name, problem), published)| {
                    race(
                        &format!("{name}, d = 16, varying cost"),
                        published,
                        problem,
                        Linear,
                        Money(400.0),
                        &few_varying,
                    )
                })
            },
        ),
    ]
}
