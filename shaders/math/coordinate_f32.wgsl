// Coordinates of the unit cube in more digits than single precision has, as sums of two numbers.
// The names are those of coordinate_f64.wgsl.
// #import math/real
// #import math/pair

// A number of double precision as it lies in memory: the low and the high half of its bits.
alias Sent = vec2<u32>;
alias Coordinate = Pair;

// The number, to 48 bits; 0 below the normal numbers. Its first 24 bits and the 29 bits below make
// a number each.
fn coordinate_sent(sent: Sent) -> Coordinate {
    let exponent = i32((sent.y >> 20u) & 0x7ffu) - 1023;
    if (exponent < -100 || exponent > 100) {
        return Pair(0.0, 0.0);
    }
    let sign = (sent.y & 0x80000000u);
    let high = bitcast<f32>(sign | (u32(exponent + 127) << 23u) | ((sent.y & 0xfffffu) << 3u) | (sent.x >> 29u));
    let unit = bitcast<f32>(sign | 0x3f800000u);
    let low = unit * real_scale(f32(sent.x & 0x1fffffffu), exponent - 52);
    return pair_fast_sum(high, low);
}

// The coordinate of a cell of 2^-23 and a place of 2^-29 within it.
fn coordinate_drawn(cell: u32, place: u32) -> Coordinate {
    return pair_fast_sum(f32(cell) * 1.1920928955078125e-7, f32(2u * place + 1u) * 1.1102230246251565e-16);
}

// Spread over a box from `low` to `high`.
fn coordinate_spread(u: Coordinate, low: Pair, span: Pair, high: real) -> Coordinate {
    return pair_add(low, pair_times(u, span));
}

// A number that the device made itself.
fn coordinate_own(u: real) -> Coordinate {
    return Pair(u, 0.0);
}

// From a center and over a lengthscale, given by its inverse.
fn coordinate_placed(u: Coordinate, center: Pair, inverse: Pair) -> real {
    let placed = pair_times(pair_add(u, Pair(-center.high, -center.low)), inverse);
    return placed.high + placed.low;
}
