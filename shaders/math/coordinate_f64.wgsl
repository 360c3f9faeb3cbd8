// Coordinates of the unit cube in double precision, by the operations of the host. The names are
// those of coordinate_f32.wgsl; the second numbers of pairs are zero.
// #import math/real
// #import math/pair

alias Sent = f64;
alias Coordinate = f64;

fn coordinate_sent(sent: Sent) -> Coordinate {
    return sent;
}

// The coordinate of a cell of 2^-23 and a place of 2^-29 within it; exact.
fn coordinate_drawn(cell: u32, place: u32) -> Coordinate {
    return (f64(cell) + (f64(place) + 0.5) / 536870912.0) / 8388608.0;
}

// Spread over a box from `low` to `high`.
fn coordinate_spread(u: Coordinate, low: Pair, span: Pair, high: real) -> Coordinate {
    return clamp(low.high + u * span.high, low.high, high);
}

// A number that the device made itself.
fn coordinate_own(u: real) -> Coordinate {
    return u;
}

// From a center and over a lengthscale, given by its inverse.
fn coordinate_placed(u: Coordinate, center: Pair, inverse: Pair) -> real {
    return (u - center.high) * inverse.high;
}
