// One step of each climb in a box: takes the value and the gradient at the point that was tried, and
// says which one to try next.
//
// A climb minimizes what it sees of the score, the negated score. Its direction is that of L-BFGS
// with CLIMB_PAIRS pairs in the coordinates that are free: those that are not on a side of the box
// to which the gradient pushes them. A step goes along the direction, and onto the box where it
// would leave it (Bertsekas 1982, Projected Newton methods for optimization problems with simple
// constraints, SIAM Journal on Control and Optimization 20). It is taken if the value falls by a
// share of what the gradient promises; if not, a shorter one is tried.
//
// A workgroup takes a climb. Sums over coordinates are made by all invocations in one order, so that
// a climb goes the same way beside any others. Everything that decides is known to all invocations.
// #import math/real
// #import layout
// #import search/layout

@group(0) @binding(BINDING_SHAPE) var<uniform> shape: Shape;
// The rows OUTPUT_*.
@group(0) @binding(BINDING_OUTPUT) var<storage, read> output: array<real>;
// The climb of each column.
@group(0) @binding(BINDING_MOVING) var<storage, read> moving: array<u32>;
// The rows CLIMB_* of all climbs, each with a number for each dimension, then the numbers MARK_* of
// each.
@group(0) @binding(BINDING_CLIMBS) var<storage, read_write> climbs: array<real>;
// For each climb the counts PROGRESS_*.
@group(0) @binding(BINDING_PROGRESS) var<storage, read_write> progress: array<u32>;
// The numbers ASCENT_*.
@group(0) @binding(BINDING_ASCENT) var<storage, read> ascent: array<real>;

const LANES: u32 = 32u;
// The share of the promised decrease that a step must bring.
const ENOUGH: real = 1e-4;
// A step that failed is shortened to a share between these.
const SHORTEST: real = 0.1;
const LONGEST: real = 0.5;
// By how much a step grows where the slope gets steeper, and the most that it grows to.
const GROWTH: real = 4.0;
const FARTHEST: real = 1e6;
// Steps that are tried along a direction.
const TRIES: u32 = 20u;

var<workgroup> shares: array<vec4<real>, LANES>;
// Of each pair, the newest first: one over s' y, and the weight of the first loop.
var<workgroup> inverses: array<real, CLIMB_PAIRS>;
var<workgroup> weights: array<real, CLIMB_PAIRS>;
var<workgroup> running: u32;

// The sums over all invocations.
fn total(lane: u32, share: vec4<real>) -> vec4<real> {
    workgroupBarrier();
    shares[lane] = share;
    for (var span = LANES / 2u; span > 0u; span /= 2u) {
        workgroupBarrier();
        if (lane < span) {
            shares[lane] += shares[lane + span];
        }
    }
    workgroupBarrier();
    return shares[0];
}

fn largest(lane: u32, share: real) -> real {
    workgroupBarrier();
    shares[lane].x = share;
    for (var span = LANES / 2u; span > 0u; span /= 2u) {
        workgroupBarrier();
        if (lane < span) {
            shares[lane].x = max(shares[lane].x, shares[lane + span].x);
        }
    }
    workgroupBarrier();
    return shares[0].x;
}

// What a climb sees of a score, and the derivative. Only the differences of what it sees count.
struct Seen { value: real, slope: real }

