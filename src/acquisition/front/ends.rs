//! The ends of intervals, as a belief sees them.

use crate::math::mills::tail;
use crate::math::normal::{FRAC_1_SQRT_2PI, Ratios, ratios};
use crate::math::simd::{Vectorized, dispatch, exp_nonpositive};

/// The bound of distances in standard deviations. It keeps squares finite. An end at infinity lies
/// there too.
const FARTHEST: f64 = 1e150;

/// Up to this distance the numbers of all ends are made side by side.
const NEAR: f64 = 40.0;

/// An end of an interval, seen from a belief.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    /// `u = (mu - end)/sigma`.
    pub u: f64,
    /// `phi(u)`.
    pub density: f64,
    /// `G(|u|) = Phi(-|u|)/phi(u)`.
    pub mass: f64,
    /// `H(|u|) = h(-|u|)/phi(u)`.
    pub excess: f64,
}

/// Many ends.
#[derive(Debug, Clone, Default)]
pub(super) struct Ends {
    u: Vec<f64>,
    density: Vec<f64>,
    mass: Vec<f64>,
    excess: Vec<f64>,
}

impl Ends {
    /// Replaces them by these, for a mean and a positive standard deviation.
    pub fn see(&mut self, ends: &[f64], mean: f64, sd: f64) {
        self.u.clear();
        self.u.extend(ends.iter().map(|end| ((mean - end) / sd).clamp(-FARTHEST, FARTHEST)));
        for part in [&mut self.density, &mut self.mass, &mut self.excess] {
            part.resize(ends.len(), 0.0);
        }
        dispatch(Parts(self));
        for (place, u) in self.u.iter().enumerate() {
            if u.abs() > NEAR {
                let Ratios { m, r } = ratios(-u.abs());
                self.mass[place] = 1.0 / r;
                self.excess[place] = m / r;
            }
        }
    }

    /// The end at a place.
    pub fn at(&self, place: u32) -> End {
        let place = place as usize;
        End {
            u: self.u[place],
            density: self.density[place],
            mass: self.mass[place],
            excess: self.excess[place],
        }
    }
}

/// Makes the parts of all ends that are near.
struct Parts<'a>(&'a mut Ends);

impl Vectorized for Parts<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Ends { u, density, mass, excess } = self.0;
        let parts = density.iter_mut().zip(mass).zip(excess);
        for (u, ((density, mass), excess)) in u.iter().zip(parts) {
            *density = FRAC_1_SQRT_2PI * exp_nonpositive::<FMA>(-0.5 * u * u);
            let distance = u.abs();
            (*mass, *excess) = tail::<FMA>(if distance < NEAR { distance } else { NEAR });
        }
    }
}
