//! Bayesian optimization if setting a variable has a price: which variables to set, and at which
//! values, while nature draws the other variables, which are seen (Tay, Foo, Urano, Leong, Low
//! 2023, "Bayesian Optimization with Cost-varying Variable Subsets").
//!
//! A field trial sets the lime and takes the rain as it comes, or pays for a greenhouse and sets
//! both. [`ControlSets`] names the sets of variables that may be controlled, each at a price, and
//! the distributions ([`Law`]) of the variables that are not. A [`SubsetStudy`] asks for a set and
//! its values, and is told the full point that happened. In the end it recommends the set and
//! values with the best *expected* outcome.
//!
//! ```
//! use gittins::{Outcome, Space};
//! use gittins_papers::control::{ControlSets, Law, SubsetStudy};
//!
//! # fn field(lime: f64, rain: f64) -> f64 { 5.0 - (lime - 2.0).powi(2) - ((rain - 700.0) / 200.0).powi(2) }
//! let space = Space::new().float("lime", 0.0, 4.0).float("rain", 200.0, 900.0);
//! let sets = ControlSets::new()
//!     .set("field", ["lime"], 1.0)
//!     .set("greenhouse", ["lime", "rain"], 5.0)
//!     .law("rain", Law::normal(600.0, 120.0)); // what falls on the field
//! let mut study = SubsetStudy::maximize(space, sets).budget(30.0).seed(7).build()?;
//! while !study.verdict()?.is_stop() {
//!     let ask = study.ask()?;
//!     let lime = ask.get("lime")?;
//!     let rain = ask.get("rain").unwrap_or(630.0); // as it was set, or as it fell
//!     study.tell(ask.id(), &[lime, rain], Outcome::new(field(lime, rain)))?;
//! }
//! let advice = study.recommendation()?.expect("there are outcomes");
//! println!("{advice}");
//! # assert!(study.spent() <= 30.0 && advice.name == "greenhouse");
//! # Ok::<(), gittins::Error>(())
//! ```
//!
//! # From prices to decisions
//!
//! Each trial plays a control set `i`, a subset of the variables, at a price `c_i`, and sets its
//! variables to `x`. Nature draws the others, `r`, independently from known laws, and they are seen
//! afterwards. What counts is the outcome on average over nature, `E_i f(x) = E_r f(x, r)`:
//!
//! ```text
//! ControlSets + Space -> BoundSets -> samples of nature, once
//! Surrogate -> an objective: expected bound, mean or paths -> SetSearch: the best query of each set -> select: the set -> Decision -> SubsetStudy
//! values and costs of the queries of a run -> Regrets -> a Course of each -> over money, a Summary at each amount spent
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

mod decision;
mod lattice;
mod law;
mod policy;
mod regrets;
mod scores;
mod search;
mod select;
mod sets;
mod situation;
mod study;
#[doc(hidden)]
pub mod internals;

pub use decision::Decision;
pub use law::Law;
pub use policy::{PathIncumbent, Relaxation, SetChoice, SetScore, SubsetPolicy};
pub use regrets::{Regrets, over_money};
pub use search::SetSearch;
pub use select::Plays;
pub use sets::{ControlSets, Sampling};
pub use study::ask::{SubsetAsk, SubsetWhy};
pub use study::builder::SubsetStudyBuilder;
pub use study::chosen::Chosen;
pub use study::event::{SubsetAsked, SubsetEvent, SubsetFit};
pub use study::recommendation::SubsetRecommendation;
pub use study::study::SubsetStudy;
pub use study::trial::SubsetTrial;
