//! Cost-aware Bayesian optimization: where to spend the next expensive evaluation, and when to
//! stop.
//!
//! Training runs, lab batches and billed simulations have a price. The prices differ. At some point
//! the next evaluation is not worth its price. You say what a unit of cost is worth in units of the
//! outcome (`lambda`). The library fits an exact Gaussian process to the observations. Its
//! acquisition function is the Pandora's Box Gittins Index (PBGI): each point is a box with a
//! price, and the point with the best index is next. It stops when no remaining index beats the
//! incumbent, what the run would keep if it ended now. Pending trials count.
//!
//! A [`study::Limit`] is an outcome constraint, weighed by the probability of feasibility. Two or
//! three objectives ([`study::Objective`]) have a Pareto front ([`Study::front`]).
//! [`study::Stages`] are multi-fidelity: early stopping of trials by their learning curves. Which
//! variables to set, if setting them has a price, is in the crate `gittins-papers`.
//!
//! ```
//! use gittins::{Cost, Outcome, Policy, Space, Study, Verdict};
//!
//! // Stands for a training run: the loss, and the seconds that it took.
//! fn train(rate: f64, depth: f64) -> (f64, f64) {
//!     ((rate.ln() - 0.003_f64.ln()).powi(2) / 20.0 + (depth - 7.0).powi(2) / 50.0, 2.0 + depth)
//! }
//!
//! let space = Space::new().log_float("learning_rate", 1e-5, 1e-1).int("depth", 2, 12);
//! let mut study = Study::minimize(space)
//!     .cost(Cost::learned())
//!     .policy(Policy::gittins(1e-3))
//!     .seed(7)
//!     .build()?;
//! let reason = loop {
//!     let ask = study.ask()?;
//!     let (loss, seconds) = train(ask.get("learning_rate")?, ask.get("depth")?);
//!     study.tell(ask.id(), Outcome::new(loss).cost(seconds))?;
//!     if let Verdict::Stop(reason) = study.verdict()? {
//!         break reason;
//!     }
//! };
//! println!("{reason}");
//! # assert!(study.best().unwrap().outcome.unwrap() < 0.1 && study.history().len() < 60);
//! # Ok::<(), gittins::Error>(())
//! ```
//!
//! # How data flows
//!
//! ```text
//! Observations -> GaussianProcess (fit) -> Posterior -> Acquisition
//!              -> Backend (a batch of points) -> maximize -> Suggestion -> StopRule -> Study
//! Study -> Journal: a study in a file, which Optuna reads too
//! Study -> Record -> gittins-papers: regret against cost, hindsight, other rules over the same run
//! ```
//!
//! You can use each stage alone. A module uses only modules that stand before it in the list of
//! modules below. Examples: a [`Posterior`] of your own data, with its
//! [moments](Posterior::moments_with_gradients) and [joint covariance](Posterior::joint); an
//! [`Acquisition`] scored by a [`Backend`], with gradients, over thousands of points; one
//! [maximization](Maximize); one stopping [`Verdict`].
//!
//! # Conventions
//!
//! - Inside the library, larger is better, inputs lie in the unit cube and outcomes are
//!   standardized. [`Study::minimize`] changes the sign of outcomes in one place.
//! - `lambda` is in the user's units: outcome per unit of cost.
//! - Costs are positive and finite (or zero, with a floor). They are uniform, a function of the
//!   point, or learned as a second Gaussian process on `ln c`.
//! - One seed fixes a run. On one machine the CPU gives the same bits for any number of threads.
//! - Bad input gives an [`Error`] that names its cause. Results that are not errors (converged or
//!   not, stopped at a deadline, a fit that kept the old hyperparameters) are values. The library
//!   prints nothing; it logs through the `log` crate.
//!
//! # Papers
//!
//! - Xie, Astudillo, Frazier, Scully, Terenin: "Cost-aware Bayesian Optimization via the Pandora's
//!   Box Gittins Index", 2024: [`Pointwise::Gittins`], [`Policy::gittins_decay`].
//! - Xie, Cai, Terenin, Frazier, Scully: "Cost-aware Stopping for Bayesian Optimization", 2025:
//!   [`stop`], [`Study::price_from_budget`].
//! - Wilson, Borovitskiy, Terenin, Mostowsky, Deisenroth: "Efficiently sampling functions from
//!   Gaussian process posteriors", 2020: [`posterior::Paths`], [`Policy::thompson`].
//! - Astudillo, Jiang, Balandat, Bakshy, Frazier: "Multi-Step Budgeted Bayesian Optimization with
//!   Unknown Evaluation Costs", 2021: [`acquisition::Lookahead`],
//!   [`Acquisition::budgeted_lookahead`].
//! - Wang, Zhou, Jegelka: "Optimization as Estimation with Gaussian Processes in Bandit Settings",
//!   2016: [`acquisition::MaximumEstimate`], [`Policy::estimation`].
//! - Minka: "Expectation Propagation for Approximate Bayesian Inference", 2001:
//!   [`posterior::Success`].
//! - Wang, Jegelka: "Max-value Entropy Search for Efficient Bayesian Optimization", 2017:
//!   [`Pointwise::MaxValueEntropy`], [`Policy::max_value_entropy`].
//!
//! What only readers of papers need is in the crate `gittins-papers`: stopping rules to compare
//! with, control sets, and what a run was worth.
//!
//! # Features
//!
//! `gpu` (default) is the backend in WGSL compute shaders, through wgpu ([`backend`];
//! `backend::gpu`). A [`Study`] uses it for batches for which a hardware adapter is measured to be
//! faster. You can choose another backend in code or through the environment:
//!
//! - `GITTINS_BACKEND=auto|cpu|gpu` selects the backend,
//! - `GITTINS_ADAPTER=<part of its name>` selects the adapter. Without it only hardware is used,
//! - `GITTINS_CACHE=<folder>` is where times of adapters are kept, and `off` keeps none. Without it
//!   they are kept in the user's folder of caches.
//!
//! The device finds the best points, in single precision if that is accurate enough. The host then
//! scores these points in double precision. Without the feature, without an adapter, or after a
//! failure of the adapter, the CPU evaluates, and [`Scores::provenance`] says so.
//! `--no-default-features` builds the CPU engine alone.
//!
//! `serde` lets every serde format read and write records and their parts.
//!
//! `journal` has studies that live in a file and survive their process: `journal::Journal`.

