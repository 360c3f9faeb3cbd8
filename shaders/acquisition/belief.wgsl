// The inputs and outputs of an acquisition, in units with a prior mean of 0 and a prior standard
// deviation of 1.
// #import math/real

// sd > 0. For a known cost log_cost is its logarithm, and the variance is 0.
struct Belief {
    mean: real,
    sd: real,
    log_cost: real,
    log_cost_variance: real,
}

// The incumbent, the parameter of the kind, and the factor of the variance of the log cost in a
// price or divisor.
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
