//! The Gittins index of a run that is paid for in stages.
//!
//! A run is a box that opens in stages `1..=K`. Each stage has a price and tells more of the value
//! that the run will have at its end. After each one the run may be left where it is. Under a
//! Gaussian process with fixed hyperparameters the posterior mean of the end is a martingale whose
//! steps are normal with deviations that are known beforehand: they depend on where one looks and
//! not on what one sees,
//!
//! ```text
//! mu_k = mu_{k-1} + s_k Z_k
//! ```
//!
//! With the incumbent value `g` and `u = mu - g`, the value of going on optimally is
//!
//! ```text
//! V_K(u) = max(0, u)
//! V_{k-1}(u) = max(0, C_k(u))      C_k(u) = q_k E V_k(u + s_k Z) - p_k
//! ```
//!
//! with the price `p_k` of a stage, in units of the outcome, and the chance `q_k` that the run
//! survives it. A run that fails is worth nothing. `C_1` is convex and increases, so it has one
//! root `u*`. The index is the incumbent value at which going on is worth nothing,
//!
//! ```text
//! g* = mu_0 - u*
//! ```
//!
//! Boxes that are Markov chains may be interleaved at will, and paying the stage of the box with the
//! largest index is optimal for one prize (Gupta, Jiang, Scully, Singla 2019, "The Markovian price
//! of information"). For `K = 1` the root is that of `s h(u/s) = p/q`: the
//! [Gittins index](crate::acquisition::Pointwise::Gittins) of a whole run.
//!
//! **Bounds.** Going through to the end is one way to go on, and no way is better than having all
//! stages but the first for nothing. With `S^2 = sum s_k^2` and `Q = prod q_k`,
//!
//! ```text
//! mu - S h^-1(P/(Q S)) <= g* <= mu - S h^-1(p_1/(Q S))      P = p_1 + q_1 p_2 + q_1 q_2 p_3 + ...
//! ```
//!
//! **Derivatives.** The root moves by `-(dC_1/dt)/(dC_1/du)`. Where a later stage is not reached, it
//! does not matter (the envelope theorem), so `dC_k/dt = q_k E[(dC_{k+1}/dt) 1{u + s_k Z > u_{k+1}}]`.
//!
//! **Numerics.** Each `V_k` is zero left of its root and analytic right of it. There it is kept at
//! Chebyshev nodes, on panels that grow geometrically from the root, and it is linear from seven and a half
//! deviations past the last kink. Quadrature begins at the root. A grid with linear interpolation, or
//! Gauss-Hermite nodes across the kink, would give value for nothing at every stage.

mod stage;
mod value;

use crate::error::{Error, ErrorKind, Result};
use crate::math::normal::{LINEAR_LOG_KAPPA, Ratios, inverse_log_h, ratios};
pub use stage::Stage;
use value::{SLOPE, Value};

/// The offset of an index from the mean, and how it moves with each stage.
#[derive(Debug, Clone, PartialEq)]
pub struct StagedOffset {
    /// `g* - mu`.
    pub value: f64,
    /// Its derivatives by the deviation, the price and the survival of each stage.
    pub by_stage: Vec<StageSlope>,
}

/// The derivatives of a [`StagedOffset`] by what one [`Stage`] is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageSlope {
    /// By the deviation; not negative.
    pub sd: f64,
    /// By the price; not positive.
    pub price: f64,
    /// By the chance of survival.
    pub survival: f64,
}

/// How far the index of a run in stages lies from its mean: `g* - mu`, to an error of `1e-7` of the
/// total deviation. It is negative for a run that costs more than it can bring.
///
/// ```
/// use gittins::acquisition::{Stage, staged_offset};
///
/// let whole = staged_offset(&[Stage::new(1.0, 0.1)])?;
/// // The same run, left after its first look if that is bad.
/// let staged = staged_offset(&[Stage::new(0.8, 0.02), Stage::new(0.6, 0.08)])?;
/// assert!(staged > whole);
/// # Ok::<(), gittins::Error>(())
/// ```
///
/// # Errors
/// `Empty` without a stage; `InvalidSetting`, naming the stage, for a deviation, a price or a chance
/// that is out of range.
pub fn staged_offset(stages: &[Stage]) -> Result<f64> {
    check(stages)?;
    Ok(root(stages, false).0)
}

