// The score of a point while other trials are under way.
// #import acquisition/scoring
// #import acquisition/pending

// The place of a fantasy's shift of the mean. In the end the derivative by the shift stands there.
fn place(column: u32, k: u32) -> u32 {
    return (COEFFICIENT_SHIFTS + k) * shape.stride + column;
}

@compute @workgroup_size(TILE)
fn main(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let column = invocation.x;
    let inputs = scoring_inputs(column);
    var trial = pending_of(inputs.belief.mean, inputs.belief.sd, settings[SETTING_MISSING]);
    for (var k = 0u; k < FANTASIES; k++) {
        pending_set(&trial, k, coefficients[place(column, k)], settings[SETTING_LIST + k]);
    }
    let score = pending_score(KIND, &trial, inputs.setting, inputs.belief);
    let weighed = scoring_weighed(inputs, score);
    scoring_write(column, inputs, weighed);
    // The whitened column takes the weight of the variance, before it is multiplied by L^-T.
    let weight = COEFFICIENT_WEIGHT * shape.stride + column;
    coefficients[COEFFICIENT_COLUMN * shape.stride + column] = coefficients[weight];
    coefficients[weight] = real(1.0);
    var total = real(0.0);
    for (var k = 0u; k < FANTASIES; k++) {
        total += trial.parts[k];
    }
    for (var k = 0u; k < FANTASIES; k++) {
        // If all parts underflowed, so did the derivative by the mean.
        let share = trial.parts[k] / max(total, REAL_MIN);
        coefficients[place(column, k)] = share * weighed.score.d_mean;
    }
}
