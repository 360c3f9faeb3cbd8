// Points that the host sent as they lie in its memory, in double precision.
// #import posterior/points

// Point by point.
@group(0) @binding(BINDING_SENT) var<storage, read> sent: array<Sent>;

@compute @workgroup_size(TILE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let column = group.x * TILE + thread;
    if (column < shape.count) {
        points_write(column, group.y, coordinate_sent(sent[column * shape.dim + group.y]));
    } else {
        points_pad(column, group.y);
    }
}