/// [`staged_offset`] with its derivatives.
///
/// # Errors
/// Those of [`staged_offset`].
pub fn staged_offset_with_slopes(stages: &[Stage]) -> Result<StagedOffset> {
    check(stages)?;
    let (value, by_stage) = root(stages, true);
    Ok(StagedOffset { value, by_stage })
}

/// A lower and an upper bound of [`staged_offset`], for one scalar root each: going through to the
/// end, and all stages but the first for nothing.
///
/// # Errors
/// Those of [`staged_offset`].
pub fn staged_bounds(stages: &[Stage]) -> Result<[f64; 2]> {
    check(stages)?;
    Ok(bounds(stages))
}

fn check(stages: &[Stage]) -> Result<()> {
    if stages.is_empty() {
        return Err(Error::new(ErrorKind::Empty, "expected at least one stage, got none"));
    }
    for (k, stage) in stages.iter().enumerate() {
        stage.validate().map_err(|error| error.at(format_args!("stage {}", k + 1)))?;
    }
    Ok(())
}

fn bounds(stages: &[Stage]) -> [f64; 2] {
    let total = total_sd(stages);
    let (mut reached, mut price) = (1.0, 0.0);
    for stage in stages {
        price += reached * stage.price;
        reached *= stage.survival;
    }
    [-whole_root(total, price / reached), -whole_root(total, stages[0].price / reached)]
}

/// The root of `s h(u/s) = p`.
fn whole_root(sd: f64, price: f64) -> f64 {
    let kappa = price / sd;
    if kappa.is_infinite() || kappa.ln() > LINEAR_LOG_KAPPA {
        return price;
    }
    sd * inverse_log_h(kappa.ln(), kappa)
}

/// The deviation of all that the stages tell together.
fn total_sd(stages: &[Stage]) -> f64 {
    stages.iter().map(|stage| stage.sd * stage.sd).sum::<f64>().sqrt()
}

/// The offset, and its derivatives if they are wanted.
fn root(stages: &[Stage], slopes: bool) -> (f64, Vec<StageSlope>) {
    if let [Stage { sd, price, survival }] = *stages {
        let root = whole_root(sd, price / survival);
        if !slopes {
            return (-root, Vec::new());
        }
        let Ratios { m, r } = if sd > 0.0 { ratios(root / sd) } else { ratios(f64::INFINITY) };
        // With u = root/s: d root = (dp/q - p dq/q^2 - phi(u) ds)/Phi(u), and p/q = s m Phi.
        let by_price = if price / survival > 1e8 * sd { 1.0 } else { sd * m / (price / survival) };
        let slope = StageSlope {
            sd: r,
            price: -by_price / survival,
            survival: by_price * price / (survival * survival),
        };
        return (-root, vec![slope]);
    }
    let mut value = Value::end(slopes);
    let mut rest = 0.0;
    for (k, stage) in stages.iter().enumerate().rev() {
        rest = f64::hypot(rest, stage.sd);
        // The root if all is paid for to the end: the value of going on is not negative there, and
        // Newton's method descends from it.
        let start = -bounds(&stages[k..])[0];
        if k > 0 {
            value = value.before(stage, start, rest, stages[k - 1].sd);
        } else {
            let root = value.root(stage, start);
            let slopes = if slopes { value.slopes(stage, root, stages.len()) } else { Vec::new() };
            return (-root, slopes);
        }
    }
    unreachable!("there is a first stage")
}

impl Value {
    /// The derivatives of minus the root, by each stage from the first on.
    fn slopes(&self, stage: &Stage, root: f64, stages: usize) -> Vec<StageSlope> {
        let at = self.expectations(stage, root);
        let slope = at[SLOPE];
        let later = |k: usize| {
            let fields = &at[value::later_fields(k, stages)];
            StageSlope {
                price: fields[0] / slope,
                sd: fields[1] / slope,
                survival: fields[2] / slope,
            }
        };
        (0..stages).map(later).collect()
    }
}
