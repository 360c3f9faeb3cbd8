// Points of a scrambled Sobol sequence, spread over a box. The host sends a seed and a box.
// #import posterior/points
// #import search/layout
// #import math/sobol

@group(0) @binding(BINDING_DRAW) var<uniform> draw: Draw;
// The seeds of blocks of 2^16 points from the first block on, group by group of dimensions.
@group(0) @binding(BINDING_STREAMS) var<storage, read> streams: array<vec2<u32>>;
// 16 numbers for each dimension of a group, with reversed bits: what each bit of an index adds.
@group(0) @binding(BINDING_DIRECTIONS) var<storage, read> directions: array<u32>;
// The rows BOX_*, a number for each dimension.
@group(0) @binding(BINDING_SIDES) var<storage, read> sides: array<real>;

fn side(row: u32, dim: u32) -> real {
    return sides[row * shape.dim + dim];
}

@compute @workgroup_size(TILE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let column = group.x * TILE + thread;
    let dim = group.y;
    if (column >= shape.count) {
        points_pad(column, dim);
        return;
    }
    let index = draw.first + column;
    let within = index & 0xffffu;
    let block = (index >> 16u) - (draw.first >> 16u);
    let stream = streams[block * draw.groups + dim / SOBOL_GROUP];
    let own = dim % SOBOL_GROUP;
    let bits = sobol_index(within, stream);
    var number = 0u;
    for (var bit = 0u; bit < 16u; bit++) {
        number ^= select(0u, directions[own * 16u + bit], (bits & (0x80000000u >> bit)) != 0u);
    }
    let cell = sobol_cell(number, own / 4u, own % 4u, stream);
    let drawn = coordinate_drawn(cell, sobol_place(within, own / 4u, own % 4u, stream));
    let low = Pair(side(BOX_LOW, dim), side(BOX_LOW_REST, dim));
    let span = Pair(side(BOX_SPAN, dim), side(BOX_SPAN_REST, dim));
    points_write(column, dim, coordinate_spread(drawn, low, span, side(BOX_HIGH, dim)));
}
