//! The same study in other units: what a twin is told.

/// How a twin sees the world: outcomes turned round, multiplied and moved, costs multiplied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// Whether the twin looks for the other end of the outcomes, which are told negated.
    pub mirrored: bool,
    /// What outcomes are multiplied by: a power of two, so that nothing is rounded.
    pub scale: f64,
    /// What is added to them then.
    pub shift: f64,
    /// What costs are multiplied by: a power of two.
    pub money: f64,
    /// Whether a cost that is the same everywhere is given as a function.
    pub known: bool,
}

impl View {
    pub const PLAIN: Self =
        Self { mirrored: false, scale: 1.0, shift: 0.0, money: 1.0, known: false };

    fn sign(&self) -> f64 {
        if self.mirrored { -1.0 } else { 1.0 }
    }

    pub fn outcome(&self, outcome: f64) -> f64 {
        self.sign() * self.scale * outcome + self.shift
    }

    /// An outcome that was told or expected, in the units of the study itself.
    pub fn outcome_back(&self, outcome: f64) -> f64 {
        self.sign() * ((outcome - self.shift) / self.scale)
    }

    /// A difference of outcomes; directions do not matter to it.
    pub fn difference(&self, difference: f64) -> f64 {
        self.scale * difference
    }

    /// An outcome as acquisitions have it, turned so that larger is better; `maximize` is the
    /// direction of the study itself.
    pub fn turned(&self, turned: f64, maximize: bool) -> f64 {
        // Where the twin is mirrored its direction is, too, so that only the shift has a sign.
        let up = maximize != self.mirrored;
        self.scale * turned + if up { self.shift } else { -self.shift }
    }

    pub fn cost(&self, cost: f64) -> f64 {
        self.money * cost
    }

    /// A price: outcome for a unit of cost.
    pub fn price(&self, price: f64) -> f64 {
        price * self.scale / self.money
    }

    pub fn price_back(&self, price: f64) -> f64 {
        price / self.scale * self.money
    }

    /// Whether `other` is the same number in these units, whatever the number measures: nothing,
    /// outcomes, costs, one per unit of the other, or the logarithm of any of these.
    pub fn same_in_some_unit(&self, own: f64, other: f64) -> bool {
        if own == other || (own.is_nan() && other.is_nan()) || are_saturated(own, other) {
            return true;
        }
        let factors = [1.0, self.scale, self.money, self.scale / self.money];
        // A logarithm is rounded where it is formed and where it is taken off again: a few units of
        // the last place of the largest number on the way.
        let near = |a: f64, b: f64, size: f64| (a - b).abs() <= 64.0 * f64::EPSILON * size;
        factors.iter().any(|factor| {
            let log = factor.ln();
            own * factor == other
                || near(own + log, other, own.abs() + log.abs() + 1.0)
                || near(own * factor, other, other.abs())
        })
    }
}

/// Whether both stand for something beyond the largest number.
pub fn are_saturated(a: f64, b: f64) -> bool {
    a.abs().min(b.abs()) > 1e300 && a.signum() == b.signum()
}
