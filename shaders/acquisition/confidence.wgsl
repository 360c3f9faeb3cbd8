// The upper confidence bound, as in src/acquisition/confidence.rs.
// #import acquisition/belief

// mu + sqrt(beta) sigma.
fn confidence_upper_bound(sqrt_beta: real, mean: real, sd: real) -> Score {
    return Score(mean + sqrt_beta * sd, 1.0, sqrt_beta, 0.0, 0.0);
}
