// The score of a point from its sums over the data.
// #import acquisition/acquisition
// #import acquisition/scoring

@compute @workgroup_size(TILE)
fn main(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let column = invocation.x;
    let inputs = scoring_inputs(column);
    let setting = inputs.setting;
    let belief = inputs.belief;
    var score = Score(real(0.0), real(0.0), real(0.0), real(0.0), real(0.0));
    if KIND == ACQUISITION_MAX_VALUE_ENTROPY {
        let count = u32(f32(settings[SETTING_MAXIMA]));
        let weight = real(1.0) / settings[SETTING_MAXIMA];
        for (var k = 0u; k < count; k++) {
            score = max_value_entropy_add(score, max_value_entropy_gain(settings[SETTING_LIST + k], belief.mean, belief.sd), weight);
        }
        score = per_cost_expected(score, setting, belief);
    } else {
        score = acquisition_score(KIND, setting, belief);
    }
    scoring_write(column, inputs, scoring_weighed(inputs, score));
}
