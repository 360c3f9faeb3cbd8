// The distance to an estimated maximum, as in src/acquisition/estimation.rs.
// #import acquisition/belief

// (mu - m)/sqrt(sigma^2 + noise).
fn estimation_distance(maximum: real, noise: real, mean: real, sd: real) -> Score {
    let deviation = sqrt(sd * sd + noise);
    let value = (mean - maximum) / deviation;
    return Score(value, 1.0 / deviation, -value * (sd / deviation) / deviation, 0.0, 0.0);
}
