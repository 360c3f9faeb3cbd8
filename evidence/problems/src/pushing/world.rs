//! One step of the solver: sequential impulses with the conventions of `Box2D` 2.3.

use std::f64::consts::FRAC_PI_2;

use libm::sqrt;

use super::body::{Body, Vector, along, cross, dot, length, minus};
use super::contact::{Contact, SLOP};

/// Length of a step.
const STEP: f64 = 0.01;
/// Iterations per step, of velocities and of positions.
const ITERATIONS: usize = 10;
/// The share of an overlap that an iteration removes, and the largest correction.
const CORRECTION: f64 = 0.2;
const LARGEST_CORRECTION: f64 = 0.2;
/// The largest move and the largest turn of a step.
const LARGEST_MOVE: f64 = 2.0;
const LARGEST_TURN: f64 = FRAC_PI_2;

/// `B` bodies on a table and the `P` pairs of them that can meet.
///
/// The order of bodies and pairs is the order of the iterations, so the result depends on it.
#[derive(Debug, Clone)]
pub struct World<const B: usize, const P: usize> {
    pub bodies: [Body; B],
    pairs: [Pair; P],
}

/// Two bodies by their places, a box first, and their contact in the last step.
#[derive(Debug, Clone, Copy)]
struct Pair {
    first: usize,
    second: usize,
    contact: Option<Contact>,
}

/// A contact as the velocities see it, with the geometry at the start of the step.
struct Meeting {
    pair: usize,
    first: usize,
    second: usize,
    contact: Contact,
    normal: Vector,
    tangent: Vector,
    friction: f64,
    points: [Point; 2],
    /// The number of points that take part: one if two would be nearly dependent.
    active: usize,
    /// `k11, k12, k22` of two points solved together.
    block: Option<[f64; 3]>,
}

/// A point of contact relative to the two centers, and the masses that it moves.
#[derive(Default, Clone, Copy)]
struct Point {
    arms: [Vector; 2],
    normal_mass: f64,
    tangent_mass: f64,
    /// Moment arms of the normal.
    levers: [f64; 2],
}

impl<const B: usize, const P: usize> World<B, P> {
    /// A world of these bodies and pairs. The first of each pair is a box.
    pub fn new(bodies: [Body; B], pairs: [(usize, usize); P]) -> Self {
        Self { bodies, pairs: pairs.map(|(first, second)| Pair { first, second, contact: None }) }
    }

    /// Moves everything on by a hundredth of a unit of time, under the forces last applied. The
    /// forces end with the step.
    pub fn step(&mut self) {
        let bodies = &mut self.bodies;
        for pair in &mut self.pairs {
            let mut contact = Contact::between(&bodies[pair.first], &bodies[pair.second]);
            if let (Some(contact), Some(last)) = (&mut contact, &pair.contact) {
                contact.remember(last);
            }
            pair.contact = contact;
        }
        for body in bodies.iter_mut() {
            body.velocity = along(body.velocity, STEP * body.inverse_mass, body.force);
            body.spin += STEP * body.inverse_inertia * body.torque;
            body.force = [0.0; 2];
            body.torque = 0.0;
        }
        let pairs = self.pairs;
        let mut meetings: [Option<Meeting>; P] = std::array::from_fn(|pair| {
            pairs[pair].contact.map(|contact| Meeting::new(bodies, pair, &pairs[pair], contact))
        });
        for meeting in meetings.iter().flatten() {
            meeting.warm_start(bodies);
        }
        for body in bodies.iter_mut() {
            body.velocity = along(body.velocity, body.inverse_mass, body.table_impulse);
            body.spin += body.inverse_inertia * body.table_spin_impulse;
        }
        for _ in 0..ITERATIONS {
            bodies.iter_mut().for_each(rub);
            for meeting in meetings.iter_mut().flatten() {
                meeting.rub(bodies);
                meeting.push(bodies);
            }
        }
        bodies.iter_mut().for_each(advance);
        for _ in 0..ITERATIONS {
            let worst = meetings
                .iter()
                .flatten()
                .map(|meeting| meeting.separate(bodies))
                .fold(0.0, f64::min);
            if worst >= -3.0 * SLOP {
                break;
            }
        }
        for meeting in meetings.into_iter().flatten() {
            self.pairs[meeting.pair].contact = Some(meeting.contact);
        }
    }
}

