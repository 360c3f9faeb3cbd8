// How the fantasies of trials under way shift the mean of a point: by w' z, with the last entries w
// of its whitened column and the normal numbers z of a fantasy.
//
// A workgroup takes a block of points. An invocation takes one point and eight fantasies.
// #import math/real
// #import layout

@group(0) @binding(BINDING_SHAPE) var<uniform> shape: Shape;
@group(0) @binding(BINDING_WHITENED) var<storage, read> whitened: array<real>;
// The numbers SETTING_*. In the list the best pending values of the fantasies come first, then the
// normal numbers of each row.
@group(0) @binding(BINDING_SETTINGS) var<storage, read> settings: array<real>;
// The rows COEFFICIENT_*.
@group(0) @binding(BINDING_COEFFICIENTS) var<storage, read_write> coefficients: array<real>;

const EACH: u32 = 8u;

fn normals(at: u32) -> vec4<real> {
    return vec4<real>(settings[at], settings[at + 1u], settings[at + 2u], settings[at + 3u]);
}

fn write(k: u32, column: u32, shifts: vec4<real>) {
    let at = (COEFFICIENT_SHIFTS + k) * shape.stride + column;
    coefficients[at] = shifts.x;
    coefficients[at + shape.stride] = shifts.y;
    coefficients[at + 2u * shape.stride] = shifts.z;
    coefficients[at + 3u * shape.stride] = shifts.w;
}

@compute @workgroup_size(TILE, FANTASIES / EACH)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let column = group.x * TILE + local.x;
    let k = local.y * EACH;
    var first = vec4<real>();
    var second = vec4<real>();
    for (var row = 0u; row < shape.pending; row++) {
        let weight = whitened[(shape.before_pending + row) * shape.stride + column];
        let at = SETTING_LIST + FANTASIES * (1u + row) + k;
        first += weight * normals(at);
        second += weight * normals(at + 4u);
    }
    write(k, column, first);
    write(k + 4u, column, second);
}
