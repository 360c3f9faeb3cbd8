//! Several objectives: the points that no other dominates, the volume that they dominate, and how
//! much a new point is expected to add to it.
//!
//! All objectives are maximized. There are one, two or three of them. A point dominates what is at
//! most as large in every objective. The hypervolume of a [`Front`] is the volume between its
//! reference point and its points. The region that is not dominated is a union of disjoint boxes
//! `[l, u)`, the [`Cells`]. A new point `y` adds
//!
//! ```text
//! HVI(y) = sum over cells of prod_k max(min(u_k, y_k) - l_k, 0)
//! ```
//!
//! If the objectives are independent and normal with means `mu_k` and standard deviations
//! `sigma_k`, the expectation of a factor is an integral, and the product of the expectations is
//! the expectation of the product:
//!
//! ```text
//! EHVI = sum over cells of prod_k psi_k
//! psi = sigma [h(b) - h(a)]              b = (mu - l)/sigma,  a = (mu - u)/sigma
//! d psi / d mu = Phi(b) - Phi(a)         d psi / d sigma = phi(b) - phi(a)
//! ```
//!
//! (Yang, Emmerich, Deutz, Baeck 2019, "Efficient computation of expected hypervolume improvement
//! using box decomposition algorithms", Journal of Global Optimization 75, whose sums of `psi` and
//! `nu` for a box are products of these differences.) The logarithm of the sum is the score, as
//! the logarithm of the expected improvement is for one objective (Ament et al. 2023, "Unexpected
//! Improvements to Expected Improvement for Bayesian Optimization").
//!
//! Nothing here knows of a study, a posterior or a backend. With noisy outcomes, pass posterior
//! means as the points of the front.

mod cells;
mod ends;
mod factor;
#[allow(clippy::module_inception, reason = "a type lives in the file of its name")]
mod front;
mod improvement;
mod staircase;

pub use cells::{Cells, FrontScore, FrontScratch};
pub use front::Front;
pub use improvement::FrontImprovement;
pub(crate) use staircase::MOST_OBJECTIVES;
