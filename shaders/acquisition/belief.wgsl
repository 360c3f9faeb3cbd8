// What an acquisition is given and what it gives, in units in which the prior's deviation is 1 and
// its mean 0.
// #import math/real

// sd > 0; a known cost has the logarithm log_cost and the variance 0.
struct Belief {
    mean: real,
    sd: real,
    log_cost: real,
    log_cost_variance: real,
}

// The incumbent, the kind's parameter, and what the variance of the log cost counts in a price or
// divisor.
struct Setting {
    incumbent: real,
    parameter: real,
    variance_factor: real,
}

struct Score {
    value: real,
    d_mean: real,
    d_sd: real,
    d_log_cost: real,
    d_log_cost_variance: real,
}
