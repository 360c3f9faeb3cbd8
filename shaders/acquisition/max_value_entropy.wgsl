// What an outcome tells about the maximum, as in src/acquisition/max_value_entropy.rs.
// #import math/normal
// #import acquisition/belief

// For one maximum f* with g = (f* - mu)/sigma: H(g) = g r/2 - ln Phi(g). If g < 0, it is computed
// as ln sqrt(2 pi) + ln r + g m/2, in which nothing cancels. dH/dg = -(r/2) (1 + g m).
fn max_value_entropy_gain(maximum: real, mean: real, sd: real) -> Score {
    let g = clamp((maximum - mean) / sd, -REAL_FARTHEST, REAL_FARTHEST);
    let ratios = normal_ratios(g);
    var value = real(0.0);
    if g <= 0.0 {
        value = NORMAL_LN_SQRT_2PI + real_log(ratios.r) + 0.5 * g * ratios.m;
    } else {
        value = 0.5 * g * ratios.r - normal_log_cdf(g);
    }
    let slope = -0.5 * ratios.r * normal_second_ratio(g);
    return Score(value, -slope / sd, -slope * g / sd, 0.0, 0.0);
}

// The sum of two scores that do not depend on the cost. The second has a weight.
fn max_value_entropy_add(sum: Score, gain: Score, weight: real) -> Score {
    return Score(sum.value + weight * gain.value, sum.d_mean + weight * gain.d_mean, sum.d_sd + weight * gain.d_sd, 0.0, 0.0);
}
