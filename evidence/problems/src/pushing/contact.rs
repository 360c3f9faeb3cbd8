//! The contact of two bodies: up to two points on a common face.

use super::body::{Body, FACE_NORMALS, Vector, along, dot, length, midpoint, minus};

/// A penetration that is left alone, so that contacts do not flicker.
pub const SLOP: f64 = 0.005;

/// The corners and faces that make a point, so that the next step recognizes it: for each body the
/// number of the corner or face, and whether it is a face.
type Feature = [(u8, bool); 2];

/// A point of a contact.
#[derive(Debug, Clone, Copy)]
pub struct ContactPoint {
    /// In the frame of the body that does not own the face.
    local: Vector,
    feature: Feature,
    /// The impulse is accumulated over the iterations of a step and kept for the next.
    pub normal_impulse: f64,
    pub tangent_impulse: f64,
}

/// The contact of two bodies.
#[derive(Debug, Clone, Copy)]
pub struct Contact {
    /// Whether the second body owns the face that the other one touches.
    second_owns: bool,
    /// The face's normal and midpoint, in the owner's frame.
    normal: Vector,
    middle: Vector,
    pub points: [ContactPoint; 2],
    pub count: usize,
}

/// A contact point on the table.
pub struct Place {
    /// From the first body to the second.
    pub normal: Vector,
    /// Midway between the two skins.
    pub point: Vector,
    /// The distance between the skins, negative if they overlap.
    pub separation: f64,
    /// The point on the body that does not own the face, without its skin.
    pub raw: Vector,
}

impl Contact {
    fn new(second_owns: bool, normal: Vector, middle: Vector, found: &[(Vector, Feature)]) -> Self {
        let blank = ContactPoint {
            local: [0.0; 2],
            feature: Feature::default(),
            normal_impulse: 0.0,
            tangent_impulse: 0.0,
        };
        let mut points = [blank; 2];
        for (point, &(local, feature)) in points.iter_mut().zip(found) {
            *point = ContactPoint { local, feature, ..blank };
        }
        Self { second_owns, normal, middle, points, count: found.len() }
    }

    /// The contact of two bodies, if their skins meet. The first is a box.
    pub fn between(first: &Body, second: &Body) -> Option<Self> {
        if second.is_disk() { box_and_disk(first, second) } else { box_and_box(first, second) }
    }

    /// Takes over the impulses of the points that the last step had.
    pub fn remember(&mut self, last: &Self) {
        for point in &mut self.points[..self.count] {
            if let Some(known) =
                last.points[..last.count].iter().find(|known| known.feature == point.feature)
            {
                point.normal_impulse = known.normal_impulse;
                point.tangent_impulse = known.tangent_impulse;
            }
        }
    }

    /// A point at the present positions of the bodies.
    pub fn place(&self, first: &Body, second: &Body, index: usize) -> Place {
        let (owner, other) = if self.second_owns { (second, first) } else { (first, second) };
        let normal = owner.rotation().apply(self.normal);
        let raw = other.on_table(self.points[index].local);
        let distance = dot(minus(raw, owner.on_table(self.middle)), normal);
        let on_owner = along(raw, owner.skin - distance, normal);
        let on_other = along(raw, -other.skin, normal);
        Place {
            normal: if self.second_owns { [-normal[0], -normal[1]] } else { normal },
            point: midpoint(on_owner, on_other),
            separation: distance - owner.skin - other.skin,
            raw,
        }
    }
}

fn box_and_disk(first: &Body, second: &Body) -> Option<Contact> {
    let center = first.in_frame(second.position);
    let reach = first.skin + second.skin;
    let corners = first.corners();
    let (mut separation, mut face) = (f64::MIN, 0);
    for i in 0..4 {
        let distance = dot(FACE_NORMALS[i], minus(center, corners[i]));
        if distance > reach {
            return None;
        }
        if distance > separation {
            separation = distance;
            face = i;
        }
    }
    let start = corners[face];
    let end = corners[(face + 1) % 4];
    let on_face = Some((FACE_NORMALS[face], midpoint(start, end)));
    let at_corner = |corner: Vector| {
        let outward = minus(center, corner);
        let distance = length(outward);
        (distance <= reach).then(|| ([outward[0] / distance, outward[1] / distance], corner))
    };
    let edge = minus(end, start);
    // Box2D recognizes a center inside the box by the epsilon of its single precision.
    let found = if separation < 1.192_092_9e-7 {
        on_face
    } else if dot(minus(center, start), edge) <= 0.0 {
        at_corner(start)
    } else if dot(minus(center, end), edge) >= 0.0 {
        at_corner(end)
    } else {
        on_face
    };
    found.map(|(normal, middle)| {
        Contact::new(false, normal, middle, &[([0.0; 2], Feature::default())])
    })
}

