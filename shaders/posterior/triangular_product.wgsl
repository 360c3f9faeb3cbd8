// Products with the inverse factor, tile by tile: V = L^-1 B and W = L^-T B. For measurements there
// is also the plain product with a square matrix.
//
// A workgroup makes a tile of HEIGHT x 64, and an invocation EDGE x EDGE of it: 4 x 4, or 8 x 8 with 4
// rows and 4 columns in each half of the tile, so that neighbors read neighboring vectors. Slabs of
// DEPTH columns of the left factor and DEPTH rows of the right one pass through workgroup memory; the
// next slab is read into registers while this one is multiplied, and with two buffers nobody waits
// for the last one to be done with a slab. A tile of 128 rows is that of two blocks of data, and reads
// the right factor half as often.
//
// Every element is summed in the same order in all tilings, and so are the squares. Blocks on the
// other side of the diagonal are skipped, or zero where only half of a tile lies there. The inverse
// comes in blocks of TILE x TILE, row-major, lower blocks only, row of blocks by row of blocks; padding
// is zero. Each accumulator has its own name, since drivers keep indexed arrays in memory. With EDGE =
// 4 only c0 to c3 count. Eight rows of a slab are written out, because drivers do not unroll the loop:
// on an H200 a looped product took a fifth longer.
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
// Rows of a tile: 64, or 128 with EDGE = 8.
override HEIGHT: u32;
// Rows and columns that an invocation makes, 4 or 8.
override EDGE: u32;
// Rows of a slab, a divisor of TILE and a multiple of 8.
override DEPTH: u32;
// Slabs in workgroup memory, 1 or 2.
override BUFFERS: u32;

// Blocks of data of a tile.
override TALL: u32 = HEIGHT / TILE;
// Vectors of a column of the tile.
override TALL_QUADS: u32 = HEIGHT / 4u;
// Invocations along a row of the tile, and in all.
override ACROSS: u32 = TILE / EDGE;
override INVOCATIONS: u32 = ACROSS * (HEIGHT / EDGE);
// Vectors of a slab of each factor. A shallow one may have fewer than there are invocations.
override LEFT_SLAB: u32 = DEPTH * TALL_QUADS;
override RIGHT_SLAB: u32 = DEPTH * QUADS;
override LEFT_SIZE: u32 = BUFFERS * LEFT_SLAB;
override RIGHT_SIZE: u32 = BUFFERS * RIGHT_SLAB;

// Vectors of a row, and of half a row.
const QUADS: u32 = TILE / 4u;
const HALF: u32 = QUADS / 2u;

var<workgroup> left: array<vec4<real>, LEFT_SIZE>;
var<workgroup> right: array<vec4<real>, RIGHT_SIZE>;

// A vector of a slab of the left factor. Where the tile has no block it is zero.
fn left_vector(tile: u32, other: u32, depth: u32, at: u32) -> vec4<real> {
    if (SIDE == SIDE_TRANSPOSED) {
        // A column of blocks: row k of a block holds what row k of L^-1 gives to the columns.
        let quad = at % TALL_QUADS;
        let block = tile * TALL + quad / QUADS;
        if (TALL > 1u && block > other) {
            return vec4<real>();
        }
        let row = depth + at / TALL_QUADS;
        return inverse[(other * (other + 1u) / 2u + block) * (TILE * QUADS) + row * QUADS + quad % QUADS];
    }
    // A row of blocks.
    let row = at % HEIGHT;
    let block = tile * TALL + row / TILE;
    if (TALL > 1u && (block >= shape.blocks || (SIDE == SIDE_INVERSE && other > block))) {
        return vec4<real>();
    }
    var number = block * shape.blocks + other;
    if (SIDE == SIDE_INVERSE) {
        number = block * (block + 1u) / 2u + other;
    }
    return inverse[number * (TILE * QUADS) + (row % TILE) * QUADS + depth / 4u + at / HEIGHT];
}

// Puts it into the slab. A vector of a row is turned round on the way.
fn put_left(base: u32, at: u32, value: vec4<real>) {
    if (SIDE == SIDE_TRANSPOSED) {
        left[base + at] = value;
    } else {
        let row = at % HEIGHT;
        let to = base + at / HEIGHT * 4u * TALL_QUADS + row / 4u;
        left[to][row % 4u] = value.x;
        left[to + TALL_QUADS][row % 4u] = value.y;
        left[to + 2u * TALL_QUADS][row % 4u] = value.z;
        left[to + 3u * TALL_QUADS][row % 4u] = value.w;
    }
}

// A vector of a slab of the right factor.
fn right_vector(column: u32, other: u32, depth: u32, at: u32) -> vec4<real> {
    return factor[(other * TILE + depth + at / QUADS) * (shape.stride / 4u) + column * QUADS + at % QUADS];
}

