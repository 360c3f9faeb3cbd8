// What the shaders of scores share: from the sums over the data to the moments and the belief, and
// from the score to the coefficients of its gradient. It declares their variables and constants.
// #import math/real
// #import math/pair
// #import math/normal
// #import acquisition/belief
// #import acquisition/kinds
// #import layout

@group(0) @binding(BINDING_SHAPE) var<uniform> shape: Shape;
// For each block of data the rows SUM_*, of the outcome, of the log cost, and of the latent
// function that tells about success.
@group(0) @binding(BINDING_SUMS) var<storage, read> sums: array<real>;
@group(0) @binding(BINDING_COST_SUMS) var<storage, read> cost_sums: array<real>;
@group(0) @binding(BINDING_SUCCESS_SUMS) var<storage, read> success_sums: array<real>;
// ln c of each point.
@group(0) @binding(BINDING_KNOWN) var<storage, read> known: array<real>;
// The numbers SETTING_*.
@group(0) @binding(BINDING_SETTINGS) var<storage, read> settings: array<real>;
// The rows COEFFICIENT_*.
@group(0) @binding(BINDING_COEFFICIENTS) var<storage, read_write> coefficients: array<real>;
// The rows OUTPUT_*.
@group(0) @binding(BINDING_OUTPUT) var<storage, read_write> output: array<real>;
// The numbers COUNT_*.
@group(0) @binding(BINDING_COUNTS) var<storage, read_write> counts: array<atomic<u32>>;

// A constant ACQUISITION_*.
override KIND: u32;
// What is known of the cost, a constant COST_...: nothing that matters, its logarithm at each
// point, or a posterior of its logarithm.
override COST: u32;
// How the probability of success enters, a constant SUCCESS_...: not at all, in the price, as a
// factor, or as its logarithm.
override SUCCESS: u32;

const OF_OUTCOME: u32 = 0u;
const OF_COST: u32 = 1u;
const OF_SUCCESS: u32 = 2u;

struct Moments { mean: real, variance: real, floored: bool, finite: bool }

// The moments of one of the three.
fn scoring_moments(process: u32, blocks: u32, column: u32) -> Moments {
    var mean = Pair(real(0.0), real(0.0));
    var squares = real(0.0);
    for (var block = 0u; block < blocks; block++) {
        let mean_at = (SUMS * block + SUM_MEAN) * shape.stride + column;
        let rest_at = (SUMS * block + SUM_MEAN_REST) * shape.stride + column;
        let squares_at = (SUMS * block + SUM_SQUARES) * shape.stride + column;
        if (process == OF_COST) {
            mean = pair_add(mean, Pair(cost_sums[mean_at], cost_sums[rest_at]));
            squares += cost_sums[squares_at];
        } else if (process == OF_SUCCESS) {
            mean = pair_add(mean, Pair(success_sums[mean_at], success_sums[rest_at]));
            squares += success_sums[squares_at];
        } else {
            mean = pair_add(mean, Pair(sums[mean_at], sums[rest_at]));
            squares += sums[squares_at];
        }
    }
    let variance = real(1.0) - squares;
    let floored = variance < settings[SETTING_FLOOR];
    let finite = real_is_finite(mean.high) && real_is_finite(squares);
    return Moments(mean.high + mean.low, select(variance, settings[SETTING_FLOOR], floored), floored, finite);
}

// All that a score is made from, with the derivatives of the deviation and of ln p.
struct Scoring {
    outcome: Moments,
    cost: Moments,
    success: Moments,
    setting: Setting,
    belief: Belief,
    d_sd: real,
    log_success: real,
    d_success_mean: real,
    d_success_variance: real,
}

