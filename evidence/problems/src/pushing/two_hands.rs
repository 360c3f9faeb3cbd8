//! Two hands, a box and a disk.

use std::f64::consts::TAU;

use super::body::{Body, Vector, length, minus};
use super::world::World;
use super::{Bound, COST_FLOOR, FAR_TARGETS, Pushed, inside, space, steps};
use gittins::Space;

/// The constants that the published code adds to the velocities: a hundredth of four normal
/// numbers, drawn from seed 0 at every step.
const NOISE: [Vector; 2] =
    [[0.01764052345967664, 0.004001572083672233], [0.009787379841057392, 0.022408931992014578]];

/// Where the box and the disk start.
const STARTS: [Vector; 2] = [[0.0, 2.0], [0.0, -2.0]];

const BOUNDS: [Bound; 14] = [
    ("x1", -5.0, 5.0),
    ("y1", -5.0, 5.0),
    ("vx1", 0.0, 5.0),
    ("vy1", 0.0, 5.0),
    ("duration1", 1.0, 30.0),
    ("angle1", 0.0, TAU),
    ("x2", -5.0, 5.0),
    ("y2", -5.0, 5.0),
    ("vx2", 0.0, 5.0),
    ("vy2", 0.0, 5.0),
    ("duration2", 1.0, 30.0),
    ("angle2", 0.0, TAU),
    ("spin1", 0.0, TAU),
    ("spin2", 0.0, TAU),
];

/// The drive of one hand.
struct Plan {
    start: Vector,
    angle: f64,
    velocity: Vector,
    spin: f64,
    duration: f64,
}

fn plans(values: &[f64]) -> [Plan; 2] {
    let [x1, y1, vx1, vy1, t1, a1, x2, y2, vx2, vy2, t2, a2, s1, s2] = inside(&BOUNDS, values);
    [
        Plan { start: [x1, y1], angle: a1, velocity: [vx1, vy1], spin: s1, duration: t1 },
        Plan { start: [x2, y2], angle: a2, velocity: [vx2, vy2], spin: s2, duration: t2 },
    ]
}

/// The task with fourteen parameters (Wang and Jegelka 2017; Xie et al. 2024): two hands push a box
/// and a disk toward a target each. A hand has a start, a velocity, a duration, an angle and a
/// spin.
///
/// [`Default`] has the published targets, [`FAR_TARGETS`]. Velocities are never negative, so hands
/// push away from these targets. Most settings score below -12.2576, the score of no push. The best
/// of 200 000 pushes in local searches is -10.0324. The published budgets are 600 for a known cost
/// and 800 for the learned one, [`Pushed::cost`].
#[derive(Debug, Clone, PartialEq)]
pub struct Pushing14 {
    targets: [Vector; 2],
    noise: [Vector; 2],
}

impl Default for Pushing14 {
    fn default() -> Self {
        Self::new(FAR_TARGETS)
    }
}

impl Pushing14 {
    /// The task with these targets of the box and the disk.
    pub fn new(targets: [[f64; 2]; 2]) -> Self {
        Self { targets, noise: NOISE }
    }

    /// Replaces the constants that the published code adds to the hands' velocities,
    /// `(0.0176, 0.0040)` and `(0.0098, 0.0224)`.
    pub fn noise(self, noise: [[f64; 2]; 2]) -> Self {
        Self { noise, ..self }
    }

    /// `x1, y1, vx1, vy1, duration1, angle1`, the same of the second hand, `spin1, spin2`:
    /// positions in `[-5, 5]`, velocities in `[0, 5]`, durations in `[1, 30]` tenths, angles and
    /// spins in `[0, 2 pi]`.
    pub fn space(&self) -> Space {
        space(&BOUNDS)
    }

    /// The number of parameters, 14.
    pub fn dim(&self) -> usize {
        BOUNDS.len()
    }

    /// The push with 14 values in the order of the space. A value outside its bounds counts as the
    /// nearer bound.
    ///
    /// # Panics
    /// If there is another number of values than 14.
    pub fn evaluate(&self, values: &[f64]) -> Pushed<2> {
        let plans = plans(values);
        let [left, right] = &plans;
        let hand = |plan: &Plan| Body::hand([1.0, 0.3], plan.start, plan.angle);
        let bodies = [
            Body::rectangle([0.5, 0.5], STARTS[0]),
            Body::disk(1.0, STARTS[1]),
            hand(left),
            hand(right),
        ];
        let mut world = World::new(bodies, [(2, 1), (3, 1), (0, 1), (0, 2), (0, 3), (2, 3)]);
        let driven = [left, right].map(|plan| steps(plan.duration));
        for step in 0..driven[0].max(driven[1]) + super::REST {
            for (hand, plan) in plans.iter().enumerate() {
                if step < driven[hand] {
                    let velocity = [
                        plan.velocity[0] + self.noise[hand][0],
                        plan.velocity[1] + self.noise[hand][1],
                    ];
                    world.bodies[2 + hand].drive(velocity, plan.spin);
                }
            }
            world.step();
        }
        let [square, disk, first, second] = world.bodies;
        let objects = [square.position, disk.position];
        let missed = |object: usize| length(minus(self.targets[object], objects[object]));
        let travel =
            length(minus(first.position, left.start)) + length(minus(second.position, right.start));
        Pushed {
            objective: -missed(0) - missed(1),
            cost: travel + COST_FLOOR,
            objects,
            hands: [first, second].map(|hand| [hand.position[0], hand.position[1], hand.angle()]),
        }
    }

    /// The push at a point of the unit cube.
    ///
    /// # Panics
    /// If the point has another dimension than 14.
    pub fn evaluate_unit(&self, unit: &[f64]) -> Pushed<2> {
        self.evaluate(&self.space().numbers_at(unit))
    }

    /// A known cost of a push: the longer of its two durations.
    ///
    /// # Panics
    /// If there is another number of values than 14.
    pub fn longest_duration(&self, values: &[f64]) -> f64 {
        let [left, right] = plans(values);
        left.duration.max(right.duration)
    }

    /// A known cost of a push: the mean of its two durations.
    ///
    /// # Panics
    /// If there is another number of values than 14.
    pub fn mean_duration(&self, values: &[f64]) -> f64 {
        let [left, right] = plans(values);
        f64::midpoint(left.duration, right.duration)
    }
}
