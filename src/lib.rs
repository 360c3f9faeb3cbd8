//! Cost-aware Bayesian optimization: where to spend the next expensive evaluation, and when to stop
//! spending.
//!
//! A training run, a lab batch, a simulation billed by the hour: each evaluation has a price, the
//! prices differ, and at some point the next one is not worth it. You say what a unit of cost is
//! worth in units of the outcome (`lambda`); the library fits an exact Gaussian process to what was
//! seen, treats each point as a Pandora's box with a price on it, asks for the one with the best
//! Gittins index, and stops when no remaining index beats the best outcome.
//!
//! ```
//! use gittins::{Acquisition, Cost, Outcome, Space, Study, Verdict};
//!
//! // Stands for a training run: the loss, and the seconds that it took.
//! fn train(rate: f64, depth: f64) -> (f64, f64) {
//!     ((rate.ln() - 0.003_f64.ln()).powi(2) / 20.0 + (depth - 7.0).powi(2) / 50.0, 2.0 + depth)
//! }
//!
//! let space = Space::new().log_float("learning_rate", 1e-5, 1e-1).int("depth", 2, 12);
//! let mut study = Study::minimize(space).cost(Cost::learned()).acquisition(Acquisition::gittins(1e-3)).seed(7).build()?;
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
//! Observations -> GaussianProcess (fit) -> Posterior -> Acquisition -> Backend (a batch of points) -> maximize -> Suggestion -> StopRule -> Study
//! Study -> Record -> evaluation: regret against money, hindsight, other stopping rules over the same run
//! ControlSets -> SubsetStudy: which variables to set at which price, the rest being left to nature
//! ```
//!
//! Each stage is usable alone, and a module uses only what stands before it in the list of modules
//! below: a [`Posterior`] of your own data, its [moments](Posterior::moments_with_gradients) and
//! [joint covariance](Posterior::joint); an [`Acquisition`] scored with gradients over thousands of
//! points by a [`Backend`]; one [maximization](Maximize); one stopping [`Verdict`].
//!
//! # Conventions
//!
//! - Inside, larger is better, inputs live in the unit cube and outcomes are standardized.
//!   [`Study::minimize`] turns outcomes round in one place.
//! - `lambda` is in the user's units: outcome per unit of cost.
//! - Costs are positive and finite (or zero, with a floor). They are uniform, a function of the
//!   point, or learned as a second Gaussian process on `ln c`.
//! - One seed fixes a run; on one machine the CPU's result has the same bits for any number of
//!   threads.
//! - Bad input is an [`Error`] that names its culprit. What is not an error (converged or not,
//!   stopped at a deadline, a fit that kept the old hyper-parameters) is a value. The library
//!   prints nothing; it logs through the `log` crate.
//!
//! # Papers
//!
//! - Xie, Astudillo, Frazier, Scully, Terenin: "Cost-aware Bayesian Optimization via the Pandora's
//!   Box Gittins Index", 2024: [`acquisition::gittins`], [`Policy::gittins_decay`].
//! - Xie, Cai, Terenin, Frazier, Scully: "Cost-aware Stopping for Bayesian Optimization", 2025:
//!   [`stop`], [`Study::lambda_from_budget`].
//! - Wilson: "Stopping Bayesian Optimization with Probabilistic Regret Bounds", 2024:
//!   [`stop::RegretProbabilityRule`]; Ishibashi, Karasuyama, Takeuchi, Hino: "A stopping criterion
//!   for Bayesian optimization by the gap of expected minimum simple regrets", 2023:
//!   [`stop::RegretGapRule`].
//! - Wilson, Borovitskiy, Terenin, Mostowsky, Deisenroth: "Efficiently sampling functions from
//!   Gaussian process posteriors", 2020: [`posterior::Paths`], [`Policy::thompson`].
//! - Astudillo, Jiang, Balandat, Bakshy, Frazier: "Multi-Step Budgeted Bayesian Optimization with
//!   Unknown Evaluation Costs", 2021: [`acquisition::lookahead`],
//!   [`Acquisition::budgeted_lookahead`].
//! - Wang, Zhou, Jegelka: "Optimization as Estimation with Gaussian Processes in Bandit Settings",
//!   2016: [`acquisition::estimation`], [`Policy::estimation`].
//! - Tay, Foo, Urano, Leong, Low: "Bayesian Optimization with Cost-varying Variable Subsets", 2023:
//!   [`subsets`], [`SubsetStudy`].
//! - Wang, Jegelka: "Max-value Entropy Search for Efficient Bayesian Optimization", 2017:
//!   [`acquisition::max_value_entropy`], [`Policy::max_value_entropy`].
//!
//! # Features
//!
//! `gpu` (default) is the backend in WGSL compute shaders ([`backend`]; `backend::gpu`), through
//! wgpu. A [`Study`] uses it for batches for which a hardware adapter is measured to be quicker,
//! unless it is given a backend or the environment asks for another:
//!
//! - `GITTINS_BACKEND=auto|cpu|gpu`: who evaluates,
//! - `GITTINS_ADAPTER=<part of its name>`: on which adapter. Without it only hardware is used.
//!
//! The device finds where the best points are, in single precision where that is fit; the host
//! settles them in double precision. Without the feature, without an adapter and after any failure
//! of one the CPU evaluates, and [`Scores::provenance`] says so. `--no-default-features` is the CPU
//! engine alone.
//!
//! `serde` makes records and their parts data for any format that serde knows.

#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod error;
pub mod math;
pub mod data;
pub mod model;
pub mod posterior;
pub mod acquisition;
pub mod backend;
pub mod maximize;
pub mod suggest;
pub mod stop;
pub mod study;
pub mod subsets;
pub mod evaluation;

pub use acquisition::{Acquisition, CostForm, Joint, Pointwise};
pub use backend::{Backend, BackendOptions, Cpu, Job, JobCost, Scores};
pub use data::{Cost, Domain, Observations, Points, Space, Table};
pub use error::{Error, ErrorKind, Result};
pub use maximize::{Maximize, Maximum};
pub use model::{Fit, GaussianProcess, Hyperparameters, KernelFamily};
pub use posterior::Posterior;
pub use stop::{GittinsRule, StopContext, StopRule, Verdict};
pub use study::{Ask, Outcome, Record, Study, Trial, TrialId};
pub use subsets::{ControlSets, Law, SubsetPolicy, SubsetStudy};
pub use suggest::Policy;

/// The README's example runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
