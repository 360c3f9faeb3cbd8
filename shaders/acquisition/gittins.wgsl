// The Gittins index of a Pandora's box whose content is normal, as in src/acquisition/gittins.rs: g
// = mu - sigma u, h(u) = kappa = price/sigma.
//
// The price comes as its logarithm, ln lambda + m + f v with mean m and variance v of ln c; no cost
// is too small or too large for that.
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
        // Where the evaluation is dear, sigma u and sigma m are the price itself, also if the
        // quotient overflowed.
        worth = real_exp(log_price);
        d_log_cost = -worth;
    }
    return Score(belief.mean - worth, 1.0, ratios.r, d_log_cost, setting.variance_factor * d_log_cost);
}