#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod error;
#[doc(hidden)]
pub mod named;
pub mod math;
pub mod data;
pub mod model;
pub mod posterior;
pub mod acquisition;
pub mod backend;
pub mod maximize;
mod surrogate;
pub mod suggest;
pub mod stop;
pub mod study;
#[cfg(feature = "journal")]
pub mod journal;
#[doc(hidden)]
pub mod internals;

pub use acquisition::acquisition::Acquisition;
pub use acquisition::joint::Joint;
pub use acquisition::per_cost::CostForm;
pub use acquisition::pointwise::Pointwise;
pub use backend::backend::Backend;
pub use backend::cpu::Cpu;
pub use backend::job::{Job, JobCost};
pub use backend::options::BackendOptions;
pub use backend::scores::Scores;
pub use data::cost::cost::{Cost, PerUnit};
pub use data::domain::Domain;
pub use data::space::space::Space;
pub use data::table::Table;
pub use data::trial::observations::Observations;
pub use data::trial::trial::Trial;
pub use data::trial::trial_id::TrialId;
pub use data::value::Value;
pub use error::{Error, ErrorKind, Result};
pub use math::points::Points;
pub use maximize::maximum::Maximum;
pub use maximize::settings::Maximize;
pub use model::family::KernelFamily;
pub use model::fit::Fit;
pub use model::gaussian_process::GaussianProcess;
pub use model::hyperparameters::Hyperparameters;
pub use named::Named;
pub use posterior::gp::Posterior;
pub use stop::context::StopContext;
pub use stop::gittins::GittinsRule;
pub use stop::rule::StopRule;
pub use stop::verdict::Verdict;
pub use study::events::ask::Ask;
pub use study::events::outcome::Outcome;
pub use study::record::Record;
pub use study::study::Study;
pub use suggest::policy::Policy;

/// The examples of the README and of the pages run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../docs/first.md")]
struct First;

#[cfg(doctest)]
#[doc = include_str!("../docs/guide.md")]
struct Guide;

#[cfg(doctest)]
#[doc = include_str!("../docs/stages.md")]
struct StagesPage;
