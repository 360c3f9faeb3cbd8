//! Pest control: one of four pesticides, or none, at each of 25 stages of an invasion (Oh, Tomczak,
//! Gavves and Welling 2019; 25 stages as in Xie et al. 2024, Section 4).
//!
//! The share `z` of a crop that is infested starts at Beta(1, 30). A stage without pesticide
//! spreads it, `z' = z + s (1 - z)` with `s ~ Beta(1, 17/3)`; pesticide `k` reduces it,
//! `z' = (1 - c) z` with `c ~ Beta(1, b_k)`. Every use lets `b_k` grow, so the next use is weaker.
//! A use of `k` costs `price_k (1 - discount_k n_k / 25)`, with `n_k` the number of its uses in the
//! whole policy:
//!
//! | `k` | price | largest discount | `b_k` at first | growth of `b_k` by 25 uses |
//! | --- | --- | --- | --- | --- |
//! | 1 | 1.0 | 0.2 | 2/7 | 1/7 |
//! | 2 | 0.8 | 0.3 | 3/7 | 2.5/7 |
//! | 3 | 0.7 | 0.3 | 3/7 | 2/7 |
//! | 4 | 0.5 | 0 | 5/7 | 0.5/7 |
//!
//! The score, to be minimized, is the total price plus a sum over the stages: the share of 100
//! simulations in which more than a tenth of the crop is infested before the stage's action.
//! Nothing in the score is random. The published code seeds its generator with 1 before every draw,
//! so all stages spread alike, and a control depends only on the pesticide and its earlier uses.
//! The draws here are the same, to two units in the last place, the spread of power functions. The
//! published benchmark then adds noise of deviation 1e-6 to the score. That is left out here.
//!
//! No pesticide scores 21.95, pesticide 3 at all stages 12.28, and pesticide 3 at all stages but
//! the last 11.9916. The last is the best of 2.4 million policies in 300 runs of simulated
//! annealing. On the unit cube the score is a step function with `5^25` steps. An evaluation takes
//! about 10 microseconds.

mod draws;

use std::sync::OnceLock;

use self::draws::{Draw, SIMULATIONS, beta};
use gittins::Space;

const STAGES: usize = 25;

/// A simulation counts as lost at a stage if more than this share of the crop is infested.
const THRESHOLD: f64 = 0.1;

struct Pesticide {
    price: f64,
    discount: f64,
    /// The second shape of the control at first, and what 25 uses add to it.
    shape: f64,
    growth: f64,
}

const PESTICIDES: [Pesticide; 4] = [
    Pesticide { price: 1.0, discount: 0.2, shape: 2.0 / 7.0, growth: 1.0 / 7.0 },
    Pesticide { price: 0.8, discount: 0.3, shape: 3.0 / 7.0, growth: 2.5 / 7.0 },
    Pesticide { price: 0.7, discount: 0.3, shape: 3.0 / 7.0, growth: 2.0 / 7.0 },
    Pesticide { price: 0.5, discount: 0.0, shape: 5.0 / 7.0, growth: 0.5 / 7.0 },
];

/// Every random number of the benchmark.
struct Draws {
    start: Draw,
    spread: Draw,
    /// By pesticide and the number of its earlier uses.
    controls: [Vec<Draw>; 4],
}

/// The draws, made once in a process.
fn draws() -> &'static Draws {
    static DRAWS: OnceLock<Draws> = OnceLock::new();
    DRAWS.get_or_init(|| {
        let controls = PESTICIDES.map(|pesticide| {
            // Added use by use, as published: the product would round otherwise and change the
            // draws.
            let shapes = std::iter::successors(Some(pesticide.shape), |shape| {
                Some(shape + pesticide.growth / STAGES as f64)
            });
            shapes.take(STAGES).map(|shape| beta(1.0, shape)).collect()
        });
        Draws { start: beta(1.0, 30.0), spread: beta(1.0, 17.0 / 3.0), controls }
    })
}

/// The pest control problem; see the [module](self).
///
/// ```
/// use gittins_problems::PestControl;
/// let mut policy = [3.0; 25];
/// policy[24] = 0.0;
/// assert!((PestControl.evaluate(&policy).score - 11.9916).abs() < 5e-5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PestControl;

/// Score and price of a policy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Controlled {
    /// The price plus the stages lost, to be minimized. The published benchmark maximizes its
    /// negative.
    pub score: f64,
    /// The total price of the policy's pesticides: the cost of an evaluation in Xie et al. (2024).
    pub price: f64,
}

impl PestControl {
    /// A floor for the price, because a cost must be positive and the policy without pesticide is
    /// free. Every other policy costs at least 0.5.
    pub const COST_FLOOR: f64 = 0.1;

    /// The choices at the 25 stages, whole numbers from 0 (none) to 4, named `stage1`, `stage2`,
    /// ...
    pub fn space(&self) -> Space {
        (1..=STAGES).fold(Space::new(), |space, stage| space.int(format!("stage{stage}"), 0, 4))
    }

    /// The number of stages, 25.
    pub fn dim(&self) -> usize {
        STAGES
    }

    /// Score and price of a policy. A fraction counts as the whole number below it. A choice beyond
    /// 0 to 4 counts as the nearer of these.
    ///
    /// # Panics
    /// If there is another number of choices than 25.
    pub fn evaluate(&self, policy: &[f64]) -> Controlled {
        let policy = choices(policy);
        let draws = draws();
        let mut infested = draws.start;
        let mut used = [0; 4];
        let mut lost = 0;
        for choice in policy {
            lost += infested.iter().filter(|share| **share > THRESHOLD).count();
            match choice.checked_sub(1) {
                None => infested
                    .iter_mut()
                    .zip(&draws.spread)
                    .for_each(|(share, spread)| *share += spread * (1.0 - *share)),
                Some(pesticide) => {
                    let control = &draws.controls[pesticide][used[pesticide]];
                    infested
                        .iter_mut()
                        .zip(control)
                        .for_each(|(share, control)| *share *= 1.0 - control);
                    used[pesticide] += 1;
                }
            }
        }
        let price = price(&policy);
        Controlled { score: price + lost as f64 / SIMULATIONS as f64, price }
    }

    /// Score and price at a point of the unit cube. Each choice owns a fifth of its interval.
    ///
    /// # Panics
    /// If the point has another dimension than 25.
    pub fn evaluate_unit(&self, unit: &[f64]) -> Controlled {
        self.evaluate(&self.space().numbers_at(unit))
    }

    /// The price of a policy alone. It is known beforehand. Choices are read as by
    /// [`evaluate`](Self::evaluate).
    ///
    /// # Panics
    /// If there is another number of choices than 25.
    pub fn price(&self, policy: &[f64]) -> f64 {
        price(&choices(policy))
    }
}

fn choices(policy: &[f64]) -> [usize; STAGES] {
    assert_eq!(policy.len(), STAGES, "as many choices as there are stages");
    // The conversion takes the whole part, and 0 for a negative number or NaN.
    std::array::from_fn(|stage| (policy[stage] as usize).min(PESTICIDES.len()))
}

fn price(policy: &[usize; STAGES]) -> f64 {
    let mut uses = [0_u32; 4];
    policy
        .iter()
        .filter_map(|choice| choice.checked_sub(1))
        .for_each(|pesticide| uses[pesticide] += 1);
    let spent = |(pesticide, &uses): (&Pesticide, &u32)| {
        f64::from(uses)
            * pesticide.price
            * (1.0 - pesticide.discount * f64::from(uses) / STAGES as f64)
    };
    PESTICIDES.iter().zip(&uses).map(spent).sum()
}
