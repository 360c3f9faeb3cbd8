// The points that climbs want to know next.
// #import posterior/points
// #import search/layout

// The climb of each column.
@group(0) @binding(BINDING_MOVING) var<storage, read> moving: array<u32>;
// The rows CLIMB_* of all climbs.
@group(0) @binding(BINDING_CLIMBS) var<storage, read> climbs: array<real>;
// The numbers ASCENT_*.
@group(0) @binding(BINDING_ASCENT) var<storage, read> ascent: array<real>;

@compute @workgroup_size(TILE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let column = group.x * TILE + thread;
    if (column < shape.count) {
        let climb = CLIMB_TRIAL * u32(ascent[ASCENT_CLIMBS]) + moving[column];
        points_write(column, group.y, coordinate_own(climbs[climb * shape.dim + group.y]));
    } else {
        points_pad(column, group.y);
    }
}
