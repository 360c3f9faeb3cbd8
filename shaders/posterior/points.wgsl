// Points in the units of a posterior: what the shaders that fill the buffer `points` share. It
// declares their variables. An invocation makes one coordinate of one point.
// #import math/coordinate
// #import layout

@group(0) @binding(BINDING_SHAPE) var<uniform> shape: Shape;
// The rows UNIT_*, a number for each dimension: the center of the data, and one over the
// lengthscale, each with what rounding took from it.
@group(0) @binding(BINDING_UNITS) var<storage, read> units: array<real>;
// Block by block, in a block dimension by dimension.
@group(0) @binding(BINDING_POINTS) var<storage, read_write> points: array<real>;

fn points_write(column: u32, dim: u32, u: Coordinate) {
    let center = Pair(units[UNIT_CENTER * shape.dim + dim], units[UNIT_CENTER_REST * shape.dim + dim]);
    let inverse = Pair(units[UNIT_INVERSE * shape.dim + dim], units[UNIT_INVERSE_REST * shape.dim + dim]);
    points[points_place(column, dim)] = coordinate_placed(u, center, inverse);
}

// Beyond the last point coordinates are zero.
fn points_pad(column: u32, dim: u32) {
    points[points_place(column, dim)] = real(0.0);
}

fn points_place(column: u32, dim: u32) -> u32 {
    return (column / TILE * shape.dim + dim) * TILE + column % TILE;
}
