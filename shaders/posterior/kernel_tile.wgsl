// Kernel values and slopes between the data and a chunk of points, and the means from them.
//
// A workgroup takes one block of data rows by one block of points. An invocation takes one point
// and a quarter of the rows, eight at a time, so that one coordinate of the point serves eight
// distances. The kernel has unit variance. Coordinates are divided by the lengthscales, or those on
// the sphere.
// #import math/real
// #import math/pair
// #import model/kernel
// #import layout

@group(0) @binding(BINDING_SHAPE) var<uniform> shape: Shape;
// The coordinates of the data: block by block of rows, in a block dimension by dimension, four rows
// to a vector.
@group(0) @binding(BINDING_INPUTS) var<storage, read> inputs: array<vec4<real>>;
// One over each lengthscale, then the weights alpha = K^-1 (y - m), then what rounding took from
// these.
@group(0) @binding(BINDING_VECTORS) var<storage, read> vectors: array<real>;
// The coordinates of the points: block by block, in a block dimension by dimension.
@group(0) @binding(BINDING_POINTS) var<storage, read> points: array<real>;
// A row for each datum, a column for each point. The slopes have the same shape. On the sphere all
// slopes are 1, and what the data add along the point stands in their place.
@group(0) @binding(BINDING_KERNEL) var<storage, read_write> kernel: array<real>;
@group(0) @binding(BINDING_SLOPES) var<storage, read_write> slopes: array<real>;
// For each block of data the rows SUM_*. This shader writes the share of the mean, as a sum of two.
@group(0) @binding(BINDING_SUMS) var<storage, read_write> sums: array<real>;

override FAMILY: u32;
override GRADIENT: bool;

const SHARES: u32 = 4u;
const QUADS: u32 = TILE / 4u / SHARES;

var<workgroup> shares: array<Pair, TILE * SHARES>;

// Writes kernel value and slope for a squared distance. Returns the share of the datum in the mean.
// `last` is the difference of the last coordinates.
fn finish(row: u32, column: u32, squared: real, last: real) -> Pair {
    let unit = kernel_unit(FAMILY, squared);
    let at = row * shape.stride + column;
    kernel[at] = unit.value.high + unit.value.low;
    if (GRADIENT) {
        slopes[at] = unit.slope;
        if (FAMILY == KERNEL_SPHERICAL_LINEAR) {
            slopes[at] = kernel_along(squared, last);
        }
    }
    return pair_times(unit.value, Pair(vectors[shape.dim + row], vectors[shape.dim + shape.blocks * TILE + row]));
}

// Component by component: drivers would keep a vector that is indexed in a loop in memory.
fn finish_quad(row: u32, column: u32, squared: vec4<real>, last: vec4<real>) -> Pair {
    let first = pair_add(finish(row, column, squared.x, last.x), finish(row + 1u, column, squared.y, last.y));
    let second = pair_add(finish(row + 2u, column, squared.z, last.z), finish(row + 3u, column, squared.w, last.w));
    return pair_add(first, second);
}

@compute @workgroup_size(TILE, SHARES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let block = group.y;
    let column = group.x * TILE + local.x;
    let width = kernel_width(FAMILY, shape.dim);
    var mean = Pair(real(0.0), real(0.0));
    for (var pair = 0u; pair < QUADS; pair += 2u) {
        let quad = local.y * QUADS + pair;
        var first = vec4<real>();
        var second = vec4<real>();
        // Differences, after the loop those of the last coordinate.
        var a = vec4<real>();
        var b = vec4<real>();
        for (var k = 0u; k < width; k++) {
            let point = vec4<real>(points[(group.x * width + k) * TILE + local.x]);
            let at = (block * width + k) * (TILE / 4u) + quad;
            a = inputs[at] - point;
            b = inputs[at + 1u] - point;
            first += a * a;
            second += b * b;
        }
        let row = block * TILE + quad * 4u;
        mean = pair_add(mean, pair_add(finish_quad(row, column, first, -a), finish_quad(row + 4u, column, second, -b)));
    }
    shares[local.y * TILE + local.x] = mean;
    workgroupBarrier();
    if (local.y == 0u) {
        let half = pair_add(shares[2u * TILE + local.x], shares[3u * TILE + local.x]);
        let total = pair_add(pair_add(mean, shares[TILE + local.x]), half);
        sums[(SUMS * block + SUM_MEAN) * shape.stride + column] = total.high;
        sums[(SUMS * block + SUM_MEAN_REST) * shape.stride + column] = total.low;
    }
}