/// Friction with the table: takes away as much spin and velocity as its torque and force can.
fn rub(body: &mut Body) {
    let last = body.table_spin_impulse;
    let most = STEP * body.grip.torque;
    body.table_spin_impulse = (last - body.inertia * body.spin).min(most).max(-most);
    body.spin += body.inverse_inertia * (body.table_spin_impulse - last);

    let last = body.table_impulse;
    let most = STEP * body.grip.force;
    let wanted = along(last, -body.mass, body.velocity);
    let size = length(wanted);
    body.table_impulse =
        if size > most { [wanted[0] * (most / size), wanted[1] * (most / size)] } else { wanted };
    body.velocity = along(body.velocity, body.inverse_mass, minus(body.table_impulse, last));
}

fn advance(body: &mut Body) {
    let path = STEP * length(body.velocity);
    if path > LARGEST_MOVE {
        body.velocity = body.velocity.map(|speed| speed * (LARGEST_MOVE / path));
    }
    let turn = (STEP * body.spin).abs();
    if turn > LARGEST_TURN {
        body.spin *= LARGEST_TURN / turn;
    }
    body.position = along(body.position, STEP, body.velocity);
    body.turn(STEP * body.spin);
}

impl Meeting {
    fn new(bodies: &[Body], index: usize, pair: &Pair, contact: Contact) -> Self {
        let (first, second) = (&bodies[pair.first], &bodies[pair.second]);
        let masses = first.inverse_mass + second.inverse_mass;
        let moment = |levers: [f64; 2], others: [f64; 2]| {
            first.inverse_inertia * levers[0] * others[0]
                + second.inverse_inertia * levers[1] * others[1]
        };
        let normal = contact.place(first, second, 0).normal;
        let tangent = [normal[1], -normal[0]];
        let mut points = [Point::default(); 2];
        for (k, point) in points.iter_mut().enumerate().take(contact.count) {
            let at = contact.place(first, second, k).point;
            let arms = [minus(at, first.position), minus(at, second.position)];
            let levers = arms.map(|arm| cross(arm, normal));
            let sideways = arms.map(|arm| cross(arm, tangent));
            let mass = |levers| 1.0 / (masses + moment(levers, levers));
            *point =
                Point { arms, normal_mass: mass(levers), tangent_mass: mass(sideways), levers };
        }
        let block = (contact.count == 2)
            .then(|| {
                [
                    1.0 / points[0].normal_mass,
                    masses + moment(points[0].levers, points[1].levers),
                    1.0 / points[1].normal_mass,
                ]
            })
            .filter(|[k11, k12, k22]| k11 * k11 < 1000.0 * (k11 * k22 - k12 * k12));
        let friction = sqrt(first.friction * second.friction);
        let active = if block.is_some() { 2 } else { 1 };
        Self {
            pair: index,
            first: pair.first,
            second: pair.second,
            contact,
            normal,
            tangent,
            friction,
            points,
            active,
            block,
        }
    }

    /// Gives an impulse to the second body at a point, and its opposite to the first.
    fn apply(&self, bodies: &mut [Body], point: usize, impulse: Vector) {
        let [arm, other_arm] = self.points[point].arms;
        let body = &mut bodies[self.first];
        body.velocity = along(body.velocity, -body.inverse_mass, impulse);
        body.spin -= body.inverse_inertia * cross(arm, impulse);
        let body = &mut bodies[self.second];
        body.velocity = along(body.velocity, body.inverse_mass, impulse);
        body.spin += body.inverse_inertia * cross(other_arm, impulse);
    }

    /// The velocity at a point of the second body, seen from the first.
    fn relative_velocity(&self, bodies: &[Body], point: usize) -> Vector {
        let (first, second) = (&bodies[self.first], &bodies[self.second]);
        let [arm, other_arm] = self.points[point].arms;
        [
            second.velocity[0] - second.spin * other_arm[1] - first.velocity[0]
                + first.spin * arm[1],
            second.velocity[1] + second.spin * other_arm[0]
                - first.velocity[1]
                - first.spin * arm[0],
        ]
    }

