// The Gittins index of a Pandora's box with a normal content, as in src/acquisition/gittins.rs: g =
// mu - sigma u with h(u) = kappa = price/sigma.
//
// The price is given as its logarithm, ln lambda + m + f v, with mean m and variance v of ln c and
// the variance factor f. So no cost is too small or too large.
// #import math/normal
// #import acquisition/belief

fn gittins_index(setting: Setting, belief: Belief) -> Score {
    let log_price = setting.parameter + belief.log_cost + setting.variance_factor * belief.log_cost_variance;
    let log_kappa = log_price - real_log(belief.sd);
    let u = normal_inverse_log_h(log_kappa, real_exp(log_kappa));
    let ratios = normal_ratios(u);
    var worth = belief.sd * u;
    var d_log_cost = -belief.sd * ratios.m;
    if log_kappa > REAL_LINEAR_LOG_KAPPA {
        // If the evaluation is expensive, sigma u and sigma m are the price itself, even if the
        // quotient overflowed.
        worth = real_exp(log_price);
        d_log_cost = -worth;
    }
    return Score(belief.mean - worth, 1.0, ratios.r, d_log_cost, setting.variance_factor * d_log_cost);
}
