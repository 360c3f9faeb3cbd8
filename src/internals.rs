//! What this repository's own crates, tests, programs and benches use besides the interface.
//!
//! None of it belongs to the interface: it may change or go without notice. A method that serves
//! them alone is hidden where it stands.

pub use crate::acquisition::affordable::{Chance, affordable};
pub use crate::acquisition::belief::LOG_ZERO;
pub use crate::acquisition::confidence::{ucb_beta, ucb_beta_unscaled};
pub use crate::acquisition::estimation::{confidence_lambda, confidence_target, equivalent_lambda};
pub use crate::acquisition::facts::Quantity;
pub use crate::acquisition::front::{Cells, Front, FrontImprovement, FrontScore, FrontScratch};
pub use crate::acquisition::maxima::{Gumbel, IndependentMaximum};
pub use crate::acquisition::per_cost::cooling_exponent;
pub use crate::acquisition::staged::{staged_bounds, staged_offset_with_slopes};
pub use crate::backend::options::usual_backend;
pub use crate::backend::top_k::top_k;
pub use crate::data::outcome::scaling::Scaling;
pub use crate::data::trial::stages::reaches;
pub use crate::error::check_positive;
pub use crate::math::cholesky::Cholesky;
pub use crate::math::clock::{Deadline, Pace};
pub use crate::math::decimal::decimal;
pub use crate::math::order::{at_rank, orderable};
pub use crate::math::saturating::{difference, saturated, sum};
pub use crate::math::sobol::mix;
pub use crate::maximize::starts::chosen;
pub use crate::maximize::table::argmax_until;
pub use crate::maximize::two_phase::Phase;
pub use crate::model::kernel::PackedPoints;
pub use crate::model::likelihood::Likelihood;
pub use crate::model::spectral::{Normals, frequencies, frequency_count};
pub use crate::posterior::features::Features;
pub use crate::posterior::moments::{VARIANCE_FLOOR, dot};
pub use crate::stop::context::Ledger;
pub use crate::stop::equal::{ended_by_ties, weighed};
pub use crate::stop::settings::{PRICE, WINDOW, check_probability, check_window, given};
pub use crate::stop::window::BestSoFar;
pub use crate::suggest::jitter::around;
pub use crate::suggest::policy::ConfidenceClock;
pub use crate::suggest::policy::lambda::{expected_supremum, finite_supremum};
pub use crate::suggest::search::{grid, neighborhood};
pub use crate::surrogate::setup::Setup;
pub use crate::surrogate::taken::Taken;
pub use crate::surrogate::{Awaited, Belief, Kept, Stream, seed};

/// Errors that every kind of study has.
pub mod refused {
    pub use crate::data::trial::refused::*;
}

/// How numbers of any size are written, for `serde(with)`.
#[cfg(feature = "serde")]
pub mod number {
    pub use crate::math::number::*;
}

/// Boxes that linear rows cut.
pub mod polytope {
    pub use crate::math::polytope::{Polytope, Row, Spread};
}

/// Bounded quasi-Newton.
pub mod lbfgsb {
    pub use crate::math::lbfgsb::*;
}

/// The normal distribution, its logarithms and their inverses.
pub mod normal {
    pub use crate::math::normal::*;
}

/// Adaptive integration.
pub mod gauss_kronrod {
    pub use crate::math::gauss_kronrod::*;
}

/// What the device does and how well.
#[cfg(feature = "gpu")]
pub mod gpu {
    pub use crate::backend::gpu::kernels::source::{SHADERS, assemble, entry};
    pub use crate::backend::gpu::kernels::tiling::Tiling;
    pub use crate::backend::gpu::pass::engine::{Bytes, Work};
    pub use crate::backend::gpu::resident::fit::{FIT, single_error};
    pub use crate::backend::gpu::resident::paths::path_single_error;
    pub use crate::backend::gpu::timing::activity::is_opening;
    pub use crate::backend::gpu::timing::crossover::{Crossover, SIZES, Timing};
    pub use crate::backend::gpu::timing::pass_times::PassTimes;
    pub use crate::backend::gpu::timing::plain_product::PlainProduct;
    pub use crate::backend::gpu::timing::self_test::SelfTest;
    pub use crate::backend::gpu::timing::tile_times::TileTimes;
}