/// The largest separation of a body from the faces of another, and the face.
fn largest_separation(owner: &Body, other: &Body) -> (f64, usize) {
    let (owners, others) = (owner.corners(), other.corners());
    let (mut best, mut face) = (f64::MIN, 0);
    for i in 0..4 {
        let normal = other.rotation().undo(owner.rotation().apply(FACE_NORMALS[i]));
        let corner = other.in_frame(owner.on_table(owners[i]));
        let separation =
            others.iter().map(|&point| dot(normal, minus(point, corner))).fold(f64::MAX, f64::min);
        if separation > best {
            best = separation;
            face = i;
        }
    }
    (best, face)
}

/// The part of a segment with `normal . point <= offset`; none if less than a segment is left. A
/// cut point belongs to the face's corner `corner`.
fn clip(
    segment: [(Vector, Feature); 2],
    normal: Vector,
    offset: f64,
    corner: u8,
) -> Option<[(Vector, Feature); 2]> {
    let [(start, feature), (end, _)] = segment;
    let from = dot(normal, start) - offset;
    let to = dot(normal, end) - offset;
    let cut = || {
        (
            along(start, from / (from - to), minus(end, start)),
            [(corner, false), (feature[1].0, true)],
        )
    };
    match (from <= 0.0, to <= 0.0) {
        (true, true) => Some(segment),
        (true, false) if from < 0.0 => Some([segment[0], cut()]),
        (false, true) if to < 0.0 => Some([segment[1], cut()]),
        _ => None,
    }
}

fn box_and_box(first: &Body, second: &Body) -> Option<Contact> {
    let reach = first.skin + second.skin;
    let (by_first, first_face) = largest_separation(first, second);
    if by_first > reach {
        return None;
    }
    let (by_second, second_face) = largest_separation(second, first);
    if by_second > reach {
        return None;
    }
    // The first body owns the face unless the second is clearly better, so that the choice does not
    // flicker.
    let second_owns = by_second > by_first + 0.1 * SLOP;
    let (owner, other, face) =
        if second_owns { (second, first, second_face) } else { (first, second, first_face) };

    let facing = other.rotation().undo(owner.rotation().apply(FACE_NORMALS[face]));
    let opposed = (1..4).fold(0, |best, i| {
        if dot(facing, FACE_NORMALS[i]) < dot(facing, FACE_NORMALS[best]) { i } else { best }
    });
    let incident = |corner: usize| {
        (other.on_table(other.corners()[corner]), [(face as u8, true), (corner as u8, false)])
    };
    let segment = [incident(opposed), incident((opposed + 1) % 4)];

    let start = owner.corners()[face];
    let end = owner.corners()[(face + 1) % 4];
    let edge = minus(end, start);
    let sides = length(edge);
    let tangent = owner.rotation().apply([edge[0] / sides, edge[1] / sides]);
    let normal = [tangent[1], -tangent[0]];
    let start_on_table = owner.on_table(start);
    let end_on_table = owner.on_table(end);
    let segment = clip(
        segment,
        [-tangent[0], -tangent[1]],
        reach - dot(tangent, start_on_table),
        face as u8,
    )?;
    let segment =
        clip(segment, tangent, dot(tangent, end_on_table) + reach, ((face + 1) % 4) as u8)?;

    let front = dot(normal, start_on_table);
    let mut found = [([0.0; 2], Feature::default()); 2];
    let mut count = 0;
    for (point, feature) in segment {
        if dot(normal, point) - front <= reach {
            let feature = if second_owns { [feature[1], feature[0]] } else { feature };
            found[count] = (other.in_frame(point), feature);
            count += 1;
        }
    }
    (count > 0).then(|| {
        Contact::new(second_owns, FACE_NORMALS[face], midpoint(start, end), &found[..count])
    })
}
