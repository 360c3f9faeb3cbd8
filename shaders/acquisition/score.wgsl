// From the sums over the data to the moments, the score, and what its gradient multiplies.
// #import math/real
// #import math/pair
// #import acquisition/acquisition
// #import layout

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(7) var<storage, read> sums: array<real>;
@group(0) @binding(11) var<storage, read> cost_sums: array<real>;
@group(0) @binding(9) var<storage, read> known: array<real>;
// Incumbent, parameter and variance factor of the acquisition; mean and deviation of the log-cost
// prior; the floor of the variances; the noise that the acquisition foresees; where it looks at
// samples of the maximum, their number and they.
@group(0) @binding(12) var<storage, read> settings: array<real>;
@group(0) @binding(8) var<storage, read_write> coefficients: array<real>;
@group(0) @binding(10) var<storage, read_write> output: array<real>;
@group(0) @binding(13) var<storage, read_write> counts: array<atomic<u32>>;

override KIND: u32;
// What is known of the cost: 0 nothing that matters, 1 its logarithm at each point, 2 a posterior
// of its logarithm.
override COST: u32 = 0u;

struct Moments { mean: real, variance: real, floored: bool, finite: bool }

// Of the outcome, or of the log-cost.
fn moments(learned: bool, blocks: u32, column: u32) -> Moments {
    var mean = Pair(real(0.0), real(0.0));
    var squares = real(0.0);
    for (var block = 0u; block < blocks; block++) {
        let row = 3u * block * shape.stride + column;
        if (learned) {
            mean = pair_add(mean, Pair(cost_sums[row], cost_sums[row + shape.stride]));
            squares += cost_sums[row + 2u * shape.stride];
        } else {
            mean = pair_add(mean, Pair(sums[row], sums[row + shape.stride]));
            squares += sums[row + 2u * shape.stride];
        }
    }
    let variance = real(1.0) - squares;
    let floored = variance < settings[5];
    let finite = real_is_finite(mean.high) && real_is_finite(squares);
    return Moments(mean.high + mean.low, select(variance, settings[5], floored), floored, finite);
}

@compute @workgroup_size(TILE)
fn main(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let column = invocation.x;
    let outcome = moments(false, shape.blocks, column);
    // How far the posterior mean will move with one noisy outcome: without noise the deviation
    // itself.
    let seen = outcome.variance + settings[6];
    let sd = outcome.variance / sqrt(seen);
    let d_sd = (outcome.variance + real(2.0) * settings[6]) / (seen * sqrt(seen));
    let setting = Setting(settings[0], settings[1], settings[2]);
    var belief = Belief(outcome.mean, sd, real(0.0), real(0.0));
    var cost = Moments(real(0.0), real(1.0), true, true);
    let cost_deviation = settings[4];
    if (COST == 1u) {
        belief.log_cost = known[column];
    } else if (COST == 2u) {
        cost = moments(true, shape.cost_blocks, column);
        belief.log_cost = settings[3] + cost_deviation * cost.mean;
        belief.log_cost_variance = cost_deviation * cost_deviation * cost.variance;
    }
    var score = Score(real(0.0), real(0.0), real(0.0), real(0.0), real(0.0));
    if KIND == ACQUISITION_MAX_VALUE_ENTROPY {
        let count = u32(f32(settings[7]));
        let weight = real(1.0) / settings[7];
        for (var k = 0u; k < count; k++) {
            score = max_value_entropy_add(score, max_value_entropy_gain(settings[8u + k], belief.mean, belief.sd), weight);
        }
        score = per_cost_expected(score, setting, belief);
    } else {
        score = acquisition_score(KIND, setting, belief);
    }
    // d mean = -sum alpha S (p - x)/l, d variance = 2 sum w S (p - x)/l, of which d sd has the
    // half, times d_sd.
    coefficients[column] = -score.d_mean;
    coefficients[shape.stride + column] = select(score.d_sd * d_sd, real(0.0), outcome.floored);
    coefficients[2u * shape.stride + column] = -score.d_log_cost * cost_deviation;
    let variance_slope = real(2.0) * score.d_log_cost_variance * cost_deviation * cost_deviation;
    coefficients[3u * shape.stride + column] = select(variance_slope, real(0.0), cost.floored);
    coefficients[4u * shape.stride + column] = score.d_log_cost;
    output[column] = score.value;
    output[shape.stride + column] = outcome.mean;
    output[2u * shape.stride + column] = outcome.variance;
    if (column < shape.count) {
        if (outcome.floored) {
            atomicAdd(&counts[0], 1u);
        }
        if (!(outcome.finite && cost.finite && real_is_finite(score.value))) {
            atomicAdd(&counts[1], 1u);
        }
    }
}
