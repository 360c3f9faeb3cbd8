//! Choosing which variables to control, when control has a price and nature draws the other
//! variables, which are seen (Tay, Foo, Urano, Leong, Low 2023, "Bayesian Optimization with
//! Cost-varying Variable Subsets").
//!
//! Each trial plays a control set `i`, a subset of the variables, at a price `c_i`, and sets its
//! variables to `x`. Nature draws the others, `r`, independently from known laws, and they are seen
//! afterwards. What counts is the outcome on average over nature, `E_i f(x) = E_r f(x, r)`:
//!
//! ```text
//! ControlSets + Space -> BoundSets -> samples of nature, once
//! Surrogate -> an objective: expected bound, mean or paths -> SetSearch: the best query of each set -> select: the set -> Decision -> SubsetStudy
//! ```
//!
//! # Scores of partial queries
//!
//! With fixed samples `r_1 .. r_S` of nature all of these are smooth functions of `x` with analytic
//! gradients.
//!
//! | score | for any kernel | what is saved |
//! | --- | --- | --- |
//! | `E [mu + beta sigma]` | `expected`: a backend scores all completions of all queries of all sets in one batch | `ExpectedBound`: the squared-exponential kernel is a product of a controlled and a random part, `k((x, r_s), x_j) = kc_j(x) Kr_js`; the random parts are made once for a set |
//! | `E mu` | `ExpectedMeans` | the same; over the laws themselves in closed form, `expected_mean` |
//! | `E` of sample paths, and their improvement | `ExpectedPaths` | the mean of a Fourier series over some coordinates is a series in the others: one evaluation in place of `S` |
//!
//! `UpperBounds` joins the first two forms for a search. A backend finds the places, on the CPU
//! or on a device, and the host settles them in double precision.
//!
//! # Which set
//!
//! With `U_i` the score of the best query of set `i` and a relaxation `eps_t >= 0`, algorithm 1
//! takes the sets with `U_i + eps_t >= max U`, of these the sets of the lowest cost, and of these
//! plays the one with the largest `U_i` (`select`). Explore-then-commit first plays each of the
//! cheap sets a number of times (`Exploration`). Money is counted by numbers of payments
//! (`SetPurse`), so that nothing drifts. A run ends once the set chosen costs more than is left.
//!
//! An expectation is no larger than a maximum: if costs do not decide and a set controls
//! everything, no other set can win, and none is searched.

mod applying;
mod ask;
mod books;
pub(crate) mod bound;
mod builder;
mod chosen;
mod decision;
mod event;
pub(crate) mod expectation;
mod kernel;
mod lattice;
pub(crate) mod law;
pub(crate) mod objective;
pub(crate) mod paths;
pub(crate) mod policy;
pub(crate) mod purse;
mod recommendation;
pub(crate) mod search;
pub(crate) mod select;
pub(crate) mod sets;
mod situation;
pub(crate) mod study;
mod telling;
mod trial;

pub use ask::{SubsetAsk, SubsetWhy};
pub use builder::SubsetStudyBuilder;
pub use chosen::Chosen;
pub use decision::Decision;
pub use event::{SubsetAsked, SubsetEvent, SubsetFit};
pub use policy::{PathIncumbent, Relaxation, SetChoice, SetScore};
pub use recommendation::SubsetRecommendation;
pub use search::SetSearch;
pub use select::Plays;
pub use sets::Sampling;
pub use trial::SubsetTrial;
