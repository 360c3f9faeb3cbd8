// The gradient of a score: slopes and weights of the data contracted with the differences of
// coordinates,
//
//     sum_i S_i (a alpha_i + b w_i) (p_k - x_ik) / l_k
//
// with w = L^-T v, and with the coefficients a and b of the point that the score has written. The
// differences are formed before they are summed: the product form would lose the digits of a near
// datum. A workgroup takes 16 points and 8 dimensions. 16 invocations share the data of a point.
//
// On the sphere these are derivatives by the coordinates p, g. With c = -p_last the derivatives by
// the inputs are c g_k - p_k p' g. The slopes, which are 1, then hold the shares of p' g.
// #import math/real
// #import math/pair
// #import model/kernel
// #import layout

@group(0) @binding(BINDING_SHAPE) var<uniform> shape: Shape;
@group(0) @binding(BINDING_INPUTS) var<storage, read> inputs: array<vec4<real>>;
@group(0) @binding(BINDING_VECTORS) var<storage, read> vectors: array<real>;
@group(0) @binding(BINDING_POINTS) var<storage, read> points: array<real>;
@group(0) @binding(BINDING_WEIGHTS) var<storage, read> weights: array<real>;
@group(0) @binding(BINDING_SLOPES) var<storage, read> slopes: array<real>;
// The rows COEFFICIENT_*.
@group(0) @binding(BINDING_COEFFICIENTS) var<storage, read> coefficients: array<real>;
// ln c of each point, then the gradients of ln c, point by point.
@group(0) @binding(BINDING_KNOWN) var<storage, read> known: array<real>;
// The rows OUTPUT_*.
@group(0) @binding(BINDING_OUTPUT) var<storage, read_write> output: array<real>;

// A constant PART_*: which part of the gradient to make. That of a learned cost, and that of the
// probability of success, are added to what stands in the output.
override PART: u32;
override FAMILY: u32;

const SLICES: u32 = 16u;

var<workgroup> shares: array<vec4<real>, GRADIENT_POINTS * SLICES * 2u>;
var<workgroup> alongs: array<real, GRADIENT_POINTS * SLICES>;

// The weight of a datum at a point, without the slope.
fn weight(row: u32, column: u32, a: real, b: real) -> real {
    return a * vectors[shape.dim + row] + b * weights[row * shape.stride + column];
}

fn slope(row: u32, column: u32) -> real {
    return slopes[row * shape.stride + column];
}

// The place of a block's first coordinate in a dimension. Beyond the last dimension it is that of
// the last one; nobody reads these sums.
fn row_of(block: u32, dim: u32) -> u32 {
    let width = kernel_width(FAMILY, shape.dim);
    return block * width + min(dim, width - 1u);
}

// The share of four rows in the sum of a dimension.
fn share(weight: vec4<real>, point: real, quad: u32, dim: u32) -> real {
    let at = row_of(quad / (TILE / 4u), dim) * (TILE / 4u) + quad % (TILE / 4u);
    return dot(weight, vec4<real>(point) - inputs[at]);
}

fn coordinate(column: u32, dim: u32) -> real {
    return points[row_of(column / TILE, dim) * TILE + column % TILE];
}

@compute @workgroup_size(GRADIENT_POINTS, SLICES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let column = group.x * GRADIENT_POINTS + local.x;
    let dim = group.y * GRADIENT_DIMS;
    var alpha_row = COEFFICIENT_ALPHA;
    var weight_row = COEFFICIENT_WEIGHT;
    if (PART == PART_LEARNED_COST) {
        alpha_row = COEFFICIENT_COST_ALPHA;
        weight_row = COEFFICIENT_COST_WEIGHT;
    } else if (PART == PART_SUCCESS) {
        alpha_row = COEFFICIENT_SUCCESS_ALPHA;
        weight_row = COEFFICIENT_SUCCESS_WEIGHT;
    }
    let a = coefficients[alpha_row * shape.stride + column];
    let b = coefficients[weight_row * shape.stride + column];
    let p = vec4<real>(coordinate(column, dim), coordinate(column, dim + 1u), coordinate(column, dim + 2u), coordinate(column, dim + 3u));
    let q = vec4<real>(coordinate(column, dim + 4u), coordinate(column, dim + 5u), coordinate(column, dim + 6u), coordinate(column, dim + 7u));
    var first = vec4<real>();
    var second = vec4<real>();
    var along = real(0.0);
    for (var quad = local.y; quad < shape.blocks * (TILE / 4u); quad += SLICES) {
        let row = quad * 4u;
        var w = vec4<real>(weight(row, column, a, b), weight(row + 1u, column, a, b), weight(row + 2u, column, a, b), weight(row + 3u, column, a, b));
        let s = vec4<real>(slope(row, column), slope(row + 1u, column), slope(row + 2u, column), slope(row + 3u, column));
        if (FAMILY == KERNEL_SPHERICAL_LINEAR) {
            along += dot(w, s);
        } else {
            w *= s;
        }
        first += vec4<real>(share(w, p.x, quad, dim), share(w, p.y, quad, dim + 1u), share(w, p.z, quad, dim + 2u), share(w, p.w, quad, dim + 3u));
        second += vec4<real>(
            share(w, q.x, quad, dim + 4u), share(w, q.y, quad, dim + 5u), share(w, q.z, quad, dim + 6u), share(w, q.w, quad, dim + 7u));
    }
    let place = (local.y * GRADIENT_POINTS + local.x) * 2u;
    shares[place] = first;
    shares[place + 1u] = second;
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
            total = -coordinate(column, shape.dim) * total - coordinate(column, dim + k) * projected;
        }
        total *= vectors[dim + k];
        let at = OUTPUT_GRADIENTS * shape.stride + column * shape.dim + dim + k;
        if (PART == PART_OUTCOME_AND_KNOWN_COST) {
            total += coefficients[COEFFICIENT_KNOWN_COST * shape.stride + column] * known[shape.stride + column * shape.dim + dim + k];
        }
        if (PART == PART_LEARNED_COST || PART == PART_SUCCESS) {
            total += output[at];
        }
        output[at] = total;
    }
}
