// Products with the inverse factor, tile by tile: V = L^-1 B and W = L^-T B. For measurements there
// is also the plain product with a square matrix.
//
// A workgroup of 64 makes a tile of 64 x 64, and an invocation 8 x 8 of it: 4 rows and 4 columns in
// each half of the tile, so that neighbors read neighboring vectors. Slabs of DEPTH columns of the
// left factor and DEPTH rows of the right one pass through workgroup memory. Blocks on the other
// side of the diagonal are skipped. The inverse comes in blocks of TILE x TILE, row-major, lower
// blocks only, row of blocks by row of blocks; padding is zero. Each accumulator has its own name,
// since drivers keep indexed arrays in memory.
// #import math/real
// #import layout

@group(0) @binding(BINDING_SHAPE) var<uniform> shape: Shape;
@group(0) @binding(BINDING_INVERSE) var<storage, read> inverse: array<vec4<real>>;
@group(0) @binding(BINDING_FACTOR) var<storage, read> factor: array<vec4<real>>;
@group(0) @binding(BINDING_RESULT) var<storage, read_write> result: array<vec4<real>>;
// Row SUM_SQUARES of block b of the sums gets what block b of the result adds to the squares.
@group(0) @binding(BINDING_SUMS) var<storage, read_write> sums: array<vec4<real>>;

// What to multiply by, a constant SIDE_*: L^-1, L^-T, or the square matrix of blocks.
override SIDE: u32;
// Whether the result itself is wanted, and not only the sums of its squares.
override STORE: bool;

const QUADS: u32 = TILE / 4u;

var<workgroup> left: array<vec4<real>, DEPTH * QUADS>;
var<workgroup> right: array<vec4<real>, DEPTH * QUADS>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let block = group.y;
    let width = shape.stride / 4u;
    let x = thread % 8u;
    let y = thread / 8u;
    var c0 = vec4<real>();
    var d0 = vec4<real>();
    var c1 = vec4<real>();
    var d1 = vec4<real>();
    var c2 = vec4<real>();
    var d2 = vec4<real>();
    var c3 = vec4<real>();
    var d3 = vec4<real>();
    var c4 = vec4<real>();
    var d4 = vec4<real>();
    var c5 = vec4<real>();
    var d5 = vec4<real>();
    var c6 = vec4<real>();
    var d6 = vec4<real>();
    var c7 = vec4<real>();
    var d7 = vec4<real>();
    let first = select(0u, block, SIDE == SIDE_TRANSPOSED);
    let last = select(shape.blocks, block + 1u, SIDE == SIDE_INVERSE);
    for (var slab = first * (TILE / DEPTH); slab < last * (TILE / DEPTH); slab++) {
        let other = slab / (TILE / DEPTH);
        let depth = (slab % (TILE / DEPTH)) * DEPTH;
        workgroupBarrier();
        if (SIDE == SIDE_TRANSPOSED) {
            // A column of blocks: row k of a block holds what row k of L^-1 gives to the columns.
            let base = (other * (other + 1u) / 2u + block) * (TILE * QUADS) + depth * QUADS;
            for (var part = 0u; part < DEPTH * QUADS; part += 64u) {
                left[part + thread] = inverse[base + part + thread];
            }
        } else {
            // A row of blocks: an invocation takes a row, and turns it round on the way.
            let number = select(block * (block + 1u) / 2u + other, block * shape.blocks + other, SIDE == 2u);
            let base = number * (TILE * QUADS) + thread * QUADS + depth / 4u;
            for (var quad = 0u; quad < DEPTH / 4u; quad++) {
                let value = inverse[base + quad];
                let at = quad * 4u * QUADS + thread / 4u;
                left[at][thread % 4u] = value.x;
                left[at + QUADS][thread % 4u] = value.y;
                left[at + 2u * QUADS][thread % 4u] = value.z;
                left[at + 3u * QUADS][thread % 4u] = value.w;
            }
        }
        for (var part = 0u; part < DEPTH * QUADS; part += 64u) {
            let at = part + thread;
            right[at] = factor[(other * TILE + depth + at / QUADS) * width + group.x * QUADS + at % QUADS];
        }
        workgroupBarrier();
        for (var k = 0u; k < DEPTH; k++) {
            let a = left[k * QUADS + y];
            let b = left[k * QUADS + y + 8u];
            let left_columns = right[k * QUADS + x];
            let right_columns = right[k * QUADS + x + 8u];
            c0 += a.x * left_columns;
            d0 += a.x * right_columns;
            c1 += a.y * left_columns;
            d1 += a.y * right_columns;
            c2 += a.z * left_columns;
            d2 += a.z * right_columns;
            c3 += a.w * left_columns;
            d3 += a.w * right_columns;
            c4 += b.x * left_columns;
            d4 += b.x * right_columns;
            c5 += b.y * left_columns;
            d5 += b.y * right_columns;
            c6 += b.z * left_columns;
            d6 += b.z * right_columns;
            c7 += b.w * left_columns;
            d7 += b.w * right_columns;
        }
    }
    if (STORE) {
        let at = (block * TILE + y * 4u) * width + group.x * QUADS + x;
        result[at + 0u * width] = c0;
        result[at + 0u * width + 8u] = d0;
        result[at + 1u * width] = c1;
        result[at + 1u * width + 8u] = d1;
        result[at + 2u * width] = c2;
        result[at + 2u * width + 8u] = d2;
        result[at + 3u * width] = c3;
        result[at + 3u * width + 8u] = d3;
        result[at + 32u * width] = c4;
        result[at + 32u * width + 8u] = d4;
        result[at + 33u * width] = c5;
        result[at + 33u * width + 8u] = d5;
        result[at + 34u * width] = c6;
        result[at + 34u * width + 8u] = d6;
        result[at + 35u * width] = c7;
        result[at + 35u * width + 8u] = d7;
    }
    if (SIDE == SIDE_INVERSE) {
        workgroupBarrier();
        left[y * QUADS + x] = (c0 * c0 + c1 * c1 + c2 * c2 + c3 * c3) + (c4 * c4 + c5 * c5 + c6 * c6 + c7 * c7);
        left[y * QUADS + x + 8u] = (d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3) + (d4 * d4 + d5 * d5 + d6 * d6 + d7 * d7);
        workgroupBarrier();
        if (thread < QUADS) {
            var squares = vec4<real>();
            for (var row = 0u; row < 8u; row++) {
                squares += left[row * QUADS + thread];
            }
            sums[(SUMS * block + SUM_SQUARES) * width + group.x * QUADS + thread] = squares;
        }
    }
}