fn scoring_inputs(column: u32) -> Scoring {
    let outcome = scoring_moments(OF_OUTCOME, shape.blocks, column);
    // How far one noisy outcome will move the posterior mean. Without noise that is the deviation
    // itself.
    let seen = outcome.variance + settings[SETTING_NOISE];
    let sd = outcome.variance / sqrt(seen);
    let d_sd = (outcome.variance + real(2.0) * settings[SETTING_NOISE]) / (seen * sqrt(seen));
    let setting = Setting(settings[SETTING_INCUMBENT], settings[SETTING_PARAMETER], settings[SETTING_VARIANCE_FACTOR]);
    var belief = Belief(outcome.mean, sd, real(0.0), real(0.0));
    var cost = Moments(real(0.0), real(1.0), true, true);
    let cost_deviation = settings[SETTING_COST_DEVIATION];
    if (COST == COST_KNOWN) {
        belief.log_cost = known[column];
    } else if (COST == COST_LEARNED) {
        cost = scoring_moments(OF_COST, shape.cost_blocks, column);
        belief.log_cost = settings[SETTING_COST_MEAN] + cost_deviation * cost.mean;
        belief.log_cost_variance = cost_deviation * cost_deviation * cost.variance;
    }
    // p = Phi(z) with z = mu/sqrt(1 + v), and the derivatives of ln p by mu and v.
    let success_deviation = settings[SETTING_SUCCESS_DEVIATION];
    var success = Moments(real(0.0), real(1.0), true, true);
    var log_success = real(0.0);
    var d_success_mean = real(0.0);
    var d_success_variance = real(0.0);
    if (SUCCESS != SUCCESS_NONE) {
        success = scoring_moments(OF_SUCCESS, shape.success_blocks, column);
        let root = sqrt(real(1.0) + success_deviation * success_deviation * success.variance);
        let z = (settings[SETTING_SUCCESS_MEAN] + success_deviation * success.mean) / root;
        log_success = normal_log_cdf(z);
        d_success_mean = normal_ratios(z).r / root;
        d_success_variance = real(-0.5) * d_success_mean * z / root;
        if (SUCCESS == SUCCESS_PRICE) {
            belief.log_cost -= log_success;
        }
    }
    return Scoring(outcome, cost, success, setting, belief, d_sd, log_success, d_success_mean, d_success_variance);
}

// The score of a trial that may fail, with the derivative by ln p.
struct Weighed { score: Score, d_log_success: real }

fn scoring_weighed(inputs: Scoring, of_success: Score) -> Weighed {
    var score = of_success;
    var d_log_success = real(0.0);
    if (SUCCESS == SUCCESS_PRICE) {
        d_log_success = -score.d_log_cost;
    } else if (SUCCESS == SUCCESS_FACTOR) {
        let p = real_exp(inputs.log_success);
        score = Score(p * score.value, p * score.d_mean, p * score.d_sd, p * score.d_log_cost, p * score.d_log_cost_variance);
        d_log_success = score.value;
    } else if (SUCCESS == SUCCESS_LOG) {
        score.value = max(score.value + inputs.log_success, REAL_LOG_ZERO);
        d_log_success = real(1.0);
    }
    return Weighed(score, d_log_success);
}

// Writes the coefficients, the moments and the value of a point.
fn scoring_write(column: u32, inputs: Scoring, weighed: Weighed) {
    let score = weighed.score;
    let d_log_success = weighed.d_log_success;
    let cost_deviation = settings[SETTING_COST_DEVIATION];
    let success_deviation = settings[SETTING_SUCCESS_DEVIATION];
    // d mean = -sum alpha S (p - x)/l, d variance = 2 sum w S (p - x)/l, and d sd is half of that,
    // times d_sd.
    coefficients[COEFFICIENT_ALPHA * shape.stride + column] = -score.d_mean;
    coefficients[COEFFICIENT_WEIGHT * shape.stride + column] = select(score.d_sd * inputs.d_sd, real(0.0), inputs.outcome.floored);
    coefficients[COEFFICIENT_COST_ALPHA * shape.stride + column] = -score.d_log_cost * cost_deviation;
    let variance_slope = real(2.0) * score.d_log_cost_variance * cost_deviation * cost_deviation;
    coefficients[COEFFICIENT_COST_WEIGHT * shape.stride + column] = select(variance_slope, real(0.0), inputs.cost.floored);
    coefficients[COEFFICIENT_KNOWN_COST * shape.stride + column] = score.d_log_cost;
    coefficients[COEFFICIENT_SUCCESS_ALPHA * shape.stride + column] = -d_log_success * inputs.d_success_mean * success_deviation;
    let success_slope = real(2.0) * d_log_success * inputs.d_success_variance * success_deviation * success_deviation;
    coefficients[COEFFICIENT_SUCCESS_WEIGHT * shape.stride + column] = select(success_slope, real(0.0), inputs.success.floored);
    output[OUTPUT_VALUE * shape.stride + column] = score.value;
    output[OUTPUT_MEAN * shape.stride + column] = inputs.outcome.mean;
    output[OUTPUT_VARIANCE * shape.stride + column] = inputs.outcome.variance;
    if (column < shape.count) {
        if (inputs.outcome.floored) {
            atomicAdd(&counts[COUNT_FLOORED], 1u);
        }
        if (!(inputs.outcome.finite && inputs.cost.finite && inputs.success.finite && real_is_finite(score.value))) {
            atomicAdd(&counts[COUNT_OVERFLOWED], 1u);
        }
    }
}
