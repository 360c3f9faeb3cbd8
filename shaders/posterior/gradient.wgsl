// The gradient of a score: slopes and weights of the data contracted with the differences of coordinates.
//
//     sum_i S_i (a alpha_i + b w_i) (p_k - x_ik) / l_k
//
// with the coefficients a and b that the scores left for the point, and w = L^-T v. The differences are formed before they are summed: the
// product form would lose the digits of a near datum. A workgroup takes 16 points and 8 dimensions; 16 invocations share the data of a point.
// #import math/real
// #import layout

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> inputs: array<vec4<real>>;
@group(0) @binding(2) var<storage, read> vectors: array<real>;
@group(0) @binding(3) var<storage, read> points: array<real>;
@group(0) @binding(4) var<storage, read> weights: array<real>;
@group(0) @binding(5) var<storage, read> slopes: array<real>;
@group(0) @binding(8) var<storage, read> coefficients: array<real>;
// For each point ln c, then, row by row, its gradient.
@group(0) @binding(9) var<storage, read> known: array<real>;
// Rows of values, means and variances, then the gradients point by point.
@group(0) @binding(10) var<storage, read_write> output: array<real>;

// 0: the outcome's part. 1: the outcome's part and a known cost's. 2: a learned cost's part, added to what stands.
override PART: u32 = 0u;

const POINTS: u32 = GRADIENT_POINTS;
const SLICES: u32 = 16u;
const DIMS: u32 = GRADIENT_DIMS;

var<workgroup> shares: array<real, POINTS * SLICES * DIMS>;

@compute @workgroup_size(POINTS, SLICES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let column = group.x * POINTS + local.x;
    let first = group.y * DIMS;
    let row_of = select(0u, 2u, PART == 2u) * shape.stride + column;
    let a = coefficients[row_of];
    let b = coefficients[row_of + shape.stride];
    var point: array<real, DIMS>;
    var sum: array<real, DIMS>;
    for (var k = 0u; k < DIMS; k++) {
        let dim = min(first + k, shape.dim - 1u);
        point[k] = points[((column / TILE) * shape.dim + dim) * TILE + column % TILE];
        sum[k] = real(0.0);
    }
    for (var quad = local.y; quad < shape.blocks * (TILE / 4u); quad += SLICES) {
        var weight: vec4<real>;
        for (var lane = 0u; lane < 4u; lane++) {
            let row = quad * 4u + lane;
            let at = row * shape.stride + column;
            weight[lane] = slopes[at] * (a * vectors[shape.dim + row] + b * weights[at]);
        }
        let block = (quad / (TILE / 4u)) * shape.dim;
        for (var k = 0u; k < DIMS; k++) {
            let dim = min(first + k, shape.dim - 1u);
            let difference = vec4<real>(point[k]) - inputs[(block + dim) * (TILE / 4u) + quad % (TILE / 4u)];
            sum[k] += dot(weight, difference);
        }
    }
    for (var k = 0u; k < DIMS; k++) {
        shares[(k * SLICES + local.y) * POINTS + local.x] = sum[k];
    }
    workgroupBarrier();
    let k = local.y;
    let dim = first + k;
    if (k < DIMS && dim < shape.dim && column < shape.count) {
        var total = real(0.0);
        for (var slice = 0u; slice < SLICES; slice++) {
            total += shares[(k * SLICES + slice) * POINTS + local.x];
        }
        total *= vectors[dim];
        let at = 3u * shape.stride + column * shape.dim + dim;
        if (PART == 1u) {
            total += coefficients[4u * shape.stride + column] * known[shape.stride + column * shape.dim + dim];
        }
        if (PART == 2u) {
            total += output[at];
        }
        output[at] = total;
    }
}
