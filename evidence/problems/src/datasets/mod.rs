//! Problems that are read from published data: surrogates of measured objectives, and tables of
//! measured settings.
//!
//! The data are not part of this crate, except the two small files of [`plant`] in the folder
//! `data`. Each reader names the project that publishes its data, and takes the folder or the file
//! on your disk.
//!
//! # Surrogates
//!
//! A [`Surrogate`] is the posterior mean of a Gaussian process with given hyper-parameters, to be
//! maximized over the unit cube. Some have a cost: the mean of a log-normal variable,
//! `exp(m + v / 2)`, from a second process on `ln c`.
//!
//! | problem | d | objective | cost | data |
//! | --- | --- | --- | --- | --- |
//! | [`lda`] | 3 | minus perplexity of an online topic model | hours | `HPOLib` (GNU GPL), surrogate of Astudillo et al. 2021 (MIT) |
//! | [`logreg`] | 4 | minus validation error of logistic regression on MNIST | seconds | as above |
//! | [`airfoil`] | 5 | standardized sound pressure level | 1 | UCI (CC BY 4.0), surrogate of Tay et al. 2023 (MIT) |
//! | [`plant`] | 5 | standardized leaf area | 1 | surrogate of Tay et al. 2023 (MIT); the measurements are private |
//!
//! The surrogates of Astudillo et al. ("Multi-step budgeted Bayesian optimization with unknown
//! evaluation costs") are in <https://github.com/RaulAstudillo06/BudgetedBO>, those of Tay et al.
//! ("Bayesian optimization with cost-varying variable subsets") in
//! <https://github.com/sebtsh/bocvs>, as `PyTorch` models and MATLAB files. The readers take plain
//! files with the same numbers: a CSV file with one header line and a row per measurement, and a
//! JSON file with the kernel's parameters after their constraints were applied. The functions list
//! the columns and fields.
//!
//! # Tables
//!
//! [`lcbench`] and [`nats_bench_size`] read tables of trained networks as [`Measurements`]: the
//! quantities of the experiments of Xie et al. 2025 ("Cost-aware stopping for Bayesian
//! optimization").
//!
//! # Errors
//!
//! Errors have the kind [`Data`](gittins::ErrorKind::Data) and name file, line and column.

mod lcbench;
mod measurements;
mod nats_bench;
mod published;
mod quoted;
mod read;
mod surrogate;

pub use lcbench::lcbench;
pub use measurements::Measurements;
pub use nats_bench::nats_bench_size;
pub use published::{airfoil, lda, logreg, plant};
pub use surrogate::Surrogate;