    /// Starts from the impulses of the last step.
    fn warm_start(&self, bodies: &mut [Body]) {
        for k in 0..self.active {
            let known = self.contact.points[k];
            let impulse = self.normal.map(|n| known.normal_impulse * n);
            self.apply(bodies, k, along(impulse, known.tangent_impulse, self.tangent));
        }
    }

    /// Friction between the two, at most its coefficient times the normal impulse.
    fn rub(&mut self, bodies: &mut [Body]) {
        for k in 0..self.active {
            let slip = dot(self.relative_velocity(bodies, k), self.tangent);
            let point = &mut self.contact.points[k];
            let last = point.tangent_impulse;
            let most = self.friction * point.normal_impulse;
            point.tangent_impulse =
                (last - self.points[k].tangent_mass * slip).min(most).max(-most);
            let change = point.tangent_impulse - last;
            self.apply(bodies, k, self.tangent.map(|t| change * t));
        }
    }

    /// Keeps the bodies from moving into each other.
    fn push(&mut self, bodies: &mut [Body]) {
        let approach = |k| dot(self.relative_velocity(bodies, k), self.normal);
        let last = self.contact.points.map(|point| point.normal_impulse);
        let impulses = match self.block {
            None => Some([(last[0] - self.points[0].normal_mass * approach(0)).max(0.0), last[1]]),
            Some(block) => both(block, last, [approach(0), approach(1)]),
        };
        // Rounding may leave no case that fits. Then the last impulses stay.
        for (k, impulse) in impulses.into_iter().flatten().enumerate().take(self.active) {
            self.contact.points[k].normal_impulse = impulse;
            self.apply(bodies, k, self.normal.map(|n| (impulse - last[k]) * n));
        }
    }

    /// Moves overlapping bodies apart along the normal. Returns the smallest separation before
    /// that.
    fn separate(&self, bodies: &mut [Body]) -> f64 {
        let mut worst = 0.0_f64;
        for k in 0..self.contact.count {
            let (first, second) = (&bodies[self.first], &bodies[self.second]);
            let place = self.contact.place(first, second, k);
            worst = worst.min(place.separation);
            let levers =
                [first, second].map(|body| cross(minus(place.raw, body.position), place.normal));
            let inverse_mass = first.inverse_mass
                + second.inverse_mass
                + first.inverse_inertia * levers[0] * levers[0]
                + second.inverse_inertia * levers[1] * levers[1];
            let overlap = (CORRECTION * (place.separation + SLOP)).clamp(-LARGEST_CORRECTION, 0.0);
            let impulse = -overlap / inverse_mass;
            for (index, lever, sign) in
                [(self.first, levers[0], -1.0), (self.second, levers[1], 1.0)]
            {
                let body = &mut bodies[index];
                body.position =
                    along(body.position, sign * (body.inverse_mass * impulse), place.normal);
                body.turn(sign * (body.inverse_inertia * impulse * lever));
            }
        }
        worst
    }
}

/// The impulses `x >= 0` of two points, with velocities `K x + b >= 0`. At each point one of the
/// two is zero.
fn both([k11, k12, k22]: [f64; 3], last: [f64; 2], velocity: [f64; 2]) -> Option<[f64; 2]> {
    let b =
        [velocity[0] - k11 * last[0] - k12 * last[1], velocity[1] - k12 * last[0] - k22 * last[1]];
    let det = k11 * k22 - k12 * k12;
    let x = [-(k22 * b[0] - k12 * b[1]) / det, -(k11 * b[1] - k12 * b[0]) / det];
    let alone = [-b[0] / k11, -b[1] / k22];
    if x[0] >= 0.0 && x[1] >= 0.0 {
        Some(x)
    } else if alone[0] >= 0.0 && k12 * alone[0] + b[1] >= 0.0 {
        Some([alone[0], 0.0])
    } else if alone[1] >= 0.0 && k12 * alone[1] + b[0] >= 0.0 {
        Some([0.0, alone[1]])
    } else {
        (b[0] >= 0.0 && b[1] >= 0.0).then_some([0.0; 2])
    }
}

