//! What papers on cost-aware Bayesian optimization study besides what the library
//! [`gittins`] needs: whoever reads one of them finds all of it in one folder.
//!
//! | paper | folder | types |
//! | --- | --- | --- |
//! | Xie, Astudillo, Frazier, Scully, Terenin 2024, "Cost-aware Bayesian Optimization via the Pandora's Box Gittins Index": regret against cost | `evaluation` | [`Course`](evaluation::Course), [`Summary`](evaluation::Summary) |
//! | Xie, Cai, Terenin, Frazier, Scully 2025, "Cost-aware Stopping for Bayesian Optimization": cost-adjusted regret, hindsight (section 4), rules over one run | `evaluation` | [`Hindsight`](evaluation::Hindsight), [`Replay`](evaluation::Replay) |
//! | the same, the rule before the update (section 3), LogEIPC-med (section 4) | `rules` | [`GittinsBeforeRule`](rules::GittinsBeforeRule), [`ImprovementMedianRule`](rules::ImprovementMedianRule) |
//! | Wilson 2024, "Stopping Bayesian Optimization with Probabilistic Regret Bounds" (equation 3, section 4) | `rules` | [`RegretProbabilityRule`](rules::RegretProbabilityRule) |
//! | Ishibashi, Karasuyama, Takeuchi, Hino 2023, "A stopping criterion for Bayesian optimization by the gap of expected minimum simple regrets" (theorem 2, section 4.3) | `rules` | [`RegretGapRule`](rules::RegretGapRule) |
//! | Makarova et al. 2022, "Automatic Termination for Hyperparameter Optimization" (section 3) | `rules` | [`ConfidenceGapRule`](rules::ConfidenceGapRule) |
//! | Bakshy et al. 2018, "AE: A domain-agnostic platform for adaptive experimentation": the global stopping strategy | `rules` | [`GlobalWindowRule`](rules::GlobalWindowRule) |
//! | Tay, Foo, Urano, Leong, Low 2023, "Bayesian Optimization with Cost-varying Variable Subsets" (algorithm 1) | `control` | [`SubsetStudy`](control::SubsetStudy), [`ControlSets`](control::ControlSets), [`SubsetPolicy`](control::SubsetPolicy) |
//! | Hayashi, Honda, Kashima 2022, "Bayesian Optimization with Partially Specified Queries" | `control` | [`SubsetPolicy::ucb_psq`](control::SubsetPolicy::ucb_psq), [`ts_psq`](control::SubsetPolicy::ts_psq) |
//!
//! Nobody needs it to use the library. The rules implement the library's open trait
//! [`StopRule`](gittins::StopRule). By their names they are known after [`register`], which the
//! command and the Python package call.
//!
//! # Features
//!
//! `gpu` (default) lets the library find the best points on a device. `serde` lets every serde format
//! read and write trials and events of control sets.

#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod control;
pub mod evaluation;
pub mod rules;

pub use rules::register;

/// The examples of the README and of the page run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/control.md")]
struct Page;
