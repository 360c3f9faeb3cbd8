// Improvement over the incumbent: its expectation, its probability, and the logarithms of both, as
// in src/acquisition/improvement.rs.
// #import math/normal
// #import acquisition/belief

// From this u on, h(u) = u to the last bit.
const IMPROVEMENT_CERTAIN: real = 9.0;

fn improvement_standardized(gap: real, sd: real) -> real {
    return clamp(gap / sd, -REAL_FARTHEST, REAL_FARTHEST);
}

// sigma h(u). The form h(u) = u + h(-u) loses no digit of the gap to the division if u > 0.
fn improvement_expected(incumbent: real, mean: real, sd: real) -> Score {
    let gap = mean - incumbent;
    let u = improvement_standardized(gap, sd);
    let tail = normal_tail(abs(u));
    let probability = select(tail.probability, 1.0 - tail.probability, u > 0.0);
    return Score(max(gap, 0.0) + sd * tail.h, probability, tail.density, 0.0, 0.0);
}

// ln sigma + ln h(u), with derivatives 1/(sigma m) and r/(sigma m).
fn improvement_log_expected(incumbent: real, mean: real, sd: real) -> Score {
    let gap = mean - incumbent;
    let u = improvement_standardized(gap, sd);
    let log_h = normal_log_h(u);
    var value = log_h.value + real_log(sd);
    var divisor = sd * log_h.ratios.m;
    if u > IMPROVEMENT_CERTAIN {
        value = real_log(gap);
        divisor = gap;
    }
    return Score(max(value, REAL_LOG_ZERO), 1.0 / divisor, log_h.ratios.r / divisor, 0.0, 0.0);
}

// Phi(u), with derivatives phi(u)/sigma and -u phi(u)/sigma.
fn improvement_probability(incumbent: real, mean: real, sd: real) -> Score {
    let u = improvement_standardized(mean - incumbent, sd);
    let tail = normal_tail(abs(u));
    let slope = tail.density / sd;
    return Score(select(tail.probability, 1.0 - tail.probability, u > 0.0), slope, -u * slope, 0.0, 0.0);
}

// ln Phi(u), with derivatives r/sigma and -u r/sigma.
fn improvement_log_probability(incumbent: real, mean: real, sd: real) -> Score {
    let u = improvement_standardized(mean - incumbent, sd);
    let slope = normal_ratios(u).r / sd;
    return Score(max(normal_log_cdf(u), REAL_LOG_ZERO), slope, -u * slope, 0.0, 0.0);
}