@compute @workgroup_size(INVOCATIONS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let block = group.y * TALL;
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
    let first = select(0u, block, SIDE == SIDE_TRANSPOSED) * (TILE / DEPTH);
    let last = select(shape.blocks, min(block + TALL, shape.blocks), SIDE == SIDE_INVERSE) * (TILE / DEPTH);
    // #repeat 4
    var left_REPEATED = vec4<real>();
    var right_REPEATED = vec4<real>();
    // #end
    for (var slab = first; slab <= last; slab++) {
        // The slab before this one is multiplied while this one is on its way.
        let other = slab / (TILE / DEPTH);
        let depth = (slab % (TILE / DEPTH)) * DEPTH;
        if (slab < last) {
            // #repeat 4
            if (REPEATED * INVOCATIONS + thread < LEFT_SLAB) {
                left_REPEATED = left_vector(group.y, other, depth, REPEATED * INVOCATIONS + thread);
            }
            if (REPEATED * INVOCATIONS + thread < RIGHT_SLAB) {
                right_REPEATED = right_vector(group.x, other, depth, REPEATED * INVOCATIONS + thread);
            }
            // #end
        }
        let used = (slab + BUFFERS - 1u) % BUFFERS;
        let lefts = used * LEFT_SLAB;
        let rights = used * RIGHT_SLAB;
        for (var slice = select(DEPTH, 0u, slab > first); slice < DEPTH; slice += 8u) {
            // #repeat 8
            {
                let k = slice + REPEATED;
                let a = left[lefts + k * TALL_QUADS + y];
                let left_columns = right[rights + k * QUADS + x];
                if (EDGE == 4u) {
                    c0 += a.x * left_columns;
                    c1 += a.y * left_columns;
                    c2 += a.z * left_columns;
                    c3 += a.w * left_columns;
                } else {
                    let b = left[lefts + k * TALL_QUADS + y + TALL_QUADS / 2u];
                    let right_columns = right[rights + k * QUADS + x + HALF];
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
        if (BUFFERS == 1u) {
            workgroupBarrier();
        }
        let free = slab % BUFFERS;
        if (slab < last) {
            // #repeat 4
            if (REPEATED * INVOCATIONS + thread < LEFT_SLAB) {
                put_left(free * LEFT_SLAB, REPEATED * INVOCATIONS + thread, left_REPEATED);
            }
            if (REPEATED * INVOCATIONS + thread < RIGHT_SLAB) {
                right[free * RIGHT_SLAB + REPEATED * INVOCATIONS + thread] = right_REPEATED;
            }
            // #end
        }
        workgroupBarrier();
    }
    if (STORE) {
        let at = (block * TILE + y * 4u) * width + group.x * QUADS + x;
        result[at] = c0;
        result[at + width] = c1;
        result[at + 2u * width] = c2;
        result[at + 3u * width] = c3;
        if (EDGE == 8u) {
            result[at + HALF] = d0;
            result[at + width + HALF] = d1;
            result[at + 2u * width + HALF] = d2;
            result[at + 3u * width + HALF] = d3;
        }
        if (EDGE == 8u && block + TALL <= shape.blocks) {
            let below = at + HEIGHT / 2u * width;
            result[below] = c4;
            result[below + width] = c5;
            result[below + 2u * width] = c6;
            result[below + 3u * width] = c7;
            result[below + HALF] = d4;
            result[below + width + HALF] = d5;
            result[below + 2u * width + HALF] = d6;
            result[below + 3u * width + HALF] = d7;
        }
    }
    if (SIDE == SIDE_INVERSE) {
        // The upper half of the tile goes to `left` and the lower half to `right`.
        let tops = c0 * c0 + c1 * c1 + c2 * c2 + c3 * c3;
        if (EDGE == 4u && y >= HALF) {
            right[(y - HALF) * QUADS + x] = tops;
        } else {
            left[y * QUADS + x] = tops;
        }
        if (EDGE == 8u) {
            left[y * QUADS + x + HALF] = d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3;
            right[y * QUADS + x] = c4 * c4 + c5 * c5 + c6 * c6 + c7 * c7;
            right[y * QUADS + x + HALF] = d4 * d4 + d5 * d5 + d6 * d6 + d7 * d7;
        }
        workgroupBarrier();
        if (thread < QUADS) {
            var total = vec4<real>();
            var below = vec4<real>();
            for (var row = 0u; row < HALF; row++) {
                let at = row * QUADS + thread;
                if (TALL == 1u) {
                    total += left[at] + right[at];
                } else {
                    // Each half of the tile is a block.
                    total += left[at] + left[at + HALF * QUADS];
                    below += right[at] + right[at + HALF * QUADS];
                }
            }
            let to = (SUMS * block + SUM_SQUARES) * width + group.x * QUADS + thread;
            sums[to] = total;
            if (TALL == 2u && block + 1u < shape.blocks) {
                sums[to + SUMS * width] = below;
            }
        }
    }
}
