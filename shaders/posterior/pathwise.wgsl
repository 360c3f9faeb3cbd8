// The value of a sample path and its gradient, written over those of the score:
//
//     f(p) = sum_j a_j sin(w_j' p + t_j) + b_j cos(w_j' p + t_j) + sum_i v_i R(|p - x_i|)
//
// with coordinates from the center of the data and over the lengthscales. Close to data the second
// sum has large weights of either sign, so it is kept as a sum of two numbers. A workgroup takes 16
// points and 8 dimensions of the gradient. 16 invocations share the terms of a point. On the sphere
// there are no waves, and the gradient is that of the coordinates, pulled back as in
// posterior/gradient.
// #import math/real
// #import math/pair
// #import model/kernel
// #import layout

@group(0) @binding(BINDING_SHAPE) var<uniform> shape: Shape;
// The coordinates of the data and the frequencies: block by block of rows, in a block dimension by
// dimension, four rows to a vector.
@group(0) @binding(BINDING_INPUTS) var<storage, read> inputs: array<vec4<real>>;
@group(0) @binding(BINDING_FREQUENCIES) var<storage, read> frequencies: array<vec4<real>>;
// One over each lengthscale, the weights v, what rounding took from these, the phases t, the
// weights a and b.
@group(0) @binding(BINDING_VECTORS) var<storage, read> vectors: array<real>;
// The coordinates of the points: block by block, in a block dimension by dimension.
@group(0) @binding(BINDING_POINTS) var<storage, read> points: array<real>;
// The rows OUTPUT_*.
@group(0) @binding(BINDING_OUTPUT) var<storage, read_write> output: array<real>;
// The numbers COUNT_*.
@group(0) @binding(BINDING_COUNTS) var<storage, read_write> counts: array<atomic<u32>>;

override FAMILY: u32;
override GRADIENT: bool;

const SLICES: u32 = 16u;
const QUADS: u32 = TILE / 4u;

var<workgroup> shares: array<vec4<real>, GRADIENT_POINTS * SLICES * 2u>;
var<workgroup> alongs: array<real, GRADIENT_POINTS * SLICES>;

// The value of a term, and the factor of its derivative.
struct Term { value: Pair, slope: real }

fn wave(row: u32, phase: real) -> Term {
    let waves = shape.wave_blocks * TILE;
    let start = shape.dim + 2u * shape.blocks * TILE + row;
    let turn = real_turn(phase + vectors[start]);
    let a = vectors[start + waves];
    let b = vectors[start + 2u * waves];
    return Term(Pair(a * turn.sine + b * turn.cosine, real(0.0)), a * turn.cosine - b * turn.sine);
}

fn bump(row: u32, squared: real) -> Term {
    let unit = kernel_unit(FAMILY, squared);
    let weight = vectors[shape.dim + row];
    return Term(pair_times(unit.value, Pair(weight, vectors[shape.dim + shape.blocks * TILE + row])), -weight * unit.slope);
}

// The place of a block's first coordinate in a dimension. Beyond the last dimension it is that of
// the last one; nobody reads these sums.
fn row_of(block: u32, dim: u32) -> u32 {
    let width = kernel_width(FAMILY, shape.dim);
    return block * width + min(dim, width - 1u);
}

// The place of the coordinates of four rows in a dimension.
fn place(quad: u32, dim: u32) -> u32 {
    return row_of(quad / QUADS, dim) * QUADS + quad % QUADS;
}

fn coordinate(column: u32, dim: u32) -> vec4<real> {
    return vec4<real>(points[row_of(column / TILE, dim) * TILE + column % TILE]);
}

fn wave_share(slopes: vec4<real>, quad: u32, dim: u32) -> real {
    return dot(slopes, frequencies[place(quad, dim)]);
}

fn bump_share(slopes: vec4<real>, column: u32, quad: u32, dim: u32) -> real {
    return dot(slopes, coordinate(column, dim) - inputs[place(quad, dim)]);
}

