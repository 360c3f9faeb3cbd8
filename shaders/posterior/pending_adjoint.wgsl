// A matrix from the whitened values and the derivatives of scores by the variance and by the shifts
// of the fantasies. Its column for a point with the whitened values v is
//
//     b v - [0; sum_k c_k z_k]
//
// with the weight b of the variance, the derivatives c_k by the shifts, and the normal numbers z_k
// of a fantasy. It is to be multiplied by L^-T. A workgroup takes one block of rows by one block of
// points. An invocation takes one point and a quarter of the rows.
// #import math/real
// #import layout

@group(0) @binding(BINDING_SHAPE) var<uniform> shape: Shape;
@group(0) @binding(BINDING_WHITENED) var<storage, read> whitened: array<real>;
@group(0) @binding(BINDING_RESULT) var<storage, read_write> result: array<real>;
// The numbers SETTING_*, as in posterior/pending_shifts.
@group(0) @binding(BINDING_SETTINGS) var<storage, read> settings: array<real>;
// The rows COEFFICIENT_*.
@group(0) @binding(BINDING_COEFFICIENTS) var<storage, read> coefficients: array<real>;

const SLICES: u32 = 4u;

@compute @workgroup_size(TILE, SLICES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let column = group.x * TILE + local.x;
    let first = group.y * TILE + local.y * (TILE / SLICES);
    let weight = coefficients[COEFFICIENT_COLUMN * shape.stride + column];
    for (var row = first; row < first + TILE / SLICES; row++) {
        var value = weight * whitened[row * shape.stride + column];
        if (row >= shape.before_pending && row < shape.before_pending + shape.pending) {
            let normals = SETTING_LIST + FANTASIES * (1u + row - shape.before_pending);
            for (var k = 0u; k < FANTASIES; k++) {
                value -= coefficients[(COEFFICIENT_SHIFTS + k) * shape.stride + column] * settings[normals + k];
            }
        }
        result[row * shape.stride + column] = value;
    }
}
