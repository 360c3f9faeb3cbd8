// Improvement per unit of cost, as in src/acquisition/per_cost.rs. The divisor is exp(a m + f v)
// with the exponent a, the mean m and the variance v of ln c, and the setting's variance factor f,
// a^2/2 or -a^2/2.
// #import math/saturated
// #import acquisition/belief

fn per_cost_log_divisor(setting: Setting, belief: Belief) -> real {
    return setting.parameter * belief.log_cost + setting.variance_factor * belief.log_cost_variance;
}

// EI over the divisor, from the score of EI.
fn per_cost_expected(improvement: Score, setting: Setting, belief: Belief) -> Score {
    let divisor = max(real_exp(per_cost_log_divisor(setting, belief)), REAL_MIN);
    let value = saturated_quotient(improvement.value, divisor);
    return Score(
        value,
        saturated_quotient(improvement.d_mean, divisor),
        saturated_quotient(improvement.d_sd, divisor),
        -saturated_product(setting.parameter, value),
        -saturated_product(setting.variance_factor, value),
    );
}

// ln EI minus the logarithm of the divisor, from the score of ln EI.
fn per_cost_log_expected(improvement: Score, setting: Setting, belief: Belief) -> Score {
    let value = max(improvement.value - per_cost_log_divisor(setting, belief), REAL_LOG_ZERO);
    return Score(value, improvement.d_mean, improvement.d_sd, -setting.parameter, -setting.variance_factor);
}
