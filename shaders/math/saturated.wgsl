// Products and quotients that end at the largest finite number instead of an infinity.
// #import math/real

fn saturated_product(a: real, b: real) -> real {
    if abs(a) > 1.0 && abs(b) > REAL_MAX / abs(a) {
        return select(-REAL_MAX, REAL_MAX, (a > 0.0) == (b > 0.0));
    }
    return a * b;
}

// a/b for b > 0.
fn saturated_quotient(a: real, b: real) -> real {
    if b < 1.0 && abs(a) > REAL_MAX * b {
        return select(-REAL_MAX, REAL_MAX, a > 0.0);
    }
    return a / b;
}
