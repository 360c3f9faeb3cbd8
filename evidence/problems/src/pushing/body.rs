//! Disks and boxes on the table, and the plane they move in.

use std::f64::consts::PI;

use libm::{cos, sin, sqrt};

/// A point or a vector of the plane.
pub type Vector = [f64; 2];

pub fn dot(u: Vector, v: Vector) -> f64 {
    u[0] * v[0] + u[1] * v[1]
}

pub fn cross(u: Vector, v: Vector) -> f64 {
    u[0] * v[1] - u[1] * v[0]
}

pub fn length(v: Vector) -> f64 {
    sqrt(dot(v, v))
}

/// `u - v`.
pub fn minus(u: Vector, v: Vector) -> Vector {
    [u[0] - v[0], u[1] - v[1]]
}

/// `u + s v`.
pub fn along(u: Vector, s: f64, v: Vector) -> Vector {
    [u[0] + s * v[0], u[1] + s * v[1]]
}

/// Halfway between two points.
pub fn midpoint(u: Vector, v: Vector) -> Vector {
    [0.5 * (u[0] + v[0]), 0.5 * (u[1] + v[1])]
}

/// Cosine and sine of an angle.
#[derive(Debug, Clone, Copy)]
pub struct Rotation {
    cos: f64,
    sin: f64,
}

impl Rotation {
    fn by(angle: f64) -> Self {
        Self { cos: cos(angle), sin: sin(angle) }
    }

    pub fn apply(self, v: Vector) -> Vector {
        [self.cos * v[0] - self.sin * v[1], self.sin * v[0] + self.cos * v[1]]
    }

    pub fn undo(self, v: Vector) -> Vector {
        [self.cos * v[0] + self.sin * v[1], -self.sin * v[0] + self.cos * v[1]]
    }
}

/// The force and the torque that dry friction with the table withstands.
#[derive(Debug, Clone, Copy)]
pub struct Grip {
    pub force: f64,
    pub torque: f64,
}

/// A rigid body. A box has half sides and a thin skin. A disk is a point with a skin as thick as
/// its radius.
#[derive(Debug, Clone, Copy)]
pub struct Body {
    half: Vector,
    pub skin: f64,
    pub mass: f64,
    pub inertia: f64,
    pub inverse_mass: f64,
    pub inverse_inertia: f64,
    /// The friction of the surface against other bodies.
    pub friction: f64,
    pub grip: Grip,
    pub position: Vector,
    angle: f64,
    rotation: Rotation,
    pub velocity: Vector,
    pub spin: f64,
    /// The force during the next step.
    pub force: Vector,
    pub torque: f64,
    /// The impulse of the table's friction in the last step.
    pub table_impulse: Vector,
    pub table_spin_impulse: f64,
}

/// The skin of a box.
const SKIN: f64 = 0.01;

/// The normals of the faces. A face goes from its corner to the next, counterclockwise.
pub const FACE_NORMALS: [Vector; 4] = [[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]];

impl Body {
    fn object(half: Vector, skin: f64, mass: f64, inertia: f64, position: Vector) -> Self {
        Self {
            half,
            skin,
            mass,
            inertia,
            inverse_mass: 1.0 / mass,
            inverse_inertia: 1.0 / inertia,
            friction: 0.01,
            grip: Grip { force: 5.0, torque: 2.0 },
            position,
            angle: 0.0,
            rotation: Rotation::by(0.0),
            velocity: [0.0; 2],
            spin: 0.0,
            force: [0.0; 2],
            torque: 0.0,
            table_impulse: [0.0; 2],
            table_spin_impulse: 0.0,
        }
    }

    /// A round object.
    pub fn disk(radius: f64, position: Vector) -> Self {
        let mass = 0.05 * PI * radius * radius;
        Self::object([0.0; 2], radius, mass, 0.5 * mass * radius * radius, position)
    }

    /// A rectangular object.
    pub fn rectangle(half: Vector, position: Vector) -> Self {
        let mass = box_mass(0.05, half);
        Self::object(half, SKIN, mass, box_inertia(mass, half), position)
    }

    /// A rectangular hand. It is twice as dense as an object, rougher, and has less grip on the
    /// table.
    pub fn hand(half: Vector, position: Vector, angle: f64) -> Self {
        let mass = box_mass(0.1, half);
        let body = Self::object(half, SKIN, mass, box_inertia(mass, half), position);
        Self {
            friction: 0.1,
            grip: Grip { force: 2.0, torque: 2.0 },
            angle,
            rotation: Rotation::by(angle),
            ..body
        }
    }

    pub fn is_disk(&self) -> bool {
        self.half == [0.0; 2]
    }

    /// The corners of a box in its own frame, counterclockwise.
    pub fn corners(&self) -> [Vector; 4] {
        let [x, y] = self.half;
        [[-x, -y], [x, -y], [x, y], [-x, y]]
    }

    pub fn angle(&self) -> f64 {
        self.angle
    }

    pub fn rotation(&self) -> Rotation {
        self.rotation
    }

    pub fn turn(&mut self, angle: f64) {
        self.angle += angle;
        // A disk is a point: there is nothing to turn.
        if !self.is_disk() {
            self.rotation = Rotation::by(self.angle);
        }
    }

    pub fn on_table(&self, local: Vector) -> Vector {
        along(self.rotation.apply(local), 1.0, self.position)
    }

    pub fn in_frame(&self, point: Vector) -> Vector {
        self.rotation.undo(minus(point, self.position))
    }

    /// Drives a hand toward a velocity and a spin. Force and torque are 30 times the mass times the
    /// missing velocity or spin.
    pub fn drive(&mut self, velocity: Vector, spin: f64) {
        let missing = minus(velocity, self.velocity);
        self.force = [self.mass * missing[0] * 30.0, self.mass * missing[1] * 30.0];
        self.torque = self.mass * (spin - self.spin) * 30.0;
    }
}

fn box_mass(density: f64, half: Vector) -> f64 {
    density * 4.0 * half[0] * half[1]
}

fn box_inertia(mass: f64, half: Vector) -> f64 {
    mass * dot(half, half) / 3.0
}