#[cfg(test)]
mod tests {
    use super::World;
    use crate::pushing::body::{Body, Grip, Vector};

    /// Two hundred steps with a target speed of 5, then two hundred without. Returns the steady
    /// speed, and the way after the drive.
    fn driven_then_free<const B: usize, const P: usize>(
        mut world: World<B, P>,
        hand: usize,
        direction: Vector,
    ) -> (f64, f64) {
        let place = |world: &World<B, P>| super::dot(world.bodies[hand].position, direction);
        for _ in 0..200 {
            world.bodies[hand].drive(direction.map(|x| 5.0 * x), 0.0);
            world.step();
        }
        let speed = super::length(world.bodies[hand].velocity);
        let released = place(&world);
        for _ in 0..200 {
            world.step();
        }
        assert!(
            world
                .bodies
                .iter()
                .all(|body| super::length(body.velocity) < 1e-12 && body.spin.abs() < 1e-12)
        );
        (speed, place(&world) - released)
    }

    /// Friction takes the same part of the momentum in each step. The ways are
    /// `sum_k (v - k a) / 100` over the positive terms, with the deceleration `a = F / (100 m)`.
    /// They are known to four decimals.
    #[test]
    fn a_hand_glides_as_far_as_friction_lets_it() {
        let direction = [0.8, -0.6];
        let alone = World::new([Body::hand([0.3, 1.0], [1.0, 1.0], 0.3)], []);
        let (speed, way) = driven_then_free(alone, 0, direction);
        // The drive, 30 times a mass of 0.12, holds the table's 2. It makes up 30 % of the missing
        // speed in a step.
        assert!((speed - (5.0 - 2.0 / 3.6)).abs() < 1e-12, "{speed}");
        assert!((way - 0.5706).abs() < 5.1e-5, "{way}");

        let pair = World::new(
            [Body::disk(1.0, [0.0; 2]), Body::hand([0.3, 1.0], [-1.4, 0.0], 0.0)],
            [(1, 0)],
        );
        let (speed, way) = driven_then_free(pair, 1, [1.0, 0.0]);
        // 13 % with the disk: after 200 steps 1e-12 is left.
        assert!((speed - (5.0 - 7.0 / 3.6)).abs() < 1e-11, "{speed}");
        assert!((way - 0.1696).abs() < 5.1e-5, "{way}");
    }

    /// Without friction on the table contacts neither create nor destroy momentum.
    #[test]
    fn contacts_keep_momentum() {
        let free = |mut body: Body| {
            body.grip = Grip { force: 0.0, torque: 0.0 };
            body
        };
        let mut hand = free(Body::hand([1.0, 0.3], [-2.0, 0.2], 0.4));
        hand.velocity = [6.0, 0.5];
        hand.spin = -2.0;
        let other = free(Body::hand([1.0, 0.3], [0.3, 0.0], 1.3));
        let mut world =
            World::new([hand, free(Body::disk(1.0, [2.5, 0.1])), other], [(0, 1), (2, 1), (0, 2)]);
        let momentum = |world: &World<3, 3>| {
            world.bodies.iter().fold([0.0, 0.0, 0.0], |[x, y, around], body| {
                let linear = body.velocity.map(|speed| body.mass * speed);
                [
                    x + linear[0],
                    y + linear[1],
                    around + super::cross(body.position, linear) + body.inertia * body.spin,
                ]
            })
        };
        let before = momentum(&world);
        for _ in 0..100 {
            world.step();
        }
        let after = momentum(&world);
        assert!(world.bodies.iter().all(|body| super::length(body.velocity) > 0.1), "all were hit");
        // The linear momentum stays to rounding. The angular one also changes when bodies are moved
        // apart: at a speed of 6 they overlap by 0.06 in a step, across all momentum.
        assert!(
            (0..2).all(|axis| (before[axis] - after[axis]).abs() < 1e-12),
            "{before:?} became {after:?}"
        );
        assert!((before[2] - after[2]).abs() < 0.06 * before[0], "{before:?} became {after:?}");
    }
}