@compute @workgroup_size(GRADIENT_POINTS, SLICES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let column = group.x * GRADIENT_POINTS + local.x;
    let dim = group.y * GRADIENT_DIMS;
    var value = Pair(real(0.0), real(0.0));
    var first = vec4<real>();
    var second = vec4<real>();
    var along = real(0.0);
    for (var quad = local.y; quad < shape.wave_blocks * QUADS; quad += SLICES) {
        var phases = vec4<real>();
        for (var k = 0u; k < shape.dim; k++) {
            phases += frequencies[place(quad, k)] * coordinate(column, k);
        }
        let row = quad * 4u;
        let t0 = wave(row, phases.x);
        let t1 = wave(row + 1u, phases.y);
        let t2 = wave(row + 2u, phases.z);
        let t3 = wave(row + 3u, phases.w);
        value = pair_add(value, Pair((t0.value.high + t1.value.high) + (t2.value.high + t3.value.high), real(0.0)));
        if (GRADIENT) {
            let s = vec4<real>(t0.slope, t1.slope, t2.slope, t3.slope);
            first += vec4<real>(
                wave_share(s, quad, dim), wave_share(s, quad, dim + 1u), wave_share(s, quad, dim + 2u), wave_share(s, quad, dim + 3u));
            second += vec4<real>(
                wave_share(s, quad, dim + 4u), wave_share(s, quad, dim + 5u), wave_share(s, quad, dim + 6u), wave_share(s, quad, dim + 7u));
        }
    }
    for (var quad = local.y; quad < shape.blocks * QUADS; quad += SLICES) {
        var squared = vec4<real>();
        // After the loop that of the last coordinate.
        var difference = vec4<real>();
        for (var k = 0u; k < kernel_width(FAMILY, shape.dim); k++) {
            difference = coordinate(column, k) - inputs[place(quad, k)];
            squared += difference * difference;
        }
        let row = quad * 4u;
        let t0 = bump(row, squared.x);
        let t1 = bump(row + 1u, squared.y);
        let t2 = bump(row + 2u, squared.z);
        let t3 = bump(row + 3u, squared.w);
        value = pair_add(value, pair_add(pair_add(t0.value, t1.value), pair_add(t2.value, t3.value)));
        if (GRADIENT) {
            let s = vec4<real>(t0.slope, t1.slope, t2.slope, t3.slope);
            if (FAMILY == KERNEL_SPHERICAL_LINEAR) {
                along += s.x * kernel_along(squared.x, difference.x) + s.y * kernel_along(squared.y, difference.y)
                    + s.z * kernel_along(squared.z, difference.z) + s.w * kernel_along(squared.w, difference.w);
            }
            first += vec4<real>(
                bump_share(s, column, quad, dim), bump_share(s, column, quad, dim + 1u),
                bump_share(s, column, quad, dim + 2u), bump_share(s, column, quad, dim + 3u));
            second += vec4<real>(
                bump_share(s, column, quad, dim + 4u), bump_share(s, column, quad, dim + 5u),
                bump_share(s, column, quad, dim + 6u), bump_share(s, column, quad, dim + 7u));
        }
    }
    let own = (local.y * GRADIENT_POINTS + local.x) * 2u;
    shares[own] = vec4<real>(value.high, value.low, real(0.0), real(0.0));
    workgroupBarrier();
    if (local.y == 0u && group.y == 0u) {
        for (var slice = 1u; slice < SLICES; slice++) {
            let other = shares[(slice * GRADIENT_POINTS + local.x) * 2u];
            value = pair_add(value, Pair(other.x, other.y));
        }
        let total = value.high + value.low;
        output[OUTPUT_VALUE * shape.stride + column] = total;
        if (column < shape.count && !real_is_finite(total)) {
            atomicAdd(&counts[COUNT_OVERFLOWED], 1u);
        }
    }
    if (GRADIENT) {
        // The values were read. Their memory now takes the shares of the gradients.
        workgroupBarrier();
        shares[own] = first;
        shares[own + 1u] = second;
        alongs[local.y * GRADIENT_POINTS + local.x] = along;
        workgroupBarrier();
        // The invocations of a point now take a dimension each.
        let k = local.y;
        if (k < GRADIENT_DIMS && dim + k < shape.dim && column < shape.count) {
            var total = real(0.0);
            for (var slice = 0u; slice < SLICES; slice++) {
                total += shares[(slice * GRADIENT_POINTS + local.x) * 2u + k / 4u][k % 4u];
            }
            if (FAMILY == KERNEL_SPHERICAL_LINEAR) {
                var projected = real(0.0);
                for (var slice = 0u; slice < SLICES; slice++) {
                    projected += alongs[slice * GRADIENT_POINTS + local.x];
                }
                total = -coordinate(column, shape.dim).x * total - coordinate(column, dim + k).x * projected;
            }
            output[OUTPUT_GRADIENTS * shape.stride + column * shape.dim + dim + k] = total * vectors[dim + k];
        }
    }
}
