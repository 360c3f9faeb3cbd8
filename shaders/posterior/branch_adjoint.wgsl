// A matrix from the whitened values and the adjoints of covariances along the branches of trees.
// Its column for a point j is
//
//     u_j = 2 Cbar_jj v_j + sum_i Cbar_ij v_i
//
// with the sum over the points i above and below j. It is to be multiplied by L^-T. A workgroup
// takes one block of rows by one block of points. An invocation takes one point and a quarter of
// the rows.
// #import math/real
// #import layout

@group(0) @binding(BINDING_SHAPE) var<uniform> shape: Shape;
@group(0) @binding(BINDING_WHITENED) var<storage, read> whitened: array<real>;
@group(0) @binding(BINDING_RESULT) var<storage, read_write> result: array<real>;
// The pairs; for each node where its neighbors begin and end in this table; the neighbors, each as
// its node and the pair. A node is its own neighbor twice.
@group(0) @binding(BINDING_BRANCHES) var<storage, read> branches: array<vec2<u32>>;
// The adjoints of the covariances, tree by tree.
@group(0) @binding(BINDING_ADJOINTS) var<storage, read> adjoints: array<real>;

const SLICES: u32 = 4u;

// Four rows of the whitened values of a point.
fn quad(row: u32, column: u32) -> vec4<real> {
    let at = row * shape.stride + column;
    return vec4<real>(whitened[at], whitened[at + shape.stride], whitened[at + 2u * shape.stride], whitened[at + 3u * shape.stride]);
}

fn write(row: u32, column: u32, value: vec4<real>) {
    let at = row * shape.stride + column;
    result[at] = value.x;
    result[at + shape.stride] = value.y;
    result[at + 2u * shape.stride] = value.z;
    result[at + 3u * shape.stride] = value.w;
}

@compute @workgroup_size(TILE, SLICES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let column = group.x * TILE + local.x;
    let row = group.y * TILE + local.y * (TILE / SLICES);
    var u0 = vec4<real>();
    var u1 = vec4<real>();
    var u2 = vec4<real>();
    var u3 = vec4<real>();
    if (column < shape.count) {
        let tree = column / shape.nodes;
        let span = branches[shape.pairs + column % shape.nodes];
        for (var at = span.x; at < span.y; at++) {
            let neighbor = branches[at];
            let adjoint = adjoints[tree * shape.pairs + neighbor.y];
            let other = tree * shape.nodes + neighbor.x;
            u0 += adjoint * quad(row, other);
            u1 += adjoint * quad(row + 4u, other);
            u2 += adjoint * quad(row + 8u, other);
            u3 += adjoint * quad(row + 12u, other);
        }
    }
    write(row, column, u0);
    write(row + 4u, column, u1);
    write(row + 8u, column, u2);
    write(row + 12u, column, u3);
}
