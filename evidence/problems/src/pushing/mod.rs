//! Robot pushing: hands push objects over a table toward targets (Wang and Jegelka 2017).
//!
//! The table is seen from above, so there is no gravity. Bodies are disks and boxes with a mass,
//! dry friction against the table, and contacts without restitution. A hand is driven by a force
//! `30 m (v - v_hand)` and a torque `30 m (w - w_hand)` for `floor(10 t)` steps of 0.01. Then
//! everything comes to rest for 100 more steps. Lengths are in units of a disk's radius, durations
//! `t` in tenths of a unit of time.
//!
//! | body | shape | density | surface friction | table: force, torque |
//! | --- | --- | --- | --- | --- |
//! | object | disk of radius 1, or box of side 1 | 0.05 | 0.01 | 5, 2 |
//! | hand | box of sides 0.6 and 2 | 0.1 | 0.1 | 2, 2 |
//!
//! The published benchmarks run on `Box2D` 2.3 in single precision. This solver computes in double
//! precision and has the same conventions: contact points on the faces of boxes with skins of 0.01,
//! ten iterations of accumulated impulses, two points of a contact solved together, impulses kept
//! from step to step, overlaps removed by moving bodies. With one hand it ends within 2e-5 of
//! `Box2D`. Two hands can collide, and then small differences grow; nine in ten runs end within 1e-4.
//!
//! The objective, to be maximized, is minus the distance of the object to its target, summed over
//! objects. It is at most 0. [`Pushing3`] is the task of Astudillo et al. (2021), [`Pushing4`] and
//! [`Pushing14`] are those of Xie et al. (2024). A push takes about 0.4 ms with one hand and 0.8 ms
//! with two, on one core of 2026 and without much optimization.

mod body;
mod contact;
mod one_hand;
mod two_hands;
mod world;

pub use one_hand::{Pushing3, Pushing4};
pub use two_hands::Pushing14;

use gittins::Space;

/// The targets of the published experiments with [`Pushing3`], uniform in `[-5, 5]^2`. Number `i`
/// belongs to the replications `i`, `i + 20`, ...
pub const TARGETS: [[f64; 2]; 20] = [
    [4.70053001806553, 2.0781986439978795],
    [-4.3894672528037635, -2.754454934323496],
    [4.175606656465918, -4.030847875877077],
    [-4.658918043494795, -2.1325977327869303],
    [-0.228906151669241, 2.3165472635999915],
    [1.4201500662809412, -2.402420848236847],
    [0.7758090375713165, 3.946395918876483],
    [-2.20619570093596, -2.2630628634823435],
    [2.8341818385812667, 0.7128202411631177],
    [-2.537239244170064, 3.391716476108387],
    [1.646772855573456, -0.00013115601573776559],
    [-3.0766626915605153, 3.8529237018600373],
    [2.2549984274947423, 1.2176841420514926],
    [2.3453646056238675, -0.1558930424022087],
    [0.5595966429397503, -0.5797736211543487],
    [-1.2136420556046925, -1.2114878113031526],
    [-1.9987043063346932, -0.6146571365018563],
    [-0.2607003127204335, 1.4167015277568922],
    [4.664507274679032, -3.314855419991071],
    [2.488238479939591, -4.605763374600718],
];

/// The targets of the box and the disk in the published experiments with [`Pushing14`]. The first
/// is also the target of [`Pushing4`].
pub const FAR_TARGETS: [[f64; 2]; 2] = [[-4.4185, -4.3709], [-3.7641, -4.4742]];

/// Steps after the last drive.
const REST: usize = 100;

/// What every push costs in distance, whether or not the object moved.
const COST_FLOOR: f64 = 0.1;

/// The result of a push with `N` hands and `N` objects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pushed<const N: usize> {
    /// Minus the distance of the object from its target, summed over objects. It is to be
    /// maximized, and at most 0.
    pub objective: f64,
    /// A cost that only the push shows: 0.1 plus the distance that the object moved (one hand) or
    /// that the hands moved together (two).
    ///
    /// The code of Astudillo et al. (2021) lacks the paper's constant. Its cost vanishes if the
    /// hand misses the object, which is so on 13 % of the box.
    pub cost: f64,
    /// The final positions of the objects.
    pub objects: [[f64; 2]; N],
    /// The final positions of the hands: `x`, `y` and angle.
    pub hands: [[f64; 3]; N],
}

/// Name, lower and upper bound of a parameter.
type Bound = (&'static str, f64, f64);

fn space(bounds: &[Bound]) -> Space {
    bounds.iter().fold(Space::new(), |space, &(name, low, high)| space.float(name, low, high))
}

/// The values within their bounds. NaN becomes the lower bound.
fn inside<const D: usize>(bounds: &[Bound; D], values: &[f64]) -> [f64; D] {
    assert_eq!(values.len(), D, "as many values as the task has parameters");
    std::array::from_fn(|i| values[i].max(bounds[i].1).min(bounds[i].2))
}

/// The number of steps with a drive.
fn steps(duration: f64) -> usize {
    (10.0 * duration) as usize
}