fn seen(score: real) -> Seen {
    let above = ascent[ASCENT_FACTOR] * score;
    let value = ascent[ASCENT_OFFSET] + above;
    if (ascent[ASCENT_STEEP] > 0.0 && value < -1.0) {
        return Seen(1.0 + real_log(-value) + ascent[ASCENT_OFFSET], ascent[ASCENT_FACTOR] / value);
    }
    return Seen(-above, -ascent[ASCENT_FACTOR]);
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let column = group.x;
    let climb = moving[column];
    let dim = shape.dim;
    let all = u32(ascent[ASCENT_CLIMBS]);
    let marks = CLIMB_ROWS * all * dim + climb * CLIMB_MARKS;
    let counts = climb * PROGRESS_COUNTS;
    let iterate = (CLIMB_ITERATE * all + climb) * dim;
    let slope = (CLIMB_GRADIENT * all + climb) * dim;
    let trial = (CLIMB_TRIAL * all + climb) * dim;
    let direction = (CLIMB_DIRECTION * all + climb) * dim;
    let next = (CLIMB_NEXT * all + climb) * dim;
    let lower = (CLIMB_LOWER * all + climb) * dim;
    let upper = (CLIMB_UPPER * all + climb) * dim;
    // Those of the first pair, and how far it is to the next pair.
    let steps = (CLIMB_STEPS * all + climb) * dim;
    let changes = (CLIMB_CHANGES * all + climb) * dim;
    let pair_size = all * dim;
    if (lane == 0u) {
        running = select(0u, 1u, progress[counts + PROGRESS_STATUS] == STATUS_RUNNING);
    }
    if (workgroupUniformLoad(&running) == 0u) {
        return;
    }

    // The step that was tried.
    let begins = progress[counts + PROGRESS_EVALUATIONS] == 0u;
    let now = seen(output[OUTPUT_VALUE * shape.stride + column]);
    let gradients = OUTPUT_GRADIENTS * shape.stride + column * dim;
    var share = vec4<real>();
    for (var k = lane; k < dim; k += LANES) {
        let moved = climbs[trial + k] - climbs[iterate + k];
        let g = now.slope * output[gradients + k];
        let change = g - climbs[slope + k];
        share += vec4<real>(climbs[slope + k] * moved, moved * change, select(real(1.0), real(0.0), real_is_finite(g)), 0.0);
    }
    let sums = total(lane, share);
    let before = climbs[marks + MARK_VALUE];
    let promised = sums.x;
    let finite = real_is_finite(now.value) && sums.z == 0.0;
    let scale = max(max(abs(before - ascent[ASCENT_OFFSET]), abs(now.value - ascent[ASCENT_OFFSET])), 1.0);
    let least = ascent[ASCENT_FUNCTION_TOLERANCE] * scale;
    let accepted = finite && (begins || (promised < 0.0 && now.value <= before + ENOUGH * promised));

    var pairs = progress[counts + PROGRESS_PAIRS];
    var newest = progress[counts + PROGRESS_NEWEST];
    var reach = climbs[marks + MARK_REACH];
    var iterations = progress[counts + PROGRESS_ITERATIONS];
    var tries = progress[counts + PROGRESS_TRIES] + 1u;
    var status = STATUS_RUNNING;
    if (accepted) {
        let curved = !begins && sums.y > REAL_EPS * -promised;
        if (curved) {
            newest = (newest + 1u) % CLIMB_PAIRS;
            pairs = min(pairs + 1u, CLIMB_PAIRS);
            reach = 1.0;
        } else if (!begins) {
            // The slope got steeper, so the next step goes further than the pairs say.
            reach = min(GROWTH * reach, FARTHEST);
        }
        for (var k = lane; k < dim; k += LANES) {
            let g = now.slope * output[gradients + k];
            if (curved) {
                climbs[steps + newest * pair_size + k] = climbs[trial + k] - climbs[iterate + k];
                climbs[changes + newest * pair_size + k] = g - climbs[slope + k];
            }
            climbs[iterate + k] = climbs[trial + k];
            climbs[slope + k] = g;
        }
        iterations += select(1u, 0u, begins);
        if (!begins && before - now.value <= least) {
            status = STATUS_VALUE;
        }
    } else if (begins) {
        status = STATUS_NOT_FINITE;
    } else if (finite && -promised <= least) {
        // No step along this direction would bring more.
        status = STATUS_VALUE;
    } else if (tries >= TRIES) {
        status = select(STATUS_RUNNING, STATUS_STUCK, pairs == 0u);
        pairs = 0u;
        reach = 1.0;
    }
    let renewed = accepted || tries >= TRIES;

    // The largest component of the projected gradient.
    var component = real(0.0);
    for (var k = lane; k < dim; k += LANES) {
        let x = climbs[iterate + k];
        component = max(component, abs(clamp(x - climbs[slope + k], climbs[lower + k], climbs[upper + k]) - x));
    }
    if (largest(lane, component) <= ascent[ASCENT_GRADIENT_TOLERANCE] && accepted) {
        status = STATUS_GRADIENT;
    }
    if (status == STATUS_RUNNING && real(iterations) >= ascent[ASCENT_ITERATIONS]) {
        status = STATUS_ITERATIONS;
    }

    // The direction of the free coordinates, in two loops over the pairs. Where there is no pair yet,
    // anything may stand in its rows.
    for (var k = lane; k < dim; k += LANES) {
        let free = climb_is_free(iterate + k, slope + k, lower + k, upper + k);
        climbs[next + k] = select(0.0, climbs[slope + k], free);
    }
    var scaling = real(1.0);
    for (var age = 0u; age < CLIMB_PAIRS; age++) {
        let at = (newest + CLIMB_PAIRS - age) % CLIMB_PAIRS * pair_size;
        var products = vec4<real>();
        for (var k = lane; k < dim; k += LANES) {
            let free = climb_is_free(iterate + k, slope + k, lower + k, upper + k);
            let s = climbs[steps + at + k];
            let y = climbs[changes + at + k];
            products += select(vec4<real>(), vec4<real>(s * y, y * y, s * s, s * climbs[next + k]), free);
        }
        let joint = total(lane, products);
        // A pair that says nothing of the free coordinates is left out.
        let good = age < pairs && joint.x > REAL_EPS * joint.z && joint.x > 0.0;
        let inverse = select(0.0, 1.0 / select(1.0, joint.x, good), good);
        let weight = select(0.0, inverse * joint.w, good);
        if (lane == 0u) {
            inverses[age] = inverse;
            weights[age] = weight;
        }
        if (good && age == 0u) {
            scaling = joint.x / joint.y;
        }
        for (var k = lane; k < dim; k += LANES) {
            if (good && climb_is_free(iterate + k, slope + k, lower + k, upper + k)) {
                climbs[next + k] -= weight * climbs[changes + at + k];
            }
        }
    }
    for (var k = lane; k < dim; k += LANES) {
        climbs[next + k] *= scaling;
    }
    for (var back = 0u; back < CLIMB_PAIRS; back++) {
        let age = CLIMB_PAIRS - 1u - back;
        let at = (newest + CLIMB_PAIRS - age) % CLIMB_PAIRS * pair_size;
        var product = real(0.0);
        for (var k = lane; k < dim; k += LANES) {
            product += climbs[changes + at + k] * climbs[next + k];
        }
        let projected = total(lane, vec4<real>(product, 0.0, 0.0, 0.0)).x;
        let good = inverses[age] > 0.0;
        let weight = weights[age] - inverses[age] * projected;
        for (var k = lane; k < dim; k += LANES) {
            if (good && climb_is_free(iterate + k, slope + k, lower + k, upper + k)) {
                climbs[next + k] += weight * climbs[steps + at + k];
            }
        }
    }
    var along = vec4<real>();
    for (var k = lane; k < dim; k += LANES) {
        along += vec4<real>(climbs[slope + k] * climbs[next + k], select(real(1.0), real(0.0), real_is_finite(climbs[next + k])), 0.0, 0.0);
    }
    let descent = total(lane, along);
    // Without a descent the pairs are dropped.
    let downhill = descent.x > 0.0 && descent.y == 0.0;
    if (renewed && !downhill) {
        pairs = 0u;
    }

    // The next step.
    var length = reach;
    if (!renewed) {
        // The least value of the parabola through what is known, if anything is.
        let tried = climbs[marks + MARK_LENGTH];
        let rise = now.value - before - promised;
        let least_at = select(SHORTEST, -0.5 * promised / max(rise, REAL_MIN), finite && promised < 0.0);
        length = tried * clamp(least_at, SHORTEST, LONGEST);
    }
    for (var k = lane; k < dim; k += LANES) {
        if (renewed) {
            let g = select(0.0, climbs[slope + k], climb_is_free(iterate + k, slope + k, lower + k, upper + k));
            climbs[direction + k] = select(-g, -climbs[next + k], downhill);
        }
        let aim = climbs[iterate + k] + length * climbs[direction + k];
        climbs[trial + k] = clamp(aim, climbs[lower + k], climbs[upper + k]);
    }
    workgroupBarrier();
    if (lane == 0u) {
        if (accepted) {
            climbs[marks + MARK_VALUE] = now.value;
            climbs[marks + MARK_SCORE] = output[OUTPUT_VALUE * shape.stride + column];
        }
        climbs[marks + MARK_LENGTH] = length;
        climbs[marks + MARK_REACH] = reach;
        progress[counts + PROGRESS_STATUS] = status;
        progress[counts + PROGRESS_ITERATIONS] = iterations;
        progress[counts + PROGRESS_EVALUATIONS] += 1u;
        progress[counts + PROGRESS_TRIES] = select(tries, 0u, renewed);
        progress[counts + PROGRESS_PAIRS] = pairs;
        progress[counts + PROGRESS_NEWEST] = newest;
    }
}

// Whether a coordinate is not on a side of the box to which the gradient pushes it.
fn climb_is_free(iterate: u32, slope: u32, lower: u32, upper: u32) -> bool {
    let at_lower = climbs[iterate] <= climbs[lower] && climbs[slope] >= 0.0;
    let at_upper = climbs[iterate] >= climbs[upper] && climbs[slope] <= 0.0;
    return !(at_lower || at_upper);
}
