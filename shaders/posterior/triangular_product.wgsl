// Products with the inverse factor, tile by tile: V = L^-1 B and W = L^-T B. For measurements there
// is also the plain product with a square matrix.
//
// A workgroup makes a tile of 64 x 64, and an invocation EDGE x EDGE of it: 4 x 4, or 8 x 8 with 4
// rows and 4 columns in each half of the tile, so that neighbors read neighboring vectors. Slabs of
// DEPTH columns of the left factor and DEPTH rows of the right one pass through workgroup memory.
// Every element is summed in the same order whatever EDGE and DEPTH are, and so are the squares.
// Blocks on the other side of the diagonal are skipped. The inverse comes in blocks of TILE x TILE,
// row-major, lower blocks only, row of blocks by row of blocks; padding is zero. Each accumulator
// has its own name, since drivers keep indexed arrays in memory. With EDGE = 4 only c0 to c3 count.
// Eight rows of a slab are written out, because drivers do not unroll the loop: on an H200 a looped
// product took a fifth longer.
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
// Rows and columns that an invocation makes, 4 or 8.
override EDGE: u32;
// Rows of a slab, a divisor of TILE and a multiple of 8.
override DEPTH: u32;

// Invocations along a side of the tile, and in all.
override ACROSS: u32 = TILE / EDGE;
override INVOCATIONS: u32 = ACROSS * ACROSS;
// Vectors of a slab. A shallow one may have fewer than there are invocations.
override SLAB: u32 = DEPTH * QUADS;

// Vectors of a row, and of half a row.
const QUADS: u32 = TILE / 4u;
const HALF: u32 = QUADS / 2u;

var<workgroup> left: array<vec4<real>, SLAB>;
var<workgroup> right: array<vec4<real>, SLAB>;

@compute @workgroup_size(INVOCATIONS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let block = group.y;
    let width = shape.stride / 4u;
    let x = thread % ACROSS;
    let y = thread / ACROSS;
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
        // The first vector of the slab of the left factor.
        var base = depth / 4u;
        if (SIDE == SIDE_INVERSE) {
            base += (block * (block + 1u) / 2u + other) * (TILE * QUADS);
        } else if (SIDE == SIDE_SQUARE) {
            base += (block * shape.blocks + other) * (TILE * QUADS);
        } else {
            base = (other * (other + 1u) / 2u + block) * (TILE * QUADS) + depth * QUADS;
        }
        workgroupBarrier();
        for (var part = 0u; part < SLAB; part += INVOCATIONS) {
            let at = part + thread;
            if (INVOCATIONS <= SLAB || at < SLAB) {
                if (SIDE == SIDE_TRANSPOSED) {
                    // A column of blocks: row k of a block holds what row k of L^-1 gives to the columns.
                    left[at] = inverse[base + at];
                } else {
                    // A row of blocks: a vector of a row is turned round on the way.
                    let row = at % TILE;
                    let quad = at / TILE;
                    let value = inverse[base + row * QUADS + quad];
                    let to = quad * 4u * QUADS + row / 4u;
                    left[to][row % 4u] = value.x;
                    left[to + QUADS][row % 4u] = value.y;
                    left[to + 2u * QUADS][row % 4u] = value.z;
                    left[to + 3u * QUADS][row % 4u] = value.w;
                }
                right[at] = factor[(other * TILE + depth + at / QUADS) * width + group.x * QUADS + at % QUADS];
            }
        }
        workgroupBarrier();
        for (var slice = 0u; slice < DEPTH; slice += 8u) {
            // #repeat 8
            {
                let k = slice + REPEATED;
                let a = left[k * QUADS + y];
                let left_columns = right[k * QUADS + x];
                if (EDGE == 4u) {
                    c0 += a.x * left_columns;
                    c1 += a.y * left_columns;
                    c2 += a.z * left_columns;
                    c3 += a.w * left_columns;
                } else {
                    let b = left[k * QUADS + y + HALF];
                    let right_columns = right[k * QUADS + x + HALF];
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
            // #end
        }
    }
    if (STORE) {
        let at = (block * TILE + y * 4u) * width + group.x * QUADS + x;
        result[at] = c0;
        result[at + width] = c1;
        result[at + 2u * width] = c2;
        result[at + 3u * width] = c3;
        if (EDGE == 8u) {
            let below = at + 4u * HALF * width;
            result[below] = c4;
            result[below + width] = c5;
            result[below + 2u * width] = c6;
            result[below + 3u * width] = c7;
            result[at + HALF] = d0;
            result[at + width + HALF] = d1;
            result[at + 2u * width + HALF] = d2;
            result[at + 3u * width + HALF] = d3;
            result[below + HALF] = d4;
            result[below + width + HALF] = d5;
            result[below + 2u * width + HALF] = d6;
            result[below + 3u * width + HALF] = d7;
        }
    }
    if (SIDE == SIDE_INVERSE) {
        // The upper half of the tile goes to `left` and the lower half to `right`.
        workgroupBarrier();
        let at = (y % HALF) * QUADS + x;
        let squares = c0 * c0 + c1 * c1 + c2 * c2 + c3 * c3;
        if (y < HALF) {
            left[at] = squares;
        } else {
            right[at] = squares;
        }
        if (EDGE == 8u) {
            left[at + HALF] = d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3;
            right[at] = c4 * c4 + c5 * c5 + c6 * c6 + c7 * c7;
            right[at + HALF] = d4 * d4 + d5 * d5 + d6 * d6 + d7 * d7;
        }
        workgroupBarrier();
        if (thread < QUADS) {
            var total = vec4<real>();
            for (var row = 0u; row < HALF; row++) {
                total += left[row * QUADS + thread] + right[row * QUADS + thread];
            }
            sums[(SUMS * block + SUM_SQUARES) * width + group.x * QUADS + thread] = total;
        }
    }
}
