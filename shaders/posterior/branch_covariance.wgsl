// Moments along the branches of trees of points, in units of the prior: the mean of each point, and
// the covariance of each pair
//
//     C_ja = k(p_j, p_a) - v_j' v_a
//
// of a point j and a point a between j and the root; j itself is one of these. All trees have the
// same pairs, and stand one after the other. An invocation makes one covariance and one mean. Near
// data the covariance is the difference of nearly equal numbers. So the product is summed in eight
// parts over a block of rows, and the blocks' shares, like the kernel value, are sums of two
// numbers.
// #import math/real
// #import math/pair
// #import model/kernel
// #import layout

@group(0) @binding(BINDING_SHAPE) var<uniform> shape: Shape;
// Blocks of points; in a block, dimension by dimension, the points' coordinates.
@group(0) @binding(BINDING_POINTS) var<storage, read> points: array<real>;
@group(0) @binding(BINDING_WHITENED) var<storage, read> whitened: array<real>;
// For each block of data the rows SUM_*; SUM_MEAN and SUM_MEAN_REST are its share of the mean, as a
// sum of two.
@group(0) @binding(BINDING_SUMS) var<storage, read> sums: array<real>;
// For each pair its point and the one above. More follows, for the adjoints.
@group(0) @binding(BINDING_BRANCHES) var<storage, read> branches: array<vec2<u32>>;
// The covariances, tree by tree, then the means.
@group(0) @binding(BINDING_MOMENTS) var<storage, read_write> moments: array<real>;

override FAMILY: u32;

// Four rows of the whitened values of a point.
fn quad(row: u32, column: u32) -> vec4<real> {
    let at = row * shape.stride + column;
    return vec4<real>(whitened[at], whitened[at + shape.stride], whitened[at + 2u * shape.stride], whitened[at + 3u * shape.stride]);
}

fn prior(a: u32, b: u32) -> Pair {
    var squared = real(0.0);
    let width = kernel_width(FAMILY, shape.dim);
    for (var k = 0u; k < width; k++) {
        let first = points[((a / TILE) * width + k) * TILE + a % TILE];
        let difference = first - points[((b / TILE) * width + k) * TILE + b % TILE];
        squared += difference * difference;
    }
    return kernel_unit(FAMILY, squared).value;
}

fn product(a: u32, b: u32) -> Pair {
    var total = Pair(real(0.0), real(0.0));
    for (var block = 0u; block < shape.blocks; block++) {
        var even = vec4<real>();
        var odd = vec4<real>();
        for (var row = block * TILE; row < (block + 1u) * TILE; row += 8u) {
            even += quad(row, a) * quad(row, b);
            odd += quad(row + 4u, a) * quad(row + 4u, b);
        }
        let share = even + odd;
        total = pair_add(total, Pair((share.x + share.y) + (share.z + share.w), real(0.0)));
    }
    return total;
}

fn mean(column: u32) -> real {
    var total = Pair(real(0.0), real(0.0));
    for (var block = 0u; block < shape.blocks; block++) {
        let row = SUMS * block * shape.stride + column;
        total = pair_add(total, Pair(sums[row + SUM_MEAN * shape.stride], sums[row + SUM_MEAN_REST * shape.stride]));
    }
    return total.high + total.low;
}

@compute @workgroup_size(TILE)
fn main(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let at = invocation.x;
    let covariances = shape.count / shape.nodes * shape.pairs;
    if (at < shape.count) {
        moments[covariances + at] = mean(at);
    }
    if (at < covariances) {
        let first = at / shape.pairs * shape.nodes;
        let pair = branches[at % shape.pairs];
        let whole = prior(first + pair.x, first + pair.y);
        let taken = product(first + pair.x, first + pair.y);
        moments[at] = (whole.high - taken.high) + (whole.low - taken.low);
    }
}
