//! One hand, one disk at the origin.

use libm::{atan, hypot};

use super::body::{Body, Vector, length, minus};
use super::world::World;
use super::{Bound, COST_FLOOR, Pushed, inside, space, steps};
use gittins::Space;

/// The constant that the published code adds to the velocity of one hand: a tenth of two normal
/// numbers, drawn from seed 0 at every step.
const NOISE: Vector = [0.1764052345967664, 0.040015720836722335];

const RADIUS: f64 = 1.0;
const HAND: Vector = [0.3, 1.0];

const BOUNDS_3: [Bound; 3] = [("x", -5.0, 5.0), ("y", -5.0, 5.0), ("duration", 1.0, 30.0)];
#[expect(clippy::approx_constant, reason = "the published box ends just before a full turn")]
const BOUNDS_4: [Bound; 4] =
    [("x", -5.0, 5.0), ("y", -5.0, 5.0), ("duration", 1.0, 30.0), ("angle", 0.0, 6.28)];

/// The hand starts at `start` and drives toward the origin, and past it if there is time.
fn push(
    start: Vector,
    angle: f64,
    speed: f64,
    duration: f64,
    noise: Vector,
) -> ([f64; 2], [f64; 3]) {
    let mut world =
        World::new([Body::disk(RADIUS, [0.0; 2]), Body::hand(HAND, start, angle)], [(1, 0)]);
    let distance = hypot(start[0], start[1]);
    // From the origin there is no direction to drive in, so only the noise remains.
    let inward = if distance > 0.0 { start.map(|x| -speed * x / distance) } else { [0.0; 2] };
    let velocity = [inward[0] + noise[0], inward[1] + noise[1]];
    let driven = steps(duration);
    for step in 0..driven + super::REST {
        if step < driven {
            world.bodies[1].drive(velocity, 0.0);
        }
        world.step();
    }
    let [object, hand] = world.bodies;
    (object.position, [hand.position[0], hand.position[1], hand.angle()])
}

fn pushed(target: Vector, (object, hand): ([f64; 2], [f64; 3])) -> Pushed<1> {
    Pushed {
        objective: -length(minus(target, object)),
        cost: length(object) + COST_FLOOR,
        objects: [object],
        hands: [hand],
    }
}

/// The task with three parameters (Wang and Jegelka 2017; Astudillo et al. 2021, with a learned
/// cost and a budget of 200): the start of the hand and the duration of the drive. The hand drives
/// at speed 5 toward the origin and is turned by `atan(y / x)`.
///
/// The objective is at most 0. Every one of [`TARGETS`](super::TARGETS) can be hit to within 0.01:
/// searches of some 5000 pushes each found such a push.
///
/// ```
/// use gittins_problems::pushing::{Pushing3, TARGETS};
/// let task = Pushing3::new(TARGETS[0]).noise([0.0, 0.0]);
/// let pushed = task.evaluate(&[-3.0, 0.0, 10.0]);
/// assert!((pushed.cost - 1.98164).abs() < 5e-6);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Pushing3 {
    target: Vector,
    noise: Vector,
}

impl Pushing3 {
    /// The task with this target of the disk. [`TARGETS`](super::TARGETS) are the published ones.
    pub fn new(target: [f64; 2]) -> Self {
        Self { target, noise: NOISE }
    }

    /// Replaces the constant that the published code adds to the hand's velocity,
    /// `(0.1764, 0.0400)`.
    pub fn noise(self, noise: [f64; 2]) -> Self {
        Self { noise, ..self }
    }

    /// Start `x`, `y` in `[-5, 5]` and `duration` in `[1, 30]` tenths.
    pub fn space(&self) -> Space {
        space(&BOUNDS_3)
    }

    /// The number of parameters, 3.
    pub fn dim(&self) -> usize {
        BOUNDS_3.len()
    }

    /// The push with start `x`, `y` and a duration. A value outside its bounds counts as the nearer
    /// bound.
    ///
    /// # Panics
    /// If there is another number of values than 3.
    pub fn evaluate(&self, values: &[f64]) -> Pushed<1> {
        let [x, y, duration] = inside(&BOUNDS_3, values);
        // At x = 0 the hand stands upright, and at the origin the angle is 0.
        let angle = if x == 0.0 && y == 0.0 { 0.0 } else { atan(y / x) };
        pushed(self.target, push([x, y], angle, 5.0, duration, self.noise))
    }

    /// The push at a point of the unit cube.
    ///
    /// # Panics
    /// If the point has another dimension than 3.
    pub fn evaluate_unit(&self, unit: &[f64]) -> Pushed<1> {
        self.evaluate(&self.space().numbers_at(unit))
    }
}

/// The task with four parameters: as [`Pushing3`] at speed 10, with a free angle of the hand. The
/// published experiment has the first of [`FAR_TARGETS`](super::FAR_TARGETS), the duration as a
/// known cost and a budget of 200. The target can be hit to within 1e-5.
#[derive(Debug, Clone, PartialEq)]
pub struct Pushing4 {
    target: Vector,
    noise: Vector,
}

impl Pushing4 {
    /// The task with this target of the disk.
    pub fn new(target: [f64; 2]) -> Self {
        Self { target, noise: NOISE }
    }

    /// Replaces the constant that the published code adds to the hand's velocity,
    /// `(0.1764, 0.0400)`.
    pub fn noise(self, noise: [f64; 2]) -> Self {
        Self { noise, ..self }
    }

    /// Start `x`, `y` in `[-5, 5]`, `duration` in `[1, 30]` tenths, `angle` in `[0, 6.28]`.
    pub fn space(&self) -> Space {
        space(&BOUNDS_4)
    }

    /// The number of parameters, 4.
    pub fn dim(&self) -> usize {
        BOUNDS_4.len()
    }

    /// The push with start `x`, `y`, a duration and an angle. A value outside its bounds counts as
    /// the nearer bound.
    ///
    /// # Panics
    /// If there is another number of values than 4.
    pub fn evaluate(&self, values: &[f64]) -> Pushed<1> {
        let [x, y, duration, angle] = inside(&BOUNDS_4, values);
        pushed(self.target, push([x, y], angle, 10.0, duration, self.noise))
    }

    /// The push at a point of the unit cube.
    ///
    /// # Panics
    /// If the point has another dimension than 4.
    pub fn evaluate_unit(&self, unit: &[f64]) -> Pushed<1> {
        self.evaluate(&self.space().numbers_at(unit))
    }

    /// The known cost of a push: its duration.
    ///
    /// # Panics
    /// If there is another number of values than 4.
    pub fn duration(&self, values: &[f64]) -> f64 {
        inside(&BOUNDS_4, values)[2]
    }
}
